// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_paint.hpp"
#include "ui/charts/gantt_lod.hpp"
#include "ui/charts/gantt_model.hpp"

#include <QRectF>

#include <cstdint>
#include <optional>
#include <vector>

namespace polyrail {

/// Sizes of the Gantt in pixels at body text of 12 px; all of them grow with the font.
struct GanttMetrics
{
    double scale = 1;
    bool comfortable = false;
    double px(double v) const { return v * scale; }
    double deviceRow() const { return px(comfortable ? 22 : 15); }
    double deviceBar() const { return px(comfortable ? 18 : 13); }
    double linkRow() const { return px(23); }
    double linkChart() const { return px(18); }
    double stageGap() const { return px(5); }
    double ruler() const { return px(21); }
    double labels() const { return px(214); }
    double rightMargin = 16;
    double right() const { return px(rightMargin); }
};

enum class RowKind : std::uint8_t { Device, IdleDevices, Link, Memory };

/// One row on the page. `top` counts from the top of the first row.
struct RowPlace
{
    RowKind kind = RowKind::Device;
    std::size_t index = 0; ///< into the model's list of that kind
    double top = 0;
    double height = 0;
};

/// Where the rows lie; from the model and the sizes alone.
struct GanttLayout
{
    std::vector<RowPlace> places;
    std::vector<double> separators;
    double height = 0;

    static GanttLayout make(const GanttModel &model, const GanttMetrics &metrics);
    /// Index into `places` of the row at `y`, if any.
    std::optional<std::size_t> placeAt(double y) const;
    std::optional<std::size_t> placeOf(RowKind kind, std::size_t index) const;
};

/// What all parts of one Gantt draw from. Owned by the canvas.
struct GanttScene
{
    GanttModel model;
    GanttLayout layout;
    GanttMetrics metrics;
    const Theme *theme = nullptr;
    const SelectionModel *selection = nullptr;
    QRectF rows;                         ///< where rows are drawn: right of the labels, under the ruler
    double width = 0;                    ///< of the whole chart
    double names = 66;                   ///< pixels that device names take at the right of their column
    double scroll = 0;                   ///< pixels of rows above the view
    std::optional<double> cursor;        ///< seconds
    double density = 1;
    std::uint64_t revision = 0;          ///< grows with every change but zoom, pan and cursor
    std::vector<BarRef> selectedBars;
    std::vector<TaskId> relatives;       ///< tasks that the selected one waits for, and those that wait for it
    BarRef hover;
    std::optional<std::pair<double, double>> measure; ///< seconds; a span that is being measured

    bool stale() const { return model.shown.stale; }
    double y(double rowTop) const { return rows.top() + rowTop - scroll; }
    QRectF barRect(const RowPlace &place) const; ///< the whole track of a device row
    /// Slots in sight: [first, last).
    std::pair<std::size_t, std::size_t> visible() const;
    bool isSelected(const RowPlace &place) const;
};

} // namespace polyrail
