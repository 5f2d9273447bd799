// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sample_cluster.hpp"
#include "ui/canvas/cluster_view.hpp"

#include <QAction>
#include <QApplication>
#include <QTest>

#include <memory>

namespace polyrail::test {

/// A document with a view of it on the screen.
struct Screen
{
    explicit Screen(Cluster cluster = twoBoxes(), QSize size = {1136, 460})
    {
        document.reset(std::move(cluster), {}, {});
        view = std::make_unique<ClusterView>(document, selection);
        view->resize(size);
        view->show();
        view->setFocus();
        QApplication::processEvents();
    }

    LinkId link(const char *id) const { return document.cluster().findLink(id); }
    QPoint at(const char *id) const { return view->viewRectOf(QString::fromLatin1(id)).center(); }
    QPoint on(const char *id, double fraction = 0.5) const { return view->viewPointOn(link(id), fraction); }
    void click(const QPoint &p, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseClick(view->viewport(), Qt::LeftButton, modifiers, p);
    }
    void drag(const QPoint &from, const QPoint &to, Qt::MouseButton button = Qt::LeftButton,
              Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mousePress(view->viewport(), button, modifiers, from);
        for (int i = 1; i <= 5; ++i) {
            QMouseEvent move(QEvent::MouseMove, QPointF(from + (to - from) * i / 5),
                             view->viewport()->mapToGlobal(QPointF(from + (to - from) * i / 5)), Qt::NoButton, button,
                             modifiers);
            QCoreApplication::sendEvent(view->viewport(), &move);
        }
        QTest::mouseRelease(view->viewport(), button, modifiers, to);
    }
    QAction *action(const QString &text) const
    {
        for (QAction *a : view->editActions() + view->viewActions())
            if (QString(a->text()).remove(QLatin1Char('&')) == text)
                return a;
        return nullptr;
    }

    Document document;
    SelectionModel selection;
    std::unique_ptr<ClusterView> view;
};

inline QStringList one(const char *id) { return {QString::fromLatin1(id)}; }

} // namespace polyrail::test
