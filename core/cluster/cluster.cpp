// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/cluster.hpp"

#include "core/base/quantity.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_set>

namespace polyrail {

namespace {

constexpr double leastBandwidth = 1; // B/s: below it times no longer fit integer nanoseconds
constexpr double mostBandwidth = 1e18; // B/s
constexpr double longestLatency = 1000; // s

std::string at(const char *list, std::size_t index, const char *field = nullptr)
{
    std::string pointer = '/' + std::string(list) + '/' + std::to_string(index);
    if (field)
        pointer += '/' + std::string(field);
    return pointer;
}

std::string quoted(const std::string &text) { return '"' + text + '"'; }

using Check = Result<void>;

/// Ids of one space of names, with the place that used each first.
class Names
{
public:
    Check add(const std::string &id, const std::string &place)
    {
        if (id.empty())
            return inputError(place, "an empty id", "a name", "Give every part of a cluster an id.");
        const auto [it, inserted] = m_firstUse.emplace(id, place);
        if (!inserted)
            return inputError(place, "id " + quoted(id) + " again", "an id that is used once",
                "It is taken by " + it->second + "; rename one of the two.");
        return {};
    }

private:
    std::unordered_map<std::string, std::string> m_firstUse;
};

Check checkHost(const ClusterParts &parts, HostId host, const std::string &place)
{
    if (host.value >= static_cast<std::int32_t>(parts.hosts.size()) || host.value < -1)
        return inputError(place, "host number " + std::to_string(host.value), "a host of the cluster",
            "Add the host, or leave the field out.");
    return {};
}

Check checkFigure(double value, const std::string &place, const char *what)
{
    if (std::isfinite(value) && value >= 0)
        return {};
    return inputError(place, "the figure " + std::to_string(value),
        std::string(what) + " that is finite and not negative", "Correct the figure.");
}

Check checkBandwidth(BytesPerSecond bandwidth, const std::string &place)
{
    if (bandwidth.value >= leastBandwidth && bandwidth.value <= mostBandwidth)
        return {};
    const std::string found = std::isnan(bandwidth.value) ? "NaN"
        : std::isinf(bandwidth.value)                     ? "infinity"
                                                          : formatBandwidth(bandwidth);
    return inputError(place, found, "a bandwidth from 1 B/s to 1 EB/s",
        "To cut a link, set its state to down and keep its bandwidth.");
}

Check checkDevice(const ClusterParts &parts, std::size_t i)
{
    const Device &device = parts.devices[i];
    if (auto ok = checkHost(parts, device.host, at("devices", i, "host")); !ok)
        return ok;
    const GpuType &type = device.type;
    if (type.memory.value < 0 || type.l2Cache.value < 0)
        return inputError(
            at("devices", i, "memory"), "a negative size", "a size of zero or more", "Correct the figure.");
    if (type.multiprocessors < 0)
        return inputError(at("devices", i, "multiprocessors"), std::to_string(type.multiprocessors),
            "a count of zero or more", "Correct the figure.");
    for (const auto &figure : {std::pair(type.memoryBandwidth.value, "memory_bandwidth"),
             std::pair(type.scaleUpBandwidth.value, "scale_up_bandwidth"),
             std::pair(type.pcieBandwidth.value, "pcie_bandwidth")}) {
        if (auto ok = checkFigure(figure.first, at("devices", i, figure.second), "a bandwidth"); !ok)
            return ok;
    }
    for (const auto &peak : type.peak) {
        if (!peak)
            continue;
        if (auto ok = checkFigure(peak->value, at("devices", i, "peak"), "a compute rate"); !ok)
            return ok;
    }
    return {};
}

Check checkLink(const ClusterParts &parts, std::size_t i)
{
    const Link &link = parts.links[i];
    const auto vertices = static_cast<std::int32_t>(parts.devices.size() + parts.hubs.size());
    for (std::size_t end = 0; end < 2; ++end) {
        const std::int32_t v = link.ends[end].value;
        if (v < 0 || v >= vertices)
            return inputError(at("links", i, "ends") + '/' + std::to_string(end), "vertex number " + std::to_string(v),
                "a device or hub of the cluster", "Add the missing device or hub.");
    }
    if (link.ends[0] == link.ends[1])
        return inputError(at("links", i, "ends"), "the same end twice", "two different devices or hubs",
            "A link cannot lead back to where it starts; remove it.");
    if (auto ok = checkBandwidth(link.bandwidth, at("links", i, "bandwidth")); !ok)
        return ok;
    if (!(link.latency.value >= 0 && link.latency.value <= longestLatency))
        return inputError(at("links", i, "latency"),
            std::isnan(link.latency.value) ? "NaN" : formatDuration(link.latency), "a latency from 0 s to 1000 s",
            "Correct the figure.");
    return {};
}

Check checkConflict(const ClusterParts &parts, std::size_t i)
{
    const ConflictGroup &group = parts.conflicts[i];
    std::set<std::int32_t> seen;
    for (std::size_t k = 0; k < group.links.size(); ++k) {
        const LinkId link = group.links[k];
        const std::string place = at("conflicts", i, "links") + '/' + std::to_string(k);
        if (!link.valid() || link.index() >= parts.links.size())
            return inputError(place, "link number " + std::to_string(link.value), "a link of the cluster",
                "Name a link that exists.");
        if (!seen.insert(link.value).second)
            return inputError(place, "link " + quoted(parts.links[link.index()].id) + " again", "each link once",
                "Remove the repetition.");
    }
    if (seen.size() < 2)
        return inputError(at("conflicts", i, "links"), std::to_string(seen.size()) + " link(s)", "at least two links",
            "A conflict joins links that share something; add the others or remove the conflict.");
    if (group.kind == ConflictKind::Capacity)
        return checkBandwidth(group.capacity, at("conflicts", i, "capacity"));
    return {};
}

Check checkNames(const ClusterParts &parts)
{
    Names hosts;
    for (std::size_t i = 0; i < parts.hosts.size(); ++i) {
        if (auto ok = hosts.add(parts.hosts[i].id, at("hosts", i, "id")); !ok)
            return ok;
    }
    Names names;
    for (std::size_t i = 0; i < parts.devices.size(); ++i) {
        if (auto ok = names.add(parts.devices[i].id, at("devices", i, "id")); !ok)
            return ok;
    }
    for (std::size_t i = 0; i < parts.hubs.size(); ++i) {
        if (auto ok = names.add(parts.hubs[i].id, at("hubs", i, "id")); !ok)
            return ok;
    }
    for (std::size_t i = 0; i < parts.links.size(); ++i) {
        if (auto ok = names.add(parts.links[i].id, at("links", i, "id")); !ok)
            return ok;
    }
    Names conflicts;
    for (std::size_t i = 0; i < parts.conflicts.size(); ++i) {
        if (auto ok = conflicts.add(parts.conflicts[i].id, at("conflicts", i, "id")); !ok)
            return ok;
    }
    return {};
}

Check check(const ClusterParts &parts)
{
    if (auto ok = checkNames(parts); !ok)
        return ok;
    for (std::size_t i = 0; i < parts.devices.size(); ++i) {
        if (auto ok = checkDevice(parts, i); !ok)
            return ok;
    }
    for (std::size_t i = 0; i < parts.hubs.size(); ++i) {
        if (auto ok = checkHost(parts, parts.hubs[i].host, at("hubs", i, "host")); !ok)
            return ok;
    }
    for (std::size_t i = 0; i < parts.links.size(); ++i) {
        if (auto ok = checkLink(parts, i); !ok)
            return ok;
    }
    for (std::size_t i = 0; i < parts.conflicts.size(); ++i) {
        if (auto ok = checkConflict(parts, i); !ok)
            return ok;
    }
    for (const auto &[id, point] : parts.layout) {
        if (!std::isfinite(point.x) || !std::isfinite(point.y))
            return inputError("/layout/" + id, "a position that is not finite", "two numbers", "Correct the position.");
    }
    return {};
}

/// FNV-1a, 64 bits. Every field is followed by a mark, so that neighbours cannot run together.
class Digest
{
public:
    void add(std::string_view text)
    {
        for (char c : text)
            byte(static_cast<unsigned char>(c));
        byte(0xff);
    }
    void add(std::int64_t value)
    {
        for (int i = 0; i < 8; ++i)
            byte(static_cast<unsigned char>(static_cast<std::uint64_t>(value) >> (8 * i)));
        byte(0xfe);
    }
    void add(double value) { add(std::bit_cast<std::int64_t>(value == 0 ? 0.0 : value)); } // one zero
    std::string text() const
    {
        static constexpr char digits[] = "0123456789abcdef";
        std::string out;
        for (int shift = 60; shift >= 0; shift -= 4)
            out += digits[(m_hash >> shift) & 15U];
        return out;
    }

private:
    void byte(unsigned char b)
    {
        m_hash ^= b;
        m_hash *= 1099511628211ULL;
    }
    std::uint64_t m_hash = 14695981039346656037ULL;
};

void addType(Digest &digest, const GpuType &type)
{
    digest.add(std::int64_t(type.multiprocessors));
    digest.add(type.memory.value);
    digest.add(type.l2Cache.value);
    for (double figure : {type.memoryBandwidth.value, type.scaleUpBandwidth.value, type.pcieBandwidth.value})
        digest.add(figure);
    digest.add(type.architecture); // kernel constants are inherited by architecture
    for (const auto &peak : type.peak)
        digest.add(peak ? peak->value : -1.0);
    for (const auto &[precision, c] : type.matmul) {
        digest.add(static_cast<std::int64_t>(precision));
        for (double figure :
            {c.maxEfficiency, c.pipelineFill, c.tileExponent, c.memoryEfficiency, c.launchSeconds, c.tailWeight})
            digest.add(figure);
    }
}

} // namespace

const char *toString(HubKind k)
{
    switch (k) {
    case HubKind::NvSwitch:
        return "nvswitch";
    case HubKind::PcieSwitch:
        return "pcie-switch";
    case HubKind::Cpu:
        return "cpu";
    case HubKind::Nic:
        return "nic";
    case HubKind::Switch:
        return "switch";
    case HubKind::Other:
        break;
    }
    return "other";
}

const char *toString(LinkKind k)
{
    switch (k) {
    case LinkKind::NvLink:
        return "nvlink";
    case LinkKind::Pcie:
        return "pcie";
    case LinkKind::Network:
        return "network";
    case LinkKind::HostBus:
        return "host-bus";
    case LinkKind::Other:
        break;
    }
    return "other";
}

const char *toString(Direction d) { return d == Direction::Forward ? "forward" : "backward"; }

Cluster::Cluster() : m_parts(std::make_shared<ClusterParts>()), m_index(std::make_shared<Index>()) { }

Result<Cluster> Cluster::make(ClusterParts parts)
{
    if (auto ok = check(parts); !ok)
        return fail(ok.error());
    auto index = std::make_shared<Index>();
    index->linksAt.resize(parts.devices.size() + parts.hubs.size());
    for (std::size_t i = 0; i < parts.links.size(); ++i) {
        for (VertexId end : parts.links[i].ends)
            index->linksAt[end.index()].push_back(LinkId(i));
        index->links.emplace(parts.links[i].id, static_cast<std::int32_t>(i));
    }
    std::int32_t vertex = 0;
    for (const Device &device : parts.devices)
        index->vertices.emplace(device.id, vertex++);
    for (const Hub &hub : parts.hubs)
        index->vertices.emplace(hub.id, vertex++);
    Cluster cluster;
    cluster.m_parts = std::make_shared<ClusterParts>(std::move(parts));
    cluster.m_index = std::move(index);
    return cluster;
}

const std::string &Cluster::vertexName(VertexId v) const
{
    return isDevice(v) ? m_parts->devices[v.index()].id : m_parts->hubs[v.index() - m_parts->devices.size()].id;
}

HostId Cluster::hostOf(VertexId v) const
{
    return isDevice(v) ? m_parts->devices[v.index()].host : m_parts->hubs[v.index() - m_parts->devices.size()].host;
}

DeviceId Cluster::findDevice(const std::string &id) const
{
    const VertexId v = findVertex(id);
    return v.valid() ? deviceOf(v) : DeviceId();
}

LinkId Cluster::findLink(const std::string &id) const
{
    const auto it = m_index->links.find(id);
    return it == m_index->links.end() ? LinkId() : LinkId(it->second);
}

VertexId Cluster::findVertex(const std::string &id) const
{
    const auto it = m_index->vertices.find(id);
    return it == m_index->vertices.end() ? VertexId() : VertexId(it->second);
}

Cluster Cluster::withLink(LinkId l, const Link &changed) const
{
    auto parts = std::make_shared<ClusterParts>(*m_parts);
    parts->links[l.index()] = changed;
    Cluster cluster = *this;
    cluster.m_parts = std::move(parts);
    return cluster;
}

std::string Cluster::digest() const
{
    Digest digest;
    for (const Host &host : m_parts->hosts)
        digest.add(host.id);
    digest.add(std::int64_t(m_parts->devices.size()));
    for (const Device &device : m_parts->devices) {
        digest.add(device.id);
        digest.add(device.typeName);
        digest.add(std::int64_t(device.host.value));
        addType(digest, device.type);
    }
    digest.add(std::int64_t(m_parts->hubs.size()));
    for (const Hub &hub : m_parts->hubs) {
        digest.add(hub.id);
        digest.add(static_cast<std::int64_t>(hub.kind));
        digest.add(std::int64_t(hub.host.value));
    }
    digest.add(std::int64_t(m_parts->links.size()));
    for (const Link &link : m_parts->links) {
        digest.add(link.id);
        digest.add(std::int64_t(link.ends[0].value));
        digest.add(std::int64_t(link.ends[1].value));
        digest.add(static_cast<std::int64_t>(link.kind));
        digest.add(link.bandwidth.value);
        digest.add(link.latency.value);
        digest.add(static_cast<std::int64_t>(link.duplex));
        digest.add(static_cast<std::int64_t>(link.state));
    }
    for (const ConflictGroup &group : m_parts->conflicts) {
        digest.add(group.id);
        digest.add(static_cast<std::int64_t>(group.kind));
        for (LinkId link : group.links)
            digest.add(std::int64_t(link.value));
        digest.add(std::int64_t(-1));
        if (group.kind == ConflictKind::Capacity) {
            digest.add(group.capacity.value);
            digest.add(std::int64_t(group.bothDirections));
        }
    }
    return digest.text();
}

} // namespace polyrail
