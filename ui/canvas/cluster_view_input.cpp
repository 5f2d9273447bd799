// SPDX-License-Identifier: GPL-3.0-or-later
// The canvas under mouse, wheel and keyboard.
#include "ui/canvas/canvas_actions.hpp"
#include "ui/canvas/canvas_chrome.hpp"
#include "ui/canvas/cluster_view.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDropEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace polyrail {

namespace {

constexpr double grid = 10; ///< half the pitch of the dots, so that pills and cards can share a line

} // namespace

void ClusterView::updateCursor()
{
    Qt::CursorShape shape = Qt::ArrowCursor;
    if (m_gesture == Gesture::Pan)
        shape = Qt::ClosedHandCursor;
    else if (m_spaceHeld || m_tool == Tool::Pan)
        shape = Qt::OpenHandCursor;
    else if (m_tool != Tool::Select)
        shape = Qt::CrossCursor;
    viewport()->setCursor(shape);
}

QPointF ClusterView::snapped(const QPointF &delta, Qt::KeyboardModifiers modifiers) const
{
    if (m_dragged.empty() || !m_actions->snaps() || modifiers.testFlag(Qt::AltModifier))
        return delta;
    // The vertex under the pointer lands on the grid and takes the others with it.
    const QPointF from = model().shapes()[m_dragged.front().index()].centre - m_dragDone;
    const QPointF to = from + delta;
    return QPointF(std::round(to.x() / grid) * grid, std::round(to.y() / grid) * grid) - from;
}

void ClusterView::mousePressEvent(QMouseEvent *event)
{
    setFocus(Qt::MouseFocusReason);
    m_leaveOnTab = false;
    m_pressAt = m_lastAt = event->pos();
    m_pressScene = mapToScene(event->pos());
    m_moved = false;
    if (event->button() == Qt::MiddleButton
        || (event->button() == Qt::LeftButton && (m_spaceHeld || m_tool == Tool::Pan))) {
        m_gesture = Gesture::Pan;
        updateCursor();
        event->accept();
        return;
    }
    m_pressHit = model().hit(m_pressScene);
    if (event->button() == Qt::RightButton) {
        if (!m_pressHit.id.isEmpty() && m_pressHit.kind != CanvasHit::HostBody && !m_selection.contains(m_pressHit.id))
            m_selection.select({m_pressHit.id});
        event->accept();
        return;
    }
    if (event->button() != Qt::LeftButton) {
        event->ignore();
        return;
    }
    event->accept();
    if (m_tool == Tool::AddDevice || m_tool == Tool::AddHub) {
        place(m_pressScene);
        if (!event->modifiers().testFlag(Qt::ShiftModifier)) // Shift: place several
            setTool(Tool::Select);
        return;
    }
    if (m_tool == Tool::Connect) {
        if (m_pressHit.kind == CanvasHit::Vertex) {
            m_gesture = Gesture::Connect;
            m_connectTo = m_pressScene;
        }
        return;
    }
    const bool add = event->modifiers().testFlag(Qt::ControlModifier);
    switch (m_pressHit.kind) {
    case CanvasHit::Vertex:
    case CanvasHit::HostHeader:
        if (add)
            m_selection.toggle(m_pressHit.id);
        else if (!m_selection.contains(m_pressHit.id))
            m_selection.select({m_pressHit.id});
        if (m_selection.contains(m_pressHit.id))
            beginMove(m_pressHit);
        break;
    case CanvasHit::Link:
        if (add)
            m_selection.toggle(m_pressHit.id);
        else
            m_selection.select({m_pressHit.id});
        break;
    case CanvasHit::HostBody:
    case CanvasHit::Nothing:
        m_gesture = Gesture::RubberBand;
        m_band = {};
        m_bandBefore = add ? m_selection.ids() : QStringList();
        break;
    }
}

void ClusterView::beginMove(const CanvasHit &hit)
{
    m_gesture = Gesture::Move;
    m_dragDone = {};
    m_dragged = m_editor->selectedVertices();
    if (hit.kind == CanvasHit::Vertex) {
        const auto it = std::find(m_dragged.begin(), m_dragged.end(), hit.vertex);
        if (it != m_dragged.end())
            std::iter_swap(m_dragged.begin(), it);
    }
}

void ClusterView::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint at = event->pos();
    const QPointF scene = mapToScene(at);
    if (m_gesture != Gesture::None && !m_moved
        && (at - m_pressAt).manhattanLength() >= QApplication::startDragDistance())
        m_moved = true;
    switch (m_gesture) {
    case Gesture::None: hover(at); break;
    case Gesture::Pan: {
        const QPoint by = at - m_lastAt;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - by.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
        m_fitted = false;
        break;
    }
    case Gesture::RubberBand:
        if (m_moved) {
            m_band = QRectF(m_pressScene, scene).normalized();
            finishRubberBand(event->modifiers());
        }
        break;
    case Gesture::Move:
        if (m_moved && !m_dragged.empty()) {
            const QPointF wanted = snapped(scene - m_pressScene, event->modifiers());
            if (wanted != m_dragDone) {
                m_scene->model().moveVertices(m_dragged, wanted - m_dragDone);
                m_dragDone = wanted;
                m_scene->update();
            }
        }
        break;
    case Gesture::Connect:
        m_connectTo = scene;
        hover(at);
        m_scene->update();
        break;
    }
    m_lastAt = at;
    event->accept();
}

void ClusterView::mouseReleaseEvent(QMouseEvent *event)
{
    const Gesture gesture = std::exchange(m_gesture, Gesture::None);
    updateCursor();
    event->accept();
    switch (gesture) {
    case Gesture::None:
    case Gesture::Pan: break;
    case Gesture::RubberBand:
        m_band = {};
        if (!m_moved) {
            if (m_pressHit.kind == CanvasHit::HostBody)
                m_bandBefore.isEmpty() ? m_selection.select({m_pressHit.id}) : m_selection.toggle(m_pressHit.id);
            else
                m_selection.select(m_bandBefore);
        }
        m_scene->update();
        break;
    case Gesture::Move: {
        const QPointF by = std::exchange(m_dragDone, QPointF());
        const std::vector<VertexId> dragged = std::exchange(m_dragged, {});
        if (!by.isNull())
            m_editor->move(dragged, by);
        else if (!m_moved && !event->modifiers().testFlag(Qt::ControlModifier))
            m_selection.select({m_pressHit.id}); // a plain click on one of several
        break;
    }
    case Gesture::Connect: {
        const CanvasHit hit = model().hit(mapToScene(event->pos()));
        m_scene->update();
        if (hit.kind == CanvasHit::Vertex && hit.vertex != m_pressHit.vertex)
            m_editor->connectVertices(m_pressHit.vertex, hit.vertex);
        break;
    }
    }
}

void ClusterView::mouseDoubleClickEvent(QMouseEvent *event)
{
    event->accept();
    const CanvasHit hit = model().hit(mapToScene(event->pos()));
    if (event->button() != Qt::LeftButton || m_tool != Tool::Select)
        return;
    if (hit.kind == CanvasHit::Nothing || hit.kind == CanvasHit::HostBody)
        fitAll();
    else
        emit propertiesRequested();
}

void ClusterView::finishRubberBand(Qt::KeyboardModifiers)
{
    QStringList ids = m_bandBefore;
    for (std::size_t i = 0; i < model().shapes().size(); ++i)
        if (m_band.contains(model().shapes()[i].rect()))
            ids.append(model().idOf(VertexId(i)));
    const auto &curves = model().links().curves;
    for (std::size_t i = 0; i < curves.size(); ++i)
        if (curves[i].bundle >= 0 && m_band.contains(curves[i].curve.bounds()))
            ids.append(model().idOf(LinkId(i)));
    m_selection.select(ids);
    m_scene->update();
}

void ClusterView::hover(const QPoint &at)
{
    const CanvasHit hit = model().hit(mapToScene(at));
    const QString id = hit.kind == CanvasHit::HostBody ? QString() : hit.id;
    if (id == model().hovered())
        return;
    m_scene->model().setHovered(id);
    m_scene->update();
}

void ClusterView::wheelEvent(QWheelEvent *event)
{
    const QPoint degrees = event->angleDelta();
    event->accept();
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoomAt(event->position().toPoint(), std::pow(1.0015, degrees.y()));
        return;
    }
    QPoint by = event->pixelDelta().isNull() ? degrees / 2 : event->pixelDelta();
    if (event->modifiers().testFlag(Qt::ShiftModifier))
        by = {by.x() + by.y(), 0};
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - by.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() - by.y());
    m_fitted = false;
}

void ClusterView::keyPressEvent(QKeyEvent *event)
{
    m_leaveOnTab = false;
    const double step = event->modifiers().testFlag(Qt::ShiftModifier) ? 1 : grid;
    event->accept();
    switch (event->key()) {
    case Qt::Key_Left: nudge({-step, 0}); return;
    case Qt::Key_Right: nudge({step, 0}); return;
    case Qt::Key_Up: nudge({0, -step}); return;
    case Qt::Key_Down: nudge({0, step}); return;
    case Qt::Key_Space:
        if (!event->isAutoRepeat()) {
            m_spaceHeld = true;
            updateCursor();
        }
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!m_selection.ids().isEmpty())
            emit propertiesRequested();
        return;
    case Qt::Key_Escape:
        if (m_gesture != Gesture::None)
            cancelGesture();
        else if (m_tool != Tool::Select)
            setTool(Tool::Select);
        else
            m_selection.clear();
        m_leaveOnTab = true; // Esc, then Tab goes on to the next panel
        return;
    default: event->ignore();
    }
}

void ClusterView::keyReleaseEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        m_spaceHeld = false;
        updateCursor();
        event->accept();
        return;
    }
    if (event->key() >= Qt::Key_Left && event->key() <= Qt::Key_Down && !event->isAutoRepeat())
        m_document.endGesture(); // held arrows are one step of undo
    event->ignore();
}

void ClusterView::nudge(const QPointF &by)
{
    const std::vector<VertexId> vertices = m_editor->selectedVertices();
    if (vertices.empty()) {
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + int(by.x() * 4));
        verticalScrollBar()->setValue(verticalScrollBar()->value() + int(by.y() * 4));
        m_fitted = false;
        return;
    }
    m_editor->move(vertices, by, QStringLiteral("nudge"));
}

bool ClusterView::step(bool forward)
{
    const QStringList order = tabOrder();
    if (order.isEmpty())
        return false;
    const qsizetype now = order.indexOf(m_selection.current());
    const qsizetype next = now < 0 ? (forward ? 0 : order.size() - 1) : now + (forward ? 1 : -1);
    if (next < 0 || next >= order.size())
        return false;
    m_selection.select({order[next]});
    const QRectF rect = model().rectOf(order[next]);
    if (!rect.isNull() && !mapToScene(viewport()->rect()).boundingRect().contains(rect.center()))
        ensureVisible(rect, 40, 40);
    return true;
}

bool ClusterView::focusNextPrevChild(bool next)
{
    if (hasFocus() && !m_leaveOnTab && step(next))
        return true;
    m_leaveOnTab = false;
    return QGraphicsView::focusNextPrevChild(next);
}

void ClusterView::focusInEvent(QFocusEvent *event)
{
    QGraphicsView::focusInEvent(event);
    if ((event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
        && m_selection.ids().isEmpty())
        step(event->reason() == Qt::TabFocusReason);
    viewport()->update();
}

void ClusterView::cancelGesture()
{
    if (m_gesture == Gesture::Move && !m_dragDone.isNull())
        m_scene->model().setCluster(m_document.cluster());
    if (m_gesture == Gesture::RubberBand)
        m_selection.select(m_bandBefore);
    m_gesture = Gesture::None;
    m_dragged.clear();
    m_dragDone = {};
    m_band = {};
    updateCursor();
    m_scene->update();
}

void ClusterView::place(const QPointF &at)
{
    const QPointF centre(std::round(at.x() / grid) * grid, std::round(at.y() / grid) * grid);
    m_actions->place(m_tool, m_actions->snaps() ? centre : at);
}

void ClusterView::contextMenuEvent(QContextMenuEvent *event)
{
    QPointF at = mapToScene(event->pos());
    if (event->reason() == QContextMenuEvent::Keyboard && !model().rectOf(m_selection.current()).isNull())
        at = model().rectOf(m_selection.current()).center();
    QMenu *menu = m_actions->contextMenu(at);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(viewport()->mapToGlobal(mapFromScene(at)));
    event->accept();
}

void ClusterView::resizeEvent(QResizeEvent *event)
{
    QGraphicsView::resizeEvent(event);
    m_chrome->arrange();
    if (m_fitted)
        fitAll();
}

void ClusterView::drawForeground(QPainter *painter, const QRectF &)
{
    const Theme &theme = Theme::current();
    if (m_gesture == Gesture::RubberBand && !m_band.isEmpty()) {
        QPen pen(theme.accent, 1);
        pen.setCosmetic(true);
        painter->setPen(pen);
        painter->setBrush(withAlpha(theme.accent, 0.1));
        painter->drawRect(m_band);
    }
    if (m_gesture == Gesture::Connect) {
        QPen pen(theme.accent, 2, Qt::DashLine);
        pen.setCosmetic(true);
        painter->setPen(pen);
        painter->drawLine(model().shapes()[m_pressHit.vertex.index()].centre, m_connectTo);
    }
    if (hasFocus()) {
        painter->save();
        painter->resetTransform();
        painter->setRenderHint(QPainter::Antialiasing, false);
        painter->setPen(QPen(theme.accent, 2));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
        painter->restore();
    }
}

void ClusterView::dragEnterEvent(QDragEnterEvent *event)
{
    if (event->mimeData()->hasFormat(CanvasActions::toolMime()))
        event->acceptProposedAction();
    else
        event->ignore(); // files belong to the window
}

void ClusterView::dragMoveEvent(QDragMoveEvent *event)
{
    if (event->mimeData()->hasFormat(CanvasActions::toolMime()))
        event->acceptProposedAction();
    else
        event->ignore();
}

void ClusterView::dropEvent(QDropEvent *event)
{
    if (!event->mimeData()->hasFormat(CanvasActions::toolMime())) {
        event->ignore();
        return;
    }
    const QByteArray what = event->mimeData()->data(CanvasActions::toolMime());
    const QPointF at = mapToScene(event->position().toPoint());
    m_actions->place(what == "hub" ? Tool::AddHub : Tool::AddDevice,
                     QPointF(std::round(at.x() / grid) * grid, std::round(at.y() / grid) * grid));
    event->acceptProposedAction();
    setFocus();
}

bool ClusterView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const CanvasHit hit = model().hit(mapToScene(help->pos()));
        const QString text = model().toolTip(hit);
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, viewport());
        return true;
    }
    if (event->type() == QEvent::Leave) {
        m_scene->model().setHovered({});
        m_scene->update();
    }
    return QGraphicsView::viewportEvent(event);
}

void ClusterView::changeEvent(QEvent *event)
{
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange || event->type() == QEvent::PaletteChange
        || event->type() == QEvent::FontChange)
        if (m_chrome) {
            m_chrome->arrange();
            m_scene->update();
        }
}

} // namespace polyrail
