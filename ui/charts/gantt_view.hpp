// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/selection.hpp"

#include <QWidget>

#include <optional>

class QScrollBar;

namespace polyrail {

class GanttCanvas;
class GanttHeader;

/// One step of a plan: devices, links and memory over time, with title and legend. Reads and writes the selection and
/// the time axis, both of which must outlive it. UI thread only.
///
/// Wheel zooms at the pointer, Shift and wheel scrolls, drag pans, W S A D zoom and pan, Home shows all, F fits the
/// selected task, arrows step through tasks and rows, [ and ] follow the critical path, Alt and arrows go back and
/// forth through views, Shift and drag measures, a click on the ruler sets the time cursor, Escape lets go of all.
class GanttView : public QWidget
{
    Q_OBJECT
public:
    GanttView(SelectionModel &selection, TimeAxis &axis, QWidget *parent = nullptr);
    ~GanttView() override;

    /// Without a schedule: empty. Keeps zoom, scroll and opened bundles.
    void setShown(const ShownPlan &shown);
    const ShownPlan &shown() const;
    /// "Best plan, one step" unless set.
    void setTitle(const QString &title);
    QString title() const;
    /// Which sections are drawn beside the devices.
    void setSections(bool links, bool memory);
    bool linksShown() const;
    bool memoryShown() const;
    void setComfortable(bool comfortable); ///< rows of 22 px instead of 15
    /// One row per tensor group: by default from 48 devices on, or as told.
    void setFolded(std::optional<bool> folded);
    bool folded() const; ///< some row stands for several devices
    /// The "Follow best" switch: hidden where it has no meaning (compare).
    void setFollowVisible(bool visible);
    bool followsBest() const;
    void setFollowsBest(bool follows);

    GanttCanvas &canvas() { return *m_canvas; }
    const GanttHeader &header() const { return *m_header; }
    QSize sizeHint() const override;

public slots:
    void zoomIn();
    void zoomOut();
    void showAll();
    void fitSelected();

signals:
    void followsBestChanged(bool follows);

protected:
    void changeEvent(QEvent *event) override;

private:
    void updateScrollBar();
    void updateHeader();

    GanttHeader *m_header = nullptr;
    GanttCanvas *m_canvas = nullptr;
    QScrollBar *m_scrollBar = nullptr;
    QString m_title;
};

} // namespace polyrail
