// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/search/search.hpp"
#include "ui/document/selection.hpp"

#include <QSize>
#include <QString>

#include <functional>

class QCPPainter;
class QCustomPlot;

namespace polyrail {

class BaselineView;
class ConvergenceView;
class GanttView;
struct Theme;

/// Colours of an exported chart: as in the window, or light whatever the window is (for print and slides).
enum class ExportColors { AsShown, Light };

// Charts as files. The suffix of `path` chooses the format: png (two device pixels per pixel), svg or pdf (vectors, text
// stays text). The file is replaced as a whole or not at all. Sizes are in pixels of 1/96 inch; a height of 0 takes what
// the content needs. Errors: an unknown suffix (Input), a size out of range (Input), a file that cannot be written (Io).

/// The visible time range, all rows from the top, with header.
Result<void> exportChart(GanttView &view, const QString &path, QSize size, ExportColors colors = ExportColors::AsShown);
Result<void> exportChart(ConvergenceView &view, const QString &path, QSize size, ExportColors colors = ExportColors::AsShown);
Result<void> exportChart(BaselineView &view, const QString &path, QSize size, ExportColors colors = ExportColors::AsShown);
/// Any plot; `Light` restyles it for the time of the export.
Result<void> exportChart(QCustomPlot &plot, const QString &path, QSize size, ExportColors colors = ExportColors::AsShown);

/// Without a window; needs a QApplication (any platform, also offscreen). Error: no schedule in `shown` (Input).
Result<void> renderGantt(const ShownPlan &shown, const Theme &theme, QSize size, const QString &path);
/// Error: the snapshot has neither plan nor bound (Input).
Result<void> renderConvergence(const SearchSnapshot &snapshot, const Theme &theme, QSize size, const QString &path);

/// Any painting as a file, for parts that are not charts. `paint` gets a painter of `size` pixels (vectorized mode set
/// for svg and pdf) and the number of device pixels per pixel.
Result<void> exportPicture(const QString &path, QSize size, const std::function<void(QCPPainter &, double)> &paint);

} // namespace polyrail
