// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/route_search.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

namespace polyrail {

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
        addEdge(link.ends[0], {id, link.ends[1].value, Direction::Forward});
        addEdge(link.ends[1], {id, link.ends[0].value, Direction::Backward});
    }
    const auto byKey = [](const Keyed &a, const Keyed &b) { return a.first < b.first; };
    for (Edges &edges : m_edges) {
        std::stable_sort(edges.toDevice.begin(), edges.toDevice.end(), byKey);
        std::stable_sort(edges.ofHost.begin(), edges.ofHost.end(), byKey);
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

void RouteGraph::addEdge(VertexId from, const Edge &edge)
{
    Edges &edges = m_edges[from.index()];
    const VertexId to(edge.to);
    if (m_cluster.isDevice(to)) {
        edges.toDevice.push_back({edge.to, edge});
        return;
    }
    const Hub &hub = m_cluster.hubs()[to.index() - m_cluster.devices().size()];
    const bool ofHost = hub.kind == HubKind::Cpu || hub.kind == HubKind::PcieSwitch || hub.kind == HubKind::Nic;
    if (ofHost && hub.host.valid())
        edges.ofHost.push_back({hub.host.value, edge});
    else
        edges.open.push_back(edge);
}

namespace {

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
        for (const RouteGraph::Membership &member : graph.groupsOf(hop.link)) {
            if (member.exclusive)
                continue;
            const Direction row = graph.group(member.group).bothDirections ? Direction::Forward : hop.direction;
            auto it = std::find_if(
                rows.begin(), rows.end(), [&](const Row &r) { return r.group == member.group && r.direction == row; });
            if (it == rows.end())
                rows.push_back({member.group, row, weight});
            else
                it->load += weight;
        }
    }
};

} // namespace

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
        for (const RouteGraph::Membership &member : m_groups[hop.link.index()]) {
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

PairSearch::PairSearch(const RouteGraph &graph, DeviceId from, DeviceId to)
    : m_graph(graph), m_from(from.index()), m_to(to.index()), m_hostA(graph.cluster().device(from).host),
      m_hostB(graph.cluster().device(to).host), m_aside(graph.cluster().links().size()),
      m_sameHost(m_hostA.valid() && m_hostA == m_hostB)
{
}

std::optional<std::vector<Hop>> PairSearch::best()
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

double PairSearch::widest() const
{
    std::vector<double> width(m_graph.cluster().vertexCount(), 0);
    std::priority_queue<std::pair<double, std::int32_t>> queue;
    queue.emplace(std::numeric_limits<double>::infinity(), static_cast<std::int32_t>(m_from));
    width[m_from] = std::numeric_limits<double>::infinity();
    while (!queue.empty()) {
        const double reached = queue.top().first;
        const auto v = static_cast<std::size_t>(queue.top().second);
        queue.pop();
        if (v == m_to)
            return reached;
        if (reached < width[v])
            continue;
        forEachEdge(v, [&](const RouteGraph::Edge &edge) {
            if (!open(edge))
                return;
            const double through = std::min(reached, m_graph.bandwidth(edge.link));
            double &known = width[static_cast<std::size_t>(edge.to)];
            if (through > known) {
                known = through;
                queue.emplace(through, edge.to);
            }
        });
    }
    return 0;
}

std::vector<Hop> PairSearch::shortest(double bandwidth) const
{
    struct Label
    {
        std::int64_t latency = std::numeric_limits<std::int64_t>::max();
        std::int32_t hops = std::numeric_limits<std::int32_t>::max();
        std::int32_t link = -1;
        std::int32_t before = -1;
        Direction direction = Direction::Forward;
    };
    std::vector<Label> labels(m_graph.cluster().vertexCount());
    using Entry = std::tuple<std::int64_t, std::int32_t, std::int32_t>; // latency, hops, vertex
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    labels[m_from] = {0, 0, -1, -1, Direction::Forward};
    queue.emplace(0, 0, static_cast<std::int32_t>(m_from));
    while (!queue.empty()) {
        const std::int64_t latency = std::get<0>(queue.top());
        const std::int32_t hops = std::get<1>(queue.top());
        const std::int32_t at = std::get<2>(queue.top());
        const auto v = static_cast<std::size_t>(at);
        queue.pop();
        if (v == m_to)
            break;
        if (latency > labels[v].latency || hops > labels[v].hops)
            continue;
        forEachEdge(v, [&](const RouteGraph::Edge &edge) {
            if (!open(edge) || m_graph.bandwidth(edge.link) < bandwidth)
                return;
            const std::int64_t arrived = latency + m_graph.latency(edge.link);
            Label &known = labels[static_cast<std::size_t>(edge.to)];
            const auto key = std::make_tuple(arrived, hops + 1, edge.link);
            if (key >= std::make_tuple(known.latency, known.hops, known.link))
                return;
            const bool shorter = std::make_pair(arrived, hops + 1) < std::make_pair(known.latency, known.hops);
            known = {arrived, hops + 1, edge.link, at, edge.direction};
            if (shorter)
                queue.emplace(arrived, hops + 1, edge.to);
        });
    }
    std::vector<Hop> hops;
    for (std::size_t v = m_to; v != m_from; v = static_cast<std::size_t>(labels[v].before))
        hops.push_back({LinkId(labels[v].link), labels[v].direction});
    std::reverse(hops.begin(), hops.end());
    return hops;
}

} // namespace polyrail
