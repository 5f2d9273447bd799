// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/collective_model.hpp"
#include "core/cost/rings.hpp"

#include <string>
#include <vector>

namespace polyrail {

/// A collective algorithm on given members, per byte of the call: everything that does not depend on the size.
struct Pattern
{
    std::string algorithm;
    std::vector<LinkUse> uses;   ///< bytes per byte of the call
    double aloneSeconds = 0;     ///< per byte, with the links to itself
    double efficiency = 1;       ///< share of that rate which the protocol reaches
    double latency = 0;          ///< seconds, whatever the size
};

/// All algorithms that apply to a collective on these members, in a fixed order. Error (Infeasible): two
/// members are not connected, or no set of routes keeps the exclusive groups. At least two members.
Result<std::vector<Pattern>> collectivePatterns(const RouteTable &routes, const Network &network, Collective kind,
                                                std::span<const DeviceId> members);

/// Seconds before the first byte of a point-to-point transfer counts, beyond the latency of its links.
double sendOverhead();
/// Share of the links' rate that a protocol reaches, by the kind of the links (the least of them counts).
double protocolEfficiency(const Cluster &cluster, std::span<const LinkUse> uses);

} // namespace polyrail
