// SPDX-License-Identifier: GPL-3.0-or-later
// How fast the training search finds and proves plans on generated clusters. One JSON object per problem on standard output:
//   bench_search [GPUS [NIC_GB_S [SECONDS [THREADS]]]]
// Hosts of eight GPUs of one type each: A100, V100, L40S, T4 in turn, 1 to 4 types by size; one NIC per host.
#include "core/formats/builtin.hpp"
#include "core/search/search.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace polyrail;

namespace {

Cluster generated(int gpus, double nicGigabytes, int types)
{
    constexpr int perHost = 8;
    const char *const names[] = {"A100-80GB-SXM", "V100-SXM2-32GB", "L40S", "T4"};
    ClusterParts parts;
    parts.name = std::to_string(gpus) + " GPUs";
    const int hosts = (gpus + perHost - 1) / perHost;
    for (int d = 0; d < gpus; ++d) {
        Device device;
        device.id = "g" + std::to_string(d);
        device.host = HostId(d / perHost);
        device.typeName = names[d / perHost * types / hosts];
        device.type = *builtinCatalogue().find(device.typeName);
        parts.devices.push_back(std::move(device));
    }
    const auto link = [&](VertexId a, VertexId b, LinkKind kind, BytesPerSecond bandwidth, double microseconds) {
        Link l;
        l.id = "l" + std::to_string(parts.links.size());
        l.ends = {a, b};
        l.kind = kind;
        l.bandwidth = bandwidth;
        l.latency = Seconds(microseconds * 1e-6);
        parts.links.push_back(std::move(l));
    };
    const auto hub = [&](const std::string &id, HubKind kind, HostId host) {
        parts.hubs.push_back({id, kind, host});
        return VertexId(gpus + static_cast<int>(parts.hubs.size()) - 1);
    };
    const VertexId core = hub("core", HubKind::Switch, HostId());
    for (int h = 0; h < hosts; ++h) {
        parts.hosts.push_back({"h" + std::to_string(h), ""});
        const GpuType &type = parts.devices[static_cast<std::size_t>(h * perHost)].type;
        const VertexId cpu = hub("cpu" + std::to_string(h), HubKind::Cpu, HostId(h));
        const VertexId nic = hub("nic" + std::to_string(h), HubKind::Nic, HostId(h));
        const VertexId fabric = type.scaleUpBandwidth.value > 0
            ? hub("nvs" + std::to_string(h), HubKind::NvSwitch, HostId(h))
            : VertexId();
        for (int d = h * perHost; d < std::min(gpus, (h + 1) * perHost); ++d) {
            link(VertexId(d), cpu, LinkKind::Pcie, type.pcieBandwidth, 1);
            if (fabric.valid())
                link(VertexId(d), fabric, LinkKind::NvLink, type.scaleUpBandwidth, 0.7);
        }
        link(cpu, nic, LinkKind::Pcie, gigabytesPerSecond(64), 1);
        link(nic, core, LinkKind::Network, gigabytesPerSecond(nicGigabytes), 3);
    }
    return *Cluster::make(std::move(parts));
}

void measure(int gpus, double nic, double seconds, int threads)
{
    struct Size
    {
        int gpus;
        int types;
        const char *model;
        int batch;
    };
    constexpr Size sizes[] = {{16, 2, "llama-2-13b", 256}, {64, 3, "llama-2-70b", 512}, {256, 3, "gpt3-175b", 1024},
                              {1024, 4, "gpt3-175b", 2048}};
    const Size *size = &sizes[0];
    for (const Size &s : sizes)
        if (gpus >= s.gpus)
            size = &s;
    TrainingJob job;
    job.model = *findPreset(size->model);
    job.sequence = 2048;
    job.globalBatch = size->batch;
    const auto begin = std::chrono::steady_clock::now();
    const auto now = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    const auto context = std::make_shared<const CostContext>(Problem {generated(gpus, nic, size->types), job});
    SearchOptions options;
    options.timeLimit = std::chrono::duration<double>(seconds);
    options.threads = threads;
    const auto search = Search::start(context, options);
    double first = -1;
    double gap5 = -1;
    double gap1 = -1;
    auto s = search->latest();
    for (;; s = search->latest()) {
        if (s->best && first < 0)
            first = now();
        if (s->best && gap5 < 0 && s->gap <= 0.05)
            gap5 = now();
        if (s->best && gap1 < 0 && s->gap <= 0.01)
            gap1 = now();
        if (isFinal(s->status))
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const double best = s->best ? toSeconds(s->best->step).value : 0;
    // Within 1 % of the final value: from the history.
    double near = -1;
    for (const HistoryPoint &p : s->history)
        if (near < 0 && p.incumbent && toSeconds(*p.incumbent).value <= best * 1.01)
            near = p.seconds;
    double grid = 0;
    for (const BaselineResult &b : s->baselines)
        if (b.name == "best uniform grid" && b.step)
            grid = toSeconds(*b.step).value;
    std::printf("{\"gpus\": %d, \"types\": %d, \"model\": \"%s\", \"nic_GBps\": %g, \"threads\": %d, \"status\": \"%s\", "
                "\"step_s\": %.4f, \"gap\": %.5f, \"first_plan_s\": %.4f, \"within_1pct_s\": %.4f, \"gap5_s\": %.3f, "
                "\"gap1_s\": %.3f, \"elapsed_s\": %.3f, \"nodes\": %lld, \"simulations\": %lld, \"best_grid_s\": %.4f}\n",
                gpus, size->types, size->model, nic, threads, toString(s->status), best, s->gap, first, near, gap5, gap1,
                s->elapsedSeconds, static_cast<long long>(s->nodes), static_cast<long long>(s->simulations), grid);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    const auto argument = [&](int i, double fallback) { return argc > i ? std::atof(argv[i]) : fallback; };
    const double seconds = argument(3, 10);
    const int threads = static_cast<int>(argument(4, 2));
    if (argc > 1)
        measure(static_cast<int>(argument(1, 16)), argument(2, 12.5), seconds, threads);
    else
        for (int gpus : {16, 64, 256, 1024})
            for (double nic : {1.0, 5.0, 25.0, 50.0})
                measure(gpus, nic, seconds, threads);
    return 0;
}
