// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/gpu_type.hpp"
#include "core/workload/operator_graph.hpp"

namespace polyrail {

/// C[m,n] = A[m,k] B[k,n], `batch` independent products.
struct MatmulShape
{
    std::int64_t batch = 1;
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
};

/// One attention kernel: `batch` sequences of `heads` heads.
struct AttentionShape
{
    double batch = 1;
    double heads = 1;
    double kvHeads = 1;
    double headDim = 128;
    double queries = 1;    ///< tokens per sequence on this device
    double keys = 1;       ///< tokens attended to
    bool causal = true;
};

/// Times of kernels on one GPU type. Cheap to make and copy; thread-safe.
///
/// Matrix products:
///   T  = t0 + (Tc^4 + Tm^4)^(1/4),   Tm = bytes / (bandwidth e_bw)
///   Tc = min over tiles (tm,tn) and splits s of W 2 tm tn (ceil(K/s/kt) kt + K0) / (peak/SM e_max min(1, tm tn/A0)^alpha)
///   w  = batch ceil(M/tm) ceil(N/tn) s / SM;   W = 1 if w <= 1 else w + gam (ceil(w) - w)
/// so 109 tiles on 108 SMs cost nearly two waves. A split s > 1 needs K/s >= 256 and moves 2 x 4 s M N bytes
/// more per product (partial sums written and read in fp32); the fastest split is taken over the whole formula.
/// Tensor-core and SIMT formats have their own tile menus (docs/cost-model.md).
class KernelModel
{
public:
    explicit KernelModel(const GpuType &gpu);

    /// What the operands meet in the L2 cache.
    enum class Cache {
        Cold, ///< other kernels ran in between, as in training
        Warm, ///< the same product ran just before, as in the loop of a benchmark
    };
    Seconds matmul(const MatmulShape &shape, Precision p, Cache cache = Cache::Cold) const;
    /// Any operator of the transformer builder or of a user's graph. Attention with the builder's dims: fused, or its
    /// products and its softmax one after the other; without them by FLOPs and bytes. Kind Custom: timesSeconds by type name or
    /// alias; a type that is not named takes flops and bytes by roofline, or, when the operator has neither,
    /// the longest of the times given. `p` is the format of the products.
    Seconds time(const Operator &op, Precision p) const;
    Seconds timeOf(const std::vector<Operator> &ops, Precision p) const;
    /// Fused attention: FLOPs at the share of the peak that such kernels reach, never faster than its reads.
    Seconds flashAttention(const AttentionShape &shape, Precision p, bool backward) const;
    /// Reading and writing `bytes` by a memory-bound kernel.
    Seconds memoryBound(double bytes) const;
    /// One Adam step over `parameters` local parameters: parameter, gradient and both moments are read, all but
    /// the gradient written, in fp32, and the working copy in the format of the products is written too.
    Seconds optimiserStep(double parameters, Precision p) const;
    /// Constants that matmul() uses for `p`: the type's own, or the architecture's documented default.
    const MatmulConstants &constants(Precision p) const { return m_constants[static_cast<std::size_t>(p)]; }
    bool hasOwnConstants(Precision p) const { return m_own[static_cast<std::size_t>(p)]; }
    const GpuType &gpu() const { return m_gpu; }

private:
    static constexpr int maxTiles = 10;
    struct Tiles
    {
        int count = 0;
        int kShift = 0;                           ///< log2 of the K granule
        std::array<int, maxTiles> mShift{};       ///< log2 of the tile's rows
        std::array<int, maxTiles> nShift{};
        std::array<double, maxTiles> perColumn{}; ///< seconds of one wave per column of K
    };
    Seconds attention(const Operator &op, Precision p) const;
    double roofline(double flops, double bytes, Precision p) const;

    GpuType m_gpu;
    std::array<MatmulConstants, precisionCount> m_constants;
    std::array<bool, precisionCount> m_own{};
    std::array<Tiles, precisionCount> m_tiles{};
    std::array<double, precisionCount> m_peak{};  ///< FLOP/s
    double m_warmSpeedup = 1;
    double m_memoryRate = 1;                      ///< bytes/s of a streaming kernel
};

} // namespace polyrail
