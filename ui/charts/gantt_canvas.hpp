// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/gantt_scene.hpp"

#include <QElapsedTimer>
#include <QPointer>

#include <qcustomplot.h>

namespace polyrail {

class GanttBackground;
class GanttCursor;
class GanttLabels;
class GanttRuler;

/// The plot of the Gantt view: rows, labels, ruler and cursor, with mouse and keys. GanttView wraps it with a header
/// and a scroll bar, and is what other rooms use.
class GanttCanvas : public QCustomPlot
{
    Q_OBJECT
public:
    GanttCanvas(SelectionModel &selection, TimeAxis &axis, QWidget *parent = nullptr);
    ~GanttCanvas() override;

    void setShown(const ShownPlan &shown);
    void setOptions(const GanttModel::Options &options);
    const GanttModel::Options &options() const { return m_options; }
    void setComfortable(bool comfortable);
    void setRightMargin(double pixels);
    const GanttScene &scene() const { return m_scene; }

    double scroll() const { return m_scene.scroll; }
    double scrollRange() const; ///< most that scroll() can be
    void setScroll(double pixels);
    /// Height at which every row is in sight.
    double fullHeight() const;

    /// Paints the chart at a size of its own, in a theme of its own, without touching the widget.
    void renderTo(QCPPainter &painter, const QSize &size, const Theme &theme, double density);
    /// Plain text for what lies at a place of the widget; empty where nothing does.
    QString tipAt(const QPoint &place) const;
    /// What the measured span holds: length, and busy share by kind. Empty when nothing is measured.
    QString measureText() const;
    void applyTheme();

    // Gestures, also for menus.
    void zoomBy(double factor, std::optional<double> about = std::nullopt); ///< factor > 1: closer; about: seconds
    void panBy(double shareOfView);
    void fitSelected();
    void showAll();
    void stepTask(int direction);
    void stepRow(int direction);
    void stepCritical(int direction);
    void previousView();
    void nextView();

signals:
    void scrolled();      ///< scroll() or scrollRange() changed
    void bundleToggled(); ///< a bundle of links was opened or closed

protected:
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;
    bool event(QEvent *event) override;

private:
    enum class Part { Nothing, Ruler, Label, Track };
    struct Hit
    {
        Part part = Part::Nothing;
        std::optional<std::size_t> place; ///< index into the layout's places
        int stage = -1;                   ///< index into the model's stages, for a label left of the device names
        BarRef bar;
        double time = 0;                  ///< ns
    };
    enum class Gesture { None, Press, Pan, Cursor, Measure };

    Hit hitTest(const QPointF &place) const;
    TimeScale timeScale() const;
    void click(const Hit &hit, Qt::KeyboardModifiers modifiers);
    void toggleBundle(const LinkRow &row);
    void selectBar(BarRef ref);
    void selectTaskById(TaskId task, std::optional<std::size_t> row);
    void showTask(TaskId task);      ///< scrolls and pans so that it is in sight
    void setGeometryFor(const QSize &size);
    void rebuild();
    void onTaskChanged();
    void onRangeChanged();
    void redraw();                   ///< queued, everything
    void redrawCursor();             ///< the cursor's layer alone
    void rememberView();
    std::optional<std::size_t> currentRow() const;

    SelectionModel &m_selection;
    TimeAxis &m_axis;
    GanttScene m_scene;
    GanttModel::Options m_options;

    Gesture m_gesture = Gesture::None;
    QPointF m_pressed;
    QPointF m_last;
    std::optional<std::size_t> m_row; ///< device row that arrow keys walk along
    std::vector<std::pair<double, double>> m_views;
    std::size_t m_view = 0;
    QElapsedTimer m_viewTime;
    bool m_restoringView = false;
};

} // namespace polyrail
