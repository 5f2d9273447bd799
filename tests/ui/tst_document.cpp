// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_cluster.hpp"
#include "ui/document/document.hpp"
#include "ui/document/selection.hpp"

#include "core/formats/json_files.hpp"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace polyrail;
using test::fingerprint;

namespace {

Link withBandwidth(const Cluster &cluster, LinkId id, double bytesPerSecond)
{
    Link link = cluster.link(id);
    link.bandwidth = BytesPerSecond(bytesPerSecond);
    return link;
}

} // namespace

class TestDocument : public QObject
{
    Q_OBJECT
private slots:
    void aChangeIsOneStepWithItsName()
    {
        Document document;
        document.reset(test::twoBoxes(), {}, {});
        QVERIFY(!document.isModified());
        const std::string before = fingerprint(document.cluster());
        const LinkId rail = document.cluster().findLink("rail 1");
        document.setLink(rail, withBandwidth(document.cluster(), rail, 2e9), QStringLiteral("rail 1 to 16 Gb/s"));
        QCOMPARE(document.undoStack().count(), 1);
        QCOMPARE(document.undoStack().undoText(), QStringLiteral("rail 1 to 16 Gb/s"));
        QCOMPARE(document.cluster().link(rail).bandwidth.value, 2e9);
        QVERIFY(document.isModified());
        document.undoStack().undo();
        QCOMPARE(fingerprint(document.cluster()), before);
        QVERIFY(!document.isModified());
        document.undoStack().redo();
        QCOMPARE(document.cluster().link(rail).bandwidth.value, 2e9);
    }

    void stepsOfOneGestureMerge()
    {
        Document document;
        document.reset(test::twoBoxes(), {}, {});
        const LinkId rail = document.cluster().findLink("rail 1");
        const LinkId other = document.cluster().findLink("rail 0");
        const QString key = QStringLiteral("slide rail 1");
        for (double b : {1e9, 2e9, 3e9})
            document.setLink(rail, withBandwidth(document.cluster(), rail, b), QString::number(b), key);
        QCOMPARE(document.undoStack().count(), 1);
        QCOMPARE(document.undoStack().undoText(), QString::number(3e9));
        document.endGesture();
        document.setLink(rail, withBandwidth(document.cluster(), rail, 4e9), QStringLiteral("next drag"), key);
        QCOMPARE(document.undoStack().count(), 2);
        document.setLink(other, withBandwidth(document.cluster(), other, 4e9), QStringLiteral("other link"),
                         QStringLiteral("slide rail 0"));
        QCOMPARE(document.undoStack().count(), 3);
        document.setLink(other, withBandwidth(document.cluster(), other, 5e9), QStringLiteral("typed"));
        document.setLink(other, withBandwidth(document.cluster(), other, 6e9), QStringLiteral("typed"));
        QCOMPARE(document.undoStack().count(), 5); // an empty key never merges
        for (int i = 0; i < 4; ++i)
            document.undoStack().undo();
        QCOMPARE(document.cluster().link(rail).bandwidth.value, 3e9);
        document.undoStack().undo();
        QCOMPARE(fingerprint(document.cluster()), fingerprint(test::twoBoxes()));
    }

    void revisionsFollowWhatPlansDependOn()
    {
        Document document;
        document.reset(test::twoBoxes(), {}, {});
        quint64 revision = document.revision();
        ClusterParts parts = document.cluster().parts();
        parts.layout["rail"] = {1, 2};
        parts.layout["CPU a"] = {500, 500};
        document.setCluster(*Cluster::make(parts), QStringLiteral("Move CPU a"));
        QCOMPARE(document.revision(), revision); // moved about only
        const LinkId rail = document.cluster().findLink("rail 1");
        document.setLink(rail, withBandwidth(document.cluster(), rail, 2e9), QStringLiteral("x"));
        QVERIFY(document.revision() > revision);
        revision = document.revision();
        document.undoStack().undo();
        QVERIFY(document.revision() > revision); // results of the changed cluster are stale again
        revision = document.revision();
        TrainingJob job = document.job();
        job.globalBatch += 8;
        document.setJob(job, QStringLiteral("Batch"));
        QVERIFY(document.revision() > revision);
    }

    void structureIsToldApartFromFigures()
    {
        Document document;
        document.reset(test::twoBoxes(), {}, {});
        QSignalSpy changed(&document, &Document::clusterChanged);
        const LinkId rail = document.cluster().findLink("rail 1");
        document.setLink(rail, withBandwidth(document.cluster(), rail, 2e9), QStringLiteral("x"));
        QCOMPARE(changed.takeFirst().first().toBool(), false);
        ClusterParts parts = document.cluster().parts();
        parts.links.pop_back();
        parts.conflicts.clear();
        document.setCluster(*Cluster::make(parts), QStringLiteral("x"));
        QCOMPARE(changed.takeFirst().first().toBool(), true);
        document.undoStack().undo();
        QCOMPARE(changed.takeFirst().first().toBool(), true);
    }

    void jobChangesLeaveTheClusterAlone()
    {
        Document document;
        document.reset(test::twoBoxes(), {}, {});
        QSignalSpy cluster(&document, &Document::clusterChanged);
        QSignalSpy job(&document, &Document::jobChanged);
        TrainingJob bigger = document.job();
        bigger.globalBatch = 512;
        document.setJob(bigger, QStringLiteral("Batch 512"));
        QCOMPARE(cluster.size(), 0);
        QCOMPARE(job.size(), 1);
        document.undoStack().undo();
        QCOMPARE(document.job().globalBatch, 128);
        QCOMPARE(cluster.size(), 0);
    }

    void savingCleansAndCanBeRead()
    {
        QTemporaryDir folder;
        Document document;
        document.reset(test::twoBoxes(), {}, {});
        QSignalSpy modified(&document, &Document::modifiedChanged);
        QSignalSpy path(&document, &Document::pathChanged);
        const LinkId rail = document.cluster().findLink("rail 1");
        document.setLink(rail, withBandwidth(document.cluster(), rail, 2e9), QStringLiteral("x"),
                         QStringLiteral("slide"));
        QCOMPARE(modified.takeFirst().first().toBool(), true);
        const QString file = folder.filePath(QStringLiteral("a b.cluster.json"));
        QVERIFY(document.saveAs(file));
        QCOMPARE(document.path(), file);
        QCOMPARE(path.size(), 1);
        QVERIFY(!document.isModified());
        const auto text = readTextFile(file.toStdString());
        QVERIFY(text);
        QVERIFY(text->find("rail 1") != std::string::npos);
        // A merge may not swallow the saved state.
        document.setLink(rail, withBandwidth(document.cluster(), rail, 3e9), QStringLiteral("x"),
                         QStringLiteral("slide"));
        QVERIFY(document.isModified());
        document.undoStack().undo();
        QVERIFY(!document.isModified());
        QCOMPARE(document.cluster().link(rail).bandwidth.value, 2e9);
    }

    void aFailedSaveChangesNothing()
    {
        Document document;
        document.reset(test::twoBoxes(), {}, QStringLiteral("/tmp/x.json"));
        const LinkId rail = document.cluster().findLink("rail 1");
        document.setLink(rail, withBandwidth(document.cluster(), rail, 2e9), QStringLiteral("x"));
        const auto saved = document.saveAs(QStringLiteral("/no/such/folder/x.json"));
        QVERIFY(!saved);
        QVERIFY(!saved.error().message().empty());
        QCOMPARE(document.path(), QStringLiteral("/tmp/x.json"));
        QVERIFY(document.isModified());
    }

    void resetBeginsAfresh()
    {
        Document document;
        QSignalSpy reset(&document, &Document::documentReset);
        document.reset(test::twoBoxes(), {}, QStringLiteral("a.json"));
        const quint64 revision = document.revision();
        const LinkId rail = document.cluster().findLink("rail 1");
        document.setLink(rail, withBandwidth(document.cluster(), rail, 2e9), QStringLiteral("x"));
        document.reset(test::manyHosts(1, 1), {}, QStringLiteral("b.json"));
        QCOMPARE(reset.size(), 2);
        QCOMPARE(document.undoStack().count(), 0);
        QCOMPARE(document.path(), QStringLiteral("b.json"));
        QVERIFY(!document.isModified());
        QVERIFY(document.revision() > revision + 1);
    }

    void selection()
    {
        SelectionModel selection;
        QSignalSpy changed(&selection, &SelectionModel::changed);
        selection.select({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("a")});
        QCOMPARE(selection.ids(), QStringList({QStringLiteral("a"), QStringLiteral("b")}));
        QCOMPARE(selection.current(), QStringLiteral("b"));
        selection.select({QStringLiteral("a"), QStringLiteral("b")});
        QCOMPARE(changed.size(), 1);
        selection.toggle(QStringLiteral("a"));
        selection.toggle(QStringLiteral("c"));
        QCOMPARE(selection.ids(), QStringList({QStringLiteral("b"), QStringLiteral("c")}));
        selection.clear();
        QVERIFY(selection.current().isEmpty());
        QSignalSpy task(&selection, &SelectionModel::taskChanged);
        selection.selectTask(TaskId(3));
        selection.selectTask(TaskId(3));
        QCOMPARE(task.size(), 1);
    }

    void timeAxis()
    {
        TimeAxis axis;
        axis.setFull(4);
        QCOMPARE(axis.upper(), 4.0); // showed all: shows all
        axis.setRange(1, 2);
        axis.setFull(8);
        QCOMPARE(axis.lower(), 1.0); // keeps a zoom
        QCOMPARE(axis.upper(), 2.0);
        axis.setRange(7, 12);
        QCOMPARE(axis.upper(), 8.0); // clamped, width kept
        QCOMPARE(axis.lower(), 3.0);
        axis.setRange(5, 5);
        QVERIFY(axis.upper() - axis.lower() >= 0.9e-6);
        axis.setCursor(100.0);
        QCOMPARE(axis.cursor(), std::optional(8.0));
        axis.setFull(2);
        QCOMPARE(axis.cursor(), std::optional(2.0));
        QVERIFY(axis.upper() <= 2.0);
        axis.setCursor(std::nullopt);
        QVERIFY(!axis.cursor());
        axis.showAll();
        QCOMPARE(axis.lower(), 0.0);
        QCOMPARE(axis.upper(), 2.0);
    }
};

QTEST_MAIN(TestDocument)
#include "tst_document.moc"
