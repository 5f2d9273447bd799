// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/cluster_view.hpp"

#include <QAction>
#include <QList>
#include <QMap>
#include <QObject>

#include <functional>

class QActionGroup;
class QMenu;

namespace polyrail {

/// The canvas' actions: one set for tool palette, context menu, menu bar and shortcuts.
class CanvasActions : public QObject
{
    Q_OBJECT
public:
    explicit CanvasActions(ClusterView &view);

    QList<QAction *> editActions() const { return m_edit; }
    QList<QAction *> viewActions() const { return m_viewing; }
    QAction *toolAction(ClusterView::Tool tool) const { return m_tools.value(int(tool)); }
    QAction *findAction() const { return m_find; }
    QAction *fitAction() const { return m_fit; }
    QList<QAction *> kindActions() const { return m_kinds; }
    bool snaps() const { return m_snap->isChecked(); }

    /// Enabled and checked as the selection and the tool demand.
    void update();
    /// For the place in the scene that was clicked; the caller owns it.
    QMenu *contextMenu(const QPointF &at);
    /// Adds what the tool stands for, with the type or kind chosen last.
    void place(ClusterView::Tool tool, const QPointF &at);
    QMenu *deviceTypeMenu(QWidget *parent, std::function<void(const GpuType &)> chosen);
    QMenu *hubKindMenu(QWidget *parent, std::function<void(HubKind)> chosen);
    const GpuType *deviceType() const;
    void setDeviceType(const QString &name) { m_typeName = name; }
    void setHubKind(HubKind kind) { m_hubKind = kind; }
    /// What a drag from the tool palette carries: "gpu" or "hub".
    static QString toolMime();

signals:
    void findRequested();

private:
    QAction *add(QList<QAction *> &list, const QString &text, const QKeySequence &key, const QString &icon,
                 std::function<void()> does);
    void addSeparator(QList<QAction *> &list);
    void makeTools();
    void makeEdits();
    void makeArranging();
    void makeConflicts();
    void makeViewing();
    void shareCapacity();
    QPointF middle() const;

    ClusterView &m_view;
    QList<QAction *> m_edit;
    QList<QAction *> m_viewing;
    QMap<int, QAction *> m_tools;
    QList<QAction *> m_kinds;
    QAction *m_snap = nullptr;
    QAction *m_find = nullptr;
    QAction *m_fit = nullptr;
    QAction *m_paste = nullptr;
    QList<std::pair<QAction *, std::function<bool()>>> m_needs; ///< when an action can be used
    QString m_typeName;
    HubKind m_hubKind = HubKind::PcieSwitch;
};

} // namespace polyrail
