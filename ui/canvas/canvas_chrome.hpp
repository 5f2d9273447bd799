// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/cluster_view.hpp"

#include <QFrame>
#include <QMargins>
#include <QObject>

class QLabel;
class QLineEdit;
class QToolButton;

namespace polyrail {

class CanvasActions;

/// The strip that says what lines, fills and bands mean; only kinds that occur. Drops entries from the end when the
/// canvas is narrow.
class CanvasLegend : public QWidget
{
    Q_OBJECT
public:
    explicit CanvasLegend(ClusterView &view);
    QSize sizeHint() const override;
    void rebuild();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Entry
    {
        enum What { Kind, Use, Width, Band } what = Kind;
        LinkKind kind = LinkKind::Other;
        QString text;
        double width = 0;
    };
    ClusterView &m_view;
    QList<Entry> m_entries;
};

/// What lies over the canvas: tools, legend, zoom, the find field and the empty state.
class CanvasChrome : public QObject
{
    Q_OBJECT
public:
    CanvasChrome(ClusterView &view, CanvasActions &actions);

    void arrange();        ///< after a resize or a change of fonts
    void update();         ///< zoom figure, legend words
    void clusterChanged(); ///< kinds that occur, names to find, empty or not
    QMargins insets() const; ///< covered at the edges: fitting keeps clear of it

private:
    void makeTools();
    void makeZoomBox();
    void makeFind();
    void makeEmptyState();
    void showFind();
    void startDrag(QToolButton &button, const QByteArray &what);
    bool eventFilter(QObject *watched, QEvent *event) override;

    ClusterView &m_view;
    CanvasActions &m_actions;
    QFrame *m_tools = nullptr;
    CanvasLegend *m_legend = nullptr;
    QFrame *m_zoomBox = nullptr;
    QToolButton *m_zoom = nullptr;
    QToolButton *m_filter = nullptr;
    QLineEdit *m_find = nullptr;
    QWidget *m_empty = nullptr;
    QPoint m_pressed;
};

} // namespace polyrail
