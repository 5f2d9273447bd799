// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/gpu_type.hpp"

namespace polyrail {

/// Format whose units a GPU really uses for products in `p` (the fall-back chain of GpuType::peakFor).
Precision effectivePrecision(const GpuType &gpu, Precision p);
/// True when products of format `p` run on the vector units of this GPU.
bool runsOnVectorUnits(const GpuType &gpu, Precision p);
/// Matrix-product constants for a GPU without its own: those of its architecture, else of any GPU.
/// docs/cost-model.md says where each row comes from.
MatmulConstants defaultMatmulConstants(const GpuType &gpu, Precision p);
/// How much faster a product finds operands in the L2 cache than in memory, when it is repeated: 1 where the memory is
/// fast enough for this not to show.
double warmCacheSpeedup(const GpuType &gpu);
/// Share of the peak that fused attention reaches for long sequences and heads of 128.
double attentionEfficiency(const GpuType &gpu, bool backward);

} // namespace polyrail
