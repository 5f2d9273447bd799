// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/device_classes.hpp"
#include "core/search/pipeline_bound.hpp"

#include <atomic>
#include <limits>
#include <vector>

namespace polyrail {

using Counts = std::array<int, std::size_t(maxClasses)>; ///< devices by class

/// What one class gives to a stage: `replicas` tensor groups of `tensor` devices; the first `larger` of them take
/// `samples` + 1 of every micro-batch, the others `samples`.
struct ClassPart
{
    std::size_t deviceClass = 0;
    int tensor = 1;
    int replicas = 0;
    int samples = 0;
    int larger = 0;
};

/// A way to man one stage, without its layers.
struct StageOption
{
    std::vector<ClassPart> parts;
    Counts counts{};

    /// One kind of replica with its best-case costs.
    struct Kind
    {
        std::size_t deviceClass = 0;
        int tensor = 1;
        int samples = 0;
        ReplicaTimes times;
        double reduce = 0; ///< one tensor all-reduce
        MemoryModel memory;
        double sliceEgress = 0; ///< bytes/s of a device, for gradients
        double optimiserPerParameter = 0;
    };
    std::vector<Kind> kinds;
    double boundary = 0;       ///< least time of a boundary transfer, this stage's side
    int replicas = 0;
    double gradientHostBytes = 0; ///< share of the stage's gradient bytes that must leave some host, over its bandwidth
    double fastestLayer = 0;   ///< seconds of forward + backward of the cheapest layer kind, slowest replica

    int forwardReduces = 0;    ///< per layer
    int backwardReduces = 0;
};

/// One (micro-batch, recomputation) choice with all its options.
struct OptionSet
{
    int microBatch = 1;
    int microBatches = 1;
    Recompute recompute = Recompute::None;
    std::vector<StageOption> options;
};

/// Forward + backward of one layer (of the kind that most layers have), best-case collectives included, by (class, tensor size,
/// samples, recomputation). Filled as asked for; shared by all choices of a space. Thread-safe without locks: two threads may
/// compute one entry twice, to the same value.
class LayerTimeTable
{
public:
    LayerTimeTable(const CostContext &context, const DeviceClasses &classes, int mostSamples);
    /// `tensor` must be one of the class's sizes, samples 1..mostSamples. Seconds.
    double at(std::size_t deviceClass, int tensor, int samples, Recompute recompute) const;

private:
    double compute(std::size_t deviceClass, int tensor, int samples, Recompute recompute) const;

    const CostContext &m_context;
    const DeviceClasses &m_classes;
    std::size_t m_samples;
    mutable std::vector<std::atomic<double>> m_times; ///< NaN = not yet asked for
};

/// All options of a choice. Shares: the least time such that the replicas together take the micro-batch when each takes
/// the most samples that it does in that time (forward + backward of one layer); what is too many is
/// taken from the first classes' replicas. Options in which a replica would get nothing are left out (their
/// subset is an option of its own). `cancel`: returns early with what there is.
OptionSet makeOptions(const CostContext &context, const DeviceClasses &classes, const LayerTimeTable &times,
                      int microBatch, Recompute recompute, const std::atomic<bool> *cancel);

/// Costs of an option with given layers as the bounds see them. `fromEnd` = 1: last stage; `first`: stage 1.
StageTimes stageTimes(const CostContext &context, const StageOption &option, LayerMix mix, bool first, bool last);

/// Whether the layers fit into every device of the option.
bool fits(const DeviceClasses &classes, const StageOption &option, LayerMix mix, bool first, bool last, int inFlight);

} // namespace polyrail
