// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/selection.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Schedules made by hand for the tests of charts: two hosts, three stages, 1F1B, as in the visual style. They obey
/// the order of a pipeline but come from no simulator, so every figure in them is known.
namespace chart_fixture {

using namespace polyrail;

inline GpuType gpu(const char *name, double memoryGib)
{
    GpuType type;
    type.name = name;
    type.memory = gib(memoryGib);
    type.memoryBandwidth = gigabytesPerSecond(1000);
    type.multiprocessors = 80;
    type.peak[static_cast<std::size_t>(Precision::Bf16)] = FlopsPerSecond(1e14);
    return type;
}

inline Cluster cluster()
{
    ClusterParts parts;
    parts.name = "two boxes";
    parts.hosts = {{"node-a", "node-a"}, {"node-b", "node-b"}};
    for (int i = 0; i < 4; ++i)
        parts.devices.push_back({"4090D " + std::to_string(i), "RTX-4090D", HostId(0), gpu("RTX-4090D", 24), {}});
    for (int i = 0; i < 4; ++i)
        parts.devices.push_back({"V100 " + std::to_string(i), "V100", HostId(1), gpu("V100", 32), {}});
    parts.hubs = {{"switch 0", HubKind::PcieSwitch, HostId(0)}, {"switch 1", HubKind::PcieSwitch, HostId(0)},
                  {"CPU a", HubKind::Cpu, HostId(0)}, {"NIC a", HubKind::Nic, HostId(0)}, {"NIC b", HubKind::Nic, HostId(1)}};
    const auto vertex = [&](const std::string &id) {
        for (std::size_t d = 0; d < parts.devices.size(); ++d) {
            if (parts.devices[d].id == id)
                return VertexId(d);
        }
        for (std::size_t h = 0; h < parts.hubs.size(); ++h) {
            if (parts.hubs[h].id == id)
                return VertexId(parts.devices.size() + h);
        }
        return VertexId();
    };
    const auto link = [&](std::string id, const char *a, const char *b, LinkKind kind, double gbps, bool bits = false) {
        Link l;
        l.id = std::move(id);
        l.ends = {vertex(a), vertex(b)};
        l.kind = kind;
        l.bandwidth = gigabytesPerSecond(bits ? gbps / 8 : gbps);
        l.latency = Seconds(12e-6);
        l.enteredInBits = bits;
        parts.links.push_back(l);
    };
    link("rail 0", "NIC a", "NIC b", LinkKind::Network, 10, true);   // 0
    link("rail 1", "NIC a", "NIC b", LinkKind::Network, 4, true);    // 1
    link("mgmt", "NIC a", "NIC b", LinkKind::Network, 1, true);      // 2, idle
    link("switch 0 uplink", "switch 0", "CPU a", LinkKind::Pcie, 32); // 3
    link("switch 1 uplink", "switch 1", "CPU a", LinkKind::Pcie, 32); // 4
    for (int i = 0; i < 4; ++i) {                                    // 5 to 16
        for (int j = i + 1; j < 4; ++j) {
            for (int k = 0; k < 2; ++k) {
                link("nv " + std::to_string(i) + std::to_string(j) + std::to_string(k), parts.devices[std::size_t(4 + i)].id.c_str(),
                     parts.devices[std::size_t(4 + j)].id.c_str(), LinkKind::NvLink, 25);
            }
        }
    }
    return Cluster::make(std::move(parts)).value();
}

/// Milliseconds of one micro-batch on each stage.
struct StageTimes
{
    double forward, forwardTraffic, backward, backwardTraffic;
};

class Builder
{
public:
    explicit Builder(int microBatches) : m_micro(microBatches), m_graph(std::make_shared<TaskGraph>())
    {
        m_devices = {{DeviceId(4), DeviceId(5), DeviceId(6), DeviceId(7)}, {DeviceId(0), DeviceId(1)}, {DeviceId(2), DeviceId(3)}};
        m_linkDirections.resize(2 * 17);
    }

    ShownPlan build()
    {
        static constexpr StageTimes times[3] = {{105, 14, 210, 28}, {85, 17, 180, 34}, {100, 18, 205, 36}};
        const int stages = 3;
        m_stageFree.assign(3, 0);
        m_forwardDone.assign(3, std::vector<double>(std::size_t(m_micro), -1));
        m_backwardDone = m_forwardDone;
        m_lastTask.assign(3, TaskId());
        // Each stage's own order: warm-up, then one forward and one backward in turn, then the rest.
        std::vector<std::vector<std::pair<bool, int>>> order(3);
        for (int s = 0; s < stages; ++s) {
            int f = 0, b = 0;
            for (; f < std::min(stages - s, m_micro); ++f)
                order[std::size_t(s)].emplace_back(true, f);
            while (b < m_micro) {
                order[std::size_t(s)].emplace_back(false, b++);
                if (f < m_micro)
                    order[std::size_t(s)].emplace_back(true, f++);
            }
        }
        std::vector<std::size_t> next(3, 0);
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t s = 0; s < 3; ++s) {
                while (next[s] < order[s].size() && place(s, order[s][next[s]].first, order[s][next[s]].second, times[s])) {
                    ++next[s];
                    moved = true;
                }
            }
        }
        for (std::size_t s = 0; s < 3; ++s)
            add(TaskKind::Compute, TaskRole::Optimiser, int(s), -1, m_stageFree[s], m_stageFree[s] + 24, m_devices[s], {});
        return finish();
    }

private:
    bool place(std::size_t s, bool forward, int micro, const StageTimes &t)
    {
        const auto m = std::size_t(micro);
        double ready = 0;
        TaskId waited;
        if (forward && s > 0) {
            if (m_forwardDone[s - 1][m] < 0)
                return false;
            ready = send(s - 1, s, micro, m_forwardDone[s - 1][m]);
        } else if (!forward) {
            ready = s == 2 ? m_forwardDone[2][m] : m_backwardDone[s + 1][m];
            if (ready < 0)
                return false;
            if (s < 2)
                ready = send(s + 1, s, micro, ready);
        }
        const double start = std::max(ready, m_stageFree[s]);
        const double mid = start + (forward ? t.forward : t.backward);
        const double end = mid + (forward ? t.forwardTraffic : t.backwardTraffic);
        const TaskRole role = forward ? TaskRole::Forward : TaskRole::Backward;
        const TaskId compute = add(TaskKind::Compute, role, int(s), micro, start, mid, m_devices[s], {});
        std::vector<LinkUse> uses;
        const double seconds = (end - mid) * 1e-3;
        if (s == 0) {
            for (int l = 5; l < 17; ++l)
                uses.push_back({LinkId(l), l % 2 ? Direction::Forward : Direction::Backward, seconds * 25e9 * (l % 4 ? 0.8 : 0.5)});
        } else {
            uses.push_back({LinkId(int(s) + 2), Direction::Forward, seconds * 32e9 * 0.6});
        }
        const TaskId traffic = add(TaskKind::Transfer, TaskRole::TensorTraffic, int(s), micro, mid, end, m_devices[s], uses);
        m_graph->tasks[traffic.index()].preds = {compute};
        if (m_lastTask[s].valid())
            m_graph->tasks[compute.index()].preds.push_back(m_lastTask[s]);
        m_lastTask[s] = traffic;
        (forward ? m_forwardDone : m_backwardDone)[s][m] = end;
        m_stageFree[s] = end;
        return true;
    }

    double send(std::size_t from, std::size_t to, int micro, double start)
    {
        const double end = start + (from == 0 || to == 0 ? 18 : 9);
        std::vector<LinkUse> uses;
        const Direction way = from < to ? Direction::Forward : Direction::Backward;
        if (from == 0 || to == 0)
            uses = {{LinkId(0), way, 0.018 * 1.25e9}, {LinkId(1), way, 0.018 * 0.5e9 * 0.98}};
        else
            uses = {{LinkId(3), way, 0.009 * 16e9}, {LinkId(4), way == Direction::Forward ? Direction::Backward : Direction::Forward, 0.009 * 16e9}};
        std::vector<DeviceId> devices = m_devices[from];
        devices.insert(devices.end(), m_devices[to].begin(), m_devices[to].end());
        const TaskId t = add(TaskKind::Transfer, TaskRole::PipelineTraffic, int(from), micro, start, end, devices, uses);
        m_graph->tasks[t.index()].preds = {m_lastTask[from]};
        return end;
    }

    TaskId add(TaskKind kind, TaskRole role, int stage, int micro, double start, double end, std::vector<DeviceId> devices,
               std::vector<LinkUse> uses)
    {
        SimTask task;
        task.kind = kind;
        task.role = role;
        task.stage = std::int16_t(stage);
        task.microBatch = micro;
        task.devices = std::move(devices);
        task.uses = uses;
        task.duration = Nanoseconds(std::int64_t((end - start) * 1e6));
        const Nanoseconds s(std::int64_t(start * 1e6)), e(std::int64_t(end * 1e6));
        for (const LinkUse &use : uses) {
            const double rate = use.bytes / toSeconds(e - s).value;
            m_linkDirections[use.link.index() * 2 + std::size_t(use.direction)].push_back({s, e, rate});
        }
        m_graph->tasks.push_back(std::move(task));
        m_schedule.times.push_back({s, e});
        m_schedule.makespan = std::max(m_schedule.makespan, e);
        return TaskId(m_graph->tasks.size() - 1);
    }

    ShownPlan finish()
    {
        for (std::size_t i = 0; i < m_linkDirections.size(); ++i) {
            auto &segments = m_linkDirections[i];
            if (segments.empty())
                continue;
            std::sort(segments.begin(), segments.end(), [](const RateSegment &a, const RateSegment &b) { return a.start < b.start; });
            LinkUsage usage;
            usage.link = LinkId(i / 2);
            usage.direction = i % 2 ? Direction::Backward : Direction::Forward;
            // Overlapping transfers add up; the fixture keeps them below the capacity.
            std::vector<RateSegment> apart;
            for (RateSegment s : segments) {
                if (!apart.empty() && apart.back().end > s.start) {
                    usage.contended.push_back({s.start, std::min(apart.back().end, s.end), 0});
                    s.start = apart.back().end;
                }
                if (s.end > s.start) {
                    apart.push_back(s);
                    usage.bytes += s.bytesPerSecond * toSeconds(s.end - s.start).value;
                }
            }
            usage.segments = std::move(apart);
            m_schedule.links.push_back(std::move(usage));
        }
        for (int d = 0; d < 8; ++d) {
            MemoryTrack track;
            track.device = DeviceId(d);
            track.capacityBytes = gib(d < 4 ? 24 : 32).value;
            std::int64_t bytes = gib(d < 4 ? 11 : 14).value;
            track.steps.push_back({Nanoseconds(0), bytes});
            const std::size_t stage = d >= 4 ? 0 : d < 2 ? 1 : 2;
            for (std::size_t t = 0; t < m_graph->tasks.size(); ++t) {
                const SimTask &task = m_graph->tasks[t];
                if (task.stage != std::int16_t(stage) || task.kind != TaskKind::Compute || task.role == TaskRole::Optimiser)
                    continue;
                const bool forward = task.role == TaskRole::Forward;
                bytes += (forward ? 1 : -1) * gib(2.5).value;
                track.steps.push_back({forward ? m_schedule.times[t].start : m_schedule.times[t].end, bytes});
                track.peakBytes = std::max(track.peakBytes, bytes);
            }
            m_schedule.memory.push_back(std::move(track));
        }
        m_schedule.graph = m_graph;
        m_schedule.criticalPath = criticalPath();

        auto plan = std::make_shared<Plan>();
        plan->microBatch = 1;
        plan->microBatches = m_micro;
        const int first[3] = {0, 15, 23}, last[3] = {14, 22, 31};
        for (std::size_t s = 0; s < 3; ++s)
            plan->stages.push_back({first[s], last[s], {{m_devices[s], 1}}});
        ShownPlan shown;
        shown.plan = plan;
        shown.schedule = std::make_shared<Schedule>(std::move(m_schedule));
        shown.cluster = cluster();
        shown.job.globalBatch = m_micro;
        shown.job.sequence = 4096;
        return shown;
    }

    /// Backwards from the last task: whatever ended exactly when the task began.
    std::vector<TaskId> criticalPath() const
    {
        std::vector<TaskId> path;
        TaskId at;
        for (std::size_t t = 0; t < m_schedule.times.size(); ++t) {
            if (m_schedule.times[t].end == m_schedule.makespan)
                at = TaskId(t);
        }
        while (at.valid()) {
            path.insert(path.begin(), at);
            const SimTask &task = m_graph->tasks[at.index()];
            TaskId before;
            for (std::size_t t = 0; t < m_schedule.times.size(); ++t) {
                if (m_schedule.times[t].end != m_schedule.times[at.index()].start)
                    continue;
                bool shares = false;
                for (const DeviceId d : m_graph->tasks[t].devices)
                    shares |= std::find(task.devices.begin(), task.devices.end(), d) != task.devices.end();
                if (shares && (!before.valid() || m_graph->tasks[t].role == TaskRole::PipelineTraffic))
                    before = TaskId(t);
            }
            at = before;
        }
        return path;
    }

    int m_micro;
    std::shared_ptr<TaskGraph> m_graph;
    Schedule m_schedule;
    std::vector<std::vector<DeviceId>> m_devices;
    std::vector<std::vector<RateSegment>> m_linkDirections;
    std::vector<double> m_stageFree;
    std::vector<std::vector<double>> m_forwardDone, m_backwardDone;
    std::vector<TaskId> m_lastTask;
};

inline ShownPlan pipeline(int microBatches = 8)
{
    return Builder(microBatches).build();
}

/// `bars` tasks of unlike lengths spread over `lanes` devices, without a plan or links.
inline ShownPlan crowd(std::size_t bars, std::size_t lanes)
{
    ClusterParts parts;
    for (std::size_t d = 0; d < lanes; ++d)
        parts.devices.push_back({"gpu " + std::to_string(d), "A100", HostId(), gpu("A100", 80), {}});
    auto graph = std::make_shared<TaskGraph>();
    Schedule schedule;
    std::vector<std::int64_t> free(lanes, 0);
    std::uint64_t random = 88172645463325252ULL;
    const TaskRole roles[] = {TaskRole::Forward, TaskRole::Backward, TaskRole::TensorTraffic, TaskRole::Optimiser};
    graph->tasks.resize(bars);
    schedule.times.resize(bars);
    for (std::size_t i = 0; i < bars; ++i) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const std::size_t lane = i % lanes;
        SimTask &task = graph->tasks[i];
        task.role = roles[random % 4];
        task.kind = task.role == TaskRole::TensorTraffic ? TaskKind::Transfer : TaskKind::Compute;
        task.stage = std::int16_t(lane / 8);
        task.microBatch = int(i / lanes) % 999;
        task.devices = {DeviceId(lane)};
        const std::int64_t start = free[lane] + std::int64_t(random >> 8) % 400;
        const std::int64_t end = start + 200 + std::int64_t(random >> 20) % 2000;
        task.duration = Nanoseconds(end - start);
        schedule.times[i] = {Nanoseconds(start), Nanoseconds(end)};
        free[lane] = end;
        schedule.makespan = std::max(schedule.makespan, Nanoseconds(end));
    }
    schedule.graph = graph;
    ShownPlan shown;
    shown.schedule = std::make_shared<Schedule>(std::move(schedule));
    shown.cluster = Cluster::make(std::move(parts)).value();
    return shown;
}

} // namespace chart_fixture
