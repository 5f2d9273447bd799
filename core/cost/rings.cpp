// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/rings.hpp"

#include "core/cost/use_sum.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace polyrail {

namespace {

constexpr std::size_t mostSearched = 10;  ///< Held-Karp over 2^9 subsets: tens of microseconds
constexpr std::size_t mostChannels = 8;
constexpr int packingRounds = 24;

/// What one byte from i to j puts on the rows of the network, as seconds of that row.
using RowTimes = std::vector<std::pair<int, double>>;

RowTimes rowTimes(const RouteTable &routes, const Network &network, DeviceId from, DeviceId to)
{
    UseSum sum(routes.cluster().links().size());
    sum.add(routes.between(from, to), 1.0);
    RowTimes out;
    for (const Network::Term &term : network.terms(sum.uses()))
        out.emplace_back(term.row, term.bytes / network.capacities()[static_cast<std::size_t>(term.row)]);
    return out;
}

/// Least seconds per byte that any set of rings can reach: no device can send faster than the sum of the
/// links on which its routes to the others begin.
double leastTime(const RouteTable &routes, std::span<const DeviceId> members)
{
    double least = 0;
    for (const DeviceId from : members) {
        std::set<LinkId> first;
        double rate = 0;
        for (const DeviceId to : members) {
            if (from == to)
                continue;
            for (const Stripe &stripe : routes.between(from, to)) {
                const LinkId link = stripe.route.hops.front().link;
                if (first.insert(link).second)
                    rate += routes.cluster().link(link).bandwidth.value;
            }
        }
        if (rate > 0)
            least = std::max(least, 1 / rate);
    }
    return least;
}

/// Cheapest closed tour through all vertices, starting at 0 (Held and Karp, 1962). Ties: lower index.
std::vector<std::size_t> cheapestTour(const std::vector<std::vector<double>> &length)
{
    const std::size_t n = length.size();
    const std::size_t subsets = std::size_t(1) << (n - 1);
    std::vector<double> cost(subsets * n, std::numeric_limits<double>::infinity());
    std::vector<std::uint8_t> before(subsets * n, 0);
    for (std::size_t v = 1; v < n; ++v)
        cost[(std::size_t(1) << (v - 1)) * n + v] = length[0][v];
    for (std::size_t set = 1; set < subsets; ++set) {
        for (std::size_t last = 1; last < n; ++last) {
            const double here = cost[set * n + last];
            if (!(set >> (last - 1) & 1) || here == std::numeric_limits<double>::infinity())
                continue;
            for (std::size_t next = 1; next < n; ++next) {
                if (set >> (next - 1) & 1)
                    continue;
                const std::size_t at = (set | std::size_t(1) << (next - 1)) * n + next;
                if (here + length[last][next] < cost[at]) {
                    cost[at] = here + length[last][next];
                    before[at] = static_cast<std::uint8_t>(last);
                }
            }
        }
    }
    std::size_t set = subsets - 1;
    std::size_t last = 1;
    for (std::size_t v = 2; v < n; ++v)
        if (cost[set * n + v] + length[v][0] < cost[set * n + last] + length[last][0])
            last = v;
    std::vector<std::size_t> tour;
    while (set != 0) {
        tour.push_back(last);
        const std::size_t previous = before[set * n + last];
        set &= ~(std::size_t(1) << (last - 1));
        last = previous;
    }
    tour.push_back(0);
    std::reverse(tour.begin(), tour.end());
    return tour;
}

/// True when every link between the two is an NVLink.
bool overNvlink(const RouteTable &routes, DeviceId from, DeviceId to)
{
    for (const Stripe &stripe : routes.between(from, to))
        for (const Hop &hop : stripe.route.hops)
            if (routes.cluster().link(hop.link).kind != LinkKind::NvLink)
                return false;
    return !routes.between(from, to).empty();
}

/// Packs rings one after the other, each the cheapest under prices that grow with the load so far
/// (multiplicative weights would do the same with exponentials), and keeps the prefix whose equal shares load
/// the busiest row least. Libraries lay several unlike rings only over NVLink; over PCIe or a network all channels
/// follow one ring, although the opposite ring would find the other directions free (nccl-tests on four A100 with two
/// bridges: 23 GB/s), so there the first ring is the answer.
std::vector<RingChannel> localRings(const RouteTable &routes, const Network &network,
                                    std::span<const DeviceId> members)
{
    const std::size_t n = members.size();
    const std::vector<DeviceId> given(members.begin(), members.end());
    if (n <= 2)
        return {{given, 1}};
    std::vector<std::vector<RowTimes>> rows(n, std::vector<RowTimes>(n));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (i != j && (n <= mostSearched || j == (i + 1) % n))
                rows[i][j] = rowTimes(routes, network, members[i], members[j]);

    std::vector<double> load(network.capacities().size(), 0.0);
    bool closed = true;
    for (std::size_t i = 0; i < n; ++i) {
        closed = closed && !rows[i][(i + 1) % n].empty();
        for (const auto &[row, time] : rows[i][(i + 1) % n])
            load[static_cast<std::size_t>(row)] += time;
    }
    // Members that no hub joins are an infinite way apart: another order may still close the ring.
    const double infinite = std::numeric_limits<double>::infinity();
    const double natural = closed ? *std::max_element(load.begin(), load.end()) : infinite;
    const double least = leastTime(routes, members);
    if (n > mostSearched || natural <= least * (1 + 1e-9))
        return {{given, 1}};

    std::fill(load.begin(), load.end(), 0.0);
    bool nvlinkRing = true;
    std::vector<std::vector<std::size_t>> tours;
    double best = natural;
    std::size_t bestCount = 0;
    for (int round = 0; round < packingRounds; ++round) {
        const double scale = round == 0 ? 1 : 1 / *std::max_element(load.begin(), load.end());
        std::vector<std::vector<double>> length(n, std::vector<double>(n, 0.0));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                length[i][j] = rows[i][j].empty() ? infinite : 0.0;
                for (const auto &[row, time] : rows[i][j]) {
                    const double share = load[static_cast<std::size_t>(row)] * scale;
                    const double square = share * share;
                    length[i][j] += time * (0.01 + square * square);
                }
            }
        }
        tours.push_back(cheapestTour(length));
        for (std::size_t i = 0; i < n; ++i)
            if (rows[tours.back()[i]][tours.back()[(i + 1) % n]].empty())
                return {{given, 1}}; // no ring at all: routing the given one names the pair
        if (round == 0) {
            const std::vector<std::size_t> &tour = tours.front();
            for (std::size_t i = 0; i < n; ++i)
                nvlinkRing = nvlinkRing && overNvlink(routes, members[tour[i]], members[tour[(i + 1) % n]]);
            for (std::size_t i = 0; nvlinkRing && i < n; ++i)
                for (std::size_t j = 0; j < n; ++j)
                    if (i != j && !overNvlink(routes, members[i], members[j]))
                        rows[i][j].clear();
        }
        for (std::size_t i = 0; i < n; ++i)
            for (const auto &[row, time] : rows[tours.back()[i]][tours.back()[(i + 1) % n]])
                load[static_cast<std::size_t>(row)] += time;
        const double average = *std::max_element(load.begin(), load.end()) / double(tours.size());
        if (average < best * (1 - 1e-9)) {
            best = average;
            bestCount = tours.size();
        }
        if (best <= least * (1 + 1e-9) || !nvlinkRing)
            break;
    }
    if (bestCount == 0)
        return {{given, 1}};
    std::vector<RingChannel> channels;
    for (std::size_t t = 0; t < bestCount; ++t) {
        RingChannel channel;
        for (const std::size_t v : tours[t])
            channel.order.push_back(members[v]);
        const auto same = std::find_if(channels.begin(), channels.end(),
                                       [&](const RingChannel &c) { return c.order == channel.order; });
        channel.share = 1.0 / double(bestCount);
        if (same != channels.end())
            same->share += channel.share;
        else
            channels.push_back(std::move(channel));
    }
    return channels;
}

} // namespace

std::vector<std::vector<DeviceId>> byHost(const Cluster &cluster, std::span<const DeviceId> members)
{
    std::vector<std::vector<DeviceId>> groups;
    std::vector<int> groupOfHost(cluster.hosts().size(), -1);
    for (const DeviceId member : members) {
        const HostId host = cluster.device(member).host;
        if (host.valid() && groupOfHost[host.index()] >= 0) {
            groups[static_cast<std::size_t>(groupOfHost[host.index()])].push_back(member);
            continue;
        }
        if (host.valid())
            groupOfHost[host.index()] = static_cast<int>(groups.size());
        groups.push_back({member});
    }
    return groups;
}

std::vector<RingChannel> ringChannels(const RouteTable &routes, const Network &network,
                                      std::span<const DeviceId> members)
{
    std::vector<std::vector<DeviceId>> groups = byHost(routes.cluster(), members);
    if (groups.size() == 1)
        return localRings(routes, network, members);
    std::size_t channelCount = mostChannels;
    for (std::vector<DeviceId> &group : groups) {
        if (group.size() > 2)
            group = localRings(routes, network, group).front().order;
        channelCount = std::min(channelCount, group.size());
    }
    std::vector<RingChannel> channels(channelCount);
    for (std::size_t c = 0; c < channelCount; ++c) {
        channels[c].share = 1.0 / double(channelCount);
        channels[c].order.reserve(members.size());
        for (const std::vector<DeviceId> &group : groups) {
            // Spread the entry devices over the whole host when it has more members than channels.
            const std::size_t start = c * group.size() / channelCount;
            for (std::size_t i = 0; i < group.size(); ++i)
                channels[c].order.push_back(group[(start + i) % group.size()]);
        }
    }
    return channels;
}

} // namespace polyrail
