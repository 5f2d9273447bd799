// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/evaluate.hpp"

#include "core/base/quantity.hpp"
#include "core/plan/stage_cost.hpp"

#include <algorithm>
#include <map>

namespace polyrail {

namespace {

tl::unexpected<Error> badPlan(std::string where, std::string found, std::string expected)
{
    return inputError(std::move(where), std::move(found), std::move(expected),
                      "Plan again for this cluster and model, or correct the plan file.");
}

Result<void> checkStructure(const CostContext &context, const Plan &plan)
{
    const TrainingJob &job = context.job();
    const auto n = [](auto v) { return std::to_string(v); };
    if (plan.stages.empty())
        return badPlan("/stages", "no stage", "at least one");
    if (plan.microBatch < 1 || plan.microBatches < 1 || plan.microBatch * plan.microBatches != job.globalBatch)
        return badPlan("/workload/micro_batch", n(plan.microBatches) + " micro-batches of " + n(plan.microBatch),
                       "a product of " + n(job.globalBatch) + " samples");
    std::vector<bool> used(context.cluster().devices().size(), false);
    int nextLayer = 0;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        const Stage &stage = plan.stages[s];
        const std::string where = "/stages/" + n(s);
        if (stage.firstLayer != nextLayer || stage.lastLayer < stage.firstLayer)
            return badPlan(where + "/layers", n(stage.firstLayer) + " to " + n(stage.lastLayer),
                           "a range that starts at " + n(nextLayer));
        nextLayer = stage.lastLayer + 1;
        int samples = 0;
        for (const Replica &replica : stage.replicas) {
            samples += replica.samples;
            const auto tensor = static_cast<int>(replica.devices.size());
            if (replica.samples < 1)
                return badPlan(where + "/batch_shares", n(replica.samples), "at least one sample for each replica");
            if (tensor < 1 || job.model.heads % tensor != 0)
                return badPlan(where + "/tensor", n(tensor), "a divisor of " + n(job.model.heads) + " heads");
            for (DeviceId d : replica.devices) {
                if (d.index() >= used.size())
                    return badPlan(where + "/devices", "device number " + n(d.value), "a device of the cluster");
                if (used[d.index()])
                    return badPlan(where + "/devices", context.cluster().device(d).id + " a second time",
                                   "each device at most once");
                used[d.index()] = true;
            }
        }
        if (samples != plan.microBatch)
            return badPlan(where + "/batch_shares", "a sum of " + n(samples), n(plan.microBatch) + " samples");
    }
    if (nextLayer != job.model.layers)
        return badPlan("/stages", n(nextLayer) + " layers", n(job.model.layers) + " layers");
    return {};
}

} // namespace

std::vector<DeviceMemory> memoryOf(const CostContext &context, const Plan &plan)
{
    std::vector<DeviceMemory> result;
    const TrainingJob &job = context.job();
    const std::size_t stages = plan.stages.size();
    for (std::size_t s = 0; s < stages; ++s) {
        const Stage &stage = plan.stages[s];
        const bool first = s == 0;
        const bool last = s + 1 == stages;
        const LayerMix mix = layerMix(job.model, stage.firstLayer, stage.lastLayer);
        const int inFlight = inFlightMicroBatches(plan.schedule == PipelineSchedule::GPipe, plan.microBatches,
                                                  static_cast<int>(stages - s));
        for (const Replica &replica : stage.replicas) {
            const MemoryModel m = memoryModel(job, static_cast<int>(replica.devices.size()), replica.samples,
                                              static_cast<int>(stage.replicas.size()), plan.recompute);
            const auto sum = [&](const std::array<double, 2> &perLayer, std::size_t state) {
                double bytes = mix.dense * perLayer[0] + mix.expert * perLayer[1];
                bytes += (first ? m.embedding[state] : 0) + (last ? m.head[state] : 0)
                    + (last && !first ? m.tiedCopy[state] : 0);
                return static_cast<std::int64_t>(bytes);
            };
            DeviceMemory d;
            d.weights = sum(m.weightsPerLayer, 0);
            d.gradients = sum(m.gradientsPerLayer, 1);
            d.optimiser = sum(m.optimiserPerLayer, 2);
            d.activations = inFlight
                * static_cast<std::int64_t>(mix.dense * m.activationsPerLayer[0]
                                            + mix.expert * m.activationsPerLayer[1]);
            d.workspace = static_cast<std::int64_t>(m.workspace + (last ? m.headActivations : 0));
            for (DeviceId id : replica.devices) {
                d.device = id;
                d.capacity = context.cluster().device(id).type.memory.value;
                result.push_back(d);
            }
        }
    }
    return result;
}

Result<void> checkPlan(const CostContext &context, const Plan &plan)
{
    if (auto ok = checkStructure(context, plan); !ok)
        return ok;
    for (const DeviceMemory &m : memoryOf(context, plan))
        if (m.total() > m.capacity)
            return fail({ErrorKind::Infeasible, context.cluster().device(m.device).id,
                         "a need of " + formatBytes(Bytes(m.total())) + " of memory",
                         "at most " + formatBytes(Bytes(m.capacity)),
                         "Spread the layers over more devices, use smaller micro-batches, or recompute activations."});
    return {};
}

Result<Schedule> evaluate(const CostContext &context, const Plan &plan, SimDetail detail, Nanoseconds giveUpAt)
{
    if (auto ok = checkPlan(context, plan); !ok)
        return fail(ok.error());
    const auto costs = costsOf(context, plan);
    if (!costs)
        return fail(costs.error());
    auto schedule = simulate(lower(context, plan, *costs, detail), context.network(), detail, giveUpAt);
    if (schedule)
        for (MemoryTrack &track : schedule->memory)
            track.capacityBytes = context.cluster().device(track.device).type.memory.value;
    return schedule;
}

StepShares shareOfStep(const Schedule &schedule)
{
    // Per device a sweep over its tasks; where several run, computation counts first, then the traffic that
    // computation waits for.
    struct Edge
    {
        std::int64_t time;
        int kind;
        int delta;
    };
    constexpr int kinds = 5; // optimiser, compute, tensor, gradient, pipeline
    std::map<DeviceId, std::vector<Edge>> edges;
    const std::vector<SimTask> &tasks = schedule.graph->tasks;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        int kind = 1;
        switch (tasks[t].role) {
        case TaskRole::Optimiser: kind = 0; break;
        case TaskRole::TensorTraffic: kind = 2; break;
        case TaskRole::GradientTraffic: kind = 3; break;
        case TaskRole::PipelineTraffic: kind = 4; break;
        default: break;
        }
        for (DeviceId d : tasks[t].devices) {
            edges[d].push_back({schedule.times[t].start.value, kind, +1});
            edges[d].push_back({schedule.times[t].end.value, kind, -1});
        }
    }
    std::array<double, kinds> busy {};
    double total = 0;
    for (auto &[device, list] : edges) {
        std::sort(list.begin(), list.end(), [](const Edge &a, const Edge &b) { return a.time < b.time; });
        std::array<int, kinds> running {};
        std::int64_t last = 0;
        for (const Edge &e : list) {
            for (std::size_t k = 0; k < kinds; ++k)
                if (running[k] > 0) {
                    busy[k] += static_cast<double>(e.time - last);
                    break;
                }
            last = e.time;
            running[static_cast<std::size_t>(e.kind)] += e.delta;
        }
        total += static_cast<double>(schedule.makespan.value);
    }
    StepShares shares;
    if (total <= 0)
        return shares;
    shares.optimiser = busy[0] / total;
    shares.compute = busy[1] / total;
    shares.tensorTraffic = busy[2] / total;
    shares.gradientTraffic = busy[3] / total;
    shares.pipelineTraffic = busy[4] / total;
    shares.idle = 1 - shares.optimiser - shares.compute - shares.tensorTraffic - shares.gradientTraffic
        - shares.pipelineTraffic;
    return shares;
}

BusiestLink busiestLink(const Schedule &schedule, const Cluster &cluster)
{
    BusiestLink best;
    for (const LinkUsage &usage : schedule.links) {
        const double capacity = cluster.link(usage.link).bandwidth.value * toSeconds(schedule.makespan).value;
        const double use = capacity > 0 ? usage.bytes / capacity : 0;
        if (use > best.use)
            best = {usage.link, usage.direction, use};
    }
    return best;
}

} // namespace polyrail
