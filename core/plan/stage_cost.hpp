// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/kernel_model.hpp"
#include "core/workload/training_job.hpp"
#include "core/workload/transformer.hpp"

#include <array>
#include <cstdint>

namespace polyrail {

/// What one device of a tensor group spends on one micro-batch: seconds of computation per layer kind
/// (index: LayerKind), without communication. Backward includes recomputation.
struct ReplicaTimes
{
    std::array<double, 2> forward{};
    std::array<double, 2> backward{};
    double embeddingForward = 0;
    double embeddingBackward = 0;
    double headForward = 0;
    double headBackward = 0;

    /// Times of the pass over layers [first, last] of a model; embedding in the first stage, head in the last.
    double forwardOf(int dense, int expert, bool first, bool last) const
    {
        return dense * forward[0] + expert * forward[1] + (first ? embeddingForward : 0) + (last ? headForward : 0);
    }
    double backwardOf(int dense, int expert, bool first, bool last) const
    {
        return dense * backward[0] + expert * backward[1] + (first ? embeddingBackward : 0)
            + (last ? headBackward : 0);
    }
};
ReplicaTimes replicaTimes(const TrainingJob &job, const KernelModel &kernels, int tensor, int samples,
                          Recompute recompute);

/// Tensor collectives of one pass: all-reduces of `bytes` each (a reduce-scatter and an all-gather of the
/// same total under sequence parallelism).
struct TensorCollectives
{
    double bytes = 0;
    int forwardPerLayer = 0;
    int backwardPerLayer = 0; ///< recomputed ones included
    /// Counts of a whole pass: the embedding and the output layer add one each where they stand.
    int forwardCount(int layers, bool first) const { return forwardPerLayer * layers + (first ? 1 : 0); }
    int backwardCount(int layers, bool last) const { return backwardPerLayer * layers + (last ? 1 : 0); }
};
TensorCollectives tensorCollectives(const TrainingJob &job, int samples, Recompute recompute);

/// Memory of one device, linear in layers and in micro-batches in flight. Bytes.
struct MemoryModel
{
    std::array<double, 2> weightsPerLayer{};
    std::array<double, 2> gradientsPerLayer{};
    std::array<double, 2> optimiserPerLayer{};
    std::array<double, 2> activationsPerLayer{}; ///< one micro-batch
    std::array<double, 3> embedding{};           ///< weights, gradients, optimiser
    std::array<double, 3> head{};
    std::array<double, 3> tiedCopy{}; ///< a tied table's second copy, on a last stage that is not the first
    double headActivations = 0; ///< logits: once, not per micro-batch in flight
    double workspace = 0;       ///< context, communication buffers, allocator loss, one layer being recomputed

    double need(int dense, int expert, bool first, bool last, int inFlight) const;
};
/// `replicas`: data-parallel copies of the stage, over which optimiser state is sharded.
MemoryModel memoryModel(const TrainingJob &job, int tensor, int samples, int replicas, Recompute recompute);

/// Dense and expert layers among [first, last].
struct LayerMix
{
    int dense = 0;
    int expert = 0;
};
LayerMix layerMix(const ModelShape &shape, int first, int last);

/// Parameters held by a whole stage (all tensor ranks together).
double stageParameters(const ModelShape &shape, const ParameterCount &count, int firstLayer, int lastLayer);

/// Micro-batches whose activations a stage holds at its peak: `fromEnd` counts stages from the last (1).
int inFlightMicroBatches(bool gpipe, int microBatches, int fromEnd);

} // namespace polyrail
