// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/canvas_model.hpp"

class QPainter;

namespace polyrail {

struct Theme;

// The canvas, drawn in passes from the back to the front; scene coordinates. They draw everything that touches
// `area` and need no widget, so that screen, picture and print share them.

void paintBackground(QPainter &painter, const Theme &theme, const QRectF &area, bool dots);
void paintHosts(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area);
/// Bands of conflicts and links as they are when idle: what stays the same while use and selection change.
/// Links with skip[link] are left out (they are being dragged).
void paintIdleLinks(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area,
                    const std::vector<bool> &skip = {});
/// Dragged links, selection, hover and use: over the idle ones.
void paintLiveLinks(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area);
void paintNodes(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area);
void paintLabels(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area);
/// The view from far away: host boxes with names, trunks with counts. `zoom` keeps text legible.
void paintTrunks(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area, double zoom);

/// One link between two points as in the legend: idle form, with `use` of it filled.
void paintLinkSample(QPainter &painter, const Theme &theme, LinkKind kind, const QLineF &line, double width, double use,
                     const QColor &gap);

/// All passes.
void paintCanvas(QPainter &painter, const CanvasModel &model, const Theme &theme, const QRectF &area);

} // namespace polyrail
