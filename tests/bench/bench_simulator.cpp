// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks per second of the simulator. Run with --benchmark_filter=... ; "items" are tasks.
#include "core/formats/json_files.hpp"
#include "core/sim/simulator.hpp"
#include "core/sim/validator.hpp"

#include <benchmark/benchmark.h>
#include <random>
#include <stdexcept>

namespace {

using namespace polyrail;

/// Devices in a chain, full-duplex links of 25 GB/s between neighbours.
Cluster chain(int devices)
{
    ClusterParts parts;
    for (int d = 0; d < devices; ++d) {
        Device device;
        device.id = "gpu" + std::to_string(d);
        device.type.memory = gib(80);
        parts.devices.push_back(device);
    }
    for (int d = 0; d + 1 < devices; ++d) {
        Link link;
        link.id = "l" + std::to_string(d);
        link.ends = {VertexId(d), VertexId(d + 1)};
        link.bandwidth = gigabytesPerSecond(25);
        parts.links.push_back(link);
    }
    Result<Cluster> made = Cluster::make(std::move(parts));
    if (!made)
        throw std::runtime_error(made.error().message());
    return *made;
}

TaskId add(TaskGraph &graph, SimTask task)
{
    graph.tasks.push_back(std::move(task));
    return TaskId(graph.tasks.size() - 1);
}

SimTask compute(int device, std::int64_t duration)
{
    SimTask task;
    task.devices = {DeviceId(device)};
    task.duration = Nanoseconds(duration);
    return task;
}

/// One step of a pipeline: forward and backward of every micro-batch on every stage, joined by preds, or by
/// transfers of 1 MB where `transfers`; activations held from forward to backward.
std::shared_ptr<const TaskGraph> pipeline(int stages, int microBatches, bool transfers)
{
    TaskGraph graph;
    std::vector<std::vector<TaskId>> forward(static_cast<std::size_t>(stages));
    const auto send = [&](int link, Direction direction, TaskId after) {
        if (!transfers)
            return after;
        SimTask task;
        task.kind = TaskKind::Transfer;
        task.latency = Nanoseconds(2000);
        task.uses = {{LinkId(link), direction, 1e6}};
        task.preds = {after};
        return add(graph, std::move(task));
    };
    for (int m = 0; m < microBatches; ++m) {
        for (int p = 0; p < stages; ++p) {
            SimTask task = compute(p, 50000 + 137 * p);
            if (p > 0)
                task.preds = {send(p - 1, Direction::Forward, forward[static_cast<std::size_t>(p - 1)].back())};
            const TaskId f = add(graph, std::move(task));
            graph.memory.push_back({f, false, DeviceId(p), 1 << 20});
            forward[static_cast<std::size_t>(p)].push_back(f);
        }
    }
    for (int m = 0; m < microBatches; ++m) {
        TaskId next;
        for (int p = stages - 1; p >= 0; --p) {
            SimTask task = compute(p, 100000 + 211 * p);
            task.preds = {forward[static_cast<std::size_t>(p)][static_cast<std::size_t>(m)]};
            if (next.valid())
                task.preds.push_back(send(p, Direction::Backward, next));
            next = add(graph, std::move(task));
            graph.memory.push_back({next, true, DeviceId(p), -(1 << 20)});
        }
    }
    return std::make_shared<const TaskGraph>(std::move(graph));
}

/// `width` transfers at any time, each over a random run of links of a chain, in lanes one after the other.
std::shared_ptr<const TaskGraph> contention(int links, int width, int length)
{
    std::mt19937_64 random(7);
    TaskGraph graph;
    for (int lane = 0; lane < width; ++lane) {
        TaskId last;
        for (int k = 0; k < length; ++k) {
            SimTask task;
            task.kind = TaskKind::Transfer;
            const int hops = 1 + static_cast<int>(random() % 3);
            const int first = static_cast<int>(random() % static_cast<std::uint64_t>(links - hops + 1));
            const double bytes = 1e4 + static_cast<double>(random() % 1000000);
            for (int h = 0; h < hops; ++h)
                task.uses.push_back({LinkId(first + h), Direction::Forward, bytes});
            if (last.valid())
                task.preds = {last};
            last = add(graph, std::move(task));
        }
    }
    return std::make_shared<const TaskGraph>(std::move(graph));
}

void simulateAll(benchmark::State &state, const std::shared_ptr<const TaskGraph> &graph, const Cluster &cluster,
                 SimDetail detail)
{
    const Network network(cluster);
    for (auto _ : state) {
        Result<Schedule> schedule = simulate(graph, network, detail);
        if (!schedule)
            state.SkipWithError(schedule.error().message().c_str());
        benchmark::DoNotOptimize(schedule);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph->tasks.size()));
    state.counters["tasks"] = static_cast<double>(graph->tasks.size());
}

// stages, micro-batches, transfers, full detail
void BM_Pipeline(benchmark::State &state)
{
    const auto stages = static_cast<int>(state.range(0));
    simulateAll(state, pipeline(stages, static_cast<int>(state.range(1)), state.range(2) != 0), chain(stages),
                state.range(3) != 0 ? SimDetail::Full : SimDetail::MakespanOnly);
}
BENCHMARK(BM_Pipeline)
    ->ArgNames({"stages", "micro_batches", "transfers", "full"})
    ->Args({4, 64, 0, 0})->Args({4, 64, 1, 0})->Args({4, 64, 1, 1})
    ->Args({16, 80, 1, 1}) // about 5,000 tasks on 16 devices
    ->Args({16, 512, 0, 0})->Args({16, 512, 1, 0})->Args({16, 512, 1, 1})
    ->Args({64, 7813, 0, 0})->Args({64, 7813, 0, 1}) // 10^6 compute tasks
    ->Unit(benchmark::kMicrosecond);

// links, transfers at a time, transfers one after the other
void BM_Contention(benchmark::State &state)
{
    const auto links = static_cast<int>(state.range(0));
    simulateAll(state, contention(links, static_cast<int>(state.range(1)), static_cast<int>(state.range(2))),
                chain(links + 1), SimDetail::MakespanOnly);
}
BENCHMARK(BM_Contention)
    ->ArgNames({"links", "width", "length"})
    ->Args({256, 32, 200})->Args({16, 16, 200})->Args({16, 64, 100})
    ->Unit(benchmark::kMicrosecond);

/// A search gives up on most plans: here at 90 % of the true makespan.
void BM_GiveUp(benchmark::State &state)
{
    const auto graph = pipeline(16, 512, true);
    const Network network(chain(16));
    const std::int64_t makespan = simulate(graph, network, SimDetail::MakespanOnly)->makespan.value;
    for (auto _ : state) {
        Result<Schedule> schedule
            = simulate(graph, network, SimDetail::MakespanOnly, Nanoseconds(makespan / 10 * 9));
        benchmark::DoNotOptimize(schedule);
    }
}
BENCHMARK(BM_GiveUp)->Unit(benchmark::kMicrosecond);

void BM_Validate(benchmark::State &state)
{
    const Cluster cluster = chain(16);
    const Schedule schedule = *simulate(pipeline(16, 512, true), Network(cluster));
    for (auto _ : state) {
        if (!validate(schedule, cluster).empty())
            state.SkipWithError("the schedule is not valid");
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(schedule.times.size()));
}
BENCHMARK(BM_Validate)->Unit(benchmark::kMillisecond);

void BM_WriteSchedule(benchmark::State &state)
{
    const Cluster cluster = chain(16);
    const Schedule schedule = *simulate(pipeline(16, 512, true), Network(cluster));
    std::size_t bytes = 0;
    for (auto _ : state)
        bytes += writeSchedule(schedule, cluster).size();
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(schedule.times.size()));
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(BM_WriteSchedule)->Unit(benchmark::kMillisecond);

void BM_ReadSchedule(benchmark::State &state)
{
    const Cluster cluster = chain(16);
    const Schedule schedule = *simulate(pipeline(16, 512, true), Network(cluster));
    const std::string text = writeSchedule(schedule, cluster);
    for (auto _ : state) {
        if (!readSchedule(text))
            state.SkipWithError("the file is not read");
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(schedule.times.size()));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(BM_ReadSchedule)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
