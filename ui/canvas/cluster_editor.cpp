// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/cluster_editor.hpp"

#include "core/formats/builtin.hpp"
#include "core/formats/json_files.hpp"
#include "ui/canvas/auto_layout.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

const QString mimeType = QStringLiteral("application/x-polyrail-cluster+json");
constexpr double pasteStep = 40;

QStringList strings(const Ids &ids)
{
    QStringList out;
    for (const std::string &id : ids)
        out.append(QString::fromStdString(id));
    return out;
}

QRectF boundsOf(const ClusterParts &parts)
{
    QRectF bounds;
    for (const auto &[id, at] : parts.layout)
        bounds |= QRectF(at.x - 1, at.y - 1, 2, 2);
    return bounds;
}

/// Without a translation file "%n items" still reads right: one has words of its own.
QString counted(std::size_t n, const QString &one, const QString &many) { return n == 1 ? one : many; }

} // namespace

ClusterEditor::ClusterEditor(Document &document, SelectionModel &selection, const CanvasModel &model, QObject *parent)
    : QObject(parent), m_document(document), m_selection(selection), m_model(model)
{
}

Ids ClusterEditor::selectedIds() const
{
    Ids ids;
    for (const QString &id : m_selection.ids())
        ids.push_back(id.toStdString());
    return ids;
}

std::vector<LinkId> ClusterEditor::selectedLinks() const
{
    std::vector<LinkId> links;
    for (const QString &id : m_selection.ids())
        if (const LinkId link = m_document.cluster().findLink(id.toStdString()); link.valid())
            links.push_back(link);
    return links;
}

std::vector<VertexId> ClusterEditor::selectedVertices() const
{
    const Cluster &cluster = m_document.cluster();
    std::vector<bool> selected(cluster.vertexCount());
    for (const QString &id : m_selection.ids()) {
        if (const VertexId v = cluster.findVertex(id.toStdString()); v.valid())
            selected[v.index()] = true;
        else if (const HostId host = findHost(cluster, id.toStdString()); host.valid())
            for (std::size_t i = 0; i < selected.size(); ++i)
                if (cluster.hostOf(VertexId(i)) == host)
                    selected[i] = true;
    }
    std::vector<VertexId> vertices;
    for (std::size_t i = 0; i < selected.size(); ++i)
        if (selected[i])
            vertices.push_back(VertexId(i));
    return vertices;
}

std::vector<std::size_t> ClusterEditor::conflictsOfSelection() const
{
    const std::vector<LinkId> links = selectedLinks();
    std::vector<std::size_t> groups;
    const auto conflicts = m_document.cluster().conflicts();
    for (std::size_t g = 0; g < conflicts.size(); ++g)
        if (std::any_of(links.begin(), links.end(), [&](LinkId l) {
                return std::find(conflicts[g].links.begin(), conflicts[g].links.end(), l) != conflicts[g].links.end();
            }))
            groups.push_back(g);
    return groups;
}

BytesPerSecond ClusterEditor::suggestedCapacity() const
{
    BytesPerSecond most;
    for (LinkId l : selectedLinks())
        most = std::max(most, m_document.cluster().link(l).bandwidth);
    return most;
}

ClusterParts ClusterEditor::withPlaces(ClusterParts parts) const
{
    for (std::size_t i = 0; i < m_model.shapes().size(); ++i) {
        const QPointF at = m_model.shapes()[i].centre;
        parts.layout[m_model.cluster().vertexName(VertexId(i))] = {at.x(), at.y()};
    }
    return parts;
}

bool ClusterEditor::commit(ClusterParts parts, const QString &text, const QString &mergeKey)
{
    auto made = Cluster::make(std::move(parts));
    if (!made) {
        m_error = QString::fromStdString(made.error().message());
        emit failed(m_error);
        return false;
    }
    m_document.setCluster(std::move(*made), text, mergeKey);
    return true;
}

bool ClusterEditor::commit(Edited edited, const QString &text)
{
    const QStringList made = strings(edited.made);
    if (!commit(std::move(edited.parts), text))
        return false;
    m_selection.select(made);
    return true;
}

HostId ClusterEditor::hostAt(const QPointF &point) const
{
    for (std::size_t h = m_model.hostBoxes().size(); h-- > 0;)
        if (m_model.hostBoxes()[h].contains(point))
            return HostId(h);
    return {};
}

bool ClusterEditor::addDevice(const GpuType &type, const QPointF &at)
{
    Edited edited = polyrail::addDevice(m_document.cluster(), type, {at.x(), at.y()}, hostAt(at));
    edited.parts = withPlaces(std::move(edited.parts));
    return commit(std::move(edited), tr("Add %1").arg(QString::fromStdString(type.name)));
}

bool ClusterEditor::addHub(HubKind kind, const QPointF &at)
{
    Edited edited = polyrail::addHub(m_document.cluster(), kind, {at.x(), at.y()}, hostAt(at));
    edited.parts = withPlaces(std::move(edited.parts));
    return commit(std::move(edited), tr("Add %1").arg(kindName(kind)));
}

bool ClusterEditor::connectVertices(VertexId a, VertexId b)
{
    if (!a.valid() || !b.valid() || a == b)
        return false;
    return commit(addLink(m_document.cluster(), a, b), tr("Connect %1 and %2").arg(m_model.idOf(a), m_model.idOf(b)));
}

bool ClusterEditor::connectSelected()
{
    std::vector<VertexId> ends;
    for (const QString &id : m_selection.ids())
        if (const VertexId v = m_document.cluster().findVertex(id.toStdString()); v.valid())
            ends.push_back(v);
    return ends.size() == 2 && connectVertices(ends[0], ends[1]);
}

bool ClusterEditor::remove()
{
    if (m_selection.ids().isEmpty())
        return false;
    const QStringList ids = m_selection.ids();
    const QString text = ids.size() == 1 ? tr("Delete %1").arg(QString(ids.first()).remove(0, ids.first().startsWith(
                                               QLatin1String("host:")) ? 5 : 0))
                                         : tr("Delete %n items", nullptr, int(ids.size()));
    ClusterParts parts = removed(m_document.cluster(), selectedIds());
    m_selection.clear();
    return commit(std::move(parts), text);
}

bool ClusterEditor::duplicate()
{
    const std::vector<VertexId> vertices = selectedVertices();
    if (vertices.empty()) { // links alone: a second one beside each
        const std::vector<LinkId> links = selectedLinks();
        if (links.empty())
            return false;
        Edited edited{m_document.cluster().parts(), {}};
        for (LinkId l : links) {
            Link copy = m_document.cluster().link(l);
            copy.id = freeId(edited.parts, copy.id);
            edited.made.push_back(copy.id);
            edited.parts.links.push_back(std::move(copy));
        }
        return commit(std::move(edited), counted(links.size(), tr("Duplicate link"), tr("Duplicate %n links", nullptr, int(links.size()))));
    }
    auto placed = Cluster::make(withPlaces(m_document.cluster().parts()));
    if (!placed)
        return false;
    return commit(inserted(*placed, subgraph(*placed, selectedIds()), pasteStep, pasteStep),
                  counted(vertices.size(), tr("Duplicate %1").arg(m_model.idOf(vertices.front())), tr("Duplicate %n items", nullptr, int(vertices.size()))));
}

bool ClusterEditor::copy() const
{
    if (selectedVertices().empty())
        return false;
    auto placed = Cluster::make(withPlaces(m_document.cluster().parts()));
    if (!placed)
        return false;
    auto piece = Cluster::make(subgraph(*placed, selectedIds()));
    if (!piece)
        return false;
    const QByteArray json = QByteArray::fromStdString(writeCluster(*piece));
    auto *data = new QMimeData;
    data->setData(mimeType, json);
    data->setText(QString::fromUtf8(json));
    QGuiApplication::clipboard()->setMimeData(data);
    m_pastes = 0;
    return true;
}

bool ClusterEditor::cut() { return copy() && remove(); }

bool ClusterEditor::canPaste()
{
    const QMimeData *data = QGuiApplication::clipboard()->mimeData();
    return data && (data->hasFormat(mimeType) || data->text().contains(QLatin1String("polyrail-cluster")));
}

bool ClusterEditor::paste(const QPointF *at)
{
    const QMimeData *data = QGuiApplication::clipboard()->mimeData();
    if (!data)
        return false;
    const QByteArray json = data->hasFormat(mimeType) ? data->data(mimeType) : data->text().toUtf8();
    auto piece = readCluster({json.constData(), std::size_t(json.size())}, builtinCatalogue());
    if (!piece) {
        m_error = QString::fromStdString(piece.error().message());
        emit failed(m_error);
        return false;
    }
    if (piece->vertexCount() == 0)
        return false;
    ++m_pastes;
    QPointF by(m_pastes * pasteStep, m_pastes * pasteStep);
    const QRectF bounds = boundsOf(piece->parts());
    if (at)
        by = *at - bounds.center();
    auto placed = Cluster::make(withPlaces(m_document.cluster().parts()));
    if (!placed)
        return false;
    return commit(inserted(*placed, piece->parts(), by.x(), by.y()),
                  counted(piece->vertexCount(), tr("Paste"), tr("Paste %n items", nullptr, int(piece->vertexCount()))));
}

bool ClusterEditor::move(const std::vector<VertexId> &vertices, const QPointF &by, const QString &mergeKey)
{
    if (vertices.empty() || by.isNull())
        return false;
    // From the document's own places: a drag has moved the shapes on the canvas already.
    std::vector<QSizeF> sizes;
    for (const NodeShape &shape : m_model.shapes())
        sizes.push_back(shape.size);
    const Cluster &cluster = m_document.cluster();
    std::vector<Point> places = vertexPositions(cluster, sizes);
    for (VertexId v : vertices) {
        places[v.index()].x += by.x();
        places[v.index()].y += by.y();
    }
    ClusterParts parts = cluster.parts();
    for (std::size_t i = 0; i < places.size(); ++i)
        parts.layout[cluster.vertexName(VertexId(i))] = places[i];
    const QString text = vertices.size() == 1 ? tr("Move %1").arg(m_model.idOf(vertices.front()))
                                              : tr("Move %n items", nullptr, int(vertices.size()));
    return commit(std::move(parts), text, mergeKey);
}

bool ClusterEditor::place(const std::vector<std::pair<VertexId, QPointF>> &centres, const QString &text)
{
    ClusterParts parts = withPlaces(m_document.cluster().parts());
    bool changed = false;
    for (const auto &[v, centre] : centres) {
        Point &at = parts.layout[m_document.cluster().vertexName(v)];
        const Point now{centre.x(), centre.y()};
        changed = changed || !(at == now);
        at = now;
    }
    return changed && commit(std::move(parts), text);
}

bool ClusterEditor::align(Edge edge)
{
    const std::vector<VertexId> vertices = selectedVertices();
    if (vertices.size() < 2)
        return false;
    QRectF all;
    for (VertexId v : vertices)
        all |= m_model.shapes()[v.index()].rect();
    std::vector<std::pair<VertexId, QPointF>> centres;
    for (VertexId v : vertices) {
        const NodeShape &shape = m_model.shapes()[v.index()];
        QPointF c = shape.centre;
        switch (edge) {
        case Edge::Left: c.setX(all.left() + shape.size.width() / 2); break;
        case Edge::Centre: c.setX(all.center().x()); break;
        case Edge::Right: c.setX(all.right() - shape.size.width() / 2); break;
        case Edge::Top: c.setY(all.top() + shape.size.height() / 2); break;
        case Edge::Middle: c.setY(all.center().y()); break;
        case Edge::Bottom: c.setY(all.bottom() - shape.size.height() / 2); break;
        }
        centres.emplace_back(v, c);
    }
    return place(centres, tr("Align"));
}

bool ClusterEditor::distribute(bool horizontally)
{
    std::vector<VertexId> vertices = selectedVertices();
    if (vertices.size() < 3)
        return false;
    const auto key = [&](VertexId v) {
        const QPointF c = m_model.shapes()[v.index()].centre;
        return horizontally ? c.x() : c.y();
    };
    std::stable_sort(vertices.begin(), vertices.end(), [&](VertexId a, VertexId b) { return key(a) < key(b); });
    const double first = key(vertices.front());
    const double step = (key(vertices.back()) - first) / double(vertices.size() - 1);
    std::vector<std::pair<VertexId, QPointF>> centres;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        QPointF c = m_model.shapes()[vertices[i].index()].centre;
        (horizontally ? c.rx() : c.ry()) = first + double(i) * step;
        centres.emplace_back(vertices[i], c);
    }
    return place(centres, tr("Distribute"));
}

bool ClusterEditor::arrange()
{
    std::vector<QSizeF> sizes;
    for (const NodeShape &shape : m_model.shapes())
        sizes.push_back(shape.size);
    ClusterParts parts = m_document.cluster().parts();
    const auto places = tierLayout(m_document.cluster(), sizes);
    if (places.empty() || places == parts.layout)
        return false;
    parts.layout = places;
    return commit(std::move(parts), tr("Arrange automatically"));
}

bool ClusterEditor::group()
{
    if (selectedVertices().empty())
        return false;
    Edited edited = grouped(m_document.cluster(), selectedIds(), "node-1");
    edited.parts = withPlaces(std::move(edited.parts));
    return commit(std::move(edited), tr("Group into a host"));
}

bool ClusterEditor::ungroup()
{
    const Cluster &cluster = m_document.cluster();
    ClusterParts parts = ungrouped(cluster, selectedIds());
    if (parts.hosts.size() == cluster.hosts().size())
        return false;
    QStringList left;
    for (const QString &id : m_selection.ids())
        if (!findHost(cluster, id.toStdString()).valid())
            left.append(id);
    for (VertexId v : selectedVertices())
        left.append(m_model.idOf(v));
    if (!commit(withPlaces(std::move(parts)), tr("Ungroup")))
        return false;
    m_selection.select(left);
    return true;
}

bool ClusterEditor::makeConflict(ConflictKind kind, BytesPerSecond capacity)
{
    const std::vector<LinkId> links = selectedLinks();
    auto edited = withConflict(m_document.cluster(), kind, links, capacity);
    if (!edited) {
        m_error = QString::fromStdString(edited.error().message());
        emit failed(m_error);
        return false;
    }
    return commit(std::move(edited->parts), kind == ConflictKind::Exclusive
                      ? counted(links.size(), tr("Make link exclusive"), tr("Make %n links exclusive", nullptr, int(links.size())))
                      : counted(links.size(), tr("Share capacity"), tr("Share capacity of %n links", nullptr, int(links.size()))));
}

bool ClusterEditor::removeConflicts()
{
    const auto groups = conflictsOfSelection();
    return !groups.empty()
        && commit(withoutConflicts(m_document.cluster(), groups),
                  counted(groups.size(), tr("Remove conflict"), tr("Remove %n conflicts", nullptr, int(groups.size()))));
}

bool ClusterEditor::setLinksUp(bool up)
{
    ClusterParts parts = m_document.cluster().parts();
    int changed = 0;
    for (LinkId l : selectedLinks()) {
        LinkState &state = parts.links[l.index()].state;
        const LinkState wanted = up ? LinkState::Up : LinkState::Down;
        changed += state != wanted ? 1 : 0;
        state = wanted;
    }
    return changed > 0
        && commit(std::move(parts),
                  up ? counted(std::size_t(changed), tr("Bring link up"), tr("Bring %n links up", nullptr, changed))
                     : counted(std::size_t(changed), tr("Take link down"), tr("Take %n links down", nullptr, changed)));
}

void ClusterEditor::selectAll()
{
    QStringList ids;
    const Cluster &cluster = m_document.cluster();
    for (std::size_t i = 0; i < cluster.vertexCount(); ++i)
        ids.append(QString::fromStdString(cluster.vertexName(VertexId(i))));
    for (const Link &link : cluster.links())
        ids.append(QString::fromStdString(link.id));
    m_selection.select(ids);
}

void ClusterEditor::selectAllLinks()
{
    QStringList ids;
    const Cluster &cluster = m_document.cluster();
    for (std::size_t i = 0; i < cluster.links().size(); ++i)
        if (m_model.shown()[i])
            ids.append(QString::fromStdString(cluster.links()[i].id));
    m_selection.select(ids);
}

} // namespace polyrail
