// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/architecture.hpp"

#include <algorithm>
#include <cctype>

namespace polyrail {

namespace {

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

bool hasUnits(const GpuType &gpu, Precision p) { return gpu.peak[static_cast<std::size_t>(p)].has_value(); }

/// One row of the defaults: first match by architecture wins.
struct Row
{
    const char *architecture; ///< part of GpuType::architecture; "" = any
    bool vectorUnits;
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

const std::vector<Row> &rows()
{
    static const std::vector<Row> table = {
        {"GA100", false, row(0.80, 125, 0.25, 0.80, 4e-6, 0.5)},
        {"GA102", false, row(0.80, 120, 0.18, 0.85, 4e-6, 0.3)},
        {"Hopper", false, row(0.80, 125, 0.05, 0.77, 4e-6, 0.1)},
        {"Ada", false, row(0.70, 130, 0.10, 0.83, 4e-6, 0.3)},
        {"Blackwell", false, row(0.78, 125, 0.05, 0.77, 4e-6, 0.1)},
        {"Volta", false, row(0.72, 125, 0.20, 0.75, 5e-6, 0.5)},
        {"Turing", false, row(0.45, 125, 0.20, 0.75, 5e-6, 0.5)},
        {"CDNA", false, row(0.60, 150, 0.10, 0.75, 6e-6, 0.3)},
        {"GA100", true, row(0.90, 4, 0.11, 0.60, 6e-6, 0.5)},
        {"Volta", true, row(0.91, 0, 0.10, 0.60, 6e-6, 0.5)},
        {"Turing", true, row(0.45, 5, 0.10, 0.65, 6e-6, 0.5)},
        {"Pascal", true, row(0.70, 15, 0.50, 0.85, 6e-6, 0.1)},
        {"Ada", true, row(0.60, 5, 0.05, 0.70, 6e-6, 0.8)},
        {"", false, row(0.72, 130, 0.15, 0.77, 5e-6, 0.3)},
        {"", true, row(0.80, 5, 0.10, 0.65, 6e-6, 0.5)},
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
    const bool vectorUnits = runsOnVectorUnits(gpu, p);
    for (const Row &r : rows())
        if (r.vectorUnits == vectorUnits && contains(gpu.architecture, r.architecture))
            return r.constants;
    return rows().back().constants;
}

double attentionEfficiency(const GpuType &gpu, bool backward)
{
    // FlashAttention-2 (arXiv 2307.08691, Figures 4 to 6) on A100, FlashAttention-3 (arXiv 2407.08608, Figures 5
    // and 6) on H100 against FlashAttention-2 there; training frameworks mostly run the latter.
    if (contains(gpu.architecture, "Hopper") || contains(gpu.architecture, "Blackwell"))
        return backward ? 0.42 : 0.50;
    if (contains(gpu.architecture, "Ampere") || contains(gpu.architecture, "Ada"))
        return backward ? 0.50 : 0.60;
    return backward ? 0.30 : 0.35;
}

} // namespace polyrail
