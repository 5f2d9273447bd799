// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/gantt_model.hpp"

#include "ui/charts/chart_text.hpp"

#include <algorithm>
#include <limits>

namespace polyrail {

namespace {

/// Time that is already taken on a row: adds pieces of bars in the order they come, never over what is there.
class Lane
{
public:
    explicit Lane(std::vector<GanttBar> bars) : m_bars(std::move(bars)) {}

    /// Puts `added` (sorted by start) into the free time; what falls on taken time is returned (sorted by start).
    std::vector<GanttBar> fill(const std::vector<GanttBar> &added)
    {
        std::vector<GanttBar> merged, covered;
        merged.reserve(m_bars.size() + added.size());
        std::size_t next = 0;
        std::int64_t taken = std::numeric_limits<std::int64_t>::min(); // end of the last added piece
        for (const GanttBar &bar : added) {
            std::int64_t from = bar.start;
            const auto keep = [&](std::vector<GanttBar> &where, std::int64_t start, std::int64_t end) {
                GanttBar piece = bar;
                piece.start = start;
                piece.end = end;
                where.push_back(piece);
            };
            if (taken > from) {
                keep(covered, from, std::min(taken, bar.end));
                from = std::min(taken, bar.end);
            }
            while (next < m_bars.size() && m_bars[next].end <= from)
                merged.push_back(m_bars[next++]);
            for (std::size_t i = next; from < bar.end; ++i) {
                const bool last = i >= m_bars.size() || m_bars[i].start >= bar.end;
                const std::int64_t freeUntil = last ? bar.end : std::max(from, m_bars[i].start);
                if (freeUntil > from)
                    keep(merged, from, freeUntil);
                from = freeUntil;
                if (last)
                    break;
                const std::int64_t coveredUntil = std::min(m_bars[i].end, bar.end);
                if (coveredUntil > from)
                    keep(covered, from, coveredUntil);
                from = std::max(from, coveredUntil);
                if (i == next && m_bars[i].end <= from)
                    merged.push_back(m_bars[next++]);
            }
            taken = std::max(taken, bar.end);
        }
        while (next < m_bars.size())
            merged.push_back(m_bars[next++]);
        std::sort(merged.begin(), merged.end(), [](const GanttBar &a, const GanttBar &b) { return a.start < b.start; });
        m_bars = std::move(merged);
        return covered;
    }
    std::vector<GanttBar> take() { return std::move(m_bars); }

private:
    std::vector<GanttBar> m_bars;
};

void sortByStart(std::vector<GanttBar> &bars)
{
    std::stable_sort(bars.begin(), bars.end(), [](const GanttBar &a, const GanttBar &b) { return a.start < b.start; });
}

/// Cuts each bar where the one before it still lasts.
std::vector<GanttBar> disjoint(std::vector<GanttBar> bars)
{
    sortByStart(bars);
    std::vector<GanttBar> result;
    result.reserve(bars.size());
    std::int64_t taken = std::numeric_limits<std::int64_t>::min();
    for (GanttBar bar : bars) {
        bar.start = std::max(bar.start, taken);
        if (bar.end > bar.start) {
            taken = bar.end;
            result.push_back(bar);
        }
    }
    return result;
}

struct RowParts
{
    std::vector<GanttBar> compute;
    std::array<std::vector<GanttBar>, 2> traffic; ///< inside a stage first: it belongs to the computation before it
};

void finishRow(DeviceRow &row, RowParts parts, const std::vector<SimTask> &tasks)
{
    Lane lane(disjoint(std::move(parts.compute)));
    std::vector<GanttBar> covered;
    for (auto &traffic : parts.traffic) {
        sortByStart(traffic);
        const auto more = lane.fill(traffic);
        covered.insert(covered.end(), more.begin(), more.end());
    }
    row.bars = lane.take();
    row.hidden = disjoint(std::move(covered));
    for (std::size_t i = 1; i < row.bars.size(); ++i) {
        const GanttBar &before = row.bars[i - 1];
        GanttBar &bar = row.bars[i];
        if (bar.kind != BarKind::Communication || before.kind == BarKind::Communication || before.end != bar.start)
            continue;
        const SimTask &task = tasks[static_cast<std::size_t>(bar.task)];
        const SimTask &parent = tasks[static_cast<std::size_t>(before.task)];
        bar.joined = task.role == TaskRole::TensorTraffic && task.stage == parent.stage
                     && task.microBatch == parent.microBatch;
    }
    row.blockBusy.resize((row.bars.size() + busyBlock - 1) / busyBlock);
    for (std::size_t i = 0; i < row.bars.size(); ++i)
        row.blockBusy[i / busyBlock][static_cast<std::size_t>(row.bars[i].kind)] += row.bars[i].end - row.bars[i].start;
}

/// Stage of each device: from the plan, else from the device's own tasks; -2 = takes no part.
std::vector<int> stageOfDevices(const ShownPlan &shown)
{
    std::vector<int> stage(shown.cluster.devices().size(), -2);
    const auto note = [&](DeviceId d, int s) {
        if (d.valid() && d.index() < stage.size() && stage[d.index()] < 0)
            stage[d.index()] = std::max(stage[d.index()], s);
    };
    if (shown.plan) {
        for (std::size_t s = 0; s < shown.plan->stages.size(); ++s) {
            for (const Replica &replica : shown.plan->stages[s].replicas) {
                for (const DeviceId d : replica.devices)
                    note(d, static_cast<int>(s));
            }
        }
    }
    for (const SimTask &task : shown.schedule->graph->tasks) {
        for (const DeviceId d : task.devices)
            note(d, task.kind == TaskKind::Compute ? task.stage : -1);
    }
    return stage;
}

void addDevices(GanttModel &model)
{
    const ShownPlan &shown = model.shown;
    const std::vector<int> stageOf = stageOfDevices(shown);
    std::vector<DeviceId> order;
    if (shown.plan) {
        for (const Stage &stage : shown.plan->stages) {
            for (const Replica &replica : stage.replicas)
                order.insert(order.end(), replica.devices.begin(), replica.devices.end());
        }
    }
    std::vector<bool> placed(stageOf.size(), false);
    for (const DeviceId d : order)
        placed[d.index()] = true;
    std::vector<DeviceId> rest;
    for (std::size_t d = 0; d < stageOf.size(); ++d) {
        if (stageOf[d] == -2)
            model.idleDevices.push_back(DeviceId(d));
        else if (!placed[d])
            rest.push_back(DeviceId(d));
    }
    // Devices that no stage claims come last.
    std::stable_sort(rest.begin(), rest.end(), [&](DeviceId a, DeviceId b) {
        return static_cast<unsigned>(stageOf[a.index()]) < static_cast<unsigned>(stageOf[b.index()]);
    });
    order.insert(order.end(), rest.begin(), rest.end());

    std::vector<std::int32_t> rowOf(stageOf.size(), -1);
    for (const DeviceId d : order) {
        if (rowOf[d.index()] >= 0)
            continue;
        rowOf[d.index()] = static_cast<std::int32_t>(model.devices.size());
        DeviceRow row;
        row.device = d;
        row.stage = stageOf[d.index()];
        row.name = QString::fromStdString(shown.cluster.device(d).id);
        model.devices.push_back(std::move(row));
    }

    const Schedule &schedule = *shown.schedule;
    const auto &tasks = schedule.graph->tasks;
    std::vector<RowParts> parts(model.devices.size());
    for (std::size_t t = 0; t < tasks.size() && t < schedule.times.size(); ++t) {
        const SimTask &task = tasks[t];
        const GanttBar bar{schedule.times[t].start.value, schedule.times[t].end.value, static_cast<std::int32_t>(t),
                           barKind(task), false};
        if (bar.end <= bar.start)
            continue;
        for (const DeviceId d : task.devices) {
            RowParts &row = parts[static_cast<std::size_t>(rowOf[d.index()])];
            if (task.kind == TaskKind::Compute)
                row.compute.push_back(bar);
            else
                row.traffic[task.role == TaskRole::TensorTraffic ? 0 : 1].push_back(bar);
        }
    }
    for (std::size_t r = 0; r < model.devices.size(); ++r)
        finishRow(model.devices[r], std::move(parts[r]), tasks);
}

void addStages(GanttModel &model)
{
    for (std::size_t r = 0; r < model.devices.size(); ++r) {
        if (!model.stages.empty() && model.stages.back().stage == model.devices[r].stage) {
            ++model.stages.back().rowCount;
            continue;
        }
        StageGroup group;
        group.stage = model.devices[r].stage;
        group.firstRow = r;
        group.rowCount = 1;
        group.name = group.stage < 0 ? ChartText::tr("Other devices") : ChartText::tr("Stage %1").arg(group.stage + 1);
        const auto index = static_cast<std::size_t>(group.stage);
        if (group.stage >= 0 && model.shown.plan && index < model.shown.plan->stages.size()) {
            const Stage &stage = model.shown.plan->stages[index];
            group.split = splitText(stage);
            group.layers = layersText(stage);
        }
        model.stages.push_back(std::move(group));
    }
}

void addMemory(GanttModel &model)
{
    std::vector<const MemoryTrack *> byDevice(model.shown.cluster.devices().size(), nullptr);
    for (const MemoryTrack &track : model.shown.schedule->memory) {
        if (track.device.valid() && track.device.index() < byDevice.size())
            byDevice[track.device.index()] = &track;
    }
    for (const DeviceRow &device : model.devices) {
        const MemoryTrack *track = byDevice[device.device.index()];
        if (!track)
            continue;
        MemoryRow row;
        row.device = device.device;
        row.name = device.name;
        row.capacity = static_cast<double>(track->capacityBytes);
        row.peak = static_cast<double>(track->peakBytes);
        row.figure = memoryText(track->peakBytes, track->capacityBytes);
        row.series = RateSeries::ofMemory(track->steps, model.shown.schedule->makespan);
        model.memory.push_back(std::move(row));
    }
}

/// A task of many devices is marked once: on the topmost of its rows.
void addCritical(GanttModel &model)
{
    const Schedule &schedule = *model.shown.schedule;
    std::vector<std::int32_t> rowOf(model.shown.cluster.devices().size(), -1);
    for (std::size_t r = 0; r < model.devices.size(); ++r)
        rowOf[model.devices[r].device.index()] = static_cast<std::int32_t>(r);
    for (const TaskId id : schedule.criticalPath) {
        const SimTask &task = schedule.graph->tasks[id.index()];
        CriticalPiece piece{schedule.times[id.index()].start.value, schedule.times[id.index()].end.value, -1, id.value};
        // Traffic between stages is seen in the lines from row to row and in the link rows.
        const bool inRow = task.kind == TaskKind::Compute || task.role == TaskRole::TensorTraffic
                           || task.role == TaskRole::GradientTraffic;
        for (const DeviceId d : task.devices) {
            const std::int32_t row = rowOf[d.index()];
            if (inRow && row >= 0 && (piece.row < 0 || row < piece.row))
                piece.row = row;
        }
        if (piece.end <= piece.start)
            continue;
        // Communication that ends a block is outlined with it.
        if (task.role == TaskRole::TensorTraffic && !model.critical.empty() && model.critical.back().row == piece.row
            && model.critical.back().end == piece.start) {
            model.critical.back().end = piece.end;
            continue;
        }
        model.critical.push_back(piece);
    }
    std::stable_sort(model.critical.begin(), model.critical.end(),
                     [](const CriticalPiece &a, const CriticalPiece &b) { return a.start < b.start; });
}

BarRef pieceAt(const std::vector<GanttBar> &bars, std::size_t row, double time, bool hidden)
{
    const auto it = std::upper_bound(bars.begin(), bars.end(), time,
                                     [](double t, const GanttBar &b) { return t < static_cast<double>(b.end); });
    if (it == bars.end() || static_cast<double>(it->start) > time)
        return {};
    return {static_cast<std::int32_t>(row), static_cast<std::int32_t>(it - bars.begin()), hidden};
}

} // namespace

std::vector<LinkRow> makeLinkRows(const ShownPlan &shown, const std::set<QString> &openBundles);

BarKind barKind(const SimTask &task)
{
    switch (task.role) {
    case TaskRole::Forward: return BarKind::Forward;
    case TaskRole::Backward: return BarKind::Backward;
    case TaskRole::Recompute: return BarKind::Recompute;
    case TaskRole::Optimiser: return BarKind::Optimiser;
    case TaskRole::TensorTraffic:
    case TaskRole::PipelineTraffic:
    case TaskRole::GradientTraffic: return BarKind::Communication;
    case TaskRole::Other: break;
    }
    return task.kind == TaskKind::Transfer ? BarKind::Communication : BarKind::Other;
}

GanttModel GanttModel::build(const ShownPlan &shown, const Options &options)
{
    GanttModel model;
    model.shown = shown;
    if (!shown.schedule || !shown.schedule->graph)
        return model;
    model.makespan = shown.schedule->makespan.value;
    addDevices(model);
    addStages(model);
    addCritical(model);
    if (options.links)
        model.links = makeLinkRows(shown, options.openBundles);
    if (options.memory)
        addMemory(model);
    return model;
}

const GanttBar &GanttModel::bar(BarRef ref) const
{
    const DeviceRow &row = devices[static_cast<std::size_t>(ref.row)];
    return (ref.hidden ? row.hidden : row.bars)[static_cast<std::size_t>(ref.bar)];
}

BarRef GanttModel::barAt(std::size_t row, double time) const
{
    return pieceAt(devices[row].bars, row, time, false);
}

BarRef GanttModel::hiddenAt(std::size_t row, double time) const
{
    return pieceAt(devices[row].hidden, row, time, true);
}

BarRef GanttModel::barNear(std::size_t row, double time, double reach) const
{
    if (const BarRef exact = barAt(row, time); exact.valid())
        return exact;
    const auto &bars = devices[row].bars;
    const auto after = std::lower_bound(bars.begin(), bars.end(), time,
                                        [](const GanttBar &b, double t) { return static_cast<double>(b.start) < t; });
    BarRef best;
    double distance = reach;
    const auto consider = [&](std::vector<GanttBar>::const_iterator it, double d) {
        if (d <= distance) {
            distance = d;
            best = {static_cast<std::int32_t>(row), static_cast<std::int32_t>(it - bars.begin()), false};
        }
    };
    if (after != bars.end())
        consider(after, static_cast<double>(after->start) - time);
    if (after != bars.begin())
        consider(after - 1, time - static_cast<double>((after - 1)->end));
    return best;
}

std::vector<BarRef> GanttModel::barsOf(TaskId task) const
{
    std::vector<BarRef> result;
    if (!shown.schedule || !task.valid() || task.index() >= shown.schedule->times.size())
        return result;
    const TaskTime time = shown.schedule->times[task.index()];
    const auto scan = [&](const std::vector<GanttBar> &bars, std::size_t row, bool hidden) {
        auto it = std::lower_bound(bars.begin(), bars.end(), time.start.value,
                                   [](const GanttBar &b, std::int64_t t) { return b.start < t; });
        for (; it != bars.end() && it->start < time.end.value; ++it) {
            if (it->task == task.value)
                result.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(it - bars.begin()), hidden});
        }
    };
    for (const DeviceId d : shown.schedule->graph->tasks[task.index()].devices) {
        if (const auto row = rowOf(d)) {
            scan(devices[*row].bars, *row, false);
            scan(devices[*row].hidden, *row, true);
        }
    }
    return result;
}

BarRef GanttModel::step(std::size_t row, TaskId from, int direction) const
{
    const auto &bars = devices[row].bars;
    if (bars.empty())
        return {};
    std::int64_t i = direction > 0 ? -1 : static_cast<std::int64_t>(bars.size());
    for (const BarRef ref : barsOf(from)) {
        if (ref.row == static_cast<std::int32_t>(row) && !ref.hidden)
            i = direction > 0 ? std::max<std::int64_t>(i, ref.bar) : std::min<std::int64_t>(i, ref.bar);
    }
    i += direction;
    if (i < 0 || i >= static_cast<std::int64_t>(bars.size()))
        return {};
    return {static_cast<std::int32_t>(row), static_cast<std::int32_t>(i), false};
}

TaskId GanttModel::stepCritical(TaskId from, int direction) const
{
    if (!shown.schedule || shown.schedule->criticalPath.empty())
        return {};
    const auto &path = shown.schedule->criticalPath;
    const auto here = std::find(path.begin(), path.end(), from);
    if (here != path.end()) {
        if (direction > 0)
            return here + 1 == path.end() ? TaskId() : *(here + 1);
        return here == path.begin() ? TaskId() : *(here - 1);
    }
    if (!from.valid() || from.index() >= shown.schedule->times.size())
        return direction > 0 ? path.front() : path.back();
    const std::int64_t time = shown.schedule->times[from.index()].start.value;
    TaskId best;
    for (const TaskId t : path) { // first to last
        const bool later = shown.schedule->times[t.index()].start.value > time;
        if (direction > 0 && later)
            return t;
        if (direction < 0 && !later)
            best = t;
    }
    return best;
}

std::optional<std::size_t> GanttModel::rowOf(DeviceId device) const
{
    const auto it = std::find_if(devices.begin(), devices.end(), [&](const DeviceRow &r) { return r.device == device; });
    if (it == devices.end())
        return std::nullopt;
    return static_cast<std::size_t>(it - devices.begin());
}

} // namespace polyrail
