// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"
#include "core/formats/builtin.hpp"
#include "core/plan/plan.hpp"
#include "core/workload/training_job.hpp"

#include <stdexcept>
#include <string>

namespace polyrail::test {

/// Two hosts with two GPUs each: NVLink inside a host, PCIe to a NIC, and between the NICs rail-0, rail-1 and mgmt, of
/// which the last two exclude each other.
inline Cluster smallCluster()
{
    const GpuType *type = builtinCatalogue().find("A100-80GB-SXM");
    if (!type && !builtinCatalogue().types().empty())
        type = &builtinCatalogue().types().front();
    if (!type)
        throw std::runtime_error("the catalogue is empty");
    ClusterParts parts;
    parts.name = "small";
    parts.hosts = {{"a", "a"}, {"b", "b"}};
    for (int i = 0; i < 4; ++i) {
        Device device;
        device.id = "gpu-" + std::to_string(i);
        device.typeName = type->name;
        device.host = HostId(i / 2);
        device.type = *type;
        parts.devices.push_back(device);
    }
    for (int i = 0; i < 2; ++i) {
        Hub hub;
        hub.id = i == 0 ? "nic-a" : "nic-b";
        hub.kind = HubKind::Nic;
        hub.host = HostId(i);
        parts.hubs.push_back(hub);
    }
    const auto vertex = [](int i) { return VertexId(i); };
    const auto link = [&](const char *id, int a, int b, LinkKind kind, double gigabytes) {
        Link l;
        l.id = id;
        l.ends = {vertex(a), vertex(b)};
        l.kind = kind;
        l.bandwidth = gigabytesPerSecond(gigabytes);
        l.latency = Seconds(3e-6);
        l.enteredInBits = kind == LinkKind::Network;
        parts.links.push_back(l);
    };
    link("nvlink-a", 0, 1, LinkKind::NvLink, 200);
    link("nvlink-b", 2, 3, LinkKind::NvLink, 200);
    link("pcie-0", 0, 4, LinkKind::Pcie, 25);
    link("pcie-1", 1, 4, LinkKind::Pcie, 25);
    link("pcie-2", 2, 5, LinkKind::Pcie, 25);
    link("pcie-3", 3, 5, LinkKind::Pcie, 25);
    link("rail-0", 4, 5, LinkKind::Network, 1.25);
    link("rail-1", 4, 5, LinkKind::Network, 1.25);
    link("mgmt", 4, 5, LinkKind::Network, 0.0125);
    ConflictGroup port;
    port.id = "port";
    port.kind = ConflictKind::Exclusive;
    port.links = {LinkId(7), LinkId(8)};
    parts.conflicts.push_back(port);
    auto cluster = Cluster::make(std::move(parts));
    if (!cluster)
        throw std::runtime_error(cluster.error().message());
    return *cluster;
}

inline TrainingJob smallJob()
{
    TrainingJob job;
    job.model.name = "toy";
    job.model.layers = 8;
    job.model.hidden = 1024;
    job.model.heads = 16;
    job.model.kvHeads = 16;
    job.model.headDim = 64;
    job.model.ffn = 4096;
    job.model.vocab = 32000;
    job.globalBatch = 8;
    job.sequence = 1024;
    return job;
}

/// Two stages of one tensor-parallel pair each.
inline Plan smallPlan()
{
    Plan plan;
    plan.microBatch = 1;
    plan.microBatches = 8;
    plan.stages.push_back({0, 3, {{{DeviceId(0), DeviceId(1)}, 1}}});
    plan.stages.push_back({4, 7, {{{DeviceId(2), DeviceId(3)}, 1}}});
    return plan;
}

/// The same with another cut.
inline Plan otherPlan()
{
    Plan plan = smallPlan();
    plan.stages[0].lastLayer = 4;
    plan.stages[1].firstLayer = 5;
    return plan;
}

inline Link withBandwidth(const Cluster &cluster, const std::string &id, double gigabits)
{
    Link link = cluster.link(cluster.findLink(id));
    link.bandwidth = gigabytesPerSecond(gigabits / 8);
    return link;
}

} // namespace polyrail::test
