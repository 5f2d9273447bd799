// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/architecture.hpp"

#include <algorithm>
#include <cctype>

namespace polyrail {

namespace {

constexpr double turingTensor = 0.40;
constexpr double hopperAttentionForward = 0.349;
constexpr double hopperAttentionBackward = 0.33;
constexpr double ampereAttentionForward = 0.60;
constexpr double ampereAttentionBackward = 0.50;

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

bool hasUnits(const GpuType &gpu, Precision p) { return gpu.peak[static_cast<std::size_t>(p)].has_value(); }

enum class Units { Vector, Tensor, Tensor8 };

/// One row of the defaults: first match by architecture wins.
struct Row
{
    const char *architecture; ///< part of GpuType::architecture or of its name; "" = any
    Units units;
    MatmulConstants constants;
};

MatmulConstants row(double eMax, double k0, double alpha, double eBw, double launch, double gam)
{
    MatmulConstants c;
    c.maxEfficiency = eMax;
    c.pipelineFill = k0;
    c.tileExponent = alpha;
    c.memoryEfficiency = eBw;
    c.launchSeconds = launch;
    c.tailWeight = gam;
    return c;
}

// The figures of the type that was fitted, for its relatives. Blackwell: the shape figures of Hopper, the peak share
// scaled by the largest rates that stas00/ml-engineering measured on both (B200 77.6 %, GB200 72.9, H100 80.3 % of the
// bf16 peak). Volta: 95 of 125 TFLOP/s (mli/transformers-benchmarks). Turing: the T4 at its 70 W, fitted on AMP's
// training steps. CDNA: 51 % of the peak on MI300X (ml-engineering).
const std::vector<Row> &rows()
{
    static const std::vector<Row> table = {
        {"GA100", Units::Tensor, row(0.84, 170, 0.585, 0.765, 2.8e-6, 0.6)},
        {"GA102", Units::Tensor, row(0.80, 179, 0.32, 0.737, 2e-6, 0.15)},
        {"Hopper", Units::Tensor8, row(0.748, 0, 1.065, 0.52, 5.9e-6, 1.0)},
        {"Hopper", Units::Tensor, row(0.837, 169, 0.492, 0.86, 2.4e-6, 0.0)},
        {"Ada", Units::Tensor8, row(0.604, 962, 0.0, 0.678, 6.6e-6, 0.0)},
        {"Ada", Units::Tensor, row(0.647, 76, 0.443, 0.763, 1.6e-6, 0.14)},
        {"GB202", Units::Tensor8, row(0.604, 962, 0.0, 0.678, 6.6e-6, 0.0)},
        {"GB202", Units::Tensor, row(0.647, 76, 0.443, 0.763, 1.6e-6, 0.14)},
        {"GB200", Units::Tensor8, row(0.735, 0, 1.065, 0.52, 5.9e-6, 1.0)},
        {"GB200", Units::Tensor, row(0.76, 169, 0.492, 0.86, 2.4e-6, 0.0)},
        {"GB300", Units::Tensor8, row(0.735, 0, 1.065, 0.52, 5.9e-6, 1.0)},
        {"GB300", Units::Tensor, row(0.76, 169, 0.492, 0.86, 2.4e-6, 0.0)},
        {"Blackwell", Units::Tensor8, row(0.775, 0, 1.065, 0.52, 5.9e-6, 1.0)},
        {"Blackwell", Units::Tensor, row(0.808, 169, 0.492, 0.86, 2.4e-6, 0.0)},
        {"Volta", Units::Tensor, row(0.76, 125, 0.4, 0.75, 4e-6, 0.5)},
        {"Turing", Units::Tensor, row(turingTensor, 125, 0.4, 0.75, 4e-6, 0.5)},
        {"CDNA", Units::Tensor, row(0.55, 150, 0.4, 0.75, 6e-6, 0.3)},
        {"GA100", Units::Vector, row(0.90, 4, 0.6, 0.60, 4e-6, 0.5)},
        {"Volta", Units::Vector, row(0.917, 0, 0.114, 0.62, 5e-6, 0.5)},
        {"Turing", Units::Vector, row(0.85, 0, 0.146, 0.60, 5e-6, 0.3)},
        {"Pascal", Units::Vector, row(0.73, 10, 0.75, 0.75, 6e-6, 0.26)},
        {"Ada", Units::Vector, row(0.60, 10, 0.5, 0.70, 4e-6, 0.5)},
        {"Hopper", Units::Vector, row(0.784, 30, 0.164, 0.85, 4e-6, 1.0)},
        {"", Units::Tensor8, row(0.70, 100, 0.5, 0.6, 5e-6, 0.5)},
        {"", Units::Tensor, row(0.72, 150, 0.45, 0.77, 4e-6, 0.3)},
        {"", Units::Vector, row(0.80, 10, 0.4, 0.65, 5e-6, 0.5)},
    };
    return table;
}

} // namespace

Precision effectivePrecision(const GpuType &gpu, Precision p)
{
    static constexpr std::array<Precision, precisionCount> chain = {Precision::Fp8, Precision::Bf16, Precision::Fp16,
                                                                    Precision::Tf32, Precision::Fp32};
    auto at = std::find(chain.begin(), chain.end(), p);
    while (at != chain.end() && !hasUnits(gpu, *at))
        ++at;
    return at == chain.end() ? Precision::Fp32 : *at;
}

bool runsOnVectorUnits(const GpuType &gpu, Precision p)
{
    return effectivePrecision(gpu, p) == Precision::Fp32 || contains(gpu.architecture, "Pascal");
}

MatmulConstants defaultMatmulConstants(const GpuType &gpu, Precision p)
{
    const Units units = runsOnVectorUnits(gpu, p)                    ? Units::Vector
        : effectivePrecision(gpu, p) == Precision::Fp8 ? Units::Tensor8
                                                        : Units::Tensor;
    for (const Row &r : rows())
        if (r.units == units && (contains(gpu.architecture, r.architecture) || contains(gpu.name, r.architecture)))
            return r.constants;
    return rows().back().constants;
}

double warmCacheSpeedup(const GpuType &gpu)
{
    return contains(gpu.architecture, "Ada") || contains(gpu.architecture, "GB202") ? 3.0 : 1.0;
}

double attentionEfficiency(const GpuType &gpu, bool backward)
{
    // FlashAttention-2 (arXiv 2307.08691, Figures 4 to 7): A100 up to 0.62 forward and 0.54 backward, H100 with the
    // same kernels about 0.40 and 0.33; kernels for Hopper (arXiv 2407.08608) are a matter of the framework.
    if (contains(gpu.architecture, "Hopper") || contains(gpu.architecture, "Blackwell"))
        return backward ? hopperAttentionBackward : hopperAttentionForward;
    if (contains(gpu.architecture, "Ampere") || contains(gpu.architecture, "Ada"))
        return backward ? ampereAttentionBackward : ampereAttentionForward;
    return backward ? 0.30 : 0.35;
}

} // namespace polyrail
