// SPDX-License-Identifier: GPL-3.0-or-later
// Moves over the Gantt: zoom, pan, steps from task to task.
#include "ui/charts/chart_text.hpp"
#include "ui/charts/gantt_canvas.hpp"

#include <algorithm>

namespace polyrail {

void GanttCanvas::zoomBy(double factor, std::optional<double> about)
{
    rememberView();
    const double lower = m_axis.lower(), upper = m_axis.upper();
    const double middle = about && *about >= lower && *about <= upper ? *about : (lower + upper) / 2;
    // At the closest zoom the axis would keep its width but move: stay where we are instead.
    const double width = std::max((upper - lower) / factor, 1e-6);
    const double share = (middle - lower) / (upper - lower);
    m_axis.setRange(middle - share * width, middle + (1 - share) * width);
}

void GanttCanvas::panBy(double share)
{
    rememberView();
    const double shift = (m_axis.upper() - m_axis.lower()) * share;
    m_axis.setRange(m_axis.lower() + shift, m_axis.upper() + shift);
}

void GanttCanvas::showAll()
{
    rememberView();
    m_axis.showAll();
}

void GanttCanvas::fitSelected()
{
    const TaskId task = m_selection.task();
    const auto &schedule = m_scene.model.shown.schedule;
    if (!schedule || !task.valid() || task.index() >= schedule->times.size()) {
        showAll();
        return;
    }
    rememberView();
    const double start = toSeconds(schedule->times[task.index()].start).value;
    const double end = toSeconds(schedule->times[task.index()].end).value;
    const double room = std::max((end - start) * 0.25, 1e-6);
    m_axis.setRange(start - room, end + room);
    showTask(task);
}

std::optional<std::size_t> GanttCanvas::currentRow() const
{
    const auto bars = m_scene.model.barsOf(m_selection.task());
    for (const BarRef ref : bars) {
        if (m_row && ref.row == static_cast<std::int32_t>(*m_row))
            return m_row;
    }
    if (!bars.empty())
        return static_cast<std::size_t>(bars.front().row);
    if (m_row && *m_row < m_scene.model.devices.size())
        return m_row;
    const DeviceId device = m_scene.model.shown.cluster.findDevice(m_selection.current().toStdString());
    if (device.valid()) {
        if (const auto row = m_scene.model.rowOf(device))
            return row;
    }
    if (m_scene.model.devices.empty())
        return std::nullopt;
    return 0;
}

void GanttCanvas::stepTask(int direction)
{
    const auto row = currentRow();
    if (!row)
        return;
    const BarRef next = m_scene.model.step(*row, m_selection.task(), direction);
    if (!next.valid())
        return;
    selectBar(next);
    showTask(m_selection.task());
}

void GanttCanvas::stepRow(int direction)
{
    const auto row = currentRow();
    if (!row)
        return;
    const auto count = static_cast<std::int64_t>(m_scene.model.devices.size());
    const std::int64_t next = static_cast<std::int64_t>(*row) + direction;
    if (next < 0 || next >= count)
        return;
    const auto to = static_cast<std::size_t>(next);
    const auto bars = m_scene.model.barsOf(m_selection.task());
    const double time = bars.empty() ? m_axis.lower() * 1e9 : static_cast<double>(m_scene.model.bar(bars.front()).start);
    const BarRef ref = m_scene.model.barNear(to, time, static_cast<double>(m_scene.model.makespan));
    m_row = to;
    if (ref.valid()) {
        selectBar(ref);
        showTask(m_selection.task());
    }
}

void GanttCanvas::stepCritical(int direction)
{
    const TaskId next = m_scene.model.stepCritical(m_selection.task(), direction);
    if (!next.valid())
        return;
    const auto bars = m_scene.model.barsOf(next);
    selectTaskById(next, bars.empty() ? std::nullopt : std::optional(static_cast<std::size_t>(bars.front().row)));
    showTask(next);
}

void GanttCanvas::showTask(TaskId task)
{
    const TaskTime time = m_scene.model.shown.schedule->times[task.index()];
    const double start = toSeconds(time.start).value, end = toSeconds(time.end).value;
    const double width = m_axis.upper() - m_axis.lower();
    if (end > m_axis.upper() || start < m_axis.lower()) {
        // As little as possible; one that is wider than the view starts at its beginning.
        const double room = width * 0.05;
        double lower = start < m_axis.lower() || end - start > width ? start - room : end + room - width;
        if (end < m_axis.lower() || start > m_axis.upper())
            lower = (start + end - width) / 2;
        m_axis.setRange(lower, lower + width);
    }
    const auto bars = m_scene.model.barsOf(task);
    if (bars.empty())
        return;
    std::size_t row = static_cast<std::size_t>(bars.front().row);
    for (const BarRef ref : bars) {
        if (m_row && ref.row == static_cast<std::int32_t>(*m_row))
            row = *m_row;
    }
    if (const auto index = m_scene.layout.placeOf(RowKind::Device, row)) {
        const RowPlace &place = m_scene.layout.places[*index];
        if (place.top < m_scene.scroll)
            setScroll(place.top - m_scene.metrics.px(3));
        else if (place.top + place.height > m_scene.scroll + m_scene.rows.height())
            setScroll(place.top + place.height + m_scene.metrics.px(3) - m_scene.rows.height());
    }
}

QString GanttCanvas::measureText() const
{
    if (!m_scene.measure)
        return {};
    const double from = m_scene.measure->first * 1e9, to = m_scene.measure->second * 1e9;
    QStringList lines{ChartText::tr("%1 from %2 to %3").arg(timeText(to - from), timeText(from), timeText(to))};
    if (to <= from || m_scene.model.devices.empty())
        return lines.join(u'\n');
    std::array<double, barKindCount> busy{};
    double whole = 0;
    for (const DeviceRow &row : m_scene.model.devices) {
        const auto part = busyBetween(row, from, to);
        const auto members = static_cast<double>(row.members.size());
        whole += (to - from) * members;
        for (std::size_t k = 0; k < barKindCount; ++k)
            busy[k] += part[k] * members;
    }
    double idle = whole;
    const QString names[barKindCount] = {ChartText::tr("forward"),   ChartText::tr("backward"),
                                         ChartText::tr("recomputation"), ChartText::tr("optimiser"),
                                         ChartText::tr("communication"), ChartText::tr("other")};
    for (std::size_t k = 0; k < barKindCount; ++k) {
        idle -= busy[k];
        if (busy[k] > 0)
            lines << QStringLiteral("%1: %2").arg(names[k], shareText(busy[k] / whole));
    }
    lines << ChartText::tr("idle: %1").arg(shareText(std::max(0.0, idle) / whole));
    return lines.join(u'\n');
}

} // namespace polyrail
