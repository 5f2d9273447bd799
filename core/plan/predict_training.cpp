// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/step_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace polyrail {

namespace {

constexpr int mostHosts = 32; ///< larger jobs repeat the same hosts: see CaseTraffic

constexpr int mostRanks = 1 << 20;
constexpr double mostOperations = 2e7;

constexpr double fittedSpread = 1.09;
constexpr double otherSpread = 1.20;
constexpr double looseSpread = 1.12; ///< on top: mixed machines, a network that is not stated

/// Frameworks with cases among those that the figures were fitted on.
bool knownFramework(const std::string &name)
{
    for (const char *part : {"Composer", "torchtitan", "core r0.", "Megatron-LM", "Megatron-DeepSpeed", "v1.1.5"})
        if (name.find(part) != std::string::npos)
            return true;
    return false;
}

} // namespace

Prediction predictTraining(const TrainingCase &c, const Catalogue &catalogue)
{
    Prediction out;
    if (c.hidden < 1 || c.layers < 1 || c.heads < 1 || c.vocab < 1 || c.sequence < 1 || c.globalBatch < 1) {
        out.note = "needs hidden, layers, heads, vocab, seq and global_batch";
        return out;
    }
    for (const int size : {c.tensor, c.pipeline, c.context, c.data, c.expert})
        if (size < 1 || size > mostRanks) {
            out.note = "tp, pp, cp, dp and ep must be positive, at most " + std::to_string(mostRanks);
            return out;
        }
    if (c.microBatch < 0 || c.virtualStages < 0 || c.virtualStages > c.layers || c.kvHeads < 0 || c.headDim < 0
        || c.ffn < 1 || c.experts < 0 || c.topK < 0 || c.gpusPerNode < 1) {
        out.note = "a size is negative or zero, or vpp exceeds the layers";
        return out;
    }
    if (double(c.globalBatch) / c.data * c.pipeline * std::max(1, c.virtualStages) > mostOperations) {
        out.note = "more micro-batches than can be followed one by one";
        return out;
    }
    if (std::int64_t(c.tensor) * c.pipeline * c.context * c.data != c.gpus) {
        out.note = "tp x pp x cp x dp is not the number of GPUs";
        return out;
    }
    if (!c.layerPartition.empty() && static_cast<int>(c.layerPartition.size()) != c.pipeline) {
        out.note = "layer_partition does not have one entry per pipeline stage";
        return out;
    }
    if (!c.layerPartition.empty()
        && std::accumulate(c.layerPartition.begin(), c.layerPartition.end(), std::int64_t(0)) != c.layers) {
        out.note = "layer_partition does not sum to the layers";
        return out;
    }
    auto placement = placeCase(c, catalogue, mostHosts);
    if (!placement) {
        out.note = placement.error().message();
        return out;
    }
    auto machine = machineOfHosts(placement->hosts, catalogue);
    if (!machine) {
        out.note = machine.error().message();
        return out;
    }
    StepModel model(c, catalogue, *placement, *machine);
    const std::vector<int> sizes = c.microBatch > 0 ? std::vector<int>{c.microBatch} : std::vector<int>{1, 2, 4, 8};
    std::vector<int> chunkChoices = {std::max(1, c.virtualStages)};
    if (c.virtualStages == 0 && c.pipeline > 1)
        chunkChoices = {1, 2, 4};
    double best = std::numeric_limits<double>::infinity();
    double bestMemory = 0;
    for (const bool mustFit : {true, false}) {
        for (const int size : sizes) {
            for (const int chunks : chunkChoices) {
                if (c.globalBatch / c.data % size != 0 && sizes.size() > 1)
                    continue;
                if (chunkChoices.size() > 1 && c.layers / c.pipeline < chunks)
                    continue;
                const double memory = peakMemoryGib(c, size, chunks);
                if (mustFit && sizes.size() * chunkChoices.size() > 1 && memory > placement->leastMemoryGib)
                    continue;
                const double seconds = model.seconds(size, chunks);
                if (seconds < 0) {
                    out.note = "two ranks that must talk are not connected";
                    return out;
                }
                if (seconds < best) {
                    best = seconds;
                    bestMemory = memory;
                    if (sizes.size() * chunkChoices.size() > 1)
                        out.note = "fastest: micro-batch " + std::to_string(size) + ", "
                            + std::to_string(chunks) + " chunks per GPU";
                }
            }
        }
        if (std::isfinite(best))
            break;
    }
    if (!std::isfinite(best)) {
        out.note = "no micro-batch of {1,2,4,8} divides the batch of a replica";
        return out;
    }
    if (!placement->note.empty())
        out.note += (out.note.empty() ? "" : "; ") + placement->note;
    out.value = best;
    out.peakMemoryGib = bestMemory;
    // Residuals of the fit (docs/accuracy.md): two thirds of the cases lie within these factors.
    double spread = knownFramework(c.framework) ? fittedSpread : otherSpread;
    if (!placement->note.empty() || placement->types.size() > 1)
        spread *= looseSpread;
    out.low = best / spread;
    out.high = best * spread;
    return out;
}

} // namespace polyrail
