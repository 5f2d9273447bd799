// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/placement_text.hpp"
#include "core/plan/training_step.hpp"

#include <map>
#include <memory>
#include <vector>

namespace polyrail {

/// A step of one layout at one micro-batch size. The replicas of a stage need not be alike: every data-parallel index
/// is a pipeline of its own, and the slowest decides.
class StepModel
{
public:
    StepModel(const TrainingCase &c, const Catalogue &catalogue, const CasePlacement &placement,
              std::shared_ptr<const CaseMachine> machine)
        : m_case(c), m_placement(placement),
          m_profile(frameworkProfile(c.framework, c.options, shardedByLayer(c))),
          m_job(jobOfCase(c)), m_parameters(countParameters(m_job.model)),
          m_traffic(std::move(machine), placement.deviceOfRank, c.gpus)
    {
        for (const std::string &name : placement.types)
            m_kernels.emplace_back(*catalogue.find(name));
    }

    static bool shardedByLayer(const TrainingCase &c)
    {
        return c.sharding == Sharding::Zero3
            || (c.sharding == Sharding::Zero2 && c.framework.find("Meg") == std::string::npos
                && c.framework.find("Meta") == std::string::npos);
    }

    /// Negative: two ranks that must talk are not connected.
    double seconds(int microBatch, int chunks);

private:
    struct StageTime
    {
        double forward = 0;
        double backward = 0;
    };

    int stageWidth() const { return m_case.tensor * m_case.context * m_case.data; }
    int replicas() const { return std::max(1, m_case.data * m_case.context); }
    bool isGivenTypeUniform() const { return m_placement.types.size() == 1; }
    int layersOf(int stage) const;
    double stageParameters(int stage) const;
    std::vector<std::vector<int>> tensorGroups(int stage) const;
    std::vector<std::vector<int>> dataGroups(int stage) const;
    double tensorTraffic(int stage, double passes) const;
    double expertTraffic(int stage) const;
    double contextTraffic(int stage) const;
    StageTime chunkTime(int stage, int replica, int chunk, int chunks, const std::vector<ComputeSeconds> &compute) const;
    double transferTime(int stage) const;
    double hostFloor(double gpu, double host) const;
    double gradientTime(int stage, double lastBackward) const;
    double optimiserTime(int stage) const;
    double shardedMicroBatch(const ComputeSeconds &compute, int stage) const;

    const TrainingCase &m_case;
    const CasePlacement &m_placement;
    FrameworkProfile m_profile;
    TrainingJob m_job;
    ParameterCount m_parameters;
    CaseTraffic m_traffic;
    std::vector<KernelModel> m_kernels;
    int m_microBatch = 1;
    mutable std::map<int, double> m_tensorSeconds; ///< of one reduction, by stage
    mutable bool m_disconnected = false;
};

} // namespace polyrail
