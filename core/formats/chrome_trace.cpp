// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/exporters.hpp"
#include "core/formats/json_text.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace polyrail {

namespace {

/// Where an event is shown: a process and a thread of the trace.
struct Row
{
    int process = 0;
    int thread = 0;
    bool operator==(const Row &o) const { return process == o.process && thread == o.thread; }
    bool operator<(const Row &o) const { return process != o.process ? process < o.process : thread < o.thread; }
};

/// Trace event format (Google, "Trace Event Format", 2016): M names rows, X are slices, s and f the two ends
/// of an arrow, C counters. Slices of one thread must nest, so transfers that share a link direction are
/// put on as many threads as run at once.
class TraceWriter
{
public:
    TraceWriter(const Schedule &schedule, const Cluster &cluster) : m_schedule(schedule), m_cluster(cluster) {}
    std::string write();

private:
    static constexpr int linkProcess = 1;
    static constexpr int firstDeviceProcess = 2;

    void placeTasks();
    void placeTransfers();
    void nameRows();
    void writeSlices();
    void writeArrows();
    void writeCounters();

    int deviceProcess(DeviceId d) const { return firstDeviceProcess + d.value; }
    std::string sideName(std::size_t side) const
    {
        return m_cluster.links()[side / 2].id + ' ' + toString(static_cast<Direction>(side % 2));
    }
    JsonText &event()
    {
        m_out.raw(m_first ? "\n" : ",\n");
        m_first = false;
        return m_out;
    }
    void where(Row row) { m_out.raw(",\"pid\":").integer(row.process).raw(",\"tid\":").integer(row.thread); }
    void metadata(const char *what, Row row, const std::string &name);
    void sortIndex(const char *what, Row row, int index);
    void arrow(const char *phase, std::int64_t id, Row row, std::int64_t time);
    void counter(int process, const std::string &name, const char *unit, std::int64_t time, double value);

    const Schedule &m_schedule;
    const Cluster &m_cluster;
    JsonText m_out;
    bool m_first = true;
    std::vector<std::vector<Row>> m_rows;   ///< by task
    std::map<Row, std::string> m_rowNames;
    std::map<int, std::string> m_processNames;
};

void TraceWriter::metadata(const char *what, Row row, const std::string &name)
{
    event().raw("{\"ph\":\"M\",\"name\":\"").raw(what).raw("\"");
    where(row);
    m_out.raw(",\"args\":{\"name\":").quoted(name).raw("}}");
}

void TraceWriter::sortIndex(const char *what, Row row, int index)
{
    event().raw("{\"ph\":\"M\",\"name\":\"").raw(what).raw("\"");
    where(row);
    m_out.raw(",\"args\":{\"sort_index\":").integer(index).raw("}}");
}

/// Each transfer gets, on every link direction that it uses, the first thread that is free when it starts.
void TraceWriter::placeTransfers()
{
    struct Shown
    {
        std::size_t side;
        std::size_t task;
    };
    std::vector<Shown> shown;
    const std::vector<SimTask> &tasks = m_schedule.graph->tasks;
    const std::size_t nowhere = m_cluster.links().size() * 2; // transfers that use no link
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (tasks[i].kind != TaskKind::Transfer)
            continue;
        const std::size_t before = shown.size();
        for (const LinkUse &use : tasks[i].uses) {
            const std::size_t side = use.link.index() * 2 + static_cast<std::size_t>(use.direction);
            const auto mine = shown.begin() + static_cast<std::ptrdiff_t>(before);
            if (std::none_of(mine, shown.end(), [side](const Shown &s) { return s.side == side; }))
                shown.push_back({side, i});
        }
        if (shown.size() == before)
            shown.push_back({nowhere, i});
    }
    const std::vector<TaskTime> &times = m_schedule.times;
    std::sort(shown.begin(), shown.end(), [&times](const Shown &a, const Shown &b) {
        if (a.side != b.side)
            return a.side < b.side;
        return times[a.task].start != times[b.task].start ? times[a.task].start < times[b.task].start : a.task < b.task;
    });
    int nextThread = 1;
    std::vector<std::pair<std::int64_t, int>> lanes; // busy until, thread
    for (std::size_t k = 0; k < shown.size(); ++k) {
        const auto [side, task] = shown[k];
        if (k == 0 || shown[k - 1].side != side)
            lanes.clear();
        auto lane = std::find_if(lanes.begin(), lanes.end(), [&, t = task](const std::pair<std::int64_t, int> &l) {
            return l.first <= times[t].start.value;
        });
        if (lane == lanes.end()) {
            lane = lanes.insert(lanes.end(), {0, nextThread++});
            std::string name = side == nowhere ? std::string("no link") : sideName(side);
            if (lanes.size() > 1)
                name += " (" + std::to_string(lanes.size()) + ")";
            m_rowNames[{linkProcess, lane->second}] = std::move(name);
        }
        lane->first = times[task].end.value;
        m_rows[task].push_back({linkProcess, lane->second});
    }
}

void TraceWriter::placeTasks()
{
    const std::vector<SimTask> &tasks = m_schedule.graph->tasks;
    m_rows.resize(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (tasks[i].kind != TaskKind::Compute)
            continue;
        for (DeviceId d : tasks[i].devices) {
            const Row row{deviceProcess(d), tasks[i].stream};
            if (std::find(m_rows[i].begin(), m_rows[i].end(), row) != m_rows[i].end())
                continue; // named twice is busy once
            m_rows[i].push_back(row);
            m_processNames[row.process] = m_cluster.device(d).id;
            std::string &name = m_rowNames[row];
            if (name.empty())
                name = tasks[i].stream == 0 ? "compute" : "stream " + std::to_string(tasks[i].stream);
        }
    }
    placeTransfers();
    if (m_rowNames.lower_bound({linkProcess, 0}) != m_rowNames.lower_bound({linkProcess + 1, 0})
        || !m_schedule.links.empty())
        m_processNames[linkProcess] = "links";
    for (const MemoryTrack &track : m_schedule.memory)
        m_processNames[deviceProcess(track.device)] = m_cluster.device(track.device).id;
}

void TraceWriter::nameRows()
{
    for (const auto &[process, name] : m_processNames) {
        metadata("process_name", {process, 0}, name);
        // Devices first, in their order; the links below them.
        sortIndex("process_sort_index", {process, 0},
                  process == linkProcess ? static_cast<int>(m_cluster.devices().size()) : process - firstDeviceProcess);
    }
    for (const auto &[row, name] : m_rowNames) {
        metadata("thread_name", row, name);
        sortIndex("thread_sort_index", row, row.thread);
    }
}

void TraceWriter::writeSlices()
{
    const TaskGraph &graph = *m_schedule.graph;
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
        const SimTask &task = graph.tasks[i];
        const TaskTime &time = m_schedule.times[i];
        const bool named = task.name >= 0 && static_cast<std::size_t>(task.name) < graph.names.size();
        for (const Row &row : m_rows[i]) {
            event().raw("{\"ph\":\"X\",\"name\":");
            if (named)
                m_out.quoted(graph.names[static_cast<std::size_t>(task.name)]);
            else
                m_out.raw("\"").raw(toString(task.role)).raw("\"");
            m_out.raw(",\"cat\":\"").raw(toString(task.role)).raw("\"");
            where(row);
            m_out.raw(",\"ts\":").microseconds(time.start.value);
            m_out.raw(",\"dur\":").microseconds(time.end.value - time.start.value);
            m_out.raw(",\"args\":{\"task\":").integer(i);
            if (task.stage >= 0)
                m_out.raw(",\"stage\":").integer(task.stage);
            if (task.microBatch >= 0)
                m_out.raw(",\"micro_batch\":").integer(task.microBatch);
            if (task.kind == TaskKind::Transfer) {
                double bytes = 0;
                for (const LinkUse &use : task.uses)
                    bytes += use.bytes;
                m_out.raw(",\"bytes_on_links\":").number(bytes);
                m_out.raw(",\"latency_us\":").microseconds(task.latency.value);
            }
            m_out.raw("}}");
        }
    }
}

void TraceWriter::arrow(const char *phase, std::int64_t id, Row row, std::int64_t time)
{
    event().raw("{\"ph\":\"").raw(phase).raw("\",\"name\":\"data\",\"cat\":\"data\",\"id\":").integer(id);
    if (*phase == 'f')
        m_out.raw(",\"bp\":\"e\"");
    where(row);
    m_out.raw(",\"ts\":").microseconds(time).raw("}");
}

/// Along the preds that a transfer is one end of. An arrow binds to the slice that is open at its time, so it
/// leaves in the last nanosecond of one and arrives at the start of the other.
void TraceWriter::writeArrows()
{
    const std::vector<SimTask> &tasks = m_schedule.graph->tasks;
    const std::vector<TaskTime> &times = m_schedule.times;
    std::int64_t id = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        for (TaskId p : tasks[i].preds) {
            const bool dataMoves = tasks[i].kind == TaskKind::Transfer || tasks[p.index()].kind == TaskKind::Transfer;
            const TaskTime &from = times[p.index()];
            if (!dataMoves || m_rows[i].empty() || m_rows[p.index()].empty() || from.end <= from.start
                || times[i].end <= times[i].start)
                continue;
            ++id;
            arrow("s", id, m_rows[p.index()].front(), from.end.value - 1);
            arrow("f", id, m_rows[i].front(), times[i].start.value);
        }
    }
}

void TraceWriter::counter(int process, const std::string &name, const char *unit, std::int64_t time, double value)
{
    event().raw("{\"ph\":\"C\",\"name\":").quoted(name).raw(",\"pid\":").integer(process).raw(",\"tid\":0,\"ts\":");
    m_out.microseconds(time).raw(",\"args\":{\"").raw(unit).raw("\":").number(value).raw("}}");
}

void TraceWriter::writeCounters()
{
    for (const LinkUsage &usage : m_schedule.links) {
        const std::string name
            = sideName(usage.link.index() * 2 + static_cast<std::size_t>(usage.direction)) + ", GB/s";
        for (std::size_t k = 0; k < usage.segments.size(); ++k) {
            const RateSegment &s = usage.segments[k];
            counter(linkProcess, name, "GB/s", s.start.value, s.bytesPerSecond * 1e-9);
            if (k + 1 == usage.segments.size() || usage.segments[k + 1].start != s.end)
                counter(linkProcess, name, "GB/s", s.end.value, 0);
        }
    }
    for (const MemoryTrack &track : m_schedule.memory) {
        for (const MemoryStep &step : track.steps)
            counter(deviceProcess(track.device), "memory, GiB", "GiB", step.time.value,
                    static_cast<double>(step.bytes) / 1073741824.0);
    }
}

std::string TraceWriter::write()
{
    m_out.reserve(4096 + m_schedule.times.size() * 400);
    m_out.raw("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":\"Polyrail\",\"cluster\":");
    m_out.quoted(m_cluster.name()).raw("},\n\"traceEvents\":[");
    placeTasks();
    nameRows();
    writeSlices();
    writeArrows();
    writeCounters();
    m_out.raw("\n]}\n");
    return m_out.take();
}

} // namespace

std::string exportChromeTrace(const Schedule &schedule, const Cluster &cluster)
{
    return TraceWriter(schedule, cluster).write();
}

} // namespace polyrail
