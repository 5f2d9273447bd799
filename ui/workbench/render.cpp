// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/render.hpp"

#include "core/formats/builtin.hpp"
#include "ui/search/words.hpp"
#include "ui/workbench/main_window.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QLocale>
#include <QPixmap>
#include <QTemporaryDir>
#include <QTextStream>

#include <thread>

namespace polyrail {

namespace {

/// Errors of DocumentIo while it lives.
class ErrorListener
{
public:
    explicit ErrorListener(DocumentIo &io)
        : m_connection(QObject::connect(&io, &DocumentIo::message, [this](MessageKind kind, const QString &text) {
            if (kind == MessageKind::Error)
                m_text = text;
        }))
    {
    }
    ~ErrorListener() { QObject::disconnect(m_connection); }
    const QString &text() const { return m_text; }

private:
    QString m_text;
    QMetaObject::Connection m_connection;
};

void waitForPlan(MainWindow &window)
{
    SearchController &search = window.search();
    const auto settled = [&search] {
        const SearchSnapshot &snapshot = *search.snapshot();
        const bool shown = !snapshot.best || (search.isShownCurrent() && *search.shown().plan == *snapshot.best->plan)
            || !search.shownError().isEmpty();
        return isFinal(snapshot.status) && !search.isSnapshotStale() && shown;
    };
    QEventLoop loop;
    const auto check = [&] {
        if (settled())
            loop.quit();
    };
    QObject::connect(&search, &SearchController::snapshotChanged, &loop, check);
    QObject::connect(&search, &SearchController::shownChanged, &loop, check);
    search.start();
    if (!settled())
        loop.exec();
    // What was queued for the next frame (charts redraw once per turn of the event loop) belongs to the picture.
    for (int i = 0; i < 5; ++i)
        QCoreApplication::processEvents();
}

QString summaryLine(MainWindow &window)
{
    const SearchSnapshot &snapshot = *window.search().snapshot();
    const TrainingJob &job = window.document().job();
    const double seconds = toSeconds(snapshot.best->step).value;
    const QLocale c = QLocale::c();
    return QStringLiteral("%1 on %2: %3 s per step, bound %4 s, gap %5 %, %6, %7 tokens/s: %8")
        .arg(QString::fromStdString(job.model.name), QString::fromStdString(window.document().cluster().name()),
             c.toString(seconds, 'f', 6), c.toString(toSeconds(snapshot.bound).value, 'f', 6),
             c.toString(snapshot.gap * 100, 'f', 2), QString::fromLatin1(toString(snapshot.status)),
             c.toString(static_cast<double>(job.globalBatch) * job.sequence / seconds, 'f', 0),
             QString::fromStdString(snapshot.best->plan->summary()));
}

bool writePicture(MainWindow &window, const QString &path, QTextStream &err)
{
    if (window.grab().save(path))
        return true;
    err << QCoreApplication::translate("Render", "%1 cannot be written. Is the disk full?").arg(path) << '\n';
    return false;
}

bool writeAll(MainWindow &window, const QDir &folder, bool hasPlan, QTextStream &err)
{
    struct File
    {
        ExportKind kind;
        const char *name;
    };
    constexpr File files[] = {{ExportKind::Plan, "plan.json"},           {ExportKind::Schedule, "schedule.json"},
                              {ExportKind::Trace, "trace.json"},         {ExportKind::Csv, "schedule.csv"},
                              {ExportKind::Gantt, "gantt.png"},          {ExportKind::Gantt, "gantt.svg"},
                              {ExportKind::Gantt, "gantt.pdf"},          {ExportKind::Convergence, "convergence.png"},
                              {ExportKind::Canvas, "canvas.png"},        {ExportKind::Canvas, "canvas.svg"}};
    for (const File &file : files) {
        if (!hasPlan && file.kind != ExportKind::Canvas)
            continue;
        if (!window.exportTo(file.kind, folder.filePath(QLatin1String(file.name)))) {
            err << window.messages().texts().value(0) << '\n';
            return false;
        }
    }
    window.messages().clear(); // "written" has no place in the picture
    QCoreApplication::processEvents();
    return writePicture(window, folder.filePath(QStringLiteral("window.png")), err);
}

} // namespace

bool openInto(MainWindow &window, const QString &cluster, QString &error)
{
    ErrorListener listener(window.io());
    bool ok = false;
    if (cluster == QLatin1String("-")) {
        QFile input;
        ok = input.open(stdin, QIODevice::ReadOnly)
            && window.io().openText(input.readAll(), QCoreApplication::translate("Render", "standard input"));
    } else if (QFileInfo::exists(cluster)) {
        ok = window.io().open(cluster);
    } else {
        for (const QString &name : {cluster, cluster + QStringLiteral(".json")})
            for (const SampleCluster &sample : sampleClusters())
                if (!ok && name == QString::fromUtf8(sample.file.data(), static_cast<qsizetype>(sample.file.size())))
                    ok = window.io().openSample(name);
        if (!ok)
            ok = window.io().open(cluster); // for its message: no such file
    }
    error = listener.text();
    return ok;
}

bool chooseModel(MainWindow &window, const QString &model, QString &error)
{
    ErrorListener listener(window.io());
    if (const ModelShape *shape = window.library().find(model)) {
        TrainingJob job = window.document().job();
        job.model = *shape;
        window.io().adopt(window.document().cluster(), job, window.document().path());
        return true;
    }
    if (!QFileInfo::exists(model)) {
        QStringList names;
        for (const ModelShape &shape : window.library().presets())
            names << QString::fromStdString(shape.name);
        error = QCoreApplication::translate("Render", "found model \"%1\", expected a config.json or one of: %2.")
                    .arg(model, names.join(QStringLiteral(", ")));
        return false;
    }
    const bool ok = window.io().importModel(model);
    if (ok) // no undo step: nothing was there before
        window.io().adopt(window.document().cluster(), window.document().job(), window.document().path());
    error = listener.text();
    return ok;
}

int render(const RenderRequest &request, QTextStream &out, QTextStream &err)
{
    QTemporaryDir scratch;
    MainWindow::Options options;
    options.settingsFile = scratch.filePath(QStringLiteral("settings.ini")); // the user's own are not touched
    options.searchAtOnce = false;
    MainWindow window(options);
    window.setThemeChoice(request.theme == QLatin1String("dark") ? ThemeChoice::Dark : ThemeChoice::Light);
    SearchLimits limits;
    limits.timeLimit = std::chrono::duration<double>(request.timeLimitSeconds);
    limits.threads = request.threads > 0 ? request.threads
                                         : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    window.search().setLimits(limits);

    QString error;
    if (!openInto(window, request.cluster, error) || !chooseModel(window, request.model, error)) {
        err << error << '\n';
        return 2;
    }
    if (request.batch || request.sequence) {
        TrainingJob job = window.document().job();
        job.globalBatch = request.batch.value_or(job.globalBatch);
        job.sequence = request.sequence.value_or(job.sequence);
        window.io().adopt(window.document().cluster(), job, window.document().path());
    }
    if (!window.search().hasProblem()) {
        err << QCoreApplication::translate("Render", "found a cluster without devices, expected at least one GPU.")
            << '\n';
        return 2;
    }
    QDir folder(request.folder);
    if (!folder.mkpath(QStringLiteral("."))) {
        err << QCoreApplication::translate("Render", "%1: the folder cannot be made. Choose another one.")
                   .arg(request.folder)
            << '\n';
        return 2;
    }
    window.resize(1280, 800);
    window.show();
    waitForPlan(window);

    const SearchSnapshot &snapshot = *window.search().snapshot();
    const bool hasPlan = snapshot.best && window.search().isShownCurrent();
    if (!writeAll(window, folder, hasPlan, err))
        return 2;
    out << folder.absolutePath() << '\n';
    if (!hasPlan) {
        err << statusSentence(snapshot) << '\n';
        return snapshot.status == SearchStatus::Failed ? 2 : 3;
    }
    out << summaryLine(window) << '\n';
    return 0;
}

} // namespace polyrail
