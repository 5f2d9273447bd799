// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/training_step.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

constexpr double gibibyte = 1073741824.0;
/// Blocks that the caching allocator holds without use.
constexpr double fragmentation = 1.04;

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

} // namespace

double peakMemoryGib(const TrainingCase &c, int microBatch, int chunks)
{
    const TrainingJob job = jobOfCase(c);
    const FrameworkProfile profile = frameworkProfile(c.framework, c.options, c.sharding == Sharding::Zero3);
    const Slice slice = sliceOfCase(c, microBatch);
    const ParameterCount count = countParameters(job.model);
    const int stages = std::max(1, c.pipeline);
    const int replicas = std::max(1, c.data * c.context);
    const LayerKind kind = c.experts > 0 ? LayerKind::Expert : LayerKind::Dense;

    const StateBytes state = stateBytes(job.precision);
    double weight = state.weight;
    double gradient = state.gradient;
    double optimiser = state.optimiser;
    const bool fullySharded = c.sharding == Sharding::Zero3 || (c.sharding == Sharding::Zero2 && !has(c.framework, "Meg"));
    if (fullySharded && job.precision != Precision::Fp32 && job.precision != Precision::Tf32) {
        // FSDP keeps one fp32 copy of weights and gradients, sharded, and gathers in bf16 what it needs.
        const bool pure = std::find(c.options.begin(), c.options.end(), "fsdp_pure_bf16") != c.options.end();
        weight = pure ? 2 : 4;
        gradient = pure ? 2 : 4;
        optimiser = pure ? 4 : 8;
    }
    const double shardWeight = c.sharding == Sharding::Zero3 ? replicas : 1;
    const double shardGradient = c.sharding >= Sharding::Zero2 ? replicas : 1;
    const double shardState = c.sharding >= Sharding::Zero1 ? replicas : 1;

    const int microBatches = std::max(1, c.globalBatch / std::max(1, microBatch * c.data));
    double worst = 0;
    int first = 0;
    for (int s = 0; s < stages; ++s) {
        const int layers = c.layerPartition.empty() ? (c.layers + stages - 1) / stages
                                                    : c.layerPartition[static_cast<std::size_t>(s)];
        double experts = 0;
        double parameters = 0;
        for (int l = first; l < std::min(first + layers, c.layers); ++l)
            parameters += double(count.ofLayer(job.model, l)) / c.tensor;
        first += layers;
        if (c.experts > 0) { // expert weights are spread over the expert ranks
            experts = double(layers) * 3.0 * c.experts * double(c.hidden) * c.ffn / c.tensor;
            parameters -= experts * (1 - 1.0 / c.expert);
        }
        if (s == 0)
            parameters += double(count.embedding) / c.tensor;
        if (s == stages - 1)
            parameters += double(count.head > 0 || stages == 1 ? count.head : count.embedding) / c.tensor;
        double bytes = parameters * (weight / shardWeight + gradient / shardGradient + optimiser / shardState);
        if (c.sharding == Sharding::Zero3) // two layers gathered at a time, and their gradients before the reduction
            bytes += 2 * (2 + 2) * double(count.ofLayer(job.model, 0)) / c.tensor;

        const double inFlight = std::min(microBatches, stages - s);
        double perMicroBatch = layers * activationBytesPerLayer(job, kind, slice, c.recompute);
        if (c.recompute == Recompute::Selective)
            perMicroBatch *= profile.selectiveShare;
        double activations = perMicroBatch * inFlight;
        if (chunks > 1) // interleaving holds more: Narayanan et al., arXiv 2104.04473, section 2.2
            activations *= 1 + double(stages - 1) / (stages * chunks);
        if (c.recompute == Recompute::Full)
            activations += activationBytesPerLayer(job, kind, slice, Recompute::None);
        if (s == stages - 1)
            activations += 1.5 * headActivationBytes(job, slice);
        worst = std::max(worst, bytes + activations * fragmentation);
    }
    return worst / gibibyte + profile.reservedGib;
}

} // namespace polyrail
