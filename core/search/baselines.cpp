// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/baselines.hpp"

#include "core/plan/evaluate.hpp"


#include <algorithm>
#include <map>

namespace polyrail {

namespace {

/// Megatron-LM's rank order: tensor fastest, then data, then pipeline, over the devices in file order.
struct Grid
{
    int tensor = 1;
    int pipeline = 1;
    int perReplica = 1;
    Recompute recompute = Recompute::None;
};

std::optional<Plan> gridPlan(const CostContext &context, const Grid &grid)
{
    const TrainingJob &job = context.job();
    const auto devices = static_cast<int>(context.cluster().devices().size());
    const int stageSize = devices / grid.pipeline;
    if (devices % grid.pipeline != 0 || stageSize % grid.tensor != 0 || job.model.layers % grid.pipeline != 0
        || job.model.heads % grid.tensor != 0)
        return std::nullopt;
    const int data = stageSize / grid.tensor;
    const std::int64_t microBatch = std::int64_t(data) * grid.perReplica;
    if (microBatch > job.globalBatch || job.globalBatch % microBatch != 0)
        return std::nullopt;
    Plan plan;
    plan.microBatch = static_cast<int>(microBatch);
    plan.microBatches = job.globalBatch / plan.microBatch;
    plan.recompute = grid.recompute;
    const int layers = job.model.layers / grid.pipeline;
    int next = 0;
    for (int s = 0; s < grid.pipeline; ++s) {
        Stage stage;
        stage.firstLayer = s * layers;
        stage.lastLayer = stage.firstLayer + layers - 1;
        for (int r = 0; r < data; ++r) {
            Replica replica;
            replica.samples = grid.perReplica;
            for (int t = 0; t < grid.tensor; ++t)
                replica.devices.push_back(DeviceId(next++));
            stage.replicas.push_back(std::move(replica));
        }
        plan.stages.push_back(std::move(stage));
    }
    return plan;
}

/// Devices in each host; those without a host count as one host.
std::vector<int> hostSizes(const Cluster &cluster)
{
    std::map<int, int> sizes;
    for (const Device &device : cluster.devices())
        ++sizes[device.host.value];
    std::vector<int> result;
    for (const auto &[host, size] : sizes)
        result.push_back(size);
    return result;
}

std::vector<Recompute> recomputations(const TrainingJob &job)
{
    if (job.flashAttention)
        return {Recompute::None, Recompute::Full};
    return {Recompute::None, Recompute::Selective, Recompute::Full};
}

/// Least time of a grid by computation alone: its slowest device, every micro-batch.
Nanoseconds computeBound(const CostContext &context, const Plan &plan)
{
    Nanoseconds slowest;
    for (const Stage &stage : plan.stages) {
        const LayerMix mix = layerMix(context.job().model, stage.firstLayer, stage.lastLayer);
        for (const Replica &replica : stage.replicas)
            for (DeviceId d : replica.devices) {
                const ReplicaTimes t = context.times(context.kernelClass(d), static_cast<int>(replica.devices.size()),
                                                     replica.samples, plan.recompute);
                slowest = std::max(slowest,
                                   toNanoseconds(Seconds(t.forwardOf(mix.dense, mix.expert, false, false)
                                                         + t.backwardOf(mix.dense, mix.expert, false, false))));
            }
    }
    return slowest * plan.microBatches;
}

} // namespace

BaselineResult equalSplit(const CostContext &context)
{
    BaselineResult result;
    result.name = "equal split";
    const TrainingJob &job = context.job();
    const auto devices = static_cast<int>(context.cluster().devices().size());
    if (devices == 0) {
        result.reason = "the cluster has no devices";
        return result;
    }
    const std::vector<int> sizes = hostSizes(context.cluster());
    const int smallest = *std::min_element(sizes.begin(), sizes.end());
    Grid grid;
    while (grid.tensor * 2 <= smallest && job.model.heads % (grid.tensor * 2) == 0 && devices % (grid.tensor * 2) == 0)
        grid.tensor *= 2;
    grid.perReplica = std::max(1, job.maxMicroBatch);
    Error last {ErrorKind::Infeasible, "", "no pipeline size", "one that divides the devices, layers and batch", ""};
    for (Recompute recompute : recomputations(job)) {
        grid.recompute = recompute;
        for (grid.pipeline = 1; grid.pipeline <= devices / grid.tensor; ++grid.pipeline) {
            std::optional<Plan> plan = gridPlan(context, grid);
            if (!plan)
                continue;
            const auto schedule = evaluate(context, *plan, SimDetail::MakespanOnly);
            if (!schedule) {
                last = schedule.error();
                continue;
            }
            result.plan = std::make_shared<const Plan>(std::move(*plan));
            result.step = schedule->makespan;
            return result;
        }
    }
    result.reason = last.message();
    return result;
}

BaselineResult bestUniformGrid(const CostContext &context, const std::atomic<bool> *cancel)
{
    BaselineResult result;
    result.name = "best uniform grid";
    const TrainingJob &job = context.job();
    const auto devices = static_cast<int>(context.cluster().devices().size());
    const std::vector<int> sizes = hostSizes(context.cluster());
    const int largest = sizes.empty() ? 1 : *std::max_element(sizes.begin(), sizes.end());
    std::vector<std::pair<Nanoseconds, Plan>> plans;
    for (Recompute recompute : recomputations(job))
        for (int tensor = 1; tensor <= std::max(largest, 8) && tensor <= devices; tensor *= 2)
            for (int pipeline = 1; pipeline <= std::min(devices, job.model.layers); ++pipeline)
                for (int samples = 1; samples <= 16; ++samples) {
                    if (job.maxMicroBatch > 0 && samples > job.maxMicroBatch)
                        break;
                    if (cancel && cancel->load(std::memory_order_relaxed))
                        return result;
                    std::optional<Plan> plan = gridPlan(context, {tensor, pipeline, samples, recompute});
                    if (plan && checkPlan(context, *plan)) {
                        const Nanoseconds bound = computeBound(context, *plan);
                        plans.emplace_back(bound, std::move(*plan));
                    }
                }
    // Promising ones first, so that most of the others are given up early.
    std::stable_sort(plans.begin(), plans.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    Nanoseconds best(std::numeric_limits<std::int64_t>::max());
    for (auto &[bound, plan] : plans) {
        if (bound >= best || (cancel && cancel->load(std::memory_order_relaxed)))
            break;
        const auto schedule = evaluate(context, plan, SimDetail::MakespanOnly, best);
        if (!schedule || schedule->makespan >= best)
            continue;
        best = schedule->makespan;
        result.plan = std::make_shared<const Plan>(std::move(plan));
        result.step = best;
    }
    if (!result.plan)
        result.reason = "no grid of equal stages divides the devices, layers and batch and fits into memory";
    return result;
}

} // namespace polyrail
