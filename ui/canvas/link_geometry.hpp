// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"
#include "ui/canvas/curve.hpp"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <vector>

// Where links run on the canvas: docs/visual-style.md section 5. Pure geometry in scene units (1 = 1 pixel at 100 %),
// no GUI; the same input gives the same curves on every machine.

namespace polyrail {

/// Where a vertex stands: a rounded rectangle.
struct NodeShape
{
    QPointF centre;
    QSizeF size;
    double radius = 6; ///< of the corners; half the height for a pill
    QRectF rect() const { return {centre - QPointF(size.width() / 2, size.height() / 2), size}; }
    bool contains(const QPointF &point) const;
    bool operator==(const NodeShape &) const = default;
};

/// Width of a link's line: clamp(1.8 + 1.5 log10(GB/s / 0.05), 2, 9).
double linkWidth(BytesPerSecond bandwidth);

struct LinkCurve
{
    Curve curve;         ///< from ends[0] to ends[1], clipped to their shapes
    double width = 2;
    QPointF outward;     ///< unit vector at the curve's top, away from the middle of its fan: labels stand there
    int bundle = -1;     ///< index into LinkGeometry::bundles; -1: not laid out (hidden)
};

/// The links of one pair of vertices, from one side of the fan to the other.
struct Bundle
{
    VertexId a; ///< a < b
    VertexId b;
    std::vector<LinkId> links;
    bool bowed = false;
};

struct LinkGeometry
{
    std::vector<LinkCurve> curves; ///< by link
    std::vector<Bundle> bundles;   ///< by (a, b)
};

/// Lays out every link with show[link] (all if empty). `shapes` by vertex. Straight lines that would cross another
/// shape bow to the freer side; chords over the same cards nest.
LinkGeometry layOutLinks(const Cluster &cluster, const std::vector<NodeShape> &shapes,
                         const std::vector<bool> &show = {});

/// The link whose curve passes nearest to `point`, not further than `tolerance` (6: a stroke of 12) from its edge.
LinkId linkAt(const LinkGeometry &geometry, const QPointF &point, double tolerance = 6);

/// Lines of traffic between hosts, for a view from far away: vertices without a host stand for themselves.
struct Trunk
{
    VertexId a; ///< first vertex of either side, to find its box
    VertexId b;
    int links = 0;
    double bytesPerSecond = 0; ///< sum of the links that are up
};
std::vector<Trunk> trunks(const Cluster &cluster, const std::vector<bool> &show = {});

} // namespace polyrail
