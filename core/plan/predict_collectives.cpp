// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/case_cluster.hpp"
#include "core/plan/predict.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

/// What the hosts of this GPU usually have when the source does not say: one port per GPU of the year's rate in
/// NVSwitch machines whose fabric is named, else 10 GB/s, and 3 GB/s for smaller hosts and TCP.
double usualNetwork(const CollectiveCase &c, const GpuType &gpu)
{
    const bool large = has(c.intraFabric, "NVSwitch");
    if (has(c.interFabric, "TCP") || (!large && has(c.interFabric, "not stated")))
        return 3e9;
    if (large && !has(c.interFabric, "not stated"))
        return c.gpusPerNode * (gpu.pcieGeneration >= 5 ? 50e9 : 25e9);
    return 10e9;
}

} // namespace

Prediction predictCollective(const CollectiveCase &c, const Catalogue &catalogue)
{
    Prediction out;
    const GpuType *gpu = catalogue.find(c.gpu);
    if (gpu == nullptr) {
        out.note = "unknown GPU type " + c.gpu;
        return out;
    }
    if (c.nodes < 1 || c.gpusPerNode < 1 || c.ranks < 2 || c.bytes <= 0 || c.nodes > 4096 || c.gpusPerNode > 1024
        || c.ranks > c.nodes * c.gpusPerNode) {
        out.note = "needs nodes, gpus_per_node, two ranks to as many as there are GPUs, and a size";
        return out;
    }
    CaseHost host;
    host.gpu = c.gpu;
    host.gpus = std::max(c.gpusPerNode, (c.ranks + c.nodes - 1) / c.nodes);
    host.intraFabric = c.intraFabric;
    host.nics = nicCount(c.interFabric);
    host.networkRate = c.networkRate;
    if (c.nodes > 1 && host.networkRate <= 0) {
        host.networkRate = usualNetwork(c, *gpu);
        out.note = "network not stated: " + std::to_string(std::lround(host.networkRate / 1e9)) + " GB/s per node";
    }
    auto machine = machineOfHosts(std::vector<CaseHost>(static_cast<std::size_t>(c.nodes), host), catalogue);
    if (!machine) {
        out.note = machine.error().message();
        return out;
    }
    std::vector<DeviceId> members;
    const int perNode = (c.ranks + c.nodes - 1) / c.nodes;
    for (int r = 0; r < c.ranks; ++r)
        members.push_back(DeviceId(std::int32_t(r / perNode * host.gpus + r % perNode)));

    // Sources that name the algorithm were run with the in-switch one turned off (NCCL_NVLS_ENABLE=0).
    const bool ringOnly = has(c.algorithmNote, "NVLS off") || c.algorithmNote == "Ring";
    const CollectiveModel &model = ringOnly ? (*machine)->ringCollectives : (*machine)->collectives;
    Result<Transfer> transfer = [&]() -> Result<Transfer> {
        if (has(c.collective, "send"))
            return model.send(members.front(), members[1], c.bytes);
        if (has(c.collective, "reduce_scatter"))
            return model.collective(Collective::ReduceScatter, members, c.bytes);
        if (has(c.collective, "all_gather"))
            return model.collective(Collective::AllGather, members, c.bytes);
        if (has(c.collective, "all_to_all") || has(c.collective, "alltoall"))
            return model.collective(Collective::AllToAll, members, c.bytes);
        if (has(c.collective, "all_reduce"))
            return model.collective(Collective::AllReduce, members, c.bytes);
        // A reduction to one rank is a broadcast run backwards.
        if (c.collective == "broadcast" || c.collective == "reduce")
            return model.collective(Collective::Broadcast, members, c.bytes);
        return inputError("collective", c.collective,
                          "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce or send_recv");
    }();
    if (!transfer) {
        out.note = transfer.error().message();
        return out;
    }
    out.value = transfer->alone().value * 1e6;
    // Residuals of the fit (docs/accuracy.md).
    const double spread = !out.note.empty() ? 1.6 : c.bytes >= 1e6 ? 1.12 : 1.35;
    out.low = *out.value / spread;
    out.high = *out.value * spread;
    out.note += (out.note.empty() ? "" : "; ") + transfer->algorithm;
    return out;
}

} // namespace polyrail
