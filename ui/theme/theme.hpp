// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"
#include "core/sim/task_graph.hpp"

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QPalette>
#include <QString>

#include <array>

class QApplication;
class QCustomPlot;
class QPainter;
class QPointF;
class QWidget;

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
    std::array<QColor, 4> heat; ///< plan map and heat maps, lightest = fastest (cividis)

    static const Theme &light();
    static const Theme &darkTheme();
    /// The theme in use. Changed only by apply().
    static const Theme &current();

    QColor linkColor(LinkKind kind) const;
    QColor roleFill(TaskRole role) const;
    QColor roleLine(TaskRole role) const;

    QPalette palette() const;
    /// Fusion style, palette, font and style sheet for the whole application; widgets get
    /// ApplicationPaletteChange. `scale` (0.8 to 2) is the presentation scale: fonts and heights follow it at once.
    static void apply(QApplication &application, const Theme &theme, double scale = 1.0);
};

// What the style sheet (ui/theme/polyrail.qss) knows besides the plain widgets; set as dynamic properties before the
// widget is shown, or call restyle() after a change:
//   QPushButton "primary" = true        filled with the accent
//   QPushButton, QToolButton "link" = true   text in accent, no frame
//   QLineEdit, QAbstractSpinBox, QComboBox "invalid" = true   outlined in the limit colour
//   QWidget "panel" = "header"          strip over a panel (alt, line below), 28 to 32 high
//   QFrame "panel" = "card"             base, outlined, corners 6
//   QLabel "role" = "muted" | "error" | "title" (12 bold) | "heading" (15 bold) | "page" (16 bold) | "figure" (20 bold)
void restyle(QWidget &widget);

/// The presentation scale given to Theme::apply(), and a length of the 100 % design in pixels at that scale.
double uiScale();
int scaled(double designPixels);

/// Fonts of docs/visual-style.md section 2, at the presentation scale. Figures are tabular in all of them.
enum class TextRole { Body, Small, Tick, BarLabel, PanelTitle, Heading, PageHeading, KeyFigure, Product };
QFont uiFont(TextRole role);

enum class ThemeChoice { System, Light, Dark };
/// System: by the lightness of the window colour that the platform gave before apply() was first called.
const Theme &resolve(ThemeChoice choice);

/// Background, axes, ticks, grid, legend and selection of a plot; call again on ApplicationPaletteChange.
void styleChart(QCustomPlot &plot, const Theme &theme);

/// A bundled line icon (Lucide, ISC) tinted with the palette's text colour, e.g. themedIcon("play"). Follows theme
/// changes. An unknown name gives an icon that draws nothing.
QIcon themedIcon(const QString &name);
/// The same in another colour of the theme: themedIcon("play", &Theme::onAccent).
QIcon themedIcon(const QString &name, QColor Theme::*role);

/// The mark that goes with a link kind (square, triangle, diamond, disc, ring), `size` pixels wide.
void paintLinkMark(QPainter &painter, LinkKind kind, const QPointF &centre, double size, const QColor &colour);

/// a + (b - a) * t, per channel.
QColor mix(const QColor &a, const QColor &b, double t);
QColor withAlpha(QColor colour, double alpha); ///< alpha 0 to 1

} // namespace polyrail
