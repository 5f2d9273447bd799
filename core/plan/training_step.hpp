// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/kernel_model.hpp"
#include "core/plan/case_cluster.hpp"
#include "core/plan/framework_profile.hpp"
#include "core/plan/predict.hpp"
#include "core/workload/transformer.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace polyrail {

/// Model, job and slice that a case describes, at one micro-batch size.
TrainingJob jobOfCase(const TrainingCase &c);
Slice sliceOfCase(const TrainingCase &c, int microBatch);

/// What one GPU computes for one micro-batch, without communication. Seconds.
struct LayerSeconds
{
    double forward = 0;
    double backward = 0;     ///< without recomputation
    double recompute = 0;
};
struct ComputeSeconds
{
    LayerSeconds layer;
    LayerSeconds embedding;
    LayerSeconds head;
};
ComputeSeconds computeSeconds(const TrainingCase &c, const KernelModel &kernels, const FrameworkProfile &profile,
                              int microBatch);

/// Bytes on the busiest GPU of a stage, by the recipe of the framework; GiB.
double peakMemoryGib(const TrainingCase &c, int microBatch, int chunks);

/// Communication times on a machine of the case's hosts. For jobs larger than the machine that is built (at most 32
/// hosts) groups are cut short and ring latencies stretched to the true size.
class CaseTraffic
{
public:
    CaseTraffic(std::shared_ptr<const CaseMachine> machine, std::vector<DeviceId> deviceOfRank, int ranks);

    /// Seconds of a collective of `bytes` in each of several groups of ranks at once (same kind and size): the slowest
    /// group, with the links that they share. Negative: not connected.
    double collective(Collective kind, const std::vector<std::vector<int>> &groups, double bytes) const;
    /// Several sends at once.
    double sends(const std::vector<std::pair<int, int>> &pairs, double bytes) const;
    int knownRanks() const { return static_cast<int>(m_deviceOfRank.size()); }

private:
    std::shared_ptr<const CaseMachine> m_machine;
    std::vector<DeviceId> m_deviceOfRank;
    int m_ranks;
};

} // namespace polyrail
