// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/gantt_decor.hpp"

#include "ui/charts/chart_text.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

/// Labelled ticks of the ruler in sight, and their distance.
struct Ticks
{
    double step = 1; ///< ns
    std::vector<double> at;
};

Ticks ticksOf(const TimeScale &scale, const GanttMetrics &metrics)
{
    Ticks ticks;
    ticks.step = tickStep(scale.pixelsPerNs, metrics.px(90));
    const double first = std::ceil(scale.lower / ticks.step - 1e-9);
    for (double i = first; i * ticks.step <= scale.upper() * (1 + 1e-12) && ticks.at.size() < 1000; ++i)
        ticks.at.push_back(i * ticks.step);
    return ticks;
}

} // namespace

TimeScale GanttDecor::timeScale() const
{
    const QCPRange range = mParentPlot->xAxis->range();
    return TimeScale::over(range.lower * 1e9, range.upper * 1e9, m_scene.rows.left(), m_scene.rows.width());
}

PaintDevice GanttDecor::deviceOf(const QCPPainter &painter) const
{
    const bool vectorized = painter.modes().testFlag(QCPPainter::pmVectorized);
    return {vectorized, vectorized ? 1 : m_scene.density};
}

void GanttBackground::draw(QCPPainter *painter)
{
    QPainter &p = *painter;
    const Theme &theme = *m_scene.theme;
    const GanttMetrics &metrics = m_scene.metrics;
    const auto [first, last] = m_scene.visible();
    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);
    p.setPen(Qt::NoPen);
    p.setBrush(theme.selection);
    for (std::size_t i = first; i < last; ++i) {
        const RowPlace &place = m_scene.layout.places[i];
        if (!m_scene.isSelected(place))
            continue;
        const double top = std::max(m_scene.y(place.top), m_scene.rows.top());
        const double bottom = std::min(m_scene.y(place.top + place.height), m_scene.rows.bottom());
        // A device row's bracket stands in the label column: begin right of it.
        const double left = place.kind == RowKind::Device ? m_scene.rows.left() - m_scene.names - metrics.px(14) : metrics.px(4);
        p.drawRoundedRect(QRectF(QPointF(left, top), QPointF(m_scene.width - metrics.px(4), bottom)), 4, 4);
    }
    p.restore();
    for (const double y : m_scene.layout.separators) {
        const double at = deviceOf(*painter).snap(m_scene.y(y));
        if (at > m_scene.rows.top() && at < m_scene.rows.bottom())
            p.fillRect(QRectF(0, at, m_scene.width, 1), theme.border);
    }
}

void GanttLabels::draw(QCPPainter *painter)
{
    const bool vectorized = deviceOf(*painter).vectorized;
    if (vectorized || painter->modes().testFlag(QCPPainter::pmNoCaching)) {
        drawAll(*painter, !vectorized);
        return;
    }
    const QSize size = (QSizeF(m_scene.rows.left(), m_scene.rows.bottom()) * m_scene.density).toSize();
    if (m_cached != m_scene.revision || m_cache.size() != size) {
        m_cache = QPixmap(size);
        m_cache.setDevicePixelRatio(m_scene.density);
        m_cache.fill(Qt::transparent);
        QPainter column(&m_cache);
        drawAll(column, true);
        m_cached = m_scene.revision;
    }
    painter->drawPixmap(QPointF(), m_cache);
}

void GanttLabels::drawAll(QPainter &p, bool clip)
{
    const ChartColors colors(*m_scene.theme, m_scene.stale());
    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);
    if (clip)
        p.setClipRect(QRectF(0, m_scene.rows.top(), m_scene.rows.left(), m_scene.rows.height()));
    for (const StageGroup &stage : m_scene.model.stages)
        drawStage(p, colors, stage);
    const auto [first, last] = m_scene.visible();
    for (std::size_t i = first; i < last; ++i)
        drawRow(p, colors, m_scene.layout.places[i]);
    p.restore();
}

void GanttLabels::drawStage(QPainter &p, const ChartColors &colors, const StageGroup &stage)
{
    const GanttMetrics &metrics = m_scene.metrics;
    const auto firstPlace = m_scene.layout.placeOf(RowKind::Device, stage.firstRow);
    const auto lastPlace = m_scene.layout.placeOf(RowKind::Device, stage.firstRow + stage.rowCount - 1);
    if (!firstPlace || !lastPlace)
        return;
    const RowPlace &lastRow = m_scene.layout.places[*lastPlace];
    double top = m_scene.y(m_scene.layout.places[*firstPlace].top) + 1;
    const double bottom = std::min(m_scene.y(lastRow.top + lastRow.height) - 1, m_scene.rows.bottom());
    // The name of a stage that is scrolled half out stays in sight.
    top = std::max(top, m_scene.rows.top() + 1);
    if (bottom - top < 4)
        return;
    p.setPen(Qt::NoPen);
    p.setBrush(colors.theme.control);
    p.drawRoundedRect(QRectF(metrics.px(12), top, metrics.px(3), bottom - top), metrics.px(1.5), metrics.px(1.5));

    const QFont bold = boldFont(TextRole::Small);
    const QFont small = uiFont(TextRole::Tick);
    const double left = metrics.px(22);
    // Device names take the rest of the column.
    const double right = m_scene.rows.left() - m_scene.names - metrics.px(16);
    const double line = metrics.px(13);
    QRectF box(left, top, right - left, line);
    if (box.bottom() > m_scene.rows.bottom() + 1)
        return;
    p.setFont(bold);
    p.setPen(m_scene.theme->text);
    paintElided(p, box, Qt::AlignVCenter | Qt::AlignLeft, stage.name);
    const double used = QFontMetricsF(bold, p.device()).horizontalAdvance(stage.name) + metrics.px(8);
    p.setFont(small);
    p.setPen(m_scene.theme->muted);
    const auto lines = static_cast<int>((bottom - top + 2) / line);
    const bool splitFits = QFontMetricsF(small, p.device()).horizontalAdvance(stage.split) <= right - left - used;
    // With room for one line the layers say most; the split goes under them when it is too long for the first.
    const QString beside = lines < 2 ? stage.layers : splitFits || lines < 3 ? stage.split : QString();
    if (right - left - used > metrics.px(30))
        paintElided(p, box.adjusted(used, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, beside);
    if (lines >= 2)
        paintElided(p, box.translated(0, line), Qt::AlignVCenter | Qt::AlignLeft, stage.layers);
    if (lines >= 3 && !splitFits)
        paintElided(p, box.translated(0, 2 * line), Qt::AlignVCenter | Qt::AlignLeft, stage.split);
}

void GanttLabels::drawRow(QPainter &p, const ChartColors &colors, const RowPlace &place)
{
    const GanttMetrics &metrics = m_scene.metrics;
    const Theme &theme = *m_scene.theme;
    const double top = m_scene.y(place.top);
    // On paper nothing clips: leave out what would stand outside.
    if (top + place.height / 2 < m_scene.rows.top() || top + place.height / 2 > m_scene.rows.bottom())
        return;
    const bool selected = m_scene.isSelected(place);
    const QColor text = selected ? theme.selectionText : theme.text;
    const QColor muted = selected ? theme.selectionText : theme.muted;
    const double right = m_scene.rows.left() - metrics.px(8);
    const auto put = [&](double x0, double x1, int align, const QColor &color, const QFont &font, const QString &what) {
        p.setFont(font);
        p.setPen(color);
        paintElided(p, QRectF(x0, top, x1 - x0, place.height), Qt::AlignVCenter | align, what);
    };
    const QFont name = uiFont(TextRole::Small);
    const QFont figure = uiFont(TextRole::Tick);
    switch (place.kind) {
    case RowKind::Device: {
        const DeviceRow &row = m_scene.model.devices[place.index];
        put(right - m_scene.names, right, Qt::AlignRight, text, name, row.name);
        break;
    }
    case RowKind::IdleDevices: {
        const auto count = m_scene.model.idleDevices.size();
        const QString what = count == 1 ? ChartText::tr("1 device not used") : ChartText::tr("%1 devices not used").arg(count);
        put(metrics.px(22), right, Qt::AlignLeft, theme.muted, figure, what);
        break;
    }
    case RowKind::Link: {
        const LinkRow &row = m_scene.model.links[place.index];
        const double indent = row.member ? metrics.px(12) : 0;
        paintLinkMark(p, row.kind, {metrics.px(16.5) + indent, top + place.height / 2}, metrics.px(9), colors.link(row.kind));
        const double width = row.figure.isEmpty() ? 0 : QFontMetricsF(figure, p.device()).horizontalAdvance(row.figure) + metrics.px(8);
        put(metrics.px(26) + indent, right - width, Qt::AlignLeft, text, name, row.name);
        put(right - width, right, Qt::AlignRight, muted, figure, row.figure);
        break;
    }
    case RowKind::Memory: {
        const MemoryRow &row = m_scene.model.memory[place.index];
        const bool over = row.peak > row.capacity;
        const double width = QFontMetricsF(figure, p.device()).horizontalAdvance(row.figure) + metrics.px(8);
        put(metrics.px(12), right - width, Qt::AlignLeft, text, name, ChartText::tr("%1 memory").arg(row.name));
        put(right - width, right, Qt::AlignRight, over ? theme.limit : muted, figure, row.figure);
        break;
    }
    }
}

void GanttRuler::draw(QCPPainter *painter)
{
    QPainter &p = *painter;
    const Theme &theme = *m_scene.theme;
    const GanttMetrics &metrics = m_scene.metrics;
    const PaintDevice device = deviceOf(*painter);
    const TimeScale scale = timeScale();
    const double base = device.snap(m_scene.rows.top() - metrics.px(3));
    p.fillRect(QRectF(m_scene.rows.left(), base, m_scene.rows.width(), 1), theme.border);
    p.setFont(uiFont(TextRole::Tick));
    const QFontMetricsF fm(p.font(), p.device());
    const Ticks ticks = ticksOf(scale, metrics);
    const auto mark = [&](double time, double length) {
        const double x = device.snap(scale.x(time) - 0.5);
        if (x >= m_scene.rows.left() - 1 && x <= m_scene.rows.right())
            p.fillRect(QRectF(x, base + 1 - length, 1, length), theme.control);
    };
    p.setPen(theme.muted);
    for (const double t : ticks.at) {
        mark(t, metrics.px(7));
        const QString text = timeText(t, ticks.step, scale.upper());
        const double x = scale.x(t) + metrics.px(3);
        if (x >= m_scene.rows.left() && x + fm.horizontalAdvance(text) <= m_scene.width)
            p.drawText(QPointF(x, base - metrics.px(4)), text);
    }
    const double lower = std::floor(scale.lower / ticks.step) * ticks.step;
    for (double t = lower + ticks.step / 2; t <= scale.upper(); t += ticks.step)
        mark(t, metrics.px(4));
}

void GanttCursor::draw(QCPPainter *painter)
{
    QPainter &p = *painter;
    const Theme &theme = *m_scene.theme;
    const GanttMetrics &metrics = m_scene.metrics;
    const PaintDevice device = deviceOf(*painter);
    const TimeScale scale = timeScale();
    QRectF rows = m_scene.rows;
    rows.setBottom(std::clamp(m_scene.y(m_scene.layout.height), rows.top(), rows.bottom()));
    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);

    if (m_scene.hover.valid() && m_scene.hover.row < static_cast<std::int32_t>(m_scene.model.devices.size())) {
        const GanttBar &bar = m_scene.model.bar(m_scene.hover);
        const auto index = m_scene.layout.placeOf(RowKind::Device, static_cast<std::size_t>(m_scene.hover.row));
        const double x0 = std::max(scale.x(static_cast<double>(bar.start)), rows.left());
        const double x1 = std::min(scale.x(static_cast<double>(bar.end)), rows.right());
        if (index && x1 > x0) {
            QRectF box = m_scene.barRect(m_scene.layout.places[*index]);
            box.setLeft(x0);
            box.setRight(x1);
            p.setPen(QPen(theme.accent, 1));
            p.setBrush(Qt::NoBrush);
            p.drawRoundedRect(box.intersected(rows).adjusted(0.5, 0.5, -0.5, -0.5), 1.5, 1.5);
        }
    }
    if (m_scene.measure) {
        const double x0 = std::clamp(scale.x(m_scene.measure->first * 1e9), rows.left(), rows.right());
        const double x1 = std::clamp(scale.x(m_scene.measure->second * 1e9), rows.left(), rows.right());
        QColor shade = theme.accent;
        shade.setAlphaF(0.14F);
        p.fillRect(QRectF(x0, rows.top(), x1 - x0, rows.height()), shade);
        p.setPen(QPen(theme.accent, 1));
        p.drawLine(QPointF(x0, rows.top()), QPointF(x0, rows.bottom()));
        p.drawLine(QPointF(x1, rows.top()), QPointF(x1, rows.bottom()));
    }
    if (m_scene.cursor) {
        const double x = scale.x(*m_scene.cursor * 1e9);
        if (x >= rows.left() - 0.5 && x <= rows.right() + 0.5) {
            p.setFont(boldFont(TextRole::Tick));
            const QFontMetricsF bold(p.font(), p.device());
            // A thousandth of what is in sight is about a pixel.
            const double step = std::pow(10, std::floor(std::log10((scale.upper() - scale.lower) / 1000)));
            const QString text = timeText(*m_scene.cursor * 1e9, std::clamp(step, 1.0, 1e6), scale.upper());
            const double width = bold.horizontalAdvance(text) + metrics.px(14);
            const double base = rows.top() - metrics.px(3);
            const double left = std::clamp(x - width / 2, 0.0, m_scene.width - width);
            const QRectF pill(left, base - metrics.px(17), width, metrics.px(16));
            // Hides the tick labels that it would cut.
            const QFontMetricsF fm(uiFont(TextRole::Tick), p.device());
            const Ticks ticks = ticksOf(scale, metrics);
            for (const double t : ticks.at) {
                const double at = scale.x(t) + metrics.px(3);
                const double advance = fm.horizontalAdvance(timeText(t, ticks.step, scale.upper()));
                if (at < pill.right() + 2 && at + advance > pill.left() - 2)
                    p.fillRect(QRectF(at - 1, base - metrics.px(17), advance + 2, metrics.px(16) - metrics.px(1)), theme.base);
            }
            p.fillRect(QRectF(device.snap(x - 0.75), base - metrics.px(1), 1.5, rows.bottom() - base + metrics.px(1)), theme.accent);
            p.setPen(Qt::NoPen);
            p.setBrush(theme.accent);
            p.drawRoundedRect(pill, 3, 3);
            p.setPen(theme.onAccent);
            p.drawText(pill, Qt::AlignCenter, text);
        }
    }
    p.restore();
}

} // namespace polyrail
