// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/violations.hpp"

#include <algorithm>
#include <map>

namespace polyrail {

namespace {

/// Bytes in use from each moment on, as the graph's changes and the times of the tasks have it.
std::map<std::int64_t, std::int64_t> expectedSteps(const Schedule &s, DeviceId device,
                                                   const std::vector<const MemoryChange *> &changes)
{
    std::map<std::int64_t, std::int64_t> steps;
    steps[0] = device.index() < s.graph->baseMemory.size() ? s.graph->baseMemory[device.index()] : 0;
    for (const MemoryChange *change : changes) {
        const TaskTime &t = s.times[change->task.index()];
        steps[change->atEnd ? t.end.value : t.start.value] += change->bytes;
    }
    std::int64_t sum = 0;
    for (auto &[time, bytes] : steps) {
        sum += bytes;
        bytes = sum;
    }
    return steps;
}

void compare(const Schedule &s, DeviceId device, const std::string &name, const MemoryTrack *track,
             const std::vector<const MemoryChange *> &changes, Violations &violations)
{
    const std::map<std::int64_t, std::int64_t> expected = expectedSteps(s, device, changes);
    // Both as lists of real steps: one that changes nothing is none.
    std::vector<std::pair<std::int64_t, std::int64_t>> wanted;
    for (const auto &[time, bytes] : expected) {
        if (bytes != (wanted.empty() ? 0 : wanted.back().second))
            wanted.push_back({time, bytes});
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> found;
    for (const MemoryStep &step : track ? track->steps : std::vector<MemoryStep>()) {
        if (step.bytes != (found.empty() ? 0 : found.back().second))
            found.push_back({step.time.value, step.bytes});
    }
    const std::size_t common = std::min(wanted.size(), found.size());
    std::size_t k = 0;
    while (k < common && wanted[k] == found[k])
        ++k;
    if (k == wanted.size() && k == found.size())
        return;
    const auto text = [k](const auto &steps) {
        return k < steps.size() ? std::to_string(steps[k].second) + " bytes from " + std::to_string(steps[k].first) + " ns"
                                : std::string("no further step");
    };
    violations.add("memory", name + ": the track has " + text(found) + ", the tasks make it " + text(wanted));
}

} // namespace

void validateMemory(const Schedule &schedule, const Cluster &cluster, Violations &violations)
{
    std::vector<const MemoryTrack *> tracks(cluster.devices().size());
    for (const MemoryTrack &track : schedule.memory) {
        const std::string name = "device " + cluster.device(track.device).id;
        if (tracks[track.device.index()])
            violations.add("memory", name + " has two tracks");
        tracks[track.device.index()] = &track;
        const std::int64_t capacity = cluster.device(track.device).type.memory.value;
        if (track.capacityBytes != capacity)
            violations.add("memory", name + " has " + std::to_string(capacity) + " bytes, the track says "
                                         + std::to_string(track.capacityBytes));
        std::int64_t peak = 0;
        std::int64_t last = -1;
        for (const MemoryStep &step : track.steps) {
            if (step.time.value <= last || step.time > schedule.makespan)
                violations.add("memory", name + ": step at " + std::to_string(step.time.value)
                                             + " ns is out of order or of the schedule");
            last = std::max(last, step.time.value);
            peak = std::max(peak, step.bytes);
            if (step.bytes > capacity || step.bytes < 0)
                violations.add("memory", name + " holds " + std::to_string(step.bytes) + " bytes of "
                                             + std::to_string(capacity) + " from " + std::to_string(step.time.value) + " ns on");
        }
        if (peak != track.peakBytes)
            violations.add("memory", name + ": the peak is " + std::to_string(peak) + " bytes, the track says "
                                         + std::to_string(track.peakBytes));
    }
    // A schedule that was read from a file has tracks but not the changes behind them.
    if (schedule.graph->memory.empty() && schedule.graph->baseMemory.empty())
        return;
    std::vector<std::vector<const MemoryChange *>> changes(cluster.devices().size());
    for (const MemoryChange &change : schedule.graph->memory)
        changes[change.device.index()].push_back(&change);
    for (std::size_t d = 0; d < changes.size(); ++d)
        compare(schedule, DeviceId(d), "device " + cluster.devices()[d].id, tracks[d], changes[d], violations);
}

} // namespace polyrail
