// SPDX-License-Identifier: GPL-3.0-or-later
// Link and memory rows: a figure over time against its capacity.
#include "ui/charts/chart_text.hpp"
#include "ui/charts/gantt_plottable.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

constexpr double capacityAt = 0.86; // of the chart's height, so that there is room for what lies above the line

} // namespace

void GanttRates::draw(QCPPainter *painter)
{
    if (m_scene.rows.width() < 1)
        return;
    QPainter &p = *painter;
    const PaintDevice device = deviceOf(*painter);
    const ChartColors colors(*m_scene.theme, m_scene.stale());
    const TimeScale scale = timeScale();
    const auto [first, last] = m_scene.visible();
    for (std::size_t i = first; i < last; ++i) {
        const RowPlace &place = m_scene.layout.places[i];
        if (place.kind == RowKind::Link)
            drawLink(p, device, colors, scale, place);
        else if (place.kind == RowKind::Memory)
            drawMemory(p, device, colors, scale, place);
    }
}

void GanttRates::drawSeries(QPainter &p, const PaintDevice &device, const TimeScale &scale, const RateSeries &series,
                            double capacity, const Area &area, const QColor &fill, bool peakOnly)
{
    const QColor tint = mix(m_scene.theme->track, fill, 0.3);
    const QRectF &clip = m_scene.rows;
    const auto box = [&](double x0, double x1, double value, const QColor &color) {
        const double height = area.full * value / capacity;
        const double y0 = std::clamp(area.base - area.upward * height, clip.top(), clip.bottom());
        const double y1 = std::clamp(area.base, clip.top(), clip.bottom());
        if (height > 0 && x1 > x0 && y0 != y1)
            p.fillRect(QRectF(QPointF(x0, std::min(y0, y1)), QPointF(x1, std::max(y0, y1))), color);
    };
    const auto both = [&](double x0, double x1, double mean, double peak) {
        if (peakOnly) {
            box(x0, x1, peak, fill);
            return;
        }
        if (peak > mean * 1.001)
            box(x0, x1, peak, tint);
        box(x0, x1, mean, fill);
    };
    const double perPixel = device.density;
    const int count = static_cast<int>(std::ceil(scale.width * perPixel - 1e-6));
    const auto pieces = series.pieces();
    const auto begin = std::upper_bound(pieces.begin(), pieces.end(), scale.lower, [](double t, const RateSeries::Piece &s) {
        return t < static_cast<double>(s.end);
    });
    const auto end = std::lower_bound(begin, pieces.end(), scale.upper(), [](const RateSeries::Piece &s, double t) {
        return static_cast<double>(s.start) < t;
    });
    // On paper few pieces are drawn as they are; on the screen always by pixel column, which keeps the area right.
    if (device.vectorized && end - begin < count / 4) {
        for (auto it = begin; it != end; ++it) {
            both(std::max(scale.x(static_cast<double>(it->start)), clip.left()),
                 std::min(scale.x(static_cast<double>(it->end)), clip.right()), it->mean, it->peak);
        }
        return;
    }
    const double width = 1 / perPixel;
    const auto columns = series.columns(scale.lower, scale.lower + count * width / scale.pixelsPerNs, count);
    for (std::size_t c = 0; c < columns.size();) {
        std::size_t next = c + 1;
        while (next < columns.size() && std::abs(columns[next].mean - columns[c].mean) <= 1e-9 * capacity
               && columns[next].peak == columns[c].peak)
            ++next;
        if (columns[c].peak > 0) {
            both(scale.left + width * static_cast<double>(c),
                 std::min(clip.right(), scale.left + width * static_cast<double>(next)), columns[c].mean, columns[c].peak);
        }
        c = next;
    }
}

void GanttRates::drawLink(QPainter &p, const PaintDevice &device, const ChartColors &colors, const TimeScale &scale,
                          const RowPlace &place)
{
    const LinkRow &row = m_scene.model.links[place.index];
    const GanttMetrics &metrics = m_scene.metrics;
    const double chart = metrics.linkChart();
    const double top = device.snap(m_scene.y(place.top) + (place.height - chart) / 2);
    const QColor fill = colors.link(row.kind);
    const bool both = row.bothWays();
    const double full = device.snap(chart * capacityAt);
    // Both ways: mirrored about the middle, each half against its own line.
    const double half = device.snap(metrics.px(8.5));
    const double middle = device.snap(m_scene.y(place.top) + place.height / 2);
    const Area areas[2] = {both ? Area{middle - 0.5, half, 1} : Area{top + chart, full, 1},
                           both ? Area{middle + 0.5, half, -1} : Area{top + chart, full, 1}};
    const double lineTop = areas[0].base - areas[0].full;
    const double trackBottom = both ? middle + 0.5 + half : top + chart;
    p.fillRect(QRectF(m_scene.rows.left(), lineTop, m_scene.rows.width(), trackBottom - lineTop).intersected(m_scene.rows),
               colors.track);
    for (std::size_t d = 0; d < 2; ++d) {
        Q_ASSERT(row.series[d].peakOver(0, static_cast<double>(m_scene.model.makespan)) <= row.capacity * (1 + 1e-6));
        if (!row.series[d].empty())
            p.setRenderHint(QPainter::Antialiasing, true); // the height of a fill is data: no rounding to pixels
        drawSeries(p, device, scale, row.series[d], row.capacity, areas[d], fill, false);
        p.setRenderHint(QPainter::Antialiasing, false);
    }
    const auto inSight = [&](double y) { return y >= m_scene.rows.top() && y <= m_scene.rows.bottom(); };
    if (row.idle()) {
        const QRectF box(m_scene.rows.left() + metrics.px(6), lineTop, m_scene.rows.width() - metrics.px(12), trackBottom - lineTop);
        if (m_scene.rows.contains(box)) {
            p.setFont(uiFont(TextRole::Tick));
            p.setPen(colors.fade(m_scene.theme->muted));
            paintElided(p, box, Qt::AlignVCenter | Qt::AlignLeft, ChartText::tr("not used by this plan"));
        }
        return;
    }
    // Just outside of what a full link fills, so that full and capacity are both seen.
    if (inSight(lineTop))
        paintDashes(p, m_scene.rows.left(), m_scene.rows.right(), lineTop - 0.5, colors.limit);
    if (both && inSight(trackBottom))
        paintDashes(p, m_scene.rows.left(), m_scene.rows.right(), trackBottom + 0.5, colors.limit);
    // Dots where transfers share the link.
    const double dots = lineTop - metrics.px(2.5);
    if (!inSight(dots) || row.contended.empty())
        return;
    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);
    p.setPen(Qt::NoPen);
    p.setBrush(colors.limit);
    const double step = metrics.px(4);
    double next = m_scene.rows.left();
    for (const RateSegment &segment : row.contended) {
        const double x0 = std::max(scale.x(static_cast<double>(segment.start.value)), m_scene.rows.left());
        const double x1 = std::min(scale.x(static_cast<double>(segment.end.value)), m_scene.rows.right());
        if (x1 <= x0)
            continue;
        double x = std::max(next, x0 + metrics.px(1));
        do {
            if (x >= next)
                p.drawEllipse(QPointF(x, dots), metrics.px(0.9), metrics.px(0.9));
            x += step;
        } while (x < x1);
        next = x;
    }
    p.restore();
}

void GanttRates::drawMemory(QPainter &p, const PaintDevice &device, const ChartColors &colors, const TimeScale &scale,
                            const RowPlace &place)
{
    const MemoryRow &row = m_scene.model.memory[place.index];
    const double chart = m_scene.metrics.linkChart();
    const double top = device.snap(m_scene.y(place.top) + (place.height - chart) / 2);
    // Memory can exceed its capacity in a plan that does not fit: then the peak sets the scale and the line sinks.
    const double full = device.snap(chart * capacityAt * std::min(1.0, row.capacity / std::max(row.peak * capacityAt, 1.0)));
    const double lineTop = top + chart - full;
    p.fillRect(QRectF(m_scene.rows.left(), lineTop, m_scene.rows.width(), full).intersected(m_scene.rows), colors.track);
    if (row.capacity <= 0)
        return;
    p.setRenderHint(QPainter::Antialiasing, true);
    const QColor fill = colors.fade(row.peak > row.capacity ? m_scene.theme->limit : m_scene.theme->control);
    drawSeries(p, device, scale, row.series, row.capacity, {top + chart, full, 1}, fill, true);
    p.setRenderHint(QPainter::Antialiasing, false);
    if (lineTop >= m_scene.rows.top() && lineTop <= m_scene.rows.bottom())
        paintDashes(p, m_scene.rows.left(), m_scene.rows.right(), lineTop - 0.5, colors.limit);
}

} // namespace polyrail
