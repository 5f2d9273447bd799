// SPDX-License-Identifier: GPL-3.0-or-later
// Looking about on the canvas, with real mouse, key and wheel events: selection, zoom, detail, plans, names.
#include "canvas_screen.hpp"
#include "sample_cluster.hpp"
#include "ui/theme/theme.hpp"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

using namespace polyrail;
using test::fingerprint;
using test::one;
using test::Screen;

class TestCanvas : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { Theme::apply(*qApp, Theme::light()); }

    void aClickPicksTheRightOfParallelLinks()
    {
        Screen s;
        for (const char *id : {"rail 0", "rail 1", "mgmt"}) {
            s.click(s.on(id, 0.3));
            QCOMPARE(s.selection.ids(), one(id));
        }
        for (const char *id : {"nvlink 02a", "nvlink 03b"}) {
            s.click(s.on(id, 0.5));
            QCOMPARE(s.selection.ids(), one(id));
        }
        s.click(QPoint(540, 20)); // empty canvas
        QVERIFY(s.selection.ids().isEmpty());
    }

    void controlAddsAndTakesAway()
    {
        Screen s;
        s.click(s.on("rail 0", 0.3));
        s.click(s.on("mgmt", 0.3), Qt::ControlModifier);
        QCOMPARE(s.selection.ids(), QStringList({QStringLiteral("rail 0"), QStringLiteral("mgmt")}));
        s.click(s.on("rail 0", 0.3), Qt::ControlModifier);
        QCOMPARE(s.selection.ids(), one("mgmt"));
    }

    void rubberBandTakesWhatLiesInside()
    {
        Screen s;
        const QRect a0 = s.view->viewRectOf(QStringLiteral("4090D 0"));
        const QRect a1 = s.view->viewRectOf(QStringLiteral("4090D 1"));
        s.drag(a0.topLeft() - QPoint(6, 4), a1.bottomRight() + QPoint(6, 4));
        QCOMPARE(QSet<QString>(s.selection.ids().begin(), s.selection.ids().end()),
                 QSet<QString>({QStringLiteral("4090D 0"), QStringLiteral("4090D 1")}));
        QCOMPARE(s.document.undoStack().count(), 0); // inside a host's box, yet nothing moved
    }

    void linksFollowADragWhileItLasts()
    {
        Screen s;
        const QPoint from = s.at("NIC a");
        const QPointF before = s.view->model().links().curves[s.link("rail 0").index()].curve.start;
        QTest::mousePress(s.view->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(s.view->viewport(), from + QPoint(20, 30));
        QMouseEvent move(QEvent::MouseMove, QPointF(from + QPoint(40, 60)),
                         s.view->viewport()->mapToGlobal(QPointF(from + QPoint(40, 60))), Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(s.view->viewport(), &move);
        QVERIFY(s.view->model().links().curves[s.link("rail 0").index()].curve.start.y() > before.y() + 30);
        QCOMPARE(s.document.undoStack().count(), 0);
        QTest::keyClick(s.view.get(), Qt::Key_Escape); // the drag is taken back
        QCOMPARE(s.view->model().links().curves[s.link("rail 0").index()].curve.start, before);
        QTest::mouseRelease(s.view->viewport(), Qt::LeftButton, {}, from + QPoint(40, 60));
        QCOMPARE(s.document.undoStack().count(), 0);
    }

    void tabStepsThroughNodesAndParallelLinks()
    {
        Screen s;
        const QStringList order = s.view->tabOrder();
        QCOMPARE(order.size(), qsizetype(s.document.cluster().vertexCount() + s.document.cluster().links().size()));
        s.selection.select(one("NIC a"));
        QStringList seen;
        for (int i = 0; i < 3; ++i) {
            QTest::keyClick(s.view.get(), Qt::Key_Tab);
            seen.append(s.selection.current());
        }
        QCOMPARE(seen, QStringList({QStringLiteral("rail 0"), QStringLiteral("rail 1"), QStringLiteral("mgmt")}));
        QTest::keyClick(s.view.get(), Qt::Key_Backtab, Qt::ShiftModifier);
        QCOMPARE(s.selection.current(), QStringLiteral("rail 1"));
        // Every item is reached once.
        s.selection.clear();
        seen.clear();
        for (qsizetype i = 0; i < order.size(); ++i) {
            QTest::keyClick(s.view.get(), Qt::Key_Tab);
            seen.append(s.selection.current());
        }
        QCOMPARE(seen, order);
    }

    void escapeThenTabLeavesTheCanvas()
    {
        Screen s;
        s.selection.select(one("NIC a"));
        QTest::keyClick(s.view.get(), Qt::Key_Escape);
        QVERIFY(s.selection.ids().isEmpty());
        QTest::keyClick(s.view.get(), Qt::Key_Tab);
        QVERIFY(s.selection.ids().isEmpty());
        QVERIFY(!s.view->hasFocus());
    }

    void wheelAndKeysZoomAndPan()
    {
        Screen s;
        const double fitted = s.view->zoom();
        const QPoint at(300, 200);
        const QPointF under = s.view->mapToScene(at);
        const auto wheel = [&](Qt::KeyboardModifiers modifiers, int delta) {
            QWheelEvent event(QPointF(at), s.view->viewport()->mapToGlobal(QPointF(at)), {}, QPoint(0, delta), Qt::NoButton,
                              modifiers, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(s.view->viewport(), &event);
        };
        wheel(Qt::ControlModifier, 240);
        QVERIFY(s.view->zoom() > fitted * 1.2);
        const QPointF still = s.view->mapToScene(at);
        QVERIFY(std::hypot(still.x() - under.x(), still.y() - under.y()) < 3); // zooms at the cursor
        const double zoomed = s.view->zoom();
        const int before = s.view->verticalScrollBar()->value();
        wheel({}, -120);
        QVERIFY(s.view->verticalScrollBar()->value() > before);
        QCOMPARE(s.view->zoom(), zoomed);
        QTest::keyClick(s.view.get(), Qt::Key_Minus);
        QVERIFY(s.view->zoom() < zoomed);
        QTest::keyClick(s.view.get(), Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(s.view->zoom(), 1.0);
        QTest::keyClick(s.view.get(), Qt::Key_F);
        QVERIFY(std::abs(s.view->zoom() - fitted) < 1e-6);
        const QPoint mid(560, 60);
        const QPointF corner = s.view->mapToScene(mid);
        s.drag(mid, mid + QPoint(50, 20), Qt::MiddleButton);
        QVERIFY((s.view->mapFromScene(corner) - (mid + QPoint(50, 20))).manhattanLength() <= 1);
        QTest::keyPress(s.view.get(), Qt::Key_Space);
        s.drag(mid, mid + QPoint(-50, 0));
        QTest::keyRelease(s.view.get(), Qt::Key_Space);
        QVERIFY((s.view->mapFromScene(corner) - (mid + QPoint(0, 20))).manhattanLength() <= 1);
        QCOMPARE(s.document.undoStack().count(), 0);
    }

    void findJumpsByName()
    {
        Screen s;
        QTest::keyClick(s.view.get(), Qt::Key_F, Qt::ControlModifier);
        auto *field = s.view->findChild<QLineEdit *>(QStringLiteral("findField"));
        QVERIFY(field && field->isVisible());
        QTest::keyClicks(field, QStringLiteral("v100 3"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(s.selection.ids(), one("V100 3"));
        QVERIFY(!field->isVisible());
        QVERIFY((s.at("V100 3") - s.view->viewport()->rect().center()).manhattanLength() < 10);
    }

    void hiddenKindsCannotBeHit()
    {
        Screen s;
        const QPoint rail = s.on("rail 0", 0.3);
        s.view->setHiddenKinds({LinkKind::Network});
        s.click(rail);
        QVERIFY(!s.selection.contains(QStringLiteral("rail 0")));
        s.view->setHiddenKinds({});
        s.click(s.on("rail 0", 0.3));
        QCOMPARE(s.selection.ids(), one("rail 0"));
    }

    void detailFollowsZoom()
    {
        Screen s;
        s.view->resetZoom();
        QCOMPARE(s.view->model().detail(), Detail::Full);
        QVERIFY(!s.view->model().labels().empty());
        s.view->zoomBy(0.7);
        QCOMPARE(s.view->model().detail(), Detail::Brief);
        s.view->zoomBy(0.7);
        QCOMPARE(s.view->model().detail(), Detail::Plain);
        QVERIFY(s.view->model().labels().empty());
        s.view->zoomBy(0.5);
        QCOMPARE(s.view->model().detail(), Detail::Trunks);
        s.view->zoomBy(10);
        QCOMPARE(s.view->model().detail(), Detail::Rich);
        // Ids never vanish from tool tips.
        s.view->zoomBy(1 / 10.0);
        CanvasHit hit;
        hit.kind = CanvasHit::Link;
        hit.link = s.link("rail 1");
        hit.id = QStringLiteral("rail 1");
        QVERIFY(s.view->model().toolTip(hit).contains(QLatin1String("rail 1")));
    }

    void selectedLabelComesFirstAndNothingOverlaps()
    {
        Screen s;
        s.view->setShown(test::planOf(s.document.cluster()));
        s.selection.select(one("mgmt"));
        s.view->resetZoom();
        QCOMPARE(s.view->model().labels().front().link, s.link("mgmt")); // although all others are faster
        const auto &labels = s.view->model().labels();
        for (std::size_t i = 0; i < labels.size(); ++i) {
            for (const NodeShape &shape : s.view->model().shapes())
                QVERIFY2(!shape.rect().intersects(labels[i].rect), qPrintable(labels[i].text));
            for (std::size_t k = 0; k < i; ++k)
                QVERIFY(!labels[k].rect.intersects(labels[i].rect));
            for (const CanvasModel::Words &words : s.view->model().words())
                QVERIFY(!words.rect.intersects(labels[i].rect));
        }
        QCOMPARE(s.view->model().words().size(), std::size_t(2)); // both conflicts are said
    }

    void planBadgesMemoryAndUse()
    {
        Screen s;
        const ShownPlan shown = test::planOf(s.document.cluster());
        TimeAxis axis;
        axis.setFull(3.7);
        s.view->setTimeAxis(&axis);
        s.view->setShown(shown);
        const PlanOverlay &mean = s.view->model().overlay();
        QVERIFY(mean.valid && !mean.atCursor);
        QCOMPARE(mean.devices[s.document.cluster().findDevice("V100 0").index()].stage, 0);
        QCOMPARE(mean.devices[s.document.cluster().findDevice("4090D 3").index()].stage, 2);
        QVERIFY(std::abs(mean.links[s.link("rail 1").index()].share[0] - 0.98) < 1e-9);
        QVERIFY(mean.links[s.link("rail 1").index()].critical);
        QVERIFY(std::abs(mean.links[s.link("uplink a1").index()].share[1] - 0.3) < 1e-9);
        axis.setCursor(0.5); // before the traffic
        QVERIFY(s.view->model().overlay().atCursor);
        QCOMPARE(s.view->model().overlay().links[s.link("rail 1").index()].both(), 0.0);
        const double early = *s.view->model().overlay().devices[0].usedBytes;
        axis.setCursor(1.5);
        QVERIFY(std::abs(s.view->model().overlay().links[s.link("rail 1").index()].both() - 0.98) < 1e-9);
        QVERIFY(*s.view->model().overlay().devices[0].usedBytes > early);
        // Matched by id: with a device gone, the others keep their badges.
        s.selection.select(one("4090D 0"));
        QTest::keyClick(s.view.get(), Qt::Key_Delete);
        const Cluster &now = s.document.cluster();
        QCOMPARE(s.view->model().overlay().devices[now.findDevice("V100 0").index()].stage, 0);
        QVERIFY(std::abs(s.view->model().overlay().links[now.findLink("rail 1").index()].both() - 0.98) < 1e-9);
        s.view->setShown({});
        QVERIFY(!s.view->model().overlay().valid);
    }

    void useAndSelectionDoNotRepaintIdleLinks()
    {
        Screen s;
        TimeAxis axis;
        axis.setFull(3.7);
        s.view->setTimeAxis(&axis);
        s.view->setShown(test::planOf(s.document.cluster()));
        s.view->grab();
        const int before = s.view->clusterScene().linkLayer().repaints();
        axis.setCursor(1.2);
        s.view->grab();
        s.selection.select(one("rail 0"));
        s.view->grab();
        QMouseEvent move(QEvent::MouseMove, QPointF(s.on("mgmt", 0.3)), s.view->viewport()->mapToGlobal(QPointF(s.on("mgmt", 0.3))),
                         Qt::NoButton, Qt::NoButton, {});
        QCoreApplication::sendEvent(s.view->viewport(), &move);
        QCOMPARE(s.view->model().hovered(), QStringLiteral("mgmt"));
        s.view->grab();
        QCOMPARE(s.view->clusterScene().linkLayer().repaints(), before);
        s.view->zoomBy(1.5);
        s.view->grab();
        QVERIFY(s.view->clusterScene().linkLayer().repaints() > before);
    }

    void theCachedPictureEqualsTheDirectOne()
    {
        // What the cache shows is what painting everything anew shows.
        Screen s;
        s.selection.select(one("rail 0"));
        const auto picture = [&] { return s.view->grab().toImage().convertToFormat(QImage::Format_RGB32); };
        const auto furthest = [](const QImage &a, const QImage &b) { // of all channels of all pixels
            int most = 0;
            for (int y = 0; y < a.height(); ++y)
                for (int x = 0; x < a.width(); ++x) {
                    const QColor p = a.pixelColor(x, y);
                    const QColor q = b.pixelColor(x, y);
                    most = std::max({most, std::abs(p.red() - q.red()), std::abs(p.green() - q.green()),
                                     std::abs(p.blue() - q.blue())});
                }
            return most;
        };
        const QImage first = picture();
        const LinkId rail = s.link("rail 1");
        Link link = s.document.cluster().link(rail);
        const Link original = link;
        link.bandwidth = BytesPerSecond(4e9);
        s.document.setLink(rail, link, QStringLiteral("x"), QStringLiteral("k"));
        QVERIFY(furthest(picture(), first) > 40);
        s.document.setLink(rail, original, QStringLiteral("x"), QStringLiteral("k"));
        QVERIFY2(furthest(picture(), first) <= 6, qPrintable(QString::number(furthest(picture(), first))));
    }

    void contextMenusFitTheirPlace()
    {
        Screen s;
        const auto entries = [&](const QPoint &p) {
            QContextMenuEvent event(QContextMenuEvent::Mouse, p, s.view->viewport()->mapToGlobal(p));
            QTest::mousePress(s.view->viewport(), Qt::RightButton, {}, p);
            QTest::mouseRelease(s.view->viewport(), Qt::RightButton, {}, p);
            QCoreApplication::sendEvent(s.view->viewport(), &event);
            QStringList texts;
            for (QMenu *menu : s.view->findChildren<QMenu *>(QString(), Qt::FindDirectChildrenOnly))
                if (menu->isVisible()) {
                    for (QAction *a : menu->actions())
                        texts.append(QString(a->text()).remove(QLatin1Char('&')));
                    menu->close();
                }
            return texts;
        };
        const QStringList onLink = entries(s.on("rail 0", 0.3));
        QCOMPARE(s.selection.ids(), one("rail 0")); // a right click selects
        QVERIFY(onLink.contains(QStringLiteral("Delete")));
        QVERIFY(onLink.contains(QStringLiteral("Take link down")));
        QVERIFY(!onLink.contains(QStringLiteral("Add GPU here")));
        s.selection.clear();
        const QStringList onEmpty = entries(QPoint(560, 30));
        QVERIFY(onEmpty.contains(QStringLiteral("Add GPU here")));
        QVERIFY(!onEmpty.contains(QStringLiteral("Delete")));
    }

    void screenReadersGetNames()
    {
        Screen s;
        QAccessibleInterface *canvas = QAccessible::queryAccessibleInterface(s.view.get());
        QVERIFY(canvas);
        QCOMPARE(canvas->role(), QAccessible::List);
        QVERIFY(canvas->childCount() >= int(s.view->tabOrder().size()));
        const int rail = int(s.view->tabOrder().indexOf(QStringLiteral("rail 1")));
        QAccessibleInterface *item = canvas->child(rail);
        QVERIFY(item);
        const QString name = item->text(QAccessible::Name);
        for (const char *part : {"rail 1", "NIC a", "NIC b", "4 Gb/s"})
            QVERIFY2(name.contains(QLatin1String(part)), qPrintable(name));
        QCOMPARE(canvas->indexOfChild(item), rail);
        s.selection.select(one("rail 1"));
        QVERIFY(item->state().selected);
        QVERIFY(!item->rect().isEmpty());
        // Every button over the canvas says what it is.
        for (QToolButton *button : s.view->findChildren<QToolButton *>())
            if (button->isVisible())
                QVERIFY2(!button->accessibleName().isEmpty() || !button->text().isEmpty(),
                         qPrintable(button->objectName()));
    }

    void actionsHaveTipsWithShortcuts()
    {
        Screen s;
        for (QAction *action : s.view->editActions() + s.view->viewActions())
            if (!action->isSeparator() && !action->shortcut().isEmpty())
                QVERIFY2(action->toolTip().contains(action->shortcut().toString(QKeySequence::NativeText)),
                         qPrintable(action->text()));
    }

    void picturesAndVectorFiles()
    {
        Screen s;
        s.view->setShown(test::planOf(s.document.cluster()));
        s.selection.select(one("rail 1"));
        const QImage light = s.view->renderImage({800, 400}, Theme::light());
        const QImage dark = s.view->renderImage({800, 400}, Theme::darkTheme());
        QCOMPARE(light.size(), QSize(800, 400));
        QCOMPARE(light.pixelColor(1, 1), Theme::light().canvas);
        QCOMPARE(dark.pixelColor(1, 1), Theme::darkTheme().canvas);
        int painted = 0;
        for (int y = 0; y < light.height(); y += 4)
            for (int x = 0; x < light.width(); x += 4)
                painted += light.pixelColor(x, y) != Theme::light().canvas ? 1 : 0;
        QVERIFY(painted > 2000);
        QTemporaryDir folder;
        const QString svg = folder.filePath(QStringLiteral("c.svg"));
        QVERIFY(s.view->saveSvg(svg, Theme::light()));
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        for (const char *part : {"NIC a", "rail 1", "one at a time", "18."})
            QVERIFY2(text.contains(part), part);
        QVERIFY(s.view->savePdf(folder.filePath(QStringLiteral("c.pdf")), Theme::light()));
        QVERIFY(QFileInfo(folder.filePath(QStringLiteral("c.pdf"))).size() > 5000);
        QVERIFY(!s.view->saveSvg(QStringLiteral("/no/such/folder/c.svg"), Theme::light()));
    }

    void bigClustersGoThroughAllDetails()
    {
        Screen s(test::manyHosts(16, 4, 3), QSize(1000, 700));
        QCOMPARE(s.view->model().detail(), Detail::Trunks);
        for (int i = 0; i < 8; ++i) {
            QVERIFY(!s.view->grab().isNull());
            s.view->zoomBy(1.6);
        }
        QCOMPARE(s.view->model().detail(), Detail::Rich);
        s.view->fitAll();
        s.click(s.view->viewRectOf(QStringLiteral("host:node-3")).center());
        QCOMPARE(s.selection.ids(), one("host:node-3"));
    }
};

QTEST_MAIN(TestCanvas)
#include "tst_canvas.moc"
