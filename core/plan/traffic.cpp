// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/traffic.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace polyrail {

namespace {

Transfer repeated(const Transfer &once, int times)
{
    Transfer t = once;
    t.latency = once.latency * times;
    t.ownTime = once.ownTime * times;
    for (LinkUse &use : t.uses)
        use.bytes *= times;
    if (times == 0)
        t = {};
    return t;
}

/// Transfers that run side by side and end together: bytes add up per link direction.
class SideBySide
{
public:
    void add(const Transfer &t)
    {
        m_sum.latency = std::max(m_sum.latency, t.latency);
        m_sum.ownTime = std::max(m_sum.ownTime, t.ownTime);
        if (m_sum.algorithm.empty())
            m_sum.algorithm = t.algorithm;
        for (const LinkUse &use : t.uses)
            m_bytes[{use.link, use.direction}] += use.bytes;
    }
    Transfer take(const Network &network)
    {
        for (const auto &[key, bytes] : m_bytes)
            m_sum.uses.push_back({key.first, key.second, bytes});
        m_sum.ownTime = std::max(m_sum.ownTime, network.aloneTime(m_sum.uses));
        return std::move(m_sum);
    }

private:
    Transfer m_sum;
    std::map<std::pair<LinkId, Direction>, double> m_bytes;
};

} // namespace

Result<TensorTraffic> tensorTraffic(const CostContext &context, std::span<const DeviceId> devices, int samples,
                                    int layers, bool first, bool last, Recompute recompute)
{
    TensorTraffic traffic;
    if (devices.size() < 2)
        return traffic;
    const TensorCollectives c = tensorCollectives(context.job(), samples, recompute);
    const auto once = context.collectives().collective(Collective::AllReduce, devices, c.bytes);
    if (!once)
        return fail(once.error());
    traffic.forward = repeated(*once, c.forwardCount(layers, first));
    traffic.backward = repeated(*once, c.backwardCount(layers, last));
    return traffic;
}

Result<Transfer> boundaryTraffic(const CostContext &context, const Stage &from, const Stage &to)
{
    const TrainingJob &job = context.job();
    const double bytesPerSample
        = static_cast<double>(job.sequence) * job.model.hidden * activationBytes(job.precision);
    std::vector<CollectiveModel::Flow> flows;
    int fromStart = 0;
    for (const Replica &a : from.replicas) {
        int toStart = 0;
        for (const Replica &b : to.replicas) {
            const int common = std::min(fromStart + a.samples, toStart + b.samples) - std::max(fromStart, toStart);
            toStart += b.samples;
            if (common <= 0)
                continue;
            // Slices of the hidden dimension in units of 1 / (|a| |b|): rank i of a holds [i |b|, (i + 1) |b|).
            const auto na = static_cast<int>(a.devices.size());
            const auto nb = static_cast<int>(b.devices.size());
            for (int i = 0; i < na; ++i)
                for (int j = 0; j < nb; ++j) {
                    const int overlap = std::min((i + 1) * nb, (j + 1) * na) - std::max(i * nb, j * na);
                    if (overlap > 0)
                        flows.push_back({a.devices[static_cast<std::size_t>(i)], b.devices[static_cast<std::size_t>(j)],
                                         common * bytesPerSample * overlap / (na * nb)});
                }
        }
        fromStart += a.samples;
    }
    return context.collectives().sendAll(flows);
}

Result<GradientTraffic> gradientTraffic(const CostContext &context, const Stage &stage)
{
    GradientTraffic traffic;
    if (stage.replicas.size() < 2)
        return traffic;
    const TrainingJob &job = context.job();
    const StateBytes state = stateBytes(job.precision);
    const double parameters = stageParameters(job.model, context.parameters(), stage.firstLayer, stage.lastLayer);
    int slices = 1;
    for (const Replica &r : stage.replicas)
        slices = std::lcm(slices, static_cast<int>(r.devices.size()));
    SideBySide reduce;
    SideBySide gather;
    std::vector<DeviceId> previous;
    Transfer previousReduce;
    Transfer previousGather;
    for (int j = 0; j < slices; ++j) {
        std::vector<DeviceId> members;
        for (const Replica &r : stage.replicas)
            members.push_back(r.devices[static_cast<std::size_t>(j) * r.devices.size() / static_cast<std::size_t>(slices)]);
        if (members != previous) {
            const bool sharded = job.sharding != Sharding::None;
            const double slice = parameters / slices;
            const auto first = context.collectives().collective(
                sharded ? Collective::ReduceScatter : Collective::AllReduce, members, slice * state.gradient);
            if (!first)
                return fail(first.error());
            previousReduce = *first;
            if (sharded) {
                const auto second
                    = context.collectives().collective(Collective::AllGather, members, slice * state.weight);
                if (!second)
                    return fail(second.error());
                previousGather = *second;
            }
            previous = members;
        }
        reduce.add(previousReduce);
        gather.add(previousGather);
    }
    traffic.reduce = reduce.take(context.network());
    traffic.gather = gather.take(context.network());
    return traffic;
}

Result<Transfer> tiedEmbeddingTraffic(const CostContext &context, const Plan &plan)
{
    const TrainingJob &job = context.job();
    const double bytes
        = static_cast<double>(countParameters(job.model).embedding) * stateBytes(job.precision).gradient;
    // One replica of each end: the others already agree with it through their own gradient traffic.
    const std::vector<DeviceId> &a = plan.stages.front().replicas.front().devices;
    const std::vector<DeviceId> &b = plan.stages.back().replicas.front().devices;
    const auto na = static_cast<int>(a.size());
    const auto nb = static_cast<int>(b.size());
    std::vector<CollectiveModel::Flow> flows;
    for (int i = 0; i < na; ++i)
        for (int j = 0; j < nb; ++j) {
            const int overlap = std::min((i + 1) * nb, (j + 1) * na) - std::max(i * nb, j * na);
            if (overlap <= 0)
                continue;
            const double part = bytes * overlap / (na * nb);
            flows.push_back({a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(j)], part});
            flows.push_back({b[static_cast<std::size_t>(j)], a[static_cast<std::size_t>(i)], part});
        }
    return context.collectives().sendAll(flows);
}

} // namespace polyrail
