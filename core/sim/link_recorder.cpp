// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/link_recorder.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

bool sameRate(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(a, b); }

} // namespace

LinkRecorder::LinkRecorder(const TaskGraph &graph, const Network &network)
    : m_graph(graph), m_network(network), m_sides(network.linkCount() * 2), m_usage(network.linkCount() * 2)
{
    for (std::size_t s = 0; s < m_usage.size(); ++s) {
        m_usage[s].link = LinkId(s / 2);
        m_usage[s].direction = static_cast<Direction>(s % 2);
    }
}

void LinkRecorder::carry(std::int32_t task, std::int64_t since, double fractionPerNanosecond)
{
    for (const LinkUse &use : m_graph.tasks[static_cast<std::size_t>(task)].uses) {
        if (use.bytes <= 0)
            continue;
        const std::size_t s = use.link.index() * 2 + static_cast<std::size_t>(use.direction);
        Side &side = m_sides[s];
        if (side.transfers == 0) {
            m_touched.push_back(s);
            side.since = since;
            side.rate = 0;
        }
        side.rate += fractionPerNanosecond * use.bytes;
        if (side.lastTransfer != task) {
            side.lastTransfer = task;
            ++side.transfers;
        }
    }
}

void LinkRecorder::close(std::int64_t now)
{
    for (std::size_t s : m_touched) {
        Side &side = m_sides[s];
        LinkUsage &usage = m_usage[s];
        // Sums of shares may exceed the link by rounding.
        const double rate
            = std::min(side.rate * 1e9, m_network.cluster().link(usage.link).bandwidth.value);
        if (!usage.segments.empty() && usage.segments.back().end.value == side.since
            && sameRate(usage.segments.back().bytesPerSecond, rate))
            usage.segments.back().end = Nanoseconds(now);
        else
            usage.segments.push_back({Nanoseconds(side.since), Nanoseconds(now), rate});
        if (side.transfers > 1) {
            if (!usage.contended.empty() && usage.contended.back().end.value == side.since)
                usage.contended.back().end = Nanoseconds(now);
            else
                usage.contended.push_back({Nanoseconds(side.since), Nanoseconds(now), 0});
        }
        side.transfers = 0;
        side.lastTransfer = -1;
    }
    m_touched.clear();
}

std::vector<LinkUsage> LinkRecorder::take()
{
    std::vector<LinkUsage> result;
    for (LinkUsage &usage : m_usage) {
        if (usage.segments.empty())
            continue;
        for (const RateSegment &s : usage.segments)
            usage.bytes += s.bytesPerSecond * 1e-9 * static_cast<double>(s.end.value - s.start.value);
        result.push_back(std::move(usage));
    }
    return result;
}

} // namespace polyrail
