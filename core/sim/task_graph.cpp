// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/task_graph.hpp"

namespace polyrail {

const char *toString(TaskRole r)
{
    switch (r) {
    case TaskRole::Forward: return "forward";
    case TaskRole::Backward: return "backward";
    case TaskRole::Recompute: return "recompute";
    case TaskRole::Optimiser: return "optimiser";
    case TaskRole::TensorTraffic: return "tensor";
    case TaskRole::PipelineTraffic: return "pipeline";
    case TaskRole::GradientTraffic: return "gradient";
    case TaskRole::Other: break;
    }
    return "other";
}

std::string taskLabel(const TaskGraph &graph, std::size_t task)
{
    std::string label = "task " + std::to_string(task);
    const std::int32_t name = graph.tasks[task].name;
    if (name >= 0 && static_cast<std::size_t>(name) < graph.names.size())
        label += " (" + graph.names[static_cast<std::size_t>(name)] + ")";
    return label;
}

} // namespace polyrail
