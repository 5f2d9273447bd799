// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/gantt_model.hpp"

#include "ui/charts/chart_text.hpp"

#include <algorithm>

namespace polyrail {

namespace {

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
        // Of folded devices the one that is closest to its capacity.
        const MemoryTrack *track = nullptr;
        const auto share = [](const MemoryTrack &t) {
            return static_cast<double>(t.peakBytes) / static_cast<double>(std::max<std::int64_t>(t.capacityBytes, 1));
        };
        for (const DeviceId member : device.members) {
            const MemoryTrack *other = byDevice[member.index()];
            if (other && (!track || share(*other) > share(*track)))
                track = other;
        }
        if (!track)
            continue;
        MemoryRow row;
        row.device = track->device;
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
    for (const TaskId id : schedule.criticalPath) {
        const SimTask &task = schedule.graph->tasks[id.index()];
        CriticalPiece piece{schedule.times[id.index()].start.value, schedule.times[id.index()].end.value, -1, id.value};
        // Traffic between stages is seen in the lines from row to row and in the link rows.
        const bool inRow = task.kind == TaskKind::Compute || task.role == TaskRole::TensorTraffic
                           || task.role == TaskRole::GradientTraffic;
        for (const DeviceId d : task.devices) {
            const std::int32_t row = model.rowByDevice[d.index()];
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

// In files of their own.
void addDeviceRows(GanttModel &model, GanttModel::Fold fold);
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
    addDeviceRows(model, options.fold);
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
    std::vector<std::size_t> rows;
    for (const DeviceId d : shown.schedule->graph->tasks[task.index()].devices) {
        if (const auto row = rowOf(d); row && std::find(rows.begin(), rows.end(), *row) == rows.end())
            rows.push_back(*row);
    }
    for (const std::size_t row : rows) {
        scan(devices[row].bars, row, false);
        scan(devices[row].hidden, row, true);
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
    if (!device.valid() || device.index() >= rowByDevice.size() || rowByDevice[device.index()] < 0)
        return std::nullopt;
    return static_cast<std::size_t>(rowByDevice[device.index()]);
}

} // namespace polyrail
