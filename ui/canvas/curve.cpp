// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace polyrail {

namespace {

constexpr int steps = 24; ///< chords that stand for the curve where no closed form is used

double segmentDistance(const QPointF &p, const QPointF &a, const QPointF &b)
{
    const QPointF ab = b - a;
    const double length2 = dot(ab, ab);
    const double t = length2 > 0 ? std::clamp(dot(p - a, ab) / length2, 0.0, 1.0) : 0.0;
    return norm(p - (a + t * ab));
}

} // namespace

double dot(const QPointF &a, const QPointF &b) { return QPointF::dotProduct(a, b); }

double norm(const QPointF &a) { return std::hypot(a.x(), a.y()); }

QPointF unit(const QPointF &a, const QPointF &otherwise)
{
    const double n = norm(a);
    return n > 1e-9 ? a / n : otherwise;
}

QPointF Curve::at(double t) const
{
    const double u = 1 - t;
    return u * u * start + 2 * u * t * control + t * t * end;
}

QPointF Curve::tangent(double t) const
{
    const QPointF d = (1 - t) * (control - start) + t * (end - control);
    return unit(d, unit(end - start));
}

QRectF Curve::bounds() const
{
    double left = std::min(start.x(), end.x());
    double right = std::max(start.x(), end.x());
    double top = std::min(start.y(), end.y());
    double bottom = std::max(start.y(), end.y());
    const auto include = [&](double a, double c, double b, double &low, double &high) {
        const double denominator = a - 2 * c + b;
        if (std::abs(denominator) < 1e-12)
            return;
        const double t = (a - c) / denominator;
        if (t <= 0 || t >= 1)
            return;
        const double u = 1 - t;
        const double v = u * u * a + 2 * u * t * c + t * t * b;
        low = std::min(low, v);
        high = std::max(high, v);
    };
    include(start.x(), control.x(), end.x(), left, right);
    include(start.y(), control.y(), end.y(), top, bottom);
    return {QPointF(left, top), QPointF(right, bottom)};
}

double Curve::length() const
{
    double sum = 0;
    QPointF last = start;
    for (int i = 1; i <= steps; ++i) {
        const QPointF next = at(double(i) / steps);
        sum += norm(next - last);
        last = next;
    }
    return sum;
}

double Curve::parameterAt(double fraction) const
{
    if (fraction <= 0)
        return 0;
    if (fraction >= 1)
        return 1;
    std::array<double, steps + 1> sums{};
    QPointF last = start;
    for (int i = 1; i <= steps; ++i) {
        const QPointF next = at(double(i) / steps);
        sums[std::size_t(i)] = sums[std::size_t(i) - 1] + norm(next - last);
        last = next;
    }
    const double wanted = fraction * sums.back();
    const auto it = std::lower_bound(sums.begin(), sums.end(), wanted);
    const auto i = std::max<std::ptrdiff_t>(1, it - sums.begin());
    const double below = sums[std::size_t(i) - 1];
    const double step = sums[std::size_t(i)] - below;
    return (double(i - 1) + (step > 0 ? (wanted - below) / step : 0)) / steps;
}

Curve Curve::part(double from, double to) const
{
    // Blossom of the quadratic: b(f, f), b(f, t), b(t, t).
    const auto blossom = [this](double s, double t) {
        return (1 - s) * (1 - t) * start + (s * (1 - t) + t * (1 - s)) * control + s * t * end;
    };
    return {blossom(from, from), blossom(from, to), blossom(to, to)};
}

double Curve::distance(const QPointF &point) const
{
    double best = norm(point - start);
    QPointF last = start;
    for (int i = 1; i <= steps; ++i) {
        const QPointF next = at(double(i) / steps);
        best = std::min(best, segmentDistance(point, last, next));
        last = next;
    }
    return best;
}

} // namespace polyrail
