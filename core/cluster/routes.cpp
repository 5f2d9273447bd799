// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/routes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace polyrail {

namespace {

constexpr double leastGain = 1.05; // a further route has to add 5 %

struct Edge
{
    std::int32_t link = -1;
    std::int32_t to = -1;
    Direction direction = Direction::Forward;
};

struct Membership
{
    std::int32_t group = -1;
    bool exclusive = false;
};

/// The up links of a cluster in the form that searches need. Read only after it is made.
class RouteGraph
{
public:
    explicit RouteGraph(const Cluster &cluster);

    const Cluster &cluster() const { return m_cluster; }
    const std::vector<Edge> &edgesAt(std::size_t vertex) const { return m_edges[vertex]; }
    /// Of one link for one transfer: its bandwidth, or less if a capacity group allows less.
    double bandwidth(std::int32_t link) const { return m_bandwidth[static_cast<std::size_t>(link)]; }
    /// Picoseconds: sums of integers do not depend on their order, so ties are true ties.
    std::int64_t latency(std::int32_t link) const { return m_latency[static_cast<std::size_t>(link)]; }
    bool isNetwork(std::int32_t link) const { return m_network[static_cast<std::size_t>(link)]; }
    const std::vector<Membership> &groupsOf(LinkId link) const { return m_groups[link.index()]; }
    const ConflictGroup &group(std::int32_t g) const { return m_cluster.conflicts()[static_cast<std::size_t>(g)]; }

    /// The route over these hops with its figures; nothing when it would need two links of one
    /// exclusive group.
    std::optional<Route> finish(std::vector<Hop> hops) const;
    /// Bandwidth of routes used together with shares proportional to theirs.
    double together(const std::vector<const Route *> &routes) const;

private:
    Cluster m_cluster;
    std::vector<std::vector<Edge>> m_edges;
    std::vector<double> m_bandwidth;
    std::vector<std::int64_t> m_latency;
    std::vector<bool> m_network;
    std::vector<std::vector<Membership>> m_groups;
};

RouteGraph::RouteGraph(const Cluster &cluster)
    : m_cluster(cluster), m_edges(cluster.vertexCount()), m_bandwidth(cluster.links().size()),
      m_latency(cluster.links().size()), m_network(cluster.links().size()), m_groups(cluster.links().size())
{
    for (std::size_t i = 0; i < cluster.links().size(); ++i) {
        const Link &link = cluster.links()[i];
        m_bandwidth[i] = link.bandwidth.value;
        m_latency[i] = std::llround(link.latency.value * 1e12);
        m_network[i] = link.kind == LinkKind::Network;
        if (link.state == LinkState::Down)
            continue;
        const auto id = static_cast<std::int32_t>(i);
        m_edges[link.ends[0].index()].push_back({id, link.ends[1].value, Direction::Forward});
        m_edges[link.ends[1].index()].push_back({id, link.ends[0].value, Direction::Backward});
    }
    for (std::size_t g = 0; g < cluster.conflicts().size(); ++g) {
        const ConflictGroup &group = cluster.conflicts()[g];
        for (LinkId link : group.links) {
            const bool exclusive = group.kind == ConflictKind::Exclusive;
            m_groups[link.index()].push_back({static_cast<std::int32_t>(g), exclusive});
            if (!exclusive)
                m_bandwidth[link.index()] = std::min(m_bandwidth[link.index()], group.capacity.value);
        }
    }
}

/// How often routes load a row of a capacity group, weighted.
struct RowLoads
{
    struct Row
    {
        std::int32_t group;
        Direction direction; ///< Forward for groups that count both directions together
        double load;
    };
    std::vector<Row> rows;

    void add(const RouteGraph &graph, const Hop &hop, double weight)
    {
        for (const Membership &member : graph.groupsOf(hop.link)) {
            if (member.exclusive)
                continue;
            const Direction row = graph.group(member.group).bothDirections ? Direction::Forward : hop.direction;
            auto it = std::find_if(rows.begin(), rows.end(),
                                   [&](const Row &r) { return r.group == member.group && r.direction == row; });
            if (it == rows.end())
                rows.push_back({member.group, row, weight});
            else
                it->load += weight;
        }
    }
};

std::optional<Route> RouteGraph::finish(std::vector<Hop> hops) const
{
    Route route;
    double bandwidth = std::numeric_limits<double>::infinity();
    std::vector<std::int32_t> occupied;
    RowLoads loads;
    for (const Hop &hop : hops) {
        bandwidth = std::min(bandwidth, m_bandwidth[hop.link.index()]);
        route.latency += m_cluster.link(hop.link).latency;
        loads.add(*this, hop, 1);
        for (const Membership &member : m_groups[hop.link.index()]) {
            if (!member.exclusive)
                continue;
            if (std::find(occupied.begin(), occupied.end(), member.group) != occupied.end())
                return std::nullopt;
            occupied.push_back(member.group);
        }
    }
    for (const RowLoads::Row &row : loads.rows)
        bandwidth = std::min(bandwidth, group(row.group).capacity.value / row.load);
    route.hops = std::move(hops);
    route.bandwidth = BytesPerSecond(bandwidth);
    return route;
}

double RouteGraph::together(const std::vector<const Route *> &routes) const
{
    double total = 0;
    RowLoads loads;
    for (const Route *route : routes) {
        total += route->bandwidth.value;
        for (const Hop &hop : route->hops)
            loads.add(*this, hop, route->bandwidth.value);
    }
    double part = 1;
    for (const RowLoads::Row &row : loads.rows)
        part = std::min(part, group(row.group).capacity.value / row.load);
    return total * part;
}

/// Searches between one pair of devices; links can be set aside.
class PairSearch
{
public:
    PairSearch(const RouteGraph &graph, DeviceId from, DeviceId to)
        : m_graph(graph), m_from(from.index()), m_to(to.index()), m_aside(graph.cluster().links().size()),
          m_usable(graph.cluster().vertexCount())
    {
        const Cluster &cluster = graph.cluster();
        const HostId a = cluster.device(from).host;
        const HostId b = cluster.device(to).host;
        m_sameHost = a.valid() && a == b;
        m_usable[m_from] = m_usable[m_to] = true;
        const std::size_t devices = cluster.devices().size();
        for (std::size_t h = 0; h < cluster.hubs().size(); ++h) {
            const Hub &hub = cluster.hubs()[h];
            const bool ofHostOnly =
                hub.kind == HubKind::Cpu || hub.kind == HubKind::PcieSwitch || hub.kind == HubKind::Nic;
            m_usable[devices + h] = !ofHostOnly || !hub.host.valid() || hub.host == a || hub.host == b;
        }
    }

    void setAside(LinkId link) { m_aside[link.index()] = true; }

    /// The best route that is left; sets nothing aside.
    std::optional<std::vector<Hop>> best()
    {
        if (m_sameHost && m_insideBandwidth < 0) {
            m_withNetwork = false;
            m_insideBandwidth = widest();
            m_withNetwork = true;
        }
        double bandwidth = widest();
        if (!(bandwidth > 0))
            return std::nullopt;
        if (m_withNetwork && m_sameHost && m_insideBandwidth > 0 && bandwidth <= m_insideBandwidth) {
            m_withNetwork = false;
            bandwidth = widest();
            if (!(bandwidth > 0))
                return std::nullopt;
        }
        return shortest(bandwidth);
    }

private:
    bool open(const Edge &edge) const
    {
        return m_usable[static_cast<std::size_t>(edge.to)] && !m_aside[static_cast<std::size_t>(edge.link)]
            && (m_withNetwork || !m_graph.isNetwork(edge.link));
    }

    /// Greatest bandwidth of any path (a maximum-capacity path search); 0 = not connected.
    double widest() const
    {
        std::vector<double> width(m_usable.size(), 0);
        std::priority_queue<std::pair<double, std::int32_t>> queue;
        queue.emplace(std::numeric_limits<double>::infinity(), static_cast<std::int32_t>(m_from));
        width[m_from] = std::numeric_limits<double>::infinity();
        while (!queue.empty()) {
            const auto [reached, at] = queue.top();
            queue.pop();
            const auto v = static_cast<std::size_t>(at);
            if (v == m_to)
                return reached;
            if (reached < width[v])
                continue;
            for (const Edge &edge : m_graph.edgesAt(v)) {
                if (!open(edge))
                    continue;
                const double through = std::min(reached, m_graph.bandwidth(edge.link));
                double &known = width[static_cast<std::size_t>(edge.to)];
                if (through > known) {
                    known = through;
                    queue.emplace(through, edge.to);
                }
            }
        }
        return 0;
    }

    /// Among paths of at least `bandwidth`: least latency, then fewest hops, then the lower link on the
    /// last hop that differs.
    std::vector<Hop> shortest(double bandwidth) const
    {
        struct Label
        {
            std::int64_t latency = std::numeric_limits<std::int64_t>::max();
            std::int32_t hops = std::numeric_limits<std::int32_t>::max();
            std::int32_t link = -1;
            std::int32_t before = -1;
            Direction direction = Direction::Forward;
        };
        std::vector<Label> labels(m_usable.size());
        using Entry = std::tuple<std::int64_t, std::int32_t, std::int32_t>; // latency, hops, vertex
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
        labels[m_from] = {0, 0, -1, -1, Direction::Forward};
        queue.emplace(0, 0, static_cast<std::int32_t>(m_from));
        while (!queue.empty()) {
            const auto [latency, hops, at] = queue.top();
            queue.pop();
            const auto v = static_cast<std::size_t>(at);
            if (v == m_to)
                break;
            if (latency > labels[v].latency || hops > labels[v].hops)
                continue;
            for (const Edge &edge : m_graph.edgesAt(v)) {
                if (!open(edge) || m_graph.bandwidth(edge.link) < bandwidth)
                    continue;
                const std::int64_t arrived = latency + m_graph.latency(edge.link);
                Label &known = labels[static_cast<std::size_t>(edge.to)];
                const auto key = std::make_tuple(arrived, hops + 1, edge.link);
                if (key >= std::make_tuple(known.latency, known.hops, known.link))
                    continue;
                const bool shorter = std::make_pair(arrived, hops + 1) < std::make_pair(known.latency, known.hops);
                known = {arrived, hops + 1, edge.link, at, edge.direction};
                if (shorter)
                    queue.emplace(arrived, hops + 1, edge.to);
            }
        }
        std::vector<Hop> hops;
        for (std::size_t v = m_to; v != m_from; v = static_cast<std::size_t>(labels[v].before))
            hops.push_back({LinkId(labels[v].link), labels[v].direction});
        std::reverse(hops.begin(), hops.end());
        return hops;
    }

    const RouteGraph &m_graph;
    std::size_t m_from;
    std::size_t m_to;
    std::vector<bool> m_aside;
    std::vector<bool> m_usable;
    bool m_sameHost = false;
    bool m_withNetwork = true;
    double m_insideBandwidth = -1;
};

/// The links that hold a route back; at least one.
std::vector<LinkId> slowestLinks(const RouteGraph &graph, const std::vector<Hop> &hops)
{
    double least = std::numeric_limits<double>::infinity();
    for (const Hop &hop : hops)
        least = std::min(least, graph.bandwidth(hop.link.value));
    std::vector<LinkId> links;
    for (const Hop &hop : hops) {
        if (graph.bandwidth(hop.link.value) <= least)
            links.push_back(hop.link);
    }
    return links;
}

bool better(const Route &a, const Route &b)
{
    if (a.bandwidth != b.bandwidth)
        return a.bandwidth > b.bandwidth;
    if (a.latency != b.latency)
        return a.latency < b.latency;
    if (a.hops.size() != b.hops.size())
        return a.hops.size() < b.hops.size();
    return std::lexicographical_compare(a.hops.begin(), a.hops.end(), b.hops.begin(), b.hops.end(),
                                        [](const Hop &x, const Hop &y) { return x.link < y.link; });
}

std::vector<Route> findRoutes(const RouteGraph &graph, DeviceId from, DeviceId to, int limit)
{
    std::vector<Route> routes;
    if (from == to)
        return routes;
    PairSearch search(graph, from, to);
    while (static_cast<int>(routes.size()) < limit) {
        const auto hops = search.best();
        if (!hops)
            break;
        for (LinkId link : slowestLinks(graph, *hops))
            search.setAside(link);
        if (auto route = graph.finish(*hops))
            routes.push_back(std::move(*route));
    }
    std::stable_sort(routes.begin(), routes.end(), better);
    return routes;
}

/// Routes that are used together so far.
class StripeSet
{
public:
    explicit StripeSet(const RouteGraph &graph) : m_graph(graph) {}

    /// Takes the route if it keeps clear of the others and pays.
    bool add(const Route &route)
    {
        for (const Route &taken : m_routes) {
            if (touch(taken, route))
                return false;
        }
        std::vector<const Route *> all;
        for (const Route &taken : m_routes)
            all.push_back(&taken);
        all.push_back(&route);
        const double total = m_graph.together(all);
        if (!m_routes.empty() && total < leastGain * m_total)
            return false;
        m_routes.push_back(route);
        m_total = total;
        return true;
    }

    bool empty() const { return m_routes.empty(); }
    double total() const { return m_total; }

    std::vector<Stripe> stripes() const
    {
        double sum = 0;
        for (const Route &route : m_routes)
            sum += route.bandwidth.value;
        std::vector<Stripe> out;
        for (const Route &route : m_routes)
            out.push_back({route, route.bandwidth.value / sum});
        return out;
    }

private:
    bool touch(const Route &a, const Route &b) const
    {
        for (const Hop &x : a.hops) {
            for (const Hop &y : b.hops) {
                if (x.link == y.link)
                    return true;
                for (const Membership &mine : m_graph.groupsOf(x.link)) {
                    for (const Membership &theirs : m_graph.groupsOf(y.link)) {
                        if (mine.exclusive && theirs.exclusive && mine.group == theirs.group)
                            return true;
                    }
                }
            }
        }
        return false;
    }

    const RouteGraph &m_graph;
    std::vector<Route> m_routes;
    double m_total = 0;
};

std::vector<Stripe> stripeOver(const RouteGraph &graph, const std::vector<Route> &routes)
{
    StripeSet set(graph);
    for (const Route &route : routes)
        set.add(route);
    return set.stripes();
}

std::vector<Stripe> stripesBetween(const RouteGraph &graph, DeviceId from, DeviceId to)
{
    if (from == to)
        return {};
    PairSearch search(graph, from, to);
    StripeSet set(graph);
    while (const auto hops = search.best()) {
        const auto route = graph.finish(*hops);
        double widest = std::numeric_limits<double>::infinity();
        for (const Hop &hop : *hops)
            widest = std::min(widest, graph.bandwidth(hop.link.value));
        // A group that the route loads twice, or excludes: the order in which routes are found is no longer
        // the order of their bandwidths, so look at all of them.
        if (!route || route->bandwidth.value < widest)
            return stripeOver(graph, findRoutes(graph, from, to, 16));
        if (!set.empty() && route->bandwidth.value < (leastGain - 1) * set.total())
            break; // no later route is wider
        if (set.add(*route)) {
            for (const Hop &hop : *hops)
                search.setAside(hop.link);
        } else {
            for (LinkId link : slowestLinks(graph, *hops))
                search.setAside(link);
            for (const Hop &hop : *hops) {
                if (!graph.groupsOf(hop.link).empty())
                    search.setAside(hop.link); // what it shares with the routes that are taken
            }
        }
    }
    return set.stripes();
}

} // namespace

std::vector<Route> findRoutes(const Cluster &cluster, DeviceId from, DeviceId to, int limit)
{
    return findRoutes(RouteGraph(cluster), from, to, limit);
}

std::vector<Stripe> stripeOver(const Cluster &cluster, const std::vector<Route> &routes)
{
    return stripeOver(RouteGraph(cluster), routes);
}

/// One row of pointers per source, made when the source is first asked for. Readers never lock; two
/// threads that compute the same entry agree on the value, and the one that comes second drops its copy.
struct RouteTable::Store
{
    using Entry = std::atomic<const std::vector<Stripe> *>;
    struct Row
    {
        explicit Row(std::size_t n) : entries(n) {}
        ~Row()
        {
            for (Entry &entry : entries)
                delete entry.load();
        }
        Row(const Row &) = delete;
        Row &operator=(const Row &) = delete;
        std::vector<Entry> entries;
    };

    explicit Store(const Cluster &cluster) : graph(cluster), rows(cluster.devices().size()) {}
    ~Store()
    {
        for (std::atomic<Row *> &row : rows)
            delete row.load();
    }
    Store(const Store &) = delete;
    Store &operator=(const Store &) = delete;

    Row &row(std::size_t source)
    {
        Row *known = rows[source].load(std::memory_order_acquire);
        if (known)
            return *known;
        auto fresh = std::make_unique<Row>(rows.size());
        if (rows[source].compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel))
            return *fresh.release();
        return *known;
    }

    RouteGraph graph;
    std::vector<std::atomic<Row *>> rows;
};

RouteTable::RouteTable(Cluster cluster) : m_cluster(std::move(cluster)), m_store(std::make_unique<Store>(m_cluster)) {}
RouteTable::~RouteTable() = default;
RouteTable::RouteTable(RouteTable &&) noexcept = default;
RouteTable &RouteTable::operator=(RouteTable &&) noexcept = default;

const std::vector<Stripe> &RouteTable::between(DeviceId from, DeviceId to) const
{
    Store::Entry &entry = m_store->row(from.index()).entries[to.index()];
    const std::vector<Stripe> *known = entry.load(std::memory_order_acquire);
    if (known)
        return *known;
    auto fresh = std::make_unique<const std::vector<Stripe>>(stripesBetween(m_store->graph, from, to));
    if (entry.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel))
        return *fresh.release();
    return *known;
}

} // namespace polyrail
