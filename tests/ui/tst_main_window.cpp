// SPDX-License-Identifier: GPL-3.0-or-later
#include "small_problem.hpp"

#include "core/formats/json_files.hpp"
#include "core/sim/validator.hpp"
#include "ui/canvas/cluster_view.hpp"
#include "ui/charts/convergence_view.hpp"
#include "ui/charts/gantt_view.hpp"
#include "ui/inspector/inspector.hpp"
#include "ui/inspector/log_slider.hpp"
#include "ui/workbench/autosave.hpp"
#include "ui/workbench/gpu_type_dialog.hpp"
#include "ui/workbench/main_window.hpp"
#include "ui/workbench/model_bar.hpp"
#include "ui/workbench/plan_panel.hpp"
#include "ui/workbench/render.hpp"
#include "ui/workbench/search_strip.hpp"
#include "ui/workbench/shortcuts_dialog.hpp"
#include "ui/workbench/status_chip.hpp"
#include "ui/workbench/translations.hpp"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDropEvent>
#include <QImage>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>

using namespace polyrail;
using namespace polyrail::test;

namespace {

constexpr int patience = 30000; // ms: a loaded machine is slow, a broken window never gets there

QByteArray readAll(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeAll(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), qint64(bytes.size()));
}

/// Presses a button of the message box that comes up next.
void answerNextBox(QObject *context, QMessageBox::StandardButton button)
{
    auto *timer = new QTimer(context);
    QObject::connect(timer, &QTimer::timeout, context, [timer, button] {
        auto *box = qobject_cast<QMessageBox *>(QApplication::activeModalWidget());
        if (!box)
            return;
        timer->deleteLater();
        QTest::mouseClick(box->button(button), Qt::LeftButton);
    });
    timer->start(20);
}

} // namespace

class tst_MainWindow : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<MainWindow> m_window;

    MainWindow::Options options() const
    {
        MainWindow::Options o;
        o.settingsFile = m_folder->filePath(QStringLiteral("settings.ini"));
        return o;
    }
    QString path(const char *name) const { return m_folder->filePath(QLatin1String(name)); }
    SearchController &search() { return m_window->search(); }
    void openWindow()
    {
        m_window = std::make_unique<MainWindow>(options());
        m_window->resize(1280, 800);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    /// A small cluster and model, so that the search is quick.
    void openSmall() { m_window->io().adopt(smallCluster(), smallJob(), {}); }
    void changeBandwidth(const char *link, double gigabits)
    {
        Document &document = m_window->document();
        document.setLink(document.cluster().findLink(link), withBandwidth(document.cluster(), link, gigabits),
                         QStringLiteral("Bandwidth of %1").arg(QLatin1String(link)), QLatin1String(link));
    }
    void discardChanges() { m_window->document().undoStack().setClean(); }

private slots:
    void initTestCase()
    {
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        QLocale::setDefault(QLocale::c());
        installTranslations(*qApp, QLocale(QLocale::English));
    }
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        openWindow();
    }
    void cleanup()
    {
        m_window.reset();
        m_folder.reset();
    }

    // ---- The search in the window --------------------------------------------------------------------------------

    void firstWindowSearchesASample()
    {
        m_window->openFirst();
        QVERIFY2(m_window->messages().texts().isEmpty(), qPrintable(m_window->messages().texts().join('\n')));
        QVERIFY(m_window->document().cluster().devices().size() >= 8);
        QCOMPARE(QString::fromStdString(m_window->document().job().model.name).toLower(), QStringLiteral("llama-2-13b"));
        QCOMPARE(m_window->document().job().globalBatch, 128);
        QTRY_VERIFY_WITH_TIMEOUT(search().snapshot()->best.has_value(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->gantt().shown().schedule, patience);
        QVERIFY(m_window->strip().chip().status() != SearchStatus::Idle);
        QVERIFY(!m_window->strip().bestText().isEmpty());
    }

    void sliderDragWhileSearching()
    {
        openSmall();
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        const auto revision = m_window->document().revision();
        for (const double rate : {8.0, 6.0, 4.0, 2.0, 1.0}) {
            changeBandwidth("rail-0", rate);
            changeBandwidth("rail-1", rate);
            QTest::qWait(10);
        }
        m_window->document().endGesture();
        QVERIFY(m_window->document().revision() >= revision + 10);
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        QCOMPARE(search().shownRequest(), m_window->document().revision());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->gantt().shown().cluster.digest(), m_window->document().cluster().digest(),
                                  patience);
        QTRY_VERIFY_WITH_TIMEOUT(search().snapshot()->request == m_window->document().revision(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->strip().sentence().contains(QLatin1String(" to ")), patience);
        QVERIFY(!m_window->strip().chip().isStale());
    }

    void inspectorSliderDraggedByMouse()
    {
        openSmall();
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        const auto before = m_window->document().cluster().digest();
        m_window->selection().select({QStringLiteral("rail-0")});
        LogSlider *slider = nullptr;
        for (auto *candidate : m_window->inspector().findChildren<LogSlider *>())
            if (candidate->isVisible())
                slider = candidate;
        QVERIFY(slider);
        const int y = slider->height() / 2;
        const int from = static_cast<int>(slider->xOf(slider->value()));
        const double start = slider->value();
        QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, QPoint(from, y));
        for (int x = from; x > from - 60; x -= 3) {
            QTest::mouseMove(slider, QPoint(x, y));
            QTest::qWait(5);
        }
        QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, QPoint(from - 60, y));
        QVERIFY(slider->value() < start / 1.5);
        QCOMPARE(m_window->document().undoStack().count(), 1); // one drag, one step
        const LinkId id = m_window->document().cluster().findLink("rail-0");
        QVERIFY(m_window->document().cluster().link(id).bandwidth.value < gigabytesPerSecond(1.25).value / 1.5);
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        QVERIFY(search().shown().cluster.digest() == m_window->document().cluster().digest());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->strip().sentence().startsWith(QLatin1String("Rail-0 from 10 to")), patience);
        QTRY_VERIFY_WITH_TIMEOUT(search().snapshot()->sequence > 0
                                     && search().snapshot()->request == m_window->document().revision(),
                                 patience);
        m_window->action(QStringLiteral("edit.undo"))->trigger();
        QVERIFY(m_window->document().cluster().digest() == before);
        QCOMPARE(slider->value(), start);
    }

    void undoByKeyBringsTheOldPlanBack()
    {
        openSmall();
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        const auto digest = m_window->document().cluster().digest();
        changeBandwidth("rail-0", 0.5);
        m_window->document().endGesture();
        QVERIFY(m_window->isWindowModified());
        QVERIFY(m_window->document().cluster().digest() != digest);
        QTest::keySequence(m_window.get(), QKeySequence::Undo);
        QVERIFY(m_window->document().cluster().digest() == digest);
        QVERIFY(!m_window->isWindowModified());
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
    }

    void pauseResumeStopByButtons()
    {
        m_window->openFirst();
        auto *start = m_window->findChild<QPushButton *>(QStringLiteral("search.start.button"));
        auto *pause = m_window->findChild<QPushButton *>(QStringLiteral("search.pause.button"));
        auto *stop = m_window->findChild<QPushButton *>(QStringLiteral("search.stop.button"));
        QVERIFY(start && pause && stop);
        QTRY_VERIFY_WITH_TIMEOUT(search().status() == SearchStatus::Running && search().snapshot()->best, patience);
        QVERIFY(!start->isEnabled());
        QTest::mouseClick(pause, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->strip().chip().status(), SearchStatus::Paused, patience);
        QCOMPARE(pause->text(), QStringLiteral("Resume"));
        QTest::mouseClick(pause, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->strip().chip().status(), SearchStatus::Running, patience);
        QTest::mouseClick(stop, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->strip().chip().status(), SearchStatus::Stopped, patience);
        QVERIFY(search().snapshot()->best.has_value());
        QVERIFY(start->isEnabled() && !stop->isEnabled());
        QTest::keyClick(m_window.get(), Qt::Key_F5);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->strip().chip().status(), SearchStatus::Running, patience);
    }

    void closedWhileSearching()
    {
        m_window->openFirst();
        QTRY_VERIFY_WITH_TIMEOUT(search().isBusy(), patience);
        QVERIFY(m_window->close());
        m_window.reset(); // joins; a leftover thread would touch freed memory (run under asan)
        openWindow();
        m_window->openFirst();
        m_window.reset(); // without close, before the search has said anything
        QCoreApplication::processEvents();
    }

    void dragAndCloseWithEverythingOnItsWay()
    {
        openSmall();
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        for (int i = 0; i < 20; ++i)
            changeBandwidth("rail-0", 1 + i);
        answerNextBox(m_window.get(), QMessageBox::Discard);
        QVERIFY(m_window->close());
        m_window.reset();
        QCoreApplication::processEvents();
    }

    // ---- Files ---------------------------------------------------------------------------------------------------

    void saveAndReopenIsIdentical()
    {
        m_window->openFirst();
        changeBandwidth(m_window->document().cluster().links()[0].id.c_str(), 100);
        const QString file = path("saved.cluster.json");
        QVERIFY(m_window->io().save(file));
        QVERIFY(!m_window->isWindowModified());
        const std::string text = writeCluster(m_window->document().cluster());
        const auto digest = m_window->document().cluster().digest();
        m_window->io().newDocument();
        QVERIFY(m_window->document().cluster().devices().empty());
        QVERIFY(m_window->io().open(file));
        QVERIFY(m_window->document().cluster().digest() == digest);
        QVERIFY(writeCluster(m_window->document().cluster()) == text); // names, notes and layout, too
        QCOMPARE(m_window->document().path(), file);
        QVERIFY(m_window->windowTitle().contains(QLatin1String("saved.cluster.json")));
        QVERIFY(m_window->io().recent().paths().contains(file));
    }

    void jobComesBackWithTheFile()
    {
        openSmall();
        TrainingJob job = m_window->library().defaultJob();
        job.globalBatch = 96;
        job.precision = Precision::Fp16;
        m_window->document().setJob(job, QStringLiteral("job"));
        const QString file = path("with-job.cluster.json");
        QVERIFY(m_window->io().save(file));
        job.globalBatch = 32;
        m_window->document().setJob(job, QStringLiteral("job"));
        QVERIFY(m_window->io().open(file));
        QCOMPARE(m_window->document().job().globalBatch, 96);
        QVERIFY(m_window->document().job().precision == Precision::Fp16);
    }

    void brokenFiles_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("hello there");
        QTest::newRow("binary") << QByteArray("\x00\xff\xfe\x80\x01PNG\x00\x00", 10);
        QTest::newRow("cut off") << QByteArray(R"({"format": "polyrail-cluster", "version": 1, "devices": [)");
        QTest::newRow("wrong type") << QByteArray(R"({"format": "polyrail-cluster", "version": 1, "devices": 7})");
        QTest::newRow("future version") << QByteArray(R"({"format": "polyrail-cluster", "version": 99})");
        QTest::newRow("unknown GPU")
            << QByteArray(R"({"format": "polyrail-cluster", "version": 1, "name": "x",)"
                          R"("devices": [{"id": "d", "type": "Banana 9000"}], "links": []})");
        QTest::newRow("bare number") << QByteArray(R"({"format": "polyrail-cluster", "version": 1, "name": "x",
            "devices": [{"id": "a", "type": "A100-80GB-SXM"}, {"id": "b", "type": "A100-80GB-SXM"}],
            "links": [{"id": "l", "ends": ["a", "b"], "kind": "nvlink", "bandwidth": "200", "latency": "1 us"}]})");
        QTest::newRow("deep") << QByteArray(100000, '[');
        QTest::newRow("plan without cluster") << QByteArray(R"({"format": "polyrail-plan", "version": 1})");
        QTest::newRow("config without layers") << QByteArray(R"({"architectures": ["LlamaForCausalLM"],)"
                                                             R"("model_type": "llama", "hidden_size": 64})");
    }
    void brokenFiles()
    {
        QFETCH(QByteArray, bytes);
        openSmall();
        changeBandwidth("rail-0", 3);
        const auto digest = m_window->document().cluster().digest();
        const auto job = m_window->document().job().digest();
        const QString file = path("broken.json");
        writeAll(file, bytes);
        QVERIFY(!m_window->io().open(file));
        QCOMPARE(m_window->messages().texts().size(), 1);
        QCOMPARE(m_window->messages().newestKind(), MessageKind::Error);
        const QString message = m_window->messages().texts().first();
        QVERIFY2(message.contains(QLatin1String("broken.json")), qPrintable(message));
        QVERIFY2(message.contains(QLatin1String("found")) || message.contains(QLatin1String("expected")),
                 qPrintable(message));
        QVERIFY(m_window->messages().isVisible());
        QVERIFY(m_window->document().cluster().digest() == digest);
        QVERIFY(m_window->document().job().digest() == job);
        QVERIFY(m_window->document().isModified());
        QVERIFY(m_window->document().undoStack().canUndo());
        QVERIFY(!m_window->io().recent().paths().contains(file));
    }

    void missingFileAndUnwritableFolder()
    {
        openSmall();
        QVERIFY(!m_window->io().open(path("not-there.json")));
        QVERIFY(m_window->messages().texts().first().contains(QLatin1String("not-there.json")));
        QVERIFY(!m_window->io().save(path("no/such/folder/x.json")));
        QCOMPARE(m_window->messages().newestKind(), MessageKind::Error);
        QVERIFY(m_window->document().path().isEmpty());
        auto *close = m_window->messages().findChild<QToolButton *>();
        QVERIFY(close);
        QTest::mouseClick(close, Qt::LeftButton);
        QCOMPARE(m_window->messages().texts().size(), 1);
    }

    void unsavedChangesAreAskedAbout()
    {
        openSmall();
        changeBandwidth("rail-0", 3);
        answerNextBox(m_window.get(), QMessageBox::Cancel);
        QVERIFY(!m_window->close());
        QVERIFY(m_window->isVisible());
        answerNextBox(m_window.get(), QMessageBox::Cancel);
        m_window->action(QStringLiteral("file.new"))->trigger();
        QVERIFY(!m_window->document().cluster().devices().empty());
        answerNextBox(m_window.get(), QMessageBox::Discard);
        m_window->action(QStringLiteral("file.new"))->trigger();
        QVERIFY(m_window->document().cluster().devices().empty());
    }

    void droppedFileOpens()
    {
        const QString file = path("dropped.cluster.json");
        writeAll(file, QByteArray::fromStdString(writeCluster(smallCluster())));
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &drop);
        QCOMPARE(m_window->document().path(), file);
        QVERIFY(m_window->document().cluster().digest() == smallCluster().digest());
    }

    void pastedTopologyAsksForTheGpu()
    {
        QApplication::clipboard()->setText(QStringLiteral("\tGPU0\tGPU1\tCPU Affinity\n"
                                                          "GPU0\t X \tNV4\t0-15\n"
                                                          "GPU1\tNV4\t X \t0-15\n"));
        m_window->action(QStringLiteral("file.importText"))->trigger();
        auto *dialog = m_window->findChild<GpuTypeDialog *>();
        QVERIFY2(dialog, qPrintable(m_window->messages().texts().join('\n')));
        auto *list = dialog->findChild<QListWidget *>();
        const auto found = list->findItems(QStringLiteral("A100"), Qt::MatchContains);
        QVERIFY(!found.isEmpty());
        list->setCurrentItem(found.first());
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_COMPARE(m_window->document().cluster().devices().size(), std::size_t(2));
        QVERIFY(m_window->document().cluster().devices()[0].typeName.find("A100") != std::string::npos);
    }

    void importedModelJoinsTheList()
    {
        openSmall();
        QDir(m_folder->path()).mkdir(QStringLiteral("my-llama"));
        const QString file = path("my-llama/config.json");
        writeAll(file, R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 512,
            "num_hidden_layers": 8, "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 1376,
            "vocab_size": 32000, "max_position_embeddings": 2048, "rms_norm_eps": 1e-5, "hidden_act": "silu",
            "tie_word_embeddings": false, "torch_dtype": "bfloat16"})");
        QVERIFY2(m_window->io().importModel(file), qPrintable(m_window->messages().texts().join('\n')));
        QCOMPARE(QString::fromStdString(m_window->document().job().model.name), QStringLiteral("my-llama"));
        auto *combo = m_window->findChild<QComboBox *>(QStringLiteral("model"));
        QCOMPARE(combo->currentText(), QStringLiteral("my-llama"));
        m_window->document().undoStack().undo();
        QVERIFY(combo->currentText() != QLatin1String("my-llama"));
        discardChanges();
        m_window.reset();
        openWindow(); // kept for next time
        QVERIFY(m_window->library().find(QStringLiteral("my-llama")));
    }

    void unsavedWorkIsRecovered()
    {
        openSmall();
        changeBandwidth("rail-0", 3);
        m_window->autosave().writeNow();
        QVERIFY(QFileInfo::exists(m_window->autosave().file()));
        const auto digest = m_window->document().cluster().digest();
        m_window.reset(); // no close: as after a crash
        openWindow();
        m_window->openFirst();
        QCOMPARE(m_window->messages().texts().size(), 1);
        QPushButton *recover = nullptr;
        for (auto *button : m_window->messages().findChildren<QPushButton *>())
            if (button->text() == QLatin1String("Recover"))
                recover = button;
        QVERIFY(recover);
        QTest::mouseClick(recover, Qt::LeftButton);
        QVERIFY(m_window->document().cluster().digest() == digest);
        QVERIFY(m_window->document().isModified());
        discardChanges();
        QVERIFY(m_window->close());
        m_window.reset();
        openWindow();
        m_window->openFirst();
        QVERIFY(m_window->messages().texts().isEmpty()); // closed in order: nothing is left
    }

    // ---- Exports -------------------------------------------------------------------------------------------------

    void exportsParse()
    {
        openSmall();
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        m_window->action(QStringLiteral("search.stop"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(isFinal(search().status()) && search().isShownCurrent(), patience);
        const auto write = [&](ExportKind kind, const char *name) {
            if (!m_window->exportTo(kind, path(name)))
                return QByteArray("failed: ") + m_window->messages().texts().value(0).toUtf8();
            return readAll(path(name));
        };
        const Cluster &cluster = m_window->document().cluster();
        const auto plan = readPlan(write(ExportKind::Plan, "p.plan.json").toStdString(), cluster);
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().message().c_str());
        QVERIFY(plan->plan == *search().shown().plan);
        const auto schedule = readSchedule(write(ExportKind::Schedule, "s.schedule.json").toStdString());
        QVERIFY2(schedule.has_value(), schedule ? "" : schedule.error().message().c_str());
        QCOMPARE(schedule->schedule.makespan.value, search().shown().schedule->makespan.value);
        const auto trace = QJsonDocument::fromJson(write(ExportKind::Trace, "t.json"));
        QVERIFY(!trace.isNull());
        const QByteArray csv = write(ExportKind::Csv, "s.csv");
        QVERIFY(csv.startsWith("id,"));
        QCOMPARE(csv.count('\n'), qsizetype(search().shown().schedule->times.size()) + 1);
        for (const auto &[kind, stem] : {std::pair(ExportKind::Gantt, "gantt"), std::pair(ExportKind::Canvas, "canvas"),
                                         std::pair(ExportKind::Convergence, "convergence")}) {
            const QString base = QLatin1String(stem);
            const QImage image = QImage::fromData(write(kind, qPrintable(base + QStringLiteral(".png"))));
            QVERIFY2(image.width() > 400 && image.height() > 100, stem);
            QVERIFY2(QSvgRenderer(write(kind, qPrintable(base + QStringLiteral(".svg")))).isValid(), stem);
            QVERIFY2(write(kind, qPrintable(base + QStringLiteral(".pdf"))).startsWith("%PDF-"), stem);
        }
        QVERIFY(!m_window->exportTo(ExportKind::Gantt, path("gantt.xyz")));
        QVERIFY(m_window->messages().texts().first().contains(QLatin1String("svg")));
        QVERIFY(!QFileInfo::exists(path("gantt.xyz")));
    }

    void exportedPlanOpensAgain()
    {
        m_window->openFirst();
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        search().stop();
        QTRY_VERIFY_WITH_TIMEOUT(isFinal(search().status()) && search().isShownCurrent(), patience);
        const Plan plan = *search().shown().plan;
        const auto step = search().shown().schedule->makespan.value;
        QVERIFY(m_window->exportTo(ExportKind::Plan, path("best.plan.json")));
        m_window->io().newDocument();
        QVERIFY2(m_window->io().open(path("best.plan.json")), qPrintable(m_window->messages().texts().join('\n')));
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        QVERIFY(*search().shown().plan == plan);
        QCOMPARE(search().shown().schedule->makespan.value, step);
    }

    void renderWritesEverything()
    {
        const QString cluster = path("small.cluster.json");
        writeAll(cluster, QByteArray::fromStdString(writeCluster(smallCluster())));
        RenderRequest request;
        request.folder = path("out");
        request.cluster = cluster;
        request.model = QStringLiteral("llama-2-7b");
        request.timeLimitSeconds = 1;
        request.batch = 16;
        QString out, err;
        QTextStream outStream(&out), errStream(&err);
        QCOMPARE(render(request, outStream, errStream), 0);
        QVERIFY2(err.isEmpty(), qPrintable(err));
        QVERIFY(out.contains(QLatin1String("per step")));
        for (const char *name : {"plan.json", "schedule.json", "trace.json", "schedule.csv", "gantt.png", "gantt.svg",
                                 "gantt.pdf", "canvas.png", "canvas.svg", "convergence.png", "window.png"})
            QVERIFY2(QFileInfo(path("out") + QLatin1Char('/') + QLatin1String(name)).size() > 100, name);
        QCOMPARE(QImage(path("out/window.png")).size(), QSize(1280, 800));

        request.model = QStringLiteral("no-such-model");
        QCOMPARE(render(request, outStream, errStream), 2);
        QVERIFY(err.contains(QLatin1String("llama-2-13b")));
        request.model = QStringLiteral("llama-2-7b");
        request.cluster = QStringLiteral("no-such-cluster");
        QCOMPARE(render(request, outStream, errStream), 2);
        request.cluster = cluster;
        request.model = QStringLiteral("llama-3.1-405b"); // far more than four GPUs hold
        QCOMPARE(render(request, outStream, errStream), 3);
    }

    // ---- The frame -----------------------------------------------------------------------------------------------

    void modelBarEditsTheJob()
    {
        openSmall();
        auto *batch = m_window->findChild<DoublingSpinBox *>(QStringLiteral("batch"));
        QCOMPARE(batch->value(), 8);
        QTest::keyClick(batch, Qt::Key_Up);
        QCOMPARE(m_window->document().job().globalBatch, 16);
        batch->selectAll();
        QTest::keyClicks(batch, QStringLiteral("24"));
        QCOMPARE(m_window->document().job().globalBatch, 16); // not while it is being typed
        QTest::keyClick(batch, Qt::Key_Return);
        QCOMPARE(m_window->document().job().globalBatch, 24);
        m_window->document().undoStack().undo();
        QCOMPARE(batch->value(), 16);
        m_window->modelBar().chooseModel(QStringLiteral("llama-2-7b"));
        QCOMPARE(m_window->document().job().model.layers, 32);
        m_window->action(QStringLiteral("sharding.3"))->trigger();
        QVERIFY(m_window->document().job().sharding == Sharding::Zero3);
        m_window->document().undoStack().undo();
        QVERIFY(m_window->action(QStringLiteral("sharding.1"))->isChecked());
    }

    void planTableCopies()
    {
        openSmall();
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        m_window->action(QStringLiteral("plan.copyStages"))->trigger();
        const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), qsizetype(search().shown().plan->stages.size()) + 1);
        QCOMPARE(lines[0].count(QLatin1Char('\t')), lines[1].count(QLatin1Char('\t')));
        QVERIFY(lines[1].contains(QLatin1String("gpu-")));
        m_window->action(QStringLiteral("go.plan"))->trigger();
        QTRY_VERIFY(m_window->planPanel().isVisible());
        QTRY_VERIFY(m_window->planPanel().plans().model()->rowCount() >= 1);
        QCOMPARE(m_window->planPanel().stages().model()->rowCount(),
                 static_cast<int>(search().shown().plan->stages.size()));
    }

    void questionMarkListsTheShortcuts()
    {
        QTest::keyClick(m_window.get(), Qt::Key_Question);
        auto *dialog = m_window->findChild<ShortcutsDialog *>();
        QVERIFY(dialog && dialog->isVisible() && !dialog->isModal());
        auto *list = dialog->findChild<QTreeWidget *>();
        QVERIFY(!list->findItems(QStringLiteral("Undo"), Qt::MatchContains | Qt::MatchRecursive).isEmpty());
        QVERIFY(!list->findItems(QStringLiteral("critical path"), Qt::MatchContains | Qt::MatchRecursive).isEmpty());
    }

    void shortcutsAreUnique()
    {
        QHash<QString, QString> owner;
        for (QAction *action : m_window->findChildren<QAction *>())
            for (const QKeySequence &key : action->shortcuts()) {
                if (action->shortcutContext() != Qt::WindowShortcut && action->shortcutContext() != Qt::ApplicationShortcut)
                    continue;
                const QString text = key.toString();
                QVERIFY2(!owner.contains(text), qPrintable(text + ": " + owner.value(text) + ", " + action->text()));
                owner.insert(text, action->text());
            }
        QVERIFY(owner.size() > 15);
    }

    void everyControlHasAName()
    {
        m_window->openFirst();
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        int checked = 0;
        for (QWidget *widget : m_window->findChildren<QWidget *>()) {
            if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus)
                continue;
            const auto *area = qobject_cast<QAbstractScrollArea *>(widget->parentWidget());
            if (area && area->viewport() == widget) // the area itself has the name
                continue;
            const QString className = QString::fromLatin1(widget->metaObject()->className());
            if (className.startsWith(QLatin1String("QScrollArea")) || className == QLatin1String("QScrollBar")
                || widget->objectName().startsWith(QLatin1String("qt_")) || className == QLatin1String("QTabBar"))
                continue;
            const auto *button = qobject_cast<QAbstractButton *>(widget);
            const auto *label = qobject_cast<QLabel *>(widget); // its text is its name
            const bool named = !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty())
                || (label && !label->text().isEmpty());
            QVERIFY2(named, qPrintable(className + QLatin1Char(' ') + widget->objectName() + QStringLiteral(" in ")
                                    + QLatin1String(widget->parent()->metaObject()->className())));
            ++checked;
        }
        QVERIFY(checked > 10);
    }

    void nothingIsCutOffAt1280()
    {
        m_window->openFirst();
        QTRY_VERIFY_WITH_TIMEOUT(search().isShownCurrent(), patience);
        QCOMPARE(m_window->size(), QSize(1280, 800));
        for (auto *button : m_window->findChildren<QToolButton *>(QStringLiteral("qt_toolbar_ext_button")))
            QVERIFY(!button->isVisible()); // the toolbar shows all of itself
        for (auto *button : m_window->findChildren<QPushButton *>())
            if (button->isVisible())
                QVERIFY2(button->width() >= button->minimumSizeHint().width(), qPrintable(button->text()));
        QVERIFY(m_window->gantt().height() >= 180);
        QVERIFY(m_window->canvas().height() >= 250);
    }

    void pluralsAreWords()
    {
        openSmall();
        QStringList texts;
        for (const QLabel *label : m_window->findChildren<QLabel *>())
            texts << label->text();
        const QString all = texts.join(QLatin1Char('\n'));
        QVERIFY(all.contains(QLatin1String("4 GPUs, 2 hubs, 9 links, 1 conflict group")));
        QVERIFY2(!all.contains(QLatin1String("(s)")), qPrintable(all));
    }

    void themeAndScaleChangeAtOnce()
    {
        openSmall();
        m_window->action(QStringLiteral("theme.2"))->trigger();
        QVERIFY(Theme::current().dark);
        m_window->setTextScale(1.5);
        QVERIFY(uiScale() > 1.4);
        QCoreApplication::processEvents();
        m_window->setTextScale(1.0);
        m_window->action(QStringLiteral("theme.1"))->trigger();
        QVERIFY(!Theme::current().dark);
    }

    void layoutIsKeptAndCanBeReset()
    {
        m_window->action(QStringLiteral("panel.inspector"))->trigger();
        QVERIFY(m_window->action(QStringLiteral("panel.inspector"))->isChecked() == false);
        QVERIFY(m_window->close());
        m_window.reset();
        openWindow();
        QVERIFY(!m_window->action(QStringLiteral("panel.inspector"))->isChecked());
        m_window->action(QStringLiteral("view.reset"))->trigger();
        QVERIFY(m_window->action(QStringLiteral("panel.inspector"))->isChecked());
    }
};

QTEST_MAIN(tst_MainWindow)
#include "tst_main_window.moc"
