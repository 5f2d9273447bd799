// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/network.hpp"

#include <algorithm>

namespace polyrail {

Network::Network(const Cluster &cluster) : m_cluster(cluster)
{
    const std::span<const Link> links = cluster.links();
    m_linkRow.resize(links.size());
    m_conflictRows.resize(links.size());
    m_exclusive.resize(links.size());
    m_down.resize(links.size());
    const auto addRow = [this](BytesPerSecond capacity) {
        m_capacity.push_back(capacity.value);
        return static_cast<int>(m_capacity.size()) - 1;
    };
    for (std::size_t i = 0; i < links.size(); ++i) {
        const int forward = addRow(links[i].bandwidth);
        const int backward = links[i].duplex == Duplex::Half ? forward : addRow(links[i].bandwidth);
        m_linkRow[i] = {forward, backward};
        m_down[i] = links[i].state == LinkState::Down;
    }
    for (const ConflictGroup &group : cluster.conflicts()) {
        if (group.kind == ConflictKind::Exclusive) {
            for (LinkId l : group.links) {
                std::vector<int> &groups = m_exclusive[l.index()];
                if (groups.empty() || groups.back() != m_exclusiveGroups)
                    groups.push_back(m_exclusiveGroups);
            }
            ++m_exclusiveGroups;
            continue;
        }
        const int forward = addRow(group.capacity);
        const int backward = group.bothDirections ? forward : addRow(group.capacity);
        for (LinkId l : group.links) {
            std::vector<std::array<int, 2>> &rows = m_conflictRows[l.index()];
            if (rows.empty() || rows.back()[0] != forward) // a link listed twice counts once
                rows.push_back({forward, backward});
        }
    }
}

std::vector<Network::Term> Network::terms(std::span<const LinkUse> uses) const
{
    std::vector<Term> result;
    for (const LinkUse &use : uses) {
        if (use.bytes > 0)
            forEachRow(use.link, use.direction, [&](int row) { result.push_back({row, use.bytes}); });
    }
    // Stable: bytes of one row are summed in the order of the uses, on every machine.
    std::stable_sort(result.begin(), result.end(), [](const Term &a, const Term &b) { return a.row < b.row; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (kept > 0 && result[kept - 1].row == result[i].row)
            result[kept - 1].bytes += result[i].bytes;
        else
            result[kept++] = result[i];
    }
    result.resize(kept);
    return result;
}

std::vector<Network::Claim> Network::claims(std::span<const LinkUse> uses) const
{
    std::vector<Claim> result;
    if (m_exclusiveGroups == 0)
        return result;
    for (const LinkUse &use : uses) {
        if (use.bytes <= 0)
            continue;
        for (int group : m_exclusive[use.link.index()]) {
            if (std::none_of(result.begin(), result.end(), [&](const Claim &c) { return c.group == group; }))
                result.push_back({group, use.link});
        }
    }
    return result;
}

bool Network::possible(std::span<const LinkUse> uses) const
{
    const std::vector<Claim> claimed = claims(uses);
    for (const LinkUse &use : uses) {
        if (use.bytes <= 0)
            continue;
        if (m_down[use.link.index()])
            return false;
        for (const Claim &c : claimed) {
            const std::vector<int> &groups = m_exclusive[use.link.index()];
            if (c.link != use.link && std::find(groups.begin(), groups.end(), c.group) != groups.end())
                return false;
        }
    }
    return true;
}

Seconds Network::aloneTime(std::span<const LinkUse> uses) const
{
    for (const LinkUse &use : uses) {
        if (use.bytes > 0 && m_down[use.link.index()])
            return Seconds(std::numeric_limits<double>::infinity());
    }
    double longest = 0;
    for (const Term &term : terms(uses))
        longest = std::max(longest, term.bytes / m_capacity[static_cast<std::size_t>(term.row)]);
    return Seconds(longest);
}

} // namespace polyrail
