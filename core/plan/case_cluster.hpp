// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/cluster/cluster.hpp"
#include "core/cost/collective_model.hpp"
#include "core/cost/patterns.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace polyrail {

/// A host as measured cases describe it: GPUs of one type, the short name of what joins them, and its network.
struct CaseHost
{
    std::string gpu;            ///< catalogue name
    int gpus = 1;
    std::string intraFabric;    ///< "NVLink3-NVSwitch", "NVLink2-mesh", "PCIe4", "PCIe4-noP2P", "NVLink5-NVL72", ...
    double networkRate = 0;     ///< bytes/s of the whole host, one direction; 0: no network
    int nics = 0;               ///< 0: one per GPU when the rate is that of such hosts, else one

    bool operator==(const CaseHost &) const = default;
};

/// Builds hosts with that wiring, joined by one switch. Device ids are "h<host>g<index>", in order. Fabrics:
/// - NVSwitch and NVL72: every GPU to one NVSwitch at its scale-up rate;
/// - NVLink2 and NVLink2-mesh: the hybrid cube mesh of DGX-1V, or the four GPUs of half of it;
/// - other meshes: every pair directly, the scale-up rate divided by the number of peers (xGMI: per link);
/// - NVLink pairs and bridges: GPUs 2i and 2i+1 directly, the others over PCIe;
/// - PCIe: over the CPU; more than four GPUs sit on two CPUs; without peer-to-peer (named, or GeForce and
///   T4 unless "P2P" is named) every copy crosses host memory.
/// A fabric name that is not known counts as PCIe of the GPU's generation. Errors: unknown GPU type.
Result<Cluster> clusterOfHosts(const std::vector<CaseHost> &hosts, const Catalogue &catalogue);

/// A cluster with the models of its traffic. Not copyable: they refer to each other.
struct CaseMachine
{
    explicit CaseMachine(const Cluster &cluster)
        : network(cluster), routes(cluster), collectives(routes, network),
          ringCollectives(routes, network, CollectiveModel::InSwitch::No)
    {
    }
    CaseMachine(const CaseMachine &) = delete;
    CaseMachine &operator=(const CaseMachine &) = delete;

    const Cluster &cluster() const { return routes.cluster(); }
    /// collectivePatterns() of these members, remembered. Thread-safe.
    std::shared_ptr<const Result<std::vector<Pattern>>> patterns(Collective kind,
                                                                 const std::vector<DeviceId> &members) const;

    Network network;
    RouteTable routes;
    CollectiveModel collectives;
    CollectiveModel ringCollectives; ///< without in-switch reductions

private:
    mutable std::mutex m_mutex;
    mutable std::map<std::pair<Collective, std::vector<DeviceId>>, std::shared_ptr<const Result<std::vector<Pattern>>>>
        m_patterns;
};
/// The machine of these hosts; the last ones made are remembered (thread-safe), for cases come in runs on one machine.
Result<std::shared_ptr<const CaseMachine>> machineOfHosts(const std::vector<CaseHost> &hosts,
                                                          const Catalogue &catalogue);

/// "8x200G HDR IB" -> 8; 0 when the text has no such count.
int nicCount(const std::string &text);

} // namespace polyrail
