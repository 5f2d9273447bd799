// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/device_classes.hpp"
#include "core/search/engine.hpp"
#include "core/search/suffix_table.hpp"

namespace polyrail {

/// One training step under 1F1B pipeline parallelism. Decided, in this order: micro-batch and recomputation; number of
/// stages; then from the first stage on its device group (any mix of classes, tensor size by class, unequal batch
/// shares) and its layers. Bounds: configuration LP, then suffix tables for growing cut-offs, then prefix + table.
/// Their arguments are in docs/planning-model.md.
class TrainingSpace : public SearchSpace
{
public:
    TrainingSpace(std::shared_ptr<const CostContext> context, int maxStages);

    NodePtr root() const override;
    void expand(const SearchNode &node, Expansion &out) const override;

    /// What "optimal" covers, in words.
    std::string description() const;
    const DeviceClasses &classes() const { return m_classes; }
    const LayerTimeTable &layerTimes() const { return m_layerTimes; }
    /// Micro-batches (samples over all replicas of a stage) that are tried.
    std::vector<int> microBatches() const;
    std::vector<Recompute> recomputations() const;
    int maxStages() const { return m_maxStages; }

private:
    struct Root;
    struct Choice;
    struct Prefix;

    void expandRoot(const Root &node, Expansion &out) const;
    void makeChoice(const Choice &node, Expansion &out) const;
    void tryCutoff(const Choice &node, Expansion &out) const;
    void expandPrefix(const Prefix &node, Expansion &out) const;
    void evaluateLeaf(const OptionSet &set, std::span<const StageChoice> stages, Expansion &out) const;

    std::shared_ptr<const CostContext> m_context;
    DeviceClasses m_classes;
    LayerTimeTable m_layerTimes;
    int m_maxStages;
};

/// A key that orders plans of equal step time; equal plans have equal keys.
std::string planKey(const Plan &plan);

} // namespace polyrail
