// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/step_model.hpp"

#include "core/plan/pipeline_time.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

constexpr double freeNorm = 3.08; ///< exponent of the norm that adds host and GPU time without tensor parallelism

bool given(const TrainingCase &c, const char *option)
{
    return std::find(c.options.begin(), c.options.end(), option) != c.options.end();
}

} // namespace

/// The host launches kernels one by one; where it is slower than the GPU, the GPU waits. Neither is ahead all the time,
/// so near the balance both lose.
double StepModel::hostFloor(double gpu, double host) const
{
    const double p = m_case.tensor > 1 ? m_profile.hostMeeting : freeNorm;
    const double most = std::max(gpu, host);
    return most <= 0 ? 0 : most * std::pow(std::pow(gpu / most, p) + std::pow(host / most, p), 1 / p);
}

int StepModel::layersOf(int stage) const
{
    if (!m_case.layerPartition.empty())
        return m_case.layerPartition[static_cast<std::size_t>(stage)];
    const int base = m_case.layers / m_case.pipeline;
    return base + (stage < m_case.layers % m_case.pipeline ? 1 : 0);
}

/// Parameters on one GPU of the stage, before any sharding over replicas.
double StepModel::stageParameters(int stage) const
{
    double parameters = double(layersOf(stage)) * double(m_parameters.ofLayer(m_job.model, m_case.layers - 1));
    if (m_case.experts > 0) {
        const double matrices = m_case.gatedMlp ? 3 : 2;
        parameters -= layersOf(stage) * matrices * m_case.experts * double(m_case.hidden) * m_case.ffn
            * (1 - 1.0 / std::max(1, m_case.expert));
    }
    if (stage == 0)
        parameters += double(m_parameters.embedding);
    if (stage == m_case.pipeline - 1)
        parameters += m_case.pipeline > 1 && m_parameters.head == 0 ? double(m_parameters.embedding)
                                                                    : double(m_parameters.head);
    return parameters / m_case.tensor;
}

std::vector<std::vector<int>> StepModel::tensorGroups(int stage) const
{
    // All groups that can share a host with others; on large jobs those of the first two hosts speak for all.
    std::vector<std::vector<int>> groups;
    const int first = stage * stageWidth();
    const int most = isGivenTypeUniform() ? std::min(stageWidth(), std::max(m_case.tensor, 2 * m_case.gpusPerNode))
                                          : stageWidth();
    for (int g = 0; g + m_case.tensor <= most; g += m_case.tensor) {
        std::vector<int> group;
        for (int t = 0; t < m_case.tensor; ++t)
            group.push_back(first + g + t);
        groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<std::vector<int>> StepModel::dataGroups(int stage) const
{
    std::vector<std::vector<int>> groups;
    const int first = stage * stageWidth();
    for (int t = 0; t < m_case.tensor; ++t) {
        std::vector<int> group;
        for (int r = 0; r < replicas(); ++r)
            group.push_back(first + r * m_case.tensor + t);
        groups.push_back(std::move(group));
    }
    return groups;
}

/// `passes` reductions of the layer's activations over the tensor group.
double StepModel::tensorTraffic(int stage, double passes) const
{
    if (m_case.tensor < 2)
        return 0;
    const double bytes = double(m_microBatch) * m_case.sequence / m_case.context * m_case.hidden
        * activationBytes(m_job.precision);
    const int place = !isGivenTypeUniform() ? stage : 0;
    const auto known = m_tensorSeconds.find(place);
    if (known != m_tensorSeconds.end())
        return passes * known->second;
    const auto groups = tensorGroups(place);
    const auto one = [&](Collective kind) { return m_traffic.collective(kind, groups, bytes); };
    const double seconds = m_job.sequenceParallel ? one(Collective::AllGather) + one(Collective::ReduceScatter)
                                                  : one(Collective::AllReduce);
    m_disconnected = m_disconnected || seconds < 0;
    m_tensorSeconds.emplace(place, seconds);
    return passes * seconds;
}

/// Dispatch and combination of one layer's tokens over the expert ranks, one direction of the pass.
double StepModel::expertTraffic(int stage) const
{
    if (m_case.experts == 0 || m_case.expert < 2)
        return 0;
    const double tokens = double(m_microBatch) * m_case.sequence / m_case.context / m_case.tensor;
    const double bytes = tokens * m_case.topK * m_case.hidden * activationBytes(m_job.precision);
    std::vector<std::vector<int>> groups;
    const int first = m_traffic.knownRanks() >= m_case.gpus ? stage * stageWidth() : 0;
    const int most = std::min(stageWidth(), std::max(m_case.expert, 2 * m_case.gpusPerNode));
    for (int g = 0; g + m_case.expert <= most; g += m_case.expert) {
        std::vector<int> group;
        for (int e = 0; e < m_case.expert; ++e)
            group.push_back(first + g + e);
        groups.push_back(std::move(group));
    }
    const double seconds = m_traffic.collective(Collective::AllToAll, groups, bytes);
    m_disconnected = m_disconnected || seconds < 0;
    return 2 * seconds;
}

/// Keys and values of the other context ranks for one layer.
double StepModel::contextTraffic(int stage) const
{
    if (m_case.context < 2)
        return 0;
    const double width = double(m_job.model.kvHeads > 0 ? m_job.model.kvHeads : m_case.heads) / m_case.tensor
        * (m_case.headDim > 0 ? m_case.headDim : double(m_case.hidden) / m_case.heads);
    const double bytes = 2 * double(m_microBatch) * m_case.sequence * std::max(1.0, width)
        * activationBytes(m_job.precision);
    std::vector<std::vector<int>> groups;
    const int first = m_traffic.knownRanks() >= m_case.gpus ? stage * stageWidth() : 0;
    for (int t = 0; t < m_case.tensor; ++t) {
        std::vector<int> group;
        for (int r = 0; r < m_case.context; ++r)
            group.push_back(first + r * m_case.tensor + t);
        groups.push_back(std::move(group));
    }
    const double seconds = m_traffic.collective(Collective::AllGather, groups, bytes);
    m_disconnected = m_disconnected || seconds < 0;
    return seconds;
}

StepModel::StageTime StepModel::chunkTime(int stage, int replica, int chunk, int chunks,
                                          const std::vector<ComputeSeconds> &compute) const
{
    const double layers = double(layersOf(stage)) / chunks;
    const bool sequenceParallel = m_job.sequenceParallel;
    const double visible = 1 - m_profile.tensorOverlap;
    // Two reductions forward and two backward; full recomputation repeats the forward ones, and sequence parallelism
    // gathers the inputs once more for the weight gradients, half of it behind the products.
    const double forwardTensor = tensorTraffic(stage, 2) * visible;
    double backwardPasses = 2 + (sequenceParallel ? 0.25 : 0);
    if (m_case.recompute == Recompute::Full)
        backwardPasses += 2;
    const double backwardTensor = tensorTraffic(stage, backwardPasses) * visible;
    const double expert = expertTraffic(stage);
    const double context = contextTraffic(stage);

    StageTime out;
    double slowestForward = 0;
    double slowestBackward = 0;
    for (int r = 0; r < m_case.tensor * m_case.context; ++r) {
        const int rank = stage * stageWidth() + replica * m_case.tensor * m_case.context + r;
        const ComputeSeconds &c = compute[m_placement.typeOf(rank)];
        const double attention = context * 0.5; // half of the ring is hidden behind the attention of the own block
        double forward = layers * (c.layer.forward + forwardTensor + expert + attention);
        double backward = layers * (c.layer.backward + c.layer.recompute + backwardTensor + expert + 2 * attention);
        if (stage == 0 && chunk == 0) {
            forward += c.embedding.forward + tensorTraffic(stage, 1) * visible;
            backward += c.embedding.backward;
        }
        if (stage == m_case.pipeline - 1 && chunk == chunks - 1) {
            forward += c.head.forward;
            backward += c.head.backward + tensorTraffic(stage, 1) * visible;
        }
        slowestForward = std::max(slowestForward, forward);
        slowestBackward = std::max(slowestBackward, backward);
    }
    const double reductions = m_case.tensor > 1 ? 2 : 0;
    const double again = m_case.recompute == Recompute::Full ? 1 : m_case.recompute == Recompute::Selective ? 0.3 : 0;
    const double ends = (stage == 0 && chunk == 0 ? 0.5 : 0) + (stage == m_case.pipeline - 1 && chunk == chunks - 1 ? 0.5 : 0);
    const double hostForward = layers * (m_profile.hostForward + reductions * m_profile.hostTensor)
        + ends * m_profile.hostEnds;
    const double hostBackward = layers * (m_profile.hostBackward + again * m_profile.hostForward
                                          + (1 + again) * reductions * m_profile.hostTensor)
        + ends * m_profile.hostEnds;
    out.forward = hostFloor(slowestForward, hostForward);
    out.backward = hostFloor(slowestBackward, hostBackward);
    return out;
}

/// Activations of one micro-batch from a stage to the next (the last one: back to the first, for the next chunk).
double StepModel::transferTime(int stage) const
{
    if (m_case.pipeline < 2)
        return 0;
    double bytes = double(m_microBatch) * m_case.sequence / m_case.context * m_case.hidden
        * activationBytes(m_job.precision);
    const bool scattered = m_case.tensor > 1 && (m_job.sequenceParallel || given(m_case, "scatter_gather"));
    if (scattered)
        bytes /= m_case.tensor;
    const int width = stageWidth();
    int from = stage * width;
    int to = (stage + 1) % m_case.pipeline * width;
    if (m_traffic.knownRanks() < m_case.gpus) {
        // The hosts repeat: stages inside a host look like those of the first ones, wider ones send to another host.
        const int period = m_traffic.knownRanks() / width - 1;
        from = period > 0 ? stage % period * width : 0;
        to = period > 0 ? from + width : m_case.gpusPerNode;
    }
    const int senders = isGivenTypeUniform() ? std::min(width, std::max(m_case.tensor, m_case.gpusPerNode)) : width;
    std::vector<std::pair<int, int>> pairs;
    for (int r = 0; r < senders; ++r)
        pairs.emplace_back(from + r, to + r);
    double seconds = m_traffic.sends(pairs, bytes);
    m_disconnected = m_disconnected || seconds < 0;
    if (scattered && !m_job.sequenceParallel)
        seconds += m_traffic.collective(Collective::AllGather, tensorGroups(0), bytes * m_case.tensor);
    return seconds;
}

double StepModel::gradientTime(int stage, double lastBackward) const
{
    if (replicas() < 2 || given(m_case, "no_optimizer"))
        return 0;
    const auto groups = dataGroups(m_traffic.knownRanks() >= m_case.gpus ? stage : 0);
    const double parameters = stageParameters(stage);
    double seconds = 0;
    double gather = 0;
    if (m_case.sharding == Sharding::None) {
        seconds = m_traffic.collective(Collective::AllReduce, groups, parameters * m_profile.gradientBytes);
    } else {
        seconds = m_traffic.collective(Collective::ReduceScatter, groups, parameters * m_profile.gradientBytes);
        gather = m_traffic.collective(Collective::AllGather, groups,
                                      parameters * std::min(2.0, activationBytes(m_job.precision)));
    }
    m_disconnected = m_disconnected || seconds < 0 || gather < 0;
    if (!m_profile.overlapGradients)
        return seconds + gather;
    // Hidden behind the last backward pass, the gather behind the next forward pass; the first bucket cannot be.
    return std::max(0.1 * seconds, seconds - lastBackward) + std::max(0.1 * gather, gather - 0.5 * lastBackward);
}

double StepModel::optimiserTime(int stage) const
{
    double local = stageParameters(stage);
    if (m_case.sharding != Sharding::None)
        local /= replicas();
    double slowest = 0;
    for (int r = 0; r < stageWidth() && r < m_traffic.knownRanks(); ++r) {
        const KernelModel &kernels = m_kernels[m_placement.typeOf(stage * stageWidth() + r)];
        slowest = std::max(slowest, kernels.memoryBound(local * m_profile.optimiserBytes).value);
    }
    return slowest;
}

/// One micro-batch of a model that is sharded layer by layer: gathers run one layer ahead of the products, reductions
/// one behind, on one communication stream.
double StepModel::shardedMicroBatch(const ComputeSeconds &compute, int stage) const
{
    const auto groups = dataGroups(0);
    const double layerParameters = double(m_parameters.ofLayer(m_job.model, m_case.layers - 1)) / m_case.tensor;
    const double endParameters = double(m_parameters.embedding + m_parameters.head) / m_case.tensor;
    const auto time = [&](Collective kind, double bytes) {
        const double seconds = replicas() > 1 ? m_traffic.collective(kind, groups, bytes) : 0;
        m_disconnected = m_disconnected || seconds < 0;
        return seconds;
    };
    const double gather = time(Collective::AllGather, 2 * layerParameters);
    const double reduce = time(Collective::ReduceScatter, m_profile.gradientBytes * layerParameters);
    const double gatherEnds = time(Collective::AllGather, 2 * endParameters);
    const double reduceEnds = time(Collective::ReduceScatter, m_profile.gradientBytes * endParameters);
    const bool again = m_case.sharding == Sharding::Zero3;

    const double layers = layersOf(stage);
    const double visible = 1 - m_profile.tensorOverlap;
    const double tensorForward = tensorTraffic(stage, 2) * visible;
    const double tensorBackward = tensorTraffic(stage, m_case.recompute == Recompute::Full ? 4 : 2) * visible;
    const double context = 0.5 * contextTraffic(stage);
    auto beside = [&](double products, double traffic) {
        const double slowed = products + (m_profile.overlapSlowdown - 1) * std::min(products, traffic);
        return std::max(slowed, traffic);
    };
    const double repeat = m_case.recompute == Recompute::Full ? 1 : m_case.recompute == Recompute::Selective ? 0.5 : 0;
    const double forward = hostFloor(compute.layer.forward + tensorForward + context, m_profile.hostForward);
    const double backward = hostFloor(compute.layer.backward + compute.layer.recompute + tensorBackward + 2 * context,
                                      m_profile.hostBackward + repeat * m_profile.hostForward);
    double seconds = gatherEnds + gather; // nothing runs beside the first ones
    seconds += layers * beside(forward, gather);
    seconds += layers * beside(backward, (again ? gather : 0) + reduce);
    seconds += reduce + reduceEnds;       // nor beside the last
    seconds += std::max(compute.embedding.forward + compute.embedding.backward + compute.head.forward
                            + compute.head.backward,
                        m_profile.hostEnds);
    return seconds;
}

double StepModel::seconds(int microBatch, int chunks)
{
    m_microBatch = microBatch;
    m_tensorSeconds.clear();
    std::vector<ComputeSeconds> compute;
    for (const KernelModel &kernels : m_kernels)
        compute.push_back(computeSeconds(m_case, kernels, m_profile, microBatch));
    const int perReplica = m_case.globalBatch / std::max(1, m_case.data);
    const int microBatches = std::max(1, (perReplica + microBatch - 1) / microBatch);

    double step = 0;
    if (m_profile.perLayerSharding && m_case.pipeline == 1) {
        step = microBatches * shardedMicroBatch(compute.front(), 0) + optimiserTime(0) + m_profile.hostStep;
        return m_disconnected ? -1 : step;
    }
    PipelineShape shape;
    shape.stages = m_case.pipeline;
    shape.chunks = chunks;
    shape.microBatches = microBatches;
    shape.blocking = m_profile.syncPipeline;
    for (int s = 0; s < m_case.pipeline; ++s)
        shape.transfer.push_back(transferTime(s));
    const int kinds = isGivenTypeUniform() ? 1 : m_case.data; // replicas that may differ
    std::vector<double> finish(static_cast<std::size_t>(m_case.pipeline), 0);
    std::vector<double> lastBackward(static_cast<std::size_t>(m_case.pipeline), 0);
    for (int replica = 0; replica < kinds; ++replica) {
        shape.forward.clear();
        shape.backward.clear();
        for (int s = 0; s < m_case.pipeline; ++s) {
            for (int chunk = 0; chunk < chunks; ++chunk) {
                const StageTime time = chunkTime(s, replica, chunk, chunks, compute);
                shape.forward.push_back(time.forward);
                shape.backward.push_back(time.backward);
                lastBackward[static_cast<std::size_t>(s)] += time.backward;
            }
        }
        const std::vector<double> ends = pipelineFinish(shape);
        for (std::size_t s = 0; s < ends.size(); ++s)
            finish[s] = std::max(finish[s], ends[s]);
    }
    for (int s = 0; s < m_case.pipeline; ++s) {
        const auto at = static_cast<std::size_t>(s);
        step = std::max(step, finish[at] + gradientTime(s, lastBackward[at]) + optimiserTime(s));
    }
    return m_disconnected ? -1 : step + m_profile.hostStep;
}

} // namespace polyrail
