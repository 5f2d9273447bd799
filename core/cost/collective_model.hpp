// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/cluster/routes.hpp"
#include "core/cost/transfer.hpp"
#include "core/sim/network.hpp"

#include <memory>
#include <span>

namespace polyrail {

enum class Collective { AllReduce, ReduceScatter, AllGather, AllToAll, Broadcast };
const char *toString(Collective c);

/// Collectives and point-to-point transfers over the real routes of one cluster: which links carry how
/// many bytes, how many steps, what the best algorithm reaches. Among the algorithms that apply (ring
/// with one channel per rail, direct over a switch, tree, hierarchical) the fastest predicted one is
/// taken, as NCCL does. Uses are exact bytes per link direction; a transfer never needs two links of one exclusive
/// group. What does not depend on the size is worked out once per group of devices and remembered (copies of
/// the model share that memory). Keeps references to the route table and the network: must not outlive them.
/// Thread-safe, deterministic.
class CollectiveModel
{
public:
    enum class InSwitch { Yes, No }; ///< may NVSwitches reduce, where the GPUs can use that
    CollectiveModel(const RouteTable &routes, const Network &network, InSwitch inSwitch = InSwitch::Yes);

    /// `bytes` follows nccl-tests: the full vector for all-reduce, the gathered result for all-gather, one
    /// rank's input for reduce-scatter and all-to-all, the message for broadcast. One device or zero
    /// bytes: an empty transfer. A broadcast starts at the first member. Error (Infeasible): two members are not
    /// connected, or exclusive conflict groups leave no set of routes.
    Result<Transfer> collective(Collective kind, std::span<const DeviceId> members, double bytes) const;
    /// Point to point, striped over parallel routes where that pays. Same device: empty.
    Result<Transfer> send(DeviceId from, DeviceId to, double bytes) const;
    /// Several sends at once as one transfer that ends when the last one does (a stage boundary).
    struct Flow
    {
        DeviceId from;
        DeviceId to;
        double bytes = 0;
    };
    Result<Transfer> sendAll(std::span<const Flow> flows) const;

    const Network &network() const { return *m_network; }
    const RouteTable &routes() const { return *m_routes; }

private:
    const RouteTable *m_routes;
    const Network *m_network;
    InSwitch m_inSwitch;
    struct Store;
    std::shared_ptr<Store> m_store;
};

} // namespace polyrail
