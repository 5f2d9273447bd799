// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"

#include <memory>
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
/// of least bandwidth are set aside and the next one is looked for, up to `limit` routes. Deterministic.
/// Empty when the devices are not connected, or are the same.
///
/// What a route may use: links that are up; hubs, never a third device; of hosts other than the two
/// ends' own only switches (a third host's CPU, PCIe switch or NIC does not forward traffic). A
/// capacity conflict that a route loads n times leaves it a n-th of the capacity; a route that would need
/// two links of one exclusive group is dropped. Between two devices of one host, routes over network
/// links are left out unless they are faster than the best route inside the host.
std::vector<Route> findRoutes(const Cluster &cluster, DeviceId from, DeviceId to, int limit = 16);

/// How a transfer of any size is spread over parallel routes that do not share a link or an
/// exclusive conflict group: the routes used together and the share of the bytes on each
/// (proportional to bandwidth; shares sum to 1). Routes are taken in the order given; a further one is
/// used only if the set, capacity conflicts included, gains at least 5 % by it.
struct Stripe
{
    Route route;
    double share = 1;
};
std::vector<Stripe> stripeOver(const Cluster &cluster, const std::vector<Route> &routes);

/// All-pairs stripes of one cluster, computed on first use and remembered. Thread-safe.
///
/// The stripes are those of stripeOver(findRoutes()), except that links of a route that has been taken
/// are set aside whole, not only its slowest: a later route may not share them anyway, so no time is
/// spent on it and a limit on the number of routes cannot hide a useful one.
class RouteTable
{
public:
    explicit RouteTable(Cluster cluster);
    ~RouteTable();
    RouteTable(RouteTable &&) noexcept;
    RouteTable &operator=(RouteTable &&) noexcept;

    const Cluster &cluster() const { return m_cluster; }
    /// Empty when the two devices are not connected, or are the same. Valid as long as the table lives.
    const std::vector<Stripe> &between(DeviceId from, DeviceId to) const;

private:
    Cluster m_cluster;
    struct Store;
    std::unique_ptr<Store> m_store;
};

} // namespace polyrail
