// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/cluster_view.hpp"

#include "ui/canvas/accessible_canvas.hpp"
#include "ui/canvas/canvas_actions.hpp"
#include "ui/canvas/canvas_chrome.hpp"
#include "ui/canvas/paint.hpp"
#include "ui/theme/theme.hpp"

#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QScrollBar>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

constexpr double leastZoom = 0.04;
constexpr double mostZoom = 6;
constexpr double mostFitZoom = 1.25; ///< a small cluster is not blown up
constexpr double exportMargin = 16;

/// Lays out at full detail for a picture, whatever the zoom on screen, without selection or hover.
CanvasModel forExport(const CanvasModel &model)
{
    CanvasModel copy = model;
    copy.setSelection({});
    copy.setHovered({});
    copy.setDetail(Detail::Full);
    return copy;
}

} // namespace

ClusterView::ClusterView(Document &document, SelectionModel &selection, QWidget *parent)
    : QGraphicsView(parent), m_document(document), m_selection(selection), m_scene(new ClusterScene(this)),
      m_editor(new ClusterEditor(document, selection, m_scene->model(), this)),
      m_actions(new CanvasActions(*this)), m_chrome(new CanvasChrome(*this, *m_actions))
{
    installAccessibleCanvas();
    setObjectName(QStringLiteral("clusterView"));
    setAccessibleName(tr("Cluster canvas"));
    setAccessibleDescription(tr("Tab steps through devices and links, arrows move what is selected, L connects two."));
    setScene(m_scene);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setViewportUpdateMode(FullViewportUpdate);
    setTransformationAnchor(NoAnchor);
    setResizeAnchor(AnchorViewCenter);
    setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(true);
    setMinimumSize(240, 160);

    connect(&m_document, &Document::clusterChanged, this, &ClusterView::clusterChanged);
    connect(&m_document, &Document::documentReset, this, &ClusterView::fitAll);
    connect(&m_selection, &SelectionModel::changed, this, [this] {
        m_scene->model().setSelection(m_selection.ids());
        m_actions->update();
        m_scene->update();
        if (hasFocus() && !m_selection.current().isEmpty())
            announceFocus(*this);
    });
    connect(m_editor, &ClusterEditor::failed, this, &ClusterView::message);
    m_scene->model().setSelection(m_selection.ids());
    clusterChanged(true);
    fitAll();
}

ClusterView::~ClusterView() = default;

double ClusterView::zoom() const { return transform().m11(); }

QList<QAction *> ClusterView::editActions() const { return m_actions->editActions(); }

QList<QAction *> ClusterView::viewActions() const { return m_actions->viewActions(); }

void ClusterView::setShown(const ShownPlan &shown)
{
    const bool first = !m_scene->model().overlay().valid;
    m_shown = shown;
    updateOverlay();
    if (first && m_fitted && m_scene->model().overlay().valid)
        fitAll(); // labels with use are wider
}

void ClusterView::setTimeAxis(TimeAxis *axis)
{
    if (m_axis)
        m_axis->disconnect(this);
    m_axis = axis;
    if (m_axis)
        connect(m_axis, &TimeAxis::cursorChanged, this, &ClusterView::updateOverlay);
    updateOverlay();
}

void ClusterView::updateOverlay()
{
    m_scene->model().setOverlay(
        overlayOf(m_shown, m_document.cluster(), m_axis ? m_axis->cursor() : std::optional<double>()));
    m_chrome->update();
    m_scene->update();
}

void ClusterView::clusterChanged(bool structure)
{
    if (m_gesture == Gesture::Move)
        cancelGesture();
    CanvasModel &model = m_scene->model();
    model.setCluster(m_document.cluster());
    model.setOverlay(overlayOf(m_shown, m_document.cluster(), m_axis ? m_axis->cursor() : std::optional<double>()));
    if (structure) {
        QStringList left;
        for (const QString &id : m_selection.ids())
            if (!model.rectOf(id).isNull() || m_document.cluster().findLink(id.toStdString()).valid())
                left.append(id);
        m_selection.select(left);
        model.setHovered({});
        m_chrome->clusterChanged();
    }
    m_actions->update();
    afterZoom();
}

void ClusterView::afterZoom()
{
    CanvasModel &model = m_scene->model();
    model.setDetail(detailAt(zoom(), !m_document.cluster().hosts().empty()), zoom());
    const double room = 1.5 * std::max(viewport()->width(), viewport()->height()) / zoom();
    m_scene->refresh(room);
    m_chrome->update();
    emit zoomChanged(zoom());
}

void ClusterView::fitAll()
{
    CanvasModel &model = m_scene->model();
    model.setDetail(Detail::Full); // labels belong to the contents
    const QRectF all = model.contents();
    const QMargins insets = m_chrome->insets();
    const QRectF room = QRectF(viewport()->rect()).marginsRemoved(QMarginsF(insets)).adjusted(12, 12, -16, -12);
    double scale = 1;
    if (!all.isEmpty() && room.width() > 20 && room.height() > 20)
        scale = std::clamp(std::min(room.width() / all.width(), room.height() / all.height()), leastZoom, mostFitZoom);
    setTransform(QTransform::fromScale(scale, scale));
    afterZoom();
    const QPointF off = (QRectF(viewport()->rect()).center() - room.center()) / scale;
    QGraphicsView::centerOn((all.isNull() ? QPointF() : all.center()) + off);
    m_fitted = true;
}

void ClusterView::fitSelection()
{
    QRectF all;
    for (const QString &id : m_selection.ids())
        all |= model().rectOf(id);
    if (all.isNull()) {
        fitAll();
        return;
    }
    all.adjust(-40, -40, 40, 40);
    const double scale = std::clamp(std::min(viewport()->width() / all.width(), viewport()->height() / all.height()),
                                    leastZoom, 2.0);
    setTransform(QTransform::fromScale(scale, scale));
    afterZoom();
    QGraphicsView::centerOn(all.center());
    m_fitted = false;
}

void ClusterView::centreOn(const QString &id)
{
    const QRectF rect = model().rectOf(id);
    if (rect.isNull())
        return;
    if (zoom() < 0.6) {
        setTransform(QTransform());
        afterZoom();
    }
    QGraphicsView::centerOn(rect.center());
    m_fitted = false;
}

void ClusterView::zoomAt(const QPoint &at, double factor)
{
    const double wanted = std::clamp(zoom() * factor, leastZoom, mostZoom);
    if (std::abs(wanted - zoom()) < 1e-9)
        return;
    const QPointF under = mapToScene(at);
    setTransform(QTransform::fromScale(wanted, wanted));
    m_fitted = false;
    afterZoom(); // gives room to scroll into at the new zoom
    const QPoint off = mapFromScene(under) - at;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + off.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() + off.y());
}

void ClusterView::resetZoom()
{
    zoomBy(1 / zoom());
}

void ClusterView::setHiddenKinds(const std::set<LinkKind> &kinds)
{
    m_scene->model().setHiddenKinds(kinds);
    m_chrome->clusterChanged();
    afterZoom();
}

void ClusterView::setTool(Tool tool)
{
    if (tool == m_tool)
        return;
    cancelGesture();
    m_tool = tool;
    updateCursor();
    m_actions->update();
    emit toolChanged(tool);
    switch (tool) {
    case Tool::AddDevice: emit message(tr("Click where the GPU shall stand. Esc ends.")); break;
    case Tool::AddHub: emit message(tr("Click where the hub shall stand. Esc ends.")); break;
    case Tool::Connect: emit message(tr("Drag from one device or hub to another. Esc ends.")); break;
    case Tool::Select:
    case Tool::Pan: emit message({}); break;
    }
}

QStringList ClusterView::tabOrder() const
{
    const Cluster &cluster = m_document.cluster();
    std::vector<std::vector<const Bundle *>> from(cluster.vertexCount());
    for (const Bundle &bundle : model().links().bundles)
        from[bundle.a.index()].push_back(&bundle);
    QStringList order;
    for (std::size_t i = 0; i < cluster.vertexCount(); ++i) {
        order.append(model().idOf(VertexId(i)));
        for (const Bundle *bundle : from[i])
            for (LinkId link : bundle->links)
                order.append(model().idOf(link));
    }
    return order;
}

QRect ClusterView::viewRectOf(const QString &id) const
{
    const QRectF rect = model().rectOf(id);
    return rect.isNull() ? QRect() : mapFromScene(rect).boundingRect();
}

QPoint ClusterView::viewPointOn(LinkId link, double fraction) const
{
    const Curve &curve = model().links().curves[link.index()].curve;
    return mapFromScene(curve.at(curve.parameterAt(fraction)));
}

void ClusterView::paintFitted(QPainter &painter, const QRectF &target, const Theme &theme) const
{
    const CanvasModel picture = forExport(model());
    const QRectF all = picture.contents().adjusted(-exportMargin, -exportMargin, exportMargin, exportMargin);
    painter.save();
    painter.fillRect(target, theme.canvas);
    if (!all.isEmpty()) {
        const double scale = std::min(target.width() / all.width(), target.height() / all.height());
        painter.translate(target.center());
        painter.scale(scale, scale);
        painter.translate(-all.center());
        paintCanvas(painter, picture, theme, all);
    }
    painter.restore();
}

QImage ClusterView::renderImage(const QSize &size, const Theme &theme) const
{
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(theme.canvas);
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    paintFitted(painter, QRectF(QPointF(0, 0), QSizeF(size)), theme);
    return image;
}

Result<void> ClusterView::saveSvg(const QString &path, const Theme &theme) const
{
    const QRectF all =
        forExport(model()).contents().adjusted(-exportMargin, -exportMargin, exportMargin, exportMargin);
    const QSizeF size = all.size().expandedTo(QSizeF(64, 64));
    QSvgGenerator generator;
    generator.setFileName(path);
    generator.setResolution(96); // points and pixels agree
    generator.setSize(size.toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), size));
    generator.setTitle(QString::fromStdString(m_document.cluster().name()));
    QPainter painter;
    if (!painter.begin(&generator))
        return fail({ErrorKind::Io, path.toStdString(), "a file that cannot be written", "a writable file",
                     "Choose another folder."});
    paintFitted(painter, QRectF(QPointF(0, 0), size), theme);
    painter.end();
    return {};
}

Result<void> ClusterView::savePdf(const QString &path, const Theme &theme) const
{
    const QRectF all =
        forExport(model()).contents().adjusted(-exportMargin, -exportMargin, exportMargin, exportMargin);
    const QSizeF size = all.size().expandedTo(QSizeF(64, 64));
    QPdfWriter writer(path);
    writer.setResolution(96);
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setPageSize(QPageSize(size * 72.0 / 96.0, QPageSize::Point));
    writer.setTitle(QString::fromStdString(m_document.cluster().name()));
    QPainter painter;
    if (!painter.begin(&writer))
        return fail({ErrorKind::Io, path.toStdString(), "a file that cannot be written", "a writable file",
                     "Choose another folder."});
    paintFitted(painter, QRectF(0, 0, writer.width(), writer.height()), theme);
    painter.end();
    return {};
}

} // namespace polyrail
