// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/cluster/cluster.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace polyrail {

/// What a transfer puts on one direction of one link over its whole life.
struct LinkUse
{
    LinkId link;
    Direction direction = Direction::Forward;
    double bytes = 0;
    bool operator==(const LinkUse &) const = default;
};

/// What a task is for; charts colour by it, the simulator does not look at it.
enum class TaskRole : std::uint8_t {
    Forward, Backward, Recompute, Optimiser,
    TensorTraffic,   ///< collectives inside a layer
    PipelineTraffic, ///< activations and their gradients between stages
    GradientTraffic, ///< gradient and parameter collectives between replicas
    Other,
};
const char *toString(TaskRole r); ///< "forward" | "backward" | ... | "tensor" | "pipeline" | "gradient" | "other"

enum class TaskKind : std::uint8_t { Compute, Transfer };

/// One unit of the schedule. Compute: all `devices` are busy on `stream` for `duration`. Transfer: after
/// `latency`, progresses so that all its uses advance in step, at the rate that sharing allows, and for
/// at least `duration` (a transfer's own ceiling, e.g. what its protocol reaches with the links to
/// itself). `devices` of a transfer say where to show it; they are not occupied.
struct SimTask
{
    TaskKind kind = TaskKind::Compute;
    TaskRole role = TaskRole::Other;
    std::uint8_t stream = 0;
    std::int16_t stage = -1;       ///< for charts: pipeline stage, or -1
    std::int32_t microBatch = -1;  ///< for charts
    Nanoseconds duration;
    Nanoseconds latency;
    std::vector<DeviceId> devices;
    std::vector<LinkUse> uses;
    std::vector<TaskId> preds;     ///< must end before this starts
    std::int32_t name = -1;        ///< index into TaskGraph::names, or -1
};

/// A change of a device's memory in use when a task starts or ends.
struct MemoryChange
{
    TaskId task;
    bool atEnd = false;
    DeviceId device;
    std::int64_t bytes = 0; ///< signed
};

/// Input of the simulator: tasks in any order that has no cycle. Compute tasks that share a device and a
/// stream run one at a time, ready ones in the order of the vector (lower index first), unless their
/// preds already order them.
struct TaskGraph
{
    std::vector<SimTask> tasks;
    std::vector<std::string> names;
    std::vector<MemoryChange> memory;
    std::vector<std::int64_t> baseMemory; ///< by device: bytes held from start to end; may be empty
};

/// "task 17 (forward 3)": how messages name a task.
std::string taskLabel(const TaskGraph &graph, std::size_t task);

} // namespace polyrail
