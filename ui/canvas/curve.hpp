// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>

namespace polyrail {

/// A quadratic Bezier curve. Scene units. No GUI needed.
struct Curve
{
    QPointF start;
    QPointF control;
    QPointF end;

    QPointF at(double t) const;
    QPointF tangent(double t) const; ///< unit vector along growing t; (1, 0) for a curve of one point
    QRectF bounds() const;           ///< exact
    double length() const;
    double parameterAt(double fraction) const; ///< t that has `fraction` (0 to 1) of the arc length before it
    Curve part(double from, double to) const;  ///< the piece between two parameters; from > to turns it round
    double distance(const QPointF &point) const;
    bool operator==(const Curve &) const = default;
};

double dot(const QPointF &a, const QPointF &b);
double norm(const QPointF &a);
/// a / |a|, or `otherwise` if a has no length.
QPointF unit(const QPointF &a, const QPointF &otherwise = {1, 0});

} // namespace polyrail
