// SPDX-License-Identifier: GPL-3.0-or-later
// How long a slider step takes to reach the screen: from the change of the document to the repainted Gantt of the
// shown plan on the new network, in the real window (offscreen platform), with the search running as usual.
// Prints one JSON object. Usage: bench_slider [CHANGES [SAMPLE...]]
#include "core/formats/builtin.hpp"
#include "ui/charts/gantt_canvas.hpp"
#include "ui/charts/gantt_view.hpp"
#include "ui/workbench/main_window.hpp"

#include <QApplication>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTextStream>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace polyrail;

namespace {

/// Sees each paint of the Gantt.
class PaintWatch : public QObject
{
public:
    std::function<void()> painted;

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() == QEvent::Paint && painted)
            QTimer::singleShot(0, this, [this] { // after the paint itself
                if (painted)
                    painted();
            });
        return false;
    }
};

bool waitUntil(int ms, const std::function<bool()> &condition)
{
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > ms)
            return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    }
    return true;
}

double quantile(std::vector<double> sorted, double q)
{
    if (sorted.empty())
        return 0;
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const auto high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

double rounded(double ms) { return std::round(ms * 1000) / 1000; }

QJsonObject measure(MainWindow &window, const SampleCluster &sample, int changes)
{
    const auto file = QString::fromUtf8(sample.file.data(), static_cast<qsizetype>(sample.file.size()));
    QJsonObject result{{"sample", file}};
    window.io().openSample(file);
    SearchController &search = window.search();
    if (!waitUntil(60000, [&] { return search.isShownCurrent(); })) {
        result["error"] = "no plan within 60 s";
        return result;
    }
    waitUntil(1500, [] { return false; }); // let the search settle on a plan, as a user would
    result["gpus"] = static_cast<int>(window.document().cluster().devices().size());
    result["tasks"] = static_cast<int>(search.shown().schedule->times.size());

    // Links that the plan uses: the others change nothing on the screen.
    std::vector<LinkId> links;
    for (const LinkUsage &use : search.shown().schedule->links)
        if (std::ranges::find(links, use.link) == links.end())
            links.push_back(use.link);
    PaintWatch watch;
    window.gantt().canvas().installEventFilter(&watch);
    std::vector<double> latencies;
    int lost = 0;
    for (int i = 0; i < changes && !links.empty(); ++i) {
        const LinkId id = links[static_cast<std::size_t>(i / 20) % links.size()];
        Link link = window.document().cluster().link(id);
        link.bandwidth = link.bandwidth * (i % 2 == 0 ? 0.97 : 1.02); // small steps, as a drag makes
        bool done = false;
        QElapsedTimer clock;
        qint64 ns = 0;
        bool fresh = false;
        const auto connection = QObject::connect(&search, &SearchController::shownChanged, &watch,
                                                 [&] { fresh = search.isShownCurrent(); });
        watch.painted = [&] {
            if (fresh && !done) {
                ns = clock.nsecsElapsed();
                done = true;
            }
        };
        clock.start();
        window.document().setLink(id, link, QStringLiteral("bench"), QString::fromStdString(link.id));
        if (waitUntil(5000, [&] { return done; }))
            latencies.push_back(static_cast<double>(ns) / 1e6);
        else
            ++lost;
        watch.painted = nullptr;
        QObject::disconnect(connection);
        waitUntil(16, [] { return false; }); // a mouse moves at the screen's rate
    }
    window.gantt().canvas().removeEventFilter(&watch);
    window.document().endGesture();
    window.document().undoStack().setClean();
    std::ranges::sort(latencies);
    result["changes"] = static_cast<int>(latencies.size());
    result["not_painted_within_5s"] = lost;
    result["median_ms"] = rounded(quantile(latencies, 0.5));
    result["p95_ms"] = rounded(quantile(latencies, 0.95));
    result["max_ms"] = rounded(latencies.empty() ? 0 : latencies.back());
    return result;
}

} // namespace

int main(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const QStringList arguments = QApplication::arguments();
    const int changes = arguments.size() > 1 ? arguments[1].toInt() : 200;
    QTemporaryDir scratch;
    MainWindow::Options options;
    options.settingsFile = scratch.filePath(QStringLiteral("settings.ini"));
    MainWindow window(options);
    window.resize(1280, 800);
    window.show();
    QJsonArray results;
    for (const SampleCluster &sample : sampleClusters()) {
        const auto file = QString::fromUtf8(sample.file.data(), static_cast<qsizetype>(sample.file.size()));
        const bool named = arguments.size() > 2;
        if (named && !arguments.mid(2).contains(file))
            continue;
        window.io().openSample(file);
        if (!named && window.document().cluster().devices().size() != 16)
            continue;
        results.append(measure(window, sample, changes));
    }
    QTextStream(stdout) << QJsonDocument(QJsonObject{{"benchmark", "slider_to_repainted_gantt"},
                                                     {"search_threads", window.search().threads()},
                                                     {"model", QString::fromStdString(
                                                                   window.document().job().model.name)},
                                                     {"results", results}})
                               .toJson();
    return 0;
}
