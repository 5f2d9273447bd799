// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/cost_context.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/plan_costs.hpp"
#include "core/sim/simulator.hpp"

namespace polyrail {

/// Checks a plan against its problem: layers covered once and in order, devices used once, shares that sum
/// to the micro-batch, tensor sizes that divide heads, micro-batches that make the global batch, and
/// memory on every device (kind Infeasible, names device, need and capacity).
Result<void> checkPlan(const CostContext &context, const Plan &plan);

/// Bytes held on each device of a stage, by kind, at the moment of its peak.
struct DeviceMemory
{
    DeviceId device;
    std::int64_t weights = 0;
    std::int64_t gradients = 0;
    std::int64_t optimiser = 0;
    std::int64_t activations = 0; ///< of all micro-batches in flight
    std::int64_t workspace = 0;
    std::int64_t capacity = 0;
    std::int64_t total() const { return weights + gradients + optimiser + activations + workspace; }
};
std::vector<DeviceMemory> memoryOf(const CostContext &context, const Plan &plan);

/// Plan -> tasks. A micro-batch moves from one stage to the next as a whole: the boundary transfer waits
/// for every replica of the stage. Tensor collectives of one micro-batch's layers are one transfer after
/// the computation; gradients are reduced after a stage's last backward pass.
/// `detail`: Full adds what each task does to memory; MakespanOnly leaves it out.
std::shared_ptr<const TaskGraph> lower(const CostContext &context, const Plan &plan, const PlanCosts &costs,
                                       SimDetail detail = SimDetail::Full);

/// checkPlan, costsOf, lower and simulate in one: the objective of every plan in Polyrail. The step time is the
/// schedule's makespan.
Result<Schedule> evaluate(const CostContext &context, const Plan &plan, SimDetail detail = SimDetail::Full,
                          Nanoseconds giveUpAt = Nanoseconds(std::numeric_limits<std::int64_t>::max()));

/// Where the step goes, as shares of (makespan x devices used): for the window and the JSON.
struct StepShares
{
    double compute = 0;
    double tensorTraffic = 0;
    double pipelineTraffic = 0;
    double gradientTraffic = 0;
    double optimiser = 0;
    double idle = 0;
};
StepShares shareOfStep(const Schedule &schedule);
/// The link direction with the highest share of its capacity used over the step; invalid if none is used.
struct BusiestLink
{
    LinkId link;
    Direction direction = Direction::Forward;
    double use = 0; ///< 0..1
};
BusiestLink busiestLink(const Schedule &schedule, const Cluster &cluster);

} // namespace polyrail
