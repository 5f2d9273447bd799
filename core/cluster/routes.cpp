// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/routes.hpp"

#include "core/cluster/route_search.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

namespace polyrail {

namespace {

constexpr double leastGain = 1.05; // a further route has to add 5 %

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
    explicit StripeSet(const RouteGraph &graph) : m_graph(graph) { }

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
                for (const RouteGraph::Membership &mine : m_graph.groupsOf(x.link)) {
                    for (const RouteGraph::Membership &theirs : m_graph.groupsOf(y.link)) {
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
        explicit Row(std::size_t n) : entries(n) { }
        ~Row()
        {
            for (Entry &entry : entries)
                delete entry.load();
        }
        Row(const Row &) = delete;
        Row &operator=(const Row &) = delete;
        std::vector<Entry> entries;
    };

    explicit Store(const Cluster &cluster) : graph(cluster), rows(cluster.devices().size()) { }
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

RouteTable::RouteTable(Cluster cluster) : m_cluster(std::move(cluster)), m_store(std::make_unique<Store>(m_cluster)) { }
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
