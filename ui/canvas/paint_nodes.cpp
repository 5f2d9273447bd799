// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/paint.hpp"

#include "ui/document/cluster_edits.hpp"
#include "ui/theme/theme.hpp"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

constexpr double dotPitch = 20;

/// Outlines that mark state keep their width at every zoom.
QPen cosmetic(const QColor &colour, double width)
{
    QPen pen(colour, width);
    pen.setCosmetic(true);
    return pen;
}

QPen outline(const CanvasModel &model, const Theme &theme, const QString &id, const QColor &idle)
{
    if (model.isSelected(id))
        return cosmetic(theme.accent, 2);
    if (model.hovered() == id)
        return cosmetic(theme.text, 1.5);
    return cosmetic(idle, 1);
}

/// Ends of the hovered link are outlined with it.
bool endOfHovered(const CanvasModel &model, VertexId v)
{
    if (model.hovered().isEmpty())
        return false;
    const LinkId link = model.cluster().findLink(model.hovered().toStdString());
    if (!link.valid())
        return false;
    const auto &ends = model.cluster().link(link).ends;
    return ends[0] == v || ends[1] == v;
}

void drawText(QPainter &painter, const QRectF &rect, int flags, const QString &text, const QFont &font,
              const QColor &colour)
{
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(rect, flags | Qt::TextSingleLine, text);
}

QString elided(const QString &text, int pixels, bool bold, double width)
{
    if (canvasTextWidth(text, pixels, bold) <= width)
        return text;
    return QFontMetricsF(canvasFont(pixels, bold)).elidedText(text, Qt::ElideRight, width);
}

/// The largest size, from `least` up to one that is `wanted` pixels on the screen, at which the text fits.
int fittingSize(const CanvasModel &model, const QString &text, bool bold, double width, double wanted, int least)
{
    int size = std::max(least, int(wanted / model.zoom()));
    while (size > least && canvasTextWidth(text, size, bold) > width)
        --size;
    return size;
}

void drawBar(QPainter &painter, const Theme &theme, const QRectF &track, const PlanOverlay::DeviceUse &use, bool stale)
{
    const double radius = track.height() / 2;
    const bool over = *use.usedBytes > use.capacityBytes;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.track);
    painter.drawRoundedRect(track, radius, radius);
    QRectF fill = track;
    fill.setWidth(track.width() * std::clamp(*use.usedBytes / use.capacityBytes, 0.0, 1.0));
    const QColor colour = over ? theme.limit : theme.muted;
    painter.setBrush(stale ? withAlpha(colour, 0.4) : colour);
    if (fill.width() >= 1)
        painter.drawRoundedRect(fill, radius, radius);
}

/// Small on the screen: the name as large as it fits, and below it the bar and the stage.
void drawSmallCard(QPainter &painter, const CanvasModel &model, const Theme &theme, DeviceId d, const QRectF &card)
{
    const PlanOverlay &overlay = model.overlay();
    const PlanOverlay::DeviceUse &use = overlay.devices[d.index()];
    const QString id = model.idOf(Cluster::vertexOf(d));
    const bool staged = overlay.valid && use.stage >= 0;
    const bool barred = overlay.valid && use.usedBytes && use.capacityBytes > 0;
    const QRectF name = card.adjusted(7, 3, -7, staged || barred ? -25 : -3);
    const int size = fittingSize(model, id, true, name.width(), 10, 12);
    drawText(painter, name, Qt::AlignLeft | Qt::AlignVCenter, elided(id, size, true, name.width()), canvasFont(size, true),
             theme.text);
    QRectF bar(card.left() + 8, card.bottom() - 16, card.width() - 16, 7);
    if (staged) {
        const QString stage = CanvasModel::tr("S%1", "stage").arg(use.stage + 1);
        const int stageSize = std::clamp(int(8 / model.zoom()), 10, 17);
        const double width = canvasTextWidth(stage, stageSize, true) + 8;
        const QRectF badge(card.right() - 6 - width, card.bottom() - 25, width, 21);
        painter.setPen(Qt::NoPen);
        painter.setBrush(overlay.stale ? withAlpha(theme.chip, 0.4) : theme.chip);
        painter.drawRoundedRect(badge, 4, 4);
        drawText(painter, badge, Qt::AlignCenter, stage, canvasFont(stageSize, true), overlay.stale ? theme.muted : theme.text);
        bar.setRight(badge.left() - 6);
    }
    if (barred)
        drawBar(painter, theme, bar, use, overlay.stale);
}

void drawCard(QPainter &painter, const CanvasModel &model, const Theme &theme, DeviceId d)
{
    const QRectF card = model.shapes()[d.index()].rect();
    const QString id = model.idOf(Cluster::vertexOf(d));
    painter.setPen(endOfHovered(model, Cluster::vertexOf(d)) && !model.isSelected(id) ? cosmetic(theme.text, 1.5)
                                                                                 : outline(model, theme, id, theme.control));
    painter.setBrush(theme.base);
    painter.drawRoundedRect(card, 6, 6);
    if (model.detail() <= Detail::Plain) {
        drawSmallCard(painter, model, theme, d, card);
        return;
    }

    const PlanOverlay &overlay = model.overlay();
    const PlanOverlay::DeviceUse &use = overlay.devices[d.index()];
    double right = card.right() - 9;
    if (overlay.valid && use.stage >= 0) {
        const QString stage = CanvasModel::tr("S%1", "stage").arg(use.stage + 1);
        const double width = canvasTextWidth(stage, 10, true) + 10;
        const QRectF badge(card.right() - 8 - width, card.top() + 7, width, 17);
        painter.setPen(Qt::NoPen);
        painter.setBrush(overlay.stale ? withAlpha(theme.chip, 0.4) : theme.chip);
        painter.drawRoundedRect(badge, 4, 4);
        drawText(painter, badge, Qt::AlignCenter, stage, canvasFont(10, true), overlay.stale ? theme.muted : theme.text);
        right = badge.left() - 4;
    }
    const QRectF name(card.left() + 9, card.top() + 5, right - card.left() - 9, 20);
    drawText(painter, name, Qt::AlignLeft | Qt::AlignVCenter, elided(id, 12, true, name.width()), canvasFont(12, true),
             theme.text);

    const QRectF line(card.left() + 9, card.top() + 23, card.width() - 18, 14);
    if (!overlay.valid) { // no plan: what it is, and how much memory it has
        drawText(painter, line, Qt::AlignLeft | Qt::AlignVCenter,
                 elided(QString::fromStdString(model.cluster().device(d).typeName), 10, false, line.width()),
                 canvasFont(10), theme.muted);
        drawText(painter, line.translated(0, 13), Qt::AlignLeft | Qt::AlignVCenter, model.deviceCaption(d),
                 canvasFont(10), theme.muted);
        return;
    }
    const bool over = use.usedBytes && use.capacityBytes > 0 && *use.usedBytes > use.capacityBytes;
    drawText(painter, line, Qt::AlignLeft | Qt::AlignVCenter, model.deviceCaption(d), canvasFont(10),
             over ? theme.limit : theme.muted);
    if (!use.usedBytes || use.capacityBytes <= 0)
        return;
    drawBar(painter, theme, {card.left() + 9, card.bottom() - 13, card.width() - 18, 5}, use, overlay.stale);
}

void drawPill(QPainter &painter, const CanvasModel &model, const Theme &theme, VertexId v)
{
    const NodeShape &shape = model.shapes()[v.index()];
    const QString id = model.idOf(v);
    painter.setPen(endOfHovered(model, v) && !model.isSelected(id) ? cosmetic(theme.text, 1.5)
                                                                : outline(model, theme, id, theme.control));
    painter.setBrush(theme.chip);
    painter.drawRoundedRect(shape.rect(), shape.radius, shape.radius);
    const QString label = hubLabel(model.cluster().hubs()[v.index() - model.cluster().devices().size()]);
    const bool small = model.detail() <= Detail::Plain;
    const double room = shape.size.width() - (small ? 8 : 16);
    const int size = small ? std::min(20, fittingSize(model, label, false, room, 9, 11)) : 11;
    drawText(painter, shape.rect(), Qt::AlignCenter, elided(label, size, false, room), canvasFont(size), theme.text);
}

} // namespace

void paintBackground(QPainter &painter, const Theme &theme, const QRectF &area, bool dots)
{
    painter.fillRect(area, theme.canvas);
    if (!dots)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(cosmetic(theme.canvasDots, 1.4));
    QList<QPointF> points;
    for (double x = std::ceil(area.left() / dotPitch) * dotPitch; x <= area.right(); x += dotPitch)
        for (double y = std::ceil(area.top() / dotPitch) * dotPitch; y <= area.bottom(); y += dotPitch)
            points.append({x, y});
    painter.drawPoints(points.constData(), int(points.size()));
    painter.restore();
}

void paintHosts(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area)
{
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t h = 0; h < model.hostBoxes().size(); ++h) {
        const QRectF &box = model.hostBoxes()[h];
        if (!box.intersects(area))
            continue;
        const Host &host = model.cluster().hosts()[h];
        painter.setPen(outline(model, theme, QString::fromStdString(hostKey(host.id)), theme.border));
        painter.setBrush(theme.host);
        painter.drawRoundedRect(box, 8, 8);
        const QString name = QString::fromStdString(host.name.empty() ? host.id : host.name);
        const int size = model.detail() <= Detail::Plain
            ? std::min(24, fittingSize(model, name, true, box.width() - 26, 10, 12))
            : 12;
        const double width = std::min(canvasTextWidth(name, size, true), box.width() - 24);
        const QRectF title(box.left() + 13, box.top() + 5, width + 2, size > 12 ? 30 : 22);
        drawText(painter, title, Qt::AlignLeft | Qt::AlignVCenter, elided(name, size, true, width + 1),
                 canvasFont(size, true), theme.text);
        const double room = box.right() - 12 - (title.right() + 7);
        const QString caption = model.hostCaption(HostId(h));
        if (model.detail() > Detail::Plain && room > 40)
            drawText(painter, {title.right() + 7, title.top() + 1, room, 21}, Qt::AlignLeft | Qt::AlignVCenter,
                     elided(caption, 10, false, room), canvasFont(10), theme.muted);
    }
}

void paintNodes(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area)
{
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < model.shapes().size(); ++i) {
        if (!model.shapes()[i].rect().adjusted(-3, -3, 3, 3).intersects(area))
            continue;
        if (model.cluster().isDevice(VertexId(i)))
            drawCard(painter, model, theme, DeviceId(i));
        else
            drawPill(painter, model, theme, VertexId(i));
    }
}

void paintLabels(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area)
{
    painter.setRenderHint(QPainter::Antialiasing);
    for (const CanvasModel::Words &words : model.words())
        if (words.rect.intersects(area)) {
            painter.setFont(canvasFont(10));
            painter.setPen(theme.bandText);
            painter.drawText(words.rect, Qt::AlignCenter, words.text);
        }
    const bool stale = model.overlay().valid && model.overlay().stale;
    for (const CanvasModel::Label &label : model.labels()) {
        if (!label.rect.intersects(area))
            continue;
        const bool selected = model.isSelected(model.idOf(label.link));
        painter.setPen(cosmetic(selected ? theme.accent : theme.border, 1));
        painter.setBrush(selected ? theme.selection : theme.base);
        painter.drawRoundedRect(label.rect, 4, 4);
        const LinkKind kind = model.cluster().link(label.link).kind;
        paintLinkMark(painter, kind, {label.rect.left() + 10, label.rect.center().y()}, 7, theme.linkColor(kind));
        drawText(painter, label.rect.adjusted(17, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter, label.text,
                 canvasFont(10), selected ? theme.selectionText : stale ? theme.muted : theme.text);
    }
}

void paintTrunks(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area, double zoom)
{
    painter.setRenderHint(QPainter::Antialiasing);
    const double unit = 1 / std::max(zoom, 0.01); // one pixel in scene units
    const auto boxOf = [&](VertexId v) {
        const HostId host = model.cluster().hostOf(v);
        return host.valid() ? model.hostBoxes()[host.index()] : model.shapes()[v.index()].rect();
    };
    const auto trunkLines = trunks(model.cluster(), model.shown());
    const bool many = trunkLines.size() > 60; // a web of thick lines would hide the hosts
    for (const Trunk &trunk : trunkLines) {
        painter.setPen(cosmetic(many ? withAlpha(theme.control, 0.35) : theme.control,
                                many ? 1.0 : linkWidth(BytesPerSecond(trunk.bytesPerSecond)) / 1.5));
        painter.drawLine(boxOf(trunk.a).center(), boxOf(trunk.b).center());
    }
    const QFont small = canvasFont(std::max(1, int(std::lround(10 * unit))));
    RectIndex taken;
    for (const QRectF &box : model.hostBoxes())
        taken.add(box);
    for (std::size_t h = 0; h < model.hostBoxes().size(); ++h) {
        const QRectF &box = model.hostBoxes()[h];
        if (!box.intersects(area))
            continue;
        const Host &host = model.cluster().hosts()[h];
        painter.setPen(outline(model, theme, QString::fromStdString(hostKey(host.id)), theme.control));
        painter.setBrush(theme.host);
        painter.drawRoundedRect(box, 8 * unit, 8 * unit);
        const QString name = QString::fromStdString(host.name.empty() ? host.id : host.name);
        QFont font = canvasFont(std::max(1, int(std::lround(12 * unit))), true);
        const double shrink = std::min(1.0, (box.width() - 8 * unit) / std::max(1.0, QFontMetricsF(font).horizontalAdvance(name)));
        font.setPixelSize(std::max(1, int(font.pixelSize() * shrink)));
        const bool caption = box.height() * zoom > 44;
        drawText(painter, caption ? box.adjusted(0, 0, 0, -14 * unit) : box, Qt::AlignCenter, name, font, theme.text);
        if (caption) {
            int devices = 0;
            for (const Device &device : model.cluster().devices())
                devices += device.host == HostId(h) ? 1 : 0;
            drawText(painter, box.adjusted(0, 16 * unit, 0, 0), Qt::AlignCenter,
                     devices == 1 ? CanvasModel::tr("1 GPU") : CanvasModel::tr("%n GPUs", nullptr, devices), small, theme.muted);
        }
    }
    for (std::size_t i = 0; i < model.shapes().size(); ++i) {
        if (model.cluster().hostOf(VertexId(i)).valid())
            continue;
        const NodeShape &shape = model.shapes()[i];
        const QString id = model.idOf(VertexId(i));
        const double width = QFontMetricsF(small).horizontalAdvance(id) + 14 * unit;
        QRectF named(QPointF(), QSizeF(std::max(width, shape.size.width()), std::max(18 * unit, shape.size.height())));
        named.moveCenter(shape.centre);
        const bool fits = !taken.hits(named);
        const QRectF pill = fits ? named : shape.rect();
        taken.add(pill);
        painter.setPen(outline(model, theme, id, theme.control));
        painter.setBrush(theme.chip);
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
        if (fits)
            drawText(painter, pill, Qt::AlignCenter, id, small, theme.text);
    }
    painter.setFont(small);
    for (const Trunk &trunk : trunkLines) {
        const QPointF middle = (boxOf(trunk.a).center() + boxOf(trunk.b).center()) / 2;
        const QString text = CanvasModel::tr("%1 ×", "number of links").arg(trunk.links);
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 8 * unit;
        const QRectF rect(middle - QPointF(width / 2, 8 * unit), QSizeF(width, 16 * unit));
        if (taken.hits(rect))
            continue;
        taken.add(rect);
        painter.setPen(cosmetic(theme.border, 1));
        painter.setBrush(theme.base);
        painter.drawRoundedRect(rect, 4 * unit, 4 * unit);
        painter.setPen(theme.text);
        painter.drawText(rect, Qt::AlignCenter, text);
    }
}

void paintCanvas(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area)
{
    paintHosts(painter, model, theme, area);
    paintIdleLinks(painter, model, theme, area);
    paintLiveLinks(painter, model, theme, area);
    paintNodes(painter, model, theme, area);
    paintLabels(painter, model, theme, area);
}

} // namespace polyrail
