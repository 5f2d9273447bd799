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

/// Times of kernels on one GPU type. Cheap to make and copy; thread-safe.
///
/// Matrix products:
///   T  = t0 + (Tc^4 + Tm^4)^(1/4),   Tm = bytes / (bandwidth e_bw)
///   Tc = min over tiles (tm,tn) and splits s of W 2 tm tn (ceil(K/s/kt) kt + K0) / (peak/SM e_max min(1, tm tn/A0)^alpha)
///   w  = batch ceil(M/tm) ceil(N/tn) s / SM;   W = 1 if w <= 1 else w + gam (ceil(w) - w)
/// so 109 tiles on 108 SMs cost nearly two waves.
class KernelModel
{
public:
    explicit KernelModel(const GpuType &gpu);

    Seconds matmul(const MatmulShape &shape, Precision p) const;
    /// Any operator of the transformer builder or of a user's graph (kind Custom: timesSeconds by type
    /// name, else flops and bytes by roofline). `p` is the format of the products.
    Seconds time(const Operator &op, Precision p) const;
    Seconds timeOf(const std::vector<Operator> &ops, Precision p) const;
    /// Reading and writing `bytes` by a memory-bound kernel.
    Seconds memoryBound(double bytes) const;
    /// One Adam step over `parameters` local parameters.
    Seconds optimiserStep(double parameters, Precision p) const;
    /// Constants that matmul() uses for `p`: the type's own, or the architecture's documented default.
    const MatmulConstants &constants(Precision p) const;
    bool hasOwnConstants(Precision p) const;

private:
    GpuType m_gpu;
    std::array<MatmulConstants, precisionCount> m_constants;
    std::array<bool, precisionCount> m_own{};
};

} // namespace polyrail
