// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/validator.hpp"

#include "core/sim/violations.hpp"

#include <algorithm>
#include <numeric>

namespace polyrail {

namespace {

std::string interval(const TaskTime &t)
{
    return std::to_string(t.start.value) + ".." + std::to_string(t.end.value) + " ns";
}

/// False when the parts of the schedule do not even refer to each other; nothing else can be checked then.
bool checkTimes(const Schedule &s, const Cluster &cluster, Violations &violations)
{
    if (!s.graph) {
        violations.add("times", "the schedule has no task graph");
        return false;
    }
    const std::vector<SimTask> &tasks = s.graph->tasks;
    if (s.times.size() != tasks.size()) {
        violations.add("times", std::to_string(s.times.size()) + " times for " + std::to_string(tasks.size()) + " tasks");
        return false;
    }
    const auto known = [](auto id, std::size_t count) { return id.valid() && id.index() < count; };
    bool sound = true;
    const auto unsound = [&](const char *rule, const std::string &detail) {
        violations.add(rule, detail);
        sound = false;
    };
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        for (TaskId p : tasks[i].preds) {
            if (!known(p, tasks.size()))
                unsound("precedence", taskLabel(*s.graph, i) + " has an unknown pred");
        }
        for (DeviceId d : tasks[i].devices) {
            if (!known(d, cluster.devices().size()))
                unsound("overlap", taskLabel(*s.graph, i) + " is on an unknown device");
        }
        for (const LinkUse &use : tasks[i].uses) {
            if (!known(use.link, cluster.links().size()))
                unsound("link-bytes", taskLabel(*s.graph, i) + " uses an unknown link");
        }
        const std::int64_t length = s.times[i].end.value - s.times[i].start.value;
        if (s.times[i].start.value < 0 || length < 0)
            violations.add("times", taskLabel(*s.graph, i) + " runs " + interval(s.times[i]));
        const std::int64_t least = tasks[i].duration.value
            + (tasks[i].kind == TaskKind::Transfer ? tasks[i].latency.value : 0);
        if (length < least || (tasks[i].kind == TaskKind::Compute && length != least))
            violations.add("times", taskLabel(*s.graph, i) + " runs " + interval(s.times[i]) + ", it needs "
                                        + std::to_string(least) + " ns");
    }
    for (const LinkUsage &usage : s.links) {
        if (!known(usage.link, cluster.links().size()))
            unsound("link-rate", "traffic on an unknown link");
    }
    for (const MemoryTrack &track : s.memory) {
        if (!known(track.device, cluster.devices().size()))
            unsound("memory", "memory of an unknown device");
    }
    for (const MemoryChange &change : s.graph->memory) {
        if (!known(change.task, tasks.size()) || !known(change.device, cluster.devices().size()))
            unsound("memory", "a memory change of an unknown task or device");
    }
    for (TaskId t : s.criticalPath) {
        if (!known(t, tasks.size()))
            unsound("critical-path", "an unknown task");
    }
    return sound;
}

void checkPrecedence(const Schedule &s, Violations &violations)
{
    for (std::size_t i = 0; i < s.times.size(); ++i) {
        for (TaskId p : s.graph->tasks[i].preds) {
            if (s.times[p.index()].end > s.times[i].start)
                violations.add("precedence", taskLabel(*s.graph, i) + " starts at "
                                                 + std::to_string(s.times[i].start.value) + " ns, before its pred "
                                                 + taskLabel(*s.graph, p.index()) + " ends at "
                                                 + std::to_string(s.times[p.index()].end.value) + " ns");
        }
    }
}

void checkOverlap(const Schedule &s, const Cluster &cluster, Violations &violations)
{
    struct Busy
    {
        std::int64_t place; // device and stream
        TaskTime time;
        std::size_t task;
    };
    std::vector<Busy> all;
    for (std::size_t i = 0; i < s.times.size(); ++i) {
        const SimTask &task = s.graph->tasks[i];
        if (task.kind != TaskKind::Compute)
            continue;
        for (std::size_t k = 0; k < task.devices.size(); ++k) {
            const auto begin = task.devices.begin();
            if (std::find(begin, begin + static_cast<std::ptrdiff_t>(k), task.devices[k])
                == begin + static_cast<std::ptrdiff_t>(k)) // named twice is busy once
                all.push_back({std::int64_t(task.devices[k].value) * 256 + task.stream, s.times[i], i});
        }
    }
    std::sort(all.begin(), all.end(), [](const Busy &a, const Busy &b) {
        if (a.place != b.place)
            return a.place < b.place;
        if (a.time.start != b.time.start)
            return a.time.start < b.time.start;
        return a.time.end != b.time.end ? a.time.end < b.time.end : a.task < b.task;
    });
    std::size_t running = 0; // of those before k on the same place, the one that ends last
    for (std::size_t k = 1; k < all.size(); ++k) {
        if (all[k].place != all[running].place) {
            running = k;
            continue;
        }
        if (all[k].time.start < all[running].time.end)
            violations.add("overlap", taskLabel(*s.graph, all[running].task) + " (" + interval(all[running].time)
                                          + ") and " + taskLabel(*s.graph, all[k].task) + " (" + interval(all[k].time)
                                          + ") on device " + cluster.devices()[std::size_t(all[k].place / 256)].id
                                          + ", stream " + std::to_string(all[k].place % 256));
        if (all[k].time.end >= all[running].time.end)
            running = k;
    }
}

void checkMakespan(const Schedule &s, Violations &violations)
{
    std::int64_t last = 0;
    for (const TaskTime &t : s.times)
        last = std::max(last, t.end.value);
    if (s.makespan.value != last)
        violations.add("makespan", "the makespan is " + std::to_string(s.makespan.value) + " ns, the last task ends at "
                                       + std::to_string(last) + " ns");
}

/// Exclusive groups that are joined by a transfer that needs several of them count as one: a transfer
/// may wait in one for a release in the other, behind the one that needs both.
class ExclusiveParts
{
public:
    ExclusiveParts(const TaskGraph &graph, const Cluster &cluster) : m_groupsOf(cluster.links().size())
    {
        for (std::size_t c = 0; c < cluster.conflicts().size(); ++c) {
            m_parent.push_back(c);
            if (cluster.conflicts()[c].kind != ConflictKind::Exclusive)
                continue;
            for (LinkId l : cluster.conflicts()[c].links)
                m_groupsOf[l.index()].push_back(c);
        }
        for (const SimTask &task : graph.tasks) {
            const std::vector<std::size_t> groups = groupsOf(task);
            for (std::size_t k = 1; k < groups.size(); ++k)
                m_parent[root(groups[k])] = root(groups[0]);
        }
    }
    bool joined(const SimTask &a, const SimTask &b)
    {
        for (std::size_t x : groupsOf(a)) {
            for (std::size_t y : groupsOf(b)) {
                if (root(x) == root(y))
                    return true;
            }
        }
        return false;
    }

private:
    std::vector<std::size_t> groupsOf(const SimTask &task) const
    {
        std::vector<std::size_t> groups;
        for (const LinkUse &use : task.uses) {
            if (use.bytes > 0)
                groups.insert(groups.end(), m_groupsOf[use.link.index()].begin(), m_groupsOf[use.link.index()].end());
        }
        return groups;
    }
    std::size_t root(std::size_t c)
    {
        while (m_parent[c] != c)
            c = m_parent[c] = m_parent[m_parent[c]];
        return c;
    }

    std::vector<std::vector<std::size_t>> m_groupsOf; ///< by link
    std::vector<std::size_t> m_parent;                ///< union-find over conflicts
};

bool shareADevice(const SimTask &a, const SimTask &b)
{
    if (a.kind != TaskKind::Compute || b.kind != TaskKind::Compute || a.stream != b.stream)
        return false;
    return std::any_of(a.devices.begin(), a.devices.end(), [&b](DeviceId d) {
        return std::find(b.devices.begin(), b.devices.end(), d) != b.devices.end();
    });
}

void checkCriticalPath(const Schedule &s, const Cluster &cluster, Violations &violations)
{
    if (s.times.empty() && s.criticalPath.empty())
        return;
    if (s.criticalPath.empty()) {
        violations.add("critical-path", "there is none");
        return;
    }
    const std::size_t last = s.criticalPath.back().index();
    if (s.times[last].end != s.makespan)
        violations.add("critical-path", "it ends with " + taskLabel(*s.graph, last) + " at "
                                            + std::to_string(s.times[last].end.value) + " ns, the makespan is "
                                            + std::to_string(s.makespan.value) + " ns");
    ExclusiveParts exclusive(*s.graph, cluster);
    for (std::size_t k = 1; k < s.criticalPath.size(); ++k) {
        const std::size_t a = s.criticalPath[k - 1].index();
        const std::size_t b = s.criticalPath[k].index();
        const SimTask &before = s.graph->tasks[a];
        const SimTask &after = s.graph->tasks[b];
        const std::string pair = taskLabel(*s.graph, a) + " and " + taskLabel(*s.graph, b);
        if (s.times[a].end != s.times[b].start)
            violations.add("critical-path", "between " + pair + " there are "
                                                + std::to_string(s.times[b].start.value - s.times[a].end.value) + " ns");
        const bool pred = std::find(after.preds.begin(), after.preds.end(), s.criticalPath[k - 1]) != after.preds.end();
        if (!pred && !shareADevice(before, after) && !exclusive.joined(before, after))
            violations.add("critical-path", pair + " share neither a pred, nor a device, nor an exclusive group");
    }
}

} // namespace

std::vector<Violation> validate(const Schedule &schedule, const Cluster &cluster)
{
    Violations violations;
    if (checkTimes(schedule, cluster, violations)) {
        checkPrecedence(schedule, violations);
        checkOverlap(schedule, cluster, violations);
        validateLinks(schedule, cluster, violations);
        validateMemory(schedule, cluster, violations);
        checkMakespan(schedule, violations);
        checkCriticalPath(schedule, cluster, violations);
    }
    return violations.take();
}

} // namespace polyrail
