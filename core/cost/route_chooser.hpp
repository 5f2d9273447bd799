// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/cluster/routes.hpp"

#include <functional>
#include <map>
#include <utility>

namespace polyrail {

/// Picks routes that may run together: of every exclusive conflict group at most one link. Clusters without
/// such groups get the stripes of the route table unchanged. One per transfer; not thread-safe.
class RouteChooser
{
public:
    explicit RouteChooser(const RouteTable &table);

    /// Calls `build` with a chooser until a whole set of flows has been routed: first with each group's link
    /// decided by the flow that meets it first, then, if that strands a later flow, with the links of the
    /// groups fixed beforehand, one combination after the other (at most 256). `build` returns false when one
    /// of its calls of between() returned null. False: no combination works.
    static bool routeAll(const RouteTable &table, const std::function<bool(RouteChooser &)> &build);

    /// Stripes from one device to another that agree with all that was chosen before; null when none do.
    const std::vector<Stripe> *between(DeviceId from, DeviceId to);

private:
    bool agrees(const Route &route) const;
    void claim(const Route &route);

    const RouteTable *m_table;
    std::vector<std::vector<int>> m_groupsOf;    ///< by link; empty vector of vectors: no exclusive groups
    std::vector<LinkId> m_claimed;               ///< by exclusive group
    std::map<std::pair<int, int>, std::vector<Stripe>> m_chosen;
};

/// Infeasible: says which two devices are not connected.
Error notConnected(const Cluster &cluster, DeviceId from, DeviceId to);
/// Infeasible: names the exclusive groups between the members that cannot all be honoured.
Error exclusiveClash(const Cluster &cluster);

} // namespace polyrail
