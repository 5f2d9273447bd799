// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/gantt_plottable.hpp"

#include "ui/charts/chart_text.hpp"

#include <QGlyphRun>
#include <QRawFont>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

constexpr double leastBlock = 3; // px; thinner blocks merge

/// [x0, x1] cut to the rows' area and snapped; false when nothing is left.
bool clampSpan(const GanttScene &scene, const PaintDevice &device, double &x0, double &x1)
{
    x0 = device.snap(std::max(x0, scene.rows.left()));
    x1 = device.snap(std::min(x1, scene.rows.right()));
    return x1 > x0;
}

/// A row's box cut to the area, since SVG does not clip.
QRectF clampRow(const GanttScene &scene, const QRectF &rect)
{
    return rect.intersected(scene.rows);
}

} // namespace

GanttPlottable::GanttPlottable(QCPAxis *keyAxis, QCPAxis *valueAxis, const GanttScene &scene)
    : QCPAbstractPlottable(keyAxis, valueAxis), m_scene(scene)
{
    setSelectable(QCP::stNone);
}

double GanttPlottable::selectTest(const QPointF &, bool, QVariant *) const
{
    return -1; // the canvas does its own hit tests, by row and time
}

QCPRange GanttPlottable::getKeyRange(bool &foundRange, QCP::SignDomain) const
{
    foundRange = m_scene.model.makespan > 0;
    return {0, static_cast<double>(m_scene.model.makespan) * 1e-9};
}

QCPRange GanttPlottable::getValueRange(bool &foundRange, QCP::SignDomain, const QCPRange &) const
{
    foundRange = true;
    return {0, m_scene.layout.height};
}

void GanttPlottable::drawLegendIcon(QCPPainter *painter, const QRectF &rect) const
{
    const ChartColors colors(*m_scene.theme, false);
    painter->fillRect(rect, colors.fill[0]);
}

TimeScale GanttPlottable::timeScale() const
{
    const QCPRange range = mKeyAxis->range();
    return TimeScale::over(range.lower * 1e9, range.upper * 1e9, m_scene.rows.left(), m_scene.rows.width());
}

PaintDevice GanttPlottable::deviceOf(const QCPPainter &painter) const
{
    const bool vectorized = painter.modes().testFlag(QCPPainter::pmVectorized);
    return {vectorized, vectorized ? 1 : m_scene.density};
}

void GanttBars::draw(QCPPainter *painter)
{
    if (m_scene.model.empty() || m_scene.rows.width() < 1)
        return;
    QPainter &p = *painter;
    const PaintDevice device = deviceOf(*painter);
    const ChartColors colors(*m_scene.theme, m_scene.stale());
    const TimeScale scale = timeScale();
    prepare(p, colors);
    const auto [first, last] = m_scene.visible();
    for (std::size_t i = first; i < last; ++i) {
        const RowPlace &place = m_scene.layout.places[i];
        if (place.kind == RowKind::Device)
            drawRow(p, device, colors, scale, place);
        else if (place.kind == RowKind::IdleDevices)
            p.fillRect(clampRow(m_scene, m_scene.barRect(place)), colors.track);
    }
    flushVector(p, device, colors);
    drawLabels(p, device, colors);
    drawCritical(p, device, colors, scale);
    drawSelection(p, device, scale);
}

void GanttBars::prepare(QPainter &p, const ChartColors &colors)
{
    m_labels.clear();
    m_labelFont = uiFont(TextRole::BarLabel);
    m_labelMetrics = QFontMetricsF(m_labelFont, p.device());
    for (std::size_t k = 0; k < barKindCount; ++k) {
        for (int shade = 0; shade <= cellShades; ++shade)
            m_cellColors[k][std::size_t(shade)] = mix(colors.track, colors.fill[k], shade / double(cellShades)).rgb();
    }
}

void GanttBars::drawRow(QPainter &p, const PaintDevice &device, const ChartColors &colors, const TimeScale &scale,
                        const RowPlace &place)
{
    const DeviceRow &row = m_scene.model.devices[place.index];
    QRectF full = m_scene.barRect(place);
    full.setTop(device.snap(full.top()));
    full.setBottom(device.snap(full.bottom()));
    const QRectF track = clampRow(m_scene, full);
    if (track.isEmpty())
        return;
    p.fillRect(track.adjusted(0, 0.5, 0, -0.5).intersected(track), colors.track);

    shapeRow(row, scale, leastBlock, device.density, m_shapes);
    drawCells(p, device, scale, track);

    const QFontMetricsF &metrics = m_labelMetrics;
    const double digit = metrics.horizontalAdvance(QLatin1Char('0'));
    const double letter = metrics.horizontalAdvance(QLatin1Char('B'));
    const double least = std::min(m_scene.metrics.px(3), track.height()); // of a strip
    for (const BlockShape &block : m_shapes.blocks) {
        double x0 = scale.x(static_cast<double>(block.start));
        double x1 = scale.x(static_cast<double>(block.end));
        if (!clampSpan(m_scene, device, x0, x1))
            continue;
        const GanttBar &bar = row.bars[static_cast<std::size_t>(block.bar)];
        const auto kind = static_cast<std::size_t>(bar.kind);
        const QRectF box(x0, track.top(), x1 - x0, track.height());
        if (device.vectorized)
            m_vector.bars[kind].push_back(box);
        else
            paintBar(p, device, box, colors.fill[kind], colors.line[kind]);
        const double inset = colors.line[kind].isValid() && box.width() > 2 ? 1 : 0;
        const QRectF inner = box.adjusted(inset, inset, -inset, -inset);
        double textBottom = track.bottom();
        if (bar.kind == BarKind::Communication) {
            if (!device.vectorized)
                paintHatch(p, device, inner, colors.hatch);
            continue;
        }
        if (block.strip > 0) {
            const double height = device.snap(std::max(least, inner.height() * static_cast<double>(block.strip)));
            const QRectF strip(inner.left(), inner.bottom() - height, inner.width(), height);
            paintStrip(p, device, colors, strip);
            textBottom = strip.top() + 1;
        }
        const SimTask &task = m_scene.model.shown.schedule->graph->tasks[static_cast<std::size_t>(bar.task)];
        double width = letter;
        if (bar.kind == BarKind::Other)
            continue;
        if (task.microBatch >= 0 && bar.kind != BarKind::Optimiser)
            width += digit * (1 + std::floor(std::log10(task.microBatch + 1.0)));
        // A cut bar keeps its letter in sight while it fits.
        if (width + 4 <= box.width() && full.height() == track.height() && metrics.ascent() <= textBottom - track.top() + 2) {
            const double baseline = (track.top() + std::max(textBottom, track.top() + metrics.ascent())) / 2
                                    + metrics.capHeight() / 2;
            m_labels.push_back({QPointF(box.left() + 3, baseline), bar.task});
        }
    }
    drawHidden(p, device, colors, scale, row, track);
}

void GanttBars::paintStrip(QPainter &p, const PaintDevice &device, const ChartColors &colors, const QRectF &strip)
{
    if (device.vectorized) {
        m_vector.strips.push_back(strip);
        return;
    }
    p.fillRect(strip, colors.fill[static_cast<std::size_t>(BarKind::Communication)]);
    paintHatch(p, device, strip, colors.hatch);
}

void GanttBars::flushVector(QPainter &p, const PaintDevice &device, const ChartColors &colors)
{
    constexpr auto traffic = static_cast<std::size_t>(BarKind::Communication);
    for (std::size_t k = 0; k < barKindCount; ++k) {
        for (const QRectF &box : m_vector.bars[k])
            paintBar(p, device, box, colors.fill[k], colors.line[k]);
    }
    p.setPen(Qt::NoPen);
    p.setBrush(colors.fill[traffic]);
    for (const QRectF &strip : m_vector.strips)
        p.drawRect(strip);
    const double inset = colors.line[traffic].isValid() ? 1 : 0;
    for (const QRectF &box : m_vector.bars[traffic]) {
        if (box.width() > 2 + inset)
            paintHatch(p, device, box.adjusted(inset, inset, -inset, -inset), colors.hatch);
    }
    for (const QRectF &strip : m_vector.strips)
        paintHatch(p, device, strip, colors.hatch);
    m_vector = {};
}

void GanttBars::drawCells(QPainter &p, const PaintDevice &device, const TimeScale &scale, const QRectF &track)
{
    if (m_shapes.cells.empty())
        return;
    const double column = 1 / device.density;
    const auto colorOf = [&](const CellShape &cell) {
        return m_cellColors[static_cast<std::size_t>(cell.kind)][static_cast<std::size_t>(std::lround(cell.share * cellShades))];
    };
    // An image row costs as much as some dozens of boxes.
    if (device.vectorized || m_shapes.cells.size() < 40) {
        for (std::size_t i = 0; i < m_shapes.cells.size();) {
            // Neighbours that look the same are one box: the file stays small.
            const CellShape &first = m_shapes.cells[i];
            std::size_t end = i + 1;
            while (end < m_shapes.cells.size() && m_shapes.cells[end].kind == first.kind
                   && m_shapes.cells[end].column == first.column + static_cast<int>(end - i)
                   && std::abs(m_shapes.cells[end].share - first.share) < 0.02F)
                ++end;
            double x0 = scale.left + first.column * column;
            double x1 = x0 + column * static_cast<double>(end - i);
            if (clampSpan(m_scene, device, x0, x1))
                p.fillRect(QRectF(x0, track.top(), x1 - x0, track.height()), QColor::fromRgb(colorOf(first)));
            i = end;
        }
        return;
    }
    const int width = static_cast<int>(m_shapes.columns.size());
    if (m_cells.width() != width)
        m_cells = QImage(width, 1, QImage::Format_ARGB32_Premultiplied);
    m_cells.fill(Qt::transparent);
    auto *line = reinterpret_cast<QRgb *>(m_cells.scanLine(0));
    for (const CellShape &cell : m_shapes.cells)
        line[cell.column] = colorOf(cell);
    p.drawImage(QRectF(scale.left, track.top(), width * column, track.height()), m_cells, QRectF(0, 0, width, 1));
}

void GanttBars::drawHidden(QPainter &p, const PaintDevice &device, const ChartColors &colors, const TimeScale &scale,
                           const DeviceRow &row, const QRectF &track)
{
    if (row.hidden.empty())
        return;
    const double height = device.snap(std::min(m_scene.metrics.px(3), track.height()));
    const double top = track.bottom() - height;
    auto it = std::upper_bound(row.hidden.begin(), row.hidden.end(), scale.lower,
                               [](double t, const GanttBar &b) { return t < static_cast<double>(b.end); });
    double paintedTo = -1;
    while (it != row.hidden.end() && static_cast<double>(it->start) < scale.upper()) {
        double x0 = std::max(scale.x(static_cast<double>(it->start)), paintedTo);
        double x1 = scale.x(static_cast<double>(it->end));
        // The next one that begins a pixel further on: thin ones in between are not told apart.
        const double until = scale.time(std::max(x1, x0 + 1));
        if (clampSpan(m_scene, device, x0, x1)) {
            const QRectF strip(x0, top, x1 - x0, height);
            paintStrip(p, device, colors, strip);
            paintedTo = x1;
        }
        ++it;
        if (it != row.hidden.end() && static_cast<double>(it->end) < until) {
            it = std::lower_bound(it, row.hidden.end(), until,
                                  [](const GanttBar &b, double t) { return static_cast<double>(b.end) < t; });
        }
    }
}

void GanttBars::drawLabels(QPainter &p, const PaintDevice &device, const ChartColors &colors)
{
    p.setFont(m_labelFont);
    p.setPen(colors.operatorText);
    const auto &tasks = m_scene.model.shown.schedule->graph->tasks;
    if (device.vectorized) {
        for (const Label &label : m_labels)
            p.drawText(label.place, barLetter(tasks[static_cast<std::size_t>(label.task)]));
        return;
    }
    // Letters and digits are looked up once and all labels drawn as one run: shaping each of a thousand labels would cost
    // more than all bars.
    static const QString characters = QStringLiteral("FBRO0123456789");
    const QRawFont raw = QRawFont::fromFont(m_labelFont);
    const QList<quint32> glyphs = raw.glyphIndexesForString(characters);
    const QList<QPointF> advances = raw.advancesForGlyphIndexes(glyphs, QRawFont::UseDesignMetrics);
    if (glyphs.size() != characters.size() || advances.size() != characters.size())
        return;
    QList<quint32> indexes;
    QList<QPointF> places;
    indexes.reserve(static_cast<qsizetype>(m_labels.size() * 3));
    places.reserve(static_cast<qsizetype>(m_labels.size() * 3));
    for (const Label &label : m_labels) {
        QPointF at(label.place.x(), std::round(label.place.y()));
        for (const QChar c : barLetter(tasks[static_cast<std::size_t>(label.task)])) {
            const qsizetype i = characters.indexOf(c);
            indexes << glyphs[i];
            places << at;
            at.rx() += advances[i].x();
        }
    }
    QGlyphRun run;
    run.setRawFont(raw);
    run.setGlyphIndexes(indexes);
    run.setPositions(places);
    p.drawGlyphRun(QPointF(), run);
}

void GanttBars::drawCritical(QPainter &p, const PaintDevice &device, const ChartColors &colors, const TimeScale &scale)
{
    const auto &pieces = m_scene.model.critical;
    if (pieces.empty())
        return;
    std::vector<const RowPlace *> placeOfRow(m_scene.model.devices.size(), nullptr);
    for (const RowPlace &place : m_scene.layout.places) {
        if (place.kind == RowKind::Device)
            placeOfRow[place.index] = &place;
    }
    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);
    p.setBrush(Qt::NoBrush);
    const double thick = m_scene.metrics.px(1.8);
    const QPen outline(colors.mark, thick);
    const QPen thin(colors.mark, m_scene.metrics.px(1.2));
    const QRectF &rows = m_scene.rows;

    struct Run
    {
        std::int32_t row = -1;
        double x0 = 0, x1 = 0;
    } run;
    double lastLine = -1e9;
    const auto flush = [&] {
        if (run.row < 0)
            return;
        QRectF box = m_scene.barRect(*placeOfRow[static_cast<std::size_t>(run.row)]);
        double x0 = run.x0, x1 = std::max(run.x1, run.x0 + thick);
        if (!clampSpan(m_scene, device, x0, x1))
            return;
        box.setLeft(x0);
        box.setRight(x1);
        if (!rows.contains(box.adjusted(0, 0.5, 0, -0.5)))
            box = box.intersected(rows);
        if (box.height() < 2)
            return;
        p.setPen(outline);
        const double in = thick / 2;
        p.drawRoundedRect(box.adjusted(in, in, -in, -in), 1.5, 1.5);
    };
    const auto connect = [&](const Run &from, std::int32_t toRow, double toX) {
        if (from.row < 0 || from.row == toRow)
            return;
        const QRectF a = m_scene.barRect(*placeOfRow[static_cast<std::size_t>(from.row)]);
        const QRectF b = m_scene.barRect(*placeOfRow[static_cast<std::size_t>(toRow)]);
        QPointF start(from.x1, a.top() < b.top() ? a.bottom() : a.top());
        QPointF end(toX, a.top() < b.top() ? b.top() : b.bottom());
        const double left = std::min(start.x(), end.x()), right = std::max(start.x(), end.x());
        if (right < rows.left() || left > rows.right() || std::abs(end.x() - lastLine) < 2)
            return;
        // Cut by hand to the area of the rows.
        QLineF line(start, end);
        for (const auto &[edge, upper] : {std::pair(rows.top(), false), std::pair(rows.bottom(), true)}) {
            const auto out = [&, e = edge, u = upper](const QPointF &point) { return u ? point.y() > e : point.y() < e; };
            if (out(line.p1()) && out(line.p2()))
                return;
            if (out(line.p1()) || out(line.p2())) {
                const QPointF cut = line.pointAt((edge - line.y1()) / line.dy());
                out(line.p1()) ? line.setP1(cut) : line.setP2(cut);
            }
        }
        if (line.x1() < rows.left() || line.x2() < rows.left() || line.x1() > rows.right() || line.x2() > rows.right())
            return;
        p.setPen(thin);
        p.drawLine(line);
        lastLine = end.x();
    };

    const double lower = scale.lower, upper = scale.upper();
    for (const CriticalPiece &piece : pieces) {
        if (piece.row < 0)
            continue;
        const double x0 = scale.x(static_cast<double>(piece.start));
        const double x1 = scale.x(static_cast<double>(piece.end));
        if (static_cast<double>(piece.start) > upper && run.row >= 0 && run.x1 > rows.right())
            break;
        const bool thinPair = x1 - x0 < leastBlock || run.x1 - run.x0 < leastBlock;
        if (run.row == piece.row && thinPair && x0 - run.x1 < 1.5) {
            run.x1 = std::max(run.x1, x1);
            continue;
        }
        if (run.x1 >= rows.left())
            flush();
        if (static_cast<double>(piece.end) >= lower || (run.row >= 0 && run.x1 >= rows.left()))
            connect(run, piece.row, x0);
        run = {piece.row, x0, x1};
    }
    if (run.row >= 0 && run.x1 >= rows.left())
        flush();
    p.restore();
}

void GanttBars::drawSelection(QPainter &p, const PaintDevice &device, const TimeScale &scale)
{
    if (m_scene.selectedBars.empty() && m_scene.relatives.empty())
        return;
    const Theme &theme = *m_scene.theme;
    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);
    p.setBrush(Qt::NoBrush);
    const auto box = [&](BarRef ref) {
        const auto index = m_scene.layout.placeOf(RowKind::Device, static_cast<std::size_t>(ref.row));
        const GanttBar &bar = m_scene.model.bar(ref);
        double x0 = scale.x(static_cast<double>(bar.start));
        double x1 = std::max(x0 + 3, scale.x(static_cast<double>(bar.end)));
        if (!index || !clampSpan(m_scene, device, x0, x1))
            return QRectF();
        QRectF rect = m_scene.barRect(m_scene.layout.places[*index]);
        rect.setLeft(x0);
        rect.setRight(x1);
        return rect.intersected(m_scene.rows);
    };
    const auto outline = [&](BarRef ref, const QPen &pen) {
        const QRectF rect = box(ref);
        if (rect.width() < 1 || rect.height() < 2)
            return;
        p.setPen(pen);
        p.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), 2.5, 2.5);
    };
    QPen related(theme.accent, 1.2, Qt::DashLine);
    for (const TaskId task : m_scene.relatives) {
        for (const BarRef ref : m_scene.model.barsOf(task))
            outline(ref, related);
    }
    for (const BarRef ref : m_scene.selectedBars)
        outline(ref, QPen(theme.accent, 2));
    p.restore();
}

} // namespace polyrail
