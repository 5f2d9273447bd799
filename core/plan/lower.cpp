// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/evaluate.hpp"
#include "core/plan/stage_cost.hpp"
#include "core/plan/traffic.hpp"

#include <algorithm>

namespace polyrail {

namespace {

constexpr std::uint8_t computeStream = 0;

struct Pass
{
    bool forward = true;
    int microBatch = 0;
};

/// The order in which a stage runs its passes. 1F1B: as many forward passes ahead as there are stages from here to the
/// end, then one backward, one forward (Narayanan et al., arXiv 2104.04473, section 2.2.1).
std::vector<Pass> passOrder(bool gpipe, int microBatches, int fromEnd)
{
    std::vector<Pass> order;
    order.reserve(static_cast<std::size_t>(2 * microBatches));
    const int ahead = inFlightMicroBatches(gpipe, microBatches, fromEnd);
    for (int i = 0; i < ahead; ++i)
        order.push_back({true, i});
    for (int i = 0; i < microBatches; ++i) {
        order.push_back({false, i});
        if (ahead + i < microBatches)
            order.push_back({true, ahead + i});
    }
    return order;
}

class Lowering
{
public:
    Lowering(const CostContext &context, const Plan &plan, SimDetail detail)
        : m_context(context), m_plan(plan), m_detail(detail), m_graph(std::make_shared<TaskGraph>())
    {
    }

    Result<std::shared_ptr<const TaskGraph>> run();

private:
    struct ReplicaCost
    {
        ReplicaTimes times;
        Nanoseconds forward;
        Nanoseconds backward;
        Transfer tensorForward;
        Transfer tensorBackward;
        std::int64_t activationBytes = 0;
        double localParameters = 0;
    };
    /// What has been made so far for one stage: for each replica the task its next pass waits for.
    struct StageState
    {
        std::vector<ReplicaCost> replicas;
        std::vector<Pass> order;
        std::size_t next = 0;
        std::vector<TaskId> lastTask;
        std::vector<std::vector<TaskId>> forwardEnd;  ///< by micro-batch: end of every replica's pass
        std::vector<std::vector<TaskId>> backwardEnd;
        std::vector<TaskId> forwardInput;             ///< by micro-batch: the boundary transfer, or invalid
        std::vector<TaskId> backwardInput;
        std::vector<bool> forwardReady;
        std::vector<bool> backwardReady;
        Transfer boundary; ///< to the next stage
        Transfer boundaryBack;
    };

    Result<void> prepare();
    void layPasses();
    bool layPass(std::size_t s);
    Result<void> layEnd();
    TaskId add(SimTask task);
    TaskId addTransfer(const Transfer &transfer, TaskRole role, std::size_t stage, int microBatch,
                       std::vector<DeviceId> devices, std::vector<TaskId> preds);

    const CostContext &m_context;
    const Plan &m_plan;
    SimDetail m_detail;
    std::shared_ptr<TaskGraph> m_graph;
    std::vector<StageState> m_stages;
};

TaskId Lowering::add(SimTask task)
{
    m_graph->tasks.push_back(std::move(task));
    return TaskId(m_graph->tasks.size() - 1);
}

TaskId Lowering::addTransfer(const Transfer &transfer, TaskRole role, std::size_t stage, int microBatch,
                             std::vector<DeviceId> devices, std::vector<TaskId> preds)
{
    SimTask task;
    task.kind = TaskKind::Transfer;
    task.role = role;
    task.stage = static_cast<std::int16_t>(stage);
    task.microBatch = microBatch;
    task.latency = toNanoseconds(transfer.latency);
    task.duration = toNanoseconds(transfer.ownTime);
    task.uses = transfer.uses;
    task.devices = std::move(devices);
    task.preds = std::move(preds);
    return add(std::move(task));
}

Result<void> Lowering::prepare()
{
    const TrainingJob &job = m_context.job();
    const std::size_t stageCount = m_plan.stages.size();
    const auto microBatches = static_cast<std::size_t>(m_plan.microBatches);
    const bool gpipe = m_plan.schedule == PipelineSchedule::GPipe;
    m_stages.resize(stageCount);
    for (std::size_t s = 0; s < stageCount; ++s) {
        const Stage &stage = m_plan.stages[s];
        StageState &state = m_stages[s];
        const bool first = s == 0;
        const bool last = s + 1 == stageCount;
        const LayerMix mix = layerMix(job.model, stage.firstLayer, stage.lastLayer);
        for (const Replica &replica : stage.replicas) {
            const int tensor = static_cast<int>(replica.devices.size());
            ReplicaCost cost;
            // The slowest member sets the pace of a tensor group: its members meet in every layer.
            for (DeviceId d : replica.devices) {
                const ReplicaTimes t
                    = m_context.times(m_context.kernelClass(d), tensor, replica.samples, m_plan.recompute);
                cost.forward = std::max(
                    cost.forward, toNanoseconds(Seconds(t.forwardOf(mix.dense, mix.expert, first, last))));
                cost.backward = std::max(
                    cost.backward, toNanoseconds(Seconds(t.backwardOf(mix.dense, mix.expert, first, last))));
            }
            const auto traffic = tensorTraffic(m_context, replica.devices, replica.samples, stage.layers(), first, last,
                                               m_plan.recompute);
            if (!traffic)
                return fail(traffic.error());
            cost.tensorForward = traffic->forward;
            cost.tensorBackward = traffic->backward;
            const MemoryModel memory = memoryModel(job, tensor, replica.samples,
                                                   static_cast<int>(stage.replicas.size()), m_plan.recompute);
            cost.activationBytes = static_cast<std::int64_t>(mix.dense * memory.activationsPerLayer[0]
                                                             + mix.expert * memory.activationsPerLayer[1]);
            cost.localParameters = stageParameters(job.model, m_context.parameters(), stage.firstLayer, stage.lastLayer) / tensor;
            state.replicas.push_back(std::move(cost));
        }
        state.order = passOrder(gpipe, m_plan.microBatches, static_cast<int>(stageCount - s));
        state.lastTask.resize(stage.replicas.size());
        state.forwardEnd.resize(microBatches);
        state.backwardEnd.resize(microBatches);
        state.forwardInput.resize(microBatches);
        state.backwardInput.resize(microBatches);
        state.forwardReady.assign(microBatches, first);
        state.backwardReady.assign(microBatches, false);
        if (!last) {
            const auto forward = boundaryTraffic(m_context, stage, m_plan.stages[s + 1]);
            const auto backward = boundaryTraffic(m_context, m_plan.stages[s + 1], stage);
            if (!forward)
                return fail(forward.error());
            if (!backward)
                return fail(backward.error());
            state.boundary = *forward;
            state.boundaryBack = *backward;
        }
    }
    return {};
}

/// Lays the next pass of stage s if what it waits for has been laid.
bool Lowering::layPass(std::size_t s)
{
    StageState &state = m_stages[s];
    if (state.next == state.order.size())
        return false;
    const Pass pass = state.order[state.next];
    const auto i = static_cast<std::size_t>(pass.microBatch);
    if (!(pass.forward ? state.forwardReady : state.backwardReady)[i])
        return false;
    ++state.next;
    const Stage &stage = m_plan.stages[s];
    const TaskId input = (pass.forward ? state.forwardInput : state.backwardInput)[i];
    std::vector<TaskId> &ends = (pass.forward ? state.forwardEnd : state.backwardEnd)[i];
    for (std::size_t r = 0; r < stage.replicas.size(); ++r) {
        const ReplicaCost &cost = state.replicas[r];
        SimTask task;
        task.role = pass.forward ? TaskRole::Forward : TaskRole::Backward;
        task.stream = computeStream;
        task.stage = static_cast<std::int16_t>(s);
        task.microBatch = pass.microBatch;
        task.duration = pass.forward ? cost.forward : cost.backward;
        task.devices = stage.replicas[r].devices;
        if (state.lastTask[r].valid())
            task.preds.push_back(state.lastTask[r]);
        if (input.valid())
            task.preds.push_back(input);
        else if (!pass.forward) // the last stage turns round: its backward pass follows its own forward pass
            task.preds.push_back(state.forwardEnd[i][r]);
        TaskId end = add(std::move(task));
        if (m_detail == SimDetail::Full)
            for (DeviceId d : stage.replicas[r].devices)
                m_graph->memory.push_back(
                    {end, !pass.forward, d, pass.forward ? cost.activationBytes : -cost.activationBytes});
        const Transfer &tensor = pass.forward ? cost.tensorForward : cost.tensorBackward;
        if (!tensor.empty())
            end = addTransfer(tensor, TaskRole::TensorTraffic, s, pass.microBatch, stage.replicas[r].devices, {end});
        state.lastTask[r] = end;
        ends.push_back(end);
    }
    const auto devicesOf = [&](std::size_t a) {
        std::vector<DeviceId> all;
        for (const Replica &replica : m_plan.stages[a].replicas)
            all.insert(all.end(), replica.devices.begin(), replica.devices.end());
        return all;
    };
    if (pass.forward && s + 1 < m_stages.size()) {
        StageState &next = m_stages[s + 1];
        next.forwardInput[i] = addTransfer(state.boundary, TaskRole::PipelineTraffic, s, pass.microBatch,
                                           devicesOf(s + 1), ends);
        next.forwardReady[i] = true;
    } else if (pass.forward) {
        state.backwardReady[i] = true;
    } else if (s > 0) {
        StageState &previous = m_stages[s - 1];
        previous.backwardInput[i] = addTransfer(previous.boundaryBack, TaskRole::PipelineTraffic, s, pass.microBatch,
                                                devicesOf(s - 1), ends);
        previous.backwardReady[i] = true;
    }
    return true;
}

void Lowering::layPasses()
{
    // Stage by stage as inputs appear; every pass is laid once, and a pass's inputs before the pass.
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t s = 0; s < m_stages.size(); ++s)
            while (layPass(s))
                moved = true;
    }
}

/// Gradients, optimiser, and what the replicas owe each other afterwards.
Result<void> Lowering::layEnd()
{
    const TrainingJob &job = m_context.job();
    TaskId tied;
    if (job.model.tiedEmbeddings && m_stages.size() > 1) {
        const auto traffic = tiedEmbeddingTraffic(m_context, m_plan);
        if (!traffic)
            return fail(traffic.error());
        std::vector<TaskId> preds = m_stages.front().lastTask;
        preds.insert(preds.end(), m_stages.back().lastTask.begin(), m_stages.back().lastTask.end());
        std::vector<DeviceId> devices = m_plan.stages.front().replicas.front().devices;
        tied = addTransfer(*traffic, TaskRole::GradientTraffic, 0, -1, std::move(devices), std::move(preds));
    }
    for (std::size_t s = 0; s < m_stages.size(); ++s) {
        const Stage &stage = m_plan.stages[s];
        StageState &state = m_stages[s];
        std::vector<DeviceId> devices;
        for (const Replica &replica : stage.replicas)
            devices.insert(devices.end(), replica.devices.begin(), replica.devices.end());
        const auto traffic = gradientTraffic(m_context, stage);
        if (!traffic)
            return fail(traffic.error());
        TaskId reduced;
        if (!traffic->reduce.empty())
            reduced = addTransfer(traffic->reduce, TaskRole::GradientTraffic, s, -1, devices, state.lastTask);
        std::vector<TaskId> updated;
        const bool touchesTied = tied.valid() && (s == 0 || s + 1 == m_stages.size());
        const double sharded = job.sharding == Sharding::None ? 1 : static_cast<double>(stage.replicas.size());
        for (std::size_t r = 0; r < stage.replicas.size(); ++r) {
            SimTask task;
            task.role = TaskRole::Optimiser;
            task.stream = computeStream;
            task.stage = static_cast<std::int16_t>(s);
            for (DeviceId d : stage.replicas[r].devices)
                task.duration = std::max(task.duration,
                                         toNanoseconds(m_context.kernels(d).optimiserStep(
                                             state.replicas[r].localParameters / sharded, job.precision)));
            task.devices = stage.replicas[r].devices;
            task.preds.push_back(reduced.valid() ? reduced : state.lastTask[r]);
            if (touchesTied)
                task.preds.push_back(tied);
            updated.push_back(add(std::move(task)));
        }
        if (!traffic->gather.empty())
            addTransfer(traffic->gather, TaskRole::GradientTraffic, s, -1, devices, updated);
    }
    return {};
}

Result<std::shared_ptr<const TaskGraph>> Lowering::run()
{
    if (auto ok = prepare(); !ok)
        return fail(ok.error());
    layPasses();
    if (auto ok = layEnd(); !ok)
        return fail(ok.error());
    if (m_detail == SimDetail::Full) {
        m_graph->baseMemory.assign(m_context.cluster().devices().size(), 0);
        for (const DeviceMemory &m : memoryOf(m_context, m_plan))
            m_graph->baseMemory[m.device.index()] = m.total() - m.activations;
    }
    return std::shared_ptr<const TaskGraph>(std::move(m_graph));
}

} // namespace

Result<std::shared_ptr<const TaskGraph>> lower(const CostContext &context, const Plan &plan, SimDetail detail)
{
    return Lowering(context, plan, detail).run();
}

} // namespace polyrail
