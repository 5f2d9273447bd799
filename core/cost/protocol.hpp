// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"

namespace polyrail {

// What communication libraries reach of the wire, and what a step costs them. Fitted on public nccl-tests figures;
// docs/cost-model.md has the table, the data and the residuals.

/// Share of a link's bandwidth that a long transfer reaches.
double linkEfficiency(const Cluster &cluster, LinkId link);
/// The same for reductions inside an NVSwitch (NVLS); 0 when the members' generation has none.
double switchReductionEfficiency(const GpuType &gpu, std::size_t members);
/// 2 to 9: the number after "NVLink" in the type's scale-up text; 0 without.
int nvlinkGeneration(const GpuType &gpu);

struct Protocol
{
    double launch;          ///< s: enqueue, kernel start, first handshake
    double stepInside;      ///< s per step between devices of one host
    double stepAcross;      ///< s per step over the network
    double fillInside;      ///< s per step: see Pattern::fill
    double fillAcross;
    double rate;            ///< share of linkEfficiency
};
/// Flag-per-word protocol of short messages: half of the bandwidth, little latency. Steps inside a host are quicker from
/// NVLink4 on (and with the NCCL of its time).
Protocol lowLatencyProtocol(int nvlinkGeneration);
/// Protocol of long messages.
Protocol bulkProtocol(int nvlinkGeneration);

} // namespace polyrail
