// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/network.hpp"
#include "core/sim/schedule.hpp"

namespace polyrail {

/// Writes down what each link direction carries while the simulation goes on. Internal to core/sim.
class LinkRecorder
{
public:
    LinkRecorder(const TaskGraph &graph, const Network &network);

    /// A transfer moved `fractionPerNanosecond` of its bytes per ns from `since` to the coming close().
    void carry(std::int32_t task, std::int64_t since, double fractionPerNanosecond);
    /// Ends the interval that the calls of carry() since the last close() described.
    void close(std::int64_t now);
    /// The directions that carried something, by link then direction.
    std::vector<LinkUsage> take();

private:
    struct Side
    {
        double rate = 0;               ///< bytes/ns, summed over the transfers of this interval
        std::int64_t since = 0;
        std::int32_t transfers = 0;
        std::int32_t lastTransfer = -1; ///< several uses of one transfer are one transfer
    };

    const TaskGraph &m_graph;
    const Network &m_network;
    std::vector<Side> m_sides;         ///< by link * 2 + direction
    std::vector<std::size_t> m_touched;
    std::vector<LinkUsage> m_usage;    ///< by link * 2 + direction
};

} // namespace polyrail
