// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/search.hpp"

#include <atomic>

namespace polyrail {

/// Megatron-LM's default for people who set nothing else: tensor parallel over the devices of one host (largest power of
/// two that fits the smallest host and divides heads and devices), as few equal pipeline stages as fit in memory, the
/// rest data parallel, one sample per replica and micro-step (or job.maxMicroBatch), devices in file order, every
/// device takes part, recomputation only when nothing fits without. Scored by the simulator of every plan.
BaselineResult equalSplit(const CostContext &context);
/// The best of all uniform grids tensor x pipeline x data over all devices in file order: equal layers, equal shares, up to
/// 16 samples per replica, every recomputation. `cancel` may be null; a cancelled run returns the best so far.
BaselineResult bestUniformGrid(const CostContext &context, const std::atomic<bool> *cancel = nullptr);

} // namespace polyrail
