// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/plan_overlay.hpp"

#include <algorithm>
#include <unordered_map>

namespace polyrail {

namespace {

double rateAt(const LinkUsage &usage, Nanoseconds time)
{
    const auto after = std::upper_bound(usage.segments.begin(), usage.segments.end(), time,
                                        [](Nanoseconds t, const RateSegment &s) { return t < s.start; });
    if (after == usage.segments.begin())
        return 0;
    const RateSegment &segment = *std::prev(after);
    return time < segment.end ? segment.bytesPerSecond : 0;
}

double memoryAt(const MemoryTrack &track, Nanoseconds time)
{
    const auto after = std::upper_bound(track.steps.begin(), track.steps.end(), time,
                                        [](Nanoseconds t, const MemoryStep &s) { return t < s.time; });
    return after == track.steps.begin() ? 0 : double(std::prev(after)->bytes);
}

} // namespace

PlanOverlay overlayOf(const ShownPlan &shown, const Cluster &cluster, std::optional<double> cursor)
{
    PlanOverlay out;
    out.devices.resize(cluster.devices().size());
    out.links.resize(cluster.links().size());
    if (!shown.plan || !shown.schedule)
        return out;
    const Schedule &schedule = *shown.schedule;
    out.valid = true;
    out.stale = shown.stale;
    out.atCursor = cursor.has_value();
    const Nanoseconds time(cursor ? static_cast<std::int64_t>(*cursor * 1e9) : 0);

    const auto deviceHere = [&](DeviceId d) -> DeviceId {
        return d.index() < shown.cluster.devices().size() ? cluster.findDevice(shown.cluster.device(d).id) : DeviceId();
    };
    for (std::size_t s = 0; s < shown.plan->stages.size(); ++s)
        for (const Replica &replica : shown.plan->stages[s].replicas)
            for (DeviceId d : replica.devices)
                if (const DeviceId here = deviceHere(d); here.valid())
                    out.devices[here.index()].stage = int(s);
    for (const MemoryTrack &track : schedule.memory)
        if (const DeviceId here = deviceHere(track.device); here.valid()) {
            auto &use = out.devices[here.index()];
            use.usedBytes = cursor ? memoryAt(track, time) : double(track.peakBytes);
            use.capacityBytes = double(track.capacityBytes);
        }

    std::unordered_map<std::string, std::size_t> here;
    for (std::size_t i = 0; i < cluster.links().size(); ++i)
        here.emplace(cluster.links()[i].id, i);
    const auto linkHere = [&](LinkId l) -> PlanOverlay::Use * {
        if (l.index() >= shown.cluster.links().size())
            return nullptr;
        const auto it = here.find(shown.cluster.link(l).id);
        return it == here.end() ? nullptr : &out.links[it->second];
    };
    const double seconds = toSeconds(schedule.makespan).value;
    for (const LinkUsage &usage : schedule.links)
        if (PlanOverlay::Use *use = linkHere(usage.link)) {
            const double bandwidth = shown.cluster.link(usage.link).bandwidth.value;
            const double rate = cursor ? rateAt(usage, time) : seconds > 0 ? usage.bytes / seconds : 0;
            use->share[std::size_t(usage.direction)] = bandwidth > 0 ? std::clamp(rate / bandwidth, 0.0, 1.0) : 0;
        }
    if (schedule.graph)
        for (TaskId t : schedule.criticalPath)
            for (const LinkUse &u : schedule.graph->tasks[t.index()].uses)
                if (PlanOverlay::Use *use = linkHere(u.link))
                    use->critical = true;
    return out;
}

} // namespace polyrail
