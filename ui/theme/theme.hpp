// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"
#include "core/sim/task_graph.hpp"

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <QString>

class QApplication;
class QCustomPlot;

namespace polyrail {

/// Every colour of the window, in one place; no other file names a colour. Values and their roles:
/// docs/visual-style.md. Text pairs reach 4.5 : 1, marks 3 : 1 (tested).
struct Theme
{
    bool dark = false;
    QColor window, base, alt, canvas, canvasDots, host, border, control, track, chip;
    QColor text, muted, accent, onAccent, selection, selectionText;
    QColor warning, warningText, proven, provenText, stopped, limit, band, bandText;
    QColor nvlink, pcie, network, hostBus, otherLink;
    QColor forward, backward, communication, optimiser, recompute; ///< operator fills, same in both themes
    QColor forwardLine, backwardLine, communicationLine, optimiserLine, recomputeLine; ///< outlines; invalid = none
    QColor hatch;        ///< lines over communication
    QColor operatorText; ///< on operator fills

    static const Theme &light();
    static const Theme &darkTheme();
    /// The theme in use. Changed only by apply().
    static const Theme &current();

    QColor linkColor(LinkKind kind) const;
    QColor roleFill(TaskRole role) const;
    QColor roleLine(TaskRole role) const;

    QPalette palette() const;
    /// Fusion style, palette and style sheet for the whole application; widgets get ApplicationPaletteChange.
    static void apply(QApplication &application, const Theme &theme);
};

enum class ThemeChoice { System, Light, Dark };
/// System: by the lightness of the window colour that the platform gave before apply() was first called.
const Theme &resolve(ThemeChoice choice);

/// Background, axes, ticks, grid, legend and selection of a plot; call again on ApplicationPaletteChange.
void styleChart(QCustomPlot &plot, const Theme &theme);

/// A bundled line icon (Lucide, ISC) tinted with the palette's text colour, e.g. themedIcon("play").
QIcon themedIcon(const QString &name);

} // namespace polyrail
