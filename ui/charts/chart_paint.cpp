// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_paint.hpp"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace polyrail {

namespace {

TaskRole roleOf(BarKind kind)
{
    switch (kind) {
    case BarKind::Forward: return TaskRole::Forward;
    case BarKind::Backward: return TaskRole::Backward;
    case BarKind::Recompute: return TaskRole::Recompute;
    case BarKind::Optimiser: return TaskRole::Optimiser;
    case BarKind::Communication: return TaskRole::TensorTraffic;
    case BarKind::Other: break;
    }
    return TaskRole::Other;
}

/// One period of the hatch for raster devices, with the density of the device.
QImage hatchTile(const QColor &color, double density)
{
    const int size = std::max(2, static_cast<int>(std::lround(5 * density)));
    QImage tile(size, size, QImage::Format_ARGB32_Premultiplied);
    tile.fill(Qt::transparent);
    const int on = static_cast<int>(std::lround(2 * density));
    for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
            if ((x + y) % size < on)
                tile.setPixelColor(x, y, color);
        }
    }
    tile.setDevicePixelRatio(density);
    return tile;
}

} // namespace

ChartColors::ChartColors(const Theme &t, bool isStale) : theme(t), stale(isStale)
{
    track = theme.track;
    operatorText = fade(theme.operatorText);
    hatch = fade(theme.hatch);
    limit = fade(theme.limit);
    mark = fade(theme.text);
    for (std::size_t k = 0; k < barKindCount; ++k) {
        const TaskRole role = roleOf(static_cast<BarKind>(k));
        fill[k] = fade(theme.roleFill(role));
        const QColor outline = theme.roleLine(role);
        line[k] = outline.isValid() ? fade(outline) : outline;
    }
}

double PaintDevice::snap(double v) const
{
    return vectorized ? v : std::round(v * density) / density;
}

QFont boldFont(TextRole role)
{
    QFont font = uiFont(role);
    font.setBold(true);
    return font;
}

void paintBar(QPainter &painter, const PaintDevice &device, const QRectF &rect, const QColor &fill, const QColor &line)
{
    if (device.vectorized) {
        const bool outlined = line.isValid() && rect.width() > 2;
        painter.setPen(outlined ? QPen(line, 1) : QPen(Qt::NoPen));
        painter.setBrush(fill);
        const double inset = outlined ? 0.5 : 0;
        const QRectF box = rect.adjusted(inset, inset, -inset, -inset);
        rect.width() >= 6 ? painter.drawRoundedRect(box, 1.5, 1.5) : painter.drawRect(box);
        return;
    }
    // Two fills without antialiasing, the corner pixels left out: looks like a radius of 1.5 and is several times faster
    // than a rounded path.
    const double px = 1 / device.density;
    const double corner = rect.width() >= 8 ? std::max(px, 1.0) : 0;
    const double hair = line.isValid() && rect.width() > 2 ? 1.0 : 0;
    const QColor &outer = hair > 0 ? line : fill;
    painter.fillRect(rect.adjusted(corner, 0, -corner, 0), outer);
    if (corner > 0)
        painter.fillRect(rect.adjusted(0, corner, 0, -corner), outer);
    if (hair > 0)
        painter.fillRect(rect.adjusted(hair, hair, -hair, -hair), fill);
}

void paintHatch(QPainter &painter, const PaintDevice &device, const QRectF &rect, const QColor &color)
{
    if (rect.isEmpty())
        return;
    if (!device.vectorized) {
        // Charts are painted in one thread; few colours and densities are alive at a time.
        static std::map<std::pair<QRgb, double>, QBrush> brushes;
        auto entry = brushes.find({color.rgba(), device.density});
        if (entry == brushes.end())
            entry = brushes.emplace(std::pair(color.rgba(), device.density), QBrush(hatchTile(color, device.density))).first;
        painter.fillRect(rect, entry->second);
        return;
    }
    // Vector devices ignore texture brushes and (SVG) clipping: each line is cut to the box by hand. x + y = const.
    painter.setPen(QPen(color, 2 / std::sqrt(2.0), Qt::SolidLine, Qt::FlatCap));
    const double first = std::ceil((rect.left() + rect.top()) / 5) * 5 + 1;
    for (double sum = first; sum < rect.right() + rect.bottom(); sum += 5) {
        const double x0 = std::max(rect.left(), sum - rect.bottom());
        const double x1 = std::min(rect.right(), sum - rect.top());
        if (x1 > x0)
            painter.drawLine(QPointF(x0, sum - x0), QPointF(x1, sum - x1));
    }
}

void paintDashes(QPainter &painter, double x0, double x1, double y, const QColor &color, double on, double off)
{
    if (x1 <= x0)
        return;
    QPen pen(color, 1, Qt::CustomDashLine, Qt::FlatCap);
    pen.setDashPattern({on, off});
    painter.setPen(pen);
    painter.drawLine(QPointF(x0, y), QPointF(x1, y));
}

void paintElided(QPainter &painter, const QRectF &rect, int flags, const QString &text)
{
    painter.drawText(rect, flags | Qt::TextSingleLine,
                     QFontMetricsF(painter.font(), painter.device()).elidedText(text, Qt::ElideRight, rect.width() + 0.5));
}

} // namespace polyrail
