// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/critical_path.hpp"

#include <algorithm>

namespace polyrail {

std::vector<TaskId> criticalPath(const TaskGraph &graph, std::span<const TaskTime> times,
                                 std::span<const std::int32_t> waitedFor)
{
    std::vector<TaskId> path;
    if (times.empty())
        return path;
    std::size_t last = 0;
    for (std::size_t i = 1; i < times.size(); ++i) {
        if (times[i].end > times[last].end)
            last = i;
    }
    TaskId at(last);
    while (at.valid()) {
        path.push_back(at);
        const Nanoseconds start = times[at.index()].start;
        TaskId previous;
        for (TaskId p : graph.tasks[at.index()].preds) {
            if (times[p.index()].end == start && (!previous.valid() || p < previous))
                previous = p;
        }
        at = previous.valid() ? previous : TaskId(waitedFor[at.index()]);
    }
    std::reverse(path.begin(), path.end());
    return path;
}

} // namespace polyrail
