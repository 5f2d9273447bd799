// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/schedule_reader.hpp"

#include "core/formats/json_text.hpp"

#include <algorithm>

namespace polyrail {

namespace {

constexpr std::size_t mostItems = std::size_t(1) << 28;
constexpr std::int64_t latest = std::int64_t(4) << 60; // ns, 146 years
constexpr std::int64_t mostBytes = std::int64_t(1) << 62;

/// The value whose toString() is the text, or `otherwise` with an error.
template<class T, std::size_t n>
T named(const JsonCursor &place, const std::array<T, n> &values, T otherwise)
{
    const std::string text = place.string();
    std::vector<std::string> known;
    for (T value : values) {
        if (text == toString(value))
            return value;
        known.push_back(toString(value));
    }
    place.refuse(jsonQuoted(text.substr(0, 60)), oneOf(known), "Use one of these words.");
    return otherwise;
}

template<class Id>
Id known(const std::unordered_map<std::string, Id> &ids, const JsonCursor &place, const char *what)
{
    const std::string id = place.string();
    const auto it = ids.find(id);
    if (it != ids.end())
        return it->second;
    place.refuse(jsonQuoted(id.substr(0, 60)), what, "Correct the id.");
    return Id();
}

constexpr std::array<HubKind, 6> hubKinds
    = {HubKind::NvSwitch, HubKind::PcieSwitch, HubKind::Cpu, HubKind::Nic, HubKind::Switch, HubKind::Other};
constexpr std::array<LinkKind, 5> linkKinds
    = {LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network, LinkKind::HostBus, LinkKind::Other};
constexpr std::array<Direction, 2> directions = {Direction::Forward, Direction::Backward};
constexpr std::array<TaskRole, 8> roles
    = {TaskRole::Forward,       TaskRole::Backward,        TaskRole::Recompute,       TaskRole::Optimiser,
       TaskRole::TensorTraffic, TaskRole::PipelineTraffic, TaskRole::GradientTraffic, TaskRole::Other};

bool isOneOf(const JsonCursor &place, const char *yes, const char *no)
{
    const std::string text = place.string();
    if (text != yes && text != no)
        place.refuse(jsonQuoted(text.substr(0, 60)), oneOf({yes, no}), "Use one of these words.");
    return text == yes;
}

/// Calls read(item) for the items of the array `key`; an optional array may be missing.
template<class Read>
void each(const JsonCursor &parent, const char *key, bool optional, Read &&read)
{
    if (optional && !parent.has(key))
        return;
    const JsonCursor array = parent[key];
    const std::size_t count = array.size(mostItems);
    for (std::size_t i = 0; i < count && array.ok(); ++i)
        read(array.item(i));
}

} // namespace

std::string ScheduleReader::taskKey(const JsonCursor &place) const
{
    // Ids may be numbers or texts; 7 and "7" are not the same id.
    return place.isString() ? '"' + place.string() : std::to_string(place.integer(0, mostBytes));
}

TaskId ScheduleReader::task(const JsonCursor &place) const
{
    const std::string key = taskKey(place);
    const auto it = m_tasks.find(key);
    if (it != m_tasks.end())
        return it->second;
    place.refuse(key.front() == '"' ? jsonQuoted(key.substr(1, 60)) : key, "the id of a task in /tasks", "Correct the id.");
    return TaskId(0);
}

DeviceId ScheduleReader::device(const JsonCursor &place) const
{
    return known(m_devices, place, "the id of a device in /cluster/devices");
}

LinkId ScheduleReader::link(const JsonCursor &place) const
{
    return known(m_links, place, "the id of a link in /cluster/links");
}

Direction ScheduleReader::direction(const JsonCursor &place) const
{
    return named(place, directions, Direction::Forward);
}

Nanoseconds ScheduleReader::time(const JsonCursor &place) const
{
    return Nanoseconds(place.integer(0, latest));
}

void ScheduleReader::readConflict(const JsonCursor &item, ClusterParts &parts)
{
    ConflictGroup group;
    group.id = item["id"].string();
    group.kind = isOneOf(item["kind"], "exclusive", "capacity") ? ConflictKind::Exclusive : ConflictKind::Capacity;
    each(item, "links", false, [&](const JsonCursor &place) { group.links.push_back(link(place)); });
    if (group.kind == ConflictKind::Capacity) {
        group.capacity = BytesPerSecond(item["capacity_bytes_per_s"].number());
        group.bothDirections = item.has("both_directions") && item["both_directions"].boolean();
    }
    parts.conflicts.push_back(std::move(group));
}

ClusterParts ScheduleReader::readCluster(const JsonCursor &cluster)
{
    ClusterParts parts;
    if (cluster.has("name"))
        parts.name = cluster["name"].string();
    each(cluster, "devices", false, [&](const JsonCursor &item) {
        Device device;
        device.id = item["id"].string();
        if (item.has("type"))
            device.typeName = item["type"].string();
        device.type.name = device.typeName;
        if (item.has("memory_bytes"))
            device.type.memory = Bytes(item["memory_bytes"].integer(0, mostBytes));
        m_devices.emplace(device.id, DeviceId(parts.devices.size()));
        m_vertices.emplace(device.id, VertexId(parts.devices.size()));
        parts.devices.push_back(std::move(device));
    });
    each(cluster, "hubs", true, [&](const JsonCursor &item) {
        Hub hub;
        hub.id = item["id"].string();
        if (item.has("kind"))
            hub.kind = named(item["kind"], hubKinds, HubKind::Other);
        m_vertices.emplace(hub.id, VertexId(parts.devices.size() + parts.hubs.size()));
        parts.hubs.push_back(std::move(hub));
    });
    each(cluster, "links", true, [&](const JsonCursor &item) {
        Link link;
        link.id = item["id"].string();
        const JsonCursor ends = item["ends"];
        if (ends.size(mostItems) != 2)
            ends.refuse("not two ends", "the ids of two devices or hubs", "Name both ends of the link.");
        for (std::size_t k = 0; k < 2 && ends.ok(); ++k)
            link.ends[k] = known(m_vertices, ends.item(k), "the id of a device or hub");
        if (item.has("kind"))
            link.kind = named(item["kind"], linkKinds, LinkKind::Other);
        link.bandwidth = BytesPerSecond(item["bandwidth_bytes_per_s"].number());
        if (item.has("latency_ns"))
            link.latency = toSeconds(time(item["latency_ns"]));
        if (item.has("duplex"))
            link.duplex = isOneOf(item["duplex"], "half", "full") ? Duplex::Half : Duplex::Full;
        if (item.has("state"))
            link.state = isOneOf(item["state"], "down", "up") ? LinkState::Down : LinkState::Up;
        m_links.emplace(link.id, LinkId(parts.links.size()));
        parts.links.push_back(std::move(link));
    });
    each(cluster, "conflicts", true, [&](const JsonCursor &item) { readConflict(item, parts); });
    return parts;
}

void ScheduleReader::readTaskIds(const JsonCursor &tasks)
{
    const std::size_t count = tasks.size(mostItems);
    m_tasks.reserve(count);
    for (std::size_t i = 0; i < count && tasks.ok(); ++i) {
        const JsonCursor item = tasks.item(i);
        const JsonCursor place = item["id"];
        if (!m_tasks.emplace(taskKey(place), TaskId(i)).second)
            place.refuse("an id that another task has", "an id that is used once", "Number the tasks.");
    }
    m_graph.tasks.resize(tasks.ok() ? count : 0);
    m_schedule.times.resize(m_graph.tasks.size());
}

void ScheduleReader::readTask(const JsonCursor &item, std::size_t i)
{
    SimTask &task = m_graph.tasks[i];
    const JsonCursor kindPlace = item["kind"];
    const std::string kind = kindPlace.string();
    const bool transfer = kind == "transfer";
    if (kind != "compute" && !transfer && kind != "idle-marker")
        kindPlace.refuse(jsonQuoted(kind.substr(0, 60)), oneOf({"compute", "transfer", "idle-marker"}), "Use one of these words.");
    task.kind = transfer ? TaskKind::Transfer : TaskKind::Compute;
    if (item.has("name")) {
        std::string name = item["name"].string();
        if (!name.empty()) {
            task.name = static_cast<std::int32_t>(m_graph.names.size());
            m_graph.names.push_back(std::move(name));
        }
    }
    if (item.has("role"))
        task.role = named(item["role"], roles, TaskRole::Other);
    if (item.has("stage"))
        task.stage = static_cast<std::int16_t>(item["stage"].integer(-1, INT16_MAX));
    if (item.has("micro_batch"))
        task.microBatch = static_cast<std::int32_t>(item["micro_batch"].integer(-1, INT32_MAX));
    m_schedule.times[i] = {time(item["start_ns"]), time(item["end_ns"])};
    each(item, "preds", true, [&](const JsonCursor &place) { task.preds.push_back(this->task(place)); });
    // An idle marker says something about a gap; it holds no device.
    if (kind != "idle-marker")
        each(item, "devices", !(kind == "compute"), [&](const JsonCursor &place) { task.devices.push_back(device(place)); });
    if (!transfer) {
        if (item.has("stream"))
            task.stream = static_cast<std::uint8_t>(item["stream"].integer(0, UINT8_MAX));
        task.duration = std::max(Nanoseconds(0), m_schedule.times[i].end - m_schedule.times[i].start);
        return;
    }
    if (item.has("latency_ns"))
        task.latency = time(item["latency_ns"]);
    if (item.has("least_body_ns"))
        task.duration = time(item["least_body_ns"]);
    each(item, "uses", false, [&](const JsonCursor &place) {
        LinkUse use;
        use.link = link(place["link"]);
        use.direction = direction(place["direction"]);
        const JsonCursor bytes = place["bytes"];
        use.bytes = bytes.number();
        if (use.bytes < 0)
            bytes.refuse("a negative number", "bytes of zero or more", "Correct the number.");
        task.uses.push_back(use);
    });
}

void ScheduleReader::readLinkUse(const JsonCursor &item)
{
    LinkUsage usage;
    usage.link = link(item["link"]);
    usage.direction = direction(item["direction"]);
    each(item, "segments", false, [&](const JsonCursor &place) {
        if (place.size(mostItems) != 3) {
            place.refuse("not three numbers", "[start_ns, end_ns, bytes_per_s]", "Correct the segment.");
            return;
        }
        const RateSegment s{time(place.item(0)), time(place.item(1)), place.item(2).number()};
        usage.segments.push_back(s);
        usage.bytes += s.bytesPerSecond * 1e-9 * static_cast<double>(s.end.value - s.start.value);
    });
    each(item, "contended", true, [&](const JsonCursor &place) {
        if (place.size(mostItems) != 2) {
            place.refuse("not two numbers", "[start_ns, end_ns]", "Correct the interval.");
            return;
        }
        usage.contended.push_back({time(place.item(0)), time(place.item(1)), 0});
    });
    m_schedule.links.push_back(std::move(usage));
}

void ScheduleReader::readMemory(const JsonCursor &item)
{
    MemoryTrack track;
    track.device = device(item["device"]);
    track.capacityBytes = item["capacity_bytes"].integer(0, mostBytes);
    each(item, "steps", false, [&](const JsonCursor &place) {
        if (place.size(mostItems) != 2) {
            place.refuse("not two numbers", "[time_ns, bytes]", "Correct the step.");
            return;
        }
        track.steps.push_back({time(place.item(0)), place.item(1).integer(-mostBytes, mostBytes)});
        track.peakBytes = std::max(track.peakBytes, track.steps.back().bytes);
    });
    if (item.has("peak_bytes"))
        track.peakBytes = item["peak_bytes"].integer(0, mostBytes);
    m_schedule.memory.push_back(std::move(track));
}

Result<ScheduleFile> ScheduleReader::read(std::optional<Error> &error)
{
    const JsonCursor clusterPlace = m_root["cluster"];
    ClusterParts parts = readCluster(clusterPlace);
    if (error)
        return fail(*error);
    Result<Cluster> cluster = Cluster::make(std::move(parts));
    if (!cluster) {
        Error inner = cluster.error();
        inner.where = "/cluster" + inner.where;
        return fail(std::move(inner));
    }
    m_schedule.makespan = time(m_root["makespan_ns"]);
    const JsonCursor tasks = m_root["tasks"];
    readTaskIds(tasks);
    for (std::size_t i = 0; i < m_graph.tasks.size() && !error; ++i)
        readTask(tasks.item(i), i);
    each(m_root, "link_use", false, [this](const JsonCursor &item) { readLinkUse(item); });
    each(m_root, "memory", true, [this](const JsonCursor &item) { readMemory(item); });
    each(m_root, "critical_path", true, [this](const JsonCursor &place) { m_schedule.criticalPath.push_back(task(place)); });
    if (error)
        return fail(*error);
    m_schedule.graph = std::make_shared<const TaskGraph>(std::move(m_graph));
    return ScheduleFile{std::move(*cluster), std::move(m_schedule)};
}

} // namespace polyrail
