// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/routes.hpp"
#include "core/sim/task_graph.hpp"

#include <vector>

namespace polyrail {

/// Adds up what many flows put on each direction of each link. Not thread-safe; one per call.
class UseSum
{
public:
    explicit UseSum(std::size_t links) : m_bytes(2 * links, 0.0) {}

    void add(const Hop &hop, double bytes)
    {
        const std::size_t at = 2 * hop.link.index() + (hop.direction == Direction::Forward ? 0 : 1);
        if (m_bytes[at] == 0)
            m_touched.push_back(at);
        m_bytes[at] += bytes;
    }
    void add(const Route &route, double bytes)
    {
        for (const Hop &hop : route.hops)
            add(hop, bytes);
    }
    void add(const std::vector<Stripe> &stripes, double bytes)
    {
        for (const Stripe &stripe : stripes)
            add(stripe.route, bytes * stripe.share);
    }
    /// By link, then forward before backward.
    std::vector<LinkUse> uses() const;

private:
    std::vector<double> m_bytes;
    std::vector<std::size_t> m_touched;
};

} // namespace polyrail
