// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_model.hpp"

#include "ui/canvas/auto_layout.hpp"
#include "ui/document/cluster_edits.hpp"
#include "ui/theme/theme.hpp"

#include <QFontMetricsF>

#include <algorithm>
#include <utility>

namespace polyrail {

namespace {

constexpr QSizeF cardSize{116, 54};
constexpr double pillHeight = 30;
constexpr double boxPadding = 18;
constexpr double boxHeader = 38;  ///< from the box's top to what stands in it
constexpr std::size_t manyLinks = 400; ///< above this, a drag lays out only the links that it moves
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
    const Cluster before = std::exchange(m_cluster, cluster);
    const std::vector<QSizeF> sizes = vertexSizes(cluster);
    const std::vector<Point> places = vertexPositions(cluster, sizes);
    std::vector<NodeShape> shapes(cluster.vertexCount());
    for (std::size_t i = 0; i < shapes.size(); ++i)
        shapes[i] = {QPointF(places[i].x, places[i].y), sizes[i],
                     cluster.isDevice(VertexId(i)) ? 6.0 : pillHeight / 2};
    m_overlay.devices.resize(cluster.devices().size());
    m_overlay.links.resize(cluster.links().size());
    m_textPlaced = false;
    if (!m_dragging && shapes == m_shapes && onlyFiguresDiffer(before, cluster)) {
        followFigures(before);
        return;
    }
    m_shapes = std::move(shapes);
    m_dragging = false;
    layOut();
}

bool CanvasModel::onlyFiguresDiffer(const Cluster &a, const Cluster &b)
{
    const auto equal = [](const auto &x, const auto &y, auto same) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
    };
    return equal(a.hosts(), b.hosts(), [](const Host &x, const Host &y) { return x.id == y.id && x.name == y.name; })
        && equal(a.devices(), b.devices(), [](const Device &x, const Device &y) { return x.host == y.host; })
        && equal(a.hubs(), b.hubs(), [](const Hub &x, const Hub &y) { return x.host == y.host; })
        && equal(a.links(), b.links(),
                 [](const Link &x, const Link &y) { return x.id == y.id && x.ends == y.ends && x.kind == y.kind; })
        && equal(a.conflicts(), b.conflicts(),
                 [](const ConflictGroup &x, const ConflictGroup &y) { return x.links == y.links; });
}

/// The path of a slider: only the bundles of changed links are laid out again, and what changed is drawn over the
/// picture of the rest from now on.
void CanvasModel::followFigures(const Cluster &before)
{
    std::vector<bool> redo(m_show.size());
    bool bowed = false;
    bool fresh = m_moving.empty();
    for (std::size_t i = 0; i < redo.size(); ++i) {
        const Link &was = before.links()[i];
        const Link &now = m_cluster.links()[i];
        if (m_links.curves[i].bundle < 0 || (was.bandwidth == now.bandwidth && was.state == now.state))
            continue;
        const Bundle &bundle = m_links.bundles[std::size_t(m_links.curves[i].bundle)];
        bowed = bowed || bundle.bowed;
        for (LinkId l : bundle.links) {
            redo[l.index()] = true;
            fresh = fresh || !m_moving[l.index()];
        }
    }
    if (std::find(redo.begin(), redo.end(), true) == redo.end())
        return;
    if (bowed && redo.size() <= manyLinks) { // nests with others
        layOut();
        return;
    }
    if (bowed) { // their widths are enough until the next layout
        for (std::size_t i = 0; i < redo.size(); ++i)
            if (redo[i])
                m_links.curves[i].width = linkWidth(m_cluster.links()[i].bandwidth);
    } else {
        relay(redo);
    }
    if (std::count(m_moving.begin(), m_moving.end(), true) > 100) { // time for a new picture of everything
        layOut();
    } else if (fresh) {
        m_moving.resize(redo.size());
        for (std::size_t i = 0; i < redo.size(); ++i)
            m_moving[i] = m_moving[i] || redo[i];
        ++m_generation;
    }
}

void CanvasModel::relay(const std::vector<bool> &redo)
{
    const LinkGeometry part = layOutLinks(m_cluster, m_shapes, redo);
    // Bands lie under the idle links, in their picture.
    for (const ConflictGroup &group : m_cluster.conflicts())
        for (LinkId l : group.links)
            if (part.curves[l.index()].bundle >= 0 && !(part.curves[l.index()].curve == m_links.curves[l.index()].curve)) {
                ++m_generation;
                break;
            }
    for (const Bundle &bundle : part.bundles) {
        const int index = m_links.curves[bundle.links.front().index()].bundle;
        m_links.bundles[std::size_t(index)] = bundle;
        for (LinkId l : bundle.links) {
            m_links.curves[l.index()] = part.curves[l.index()];
            m_links.curves[l.index()].bundle = index;
        }
    }
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

void CanvasModel::setDetail(Detail detail, double zoom)
{
    m_zoom = zoom;
    if (detail == m_detail)
        return;
    m_detail = detail;
    m_textPlaced = false;
    ++m_generation;
}

void CanvasModel::moveVertices(const std::vector<VertexId> &vertices, const QPointF &by)
{
    m_dragging = true;
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
    if (moving.size() <= manyLinks) {
        m_links = layOutLinks(m_cluster, m_shapes, m_show);
        if (!m_cluster.conflicts().empty())
            ++m_generation; // their bands may move
    } else { // the others stay as they are until the drop
        std::vector<bool> redo = moving;
        for (std::size_t i = 0; i < redo.size(); ++i)
            redo[i] = redo[i] && m_show[i];
        relay(redo);
    }
    layOutHosts();
    m_textPlaced = false;
    if (moving != m_moving) {
        m_moving = std::move(moving);
        ++m_generation;
    }
}

void CanvasModel::layOut()
{
    m_moving.clear();
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
