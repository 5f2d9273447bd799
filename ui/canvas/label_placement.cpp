// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/label_placement.hpp"

#include <array>
#include <cmath>

namespace polyrail {

namespace {

constexpr double cell = 128;
constexpr double apart = 3; ///< between a line and its label, and between labels

} // namespace

template<class F>
bool RectIndex::cells(const QRectF &rect, F visit)
{
    const auto x0 = std::int32_t(std::floor(rect.left() / cell));
    const auto x1 = std::int32_t(std::floor(rect.right() / cell));
    const auto y0 = std::int32_t(std::floor(rect.top() / cell));
    const auto y1 = std::int32_t(std::floor(rect.bottom() / cell));
    for (std::int32_t x = x0; x <= x1; ++x)
        for (std::int32_t y = y0; y <= y1; ++y)
            if (visit((static_cast<long long>(x) << 32) ^ static_cast<long long>(static_cast<std::uint32_t>(y))))
                return true;
    return false;
}

void RectIndex::add(const QRectF &rect)
{
    const std::size_t id = m_rects.size();
    m_rects.push_back(rect);
    cells(rect, [&](long long key) {
        m_cells[key].push_back(id);
        return false;
    });
}

bool RectIndex::hits(const QRectF &rect) const
{
    return cells(rect, [&](long long key) {
        const auto it = m_cells.find(key);
        if (it == m_cells.end())
            return false;
        for (std::size_t id : it->second)
            if (m_rects[id].intersects(rect))
                return true;
        return false;
    });
}

QRectF labelRect(const LabelRequest &request, const QSizeF &size, double t)
{
    const QPointF along = request.curve.tangent(t);
    QPointF side(-along.y(), along.x());
    if (dot(side, request.outward) < 0)
        side = -side;
    const double reach = std::abs(side.x()) * size.width() / 2 + std::abs(side.y()) * size.height() / 2;
    const QPointF centre = request.curve.at(t) + side * (request.width / 2 + apart + reach);
    return {centre - QPointF(size.width() / 2, size.height() / 2), size};
}

std::vector<PlacedLabel> placeLabels(const std::vector<LabelRequest> &requests, RectIndex &taken, bool briefOnly)
{
    std::vector<PlacedLabel> out(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const LabelRequest &request = requests[i];
        const auto attempt = [&](const QSizeF &size, PlacedLabel::Form form) {
            if (size.isEmpty())
                return false;
            LabelRequest side = request;
            for (int s = 0; s < (request.bothSides ? 2 : 1); ++s, side.outward = -request.outward)
                for (double fraction : std::array{0.5, 0.35, 0.65}) {
                    const QRectF rect = labelRect(side, size, request.curve.parameterAt(fraction));
                    if (taken.hits(rect))
                        continue;
                    taken.add(rect.adjusted(-apart, -apart, apart, apart));
                    out[i] = {form, rect};
                    return true;
                }
            return false;
        };
        if (!briefOnly && attempt(request.full, PlacedLabel::Full))
            continue;
        if (attempt(request.brief, PlacedLabel::Brief))
            continue;
        if (briefOnly && request.brief.isEmpty())
            attempt(request.full, PlacedLabel::Full);
    }
    return out;
}

} // namespace polyrail
