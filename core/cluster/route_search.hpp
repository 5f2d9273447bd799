// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/routes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace polyrail {

// The search behind core/cluster/routes.hpp. Internal to core/cluster.

/// The up links of a cluster in the form that searches need. Read only after it is made.
class RouteGraph
{
public:
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

    explicit RouteGraph(const Cluster &cluster);

    const Cluster &cluster() const { return m_cluster; }
    /// Calls `visit` for the edges of a vertex that a search between these ends may take (those that lead to
    /// `to`, to hubs that forward for everybody, and to hubs of the two hosts).
    template<class Visit>
    void forEachEdge(std::size_t vertex, std::int32_t to, HostId hostA, HostId hostB, Visit visit) const
    {
        const Edges &edges = m_edges[vertex];
        for (const Edge &edge : edges.open)
            visit(edge);
        visitKey(edges.toDevice, to, visit);
        visitKey(edges.ofHost, hostA.value, visit);
        if (hostB != hostA)
            visitKey(edges.ofHost, hostB.value, visit);
    }
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
    using Keyed = std::pair<std::int32_t, Edge>;
    struct Edges
    {
        std::vector<Edge> open; ///< to switches, and to hubs without a host
        std::vector<Keyed> toDevice; ///< by device
        std::vector<Keyed> ofHost; ///< to CPUs, PCIe switches and NICs, by host
    };

    template<class Visit>
    static void visitKey(const std::vector<Keyed> &edges, std::int32_t key, Visit &visit)
    {
        auto it = std::lower_bound(
            edges.begin(), edges.end(), key, [](const Keyed &edge, std::int32_t k) { return edge.first < k; });
        for (; it != edges.end() && it->first == key; ++it)
            visit(it->second);
    }
    void addEdge(VertexId from, const Edge &edge);

    Cluster m_cluster;
    std::vector<Edges> m_edges;
    std::vector<double> m_bandwidth;
    std::vector<std::int64_t> m_latency;
    std::vector<bool> m_network;
    std::vector<std::vector<Membership>> m_groups;
};

/// Searches between one pair of devices; links can be set aside.
class PairSearch
{
public:
    PairSearch(const RouteGraph &graph, DeviceId from, DeviceId to);

    void setAside(LinkId link) { m_aside[link.index()] = true; }
    /// The best route that is left; sets nothing aside.
    std::optional<std::vector<Hop>> best();

private:
    bool open(const RouteGraph::Edge &edge) const
    {
        return !m_aside[static_cast<std::size_t>(edge.link)] && (m_withNetwork || !m_graph.isNetwork(edge.link));
    }
    template<class Visit>
    void forEachEdge(std::size_t vertex, Visit visit) const
    {
        m_graph.forEachEdge(vertex, static_cast<std::int32_t>(m_to), m_hostA, m_hostB, visit);
    }
    /// Greatest bandwidth of any path (a maximum-capacity path search); 0 = not connected.
    double widest() const;
    /// Among paths of at least `bandwidth`: least latency, then fewest hops, then the lower link on the
    /// last hop that differs.
    std::vector<Hop> shortest(double bandwidth) const;

    const RouteGraph &m_graph;
    std::size_t m_from;
    std::size_t m_to;
    HostId m_hostA;
    HostId m_hostB;
    std::vector<bool> m_aside;
    bool m_sameHost;
    bool m_withNetwork = true;
    double m_insideBandwidth = -1;
};

} // namespace polyrail
