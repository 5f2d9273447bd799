// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_files.hpp"
#include "core/formats/json_text.hpp"
#include "core/formats/schedule_reader.hpp"

#include <cmath>

namespace polyrail {

namespace {

/// The file has bytes as integers; costs may have fractions. What rounding adds or takes on a link
/// direction is carried over to its next use, so that their sum stays within one byte.
class WholeBytes
{
public:
    explicit WholeBytes(std::size_t links) : m_carry(links * 2, 0.0) {}
    std::int64_t round(const LinkUse &use)
    {
        double &carry = m_carry[use.link.index() * 2 + static_cast<std::size_t>(use.direction)];
        const double wanted = use.bytes + carry;
        const double whole = std::max(0.0, std::round(wanted));
        carry = wanted - whole;
        return static_cast<std::int64_t>(std::min(whole, 9e18));
    }

private:
    std::vector<double> m_carry;
};

class ScheduleWriter
{
public:
    ScheduleWriter(const Schedule &schedule, const Cluster &cluster) : m_schedule(schedule), m_cluster(cluster)
    {
        for (const Device &d : cluster.devices())
            m_devices.push_back(jsonQuoted(d.id));
        for (const Link &l : cluster.links())
            m_links.push_back(jsonQuoted(l.id));
    }
    std::string write();

private:
    void writeCluster();
    void writeTasks();
    void writeTask(std::size_t i, WholeBytes &bytes);
    void writeLinkUse();
    void writeMemory();

    const Schedule &m_schedule;
    const Cluster &m_cluster;
    std::vector<std::string> m_devices; ///< ids, in quotes
    std::vector<std::string> m_links;
    JsonText m_out;
};

/// Puts a separator before every item but the first.
class Between
{
public:
    explicit Between(std::string_view text) : m_text(text) {}
    std::string_view operator()() { return std::exchange(m_first, false) ? std::string_view() : m_text; }

private:
    std::string_view m_text;
    bool m_first = true;
};

void ScheduleWriter::writeCluster()
{
    m_out.raw("\"cluster\":{\"name\":").quoted(m_cluster.name()).raw(",\"digest\":").quoted(m_cluster.digest());
    m_out.raw(",\n\"devices\":[");
    Between comma(",\n");
    for (std::size_t d = 0; d < m_devices.size(); ++d) {
        const Device &device = m_cluster.devices()[d];
        m_out.raw(comma()).raw("{\"id\":").raw(m_devices[d]).raw(",\"type\":").quoted(device.typeName);
        m_out.raw(",\"memory_bytes\":").integer(device.type.memory.value).raw("}");
    }
    m_out.raw("],\n\"hubs\":[");
    comma = Between(",\n");
    for (const Hub &hub : m_cluster.hubs())
        m_out.raw(comma()).raw("{\"id\":").quoted(hub.id).raw(",\"kind\":").quoted(toString(hub.kind)).raw("}");
    m_out.raw("],\n\"links\":[");
    comma = Between(",\n");
    for (std::size_t l = 0; l < m_links.size(); ++l) {
        const Link &link = m_cluster.links()[l];
        m_out.raw(comma()).raw("{\"id\":").raw(m_links[l]).raw(",\"ends\":[");
        m_out.quoted(m_cluster.vertexName(link.ends[0])).raw(",").quoted(m_cluster.vertexName(link.ends[1]));
        m_out.raw("],\"kind\":").quoted(toString(link.kind));
        m_out.raw(",\"bandwidth_bytes_per_s\":").number(link.bandwidth.value);
        m_out.raw(",\"latency_ns\":").integer(toNanoseconds(link.latency).value);
        m_out.raw(",\"duplex\":").raw(link.duplex == Duplex::Half ? "\"half\"" : "\"full\"");
        m_out.raw(",\"state\":").raw(link.state == LinkState::Down ? "\"down\"}" : "\"up\"}");
    }
    m_out.raw("],\n\"conflicts\":[");
    comma = Between(",\n");
    for (const ConflictGroup &group : m_cluster.conflicts()) {
        const bool exclusive = group.kind == ConflictKind::Exclusive;
        m_out.raw(comma()).raw("{\"id\":").quoted(group.id).raw(",\"kind\":");
        m_out.raw(exclusive ? "\"exclusive\"" : "\"capacity\"").raw(",\"links\":[");
        Between inner(",");
        for (LinkId l : group.links)
            m_out.raw(inner()).raw(m_links[l.index()]);
        m_out.raw("]");
        if (!exclusive) {
            m_out.raw(",\"capacity_bytes_per_s\":").number(group.capacity.value);
            m_out.raw(",\"both_directions\":").raw(group.bothDirections ? "true" : "false");
        }
        m_out.raw("}");
    }
    m_out.raw("]}");
}

void ScheduleWriter::writeTask(std::size_t i, WholeBytes &bytes)
{
    const SimTask &task = m_schedule.graph->tasks[i];
    const TaskTime &time = m_schedule.times[i];
    const bool transfer = task.kind == TaskKind::Transfer;
    const std::vector<std::string> &names = m_schedule.graph->names;
    m_out.raw("{\"id\":").integer(i).raw(transfer ? ",\"kind\":\"transfer\",\"name\":" : ",\"kind\":\"compute\",\"name\":");
    const bool named = task.name >= 0 && static_cast<std::size_t>(task.name) < names.size();
    m_out.quoted(named ? std::string_view(names[static_cast<std::size_t>(task.name)]) : std::string_view());
    m_out.raw(",\"model\":\"\",\"role\":\"").raw(toString(task.role)).raw("\"");
    if (task.stage >= 0)
        m_out.raw(",\"stage\":").integer(task.stage);
    if (task.microBatch >= 0)
        m_out.raw(",\"micro_batch\":").integer(task.microBatch);
    m_out.raw(",\"start_ns\":").integer(time.start.value).raw(",\"end_ns\":").integer(time.end.value);
    m_out.raw(",\"preds\":[");
    Between comma(",");
    for (TaskId p : task.preds)
        m_out.raw(comma()).integer(p.value);
    m_out.raw("],\"devices\":[");
    comma = Between(",");
    for (DeviceId d : task.devices)
        m_out.raw(comma()).raw(m_devices[d.index()]);
    m_out.raw("]");
    if (!transfer) {
        m_out.raw(",\"stream\":").integer(static_cast<int>(task.stream)).raw("}");
        return;
    }
    if (task.latency.value > 0)
        m_out.raw(",\"latency_ns\":").integer(task.latency.value);
    if (task.duration.value > 0)
        m_out.raw(",\"least_body_ns\":").integer(task.duration.value);
    m_out.raw(",\"uses\":[");
    comma = Between(",");
    for (const LinkUse &use : task.uses) {
        m_out.raw(comma()).raw("{\"link\":").raw(m_links[use.link.index()]);
        m_out.raw(use.direction == Direction::Forward ? ",\"direction\":\"forward\",\"bytes\":"
                                                      : ",\"direction\":\"backward\",\"bytes\":");
        m_out.integer(bytes.round(use)).raw("}");
    }
    m_out.raw("]}");
}

void ScheduleWriter::writeTasks()
{
    m_out.raw("\"tasks\":[");
    Between comma(",\n");
    WholeBytes bytes(m_links.size());
    for (std::size_t i = 0; i < m_schedule.times.size(); ++i) {
        m_out.raw(comma());
        writeTask(i, bytes);
    }
    m_out.raw("]");
}

void ScheduleWriter::writeLinkUse()
{
    m_out.raw("\"link_use\":[");
    Between comma(",\n");
    for (const LinkUsage &usage : m_schedule.links) {
        m_out.raw(comma()).raw("{\"link\":").raw(m_links[usage.link.index()]);
        m_out.raw(",\"direction\":\"").raw(toString(usage.direction)).raw("\",\"segments\":[");
        Between inner(",");
        for (const RateSegment &s : usage.segments) {
            m_out.raw(inner()).raw("[").integer(s.start.value).raw(",").integer(s.end.value).raw(",");
            m_out.number(s.bytesPerSecond).raw("]");
        }
        m_out.raw("]");
        if (!usage.contended.empty()) {
            m_out.raw(",\"contended\":[");
            inner = Between(",");
            for (const RateSegment &s : usage.contended)
                m_out.raw(inner()).raw("[").integer(s.start.value).raw(",").integer(s.end.value).raw("]");
            m_out.raw("]");
        }
        m_out.raw("}");
    }
    m_out.raw("]");
}

void ScheduleWriter::writeMemory()
{
    m_out.raw("\"memory\":[");
    Between comma(",\n");
    for (const MemoryTrack &track : m_schedule.memory) {
        m_out.raw(comma()).raw("{\"device\":").raw(m_devices[track.device.index()]);
        m_out.raw(",\"capacity_bytes\":").integer(track.capacityBytes);
        m_out.raw(",\"peak_bytes\":").integer(track.peakBytes).raw(",\"steps\":[");
        Between inner(",");
        for (const MemoryStep &step : track.steps)
            m_out.raw(inner()).raw("[").integer(step.time.value).raw(",").integer(step.bytes).raw("]");
        m_out.raw("]}");
    }
    m_out.raw("]");
}

std::string ScheduleWriter::write()
{
    m_out.reserve(4096 + m_schedule.times.size() * 200);
    m_out.raw("{\"format\":\"polyrail-schedule\",\"version\":1,\n\"makespan_ns\":").integer(m_schedule.makespan.value);
    m_out.raw(",\n");
    writeCluster();
    m_out.raw(",\n");
    writeTasks();
    m_out.raw(",\n");
    writeLinkUse();
    m_out.raw(",\n");
    writeMemory();
    m_out.raw(",\n\"critical_path\":[");
    Between comma(",");
    for (TaskId t : m_schedule.criticalPath)
        m_out.raw(comma()).integer(t.value);
    m_out.raw("]}\n");
    return m_out.take();
}

} // namespace

std::string writeSchedule(const Schedule &schedule, const Cluster &cluster)
{
    return ScheduleWriter(schedule, cluster).write();
}

Result<ScheduleFile> readSchedule(std::string_view text)
{
    JsonLimits limits;
    limits.maxBytes = std::size_t(1) << 30;
    const Result<nlohmann::json> root = parseJson(text, limits);
    if (!root)
        return fail(root.error());
    if (Result<void> ok = checkFormat(*root, "polyrail-schedule", 1); !ok)
        return fail(ok.error());
    std::optional<Error> error;
    const JsonCursor cursor(*root, error);
    return ScheduleReader(cursor).read(error);
}

} // namespace polyrail
