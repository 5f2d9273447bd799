// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/gantt_model.hpp"
#include "ui/theme/theme.hpp"

#include <QColor>
#include <QFont>
#include <QImage>
#include <QPainter>
#include <QRectF>

#include <array>

namespace polyrail {

/// Colours of one chart: the theme's, or faded towards the background when the plan is stale (40 %).
struct ChartColors
{
    ChartColors(const Theme &theme, bool stale);

    const Theme &theme;
    bool stale;
    QColor track, operatorText, hatch, limit, mark; ///< mark: critical path and other lines over bars
    std::array<QColor, barKindCount> fill;
    std::array<QColor, barKindCount> line;          ///< invalid: no outline
    QColor link(LinkKind kind) const { return fade(theme.linkColor(kind)); }
    QColor fade(const QColor &color) const { return stale ? mix(theme.base, color, 0.4) : color; }
};

/// How to paint on one device.
struct PaintDevice
{
    bool vectorized = false; ///< SVG and PDF: no images, no brushes with patterns, clipping by hand
    double density = 1;      ///< device pixels per pixel
    /// The nearest edge of a device pixel; unchanged on vector devices.
    double snap(double v) const;
};

QFont boldFont(TextRole role);

/// A filled box with an outline inside its edge and corners of 1.5 px; no outline when `line` is invalid.
void paintBar(QPainter &painter, const PaintDevice &device, const QRectF &rect, const QColor &fill, const QColor &line);
/// Lines at 45 degrees, 2 of 5 px, over what is already there.
void paintHatch(QPainter &painter, const PaintDevice &device, const QRectF &rect, const QColor &color);
/// A horizontal dashed line of 1 px from x0 to x1.
void paintDashes(QPainter &painter, double x0, double x1, double y, const QColor &color, double on = 4, double off = 3);
/// Text that fits `rect`, with an ellipsis when it must be cut.
void paintElided(QPainter &painter, const QRectF &rect, int flags, const QString &text);

} // namespace polyrail
