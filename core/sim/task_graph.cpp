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

} // namespace polyrail
