// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan_time.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/traffic.hpp"

#include <vector>

namespace polyrail {

/// What one replica of a placed stage spends on a micro-batch, and at the end.
struct ReplicaCost
{
    Nanoseconds forward;
    Nanoseconds backward;
    TensorTraffic tensor;
    Nanoseconds optimiser;
    std::int64_t activationBytes = 0; ///< per device and micro-batch
};

struct StageCost
{
    std::vector<ReplicaCost> replicas;
    Transfer boundary;     ///< activations to the next stage; empty on the last
    Transfer boundaryBack; ///< their gradients from the next stage
    GradientTraffic gradient;
};

/// Everything that lowering needs to know about a plan on its real devices: computed once, used for the cheap end time and for
/// the task graph.
struct PlanCosts
{
    std::vector<StageCost> stages;
    Transfer tiedEmbedding; ///< empty unless first and last stage share a table
};

/// Costs of a plan that checkPlan() accepts. Error (Infeasible): parts that must talk are not connected.
Result<PlanCosts> costsOf(const CostContext &context, const Plan &plan);

/// The step without contention (pipelineTime over the plan's costs): never above what simulate() says. 1F1B only. Seconds, or
/// infinity as soon as it is known to be >= cutoff.
double timeWithoutContention(const Plan &plan, const PlanCosts &costs, double cutoff);

} // namespace polyrail
