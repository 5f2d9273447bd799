// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/device_classes.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>

namespace polyrail {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Up to this many devices every group size is searched; beyond, parts of hosts get coarser.
constexpr int fineDevices = 32;
constexpr int mediumDevices = 128;

/// Devices and hubs of one host (or all that have none), in file order.
struct HostParts
{
    std::vector<DeviceId> devices;
    std::vector<VertexId> vertices;
};

std::vector<HostParts> hostsOf(const Cluster &cluster)
{
    std::vector<HostParts> hosts(cluster.hosts().size() + 1); // the last one: without a host
    const auto slot = [&](VertexId v) {
        const HostId h = cluster.hostOf(v);
        return h.valid() ? h.index() : hosts.size() - 1;
    };
    for (std::size_t v = 0; v < cluster.vertexCount(); ++v) {
        const VertexId vertex(v);
        HostParts &host = hosts[slot(vertex)];
        host.vertices.push_back(vertex);
        if (cluster.isDevice(vertex))
            host.devices.push_back(cluster.deviceOf(vertex));
    }
    return hosts;
}

/// Text that is equal for hosts that look alike: what is in them, how it is joined, what leaves them.
std::string signature(const CostContext &context, const HostParts &host)
{
    const Cluster &cluster = context.cluster();
    std::map<VertexId, std::size_t> local;
    std::ostringstream text;
    for (VertexId v : host.vertices) {
        local.emplace(v, local.size());
        if (cluster.isDevice(v))
            text << 'd' << context.kernelClass(cluster.deviceOf(v)) << ':'
                 << cluster.device(cluster.deviceOf(v)).type.memory.value << ';';
        else
            text << 'h' << static_cast<int>(cluster.hubs()[v.index() - cluster.devices().size()].kind) << ';';
    }
    std::multiset<std::string> links;
    for (VertexId v : host.vertices)
        for (LinkId id : cluster.linksAt(v)) {
            const Link &link = cluster.link(id);
            const bool inside = local.contains(link.ends[0]) && local.contains(link.ends[1]);
            if (inside && link.ends[0] != v)
                continue; // once
            std::ostringstream one;
            if (inside)
                one << local.at(link.ends[0]) << '-' << local.at(link.ends[1]);
            else
                one << local.at(v) << "->";
            one << ' ' << static_cast<int>(link.kind) << ' ' << link.bandwidth.value << ' ' << link.latency.value << ' '
                << static_cast<int>(link.duplex) << ' ' << static_cast<int>(link.state);
            for (const ConflictGroup &group : cluster.conflicts())
                if (std::find(group.links.begin(), group.links.end(), id) != group.links.end())
                    one << " c" << static_cast<int>(group.kind) << ',' << group.links.size() << ','
                        << group.capacity.value << ',' << group.bothDirections;
            links.insert(one.str());
        }
    for (const std::string &link : links)
        text << link << ';';
    return text.str();
}

} // namespace

DeviceClasses::DeviceClasses(std::shared_ptr<const CostContext> context) : m_context(std::move(context))
{
    findClasses(true);
    if (m_classes.size() > static_cast<std::size_t>(maxClasses)) {
        m_classes.clear();
        findClasses(false);
    }
    if (m_classes.size() > static_cast<std::size_t>(maxClasses))
        throw std::length_error("the cluster has " + std::to_string(m_classes.size())
                                + " kinds of devices or host sizes; the search tells at most "
                                + std::to_string(maxClasses) + " apart");
    chooseUnits();
    for (DeviceClass &c : m_classes)
        measureBandwidth(c);
}

void DeviceClasses::findClasses(bool byLook)
{
    const Cluster &cluster = m_context->cluster();
    std::map<std::tuple<std::string, int, int, std::int64_t, std::size_t>, std::size_t> known;
    for (const HostParts &host : hostsOf(cluster)) {
        if (host.devices.empty())
            continue;
        const std::string look = byLook ? signature(*m_context, host) : std::string();
        std::map<std::pair<int, std::int64_t>, std::vector<DeviceId>> byType;
        for (DeviceId d : host.devices)
            byType[{m_context->kernelClass(d), cluster.device(d).type.memory.value}].push_back(d);
        int part = 0;
        for (auto &[type, devices] : byType) {
            const auto [it, isNew] = known.try_emplace(
                {look, byLook ? part++ : 0, type.first, type.second, devices.size()}, m_classes.size());
            if (isNew) {
                DeviceClass c;
                c.kernelClass = type.first;
                c.memoryBytes = type.second;
                c.hostSize = static_cast<int>(devices.size());
                c.alike = byLook;
                m_classes.push_back(std::move(c));
            }
            DeviceClass &c = m_classes[it->second];
            if (byType.size() > 1)
                c.hostBandwidth = infinite;
            c.devices += static_cast<int>(devices.size());
            c.hosts.push_back(std::move(devices));
        }
    }
    for (DeviceClass &c : m_classes)
        for (int t = 1; t <= c.hostSize; t *= 2)
            if (m_context->job().model.heads % t == 0)
                c.tensorSizes.push_back(t);
}

void DeviceClasses::chooseUnits()
{
    const auto total = static_cast<int>(m_context->cluster().devices().size());
    if (total > fineDevices)
        m_mostMixed = 2;
    for (DeviceClass &c : m_classes) {
        if (total <= fineDevices)
            c.unit = 1;
        else if (total <= mediumDevices)
            c.unit = c.hostSize % 2 == 0 ? std::max(1, c.hostSize / 2) : c.hostSize;
        else
            c.unit = c.hostSize;
        m_anySize = m_anySize && c.unit == 1;
    }
}

void DeviceClasses::measureBandwidth(DeviceClass &c) const
{
    const Cluster &cluster = m_context->cluster();
    const auto bandwidth = [&](LinkId id) {
        const Link &link = cluster.link(id);
        return link.state == LinkState::Up ? link.bandwidth.value : 0.0;
    };
    for (const std::vector<DeviceId> &devices : c.hosts) {
        const HostId host = cluster.device(devices.front()).host;
        for (DeviceId d : devices) {
            double sum = 0;
            for (LinkId id : cluster.linksAt(Cluster::vertexOf(d)))
                sum += bandwidth(id);
            c.deviceBandwidth = std::max(c.deviceBandwidth, sum);
        }
        if (!host.valid()) {
            c.hostBandwidth = infinite;
            continue;
        }
        double border = 0;
        for (const Link &link : cluster.links())
            if ((cluster.hostOf(link.ends[0]) == host) != (cluster.hostOf(link.ends[1]) == host)
                && link.state == LinkState::Up)
                border += link.bandwidth.value;
        c.hostBandwidth = std::max(c.hostBandwidth, border);
    }
}

double DeviceClasses::tensorAllReduce(std::size_t deviceClass, int tensor, double bytes) const
{
    if (tensor < 2)
        return 0;
    const std::tuple<std::size_t, int, double> key {deviceClass, tensor, bytes};
    {
        const std::lock_guard lock(m_mutex);
        const auto it = m_allReduce.find(key);
        if (it != m_allReduce.end())
            return it->second;
    }
    // Hosts of one class look alike inside, but a block may be joined only through the outside, where they may differ:
    // few hosts are all tried, of many the first four, and the best case is then not taken below what links allow.
    const DeviceClass &c = m_classes[deviceClass];
    constexpr std::size_t hostsTried = 4;
    double least = infinite;
    const std::size_t tried = c.alike ? std::min(hostsTried, c.hosts.size()) : c.hosts.size();
    for (std::size_t h = 0; h < tried; ++h) {
        const std::vector<DeviceId> &devices = c.hosts[h];
        const auto size = static_cast<std::size_t>(tensor);
        for (std::size_t at = 0; at + size <= devices.size(); at += size) {
            const auto transfer = m_context->collectives().collective(
                Collective::AllReduce, std::span(devices).subspan(at, size), bytes);
            if (!transfer)
                continue;
            bool inside = true;
            const HostId host = m_context->cluster().device(devices.front()).host;
            for (const LinkUse &use : transfer->uses)
                for (VertexId end : m_context->cluster().link(use.link).ends)
                    inside = inside && m_context->cluster().hostOf(end) == host;
            least = std::min(least, inside || tried == c.hosts.size() ? transfer->alone().value : 0.0);
        }
    }
    const std::lock_guard lock(m_mutex);
    m_allReduce.emplace(key, least);
    return least;
}

} // namespace polyrail
