// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/routes.hpp"
#include "core/sim/network.hpp"

#include <span>
#include <vector>

namespace polyrail {

/// One ring over the members and the share of the bytes that runs on it.
struct RingChannel
{
    std::vector<DeviceId> order;
    double share = 1;
};

/// Rings for a group: hosts contiguous; over several hosts one channel per member that every host has (at
/// most eight), channel c entering each host at another device; inside one host the set of rings that loads
/// the busiest link least (for up to ten members; above that the given order). Shares sum to 1.
/// Deterministic and pure. All pairs must be connected.
std::vector<RingChannel> ringChannels(const RouteTable &routes, const Network &network,
                                      std::span<const DeviceId> members);

/// Members by host, hosts and members in the order of their first appearance. A device without a host is a
/// host of its own.
std::vector<std::vector<DeviceId>> byHost(const Cluster &cluster, std::span<const DeviceId> members);

} // namespace polyrail
