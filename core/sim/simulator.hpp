// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/sim/network.hpp"
#include "core/sim/schedule.hpp"

#include <atomic>

namespace polyrail {

/// How much of the schedule is kept. MakespanOnly is what a search needs.
enum class SimDetail { MakespanOnly, Full };

/// Discrete-event simulation: compute tasks take their time on their devices; transfers share the rows of
/// the network max-min fairly. Fairness is over each transfer's rate on its own most loaded row
/// (progressive filling; Bertsekas and Gallager, Data Networks, 6.5.2; the algorithm of SimGrid's
/// maxmin solver). A transfer with claims waits, first come first served, until its exclusive groups are
/// free or already on the same link.
///
/// No task ever starts before its preds end nor runs shorter than its own time alone, so the longest
/// path over those times is a lower bound of the makespan.
///
/// Errors (kind Infeasible): a transfer over a down link, or one that needs two links of one
/// exclusive group at once; a cycle in the preds (kind Input). Deterministic; thread-safe (pure).
/// `giveUpAt`: stop as soon as the makespan is known to be >= this; the returned makespan is then that
/// value and the schedule is incomplete (search only). `cancel` may be null.
Result<Schedule> simulate(std::shared_ptr<const TaskGraph> graph, const Network &network,
                          SimDetail detail = SimDetail::Full,
                          Nanoseconds giveUpAt = Nanoseconds(std::numeric_limits<std::int64_t>::max()),
                          const std::atomic<bool> *cancel = nullptr);

} // namespace polyrail
