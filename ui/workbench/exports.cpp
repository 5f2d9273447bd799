// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/exports.hpp"

#include "core/formats/exporters.hpp"
#include "core/formats/json_files.hpp"
#include "ui/canvas/cluster_view.hpp"
#include "ui/charts/chart_export.hpp"
#include "ui/charts/convergence_view.hpp"
#include "ui/charts/gantt_view.hpp"
#include "ui/theme/theme.hpp"

#include <QCoreApplication>

#include <qcustomplot.h>

#include <algorithm>

namespace polyrail {

namespace {

struct Texts
{
    Q_DECLARE_TR_FUNCTIONS(Exports)
};

constexpr QSize chartSize(1200, 0);       // as high as the rows need
constexpr QSize convergenceSize(900, 420);
constexpr int longestCanvasEdge = 1600;

/// Size of a canvas picture: the cluster's own shape.
QSize canvasSize(ClusterView &canvas)
{
    const QRectF content = canvas.model().contents();
    if (content.isEmpty())
        return {800, 500};
    QSizeF size = content.size() + QSizeF(48, 48);
    const double longest = std::max(size.width(), size.height());
    if (longest > longestCanvasEdge)
        size *= longestCanvasEdge / longest;
    return size.toSize().expandedTo({200, 150});
}

Result<void> exportCanvas(ClusterView &canvas, const QString &path)
{
    const QSize size = canvasSize(canvas);
    return exportPicture(path, size, [&](QCPPainter &painter, double) {
        canvas.paintFitted(painter, QRectF(QPointF(0, 0), QSizeF(size)), Theme::current());
    });
}

} // namespace

const std::vector<ExportKind> &allExports()
{
    static const std::vector<ExportKind> all{ExportKind::Gantt, ExportKind::Canvas, ExportKind::Convergence,
                                             ExportKind::Plan,  ExportKind::Schedule, ExportKind::Trace,
                                             ExportKind::Csv};
    return all;
}

ExportFormat exportFormat(ExportKind kind)
{
    const QString pictures = Texts::tr("Pictures (*.png *.svg *.pdf)");
    switch (kind) {
    case ExportKind::Plan:
        return {QStringLiteral("plan"), Texts::tr("&Plan (JSON)…"), Texts::tr("Export the plan"),
                QStringLiteral(".plan.json"), Texts::tr("Polyrail plans (*.plan.json *.json)")};
    case ExportKind::Schedule:
        return {QStringLiteral("schedule"), Texts::tr("&Schedule (JSON)…"), Texts::tr("Export the schedule"),
                QStringLiteral(".schedule.json"), Texts::tr("Polyrail schedules (*.schedule.json *.json)")};
    case ExportKind::Trace:
        return {QStringLiteral("trace"), Texts::tr("Chrome &trace, for Perfetto (JSON)…"),
                Texts::tr("Export a Chrome trace"), QStringLiteral(".trace.json"), Texts::tr("Chrome traces (*.json)")};
    case ExportKind::Csv:
        return {QStringLiteral("csv"), Texts::tr("Tas&ks (CSV)…"), Texts::tr("Export the tasks"), QStringLiteral(".csv"),
                Texts::tr("Tables (*.csv)")};
    case ExportKind::Gantt:
        return {QStringLiteral("gantt"), Texts::tr("&Gantt (PNG, SVG, PDF)…"), Texts::tr("Export the Gantt chart"),
                QStringLiteral("-gantt.png"), pictures};
    case ExportKind::Canvas:
        return {QStringLiteral("canvas"), Texts::tr("&Cluster (PNG, SVG, PDF)…"), Texts::tr("Export the cluster"),
                QStringLiteral("-cluster.png"), pictures};
    case ExportKind::Convergence:
        return {QStringLiteral("convergence"), Texts::tr("Con&vergence (PNG, SVG, PDF)…"),
                Texts::tr("Export the convergence chart"), QStringLiteral("-convergence.png"), pictures};
    }
    return {};
}

std::string planText(const ExportSource &source)
{
    const ShownPlan &shown = *source.shown;
    PlanFile file;
    file.clusterName = shown.cluster.name();
    file.clusterDigest = shown.cluster.digest();
    file.job = shown.job;
    file.plan = *shown.plan;
    file.objectiveSeconds = toSeconds(shown.schedule->makespan).value;
    if (source.snapshot && !shown.stale) {
        const SearchSnapshot &snapshot = *source.snapshot;
        const bool isBest = snapshot.best && *snapshot.best->plan == *shown.plan;
        // "optimal" is said of the plan that was proven, not of another one that is on show.
        file.status = isBest || snapshot.status != SearchStatus::Optimal ? snapshot.status : SearchStatus::Stopped;
        if (!isFinal(file.status))
            file.status = SearchStatus::Stopped; // the file is what is known now
        file.boundSeconds = toSeconds(snapshot.bound).value;
        file.gap = file.objectiveSeconds > 0
            ? std::max(0.0, (file.objectiveSeconds - file.boundSeconds) / file.objectiveSeconds)
            : 1;
    }
    return writePlan(file, shown.cluster, shown.schedule.get());
}

Result<void> exportFile(ExportKind kind, const QString &path, const ExportSource &source)
{
    if (kind == ExportKind::Canvas)
        return exportCanvas(*source.canvas, path);
    if (!source.shown || !source.shown->plan || !source.shown->schedule)
        return inputError(path.toStdString(), Texts::tr("no plan to export").toStdString(), {},
                          Texts::tr("Start the search and wait for its first plan.").toStdString());
    const ShownPlan &shown = *source.shown;
    switch (kind) {
    case ExportKind::Plan: return writeTextFile(path.toStdString(), planText(source));
    case ExportKind::Schedule:
        return writeTextFile(path.toStdString(), writeSchedule(*shown.schedule, shown.cluster));
    case ExportKind::Trace:
        return writeTextFile(path.toStdString(), exportChromeTrace(*shown.schedule, shown.cluster));
    case ExportKind::Csv: return writeTextFile(path.toStdString(), exportCsv(*shown.schedule, shown.cluster));
    case ExportKind::Gantt: return exportChart(*source.gantt, path, chartSize);
    case ExportKind::Convergence: return exportChart(*source.convergence, path, convergenceSize);
    case ExportKind::Canvas: break;
    }
    return {};
}

} // namespace polyrail
