// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/schedule.hpp"

#include <span>

namespace polyrail {

/// Backwards from the task that ends last (the lowest index of several): before each task comes the pred
/// that ended when it started (the lowest index of several), or else the task that held a device or an
/// exclusive group until then (`waitedFor`, -1 = none). Internal to core/sim.
std::vector<TaskId> criticalPath(const TaskGraph &graph, std::span<const TaskTime> times,
                                 std::span<const std::int32_t> waitedFor);

} // namespace polyrail
