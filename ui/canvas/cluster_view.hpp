// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "ui/canvas/cluster_editor.hpp"
#include "ui/canvas/cluster_scene.hpp"
#include "ui/document/document.hpp"
#include "ui/document/selection.hpp"

#include <QGraphicsView>
#include <QList>
#include <QPointer>

#include <optional>

class QAction;
class QMenu;

namespace polyrail {

struct Theme;
class CanvasActions;
class CanvasChrome;

/// The canvas: shows the document's cluster and what the shown plan does to it, and edits it. Every edit is an undo
/// step of the document. Selection is shared with the other views.
class ClusterView : public QGraphicsView
{
    Q_OBJECT
public:
    enum class Tool { Select, Pan, AddDevice, AddHub, Connect };
    Q_ENUM(Tool)

    ClusterView(Document &document, SelectionModel &selection, QWidget *parent = nullptr);
    ~ClusterView() override;

    /// Stage badges, memory and use of links; no plan: the bare cluster.
    void setShown(const ShownPlan &shown);
    /// Use is shown at its cursor, or as the mean over the step while it has none. Not owned; may be null.
    void setTimeAxis(TimeAxis *axis);

    /// Everything that edits, for a menu bar; the same actions are in the context menu and react to their shortcuts
    /// while the canvas has the focus. Separators included.
    QList<QAction *> editActions() const;
    /// Zoom, fit, find, link kinds.
    QList<QAction *> viewActions() const;

    Tool tool() const { return m_tool; }
    /// What lies under `at` (view pixels) stays there.
    void zoomAt(const QPoint &at, double factor);
    double zoom() const; ///< 1 = 100 %

    /// The whole cluster, fitted into `size` pixels on the theme's canvas colour.
    QImage renderImage(const QSize &size, const Theme &theme) const;
    /// The same with any painter.
    void paintFitted(QPainter &painter, const QRectF &target, const Theme &theme) const;
    /// Vector files of the whole cluster at 100 %. Not atomic: for new files.
    Result<void> saveSvg(const QString &path, const Theme &theme) const;
    Result<void> savePdf(const QString &path, const Theme &theme) const;

    ClusterScene &clusterScene() { return *m_scene; }
    const CanvasModel &model() const { return m_scene->model(); }
    ClusterEditor &editor() { return *m_editor; }
    SelectionModel &selectionModel() { return m_selection; }
    Document &document() { return m_document; }

    /// What Tab steps through: each vertex, then the links that start there, bundle by bundle.
    QStringList tabOrder() const;
    /// Where an item stands in the view, for screen readers and tests; null if it is not shown.
    QRect viewRectOf(const QString &id) const;
    /// A point of the view on the link's curve.
    QPoint viewPointOn(LinkId link, double fraction = 0.5) const;

public slots:
    void setTool(polyrail::ClusterView::Tool tool);
    void fitAll();
    void fitSelection();
    void centreOn(const QString &id);
    void zoomBy(double factor) { zoomAt(viewport()->rect().center(), factor); }
    void resetZoom();
    void setHiddenKinds(const std::set<polyrail::LinkKind> &kinds);

signals:
    void toolChanged(polyrail::ClusterView::Tool tool);
    void zoomChanged(double zoom);
    void propertiesRequested(); ///< double click or Enter on something: show the inspector
    void sampleRequested();     ///< from the empty canvas
    void message(const QString &text); ///< one sentence for the status bar

protected:
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    bool focusNextPrevChild(bool next) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragMoveEvent(QDragMoveEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    enum class Gesture { None, Pan, RubberBand, Move, Connect };

    void clusterChanged(bool structure);
    void updateOverlay();
    void afterZoom();
    void hover(const QPoint &at);
    void beginMove(const CanvasHit &hit);
    QPointF snapped(const QPointF &delta, Qt::KeyboardModifiers modifiers) const;
    void finishRubberBand(Qt::KeyboardModifiers modifiers);
    bool step(bool forward);
    void nudge(const QPointF &by);
    void cancelGesture();
    void place(const QPointF &at);
    void updateCursor();

    Document &m_document;
    SelectionModel &m_selection;
    ClusterScene *m_scene = nullptr;
    ClusterEditor *m_editor = nullptr;
    CanvasActions *m_actions = nullptr;
    CanvasChrome *m_chrome = nullptr;
    QPointer<TimeAxis> m_axis;
    ShownPlan m_shown;
    Tool m_tool = Tool::Select;
    Gesture m_gesture = Gesture::None;
    QPoint m_pressAt;
    QPoint m_lastAt;
    QPointF m_pressScene;
    CanvasHit m_pressHit;
    bool m_moved = false;
    bool m_spaceHeld = false;
    bool m_leaveOnTab = false;
    bool m_fitted = false;
    std::vector<VertexId> m_dragged;
    QPointF m_dragDone;
    QRectF m_band;
    QStringList m_bandBefore;
    QPointF m_connectTo;
};

} // namespace polyrail
