// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/patterns.hpp"

#include "core/cost/route_chooser.hpp"
#include "core/cost/use_sum.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

// Software latencies: what a collective costs beyond the latency of the links it crosses. The order of
// magnitude is that of NCCL's own tuning tables (src/graph/tuning.cc); docs/cost-model.md has the fit.
constexpr double launchSeconds = 8e-6;       ///< enqueue, kernel start, first handshake
constexpr double stepInsideHost = 1.0e-6;    ///< per step between devices of one host
constexpr double stepBetweenHosts = 5.0e-6;  ///< per step over the network
constexpr std::size_t mostDirectMembers = 32; ///< direct exchanges beyond this are never the fastest reduction

/// Ring hops that one call makes per byte of the call.
double ringFactor(Collective kind, double n)
{
    switch (kind) {
    case Collective::AllReduce: return 2 * (n - 1) / n;
    case Collective::ReduceScatter:
    case Collective::AllGather:
    case Collective::AllToAll: return (n - 1) / n;
    case Collective::Broadcast: return 1;
    }
    return 1;
}

struct Builder
{
    const RouteTable &routes;
    const Network &network;
    Collective kind;
    std::span<const DeviceId> members;
    std::vector<std::vector<DeviceId>> groups;
    std::vector<Pattern> patterns;
    Error error;

    double step(DeviceId from, DeviceId to, const std::vector<Stripe> &stripes) const
    {
        double wire = 0;
        for (const Stripe &stripe : stripes)
            wire = std::max(wire, stripe.route.latency.value);
        const HostId a = routes.cluster().device(from).host;
        const HostId b = routes.cluster().device(to).host;
        return wire + (a == b && a.valid() ? stepInsideHost : stepBetweenHosts);
    }

    void finish(std::string algorithm, const UseSum &sum, double latency)
    {
        Pattern pattern;
        pattern.algorithm = std::move(algorithm);
        pattern.uses = sum.uses();
        if (!network.possible(pattern.uses))
            return;
        pattern.aloneSeconds = network.aloneTime(pattern.uses).value;
        pattern.efficiency = protocolEfficiency(routes.cluster(), pattern.uses);
        pattern.latency = launchSeconds + latency;
        patterns.push_back(std::move(pattern));
    }

    /// Runs `build` on route choosers until all its flows are routed; null pair in `error` otherwise.
    bool routed(const std::function<bool(RouteChooser &, UseSum &, double &)> &build, const std::string &name)
    {
        return RouteChooser::routeAll(routes, [&](RouteChooser &chooser) {
            UseSum sum(routes.cluster().links().size());
            double latency = 0;
            if (!build(chooser, sum, latency))
                return false;
            finish(name, sum, latency);
            return true;
        });
    }

    const std::vector<Stripe> *hop(RouteChooser &chooser, DeviceId from, DeviceId to)
    {
        const std::vector<Stripe> *stripes = chooser.between(from, to);
        if (stripes == nullptr)
            error = routes.between(from, to).empty() ? notConnected(routes.cluster(), from, to)
                                                     : exclusiveClash(routes.cluster());
        return stripes;
    }

    bool ring()
    {
        std::vector<RingChannel> channels = ringChannels(routes, network, members);
        const double n = double(members.size());
        const double factor = ringFactor(kind, n);
        return routed([&](RouteChooser &chooser, UseSum &sum, double &latency) {
            for (RingChannel &channel : channels) {
                std::vector<DeviceId> &order = channel.order;
                std::size_t hops = order.size();
                if (kind == Collective::Broadcast) { // a chain that starts at the root
                    std::rotate(order.begin(), std::find(order.begin(), order.end(), members.front()), order.end());
                    --hops;
                }
                double round = 0;
                for (std::size_t i = 0; i < hops; ++i) {
                    const DeviceId to = order[(i + 1) % order.size()];
                    const std::vector<Stripe> *stripes = hop(chooser, order[i], to);
                    if (stripes == nullptr)
                        return false;
                    sum.add(*stripes, factor * channel.share);
                    round += step(order[i], to, *stripes);
                }
                // A chunk passes every hop `factor` times.
                latency = std::max(latency, round * factor);
            }
            return true;
        }, "ring");
    }

    /// Every member exchanges with every other one: one step (two for a reduction that is gathered again).
    bool direct()
    {
        const double n = double(members.size());
        const double times = kind == Collective::AllReduce ? 2 : 1;
        return routed([&](RouteChooser &chooser, UseSum &sum, double &latency) {
            double slowest = 0;
            for (const DeviceId from : members) {
                if (kind == Collective::Broadcast && from != members.front())
                    continue;
                for (const DeviceId to : members) {
                    if (from == to)
                        continue;
                    const std::vector<Stripe> *stripes = hop(chooser, from, to);
                    if (stripes == nullptr)
                        return false;
                    sum.add(*stripes, kind == Collective::Broadcast ? 1.0 : times / n);
                    slowest = std::max(slowest, step(from, to, *stripes));
                }
            }
            latency = times * slowest;
            return true;
        }, "direct");
    }

    /// Chains inside the hosts, a binary tree between their first members; the second of NCCL's double tree
    /// is the mirror image, so each carries half. Reduce up, broadcast down.
    bool tree()
    {
        const double up = kind == Collective::AllReduce ? 1 : 0;
        return routed([&](RouteChooser &chooser, UseSum &sum, double &latency) {
            double deepest = 0;
            auto edge = [&](DeviceId parent, DeviceId child, double share, double &cost) {
                const std::vector<Stripe> *down = hop(chooser, parent, child);
                const std::vector<Stripe> *back = up > 0 ? hop(chooser, child, parent) : down;
                if (down == nullptr || back == nullptr)
                    return false;
                sum.add(*down, share);
                cost = step(parent, child, *down);
                if (up > 0) {
                    sum.add(*back, share);
                    cost += step(child, parent, *back);
                }
                return true;
            };
            for (const bool mirrored : {false, true}) {
                const std::size_t hosts = groups.size();
                std::vector<double> depth(hosts, 0.0);
                for (std::size_t h = 0; h < hosts; ++h) {
                    auto hostAt = [&](std::size_t i) { return mirrored && i > 0 ? hosts - i : i; };
                    const std::vector<DeviceId> &group = groups[hostAt(h)];
                    const std::size_t entry = mirrored ? group.size() / 2 : 0;
                    double cost = 0;
                    if (h > 0) {
                        const std::size_t parent = (h - 1) / 2;
                        const std::vector<DeviceId> &above = groups[hostAt(parent)];
                        const std::size_t aboveEntry = mirrored ? above.size() / 2 : 0;
                        if (!edge(above[aboveEntry], group[entry], 0.5, cost))
                            return false;
                        depth[h] = depth[parent] + cost;
                    }
                    double inside = depth[h];
                    for (std::size_t i = 0; i + 1 < group.size(); ++i) {
                        if (!edge(group[(entry + i) % group.size()], group[(entry + i + 1) % group.size()], 0.5, cost))
                            return false;
                        inside += cost;
                    }
                    deepest = std::max(deepest, inside);
                }
            }
            latency = deepest;
            return true;
        }, "tree");
    }

    /// Reduce-scatter inside the hosts, a ring per member index between them, all-gather inside.
    bool hierarchical()
    {
        const std::size_t width = groups.front().size();
        const double hosts = double(groups.size());
        const double inside = ringFactor(kind, double(width));
        const double across = ringFactor(kind, hosts) / double(width);
        return routed([&](RouteChooser &chooser, UseSum &sum, double &latency) {
            double local = 0;
            for (const std::vector<DeviceId> &group : groups) {
                double round = 0;
                for (const RingChannel &channel : ringChannels(routes, network, group)) {
                    double once = 0;
                    for (std::size_t i = 0; i < width; ++i) {
                        const DeviceId to = channel.order[(i + 1) % width];
                        const std::vector<Stripe> *stripes = hop(chooser, channel.order[i], to);
                        if (stripes == nullptr)
                            return false;
                        sum.add(*stripes, inside * channel.share);
                        once += step(channel.order[i], to, *stripes);
                    }
                    round = std::max(round, once);
                }
                local = std::max(local, round * inside);
            }
            double rail = 0;
            for (std::size_t r = 0; r < width; ++r) {
                double round = 0;
                for (std::size_t h = 0; h < groups.size(); ++h) {
                    const DeviceId from = groups[h][r];
                    const DeviceId to = groups[(h + 1) % groups.size()][r];
                    const std::vector<Stripe> *stripes = hop(chooser, from, to);
                    if (stripes == nullptr)
                        return false;
                    sum.add(*stripes, across);
                    round += step(from, to, *stripes);
                }
                rail = std::max(rail, round * ringFactor(kind, hosts));
            }
            latency = local + rail;
            return true;
        }, "hierarchical");
    }
};

} // namespace

double sendOverhead() { return launchSeconds; }

double protocolEfficiency(const Cluster &cluster, std::span<const LinkUse> uses)
{
    double least = 1;
    for (const LinkUse &use : uses) {
        switch (cluster.link(use.link).kind) {
        case LinkKind::NvLink: least = std::min(least, 0.82); break;
        case LinkKind::Pcie: least = std::min(least, 0.80); break;
        case LinkKind::Network: least = std::min(least, 0.90); break;
        case LinkKind::HostBus:
        case LinkKind::Other: least = std::min(least, 0.90); break;
        }
    }
    return least;
}

Result<std::vector<Pattern>> collectivePatterns(const RouteTable &routes, const Network &network, Collective kind,
                                                std::span<const DeviceId> members)
{
    Builder builder{routes, network, kind, members, byHost(routes.cluster(), members), {}, {}};
    const bool oneHost = builder.groups.size() == 1;
    bool even = true;
    for (const std::vector<DeviceId> &group : builder.groups)
        even = even && group.size() == builder.groups.front().size();

    if (kind == Collective::AllToAll) {
        builder.direct();
    } else {
        builder.ring();
        if (oneHost && members.size() > 2 && members.size() <= mostDirectMembers)
            builder.direct();
        if (kind == Collective::AllReduce || kind == Collective::Broadcast) {
            if (members.size() > 2)
                builder.tree();
        }
        if (!oneHost && even && builder.groups.front().size() > 1 && kind != Collective::Broadcast)
            builder.hierarchical();
    }
    if (builder.patterns.empty()) {
        if (builder.error.found.empty())
            return fail(exclusiveClash(routes.cluster()));
        return fail(builder.error);
    }
    return std::move(builder.patterns);
}

} // namespace polyrail
