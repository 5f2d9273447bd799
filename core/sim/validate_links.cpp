// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/violations.hpp"

#include "core/base/quantity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace polyrail {

namespace {

constexpr double rateMargin = 1 + 1e-9;
constexpr double bytesMargin = 1e-6;

using Sides = std::vector<std::array<const LinkUsage *, 2>>; // by link, by direction

std::string at(std::int64_t time)
{
    return " at " + std::to_string(time) + " ns";
}

std::string sideName(const Cluster &cluster, LinkId link, Direction direction)
{
    return "link " + cluster.link(link).id + " " + toString(direction);
}

/// One direction by itself: order, bounds, the link's own bandwidth and state.
void checkSegments(const LinkUsage &usage, const Schedule &s, const Cluster &cluster, Violations &violations)
{
    const Link &link = cluster.link(usage.link);
    const std::string name = sideName(cluster, usage.link, usage.direction);
    std::int64_t last = 0;
    for (const RateSegment &segment : usage.segments) {
        if (segment.start.value < last || segment.end <= segment.start || segment.end > s.makespan)
            violations.add("link-rate", name + ": segment " + std::to_string(segment.start.value) + ".."
                                            + std::to_string(segment.end.value) + " ns out of order or of the schedule");
        last = std::max(last, segment.end.value);
        if (!(segment.bytesPerSecond >= 0) || !(segment.bytesPerSecond <= link.bandwidth.value * rateMargin))
            violations.add("link-rate", name + " carries " + formatBandwidth(BytesPerSecond(segment.bytesPerSecond)) + " of "
                                            + formatBandwidth(link.bandwidth) + at(segment.start.value));
        if (link.state == LinkState::Down && segment.bytesPerSecond > 0)
            violations.add("down-link", name + " carries traffic while it is down" + at(segment.start.value));
    }
}

/// The sum of several sides never exceeds a capacity.
void checkSum(const std::vector<const LinkUsage *> &sides, double capacity, const char *rule, const std::string &name,
              Violations &violations)
{
    struct Change
    {
        std::int64_t time;
        double rate;
    };
    std::vector<Change> changes;
    for (const LinkUsage *side : sides) {
        for (const RateSegment &segment : side->segments) {
            changes.push_back({segment.start.value, segment.bytesPerSecond});
            changes.push_back({segment.end.value, -segment.bytesPerSecond});
        }
    }
    std::sort(changes.begin(), changes.end(),
              [](const Change &a, const Change &b) { return a.time != b.time ? a.time < b.time : a.rate < b.rate; });
    long double sum = 0;
    for (const Change &change : changes) {
        sum += static_cast<long double>(change.rate);
        if (change.rate > 0 && static_cast<double>(sum) > capacity * rateMargin)
            violations.add(rule, name + " carries " + formatBandwidth(BytesPerSecond(static_cast<double>(sum))) + " of "
                                     + formatBandwidth(BytesPerSecond(capacity)) + at(change.time));
    }
}

/// One link of the group at a time.
void checkExclusive(const ConflictGroup &group, const Sides &sides, const Cluster &cluster, Violations &violations)
{
    struct Busy
    {
        std::int64_t start;
        std::int64_t end;
        LinkId link;
    };
    std::vector<Busy> all;
    for (LinkId l : group.links) {
        for (const LinkUsage *side : sides[l.index()]) {
            if (!side)
                continue;
            for (const RateSegment &segment : side->segments) {
                if (segment.bytesPerSecond > 0)
                    all.push_back({segment.start.value, segment.end.value, l});
            }
        }
    }
    std::sort(all.begin(), all.end(), [](const Busy &a, const Busy &b) {
        return a.start != b.start ? a.start < b.start : a.link < b.link;
    });
    std::size_t running = 0;
    for (std::size_t k = 1; k < all.size(); ++k) {
        if (all[k].start < all[running].end && all[k].link != all[running].link)
            violations.add("conflict", "links " + cluster.link(all[running].link).id + " and "
                                           + cluster.link(all[k].link).id + " of exclusive group " + group.id
                                           + " carry traffic together" + at(all[k].start));
        if (all[k].end > all[running].end)
            running = k;
    }
}

/// What one direction owes: bytes of a transfer may flow from its start to its end only.
struct Owed
{
    struct Amount
    {
        std::int64_t time;
        double bytes;
    };
    std::vector<Amount> started;
    std::vector<Amount> ended;
    double total = 0;
};

void checkBytes(const std::string &name, const LinkUsage *usage, Owed &owed, Violations &violations)
{
    const auto earlier = [](const Owed::Amount &a, const Owed::Amount &b) { return a.time < b.time; };
    std::sort(owed.started.begin(), owed.started.end(), earlier);
    std::sort(owed.ended.begin(), owed.ended.end(), earlier);
    double total = 0;
    double slack = bytesMargin * owed.total;
    for (const RateSegment &s : usage ? usage->segments : std::vector<RateSegment>()) {
        total += s.bytesPerSecond * 1e-9 * static_cast<double>(s.end.value - s.start.value);
        slack += s.bytesPerSecond * 1e-9;
    }
    if (!(std::abs(total - owed.total) <= slack)) {
        violations.add("link-bytes", name + " carries " + std::to_string(total) + " bytes of " + std::to_string(owed.total));
        return;
    }
    if (usage && std::abs(usage->bytes - total) > slack)
        violations.add("link-bytes", name + " says " + std::to_string(usage->bytes) + " bytes, its segments carry "
                                         + std::to_string(total));
    // At every moment: no more than the transfers that have started brought, no less than those that have
    // ended took. Carried bytes are linear between the moments looked at, so those are enough.
    std::size_t segment = 0;
    double carriedBefore = 0; // by the segments before `segment`
    const auto carriedUntil = [&](std::int64_t time) {
        if (!usage)
            return 0.0;
        const auto bytesOf = [](const RateSegment &s, std::int64_t end) {
            return s.bytesPerSecond * 1e-9 * static_cast<double>(end - s.start.value);
        };
        while (segment < usage->segments.size() && usage->segments[segment].end.value <= time) {
            carriedBefore += bytesOf(usage->segments[segment], usage->segments[segment].end.value);
            ++segment;
        }
        if (segment == usage->segments.size() || usage->segments[segment].start.value >= time)
            return carriedBefore;
        return carriedBefore + bytesOf(usage->segments[segment], time);
    };
    std::vector<std::int64_t> moments;
    for (const Owed::Amount &a : owed.started)
        moments.push_back(a.time);
    for (const Owed::Amount &a : owed.ended)
        moments.push_back(a.time);
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    double brought = 0;
    double taken = 0;
    std::size_t nextStart = 0;
    std::size_t nextEnd = 0;
    for (std::int64_t moment : moments) {
        const double carried = carriedUntil(moment);
        if (carried > brought + slack) // those that start at this moment have brought nothing before it
            violations.add("link-bytes", name + " has carried " + std::to_string(carried) + " bytes of the "
                                             + std::to_string(brought) + " of transfers started before" + at(moment));
        for (; nextEnd < owed.ended.size() && owed.ended[nextEnd].time <= moment; ++nextEnd)
            taken += owed.ended[nextEnd].bytes;
        if (carried < taken - slack)
            violations.add("link-bytes", name + " has carried " + std::to_string(carried) + " bytes of the "
                                             + std::to_string(taken) + " of transfers ended by then" + at(moment));
        for (; nextStart < owed.started.size() && owed.started[nextStart].time <= moment; ++nextStart)
            brought += owed.started[nextStart].bytes;
    }
}

} // namespace

void validateLinks(const Schedule &schedule, const Cluster &cluster, Violations &violations)
{
    Sides sides(cluster.links().size(), {nullptr, nullptr});
    for (const LinkUsage &usage : schedule.links) {
        const LinkUsage *&side = sides[usage.link.index()][static_cast<std::size_t>(usage.direction)];
        if (side)
            violations.add("link-rate", sideName(cluster, usage.link, usage.direction) + " is listed twice");
        side = &usage;
        checkSegments(usage, schedule, cluster, violations);
    }
    for (std::size_t l = 0; l < sides.size(); ++l) {
        const Link &link = cluster.links()[l];
        if (link.duplex == Duplex::Half && sides[l][0] && sides[l][1])
            checkSum({sides[l][0], sides[l][1]}, link.bandwidth.value, "link-rate", "half-duplex link " + link.id, violations);
    }
    for (const ConflictGroup &group : cluster.conflicts()) {
        if (group.kind == ConflictKind::Exclusive) {
            checkExclusive(group, sides, cluster, violations);
            continue;
        }
        std::array<std::vector<const LinkUsage *>, 2> members;
        for (LinkId l : group.links) {
            for (std::size_t d : {std::size_t(0), std::size_t(1)}) {
                if (sides[l.index()][d])
                    members[group.bothDirections ? 0 : d].push_back(sides[l.index()][d]);
            }
        }
        for (const std::vector<const LinkUsage *> &together : members)
            checkSum(together, group.capacity.value, "conflict", "capacity group " + group.id, violations);
    }

    std::vector<std::array<Owed, 2>> owed(cluster.links().size());
    for (std::size_t i = 0; i < schedule.times.size(); ++i) {
        for (const LinkUse &use : schedule.graph->tasks[i].uses) {
            Owed &o = owed[use.link.index()][static_cast<std::size_t>(use.direction)];
            o.started.push_back({schedule.times[i].start.value, use.bytes});
            o.ended.push_back({schedule.times[i].end.value, use.bytes});
            o.total += use.bytes;
        }
    }
    for (std::size_t l = 0; l < owed.size(); ++l) {
        for (std::size_t d : {std::size_t(0), std::size_t(1)})
            checkBytes(sideName(cluster, LinkId(l), static_cast<Direction>(d)), sides[l][d], owed[l][d], violations);
    }
}

} // namespace polyrail
