// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/patterns.hpp"
#include "core/plan/training_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyrail {

CaseTraffic::CaseTraffic(std::shared_ptr<const CaseMachine> machine, std::vector<DeviceId> deviceOfRank, int ranks)
    : m_machine(std::move(machine)), m_deviceOfRank(std::move(deviceOfRank)), m_ranks(ranks)
{
}

double CaseTraffic::collective(Collective kind, const std::vector<std::vector<int>> &groups, double bytes) const
{
    const Cluster &cluster = m_machine->cluster();
    double slowest = 0;
    std::vector<LinkUse> all;
    double most = 0;       // what the most loaded group needs with the links to itself
    for (const std::vector<int> &group : groups) {
        if (group.size() < 2 || bytes <= 0)
            continue;
        std::vector<DeviceId> members;
        for (const int rank : group)
            if (rank < knownRanks())
                members.push_back(m_deviceOfRank[static_cast<std::size_t>(rank)]);
        if (members.size() < 2)
            continue;
        const auto patterns = m_machine->patterns(kind, members);
        if (!patterns->has_value())
            return -1;
        // A group that was cut short: the same share of the bytes on every link, more steps.
        const double known = double(members.size());
        const double full = double(group.size());
        const double bytesScale = kind == Collective::Broadcast ? 1 : (full - 1) / full / ((known - 1) / known);
        const Pattern *best = nullptr;
        double bestSeconds = std::numeric_limits<double>::infinity();
        for (const Pattern &pattern : **patterns) {
            const bool deepens = pattern.algorithm.starts_with("tree") || pattern.algorithm == "hierarchical";
            const double steps = deepens ? std::log2(full) / std::log2(known) : (full - 1) / (known - 1);
            const double x = bytes * pattern.perByte * bytesScale;
            const double seconds = pattern.latency * steps + x + 2 * std::sqrt(pattern.fill * steps * x);
            if (seconds < bestSeconds) {
                bestSeconds = seconds;
                best = &pattern;
            }
        }
        slowest = std::max(slowest, bestSeconds);
        most = std::max(most, bytes * best->perByte);
        for (LinkUse use : best->uses) {
            use.bytes *= bytes;
            all.push_back(use);
        }
    }
    if (groups.size() < 2 || all.empty())
        return slowest;
    std::sort(all.begin(), all.end(), [](const LinkUse &a, const LinkUse &b) {
        return a.link != b.link ? a.link < b.link : a.direction < b.direction;
    });
    std::vector<LinkUse> merged;
    for (const LinkUse &use : all) {
        if (!merged.empty() && merged.back().link == use.link && merged.back().direction == use.direction)
            merged.back().bytes += use.bytes;
        else
            merged.push_back(use);
    }
    return slowest + std::max(0.0, reachableSeconds(cluster, m_machine->network, merged) - most);
}

double CaseTraffic::sends(const std::vector<std::pair<int, int>> &pairs, double bytes) const
{
    std::vector<CollectiveModel::Flow> flows;
    for (const auto &[from, to] : pairs)
        if (from < knownRanks() && to < knownRanks())
            flows.push_back({m_deviceOfRank[static_cast<std::size_t>(from)],
                             m_deviceOfRank[static_cast<std::size_t>(to)], bytes});
    const auto transfer = m_machine->collectives.sendAll(flows);
    return transfer ? transfer->alone().value : -1;
}

} // namespace polyrail
