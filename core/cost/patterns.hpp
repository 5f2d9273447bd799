// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/collective_model.hpp"

#include <string>
#include <vector>

namespace polyrail {

/// A collective algorithm on given members, per byte of the call: everything that does not depend on the size.
/// Seconds of a call: latency + x + 2 sqrt(fill x) with x = bytes * perByte. The root is what the best chunk size
/// leaves of filling and draining a pipeline of steps.
struct Pattern
{
    std::string algorithm;
    std::vector<LinkUse> uses;   ///< bytes per byte of the call
    double perByte = 0;          ///< seconds per byte at the rate the protocol reaches; >= alone with the links
    double fill = 0;             ///< seconds
    double latency = 0;          ///< seconds, whatever the size

    double body(double bytes) const;
    double seconds(double bytes) const { return latency + body(bytes); }
};

/// All algorithms that apply to a collective on these members, in a fixed order. Error (Infeasible): two
/// members are not connected, or no set of routes keeps the exclusive groups. At least two members.
Result<std::vector<Pattern>> collectivePatterns(const RouteTable &routes, const Network &network, Collective kind,
                                                std::span<const DeviceId> members, bool inSwitch = true);

/// Seconds before the first byte of a point-to-point transfer counts, beyond the latency of its links.
double sendOverhead(bool insideHost);
/// Seconds that a set of flows takes per unit of its bytes at the rate that protocols reach: each link at its
/// kind's share of its bandwidth, and no capacity row above its capacity.
double reachableSeconds(const Cluster &cluster, const Network &network, std::span<const LinkUse> uses);

} // namespace polyrail
