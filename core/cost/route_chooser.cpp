// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/route_chooser.hpp"

#include "core/cost/use_sum.hpp"

#include <algorithm>

namespace polyrail {

std::vector<LinkUse> UseSum::uses() const
{
    std::vector<std::size_t> order = m_touched;
    std::sort(order.begin(), order.end());
    std::vector<LinkUse> out;
    out.reserve(order.size());
    for (const std::size_t at : order)
        out.push_back({LinkId(at / 2), at % 2 == 0 ? Direction::Forward : Direction::Backward, m_bytes[at]});
    return out;
}

namespace {

std::vector<const ConflictGroup *> exclusiveGroups(const Cluster &cluster)
{
    std::vector<const ConflictGroup *> groups;
    for (const ConflictGroup &group : cluster.conflicts())
        if (group.kind == ConflictKind::Exclusive)
            groups.push_back(&group);
    return groups;
}

constexpr std::size_t mostCombinations = 256;
/// A parallel route this much slower than the best one is left alone: libraries do not open a second kind of
/// channel for so little (NVLink beside PCIe).
constexpr double leastStripe = 0.25;

bool worthStriping(const std::vector<Stripe> &stripes)
{
    for (const Stripe &stripe : stripes)
        if (stripe.route.bandwidth.value < leastStripe * stripes.front().route.bandwidth.value)
            return false;
    return true;
}

std::vector<Stripe> widest(std::vector<Stripe> stripes)
{
    const double least = stripes.empty() ? 0 : leastStripe * stripes.front().route.bandwidth.value;
    std::erase_if(stripes, [&](const Stripe &s) { return s.route.bandwidth.value < least; });
    double sum = 0;
    for (const Stripe &stripe : stripes)
        sum += stripe.share;
    for (Stripe &stripe : stripes)
        stripe.share /= sum;
    return stripes;
}

} // namespace

RouteChooser::RouteChooser(const RouteTable &table) : m_table(&table)
{
    const std::vector<const ConflictGroup *> groups = exclusiveGroups(table.cluster());
    if (groups.empty())
        return;
    m_groupsOf.resize(table.cluster().links().size());
    m_claimed.resize(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const LinkId link : groups[g]->links)
            m_groupsOf[link.index()].push_back(static_cast<int>(g));
}

bool RouteChooser::agrees(const Route &route) const
{
    if (m_groupsOf.empty())
        return true;
    for (std::size_t i = 0; i < route.hops.size(); ++i) {
        for (const int group : m_groupsOf[route.hops[i].link.index()]) {
            const LinkId held = m_claimed[static_cast<std::size_t>(group)];
            if (held.valid() && held != route.hops[i].link)
                return false;
            for (std::size_t j = 0; j < i; ++j) {
                const std::vector<int> &other = m_groupsOf[route.hops[j].link.index()];
                if (route.hops[j].link != route.hops[i].link
                    && std::find(other.begin(), other.end(), group) != other.end())
                    return false;
            }
        }
    }
    return true;
}

void RouteChooser::claim(const Route &route)
{
    if (m_groupsOf.empty())
        return;
    for (const Hop &hop : route.hops)
        for (const int group : m_groupsOf[hop.link.index()])
            m_claimed[static_cast<std::size_t>(group)] = hop.link;
}

const std::vector<Stripe> *RouteChooser::between(DeviceId from, DeviceId to)
{
    const std::vector<Stripe> &usual = m_table->between(from, to);
    if (m_groupsOf.empty() && (usual.empty() || worthStriping(usual)))
        return usual.empty() ? nullptr : &usual;

    const auto key = std::make_pair(from.value, to.value);
    const auto known = m_chosen.find(key);
    if (known != m_chosen.end())
        return &known->second;

    std::vector<Stripe> chosen = widest(usual);
    bool allAgree = !chosen.empty();
    for (const Stripe &stripe : chosen)
        allAgree = allAgree && agrees(stripe.route);
    if (!allAgree) {
        std::vector<Route> fitting;
        for (Route &route : findRoutes(m_table->cluster(), from, to))
            if (agrees(route))
                fitting.push_back(std::move(route));
        chosen = widest(stripeOver(m_table->cluster(), fitting));
    }
    if (chosen.empty())
        return nullptr;
    for (const Stripe &stripe : chosen)
        claim(stripe.route);
    return &m_chosen.emplace(key, std::move(chosen)).first->second;
}

bool RouteChooser::routeAll(const RouteTable &table, const std::function<bool(RouteChooser &)> &build)
{
    RouteChooser first(table);
    if (build(first))
        return true;
    const std::vector<const ConflictGroup *> groups = exclusiveGroups(table.cluster());
    std::size_t combinations = 1;
    for (const ConflictGroup *group : groups) {
        if (combinations * group->links.size() > mostCombinations)
            break;
        combinations *= group->links.size();
    }
    if (groups.empty())
        return false;
    for (std::size_t c = 0; c < combinations; ++c) {
        RouteChooser chooser(table);
        std::size_t rest = c;
        std::size_t covered = 1;
        for (std::size_t g = 0; g < groups.size() && covered * groups[g]->links.size() <= mostCombinations; ++g) {
            covered *= groups[g]->links.size();
            chooser.m_claimed[g] = groups[g]->links[rest % groups[g]->links.size()];
            rest /= groups[g]->links.size();
        }
        if (build(chooser))
            return true;
    }
    return false;
}

Error notConnected(const Cluster &cluster, DeviceId from, DeviceId to)
{
    return {ErrorKind::Infeasible, "devices " + cluster.device(from).id + " and " + cluster.device(to).id,
            "no path of links that are up", "a path over hubs between the two",
            "Connect them, bring a link up, or keep them out of one group."};
}

Error exclusiveClash(const Cluster &cluster)
{
    std::string names;
    for (const ConflictGroup *group : exclusiveGroups(cluster))
        names += (names.empty() ? "" : ", ") + group->id;
    return {ErrorKind::Infeasible, "exclusive conflict group " + names,
            "a transfer that needs two links of one group at once", "routes that use one link of each group",
            "Split the transfer, add a link outside the group, or make the group a shared capacity."};
}

} // namespace polyrail
