// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan_costs.hpp"

#include "core/plan/stage_cost.hpp"

#include <algorithm>

namespace polyrail {

namespace {

double alone(const Transfer &t)
{
    return toSeconds(toNanoseconds(t.latency)).value + toSeconds(toNanoseconds(t.ownTime)).value;
}

Result<ReplicaCost> costOf(const CostContext &context, const Plan &plan, std::size_t s, const Replica &replica)
{
    const TrainingJob &job = context.job();
    const Stage &stage = plan.stages[s];
    const bool first = s == 0;
    const bool last = s + 1 == plan.stages.size();
    const LayerMix mix = layerMix(job.model, stage.firstLayer, stage.lastLayer);
    const auto tensor = static_cast<int>(replica.devices.size());
    const double parameters = stageParameters(job.model, context.parameters(), stage.firstLayer, stage.lastLayer) / tensor;
    const double sharded = job.sharding == Sharding::None ? 1 : static_cast<double>(stage.replicas.size());
    ReplicaCost cost;
    // The slowest member sets the pace of a tensor group: its members meet in every layer.
    int previous = -1;
    for (DeviceId d : replica.devices) {
        if (context.kernelClass(d) == previous)
            continue;
        previous = context.kernelClass(d);
        const ReplicaTimes t = context.times(previous, tensor, replica.samples, plan.recompute);
        cost.forward = std::max(cost.forward, toNanoseconds(Seconds(t.forwardOf(mix.dense, mix.expert, first, last))));
        cost.backward
            = std::max(cost.backward, toNanoseconds(Seconds(t.backwardOf(mix.dense, mix.expert, first, last))));
        cost.optimiser = std::max(
            cost.optimiser, toNanoseconds(context.kernels(d).optimiserStep(parameters / sharded, job.precision)));
    }
    auto traffic
        = tensorTraffic(context, replica.devices, replica.samples, stage.layers(), first, last, plan.recompute);
    if (!traffic)
        return fail(traffic.error());
    cost.tensor = std::move(*traffic);
    const MemoryModel memory
        = memoryModel(job, tensor, replica.samples, static_cast<int>(stage.replicas.size()), plan.recompute);
    cost.activationBytes = static_cast<std::int64_t>(mix.dense * memory.activationsPerLayer[0]
                                                     + mix.expert * memory.activationsPerLayer[1]);
    return cost;
}

} // namespace

Result<PlanCosts> costsOf(const CostContext &context, const Plan &plan)
{
    PlanCosts costs;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const Stage &stage = plan.stages[s];
        StageCost cost;
        for (const Replica &replica : stage.replicas) {
            auto one = costOf(context, plan, s, replica);
            if (!one)
                return fail(one.error());
            cost.replicas.push_back(std::move(*one));
        }
        if (s + 1 < plan.stages.size()) {
            auto forward = boundaryTraffic(context, stage, plan.stages[s + 1]);
            auto backward = boundaryTraffic(context, plan.stages[s + 1], stage);
            if (!forward || !backward)
                return fail((forward ? backward : forward).error());
            cost.boundary = std::move(*forward);
            cost.boundaryBack = std::move(*backward);
        }
        auto gradient = gradientTraffic(context, stage);
        if (!gradient)
            return fail(gradient.error());
        cost.gradient = std::move(*gradient);
        costs.stages.push_back(std::move(cost));
    }
    if (context.job().model.tiedEmbeddings && plan.stages.size() > 1) {
        auto tied = tiedEmbeddingTraffic(context, plan);
        if (!tied)
            return fail(tied.error());
        costs.tiedEmbedding = std::move(*tied);
    }
    return costs;
}

double timeWithoutContention(const Plan &plan, const PlanCosts &costs, double cutoff)
{
    std::vector<StageTimes> stages(plan.stages.size());
    std::vector<double> boundaries;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const StageCost &cost = costs.stages[s];
        StageTimes &times = stages[s];
        Nanoseconds optimiser;
        for (const ReplicaCost &replica : cost.replicas) {
            optimiser = std::max(optimiser, replica.optimiser);
            const PassTimes p {toSeconds(replica.forward).value + alone(replica.tensor.forward),
                               toSeconds(replica.backward).value + alone(replica.tensor.backward)};
            const auto known = times.kinds.begin() + times.kindCount;
            const auto same = std::find_if(times.kinds.begin(), known, [&](const PassTimes &o) {
                return o.forward == p.forward && o.backward == p.backward;
            });
            // More kinds than room: leaving some out only lowers the time.
            if (same == known && known != times.kinds.end())
                times.kinds[static_cast<std::size_t>(times.kindCount++)] = p;
        }
        times.after = alone(cost.gradient.reduce) + toSeconds(optimiser).value + alone(cost.gradient.gather);
        if (s + 1 < stages.size())
            boundaries.push_back(std::min(alone(cost.boundary), alone(cost.boundaryBack)));
    }
    return pipelineTime(stages, boundaries, plan.microBatches, cutoff);
}

} // namespace polyrail
