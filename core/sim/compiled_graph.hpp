// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/sim/network.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace polyrail {

/// A task graph laid out for the simulator: flat arrays, successors instead of preds, resources and
/// flows numbered densely. Internal to core/sim.
struct CompiledGraph
{
    /// Hot part of a task; one cache line holds two of them and a half.
    struct Node
    {
        std::int64_t duration = 0;       ///< compute: busy time; transfer without bytes: latency + duration
        std::int32_t pending = 0;        ///< preds that have not ended
        std::int32_t unit = noUnit;      ///< >= 0: the queue of a compute task's one resource; else see below
        std::uint32_t firstSuccessor = 0;
    };
    static constexpr std::int32_t noUnit = -1;        ///< needs nothing: starts when ready
    static constexpr std::int32_t extraBase = -2;     ///< unit <= extraBase: extras[extraBase - unit]

    /// Compute tasks on several devices, and transfers.
    struct Extra
    {
        std::int32_t task = 0;
        std::int32_t flow = -1;          ///< transfers that carry bytes
        std::int64_t latency = 0;
        std::uint32_t needBegin = 0;     ///< range of `needs`
        std::uint32_t needEnd = 0;
        bool transfer = false;
    };
    /// Compute: a resource, i.e. a device's stream (link is none). Transfer: an exclusive group and the link
    /// it needs of it.
    struct Need
    {
        std::int32_t queue = 0;          ///< an exclusive group, or groupCount + resource
        LinkId link;
    };
    struct Flow
    {
        std::int32_t task = 0;
        std::uint32_t termBegin = 0;     ///< range of `terms`
        std::uint32_t termEnd = 0;
        double reference = 0;            ///< bytes on the flow's own most loaded row
        double ceiling = 0;              ///< bytes/ns on that row with the network to itself
        std::int64_t leastBody = 1;      ///< ns: no body is shorter
    };
    struct Term
    {
        std::int32_t row = 0;
        std::int32_t flow = 0;
        double weight = 0;               ///< bytes on the row per byte on the flow's reference row
    };

    std::vector<Node> nodes;             ///< by task, plus one sentinel
    std::vector<std::int32_t> successors;
    std::vector<Extra> extras;
    std::vector<Need> needs;
    std::vector<Flow> flows;
    std::vector<Term> terms;
    std::vector<std::uint32_t> queueBegin; ///< by queue, plus one: how many tasks may ever wait there
    std::vector<std::uint32_t> rowBegin;   ///< by row, plus one: how many terms the row has
    std::int32_t groupCount = 0;
    bool topological = true;             ///< every pred comes before its task in the vector

    std::size_t taskCount() const { return nodes.size() - 1; }
    std::span<const std::int32_t> successorsOf(std::size_t task) const
    {
        return {successors.data() + nodes[task].firstSuccessor, successors.data() + nodes[task + 1].firstSuccessor};
    }
    const Extra *extraOf(std::size_t task) const
    {
        const std::int32_t unit = nodes[task].unit;
        return unit <= extraBase ? &extras[static_cast<std::size_t>(extraBase - unit)] : nullptr;
    }
    /// Shortest time from start to end, with everything to itself.
    std::int64_t aloneTime(std::size_t task) const;

    /// Errors: ids out of range, negative or non-finite figures, times that overflow (kind Input); down
    /// links and impossible exclusive claims (kind Infeasible).
    static Result<CompiledGraph> make(const TaskGraph &graph, const Network &network);
};

/// Longest path from the start of each task to the end of the graph over alone times, the task itself
/// included. Error (kind Input) when the preds have a cycle.
Result<std::vector<std::int64_t>> longestTails(const CompiledGraph &compiled, const TaskGraph &graph);

/// The error for a graph with a cycle; `unfinished` says which tasks never became ready.
tl::unexpected<Error> cycleError(const TaskGraph &graph, const std::vector<bool> &unfinished);

} // namespace polyrail
