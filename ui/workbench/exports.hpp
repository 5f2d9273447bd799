// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/search/search.hpp"
#include "ui/document/selection.hpp"

#include <QString>

#include <vector>

namespace polyrail {

class ClusterView;
class ConvergenceView;
class GanttView;

/// What can be written to a file, from the window and from `polyrail --render` alike.
enum class ExportKind { Plan, Schedule, Trace, Csv, Gantt, Canvas, Convergence };
const std::vector<ExportKind> &allExports();

struct ExportFormat
{
    QString name;   ///< for object names: "plan", "gantt"
    QString label;  ///< in a menu
    QString title;  ///< of a dialog
    QString suffix; ///< of a suggested file: ".plan.json"; pictures take any of png, svg, pdf
    QString filter; ///< for a file dialog
};
ExportFormat exportFormat(ExportKind kind);

/// Where exports come from. Pointers are borrowed; those that a kind does not need may be null.
struct ExportSource
{
    const ShownPlan *shown = nullptr;
    const SearchSnapshot *snapshot = nullptr; ///< of the network that is shown; null when it is of another one
    ClusterView *canvas = nullptr;
    GanttView *gantt = nullptr;
    ConvergenceView *convergence = nullptr;
};

/// Writes one file; the suffix of `path` chooses the format of pictures. Never leaves half a file over an old one.
/// Errors: nothing to export, a suffix that is not known, and what writing may give.
Result<void> exportFile(ExportKind kind, const QString &path, const ExportSource &source);

/// The shown plan as a plan file. A bound and status only if the snapshot is of the same network.
std::string planText(const ExportSource &source);

} // namespace polyrail
