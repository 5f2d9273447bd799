// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/kernel_model.hpp"
#include "core/plan/framework_profile.hpp"
#include "core/plan/predict.hpp"
#include "core/plan/training_step.hpp"

#include <algorithm>

namespace polyrail {

namespace {

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

// What measuring programs add to a product. NeuSight times single calls from Python, so its figures hold the way
// through the framework and, for batched products, a shorter one. vLLM's fp8 linear layer quantises its input row by
// row, one block of threads each; TensorRT-LLM's does it in one streaming kernel.
constexpr double neusightLinear = 40e-6;
constexpr double neusightBatched = 22e-6;
constexpr double quantiseCycles = 1700;     ///< per row and multiprocessor
constexpr double quantiseRate = 7.3;        ///< bytes per cycle and multiprocessor, row by row
constexpr double quantiseShare = 0.85;      ///< of the memory bandwidth at most

double harnessSeconds(const MatmulCase &c, const GpuType &gpu, const KernelModel &kernels)
{
    if (has(c.source, "neusight"))
        return has(c.source, "bmm") ? neusightBatched : neusightLinear;
    if (c.precision != "fp8" || !has(c.source, "aiconfigurator"))
        return 0;
    const double rows = double(c.batch) * double(c.m);
    const double bytes = 3.0 * rows * double(c.k); // two read, one written
    if (has(c.source, "trtllm"))
        return bytes / (gpu.memoryBandwidth.value * quantiseShare)
            + kernels.constants(Precision::Bf16).launchSeconds;
    // Every multiprocessor does 256 fp32 operations a cycle, on all architectures in question.
    const auto &vector = gpu.peak[static_cast<std::size_t>(Precision::Fp32)];
    const double clock = vector && gpu.multiprocessors > 0 ? vector->value / (256.0 * gpu.multiprocessors) : 1.8e9;
    const double cycles = clock * std::max(1, gpu.multiprocessors);
    return rows * quantiseCycles / cycles
        + std::max(bytes / (quantiseRate * cycles), bytes / (gpu.memoryBandwidth.value * quantiseShare));
}

} // namespace

Prediction predictMatmul(const MatmulCase &c, const Catalogue &catalogue)
{
    Prediction out;
    const GpuType *gpu = catalogue.find(c.gpu);
    if (gpu == nullptr) {
        out.note = "unknown GPU type " + c.gpu;
        return out;
    }
    if (c.batch < 1 || c.m < 1 || c.n < 1 || c.k < 1) {
        out.note = "needs positive batch, m, n and k";
        return out;
    }
    const std::array<std::pair<const char *, Precision>, precisionCount> names = {{{"fp32", Precision::Fp32},
                                                                                  {"tf32", Precision::Tf32},
                                                                                  {"fp16", Precision::Fp16},
                                                                                  {"bf16", Precision::Bf16},
                                                                                  {"fp8", Precision::Fp8}}};
    const auto precision = std::find_if(names.begin(), names.end(),
                                        [&](const auto &n) { return c.precision == n.first; });
    if (precision == names.end()) {
        out.note = "unknown precision " + c.precision;
        return out;
    }
    const KernelModel kernels(*gpu);
    // Measured in a loop: operands stay in the cache, unless the program quantises them in between.
    const auto cache = precision->second == Precision::Fp8 ? KernelModel::Cache::Cold : KernelModel::Cache::Warm;
    const double seconds = kernels.matmul({c.batch, c.m, c.n, c.k}, precision->second, cache).value
        + harnessSeconds(c, *gpu, kernels);
    out.value = seconds * 1e6;
    double spread = 1.2;
    if (kernels.hasOwnConstants(precision->second))
        spread = 1 + std::max(5.0, kernels.constants(precision->second).fitErrorPercent) / 100;
    else
        out.note = "constants of the architecture";
    out.low = *out.value / spread;
    out.high = *out.value * spread;
    return out;
}

LayerPrediction predictLayer(const LayerCase &c, const Catalogue &catalogue)
{
    LayerPrediction out;
    const auto refuse = [&](const std::string &why) {
        out.forward.note = out.backward.note = out.update.note = why;
        return out;
    };
    const GpuType *gpu = catalogue.find(c.gpu);
    if (gpu == nullptr)
        return refuse("unknown GPU type " + c.gpu);
    if (c.hidden < 1 || c.heads < 1 || c.sequence < 1 || c.microBatch < 1 || c.tensor < 1)
        return refuse("needs hidden, heads, seq, micro_batch and tp");
    TrainingCase t;
    t.gpu = c.gpu;
    t.hidden = c.hidden;
    t.layers = 1;
    t.heads = c.heads;
    t.ffn = c.ffn;
    t.gatedMlp = c.gatedMlp;
    t.vocab = std::max(1, c.vocab);
    t.sequence = c.sequence;
    t.tensor = c.tensor;
    t.precision = c.tf32 ? Precision::Tf32 : Precision::Fp32;
    t.framework = "Megatron-DeepSpeed (Sailor)";
    const FrameworkProfile profile = frameworkProfile(t.framework, {}, false);
    const KernelModel kernels(*gpu);
    const ComputeSeconds seconds = computeSeconds(t, kernels, profile, c.microBatch);
    const TrainingJob job = jobOfCase(t);
    const ParameterCount count = countParameters(job.model);
    const LayerSeconds *part = nullptr;
    double parameters = double(count.denseLayer) / c.tensor;
    if (has(c.kind, "transformer"))
        part = &seconds.layer;
    else if (has(c.kind, "embed"))
        part = &seconds.embedding;
    else if (has(c.kind, "head"))
        part = &seconds.head;
    if (part != nullptr) {
        out.forward.value = part->forward;
        out.backward.value = part->backward;
    } else if (has(c.kind, "norm")) {
        const double bytes = 2.0 * c.microBatch * c.sequence * double(c.hidden) * activationBytes(job.precision);
        out.forward.value = kernels.memoryBound(bytes).value;
        out.backward.value = kernels.memoryBound(1.5 * bytes).value;
        parameters = 2.0 * c.hidden;
    } else {
        return refuse("unknown layer kind " + c.kind);
    }
    if (part == &seconds.embedding || part == &seconds.head)
        parameters = double(t.vocab) * c.hidden / c.tensor;
    out.update.value = kernels.memoryBound(parameters * profile.optimiserBytes).value;
    return out;
}

} // namespace polyrail
