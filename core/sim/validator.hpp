// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/schedule.hpp"

#include <string>
#include <vector>

namespace polyrail {

struct Violation
{
    std::string rule;   ///< "precedence", "overlap", "link-rate", "link-bytes", "conflict", "memory", "makespan", "critical-path", "down-link"
    std::string detail; ///< names and figures
};

/// Checks a schedule against the cluster without using the simulator or Network: precedence; no overlap on
/// a (device, stream); rates within bandwidth, conflict capacities and exclusive groups at every moment;
/// bytes carried = bytes owed; memory within capacity; makespan; critical path. Empty = valid.
std::vector<Violation> validate(const Schedule &schedule, const Cluster &cluster);

} // namespace polyrail
