// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/cost_context.hpp"

#include <random>

namespace polyrail::testing {

inline GpuType randomGpu(const std::string &name, std::mt19937_64 &random, double memoryGib)
{
    std::uniform_real_distribution<double> tera(5, 60);
    GpuType gpu;
    gpu.name = name;
    gpu.architecture = "Ampere GA100";
    gpu.multiprocessors = 20 + static_cast<int>(random() % 60);
    gpu.memory = gib(memoryGib);
    gpu.memoryBandwidth = gigabytesPerSecond(300 + static_cast<double>(random() % 1200));
    gpu.peak[static_cast<std::size_t>(Precision::Fp32)] = FlopsPerSecond(tera(random) * 1e11);
    gpu.peak[static_cast<std::size_t>(Precision::Bf16)] = FlopsPerSecond(tera(random) * 1e12);
    gpu.pcieBandwidth = gigabytesPerSecond(16);
    return gpu;
}

/// 2 to 4 devices of one or two types in one or two hosts, several unlike links per pair, sometimes a conflict; a model
/// of 3 to 6 layers whose state fills a good part of the memory.
inline Problem randomProblem(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto pick = [&](int least, int most) {
        return least + static_cast<int>(random() % static_cast<std::uint64_t>(most - least + 1));
    };
    TrainingJob job;
    job.model.name = "tiny";
    job.model.layers = pick(3, 6);
    job.model.hidden = 256 * pick(1, 3);
    job.model.heads = 4;
    job.model.kvHeads = 4;
    job.model.headDim = job.model.hidden / 4;
    job.model.ffn = 4 * job.model.hidden;
    job.model.vocab = 1000 * pick(1, 8);
    job.model.tiedEmbeddings = pick(0, 3) == 0;
    job.globalBatch = pick(0, 1) ? 4 : 8;
    job.sequence = 128 * pick(1, 4);
    job.sharding = pick(0, 1) ? Sharding::Zero1 : Sharding::None;

    const double stateGib = static_cast<double>(countParameters(job.model).total) * 18 / 1073741824.0;
    const double spare = 1.0 + stateGib * (0.3 + 0.3 * pick(0, 4)) + 0.05; // the context takes 1 GiB
    ClusterParts parts;
    parts.name = "random";
    const int hostCount = pick(1, 2);
    const int devices = pick(2, 4);
    for (int h = 0; h < hostCount; ++h)
        parts.hosts.push_back({"h" + std::to_string(h), "host"});
    const GpuType a = randomGpu("A", random, spare);
    const GpuType b = pick(0, 1) ? randomGpu("B", random, spare * (0.8 + 0.2 * pick(0, 3))) : a;
    for (int d = 0; d < devices; ++d) {
        Device device;
        device.id = "g" + std::to_string(d);
        device.host = HostId(d * hostCount / devices);
        device.type = device.host.value == 0 ? a : b;
        device.typeName = device.type.name;
        parts.devices.push_back(device);
    }
    for (int i = 0; i < devices; ++i)
        for (int j = i + 1; j < devices; ++j)
            for (int k = pick(1, 2); k > 0; --k) {
                Link link;
                link.id = "l" + std::to_string(parts.links.size());
                link.ends = {VertexId(i), VertexId(j)};
                link.bandwidth = gigabytesPerSecond(0.5 * pick(1, 40));
                link.latency = Seconds(1e-6 * pick(1, 20));
                link.duplex = pick(0, 4) == 0 ? Duplex::Half : Duplex::Full;
                parts.links.push_back(link);
            }
    if (parts.links.size() >= 2 && pick(0, 2) == 0) {
        ConflictGroup group;
        group.id = "c0";
        group.kind = ConflictKind::Capacity;
        group.links = {LinkId(0), LinkId(1)};
        group.capacity = gigabytesPerSecond(2);
        group.bothDirections = pick(0, 1) == 1;
        parts.conflicts.push_back(group);
    }
    return {*Cluster::make(std::move(parts)), job};
}

} // namespace polyrail::testing
