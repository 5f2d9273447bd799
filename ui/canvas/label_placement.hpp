// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/curve.hpp"

#include <QRectF>
#include <QSizeF>

#include <unordered_map>
#include <utility>
#include <vector>

namespace polyrail {

/// A label that wants to stand beside a curve.
struct LabelRequest
{
    Curve curve;
    QPointF outward;       ///< side of the curve that it stands on
    double width = 2;      ///< of the line
    QSizeF full;           ///< of the whole text
    QSizeF brief;          ///< of the figure alone; empty: there is no shorter form
    bool bothSides = false; ///< a line that stands alone may have its label on the other side as well
};

struct PlacedLabel
{
    enum Form { Hidden, Brief, Full };
    Form form = Hidden;
    QRectF rect;
};

/// Rectangles by cell, so that a question looks at the neighbourhood only.
class RectIndex
{
public:
    void add(const QRectF &rect);
    bool hits(const QRectF &rect) const;

private:
    template<class F>
    static bool cells(const QRectF &rect, F visit);
    std::vector<QRectF> m_rects;
    std::unordered_map<long long, std::vector<std::size_t>> m_cells;
};

/// Greedy, in the order given: the curve's top first, then 0.35 and 0.65 of its length, then the same with the brief
/// form, then not at all. Labels never overlap an obstacle (cards and pills) or one another.
std::vector<PlacedLabel> placeLabels(const std::vector<LabelRequest> &requests, RectIndex &taken, bool briefOnly);

/// Where a label of `size` stands beside the curve at parameter t.
QRectF labelRect(const LabelRequest &request, const QSizeF &size, double t);

} // namespace polyrail
