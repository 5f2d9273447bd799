// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_model.hpp"

#include "ui/canvas/auto_layout.hpp"
#include "ui/canvas/cluster_edits.hpp"
#include "ui/theme/theme.hpp"

#include <QFontMetricsF>

#include <algorithm>

namespace polyrail {

namespace {

constexpr QSizeF cardSize{116, 54};
constexpr double pillHeight = 30;
constexpr double boxPadding = 18;
constexpr double boxHeader = 38;  ///< from the box's top to what stands in it
constexpr double headerGrip = 30; ///< the part of a box that drags it

std::vector<QSizeF> vertexSizes(const Cluster &cluster)
{
    std::vector<QSizeF> sizes;
    sizes.reserve(cluster.vertexCount());
    for (std::size_t i = 0; i < cluster.devices().size(); ++i)
        sizes.push_back(cardSize);
    for (const Hub &hub : cluster.hubs())
        sizes.emplace_back(std::clamp(canvasTextWidth(hubLabel(hub), 11) + 24, 48.0, 150.0), pillHeight);
    return sizes;
}

} // namespace

Detail detailAt(double zoom, bool hasHosts)
{
    if (zoom < 0.35 && hasHosts)
        return Detail::Trunks;
    if (zoom < 0.6)
        return Detail::Plain;
    if (zoom < 0.85)
        return Detail::Brief;
    return zoom < 1.5 ? Detail::Full : Detail::Rich;
}

void CanvasModel::setCluster(const Cluster &cluster)
{
    m_cluster = cluster;
    m_moving.clear();
    const std::vector<QSizeF> sizes = vertexSizes(cluster);
    const std::vector<Point> places = vertexPositions(cluster, sizes);
    m_shapes.resize(cluster.vertexCount());
    for (std::size_t i = 0; i < m_shapes.size(); ++i)
        m_shapes[i] = {QPointF(places[i].x, places[i].y), sizes[i],
                       cluster.isDevice(VertexId(i)) ? 6.0 : pillHeight / 2};
    m_overlay.devices.resize(cluster.devices().size());
    m_overlay.links.resize(cluster.links().size());
    layOut();
}

void CanvasModel::setOverlay(PlanOverlay overlay)
{
    m_overlay = std::move(overlay);
    m_overlay.devices.resize(m_cluster.devices().size());
    m_overlay.links.resize(m_cluster.links().size());
    m_textPlaced = false;
}

void CanvasModel::setHiddenKinds(std::set<LinkKind> kinds)
{
    m_hidden = std::move(kinds);
    layOut();
}

void CanvasModel::setSelection(const QStringList &ids)
{
    m_selected = QSet<QString>(ids.begin(), ids.end());
    m_textPlaced = false;
}

void CanvasModel::setDetail(Detail detail)
{
    if (detail == m_detail)
        return;
    m_detail = detail;
    m_textPlaced = false;
    ++m_generation;
}

void CanvasModel::moveVertices(const std::vector<VertexId> &vertices, const QPointF &by)
{
    std::vector<bool> moves(m_shapes.size());
    for (VertexId v : vertices) {
        m_shapes[v.index()].centre += by;
        moves[v.index()] = true;
    }
    std::vector<bool> moving(m_cluster.links().size());
    for (std::size_t i = 0; i < moving.size(); ++i)
        for (VertexId end : m_cluster.links()[i].ends)
            if (moves[end.index()])
                moving[i] = true;
    m_links = layOutLinks(m_cluster, m_shapes, m_show);
    layOutHosts();
    m_textPlaced = false;
    if (moving != m_moving) {
        m_moving = std::move(moving);
        ++m_generation;
    }
}

void CanvasModel::layOut()
{
    m_show.assign(m_cluster.links().size(), true);
    for (std::size_t i = 0; i < m_show.size(); ++i)
        m_show[i] = !m_hidden.count(m_cluster.links()[i].kind);
    m_links = layOutLinks(m_cluster, m_shapes, m_show);
    layOutHosts();
    m_textPlaced = false;
    ++m_generation;
}

void CanvasModel::layOutHosts()
{
    m_hostBoxes.assign(m_cluster.hosts().size(), QRectF());
    QRectF everything;
    for (std::size_t i = 0; i < m_shapes.size(); ++i) {
        const QRectF rect = m_shapes[i].rect();
        everything |= rect;
        if (const HostId host = m_cluster.hostOf(VertexId(i)); host.valid())
            m_hostBoxes[host.index()] |= rect;
    }
    // Curves that bow beyond the cards of their host stay inside its box.
    for (std::size_t i = 0; i < m_links.curves.size(); ++i) {
        const auto &ends = m_cluster.links()[i].ends;
        const HostId host = m_cluster.hostOf(ends[0]);
        if (m_links.curves[i].bundle >= 0 && host.valid() && host == m_cluster.hostOf(ends[1])) {
            const double half = m_links.curves[i].width / 2;
            m_hostBoxes[host.index()] |= m_links.curves[i].curve.bounds().adjusted(-half, -half, half, half);
        }
    }
    double emptyX = everything.left();
    for (std::size_t h = 0; h < m_hostBoxes.size(); ++h) {
        QRectF &box = m_hostBoxes[h];
        const double header = canvasTextWidth(QString::fromStdString(m_cluster.hosts()[h].name), 12, true);
        if (box.isNull()) { // a host with nothing in it yet: a row of small boxes under the rest
            box = QRectF(emptyX, everything.bottom() + 60, std::max(160.0, header + 2 * boxPadding), 60);
            emptyX += box.width() + 40;
            continue;
        }
        box.adjust(-boxPadding, -boxHeader, boxPadding, boxPadding);
        box.setWidth(std::max(box.width(), header + 2 * boxPadding));
    }
}

CanvasHit CanvasModel::hit(const QPointF &point) const
{
    CanvasHit out;
    if (m_detail != Detail::Trunks) {
        for (std::size_t i = m_shapes.size(); i-- > 0;)
            if (m_shapes[i].contains(point)) {
                out.kind = CanvasHit::Vertex;
                out.vertex = VertexId(i);
                out.id = idOf(out.vertex);
                return out;
            }
        for (const Label &label : labels())
            if (label.rect.contains(point)) {
                out.kind = CanvasHit::Link;
                out.link = label.link;
                out.id = idOf(out.link);
                return out;
            }
        if (const LinkId link = linkAt(m_links, point); link.valid()) {
            out.kind = CanvasHit::Link;
            out.link = link;
            out.id = idOf(link);
            return out;
        }
    } else {
        for (std::size_t i = m_shapes.size(); i-- > 0;)
            if (!m_cluster.hostOf(VertexId(i)).valid() && m_shapes[i].rect().adjusted(-8, -8, 8, 8).contains(point)) {
                out.kind = CanvasHit::Vertex;
                out.vertex = VertexId(i);
                out.id = idOf(out.vertex);
                return out;
            }
    }
    for (std::size_t h = m_hostBoxes.size(); h-- > 0;)
        if (m_hostBoxes[h].contains(point)) {
            const bool grip = m_detail == Detail::Trunks || point.y() < m_hostBoxes[h].top() + headerGrip;
            out.kind = grip ? CanvasHit::HostHeader : CanvasHit::HostBody;
            out.host = HostId(h);
            out.id = QString::fromStdString(hostKey(m_cluster.hosts()[h].id));
            return out;
        }
    return out;
}

QRectF CanvasModel::rectOf(const QString &id) const
{
    const std::string name = id.toStdString();
    if (const VertexId v = m_cluster.findVertex(name); v.valid())
        return m_shapes[v.index()].rect();
    if (const LinkId l = m_cluster.findLink(name); l.valid() && m_links.curves[l.index()].bundle >= 0) {
        const double half = m_links.curves[l.index()].width / 2 + 4;
        return m_links.curves[l.index()].curve.bounds().adjusted(-half, -half, half, half);
    }
    if (const HostId h = findHost(m_cluster, name); h.valid())
        return m_hostBoxes[h.index()];
    return {};
}

QRectF CanvasModel::contents() const
{
    QRectF all;
    for (const NodeShape &shape : m_shapes)
        all |= shape.rect();
    for (const QRectF &box : m_hostBoxes)
        all |= box;
    for (const LinkCurve &curve : m_links.curves)
        if (curve.bundle >= 0)
            all |= curve.curve.bounds().adjusted(-5, -5, 5, 5);
    for (const Label &label : labels())
        all |= label.rect;
    for (const Words &words : m_words)
        all |= words.rect;
    return all;
}

const std::vector<CanvasModel::Label> &CanvasModel::labels() const
{
    placeText();
    return m_labels;
}

const std::vector<CanvasModel::Words> &CanvasModel::words() const
{
    placeText();
    return m_words;
}

} // namespace polyrail
