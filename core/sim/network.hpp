// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/task_graph.hpp"

#include <array>
#include <limits>
#include <span>
#include <vector>

namespace polyrail {

/// What the links of a cluster allow, as capacity rows: every full-duplex link has one row per
/// direction, a half-duplex link one row for both, every capacity conflict one row per direction (or one
/// for both). Exclusive groups are kept apart: one link of a group carries traffic at a time.
/// Uses of zero bytes load nothing and claim nothing. Immutable, thread-safe.
class Network
{
public:
    explicit Network(const Cluster &cluster);

    struct Term
    {
        int row = 0;
        double bytes = 0;
    };
    /// Rows that a transfer loads, with the bytes it puts on each (several uses of one row summed).
    std::vector<Term> terms(std::span<const LinkUse> uses) const;
    /// Exclusive groups that a transfer occupies, each once, with the link it needs of that group.
    struct Claim
    {
        int group = 0;
        LinkId link;
    };
    std::vector<Claim> claims(std::span<const LinkUse> uses) const;
    /// True when no exclusive group is needed with two different links at once and no link is down.
    bool possible(std::span<const LinkUse> uses) const;
    /// Time of the body (without latency) with the network to itself: max over rows of bytes / capacity.
    /// A transfer in any schedule takes at least this. Infinite when a link is down.
    Seconds aloneTime(std::span<const LinkUse> uses) const;

    std::span<const double> capacities() const { return m_capacity; } ///< bytes/s by row
    int exclusiveGroupCount() const { return m_exclusiveGroups; }
    /// What the network was made from: names for messages, memory of devices.
    const Cluster &cluster() const { return m_cluster; }

    /// Calls visit(row) for every capacity row that traffic on one direction of a link loads.
    template<class Visit>
    void forEachRow(LinkId link, Direction direction, Visit &&visit) const
    {
        const auto side = static_cast<std::size_t>(direction);
        visit(m_linkRow[link.index()][side]);
        for (const std::array<int, 2> &rows : m_conflictRows[link.index()])
            visit(rows[side]);
    }
    std::span<const int> exclusiveGroups(LinkId link) const { return m_exclusive[link.index()]; }
    bool isDown(LinkId link) const { return m_down[link.index()]; }
    std::size_t linkCount() const { return m_linkRow.size(); }

private:
    Cluster m_cluster;
    std::vector<double> m_capacity;
    std::vector<std::array<int, 2>> m_linkRow;            ///< by link: row of each direction
    std::vector<std::vector<std::array<int, 2>>> m_conflictRows; ///< by link: rows of its capacity groups
    std::vector<std::vector<int>> m_exclusive;            ///< by link: its exclusive groups
    std::vector<bool> m_down;
    int m_exclusiveGroups = 0;
};

} // namespace polyrail
