// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/evaluate.hpp"
#include "core/plan/plan_costs.hpp"
#include "core/plan/stage_cost.hpp"

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
    Lowering(const CostContext &context, const Plan &plan, const PlanCosts &costs, SimDetail detail)
        : m_context(context), m_plan(plan), m_costs(costs), m_detail(detail), m_graph(std::make_shared<TaskGraph>())
    {
    }

    std::shared_ptr<const TaskGraph> run();

private:
    /// What has been made so far for one stage: for each replica the task its next pass waits for.
    struct StageState
    {
        std::vector<Pass> order;
        std::size_t next = 0;
        std::vector<TaskId> lastTask;
        std::vector<std::vector<TaskId>> forwardEnd;  ///< by micro-batch: end of every replica's pass
        std::vector<std::vector<TaskId>> backwardEnd;
        std::vector<TaskId> forwardInput;             ///< by micro-batch: the boundary transfer, or invalid
        std::vector<TaskId> backwardInput;
        std::vector<bool> forwardReady;
        std::vector<bool> backwardReady;
    };

    void prepare();
    void layPasses();
    bool layPass(std::size_t s);
    void layEnd();
    TaskId add(SimTask task);
    TaskId addTransfer(const Transfer &transfer, TaskRole role, std::size_t stage, int microBatch,
                       std::vector<DeviceId> devices, std::vector<TaskId> preds);

    const CostContext &m_context;
    const Plan &m_plan;
    const PlanCosts &m_costs;
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

void Lowering::prepare()
{
    const std::size_t stageCount = m_plan.stages.size();
    const auto microBatches = static_cast<std::size_t>(m_plan.microBatches);
    const bool gpipe = m_plan.schedule == PipelineSchedule::GPipe;
    m_stages.resize(stageCount);
    for (std::size_t s = 0; s < stageCount; ++s) {
        StageState &state = m_stages[s];
        state.order = passOrder(gpipe, m_plan.microBatches, static_cast<int>(stageCount - s));
        state.lastTask.resize(m_plan.stages[s].replicas.size());
        state.forwardEnd.resize(microBatches);
        state.backwardEnd.resize(microBatches);
        state.forwardInput.resize(microBatches);
        state.backwardInput.resize(microBatches);
        state.forwardReady.assign(microBatches, s == 0);
        state.backwardReady.assign(microBatches, false);
    }
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
        const ReplicaCost &cost = m_costs.stages[s].replicas[r];
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
        const Transfer &tensor = pass.forward ? cost.tensor.forward : cost.tensor.backward;
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
        next.forwardInput[i] = addTransfer(m_costs.stages[s].boundary, TaskRole::PipelineTraffic, s, pass.microBatch,
                                           devicesOf(s + 1), ends);
        next.forwardReady[i] = true;
    } else if (pass.forward) {
        state.backwardReady[i] = true;
    } else if (s > 0) {
        StageState &previous = m_stages[s - 1];
        previous.backwardInput[i] = addTransfer(m_costs.stages[s - 1].boundaryBack, TaskRole::PipelineTraffic, s, pass.microBatch,
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
void Lowering::layEnd()
{
    TaskId tied;
    if (!m_costs.tiedEmbedding.empty()) {
        std::vector<TaskId> preds = m_stages.front().lastTask;
        preds.insert(preds.end(), m_stages.back().lastTask.begin(), m_stages.back().lastTask.end());
        tied = addTransfer(m_costs.tiedEmbedding, TaskRole::GradientTraffic, 0, -1,
                           m_plan.stages.front().replicas.front().devices, std::move(preds));
    }
    for (std::size_t s = 0; s < m_stages.size(); ++s) {
        const Stage &stage = m_plan.stages[s];
        const GradientTraffic &traffic = m_costs.stages[s].gradient;
        StageState &state = m_stages[s];
        std::vector<DeviceId> devices;
        for (const Replica &replica : stage.replicas)
            devices.insert(devices.end(), replica.devices.begin(), replica.devices.end());
        TaskId reduced;
        if (!traffic.reduce.empty())
            reduced = addTransfer(traffic.reduce, TaskRole::GradientTraffic, s, -1, devices, state.lastTask);
        std::vector<TaskId> updated;
        const bool touchesTied = tied.valid() && (s == 0 || s + 1 == m_stages.size());
        for (std::size_t r = 0; r < stage.replicas.size(); ++r) {
            SimTask task;
            task.role = TaskRole::Optimiser;
            task.stream = computeStream;
            task.stage = static_cast<std::int16_t>(s);
            task.duration = m_costs.stages[s].replicas[r].optimiser;
            task.devices = stage.replicas[r].devices;
            task.preds.push_back(reduced.valid() ? reduced : state.lastTask[r]);
            if (touchesTied)
                task.preds.push_back(tied);
            updated.push_back(add(std::move(task)));
        }
        if (!traffic.gather.empty())
            addTransfer(traffic.gather, TaskRole::GradientTraffic, s, -1, devices, updated);
    }
}

std::shared_ptr<const TaskGraph> Lowering::run()
{
    prepare();
    layPasses();
    layEnd();
    if (m_detail == SimDetail::Full) {
        m_graph->baseMemory.assign(m_context.cluster().devices().size(), 0);
        for (const DeviceMemory &m : memoryOf(m_context, m_plan))
            m_graph->baseMemory[m.device.index()] = m.total() - m.activations;
    }
    return m_graph;
}

} // namespace

std::shared_ptr<const TaskGraph> lower(const CostContext &context, const Plan &plan, const PlanCosts &costs,
                                       SimDetail detail)
{
    return Lowering(context, plan, costs, detail).run();
}

} // namespace polyrail
