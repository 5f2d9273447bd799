// SPDX-License-Identifier: GPL-3.0-or-later
// Device rows of the Gantt model: which task is seen where, without overlap.
#include "ui/charts/chart_text.hpp"
#include "ui/charts/gantt_model.hpp"

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

/// "h00.g0\u20137" for a run of numbered names, else "name +7".
QString foldedName(const QString &first, const QString &last, std::size_t count)
{
    qsizetype digits = 0;
    while (digits < last.size() && last[last.size() - 1 - digits].isDigit())
        ++digits;
    const QString stem = last.left(last.size() - digits);
    if (digits > 0 && first.startsWith(stem) && first.size() > stem.size() && first[stem.size()].isDigit())
        return first + QChar(0x2013) + last.right(digits);
    return ChartText::tr("%1 +%2", "first of several devices, how many more").arg(first).arg(count - 1);
}

bool sameBars(const std::vector<GanttBar> &a, const std::vector<GanttBar> &b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const GanttBar &x, const GanttBar &y) {
        return x.task == y.task && x.start == y.start && x.end == y.end;
    });
}

/// Neighbours of one stage that do the very same tasks become one row: the members of a tensor group.
void foldRows(GanttModel &model)
{
    std::vector<DeviceRow> folded;
    for (DeviceRow &row : model.devices) {
        DeviceRow *before = folded.empty() ? nullptr : &folded.back();
        if (before && before->stage == row.stage && sameBars(before->bars, row.bars) && sameBars(before->hidden, row.hidden)) {
            before->members.push_back(row.device);
            continue;
        }
        folded.push_back(std::move(row));
    }
    const Cluster &cluster = model.shown.cluster;
    for (std::size_t r = 0; r < folded.size(); ++r) {
        DeviceRow &row = folded[r];
        for (const DeviceId d : row.members)
            model.rowByDevice[d.index()] = static_cast<std::int32_t>(r);
        if (row.members.size() > 1)
            row.name = foldedName(row.name, QString::fromStdString(cluster.device(row.members.back()).id), row.members.size());
    }
    model.devices = std::move(folded);
}

} // namespace

void addDeviceRows(GanttModel &model, GanttModel::Fold fold)
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

    std::vector<std::int32_t> &rowOf = model.rowByDevice;
    rowOf.assign(stageOf.size(), -1);
    for (const DeviceId d : order) {
        if (rowOf[d.index()] >= 0)
            continue;
        rowOf[d.index()] = static_cast<std::int32_t>(model.devices.size());
        DeviceRow row;
        row.device = d;
        row.members = {d};
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
    if (fold == GanttModel::Fold::Always || (fold == GanttModel::Fold::Auto && model.devices.size() > GanttModel::foldBeyond))
        foldRows(model);
}

} // namespace polyrail
