// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/task_graph.hpp"

#include <memory>

namespace polyrail {

struct TaskTime
{
    Nanoseconds start;
    Nanoseconds end;
};

struct RateSegment
{
    Nanoseconds start;
    Nanoseconds end;
    double bytesPerSecond = 0;
};

/// One direction of one link over time; segments are sorted and disjoint, gaps are idle.
struct LinkUsage
{
    LinkId link;
    Direction direction = Direction::Forward;
    std::vector<RateSegment> segments;
    double bytes = 0;              ///< integral of the segments
    std::vector<RateSegment> contended; ///< intervals (rate unused) in which two or more transfers shared it
};

struct MemoryStep
{
    Nanoseconds time;
    std::int64_t bytes = 0; ///< in use from `time` on
};

struct MemoryTrack
{
    DeviceId device;
    std::int64_t capacityBytes = 0;
    std::int64_t peakBytes = 0;
    std::vector<MemoryStep> steps;
};

/// When each task ran and what each link carried. Keeps the graph it came from. A value; share as const.
struct Schedule
{
    std::shared_ptr<const TaskGraph> graph;
    std::vector<TaskTime> times;       ///< by task
    std::vector<LinkUsage> links;      ///< only directions that carried something, by link then direction
    std::vector<MemoryTrack> memory;   ///< by device that has any
    Nanoseconds makespan;
    std::vector<TaskId> criticalPath;  ///< first to last; each waited for the one before it
};

} // namespace polyrail
