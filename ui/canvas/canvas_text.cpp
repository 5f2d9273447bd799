// SPDX-License-Identifier: GPL-3.0-or-later
// What the canvas says: captions, link labels, the rules of conflicts, tool tips, names for screen readers.
#include "core/base/quantity.hpp"
#include "ui/canvas/canvas_model.hpp"
#include "ui/document/cluster_edits.hpp"
#include "ui/theme/theme.hpp"

#include <QFontMetricsF>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace polyrail {

namespace {

constexpr double labelHeight = 18;
constexpr double wordsHeight = 16;
constexpr double repeatDistance = 150; ///< the same text is not said twice within this distance

QString dotted(const QStringList &words) { return words.join(QStringLiteral(" · ")); }

QSizeF labelSize(const QString &text) { return {canvasTextWidth(text, 10) + 26, labelHeight}; }

} // namespace

QFont canvasFont(int pixels, bool bold)
{
    QFont font = uiFont(TextRole::Body);
    font.setPixelSize(pixels);
    font.setBold(bold);
    return font;
}

double canvasTextWidth(const QString &text, int pixels, bool bold)
{
    static QHash<int, QHash<QString, double>> cache;
    auto &widths = cache[pixels * 2 + (bold ? 1 : 0)];
    const auto it = widths.constFind(text);
    if (it != widths.constEnd())
        return *it;
    if (widths.size() > 20000) // figures change while a slider moves
        widths.clear();
    const double width = QFontMetricsF(canvasFont(pixels, bold)).horizontalAdvance(text);
    widths.insert(text, width);
    return width;
}

QString hubLabel(const Hub &hub) { return QString::fromStdString(hub.id); }

QString CanvasModel::hostCaption(HostId host) const
{
    QStringList order;
    QHash<QString, int> count;
    for (const Device &device : m_cluster.devices()) {
        if (device.host != host)
            continue;
        const QString type = tr("%1 %2 GiB").arg(QString::fromStdString(device.type.name.empty() ? device.typeName
                                                                                                   : device.type.name),
                                                 gibText(double(device.type.memory.value)));
        if (count[type]++ == 0)
            order.append(type);
    }
    QStringList parts;
    for (const QString &type : order)
        parts.append(tr("%1 × %2").arg(count[type]).arg(type));
    return dotted(parts);
}

QString CanvasModel::deviceCaption(DeviceId d) const
{
    const Device &device = m_cluster.device(d);
    const PlanOverlay::DeviceUse &use = m_overlay.devices[d.index()];
    if (m_overlay.valid && use.usedBytes)
        return tr("%1 of %2 GiB").arg(QLocale().toString(*use.usedBytes / 1073741824.0, 'f', 1),
                                      gibText(use.capacityBytes > 0 ? use.capacityBytes
                                                                    : double(device.type.memory.value)));
    return tr("%1 GiB").arg(gibText(double(device.type.memory.value)));
}

QString CanvasModel::linkFigure(LinkId l) const
{
    const Link &link = m_cluster.link(l);
    return QString::fromStdString(link.enteredInBits ? formatBandwidthBits(link.bandwidth)
                                                     : formatBandwidth(link.bandwidth));
}

QString CanvasModel::ruleOf(const ConflictGroup &group) const
{
    const QString id = QString::fromStdString(group.id);
    if (group.kind == ConflictKind::Exclusive)
        return tr("%1: one at a time").arg(id);
    const bool bits = std::all_of(group.links.begin(), group.links.end(),
                                  [&](LinkId l) { return m_cluster.link(l).enteredInBits; });
    return tr("%1: %2 shared").arg(id, QString::fromStdString(bits ? formatBandwidthBits(group.capacity)
                                                                    : formatBandwidth(group.capacity)));
}

QString CanvasModel::useText(const PlanOverlay::Use &use) const
{
    if (use.share[0] <= 0 && use.share[1] <= 0)
        return m_overlay.atCursor ? tr("idle") : tr("not used");
    const auto percent = [](double share) {
        return share > 0 && share < 0.005 ? QStringLiteral("< 1") : QString::number(std::lround(share * 100));
    };
    if (m_detail == Detail::Rich && use.share[0] > 0 && use.share[1] > 0)
        return tr("%1 and %2 %").arg(percent(use.share[0]), percent(use.share[1]));
    return tr("%1 %").arg(percent(use.both()));
}

std::size_t CanvasModel::bundleSize(LinkId l) const
{
    return m_links.bundles[std::size_t(m_links.curves[l.index()].bundle)].links.size();
}

std::vector<LinkId> CanvasModel::equalLinks(LinkId l) const
{
    std::vector<LinkId> equal;
    const Link &link = m_cluster.link(l);
    for (LinkId other : m_links.bundles[std::size_t(m_links.curves[l.index()].bundle)].links) {
        const Link &o = m_cluster.link(other);
        if (o.kind == link.kind && o.bandwidth == link.bandwidth && o.state == link.state && !isSelected(idOf(other)))
            equal.push_back(other);
    }
    return equal;
}

void CanvasModel::placeText() const
{
    if (m_textPlaced)
        return;
    m_textPlaced = true;
    m_labels.clear();
    m_words.clear();
    if (m_detail <= Detail::Plain)
        return;
    RectIndex taken;
    for (const NodeShape &shape : m_shapes)
        taken.add(shape.rect().adjusted(-2, -2, 2, 2));
    for (std::size_t h = 0; h < m_hostBoxes.size(); ++h) {
        const double width = canvasTextWidth(QString::fromStdString(m_cluster.hosts()[h].name), 12, true)
            + canvasTextWidth(hostCaption(HostId(h)), 10) + 24;
        taken.add({m_hostBoxes[h].topLeft(), QSizeF(std::min(width, m_hostBoxes[h].width()), 28)});
    }
    placeWords(taken);
    placeLinkLabels(taken);
}

void CanvasModel::placeWords(RectIndex &taken) const
{
    for (std::size_t g = 0; g < m_cluster.conflicts().size(); ++g) {
        const ConflictGroup &group = m_cluster.conflicts()[g];
        std::vector<LinkId> members;
        for (LinkId l : group.links)
            if (m_links.curves[l.index()].bundle >= 0)
                members.push_back(l);
        QString text = ruleOf(group);
        QSizeF size(canvasTextWidth(text, 10) + 8, wordsHeight);
        if (placeWordsOf(g, members, text, size, taken))
            continue;
        // On two lines: the name, then the rule.
        const qsizetype colon = text.lastIndexOf(QLatin1String(": "));
        if (colon < 0)
            continue;
        size = {std::max(canvasTextWidth(text.left(colon), 10), canvasTextWidth(text.mid(colon + 2), 10)) + 8,
                2 * wordsHeight - 4};
        placeWordsOf(g, members, text.replace(colon, 2, QLatin1Char('\n')), size, taken);
    }
}

bool CanvasModel::placeWordsOf(std::size_t group, const std::vector<LinkId> &members, const QString &text,
                               const QSizeF &size, RectIndex &taken) const
{
    // Between two neighbours of one bundle where there is room, else beside a member.
    std::vector<QPointF> wanted;
    for (std::size_t i = 0; i + 1 < members.size(); ++i)
        for (std::size_t k = i + 1; k < members.size(); ++k) {
            const LinkCurve &a = m_links.curves[members[i].index()];
            const LinkCurve &b = m_links.curves[members[k].index()];
            if (a.bundle != b.bundle)
                continue;
            const QPointF gap = b.curve.at(0.5) - a.curve.at(0.5);
            const QPointF across = unit(gap);
            const double needed = std::abs(across.x()) * size.width() + std::abs(across.y()) * size.height();
            if (norm(gap) > needed + (a.width + b.width) / 2 + 4)
                wanted.push_back((a.curve.at(0.5) + b.curve.at(0.5)) / 2);
        }
    for (LinkId l : members)
        for (double fraction : std::array{0.5, 0.35, 0.65})
            for (double side : {-1.0, 1.0}) {
                const LinkCurve &c = m_links.curves[l.index()];
                if (side < 0 && bundleSize(l) > 1) // that would be on its neighbours
                    continue;
                const LabelRequest request{c.curve, c.outward * side, 24, {}, {}, false};
                wanted.push_back(labelRect(request, size, c.curve.parameterAt(fraction)).center());
            }
    for (const QPointF &centre : wanted) {
        const QRectF rect(centre - QPointF(size.width() / 2, size.height() / 2), size);
        if (taken.hits(rect))
            continue;
        taken.add(rect);
        m_words.push_back({group, rect, text});
        return true;
    }
    return false;
}

void CanvasModel::placeLinkLabels(RectIndex &taken) const
{
    // Selected first, then what the critical path waits for, then the widest.
    std::vector<std::size_t> order(m_cluster.links().size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::erase_if(order, [&](std::size_t i) { return m_links.curves[i].bundle < 0; });
    const auto rank = [&](std::size_t i) {
        if (isSelected(idOf(LinkId(i))))
            return 0;
        return m_overlay.valid && m_overlay.links[i].critical ? 1 : 2;
    };
    std::vector<int> ranks(m_cluster.links().size());
    for (std::size_t i : order)
        ranks[i] = rank(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (ranks[a] != ranks[b])
            return ranks[a] < ranks[b];
        return m_cluster.links()[a].bandwidth > m_cluster.links()[b].bandwidth;
    });

    std::vector<bool> said(m_cluster.links().size());
    std::map<QString, std::vector<QPointF>> repeats;
    for (std::size_t i : order) {
        if (said[i])
            continue;
        const LinkId id(i);
        const Link &link = m_cluster.link(id);
        const LinkCurve &curve = m_links.curves[i];
        QString figure = linkFigure(id);
        bool single = true;
        if (ranks[i] > 0) {
            const std::vector<LinkId> equal = equalLinks(id);
            for (LinkId l : equal)
                said[l.index()] = true;
            single = equal.size() == 1;
            if (!single)
                figure = tr("%1 × %2").arg(equal.size()).arg(figure);
        }
        QStringList words;
        // Two figures that stand for links side by side need no names; rails and selected ones do.
        const bool named = link.kind == LinkKind::Network || link.kind == LinkKind::Other || m_detail == Detail::Rich
            || ranks[i] == 0;
        if (named && single)
            words.append(QString::fromStdString(link.id));
        words.append(figure);
        if (m_detail == Detail::Rich)
            words.append(durationText(link.latency));
        if (link.state == LinkState::Down)
            words.append(tr("down"));
        else if (m_overlay.valid)
            words.append(useText(m_overlay.links[i]));
        const QString full = dotted(words);
        const QString brief = m_overlay.valid && link.state == LinkState::Up
            ? dotted({figure, useText(m_overlay.links[i])})
            : figure;
        LabelRequest request{curve.curve, curve.outward, curve.width, labelSize(full),
                             full == brief ? QSizeF() : labelSize(brief), single && bundleSize(id) == 1};
        if (!single) { // outside the whole set of equal lines
            for (LinkId l : equalLinks(id)) {
                const LinkCurve &other = m_links.curves[l.index()];
                if (dot(other.curve.at(0.5) - request.curve.at(0.5), request.outward) > 0) {
                    request.curve = other.curve;
                    request.width = other.width;
                }
            }
        }
        auto &heard = repeats[full];
        if (ranks[i] > 0 && !named
            && std::any_of(heard.begin(), heard.end(),
                           [&](const QPointF &p) { return norm(p - curve.curve.at(0.5)) < repeatDistance; }))
            continue;
        const PlacedLabel placed = placeLabels({request}, taken, m_detail == Detail::Brief).front();
        if (placed.form == PlacedLabel::Hidden)
            continue;
        heard.push_back(curve.curve.at(0.5));
        m_labels.push_back({id, placed.rect, placed.form == PlacedLabel::Full ? full : brief});
    }
}

QString CanvasModel::toolTip(const CanvasHit &hit) const
{
    QStringList lines;
    if (hit.kind == CanvasHit::Vertex && m_cluster.isDevice(hit.vertex)) {
        const DeviceId d = m_cluster.deviceOf(hit.vertex);
        const Device &device = m_cluster.device(d);
        lines << hit.id << QString::fromStdString(device.typeName)
              << tr("Memory: %1").arg(deviceCaption(d));
        if (const int stage = m_overlay.devices[d.index()].stage; m_overlay.valid)
            lines << (stage >= 0 ? tr("Stage %1").arg(stage + 1) : tr("Not used by this plan"));
    } else if (hit.kind == CanvasHit::Vertex) {
        lines << hit.id << kindName(m_cluster.hubs()[hit.vertex.index() - m_cluster.devices().size()].kind);
    } else if (hit.kind == CanvasHit::Link) {
        const Link &link = m_cluster.link(hit.link);
        lines << tr("%1: %2 to %3").arg(hit.id, idOf(link.ends[0]), idOf(link.ends[1]));
        const BytesPerSecond b = link.bandwidth;
        lines << tr("%1, %2 (%3), latency %4")
                     .arg(kindName(link.kind), linkFigure(hit.link),
                          QString::fromStdString(link.enteredInBits ? formatBandwidth(b) : formatBandwidthBits(b)),
                          durationText(link.latency));
        if (link.duplex == Duplex::Half)
            lines << tr("Half duplex: both directions share it");
        if (link.state == LinkState::Down)
            lines << tr("Down");
        else if (m_overlay.valid)
            lines << tr("Use: %1").arg(useText(m_overlay.links[hit.link.index()]));
        for (const ConflictGroup &group : m_cluster.conflicts())
            if (std::find(group.links.begin(), group.links.end(), hit.link) != group.links.end())
                lines << tr("Conflict %1").arg(ruleOf(group));
    } else if (hit.kind == CanvasHit::HostHeader || hit.kind == CanvasHit::HostBody) {
        if (hit.kind == CanvasHit::HostBody && m_detail != Detail::Trunks)
            return {};
        lines << QString::fromStdString(m_cluster.hosts()[hit.host.index()].name) << hostCaption(hit.host);
    }
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

QString CanvasModel::accessibleName(const QString &id) const
{
    const std::string name = id.toStdString();
    CanvasHit hit;
    hit.id = id;
    if (const VertexId v = m_cluster.findVertex(name); v.valid()) {
        hit.kind = CanvasHit::Vertex;
        hit.vertex = v;
    } else if (const LinkId l = m_cluster.findLink(name); l.valid()) {
        hit.kind = CanvasHit::Link;
        hit.link = l;
    } else if (const HostId h = findHost(m_cluster, name); h.valid()) {
        hit.kind = CanvasHit::HostHeader;
        hit.host = h;
    } else {
        return id;
    }
    return toolTip(hit).replace(QLatin1Char('\n'), QStringLiteral(", "));
}

} // namespace polyrail
