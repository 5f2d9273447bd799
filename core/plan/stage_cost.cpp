// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/stage_cost.hpp"

#include <algorithm>

namespace polyrail {

namespace {

/// CUDA context, kernels, communication buffers and allocator loss; about what an idle rank of a large job holds
/// (PyTorch's memory documentation and Megatron-LM logs report 0.8 to 1.5 GiB).
constexpr double contextBytes = 1.0 * 1073741824.0;

double attentionTime(const std::vector<Operator> &ops, const KernelModel &kernels, Precision p)
{
    double sum = 0;
    for (const Operator &op : ops)
        if (op.kind == OperatorKind::Attention)
            sum += kernels.time(op, p).value;
    return sum;
}

} // namespace

ReplicaTimes replicaTimes(const TrainingJob &job, const KernelModel &kernels, int tensor, int samples,
                          Recompute recompute)
{
    ReplicaTimes times;
    const Slice slice {static_cast<double>(samples), tensor, 1, 1};
    const Precision p = job.precision;
    for (LayerKind kind : {LayerKind::Dense, LayerKind::Expert}) {
        if (kind == LayerKind::Expert && job.model.experts == 0)
            continue;
        const auto i = static_cast<std::size_t>(kind);
        const std::vector<Operator> forward = layerForward(job, kind, slice);
        times.forward[i] = kernels.timeOf(forward, p).value;
        times.backward[i] = kernels.timeOf(backwardOf(forward, job.flashAttention), p).value;
        if (recompute == Recompute::Full)
            times.backward[i] += times.forward[i];
        else if (recompute == Recompute::Selective)
            times.backward[i] += attentionTime(forward, kernels, p);
    }
    const std::vector<Operator> embedding = embeddingForward(job, slice);
    times.embeddingForward = kernels.timeOf(embedding, p).value;
    times.embeddingBackward = kernels.timeOf(backwardOf(embedding, job.flashAttention), p).value;
    const std::vector<Operator> head = headForward(job, slice);
    times.headForward = kernels.timeOf(head, p).value;
    times.headBackward = kernels.timeOf(backwardOf(head, job.flashAttention), p).value;
    return times;
}

TensorCollectives tensorCollectives(const TrainingJob &job, int samples, Recompute recompute)
{
    TensorCollectives c;
    c.bytes = static_cast<double>(samples) * job.sequence * job.model.hidden * activationBytes(job.precision);
    c.forwardPerLayer = job.model.parallelResidual ? 1 : 2;
    c.backwardPerLayer = c.forwardPerLayer * (recompute == Recompute::Full ? 2 : 1);
    return c;
}

double MemoryModel::need(int dense, int expert, bool first, bool last, int inFlight) const
{
    double bytes = workspace;
    const std::array<int, 2> count {dense, expert};
    for (std::size_t i = 0; i < 2; ++i)
        bytes += count[i]
            * (weightsPerLayer[i] + gradientsPerLayer[i] + optimiserPerLayer[i] + inFlight * activationsPerLayer[i]);
    if (first)
        bytes += embedding[0] + embedding[1] + embedding[2];
    if (last)
        bytes += head[0] + head[1] + head[2] + headActivations;
    if (last && !first)
        bytes += tiedCopy[0] + tiedCopy[1] + tiedCopy[2];
    return bytes;
}

MemoryModel memoryModel(const TrainingJob &job, int tensor, int samples, int replicas, Recompute recompute)
{
    MemoryModel m;
    const ParameterCount parameters = countParameters(job.model);
    const StateBytes state = stateBytes(job.precision);
    const double optimiser = state.optimiser / (job.sharding == Sharding::None ? 1 : replicas);
    const double gradient = state.gradient / (job.sharding >= Sharding::Zero2 ? replicas : 1);
    const double weight = state.weight / (job.sharding == Sharding::Zero3 ? replicas : 1);
    const Slice slice {static_cast<double>(samples), tensor, 1, 1};
    for (LayerKind kind : {LayerKind::Dense, LayerKind::Expert}) {
        if (kind == LayerKind::Expert && job.model.experts == 0)
            continue;
        const auto i = static_cast<std::size_t>(kind);
        const double count
            = static_cast<double>(kind == LayerKind::Dense ? parameters.denseLayer : parameters.expertLayer) / tensor;
        m.weightsPerLayer[i] = count * weight;
        m.gradientsPerLayer[i] = count * gradient;
        m.optimiserPerLayer[i] = count * optimiser;
        m.activationsPerLayer[i] = activationBytesPerLayer(job, kind, slice, recompute);
        if (recompute != Recompute::None) // the layer being recomputed holds its activations for a moment
            m.workspace = std::max(m.workspace, activationBytesPerLayer(job, kind, slice, Recompute::None));
    }
    m.workspace += contextBytes;
    const double table = static_cast<double>(parameters.embedding) / tensor;
    m.embedding = {table * weight, table * gradient, table * optimiser};
    const double head = static_cast<double>(parameters.head + parameters.finalNorm) / tensor;
    m.head = {head * weight, head * gradient, head * optimiser};
    if (job.model.tiedEmbeddings)
        m.tiedCopy = m.embedding;
    m.headActivations = headActivationBytes(job, slice);
    return m;
}

LayerMix layerMix(const ModelShape &shape, int first, int last)
{
    const int total = last - first + 1;
    if (shape.experts == 0)
        return {total, 0};
    const int dense = std::clamp(std::min(last + 1, shape.firstDenseLayers) - first, 0, std::max(total, 0));
    return {dense, total - dense};
}

double stageParameters(const ModelShape &shape, const ParameterCount &count, int firstLayer, int lastLayer)
{
    const LayerMix mix = layerMix(shape, firstLayer, lastLayer);
    double sum = static_cast<double>(mix.dense) * static_cast<double>(count.denseLayer)
        + static_cast<double>(mix.expert) * static_cast<double>(count.expertLayer);
    const bool first = firstLayer == 0;
    const bool last = lastLayer == shape.layers - 1;
    if (first)
        sum += static_cast<double>(count.embedding);
    if (last)
        sum += static_cast<double>(count.finalNorm + count.head)
            + (shape.tiedEmbeddings && !first ? static_cast<double>(count.embedding) : 0.0);
    return sum;
}

int inFlightMicroBatches(bool gpipe, int microBatches, int fromEnd)
{
    return gpipe ? microBatches : std::min(microBatches, fromEnd);
}

} // namespace polyrail
