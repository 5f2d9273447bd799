// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/link_geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace polyrail {

namespace {

constexpr double clearance = 12;    ///< between a bowed curve and the shapes that it goes round
constexpr double fanLimit = 120;    ///< a fan is not taller than about two cards
constexpr double labelRoom = 24;    ///< least distance of curves that have labels between them
constexpr int samples = 24;
constexpr double farApart = 1500;   ///< longer chords do not bow
constexpr double otherSide = 90;    ///< a bow goes to the less free side only if it is so much flatter there
constexpr int tooMany = 9;          ///< a line over this many shapes cannot go round them: it stays straight

enum class Side { Left, Right, Top, Bottom };

Side facing(const QPointF &direction)
{
    if (std::abs(direction.x()) >= std::abs(direction.y()))
        return direction.x() < 0 ? Side::Left : Side::Right;
    return direction.y() < 0 ? Side::Top : Side::Bottom;
}

/// A point on the edge of a shape, `along` from the middle of that side (growing right or down).
QPointF port(const NodeShape &shape, Side side, double along)
{
    const double w = shape.size.width() / 2;
    const double h = shape.size.height() / 2;
    const double roomX = std::max(0.0, w - shape.radius);
    const double roomY = std::max(0.0, h - shape.radius);
    switch (side) {
    case Side::Left: return shape.centre + QPointF(-w, std::clamp(along, -roomY, roomY));
    case Side::Right: return shape.centre + QPointF(w, std::clamp(along, -roomY, roomY));
    case Side::Top: return shape.centre + QPointF(std::clamp(along, -roomX, roomX), -h);
    case Side::Bottom: return shape.centre + QPointF(std::clamp(along, -roomX, roomX), h);
    }
    return shape.centre;
}

/// Whether any of a segment lies in a box (Liang and Barsky).
bool segmentCrosses(const QPointF &a, const QPointF &b, const QRectF &box)
{
    double enter = 0;
    double leave = 1;
    const auto clip = [&](double delta, double low, double high) { // low <= t * delta <= high
        if (std::abs(delta) < 1e-12)
            return low <= 0 && high >= 0;
        const double t0 = low / delta;
        const double t1 = high / delta;
        enter = std::max(enter, std::min(t0, t1));
        leave = std::min(leave, std::max(t0, t1));
        return enter <= leave;
    };
    return clip(b.x() - a.x(), box.left() - a.x(), box.right() - a.x())
        && clip(b.y() - a.y(), box.top() - a.y(), box.bottom() - a.y());
}

/// A curve as points, made once and tested against many boxes.
struct Trace
{
    explicit Trace(const Curve &curve) : bounds(curve.bounds().adjusted(-0.01, -0.01, 0.01, 0.01))
    {
        for (int i = 0; i <= samples; ++i)
            points[std::size_t(i)] = curve.at(double(i) / samples);
    }
    bool crosses(const QRectF &box) const
    {
        if (!bounds.intersects(box))
            return false;
        for (std::size_t i = 0; i + 1 < points.size(); ++i)
            if (segmentCrosses(points[i], points[i + 1], box))
                return true;
        return false;
    }
    QRectF bounds;
    std::array<QPointF, samples + 1> points;
};

/// Clips a curve between two centres to the outlines of their shapes.
Curve clipped(const Curve &full, const NodeShape &from, const NodeShape &to)
{
    double start = 0;
    double end = 1;
    for (int i = 1; i <= samples; ++i) { // first sample outside, then bisect
        const double t = double(i) / samples;
        if (from.contains(full.at(t)))
            continue;
        double inside = double(i - 1) / samples;
        double outside = t;
        for (int k = 0; k < 24; ++k) {
            const double mid = (inside + outside) / 2;
            (from.contains(full.at(mid)) ? inside : outside) = mid;
        }
        start = outside;
        break;
    }
    for (int i = samples - 1; i >= 0; --i) {
        const double t = double(i) / samples;
        if (to.contains(full.at(t)))
            continue;
        double inside = double(i + 1) / samples;
        double outside = t;
        for (int k = 0; k < 24; ++k) {
            const double mid = (inside + outside) / 2;
            (to.contains(full.at(mid)) ? inside : outside) = mid;
        }
        end = outside;
        break;
    }
    if (end <= start) { // the shapes overlap: keep something to see and to hit
        start = 0.45;
        end = 0.55;
    }
    return full.part(start, end);
}

/// A bundle on its way through the layout.
struct Fan
{
    Bundle bundle;
    QPointF along;  ///< unit, a to b
    QPointF normal; ///< unit; downwards, or to the right
    double length = 0;
    double gap = 0;
    double widest = 0;
    double bow = 0; ///< of the fan's middle, signed along normal; 0 = straight
    std::vector<QRectF> obstacles; ///< shapes that any of its curves might meet
};

double extentAlong(const NodeShape &shape, const QPointF &direction)
{
    return std::abs(direction.x()) * shape.size.width() / 2 + std::abs(direction.y()) * shape.size.height() / 2;
}

Curve straightMember(const Fan &fan, std::size_t i, double gap, const NodeShape &a, const NodeShape &b)
{
    const double offset = (double(i) - (double(fan.bundle.links.size()) - 1) / 2) * gap;
    const double wanted = 0.35 * offset;
    const double roomA = std::max(0.0, std::min(a.size.width(), a.size.height()) / 2 - 5);
    const double roomB = std::max(0.0, std::min(b.size.width(), b.size.height()) / 2 - 5);
    const double endA = std::clamp(wanted, -roomA, roomA);
    const double endB = std::clamp(wanted, -roomB, roomB);
    const QPointF p = a.centre + endA * fan.normal;
    const QPointF q = b.centre + endB * fan.normal;
    const QPointF mid = (p + q) / 2;
    // The curve's top lies half way between the middle of its ends and the control point.
    return clipped({p, mid + 2 * (offset - (endA + endB) / 2) * fan.normal, q}, a, b);
}

Curve bowedMember(const Fan &fan, double depth, const NodeShape &a, const NodeShape &b, double portA, double portB)
{
    const double sign = fan.bow < 0 ? -1 : 1;
    const Side side = facing(sign * fan.normal);
    const QPointF p = port(a, side, portA);
    const QPointF q = port(b, side, portB);
    return {p, (p + q) / 2 + 2 * sign * depth * fan.normal, q};
}

double tightGap(const Fan &fan) { return fan.widest + 3; }

double halfFan(const Fan &fan) { return (double(fan.bundle.links.size()) - 1) / 2 * tightGap(fan); }

/// How many obstacles a curve comes nearer to than `margin`; stops counting at `limit`.
int crossings(const Fan &fan, const Curve &curve, double margin, int limit)
{
    const Trace trace(curve);
    int count = 0;
    for (const QRectF &box : fan.obstacles)
        if (trace.crosses(box.adjusted(-margin, -margin, margin, margin)) && ++count >= limit)
            break;
    return count;
}

bool isFree(const Fan &fan, const Curve &curve, double margin) { return crossings(fan, curve, margin, 1) == 0; }

bool fanIsFree(const Fan &fan, double gap, const std::vector<NodeShape> &shapes)
{
    const NodeShape &a = shapes[fan.bundle.a.index()];
    const NodeShape &b = shapes[fan.bundle.b.index()];
    for (std::size_t i = 0; i < fan.bundle.links.size(); ++i)
        if (!isFree(fan, straightMember(fan, i, gap, a, b), 2))
            return false;
    return true;
}

/// A chord that would have to bow further than this says more as a straight line behind the shapes.
double deepest(const Fan &fan) { return std::clamp(0.8 * fan.length, 160.0, 420.0); }

/// The least depth of the fan's middle at which all of its curves clear the obstacles, or infinity.
double depthOn(Fan &fan, double sign, double atLeast, const std::vector<NodeShape> &shapes)
{
    const NodeShape &a = shapes[fan.bundle.a.index()];
    const NodeShape &b = shapes[fan.bundle.b.index()];
    const double most = deepest(fan);
    fan.bow = sign;
    // A long chord takes a rounder arc than it has to, as flat ones run too near to the cards to be told apart; where
    // that is not free, the least one that is.
    const double least = std::max(atLeast, clearance + halfFan(fan) + 2);
    for (double from : {std::max(least, std::min(0.22 * fan.length, 80.0)), least})
        for (double depth = from; depth <= most; depth += 8)
            if (isFree(fan, bowedMember(fan, depth - halfFan(fan), a, b, 0, 0), clearance - 0.5)
                && isFree(fan, bowedMember(fan, depth + halfFan(fan), a, b, 0, 0), clearance - 0.5))
                return depth;
    return std::numeric_limits<double>::infinity();
}

/// How far the other neighbours of a fan's ends lie along its normal: the freer side is the other one.
double neighbourPull(const Cluster &cluster, const Fan &fan, const std::vector<NodeShape> &shapes)
{
    const QPointF middle = (shapes[fan.bundle.a.index()].centre + shapes[fan.bundle.b.index()].centre) / 2;
    double pull = 0;
    for (VertexId end : {fan.bundle.a, fan.bundle.b})
        for (LinkId l : cluster.linksAt(end)) {
            const Link &link = cluster.link(l);
            const VertexId other = link.ends[0] == end ? link.ends[1] : link.ends[0];
            pull += dot(shapes[other.index()].centre - middle, fan.normal);
        }
    return pull;
}

/// Whether `outer` has to go round `inner` when both bow to the same side.
bool encloses(const Fan &outer, const Fan &inner, const std::vector<NodeShape> &shapes)
{
    if ((outer.bow < 0) != (inner.bow < 0) || std::abs(dot(outer.normal, inner.normal)) < 0.9)
        return false;
    const QPointF origin = shapes[outer.bundle.a.index()].centre;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (VertexId v : {inner.bundle.a, inner.bundle.b}) {
        const QPointF d = shapes[v.index()].centre - origin;
        if (std::abs(dot(d, outer.normal)) > 60)
            return false;
        low = std::min(low, dot(d, outer.along));
        high = std::max(high, dot(d, outer.along));
    }
    return low > -5 && high < outer.length + 5;
}

/// One end of one bowed curve on one side of one shape.
struct PortUse
{
    std::size_t fan;
    std::size_t member;
    bool atA;
    double otherAlong; ///< of the other end, along this side; relative to the shape's centre
    double depth;
};

void orderPorts(std::vector<PortUse> &uses)
{
    // Curves to lower coordinates take the lower half of the side, and on both halves the deeper curve stands
    // nearer to the middle: nested arcs then never cross each other at their ends.
    std::sort(uses.begin(), uses.end(), [](const PortUse &x, const PortUse &y) {
        const bool xBack = x.otherAlong < 0;
        const bool yBack = y.otherAlong < 0;
        if (xBack != yBack)
            return xBack;
        const double xKey = xBack ? x.depth : -x.depth;
        const double yKey = yBack ? y.depth : -y.depth;
        return std::tie(xKey, x.fan, x.member) < std::tie(yKey, y.fan, y.member);
    });
}

std::vector<Fan> makeFans(const Cluster &cluster, const std::vector<NodeShape> &shapes, const std::vector<bool> &show)
{
    std::map<std::pair<VertexId, VertexId>, std::vector<LinkId>> pairs;
    for (std::size_t i = 0; i < cluster.links().size(); ++i) {
        if (!show.empty() && !show[i])
            continue;
        const Link &link = cluster.links()[i];
        pairs[std::minmax(link.ends[0], link.ends[1])].push_back(LinkId(i));
    }
    std::vector<Fan> fans;
    fans.reserve(pairs.size());
    for (auto &[ends, links] : pairs) {
        std::sort(links.begin(), links.end(), [&](LinkId x, LinkId y) {
            const Link &a = cluster.link(x);
            const Link &b = cluster.link(y);
            return std::tie(a.kind, b.bandwidth, a.id) < std::tie(b.kind, a.bandwidth, b.id);
        });
        Fan fan;
        fan.bundle = {ends.first, ends.second, links, false};
        const NodeShape &a = shapes[ends.first.index()];
        const NodeShape &b = shapes[ends.second.index()];
        const QPointF d = b.centre - a.centre;
        fan.length = norm(d);
        fan.along = unit(d);
        fan.normal = QPointF(-fan.along.y(), fan.along.x());
        if (fan.normal.y() < -1e-9 || (std::abs(fan.normal.y()) <= 1e-9 && fan.normal.x() < 0))
            fan.normal = -fan.normal;
        for (LinkId l : links)
            fan.widest = std::max(fan.widest, linkWidth(cluster.link(l).bandwidth));
        fan.gap = std::max(14.0, fan.widest + 8);
        const double count = double(links.size());
        if (count > 1 && (count - 1) * fan.gap > fanLimit)
            fan.gap = std::max(fan.widest + 2, fanLimit / (count - 1));
        fans.push_back(std::move(fan));
    }
    return fans;
}

} // namespace

bool NodeShape::contains(const QPointF &point) const
{
    const double dx = std::abs(point.x() - centre.x()) - (size.width() / 2 - radius);
    const double dy = std::abs(point.y() - centre.y()) - (size.height() / 2 - radius);
    if (dx > radius || dy > radius)
        return false;
    return dx <= 0 || dy <= 0 || dx * dx + dy * dy <= radius * radius;
}

double linkWidth(BytesPerSecond bandwidth)
{
    return std::clamp(1.8 + 1.5 * std::log10(std::max(bandwidth.value, 1.0) / 1e9 / 0.05), 2.0, 9.0);
}

LinkGeometry layOutLinks(const Cluster &cluster, const std::vector<NodeShape> &shapes, const std::vector<bool> &show)
{
    std::vector<Fan> fans = makeFans(cluster, shapes, show);
    std::vector<std::size_t> bowed;
    for (std::size_t f = 0; f < fans.size(); ++f) {
        Fan &fan = fans[f];
        const NodeShape &a = shapes[fan.bundle.a.index()];
        const NodeShape &b = shapes[fan.bundle.b.index()];
        const double reach = deepest(fan) + fanLimit;
        const QRectF around = a.rect().united(b.rect()).adjusted(-reach, -reach, reach, reach);
        for (std::size_t v = 0; v < shapes.size(); ++v)
            if (v != fan.bundle.a.index() && v != fan.bundle.b.index() && around.intersects(shapes[v].rect()))
                fan.obstacles.push_back(shapes[v].rect());
        const double count = double(fan.bundle.links.size());
        const double between = fan.length - extentAlong(a, fan.along) - extentAlong(b, fan.along);
        const double roomy = std::clamp(0.17 * between, labelRoom, 52.0);
        if (count > 1 && count <= 4 && between >= 120 && roomy > fan.gap && fanIsFree(fan, roomy, shapes))
            fan.gap = roomy;
        else if (fan.length <= farApart && !fanIsFree(fan, fan.gap, shapes)
                 && crossings(fan, straightMember(fan, fan.bundle.links.size() / 2, fan.gap, a, b), 2, tooMany) < tooMany)
            bowed.push_back(f);
    }

    // Shortest first, so that a longer chord finds the ones it has to go round.
    std::sort(bowed.begin(), bowed.end(), [&](std::size_t x, std::size_t y) {
        return std::tie(fans[x].length, x) < std::tie(fans[y].length, y);
    });
    std::map<std::pair<int, Side>, std::vector<PortUse>> ports;
    std::vector<std::size_t> placed;
    for (std::size_t f : bowed) {
        Fan &fan = fans[f];
        const double pull = neighbourPull(cluster, fan, shapes);
        double best = std::numeric_limits<double>::infinity();
        double bestSign = pull > 0 ? -1 : 1;
        for (double sign : {bestSign, -bestSign}) {
            fan.bow = sign;
            double atLeast = 0;
            for (std::size_t other : placed)
                if (encloses(fan, fans[other], shapes))
                    atLeast = std::max(atLeast, std::abs(fans[other].bow) + halfFan(fans[other]) + halfFan(fan)
                                                    + (fan.widest + fans[other].widest) / 2 + 4);
            const double depth = depthOn(fan, sign, atLeast, shapes);
            if (depth < best - otherSide || (sign == bestSign && depth < best)) {
                best = depth;
                bestSign = sign;
            }
        }
        if (!std::isfinite(best)) { // hemmed in on both sides: a straight line that crosses says more than nothing
            fan.bow = 0;
            continue;
        }
        fan.bow = bestSign * best;
        fan.bundle.bowed = true;
        placed.push_back(f);
        const Side side = facing(bestSign * fan.normal);
        const bool vertical = side == Side::Left || side == Side::Right;
        const QPointF d = shapes[fan.bundle.b.index()].centre - shapes[fan.bundle.a.index()].centre;
        const double along = vertical ? d.y() : d.x();
        for (std::size_t i = 0; i < fan.bundle.links.size(); ++i) {
            const double depth = best - halfFan(fan) + double(i) * tightGap(fan);
            ports[{fan.bundle.a.value, side}].push_back({f, i, true, along, depth});
            ports[{fan.bundle.b.value, side}].push_back({f, i, false, -along, depth});
        }
    }

    std::map<std::tuple<std::size_t, std::size_t, bool>, double> portAt;
    for (auto &[where, uses] : ports) {
        orderPorts(uses);
        const NodeShape &shape = shapes[std::size_t(where.first)];
        const bool vertical = where.second == Side::Left || where.second == Side::Right;
        const double side = vertical ? shape.size.height() : shape.size.width();
        const double room = std::max(0.0, side - 2 * shape.radius);
        double wanted = 0;
        for (const PortUse &use : uses)
            wanted = std::max(wanted, fans[use.fan].widest + 2);
        const double step = uses.size() > 1 ? std::min(wanted, room / double(uses.size() - 1)) : 0;
        for (std::size_t i = 0; i < uses.size(); ++i)
            portAt[{uses[i].fan, uses[i].member, uses[i].atA}] = (double(i) - (double(uses.size()) - 1) / 2) * step;
    }

    LinkGeometry out;
    out.curves.resize(cluster.links().size());
    out.bundles.reserve(fans.size());
    for (std::size_t f = 0; f < fans.size(); ++f) {
        const Fan &fan = fans[f];
        const NodeShape &a = shapes[fan.bundle.a.index()];
        const NodeShape &b = shapes[fan.bundle.b.index()];
        const double count = double(fan.bundle.links.size());
        for (std::size_t i = 0; i < fan.bundle.links.size(); ++i) {
            const LinkId id = fan.bundle.links[i];
            LinkCurve &curve = out.curves[id.index()];
            curve.width = linkWidth(cluster.link(id).bandwidth);
            curve.bundle = int(f);
            if (fan.bundle.bowed) {
                const double depth = std::abs(fan.bow) - halfFan(fan) + double(i) * tightGap(fan);
                curve.curve = bowedMember(fan, depth, a, b, portAt[{f, i, true}], portAt[{f, i, false}]);
                curve.outward = fan.bow < 0 ? -fan.normal : fan.normal;
            } else {
                curve.curve = straightMember(fan, i, fan.gap, a, b);
                const double offset = double(i) - (count - 1) / 2;
                // The middle of a fan, or a single line: above it, or to the left of an upright one.
                curve.outward = offset > 0.01 ? fan.normal : -fan.normal;
            }
            if (cluster.link(id).ends[0] != fan.bundle.a)
                std::swap(curve.curve.start, curve.curve.end);
        }
        out.bundles.push_back(fan.bundle);
    }
    return out;
}

LinkId linkAt(const LinkGeometry &geometry, const QPointF &point, double tolerance)
{
    LinkId best;
    double bestDistance = tolerance;
    for (std::size_t i = 0; i < geometry.curves.size(); ++i) {
        const LinkCurve &link = geometry.curves[i];
        if (link.bundle < 0)
            continue;
        const double reach = tolerance + link.width / 2;
        if (!link.curve.bounds().adjusted(-reach, -reach, reach, reach).contains(point))
            continue;
        const double distance = link.curve.distance(point) - link.width / 2;
        if (distance <= bestDistance && (!best.valid() || distance < bestDistance)) {
            best = LinkId(i);
            bestDistance = distance;
        }
    }
    return best;
}

std::vector<Trunk> trunks(const Cluster &cluster, const std::vector<bool> &show)
{
    // Hosts count from 0, vertices without one from below it.
    const auto place = [&](VertexId v) {
        const HostId host = cluster.hostOf(v);
        return host.valid() ? host.value : -1 - v.value;
    };
    std::map<std::pair<int, int>, Trunk> found;
    for (std::size_t i = 0; i < cluster.links().size(); ++i) {
        if (!show.empty() && !show[i])
            continue;
        const Link &link = cluster.links()[i];
        VertexId a = link.ends[0];
        VertexId b = link.ends[1];
        if (place(a) > place(b))
            std::swap(a, b);
        if (place(a) == place(b))
            continue;
        Trunk &trunk = found.try_emplace({place(a), place(b)}, Trunk{a, b, 0, 0}).first->second;
        ++trunk.links;
        if (link.state == LinkState::Up)
            trunk.bytesPerSecond += link.bandwidth.value;
    }
    std::vector<Trunk> out;
    out.reserve(found.size());
    for (const auto &[key, trunk] : found)
        out.push_back(trunk);
    return out;
}

} // namespace polyrail
