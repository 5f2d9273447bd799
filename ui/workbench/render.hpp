// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>

class QTextStream;

namespace polyrail {

class MainWindow;

/// What `polyrail --render` is asked for.
struct RenderRequest
{
    QString folder;
    QString cluster;                 ///< a file, the name of a sample, or "-" for standard input
    QString model;                   ///< a preset or a config.json
    double timeLimitSeconds = 10;
    int threads = 0;                 ///< 0 = all cores
    std::optional<int> batch;
    std::optional<int> sequence;
    QString theme = QStringLiteral("light");
};

/// Searches, and writes plan.json, schedule.json, trace.json, schedule.csv, gantt.{png,svg,pdf}, canvas.{png,svg},
/// convergence.png and window.png into the folder. Needs a QApplication, but no display. Says the folder and one
/// summary line on `out`. Exit code: 0, 2 (wrong input, or writing failed), 3 (no plan fits).
int render(const RenderRequest &request, QTextStream &out, QTextStream &err);

/// Opens a file, a sample by name, or "-", into a window; on failure the reason is in `error`.
bool openInto(MainWindow &window, const QString &cluster, QString &error);
/// Makes a preset or a config.json the window's model; on failure the reason is in `error`.
bool chooseModel(MainWindow &window, const QString &model, QString &error);

} // namespace polyrail
