// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/task_graph.hpp"

#include <string>
#include <vector>

namespace polyrail {

/// A transfer as the cost models describe it: what the simulator runs, not yet a task.
struct Transfer
{
    Seconds latency;   ///< before the first byte counts: steps x hop latency
    Seconds ownTime;   ///< least time of the body with the links to itself; >= bytes / capacity
    std::vector<LinkUse> uses;
    std::string algorithm; ///< "ring", "tree", "direct", "hierarchical", "p2p" ...; shown to people
    bool empty() const { return uses.empty() && latency.value == 0 && ownTime.value == 0; }
    Seconds alone() const { return latency + ownTime; }
};

} // namespace polyrail
