// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"

#include <vector>

namespace polyrail {

struct Hop
{
    LinkId link;
    Direction direction = Direction::Forward;
    bool operator==(const Hop &) const = default;
};

/// A path over up links between two devices, through hubs only (never through a third device).
struct Route
{
    std::vector<Hop> hops;
    BytesPerSecond bandwidth; ///< the least of its links (conflict capacities included)
    Seconds latency;          ///< the sum of its links
    bool operator==(const Route &) const = default;
};

/// The routes between two devices, best first: highest bandwidth, then lowest latency, then fewest
/// hops, then link order. Parallel links give parallel routes: after each route is found, its links
/// of least bandwidth are set aside and the next one is looked for, up to `limit` routes. A route
/// that goes through the hosts' network is only taken where no route inside one host exists, unless
/// the network route is the faster one. Deterministic. Empty when the devices are not connected.
std::vector<Route> findRoutes(const Cluster &cluster, DeviceId from, DeviceId to, int limit = 16);

/// How a transfer of any size is spread over parallel routes that do not share a link or an
/// exclusive conflict group: the routes used together and the share of the bytes on each
/// (proportional to bandwidth; shares sum to 1). A second route is used only if it adds at least 5 %.
struct Stripe
{
    Route route;
    double share = 1;
};
std::vector<Stripe> stripeOver(const Cluster &cluster, const std::vector<Route> &routes);

/// All-pairs stripes of one cluster, computed on first use and remembered. Thread-safe.
class RouteTable
{
public:
    explicit RouteTable(Cluster cluster);
    ~RouteTable();
    RouteTable(RouteTable &&) noexcept;

    const Cluster &cluster() const { return m_cluster; }
    /// Empty when the two devices are not connected. Valid as long as the table lives.
    const std::vector<Stripe> &between(DeviceId from, DeviceId to) const;

private:
    Cluster m_cluster;
    struct Store;
    std::unique_ptr<Store> m_store;
};

} // namespace polyrail
