// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/paint.hpp"

#include "ui/theme/theme.hpp"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

constexpr double bandWidth = 24;

QPainterPath pathOf(const Curve &curve)
{
    QPainterPath path(curve.start);
    path.quadTo(curve.control, curve.end);
    return path;
}

/// Dashes are given in scene units; Qt counts them in widths of the pen.
QPen dashed(const QColor &colour, double width, double dash, double gap)
{
    QPen pen(colour, width, Qt::CustomDashLine, Qt::FlatCap);
    pen.setDashPattern({dash / width, gap / width});
    return pen;
}

void strokeIdle(QPainter &painter, const Theme &theme, LinkKind kind, const QPainterPath &path, double width,
                const QColor &gap)
{
    const QColor colour = theme.linkColor(kind);
    switch (kind) {
    case LinkKind::NvLink: { // two thin lines, empty between
        painter.strokePath(path, QPen(colour, std::max(width, 3.0), Qt::SolidLine, Qt::FlatCap));
        painter.strokePath(path, QPen(gap, std::max(width - 2.4, 1.0), Qt::SolidLine, Qt::FlatCap));
        break;
    }
    case LinkKind::Pcie: // two thin lines, tinted between
        painter.strokePath(path, QPen(colour, std::max(width, 3.0), Qt::SolidLine, Qt::FlatCap));
        painter.strokePath(path, QPen(mix(gap, colour, 0.38), std::max(width - 2.2, 1.0), Qt::SolidLine, Qt::FlatCap));
        break;
    case LinkKind::Network: painter.strokePath(path, dashed(colour, std::max(width / 2, 1.4), 9, 4)); break;
    case LinkKind::HostBus: painter.strokePath(path, dashed(colour, std::max(width * 0.6, 1.6), 2, 3)); break;
    case LinkKind::Other: {
        const double w = std::max(width / 2, 1.4);
        QPen pen(colour, w, Qt::CustomDashLine, Qt::FlatCap);
        pen.setDashPattern({6 / w, 3 / w, 1.5 / w, 3 / w});
        painter.strokePath(path, pen);
        break;
    }
    }
}

void strokeDown(QPainter &painter, const Theme &theme, LinkKind kind, const Curve &curve)
{
    painter.strokePath(pathOf(curve), dashed(theme.linkColor(kind), 1.6, 1.8, 4));
    const QPointF c = curve.at(0.5);
    QPen pen(theme.limit, 2.2, Qt::SolidLine, Qt::RoundCap);
    painter.setPen(pen);
    painter.drawLine(c + QPointF(-5, -5), c + QPointF(5, 5));
    painter.drawLine(c + QPointF(-5, 5), c + QPointF(5, -5));
}

/// What shows between the two lines of a link: whatever it lies on.
QColor backOf(const CanvasModel &model, const Theme &theme, LinkId id)
{
    const auto &ends = model.cluster().link(id).ends;
    const HostId host = model.cluster().hostOf(ends[0]);
    return host.valid() && host == model.cluster().hostOf(ends[1]) ? theme.host : theme.canvas;
}

void drawIdle(QPainter &painter, const CanvasModel &model, const Theme &theme, LinkId id)
{
    const LinkCurve &link = model.links().curves[id.index()];
    const LinkKind kind = model.cluster().link(id).kind;
    if (model.isDown(id))
        strokeDown(painter, theme, kind, link.curve);
    else if (model.detail() <= Detail::Plain && (kind == LinkKind::NvLink || kind == LinkKind::Pcie)) {
        // Too small to tell two lines apart: one, in the mean of what they are made of.
        const QColor colour = mix(backOf(model, theme, id), theme.linkColor(kind), kind == LinkKind::NvLink ? 0.6 : 0.75);
        painter.strokePath(pathOf(link.curve), QPen(colour, std::max(link.width, 3.0), Qt::SolidLine, Qt::FlatCap));
    } else {
        strokeIdle(painter, theme, kind, pathOf(link.curve), link.width, backOf(model, theme, id));
    }
}

void drawUse(QPainter &painter, const CanvasModel &model, const Theme &theme, LinkId id)
{
    const PlanOverlay::Use &use = model.overlay().links[id.index()];
    if (!model.overlay().valid || model.isDown(id) || (use.share[0] <= 0 && use.share[1] <= 0))
        return;
    const LinkCurve &link = model.links().curves[id.index()];
    QColor colour = theme.linkColor(model.cluster().link(id).kind);
    if (model.overlay().stale)
        colour = withAlpha(colour, 0.4);
    const QPen pen(colour, std::max(link.width, 3.0), Qt::SolidLine, Qt::FlatCap);
    const double reach = use.share[0] > 0 && use.share[1] > 0 ? 0.5 : 1.0;
    for (std::size_t d = 0; d < 2; ++d) {
        if (use.share[d] <= 0)
            continue;
        const double length = std::max(use.share[d] * reach, 0.02);
        const Curve part = d == 0 ? link.curve.part(0, link.curve.parameterAt(length))
                                  : link.curve.part(1, link.curve.parameterAt(1 - length));
        painter.strokePath(pathOf(part), pen);
    }
}

bool touches(const LinkCurve &link, const QRectF &area)
{
    const double margin = link.width + 8;
    return link.bundle >= 0 && link.curve.bounds().adjusted(-margin, -margin, margin, margin).intersects(area);
}

void paintBands(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area)
{
    for (const ConflictGroup &group : model.cluster().conflicts()) {
        std::vector<LinkId> members;
        for (LinkId l : group.links)
            if (model.links().curves[l.index()].bundle >= 0)
                members.push_back(l);
        const QPen pen(theme.band, bandWidth, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
        for (std::size_t i = 0; i < members.size(); ++i) {
            const LinkCurve &a = model.links().curves[members[i].index()];
            if (!touches(a, area.adjusted(-bandWidth, -bandWidth, bandWidth, bandWidth)))
                continue;
            painter.strokePath(pathOf(a.curve), pen);
            for (std::size_t k = i + 1; k < members.size(); ++k) { // the hull of neighbours in a bundle
                const LinkCurve &b = model.links().curves[members[k].index()];
                if (a.bundle != b.bundle)
                    continue;
                const bool sameWay = norm(a.curve.start - b.curve.start) < norm(a.curve.start - b.curve.end);
                QPainterPath hull = pathOf(a.curve);
                hull.lineTo(sameWay ? b.curve.end : b.curve.start);
                hull.quadTo(b.curve.control, sameWay ? b.curve.start : b.curve.end);
                hull.closeSubpath();
                painter.fillPath(hull, theme.band);
            }
        }
    }
}

} // namespace

void paintIdleLinks(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area,
                    const std::vector<bool> &skip)
{
    painter.setRenderHint(QPainter::Antialiasing);
    paintBands(painter, model, theme, area);
    const auto &curves = model.links().curves;
    for (const Bundle &bundle : model.links().bundles)
        for (LinkId id : bundle.links)
            if ((skip.empty() || !skip[id.index()]) && touches(curves[id.index()], area))
                drawIdle(painter, model, theme, id);
}

void paintLiveLinks(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area)
{
    painter.setRenderHint(QPainter::Antialiasing);
    const auto &curves = model.links().curves;
    if (!model.moving().empty()) {
        for (std::size_t i = 0; i < curves.size(); ++i)
            if (model.moving()[i] && touches(curves[i], area))
                drawIdle(painter, model, theme, LinkId(i));
    }
    for (const QString &id : model.selection() | QSet<QString>{model.hovered()}) {
        const LinkId link = model.cluster().findLink(id.toStdString());
        if (!link.valid() || !touches(curves[link.index()], area))
            continue;
        const LinkCurve &curve = curves[link.index()];
        const double strength = model.isSelected(id) ? 0.42 : 0.2;
        painter.strokePath(pathOf(curve.curve), QPen(withAlpha(theme.accent, strength), curve.width + 8, Qt::SolidLine,
                                                     Qt::FlatCap));
        drawIdle(painter, model, theme, link);
    }
    if (model.overlay().valid)
        for (std::size_t i = 0; i < curves.size(); ++i)
            if (touches(curves[i], area))
                drawUse(painter, model, theme, LinkId(i));
}

void paintLinkSample(QPainter &painter, const Theme &theme, LinkKind kind, const QLineF &line, double width, double use,
                     const QColor &gap)
{
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath path(line.p1());
    path.lineTo(line.p2());
    strokeIdle(painter, theme, kind, path, width, gap);
    if (use > 0) {
        QPainterPath part(line.p1());
        part.lineTo(line.pointAt(use));
        painter.strokePath(part, QPen(theme.linkColor(kind), std::max(width, 3.0), Qt::SolidLine, Qt::FlatCap));
    }
}

} // namespace polyrail
