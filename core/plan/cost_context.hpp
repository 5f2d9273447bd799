// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/collective_model.hpp"
#include "core/cost/kernel_model.hpp"
#include "core/plan/stage_cost.hpp"
#include "core/workload/training_job.hpp"

#include <memory>
#include <vector>

namespace polyrail {

/// What is asked: a machine and a training job. A value.
struct Problem
{
    Cluster cluster;
    TrainingJob job;
};

/// A problem with its cost models and their memories: made once per problem, read by any number of
/// threads. Not copyable; share by pointer.
class CostContext
{
public:
    explicit CostContext(Problem problem);
    ~CostContext();

    const Problem &problem() const { return m_problem; }
    const Cluster &cluster() const { return m_problem.cluster; }
    const TrainingJob &job() const { return m_problem.job; }
    const Network &network() const { return m_network; }
    const CollectiveModel &collectives() const { return m_collectives; }
    const ParameterCount &parameters() const { return m_parameters; }
    /// Devices of equal type figures share one kernel model.
    const KernelModel &kernels(DeviceId d) const { return m_kernels[m_kernelOf[d.index()]]; }
    int kernelClass(DeviceId d) const { return static_cast<int>(m_kernelOf[d.index()]); }
    /// Computation of one device of a tensor group for one micro-batch; remembered.
    ReplicaTimes times(int kernelClass, int tensor, int samples, Recompute recompute) const;

private:
    struct Memory;
    Problem m_problem;
    ParameterCount m_parameters;
    Network m_network;
    RouteTable m_routes;
    CollectiveModel m_collectives;
    std::vector<KernelModel> m_kernels;
    std::vector<std::size_t> m_kernelOf;
    std::unique_ptr<Memory> m_memory;
};

} // namespace polyrail
