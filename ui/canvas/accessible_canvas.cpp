// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/accessible_canvas.hpp"

#include "ui/canvas/cluster_view.hpp"

#include <QAccessible>
#include <QAccessibleWidget>

#include <map>

namespace polyrail {

namespace {

class AccessibleCanvas;

/// One device, hub or link. Named by id, so it stays right when the cluster changes under it.
class AccessibleCanvasItem : public QAccessibleInterface
{
public:
    AccessibleCanvasItem(ClusterView *view, QString id) : m_view(view), m_id(std::move(id)) {}

    bool isValid() const override { return m_view && m_view->tabOrder().contains(m_id); }
    QObject *object() const override { return nullptr; }
    QAccessibleInterface *parent() const override { return QAccessible::queryAccessibleInterface(m_view); }
    QAccessibleInterface *child(int) const override { return nullptr; }
    QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::ListItem; }

    QString text(QAccessible::Text what) const override
    {
        return m_view && (what == QAccessible::Name || what == QAccessible::Description)
            ? m_view->model().accessibleName(m_id)
            : QString();
    }
    void setText(QAccessible::Text, const QString &) override {}

    QRect rect() const override
    {
        if (!m_view)
            return {};
        const QRect in = m_view->viewRectOf(m_id);
        return {m_view->viewport()->mapToGlobal(in.topLeft()), in.size()};
    }

    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.focusable = true;
        state.selectable = true;
        state.multiSelectable = true;
        if (m_view) {
            state.selected = m_view->model().isSelected(m_id);
            state.focused = m_view->hasFocus() && m_view->selectionModel().current() == m_id;
        }
        return state;
    }

private:
    QPointer<ClusterView> m_view;
    QString m_id;
};

class AccessibleCanvas : public QAccessibleWidget
{
public:
    explicit AccessibleCanvas(ClusterView *view) : QAccessibleWidget(view, QAccessible::List), m_view(view) {}

    ~AccessibleCanvas() override
    {
        for (const auto &[id, uid] : m_items)
            QAccessible::deleteAccessibleInterface(uid);
    }

    // The items come first, then the widgets that lie over the canvas.
    int childCount() const override { return int(m_view->tabOrder().size()) + QAccessibleWidget::childCount(); }

    QAccessibleInterface *child(int index) const override
    {
        const QStringList order = m_view->tabOrder();
        if (index < 0)
            return nullptr;
        if (index >= order.size())
            return QAccessibleWidget::child(index - int(order.size()));
        return item(order[index]);
    }

    int indexOfChild(const QAccessibleInterface *child) const override
    {
        const QStringList order = m_view->tabOrder();
        for (const auto &[id, uid] : m_items)
            if (QAccessible::accessibleInterface(uid) == child)
                return int(order.indexOf(id));
        const int widget = QAccessibleWidget::indexOfChild(child);
        return widget < 0 ? -1 : int(order.size()) + widget;
    }

    QAccessibleInterface *childAt(int x, int y) const override
    {
        const QPoint local = m_view->viewport()->mapFromGlobal(QPoint(x, y));
        const CanvasHit hit = m_view->model().hit(m_view->mapToScene(local));
        return hit.kind == CanvasHit::Vertex || hit.kind == CanvasHit::Link ? item(hit.id)
                                                                            : QAccessibleWidget::childAt(x, y);
    }

    QAccessibleInterface *focusChild() const override
    {
        const QString current = m_view->selectionModel().current();
        return m_view->hasFocus() && m_view->tabOrder().contains(current) ? item(current)
                                                                         : QAccessibleWidget::focusChild();
    }

    QAccessibleInterface *item(const QString &id) const
    {
        if (const auto it = m_items.find(id); it != m_items.end())
            return QAccessible::accessibleInterface(it->second);
        auto *made = new AccessibleCanvasItem(m_view, id);
        m_items[id] = QAccessible::registerAccessibleInterface(made);
        return made;
    }

private:
    ClusterView *m_view;
    mutable std::map<QString, QAccessible::Id> m_items;
};

QAccessibleInterface *makeAccessible(const QString &, QObject *object)
{
    if (auto *view = qobject_cast<ClusterView *>(object))
        return new AccessibleCanvas(view);
    return nullptr;
}

} // namespace

void installAccessibleCanvas()
{
    static const bool once = [] {
        QAccessible::installFactory(makeAccessible);
        return true;
    }();
    static_cast<void>(once);
}

void announceFocus(ClusterView &view)
{
    if (!QAccessible::isActive())
        return;
    if (auto *canvas = dynamic_cast<AccessibleCanvas *>(QAccessible::queryAccessibleInterface(&view)))
        if (QAccessibleInterface *item = canvas->item(view.selectionModel().current())) {
            QAccessibleEvent event(item, QAccessible::Focus);
            QAccessible::updateAccessibility(&event);
        }
}

} // namespace polyrail
