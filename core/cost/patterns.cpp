// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/patterns.hpp"

#include "core/cost/protocol.hpp"
#include "core/cost/rings.hpp"
#include "core/cost/route_chooser.hpp"
#include "core/cost/use_sum.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

// Two members that exchange over one pair of links reach less than a larger ring: the loss falls with the
// members. Reductions that keep both directions busy twice lose less.
constexpr double smallGroupLoss = 0.32;
constexpr double smallGroupLossReduce = 0.18;
constexpr double smallGroupExponent = 1.2;
constexpr double treeShare = 0.75;         ///< of the ring's rate: two children share a parent's links
constexpr double switchLaunch = 50e-6;     ///< in-switch reductions: set-up and barrier over all members
constexpr double switchFill = 3e-6;
constexpr std::size_t leastSwitchMembers = 3;
constexpr std::size_t mostRails = 8;
constexpr double peerSeconds = 0.4e-6;     ///< direct exchanges: work per peer

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

/// What a chain of steps costs, gathered while its flows are routed.
struct Steps
{
    double wire = 0;   ///< latency of the links
    double inside = 0; ///< steps inside a host
    double across = 0; ///< steps over the network

    Steps &operator+=(const Steps &o)
    {
        wire += o.wire;
        inside += o.inside;
        across += o.across;
        return *this;
    }
    Steps operator*(double k) const { return {wire * k, inside * k, across * k}; }
    double latency(const Protocol &p) const { return wire + inside * p.stepInside + across * p.stepAcross; }
    double fill(const Protocol &p) const { return inside * p.fillInside + across * p.fillAcross; }
};
const Steps &slower(const Steps &a, const Steps &b)
{
    return a.latency(bulkProtocol(0)) < b.latency(bulkProtocol(0)) ? b : a;
}

struct Builder
{
    const RouteTable &routes;
    const Network &network;
    Collective kind;
    std::span<const DeviceId> members;
    std::vector<std::vector<DeviceId>> groups; ///< by host
    std::vector<Pattern> patterns;
    Error error;
    Protocol bulk;
    Protocol brief;

    using Route = std::function<bool(RouteChooser &, UseSum &, Steps &)>;

    Steps step(DeviceId from, DeviceId to, const std::vector<Stripe> &stripes) const
    {
        Steps one;
        for (const Stripe &stripe : stripes)
            one.wire = std::max(one.wire, stripe.route.latency.value);
        const HostId a = routes.cluster().device(from).host;
        const bool inside = a.valid() && a == routes.cluster().device(to).host;
        (inside ? one.inside : one.across) = 1;
        return one;
    }

    /// Routes all flows of an algorithm; false leaves the reason in `error`.
    bool routed(const Route &build, UseSum &sum, Steps &steps)
    {
        return RouteChooser::routeAll(routes, [&](RouteChooser &chooser) {
            sum = UseSum(routes.cluster().links().size());
            steps = {};
            return build(chooser, sum, steps);
        });
    }

    void add(std::string algorithm, const UseSum &sum, const Steps &steps, const Protocol &protocol, double share)
    {
        Pattern pattern;
        pattern.algorithm = std::move(algorithm);
        pattern.uses = sum.uses();
        if (!network.possible(pattern.uses))
            return;
        pattern.perByte = reachableSeconds(routes.cluster(), network, pattern.uses) / (protocol.rate * share);
        pattern.latency = protocol.launch + steps.latency(protocol);
        pattern.fill = steps.fill(protocol);
        patterns.push_back(std::move(pattern));
    }

    const std::vector<Stripe> *hop(RouteChooser &chooser, DeviceId from, DeviceId to)
    {
        const std::vector<Stripe> *stripes = chooser.between(from, to);
        if (stripes == nullptr)
            error = routes.between(from, to).empty() ? notConnected(routes.cluster(), from, to)
                                                     : exclusiveClash(routes.cluster());
        return stripes;
    }

    double groupShare(const UseSum &sum) const
    {
        for (const LinkUse &use : sum.uses())
            if (routes.cluster().link(use.link).kind != LinkKind::NvLink)
                return 1;
        const double loss = kind == Collective::AllReduce ? smallGroupLossReduce : smallGroupLoss;
        return 1 - loss * std::pow(2.0 / double(members.size()), smallGroupExponent);
    }

    void ring()
    {
        std::vector<RingChannel> channels = ringChannels(routes, network, members);
        const double factor = ringFactor(kind, double(members.size()));
        UseSum sum(0);
        Steps steps;
        const bool ok = routed([&](RouteChooser &chooser, UseSum &uses, Steps &longest) {
            for (RingChannel &channel : channels) {
                std::vector<DeviceId> &order = channel.order;
                std::size_t hops = order.size();
                if (kind == Collective::Broadcast) { // a chain that starts at the root
                    std::rotate(order.begin(), std::find(order.begin(), order.end(), members.front()), order.end());
                    --hops;
                }
                Steps round;
                for (std::size_t i = 0; i < hops; ++i) {
                    const DeviceId to = order[(i + 1) % order.size()];
                    const std::vector<Stripe> *stripes = hop(chooser, order[i], to);
                    if (stripes == nullptr)
                        return false;
                    uses.add(*stripes, factor * channel.share);
                    round += step(order[i], to, *stripes);
                }
                longest = slower(longest, round * factor); // a chunk passes every hop `factor` times
            }
            return true;
        }, sum, steps);
        if (!ok)
            return;
        add("ring", sum, steps, bulk, groupShare(sum));
        add("ring, low latency", sum, steps, brief, 1);
    }

    /// Every member exchanges with every other one at once.
    void direct()
    {
        const double n = double(members.size());
        UseSum sum(0);
        Steps steps;
        const bool ok = routed([&](RouteChooser &chooser, UseSum &uses, Steps &longest) {
            for (const DeviceId from : members) {
                for (const DeviceId to : members) {
                    if (from == to)
                        continue;
                    const std::vector<Stripe> *stripes = hop(chooser, from, to);
                    if (stripes == nullptr)
                        return false;
                    uses.add(*stripes, 1 / n);
                    longest = slower(longest, step(from, to, *stripes));
                }
            }
            return true;
        }, sum, steps);
        if (!ok)
            return;
        add("direct", sum, steps, bulk, groupShare(sum));
        add("direct, low latency", sum, steps, brief, 1);
        for (Pattern &pattern : patterns)
            pattern.latency += peerSeconds * (n - 1);
    }

    /// Chains inside the hosts, a binary tree between them, one pair of trees per rail; the second of NCCL's double
    /// tree is the mirror image, so each carries half. Reduce up, broadcast down.
    void tree()
    {
        std::size_t rails = mostRails;
        for (const std::vector<DeviceId> &group : groups)
            rails = std::min(rails, group.size());
        UseSum sum(0);
        Steps steps;
        const bool ok = routed([&](RouteChooser &chooser, UseSum &uses, Steps &longest) {
            for (std::size_t rail = 0; rail < rails; ++rail)
                for (const bool mirrored : {false, true})
                    if (!oneTree(chooser, uses, longest, rail, rails, mirrored))
                        return false;
            return true;
        }, sum, steps);
        if (!ok)
            return;
        add("tree", sum, steps, bulk, treeShare);
        add("tree, low latency", sum, steps, brief, treeShare);
    }

    bool oneTree(RouteChooser &chooser, UseSum &uses, Steps &longest, std::size_t rail, std::size_t rails,
                 bool mirrored)
    {
        const bool up = kind == Collective::AllReduce;
        const double share = 0.5 / double(rails);
        auto edge = [&](DeviceId parent, DeviceId child, Steps &cost) {
            const std::vector<Stripe> *down = hop(chooser, parent, child);
            const std::vector<Stripe> *back = up ? hop(chooser, child, parent) : down;
            if (down == nullptr || back == nullptr)
                return false;
            uses.add(*down, share);
            cost = step(parent, child, *down);
            if (up) {
                uses.add(*back, share);
                cost += step(child, parent, *back);
            }
            return true;
        };
        const std::size_t hosts = groups.size();
        auto groupAt = [&](std::size_t i) -> const std::vector<DeviceId> & {
            return groups[mirrored && i > 0 ? hosts - i : i];
        };
        auto entryOf = [&](const std::vector<DeviceId> &group) { return rail * group.size() / rails; };
        std::vector<Steps> depth(hosts);
        for (std::size_t h = 0; h < hosts; ++h) {
            const std::vector<DeviceId> &group = groupAt(h);
            const std::size_t entry = entryOf(group);
            Steps cost;
            if (h > 0) {
                const std::vector<DeviceId> &above = groupAt((h - 1) / 2);
                if (!edge(above[entryOf(above)], group[entry], cost))
                    return false;
                depth[h] = depth[(h - 1) / 2];
                depth[h] += cost;
            }
            Steps inside = depth[h];
            for (std::size_t i = 0; i + 1 < group.size(); ++i) {
                if (!edge(group[(entry + i) % group.size()], group[(entry + i + 1) % group.size()], cost))
                    return false;
                inside += cost;
            }
            longest = slower(longest, inside);
        }
        return true;
    }

    /// Links of a device to NVSwitches, with the direction that leaves the device.
    std::vector<Hop> switchLinks(DeviceId device) const
    {
        const Cluster &cluster = routes.cluster();
        std::vector<Hop> found;
        for (const LinkId id : cluster.linksAt(Cluster::vertexOf(device))) {
            const Link &link = cluster.link(id);
            const bool first = link.ends[0] == Cluster::vertexOf(device);
            const VertexId other = first ? link.ends[1] : link.ends[0];
            if (link.state != LinkState::Up || cluster.isDevice(other))
                continue;
            const Hub &hub = cluster.hubs()[other.index() - cluster.devices().size()];
            if (hub.kind == HubKind::NvSwitch && hub.host == cluster.device(device).host)
                found.push_back({id, first ? Direction::Forward : Direction::Backward});
        }
        return found;
    }

    /// In-switch reduction (NVLS): every member reads its reduced share (the others send theirs up) and multicasts
    /// it, so its links carry 1 + 1/n of the bytes each way instead of 2 (n-1)/n. Over several hosts each rail
    /// runs a ring of what its members hold.
    void switchReduction()
    {
        const std::size_t width = groups.front().size();
        const GpuType &type = routes.cluster().device(members.front()).type;
        const double efficiency = switchReductionEfficiency(type, width);
        if (width < leastSwitchMembers || efficiency <= 0)
            return;
        UseSum inside(routes.cluster().links().size());
        for (const std::vector<DeviceId> &group : groups) {
            if (group.size() != width)
                return;
            for (const DeviceId member : group) {
                const std::vector<Hop> links = switchLinks(member);
                if (links.empty() || nvlinkGeneration(routes.cluster().device(member).type) != nvlinkGeneration(type))
                    return;
                double rate = 0;
                for (const Hop &link : links)
                    rate += routes.cluster().link(link.link).bandwidth.value;
                for (const Hop &link : links) {
                    const double bytes = (1 + 1.0 / double(width))
                        * routes.cluster().link(link.link).bandwidth.value / rate;
                    inside.add({link.link, Direction::Forward}, bytes);
                    inside.add({link.link, Direction::Backward}, bytes);
                }
            }
        }
        const std::vector<LinkUse> local = inside.uses();
        const double localSeconds = network.aloneTime(local).value / efficiency;
        if (groups.size() == 1) {
            if (!network.possible(local))
                return;
            Pattern pattern;
            pattern.algorithm = "in-switch reduction";
            pattern.uses = local;
            pattern.perByte = localSeconds;
            pattern.latency = switchLaunch;
            pattern.fill = switchFill;
            patterns.push_back(std::move(pattern));
            return;
        }
        const double hosts = double(groups.size());
        const double factor = ringFactor(Collective::AllReduce, hosts);
        UseSum sum(0);
        Steps steps;
        const bool ok = routed([&](RouteChooser &chooser, UseSum &uses, Steps &longest) {
            for (std::size_t r = 0; r < width; ++r) {
                Steps round;
                for (std::size_t h = 0; h < groups.size(); ++h) {
                    const DeviceId from = groups[h][r];
                    const DeviceId to = groups[(h + 1) % groups.size()][r];
                    const std::vector<Stripe> *stripes = hop(chooser, from, to);
                    if (stripes == nullptr)
                        return false;
                    uses.add(*stripes, factor / double(width));
                    round += step(from, to, *stripes);
                }
                // Trees between the hosts: as deep as the logarithm, not as long as the ring.
                longest = slower(longest, round * (2 * std::log2(hosts) / hosts));
            }
            return true;
        }, sum, steps);
        if (!ok)
            return;
        for (const LinkUse &use : local)
            sum.add({use.link, use.direction}, use.bytes);
        add("hierarchical", sum, steps, bulk, 1);
        if (!patterns.empty() && patterns.back().algorithm == "hierarchical") {
            Pattern &pattern = patterns.back();
            pattern.perByte = std::max(pattern.perByte, localSeconds);
            pattern.latency += switchLaunch;
            pattern.fill += switchFill;
        }
    }
};

} // namespace

double Pattern::body(double bytes) const
{
    const double x = bytes * perByte;
    return x + 2 * std::sqrt(fill * x);
}

double sendOverhead(bool insideHost)
{
    const Protocol protocol = bulkProtocol(0);
    return 0.5 * protocol.launch + (insideHost ? protocol.stepInside : protocol.stepAcross);
}

double reachableSeconds(const Cluster &cluster, const Network &network, std::span<const LinkUse> uses)
{
    double seconds = network.aloneTime(uses).value;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const Link &link = cluster.link(uses[i].link);
        double bytes = uses[i].bytes;
        // Uses are sorted by link: the other direction of a half-duplex link is the neighbour.
        if (link.duplex == Duplex::Half && i > 0 && uses[i - 1].link == uses[i].link)
            bytes += uses[i - 1].bytes;
        seconds = std::max(seconds, bytes / (link.bandwidth.value * linkEfficiency(cluster, uses[i].link)));
    }
    return seconds;
}

Result<std::vector<Pattern>> collectivePatterns(const RouteTable &routes, const Network &network, Collective kind,
                                                std::span<const DeviceId> members, bool inSwitch)
{
    const int generation = nvlinkGeneration(routes.cluster().device(members.front()).type);
    Builder builder{routes, network, kind, members, byHost(routes.cluster(), members), {}, {},
                    bulkProtocol(generation), lowLatencyProtocol(generation)};
    if (kind == Collective::AllToAll) {
        builder.direct();
    } else {
        builder.ring();
        if ((kind == Collective::AllReduce || kind == Collective::Broadcast) && builder.groups.size() > 1)
            builder.tree();
        if (kind == Collective::AllReduce && inSwitch)
            builder.switchReduction();
    }
    if (builder.patterns.empty())
        return fail(builder.error.found.empty() ? exclusiveClash(routes.cluster()) : builder.error);
    return std::move(builder.patterns);
}

} // namespace polyrail
