// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/simulator.hpp"

#include <QString>
#include <initializer_list>
#include <stdexcept>

/// Clusters and task graphs in a few words, for tests. Devices are gpu0, gpu1, ...; links l0, l1, ...
namespace small {

using namespace polyrail;

class Net
{
public:
    explicit Net(int devices, std::int64_t memory = 0)
    {
        for (int d = 0; d < devices; ++d) {
            Device device;
            device.id = "gpu" + std::to_string(d);
            device.typeName = "test";
            device.type.name = "test";
            device.type.memory = Bytes(memory);
            m_parts.devices.push_back(device);
        }
    }
    /// Bandwidth in bytes per nanosecond, i.e. GB/s.
    Net &link(int a, int b, double bytesPerNs, Duplex duplex = Duplex::Full, LinkState state = LinkState::Up)
    {
        Link l;
        l.id = "l" + std::to_string(m_parts.links.size());
        l.ends = {VertexId(a), VertexId(b)};
        l.bandwidth = BytesPerSecond(bytesPerNs * 1e9);
        l.duplex = duplex;
        l.state = state;
        m_parts.links.push_back(l);
        return *this;
    }
    Net &exclusive(std::initializer_list<int> links) { return conflict(ConflictKind::Exclusive, links, 0, false); }
    Net &capacity(std::initializer_list<int> links, double bytesPerNs, bool both = false)
    {
        return conflict(ConflictKind::Capacity, links, bytesPerNs, both);
    }
    Cluster cluster() const
    {
        Result<Cluster> made = Cluster::make(m_parts);
        if (!made)
            throw std::runtime_error(made.error().message());
        return *made;
    }

private:
    Net &conflict(ConflictKind kind, std::initializer_list<int> links, double bytesPerNs, bool both)
    {
        ConflictGroup g;
        g.id = "c" + std::to_string(m_parts.conflicts.size());
        g.kind = kind;
        for (int l : links)
            g.links.push_back(LinkId(l));
        g.capacity = BytesPerSecond(bytesPerNs * 1e9);
        g.bothDirections = both;
        m_parts.conflicts.push_back(g);
        return *this;
    }

    ClusterParts m_parts;
};

constexpr Direction fwd = Direction::Forward;
constexpr Direction bwd = Direction::Backward;

struct Use
{
    int link = 0;
    double bytes = 0;
    Direction direction = fwd;
};

class Graph
{
public:
    int compute(std::initializer_list<int> devices, std::int64_t duration, std::initializer_list<int> preds = {},
                int stream = 0)
    {
        SimTask task;
        task.kind = TaskKind::Compute;
        task.duration = Nanoseconds(duration);
        task.stream = static_cast<std::uint8_t>(stream);
        for (int d : devices)
            task.devices.push_back(DeviceId(d));
        return add(std::move(task), preds);
    }
    int transfer(std::initializer_list<Use> uses, std::initializer_list<int> preds = {}, std::int64_t latency = 0,
                 std::int64_t duration = 0)
    {
        SimTask task;
        task.kind = TaskKind::Transfer;
        task.latency = Nanoseconds(latency);
        task.duration = Nanoseconds(duration);
        for (const Use &u : uses)
            task.uses.push_back({LinkId(u.link), u.direction, u.bytes});
        return add(std::move(task), preds);
    }
    Graph &memory(int task, bool atEnd, int device, std::int64_t bytes)
    {
        m_graph.memory.push_back({TaskId(task), atEnd, DeviceId(device), bytes});
        return *this;
    }
    TaskGraph &graph() { return m_graph; }
    std::shared_ptr<const TaskGraph> share() const { return std::make_shared<const TaskGraph>(m_graph); }

private:
    int add(SimTask task, std::initializer_list<int> preds)
    {
        for (int p : preds)
            task.preds.push_back(TaskId(p));
        task.name = static_cast<std::int32_t>(m_graph.names.size());
        m_graph.names.push_back("t" + std::to_string(m_graph.tasks.size()));
        m_graph.tasks.push_back(std::move(task));
        return static_cast<int>(m_graph.tasks.size()) - 1;
    }

    TaskGraph m_graph;
};

/// The schedule, or an exception with the simulator's message.
inline Schedule run(const Graph &graph, const Cluster &cluster)
{
    Result<Schedule> schedule = simulate(graph.share(), Network(cluster));
    if (!schedule)
        throw std::runtime_error(schedule.error().message());
    return std::move(*schedule);
}

inline std::int64_t start(const Schedule &s, int task) { return s.times[static_cast<std::size_t>(task)].start.value; }
inline std::int64_t end(const Schedule &s, int task) { return s.times[static_cast<std::size_t>(task)].end.value; }

/// "0 3 5": the critical path in one word, for comparing.
inline QString path(const Schedule &s)
{
    QString text;
    for (TaskId t : s.criticalPath)
        text += (text.isEmpty() ? "" : " ") + QString::number(t.value);
    return text;
}

/// What a link direction carried, or null.
inline const LinkUsage *usage(const Schedule &s, int link, Direction direction = fwd)
{
    for (const LinkUsage &u : s.links) {
        if (u.link.value == link && u.direction == direction)
            return &u;
    }
    return nullptr;
}

/// "[0,10)x2 [10,20)x1": segments with rates in bytes per nanosecond.
inline QString segments(const LinkUsage *u)
{
    QString text;
    for (const RateSegment &s : u ? u->segments : std::vector<RateSegment>())
        text += QStringLiteral("%1[%2,%3)x%4").arg(text.isEmpty() ? "" : " ").arg(s.start.value).arg(s.end.value)
                    .arg(s.bytesPerSecond * 1e-9);
    return text;
}

} // namespace small
