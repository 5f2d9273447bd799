// SPDX-License-Identifier: GPL-3.0-or-later
// Editing on the canvas, with real mouse and key events; every edit is one step and comes back.
#include "canvas_screen.hpp"
#include "sample_cluster.hpp"
#include "ui/theme/theme.hpp"
#include "ui/document/cluster_edits.hpp"

#include "core/formats/builtin.hpp"

#include <QClipboard>
#include <QDropEvent>
#include <QInputDialog>
#include <QMimeData>
#include <QSignalSpy>
#include <QTimer>
#include <QToolButton>

#include <cmath>
#include <random>

using namespace polyrail;
using test::fingerprint;
using test::one;
using test::Screen;

class TestCanvasEdit : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { Theme::apply(*qApp, Theme::light()); }

    void draggingADeviceIsOneStepAndComesBack()
    {
        Screen s;
        const std::string before = fingerprint(s.document.cluster());
        const QPoint from = s.at("4090D 2");
        const double zoom = s.view->zoom();
        s.drag(from, from + QPoint(60, 33));
        QCOMPARE(s.document.undoStack().count(), 1);
        QCOMPARE(s.document.undoStack().undoText(), QStringLiteral("Move 4090D 2"));
        const Point now = s.document.cluster().parts().layout.at("4090D 2");
        QVERIFY(std::abs(now.x - (140 + 60 / zoom)) <= 5.01); // on the grid of 10
        QCOMPARE(std::fmod(now.x, 10), 0.0);
        QCOMPARE(std::fmod(now.y, 10), 0.0);
        s.document.undoStack().undo();
        QCOMPARE(fingerprint(s.document.cluster()), before);
        QVERIFY((s.at("4090D 2") - from).manhattanLength() <= 2);
    }

    void altIgnoresTheGrid()
    {
        Screen s;
        const QPoint from = s.at("4090D 2");
        s.drag(from, from + QPoint(37, 0), Qt::LeftButton, Qt::AltModifier);
        const Point now = s.document.cluster().parts().layout.at("4090D 2");
        QVERIFY(std::abs(now.x - (140 + 37 / s.view->zoom())) < 0.01);
    }

    void aHostMovesWithAllItHolds()
    {
        Screen s;
        const QRect box = s.view->viewRectOf(QStringLiteral("host:node-a"));
        const QPoint grip = box.topLeft() + QPoint(box.width() / 2, 8);
        s.drag(grip, grip + QPoint(0, 50));
        const auto &layout = s.document.cluster().parts().layout;
        const double dy = layout.at("4090D 0").y - 148;
        QVERIFY(dy > 20);
        QCOMPARE(layout.at("NIC a").y, 271 + dy);
        QCOMPARE(layout.at("NIC b").y, 271.0);
        QCOMPARE(s.document.undoStack().count(), 1);
    }

    void arrowsNudgeInOneStepPerHold()
    {
        Screen s;
        s.selection.select(one("V100 1"));
        QTest::keyPress(s.view.get(), Qt::Key_Right);
        QTest::keyPress(s.view.get(), Qt::Key_Right);
        QTest::keyRelease(s.view.get(), Qt::Key_Right);
        QCOMPARE(s.document.cluster().parts().layout.at("V100 1").x, 970.0);
        QCOMPARE(s.document.undoStack().count(), 1);
        QTest::keyClick(s.view.get(), Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(s.document.cluster().parts().layout.at("V100 1").y, 231.0);
        QCOMPARE(s.document.undoStack().count(), 2);
    }

    void lConnectsTheTwoSelected()
    {
        Screen s;
        s.selection.select({QStringLiteral("NIC a"), QStringLiteral("NIC b")});
        const std::size_t before = s.document.cluster().links().size();
        QTest::keyClick(s.view.get(), Qt::Key_L);
        QCOMPARE(s.document.cluster().links().size(), before + 1);
        const Link &made = s.document.cluster().links().back();
        QCOMPARE(made.kind, LinkKind::Network);
        QCOMPARE(made.id, std::string("rail 2")); // 0 and 1 are taken
        QCOMPARE(s.selection.ids(), one("rail 2"));
        s.document.undoStack().undo();
        QCOMPARE(s.document.cluster().links().size(), before);
        QVERIFY(s.selection.ids().isEmpty()); // what is gone is not selected
    }

    void deleteTakesLinksAndDevices()
    {
        Screen s;
        const std::string before = fingerprint(s.document.cluster());
        s.selection.select({QStringLiteral("rail 0"), QStringLiteral("mgmt")});
        QTest::keyClick(s.view.get(), Qt::Key_Delete);
        QVERIFY(!s.link("rail 0").valid() && !s.link("mgmt").valid());
        QCOMPARE(s.document.cluster().conflicts().size(), std::size_t(1)); // the pair is broken
        s.selection.select(one("V100 0"));
        QTest::keyClick(s.view.get(), Qt::Key_Backspace);
        QVERIFY(!s.document.cluster().findDevice("V100 0").valid());
        QVERIFY(!s.link("nvlink 01a").valid());
        QCOMPARE(s.document.undoStack().count(), 2);
        s.document.undoStack().undo();
        s.document.undoStack().undo();
        QCOMPARE(fingerprint(s.document.cluster()), before);
    }

    void copyTakesInnerLinksAndConflictsAlong()
    {
        Screen s;
        s.selection.select(one("host:node-b"));
        QTest::keyClick(s.view.get(), Qt::Key_C, Qt::ControlModifier);
        const Cluster before = s.document.cluster();
        QTest::keyClick(s.view.get(), Qt::Key_V, Qt::ControlModifier);
        const Cluster &now = s.document.cluster();
        QCOMPARE(now.devices().size(), before.devices().size() + 4);
        QCOMPARE(now.hubs().size(), before.hubs().size() + 4);
        QCOMPARE(now.hosts().size(), before.hosts().size() + 1);
        // 12 NVLinks, 4 PCIe, 2 uplinks, 1 bus; the rails to the other host stay behind.
        QCOMPARE(now.links().size(), before.links().size() + 19);
        QCOMPARE(now.conflicts().size(), before.conflicts().size());
        const DeviceId copy = now.findDevice("V100 4");
        QVERIFY(copy.valid());
        QCOMPARE(now.hosts()[now.device(copy).host.index()].id, std::string("node-b-2"));
        QVERIFY(s.selection.contains(QStringLiteral("V100 4")));
        // Copied figures are the figures.
        const LinkId first = now.linksAt(Cluster::vertexOf(copy)).front();
        QVERIFY(now.link(first).bandwidth.value > 0);
        s.document.undoStack().undo();
        QCOMPARE(fingerprint(s.document.cluster()), fingerprint(before));
    }

    void duplicateALinkMakesAParallelOne()
    {
        Screen s;
        s.selection.select(one("rail 1"));
        QTest::keyClick(s.view.get(), Qt::Key_D, Qt::ControlModifier);
        const Cluster &now = s.document.cluster();
        QCOMPARE(now.links().back().id, std::string("rail 2"));
        QCOMPARE(now.links().back().ends, now.link(s.link("rail 1")).ends);
        QCOMPARE(now.links().back().bandwidth, now.link(s.link("rail 1")).bandwidth);
    }

    void pastingNonsenseIsRefusedInWords()
    {
        Screen s;
        QSignalSpy message(s.view.get(), &ClusterView::message);
        QApplication::clipboard()->setText(QStringLiteral("{\"format\": \"polyrail-cluster\", \"version\": 1, \"devices\": 7}"));
        QTest::keyClick(s.view.get(), Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(s.document.undoStack().count(), 0);
        QCOMPARE(message.size(), 1);
        QVERIFY(message.first().first().toString().contains(QLatin1String("devices")));
        QApplication::clipboard()->setText(QStringLiteral("just words"));
        QTest::keyClick(s.view.get(), Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(s.document.undoStack().count(), 0);
    }

    void theGpuToolAddsWhereTheUserClicks()
    {
        Screen s;
        auto *button = s.view->findChild<QToolButton *>(QStringLiteral("toolGpu"));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(s.view->tool(), ClusterView::Tool::AddDevice);
        const QRect box = s.view->viewRectOf(QStringLiteral("host:node-a"));
        const QPoint inside(box.right() - 40, box.top() + 60);
        s.click(inside);
        QCOMPARE(s.view->tool(), ClusterView::Tool::Select);
        const Cluster &now = s.document.cluster();
        QCOMPARE(now.devices().size(), std::size_t(9));
        const Device &made = now.devices().back();
        QCOMPARE(made.host, HostId(0)); // it was dropped into node-a
        QVERIFY(made.type.memory.value > 0);
        QVERIFY((s.view->viewRectOf(QString::fromStdString(made.id)).center() - inside).manhattanLength() < 14);
        // Ends of links count devices first: hubs moved up by one and their links with them.
        QCOMPARE(now.vertexName(now.link(s.link("rail 0")).ends[0]), std::string("NIC a"));
        s.document.undoStack().undo();
        QCOMPARE(fingerprint(s.document.cluster()), fingerprint(test::twoBoxes()));
    }

    void aGpuCanBeDroppedFromThePalette()
    {
        Screen s;
        QMimeData data;
        data.setData(QStringLiteral("application/x-polyrail-tool"), "gpu");
        const QPoint at(560, 60);
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(s.view->viewport(), &enter);
        QVERIFY(enter.isAccepted());
        QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(s.view->viewport(), &move);
        QDropEvent drop(QPointF(at), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(s.view->viewport(), &drop);
        QCOMPARE(s.document.cluster().devices().size(), std::size_t(9));
        QCOMPARE(s.document.cluster().devices().back().host, HostId());
    }

    void theLinkToolDrawsALink()
    {
        Screen s;
        QTest::keyClick(s.view.get(), Qt::Key_K);
        QCOMPARE(s.view->tool(), ClusterView::Tool::Connect);
        s.drag(s.at("4090D 0"), s.at("CPU a"));
        QCOMPARE(s.document.undoStack().count(), 1);
        QCOMPARE(s.document.undoStack().undoText(), QStringLiteral("Connect 4090D 0 and CPU a"));
        const Link &made = s.document.cluster().links().back();
        QCOMPARE(made.kind, LinkKind::Pcie);
        s.drag(s.at("4090D 0"), QPoint(560, 30)); // ends nowhere
        QCOMPARE(s.document.undoStack().count(), 1);
        QTest::keyClick(s.view.get(), Qt::Key_Escape);
        QCOMPARE(s.view->tool(), ClusterView::Tool::Select);
    }

    void conflictsAreMadeFromSelectedLinks()
    {
        Screen s;
        QAction *exclusive = s.action(QStringLiteral("Exclusive"));
        QVERIFY(exclusive);
        s.selection.select(one("rail 0"));
        QVERIFY(!exclusive->isEnabled());
        s.selection.select({QStringLiteral("rail 0"), QStringLiteral("rail 1")});
        QVERIFY(exclusive->isEnabled());
        exclusive->trigger();
        QCOMPARE(s.document.cluster().conflicts().size(), std::size_t(3));
        QCOMPARE(s.document.cluster().conflicts().back().kind, ConflictKind::Exclusive);
        QCOMPARE(s.document.undoStack().undoText(), QStringLiteral("Make 2 links exclusive"));
        s.document.undoStack().undo();
        QCOMPARE(s.document.cluster().conflicts().size(), std::size_t(2));
        s.selection.select({QStringLiteral("rail 0"), QStringLiteral("rail 1")});
        // Share capacity asks; nonsense is asked again with the reason.
        QStringList labels;
        QStringList answers{QStringLiteral("200"), QStringLiteral("8 Gb/s")};
        QTimer answer;
        connect(&answer, &QTimer::timeout, this, [&] {
            if (auto *dialog = qobject_cast<QInputDialog *>(QApplication::activeModalWidget())) {
                labels.append(dialog->labelText());
                dialog->setTextValue(answers.takeFirst());
                dialog->accept();
            }
        });
        answer.start(5);
        s.action(QStringLiteral("Share capacity…"))->trigger();
        answer.stop();
        QCOMPARE(labels.size(), 2);
        QVERIFY(labels[1].contains(QLatin1String("200")));
        QCOMPARE(s.document.cluster().conflicts().back().capacity.value, 1e9);
        QAction *remove = s.action(QStringLiteral("Remove conflict"));
        s.selection.select(one("rail 0"));
        QVERIFY(remove->isEnabled());
        remove->trigger();
        QCOMPARE(s.document.cluster().conflicts().size(), std::size_t(2));
    }

    void groupUngroupAlignDistribute()
    {
        Screen s;
        s.selection.select({QStringLiteral("4090D 0"), QStringLiteral("4090D 1"), QStringLiteral("4090D 2")});
        QTest::keyClick(s.view.get(), Qt::Key_G, Qt::ControlModifier);
        QCOMPARE(s.document.cluster().hosts().size(), std::size_t(3));
        QCOMPARE(s.selection.current(), QStringLiteral("host:node-1"));
        QTest::keyClick(s.view.get(), Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(s.document.cluster().hosts().size(), std::size_t(2));
        QCOMPARE(s.document.cluster().devices()[0].host, HostId());
        ClusterEditor &editor = s.view->editor();
        s.selection.select({QStringLiteral("4090D 0"), QStringLiteral("NIC a"), QStringLiteral("CPU b")});
        QVERIFY(editor.align(ClusterEditor::Edge::Middle));
        const auto &layout = s.document.cluster().parts().layout;
        QCOMPARE(layout.at("4090D 0").y, layout.at("NIC a").y);
        QVERIFY(editor.distribute(true));
        const auto &now = s.document.cluster().parts().layout;
        QVERIFY(std::abs(now.at("NIC a").x - (now.at("4090D 0").x + now.at("CPU b").x) / 2) < 1e-9);
        QVERIFY(!editor.distribute(true)); // nothing to change: no empty step
    }

    void emptyCanvasSaysWhatToDo()
    {
        Screen s{Cluster()};
        auto *empty = s.view->findChild<QWidget *>(QStringLiteral("emptyCanvas"));
        QVERIFY(empty && empty->isVisible());
        QSignalSpy sample(s.view.get(), &ClusterView::sampleRequested);
        for (QAbstractButton *b : empty->findChildren<QAbstractButton *>())
            if (b->text().contains(QLatin1String("sample")))
                QTest::mouseClick(b, Qt::LeftButton);
        QCOMPARE(sample.size(), 1);
        s.document.reset(test::twoBoxes(), {}, {});
        QVERIFY(!empty->isVisible());
    }

    /// Whatever 200 edits do, undo gives the first document back and redo the last one.
    void randomEditsUndoToTheSameDocument_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed : {1, 2, 3, 4, 5})
            QTest::addRow("seed %d", seed) << seed;
    }

    void randomEditsUndoToTheSameDocument()
    {
        QFETCH(int, seed);
        Screen s;
        s.document.undoStack().setUndoLimit(0);
        std::mt19937 random{unsigned(seed)};
        const auto below = [&](std::size_t n) { return std::size_t(random() % std::max<std::size_t>(n, 1)); };
        ClusterEditor &editor = s.view->editor();
        std::vector<std::string> states{fingerprint(s.document.cluster())};
        const auto pick = [&](int count) {
            const QStringList all = s.view->tabOrder();
            QStringList ids;
            for (int i = 0; i < count && !all.isEmpty(); ++i)
                ids.append(all[qsizetype(below(std::size_t(all.size())))]);
            s.selection.select(ids);
        };
        const GpuType type = *builtinCatalogue().find("A100-80GB-SXM");
        for (int edit = 0; edit < 200; ++edit) {
            pick(1 + int(below(5)));
            const QPointF at(double(below(1200)), double(below(500)));
            switch (below(14)) {
            case 0: editor.addDevice(type, at); break;
            case 1: editor.addHub(HubKind(below(6)), at); break;
            case 2:
            case 3:
                if (s.document.cluster().vertexCount() > 1)
                    editor.connectVertices(VertexId(below(s.document.cluster().vertexCount())),
                                           VertexId(below(s.document.cluster().vertexCount())));
                break;
            case 4:
                if (s.document.cluster().vertexCount() > 6)
                    editor.remove();
                break;
            case 5:
                if (s.document.cluster().vertexCount() < 60)
                    editor.duplicate();
                break;
            case 6:
                if (editor.copy() && s.document.cluster().vertexCount() < 60)
                    editor.paste();
                break;
            case 7: editor.move(editor.selectedVertices(), QPointF(double(below(9)) - 4, 10), QString()); break;
            case 8: editor.group(); break;
            case 9: editor.ungroup(); break;
            case 10: editor.align(ClusterEditor::Edge(below(6))); break;
            case 11:
                if (editor.selectedLinks().size() >= 2)
                    editor.makeConflict(below(2) ? ConflictKind::Exclusive : ConflictKind::Capacity,
                                        gigabytesPerSecond(double(1 + below(50))));
                break;
            case 12: editor.removeConflicts(); break;
            case 13: editor.setLinksUp(below(2) == 0); break;
            }
            if (int(states.size()) != s.document.undoStack().count() + 1)
                states.push_back(fingerprint(s.document.cluster()));
            QCOMPARE(int(states.size()), s.document.undoStack().count() + 1); // one step per edit
            QVERIFY(Cluster::make(s.document.cluster().parts()));             // and always a valid cluster
        }
        QVERIFY(states.size() > 80);
        for (std::size_t i = states.size(); i-- > 0;) {
            QCOMPARE(fingerprint(s.document.cluster()), states[i]);
            s.document.undoStack().undo();
        }
        while (s.document.undoStack().canRedo())
            s.document.undoStack().redo();
        QCOMPARE(fingerprint(s.document.cluster()), states.back());
    }
};

QTEST_MAIN(TestCanvasEdit)
#include "tst_canvas_edit.moc"
