// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/schedule.hpp"

#include <string>
#include <vector>

namespace polyrail {

struct Violation
{
    /// "times" (missing, negative, or shorter than the task's own), "precedence", "overlap", "link-rate",
    /// "link-bytes", "conflict", "memory", "makespan", "critical-path", "down-link"
    std::string rule;
    std::string detail; ///< names and figures
};

/// Checks a schedule against the cluster without using the simulator or Network: precedence; no overlap on
/// a (device, stream); rates within bandwidth, conflict capacities and exclusive groups at every moment;
/// bytes carried = bytes owed, at the end and, between the starts and ends of transfers, at every moment;
/// memory within capacity; makespan; critical path. Empty = valid. Pure, thread-safe; n log n.
///
/// Rates may exceed a capacity by 1e-9 of it (rounding of sums). Bytes may differ by 1e-6 of those owed
/// plus what the link carries in one nanosecond per segment. In the critical path each task starts when
/// the one before it ends, and the two are joined by a pred, by a device and stream, or by exclusive
/// groups (directly, or through a transfer that waited in between).
std::vector<Violation> validate(const Schedule &schedule, const Cluster &cluster);

} // namespace polyrail
