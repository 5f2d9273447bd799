// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/cost_context.hpp"

#include <map>
#include <mutex>
#include <tuple>

namespace polyrail {

/// Remembered per-device times: a search asks for the same few thousand again and again.
struct CostContext::Memory
{
    std::mutex mutex;
    std::map<std::tuple<int, int, int, int>, ReplicaTimes> times;
};

namespace {

/// Devices whose figures agree share a kernel model; overrides make a type of their own.
bool sameFigures(const GpuType &a, const GpuType &b)
{
    return a.name == b.name && a.multiprocessors == b.multiprocessors && a.memory == b.memory
        && a.memoryBandwidth == b.memoryBandwidth && a.peak == b.peak;
}

} // namespace

CostContext::CostContext(Problem problem)
    : m_problem(std::move(problem))
    , m_parameters(countParameters(m_problem.job.model))
    , m_network(m_problem.cluster)
    , m_routes(m_problem.cluster)
    , m_collectives(m_routes, m_network)
    , m_memory(std::make_unique<Memory>())
{
    std::vector<const GpuType *> seen;
    for (const Device &device : m_problem.cluster.devices()) {
        std::size_t k = 0;
        while (k < seen.size() && !sameFigures(*seen[k], device.type))
            ++k;
        if (k == seen.size()) {
            seen.push_back(&device.type);
            m_kernels.emplace_back(device.type);
        }
        m_kernelOf.push_back(k);
    }
}

CostContext::~CostContext() = default;

ReplicaTimes CostContext::times(int kernelClass, int tensor, int samples, Recompute recompute) const
{
    const std::tuple<int, int, int, int> key {kernelClass, tensor, samples, static_cast<int>(recompute)};
    {
        const std::lock_guard lock(m_memory->mutex);
        const auto it = m_memory->times.find(key);
        if (it != m_memory->times.end())
            return it->second;
    }
    const ReplicaTimes times
        = replicaTimes(m_problem.job, m_kernels[static_cast<std::size_t>(kernelClass)], tensor, samples, recompute);
    const std::lock_guard lock(m_memory->mutex);
    return m_memory->times.emplace(key, times).first->second;
}

} // namespace polyrail
