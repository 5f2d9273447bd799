// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/cluster_edits.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace polyrail {

namespace {

const std::string hostPrefix = "host:";

std::set<std::string> takenIds(const ClusterParts &parts)
{
    std::set<std::string> taken;
    for (const Device &d : parts.devices)
        taken.insert(d.id);
    for (const Hub &h : parts.hubs)
        taken.insert(h.id);
    for (const Link &l : parts.links)
        taken.insert(l.id);
    return taken;
}

std::string freeAmong(const std::set<std::string> &taken, const std::string &wanted)
{
    if (!wanted.empty() && !taken.count(wanted))
        return wanted;
    std::size_t digits = wanted.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(wanted[digits - 1])))
        --digits;
    std::string stem = wanted.substr(0, digits);
    unsigned long number = 1;
    if (digits < wanted.size() && wanted.size() - digits < 9)
        number = std::stoul(wanted.substr(digits));
    else if (digits < wanted.size())
        stem = wanted + "-"; // a number too long to count with
    else if (!stem.empty() && stem.back() != ' ' && stem.back() != '-')
        stem += '-';
    std::string id;
    do
        id = stem + std::to_string(++number);
    while (taken.count(id));
    return id;
}

std::string freeHostId(const ClusterParts &parts, const std::string &wanted)
{
    std::set<std::string> taken;
    for (const Host &h : parts.hosts)
        taken.insert(h.id);
    return freeAmong(taken, wanted);
}

std::string freeConflictId(const ClusterParts &parts, const std::string &wanted)
{
    std::set<std::string> taken;
    for (const ConflictGroup &g : parts.conflicts)
        taken.insert(g.id);
    return freeAmong(taken, wanted);
}

/// Rebuilds parts from the vertices and links that stay; ids of ends, hosts and conflicts follow.
ClusterParts kept(const ClusterParts &in, const std::vector<bool> &vertex, const std::vector<bool> &link,
                  const std::vector<bool> &host)
{
    ClusterParts out;
    out.name = in.name;
    out.notes = in.notes;
    std::vector<HostId> hostNow(in.hosts.size());
    for (std::size_t i = 0; i < in.hosts.size(); ++i)
        if (host[i]) {
            hostNow[i] = HostId(out.hosts.size());
            out.hosts.push_back(in.hosts[i]);
        }
    const auto hostOf = [&](HostId h) { return h.valid() ? hostNow[h.index()] : HostId(); };
    std::vector<VertexId> vertexNow(in.devices.size() + in.hubs.size());
    int next = 0;
    for (std::size_t i = 0; i < in.devices.size(); ++i)
        if (vertex[i]) {
            vertexNow[i] = VertexId(next++);
            out.devices.push_back(in.devices[i]);
            out.devices.back().host = hostOf(in.devices[i].host);
        }
    for (std::size_t i = 0; i < in.hubs.size(); ++i)
        if (vertex[in.devices.size() + i]) {
            vertexNow[in.devices.size() + i] = VertexId(next++);
            out.hubs.push_back(in.hubs[i]);
            out.hubs.back().host = hostOf(in.hubs[i].host);
        }
    std::vector<LinkId> linkNow(in.links.size());
    for (std::size_t i = 0; i < in.links.size(); ++i) {
        const VertexId a = vertexNow[in.links[i].ends[0].index()];
        const VertexId b = vertexNow[in.links[i].ends[1].index()];
        if (!link[i] || !a.valid() || !b.valid())
            continue;
        linkNow[i] = LinkId(out.links.size());
        out.links.push_back(in.links[i]);
        out.links.back().ends = {a, b};
    }
    for (const ConflictGroup &group : in.conflicts) {
        ConflictGroup smaller = group;
        smaller.links.clear();
        for (LinkId l : group.links)
            if (linkNow[l.index()].valid())
                smaller.links.push_back(linkNow[l.index()]);
        if (smaller.links.size() >= 2)
            out.conflicts.push_back(std::move(smaller));
    }
    const auto keepPlace = [&](const std::string &id) {
        if (const auto it = in.layout.find(id); it != in.layout.end())
            out.layout.insert(*it);
    };
    for (const Device &d : out.devices)
        keepPlace(d.id);
    for (const Hub &h : out.hubs)
        keepPlace(h.id);
    return out;
}

std::vector<int> membersPerHost(const ClusterParts &parts)
{
    std::vector<int> count(parts.hosts.size());
    for (const Device &d : parts.devices)
        if (d.host.valid())
            ++count[d.host.index()];
    for (const Hub &h : parts.hubs)
        if (h.host.valid())
            ++count[h.host.index()];
    return count;
}

/// Vertices named in `ids`, members of named hosts included.
std::vector<bool> namedVertices(const Cluster &cluster, const std::set<std::string> &ids)
{
    std::vector<bool> named(cluster.vertexCount());
    for (std::size_t i = 0; i < named.size(); ++i) {
        const VertexId v(i);
        const HostId host = cluster.hostOf(v);
        named[i] = ids.count(cluster.vertexName(v)) > 0
            || (host.valid() && ids.count(hostKey(cluster.hosts()[host.index()].id)) > 0);
    }
    return named;
}

ClusterParts dropEmptied(ClusterParts parts, const std::vector<int> &before)
{
    const std::vector<int> now = membersPerHost(parts);
    std::vector<bool> host(parts.hosts.size(), true);
    for (std::size_t i = 0; i < now.size(); ++i)
        host[i] = now[i] > 0 || i >= before.size() || before[i] == 0;
    return kept(parts, std::vector<bool>(parts.devices.size() + parts.hubs.size(), true),
                std::vector<bool>(parts.links.size(), true), host);
}

const char *hubStem(HubKind kind)
{
    switch (kind) {
    case HubKind::NvSwitch: return "nvswitch 0";
    case HubKind::PcieSwitch: return "pcie switch 0";
    case HubKind::Cpu: return "cpu 0";
    case HubKind::Nic: return "nic 0";
    case HubKind::Switch: return "switch 0";
    case HubKind::Other: return "hub 0";
    }
    return "hub 0";
}

} // namespace

std::string hostKey(const std::string &hostId) { return hostPrefix + hostId; }

HostId findHost(const Cluster &cluster, const std::string &key)
{
    if (key.compare(0, hostPrefix.size(), hostPrefix) != 0)
        return {};
    for (std::size_t i = 0; i < cluster.hosts().size(); ++i)
        if (hostKey(cluster.hosts()[i].id) == key)
            return HostId(i);
    return {};
}

std::string freeId(const ClusterParts &parts, const std::string &wanted) { return freeAmong(takenIds(parts), wanted); }

Edited addDevice(const Cluster &cluster, const GpuType &type, Point at, HostId host)
{
    Edited out{cluster.parts(), {}};
    Device device;
    device.id = freeId(out.parts, type.name.substr(0, type.name.find('-', 4)) + " 0"); // "A100-80GB" -> "A100 0"
    device.typeName = type.name;
    device.type = type;
    device.host = host;
    out.made = {device.id};
    out.parts.layout[device.id] = at;
    // Ends of links count devices first: a new device moves every hub up by one.
    const auto firstHub = std::int32_t(out.parts.devices.size());
    for (Link &link : out.parts.links)
        for (VertexId &end : link.ends)
            if (end.value >= firstHub)
                ++end.value;
    out.parts.devices.push_back(std::move(device));
    return out;
}

Edited addHub(const Cluster &cluster, HubKind kind, Point at, HostId host)
{
    Edited out{cluster.parts(), {}};
    Hub hub{freeId(out.parts, hubStem(kind)), kind, host};
    out.made = {hub.id};
    out.parts.layout[hub.id] = at;
    out.parts.hubs.push_back(std::move(hub));
    return out;
}

LinkKind usualKind(const Cluster &cluster, VertexId a, VertexId b)
{
    const auto hub = [&](VertexId v, HubKind kind) {
        return !cluster.isDevice(v) && cluster.hubs()[v.index() - cluster.devices().size()].kind == kind;
    };
    const auto either = [&](HubKind kind) { return hub(a, kind) || hub(b, kind); };
    if (either(HubKind::NvSwitch))
        return LinkKind::NvLink;
    if (either(HubKind::Switch) || cluster.hostOf(a) != cluster.hostOf(b))
        return LinkKind::Network;
    if (hub(a, HubKind::Nic) && hub(b, HubKind::Nic))
        return LinkKind::Network;
    if (hub(a, HubKind::Cpu) && hub(b, HubKind::Cpu))
        return LinkKind::HostBus;
    if (either(HubKind::PcieSwitch) || either(HubKind::Cpu) || either(HubKind::Nic))
        return LinkKind::Pcie;
    const bool devices = cluster.isDevice(a) && cluster.isDevice(b);
    if (devices && cluster.device(cluster.deviceOf(a)).type.scaleUpBandwidth.value > 0
        && cluster.device(cluster.deviceOf(b)).type.scaleUpBandwidth.value > 0)
        return LinkKind::NvLink;
    return devices ? LinkKind::Pcie : LinkKind::Other;
}

Edited addLink(const Cluster &cluster, VertexId a, VertexId b)
{
    Edited out{cluster.parts(), {}};
    Link link;
    link.ends = {a, b};
    link.kind = usualKind(cluster, a, b);
    std::string stem = "link 0";
    switch (link.kind) {
    case LinkKind::NvLink: // one NVLink 2 or 3 lane group: 25 GB/s each way
        stem = "nvlink 0";
        link.bandwidth = gigabytesPerSecond(25);
        link.latency = Seconds(1e-6);
        break;
    case LinkKind::Pcie: // PCIe 4.0 x16, 31.5 GB/s each way
        stem = "pcie 0";
        link.bandwidth = gigabytesPerSecond(31.5);
        link.latency = Seconds(1.5e-6);
        break;
    case LinkKind::Network: // 100 Gb/s Ethernet or EDR
        stem = "rail 0";
        link.bandwidth = gigabytesPerSecond(12.5);
        link.latency = Seconds(5e-6);
        link.enteredInBits = true;
        break;
    case LinkKind::HostBus:
        stem = "bus 0";
        link.bandwidth = gigabytesPerSecond(40);
        link.latency = Seconds(0.5e-6);
        break;
    case LinkKind::Other:
        link.bandwidth = gigabytesPerSecond(10);
        link.latency = Seconds(2e-6);
        break;
    }
    link.id = freeId(out.parts, stem);
    out.made = {link.id};
    out.parts.links.push_back(std::move(link));
    return out;
}

ClusterParts removed(const Cluster &cluster, const Ids &ids)
{
    const std::set<std::string> gone(ids.begin(), ids.end());
    const ClusterParts &parts = cluster.parts();
    std::vector<bool> vertex = namedVertices(cluster, gone);
    vertex.flip();
    std::vector<bool> link(parts.links.size());
    for (std::size_t i = 0; i < link.size(); ++i)
        link[i] = !gone.count(parts.links[i].id);
    std::vector<int> left(parts.hosts.size());
    for (std::size_t i = 0; i < vertex.size(); ++i)
        if (const HostId host = cluster.hostOf(VertexId(i)); host.valid() && vertex[i])
            ++left[host.index()];
    const std::vector<int> before = membersPerHost(parts);
    std::vector<bool> host(parts.hosts.size());
    for (std::size_t i = 0; i < host.size(); ++i)
        host[i] = !gone.count(hostKey(parts.hosts[i].id)) && (left[i] > 0 || before[i] == 0);
    return kept(parts, vertex, link, host);
}

ClusterParts subgraph(const Cluster &cluster, const Ids &ids)
{
    const ClusterParts &parts = cluster.parts();
    const std::vector<bool> vertex = namedVertices(cluster, {ids.begin(), ids.end()});
    std::vector<int> taken(parts.hosts.size());
    for (std::size_t i = 0; i < vertex.size(); ++i)
        if (const HostId host = cluster.hostOf(VertexId(i)); host.valid() && vertex[i])
            ++taken[host.index()];
    const std::vector<int> all = membersPerHost(parts);
    std::vector<bool> host(parts.hosts.size());
    for (std::size_t i = 0; i < host.size(); ++i)
        host[i] = taken[i] > 0 && taken[i] == all[i];
    // A conflict means what it says only with all of its links.
    ClusterParts whole = parts;
    std::erase_if(whole.conflicts, [&](const ConflictGroup &group) {
        return std::any_of(group.links.begin(), group.links.end(), [&](LinkId l) {
            const Link &link = parts.links[l.index()];
            return !vertex[link.ends[0].index()] || !vertex[link.ends[1].index()];
        });
    });
    return kept(whole, vertex, std::vector<bool>(parts.links.size(), true), host);
}

Edited inserted(const Cluster &cluster, const ClusterParts &piece, double dx, double dy)
{
    Edited out{cluster.parts(), {}};
    ClusterParts &parts = out.parts;
    std::set<std::string> taken = takenIds(parts);
    const auto name = [&](const std::string &wanted) {
        std::string id = freeAmong(taken, wanted);
        taken.insert(id);
        return id;
    };
    const auto firstHost = std::int32_t(parts.hosts.size());
    for (const Host &host : piece.hosts) {
        Host copy = host;
        copy.id = freeHostId(parts, host.id);
        copy.name = host.name.empty() || host.name == host.id ? copy.id : host.name;
        parts.hosts.push_back(std::move(copy));
    }
    const auto hostOf = [&](HostId h) { return h.valid() ? HostId(firstHost + h.value) : HostId(); };
    const auto place = [&](const std::string &from, const std::string &to) {
        if (const auto it = piece.layout.find(from); it != piece.layout.end())
            parts.layout[to] = {it->second.x + dx, it->second.y + dy};
    };

    const auto oldDevices = std::int32_t(parts.devices.size());
    const auto newDevices = std::int32_t(piece.devices.size());
    const auto oldHubs = std::int32_t(parts.hubs.size());
    for (Link &link : parts.links)
        for (VertexId &end : link.ends)
            if (end.value >= oldDevices)
                end.value += newDevices;
    for (const Device &device : piece.devices) {
        Device copy = device;
        copy.id = name(device.id);
        copy.host = hostOf(device.host);
        place(device.id, copy.id);
        out.made.push_back(copy.id);
        parts.devices.push_back(std::move(copy));
    }
    for (const Hub &hub : piece.hubs) {
        Hub copy = hub;
        copy.id = name(hub.id);
        copy.host = hostOf(hub.host);
        place(hub.id, copy.id);
        out.made.push_back(copy.id);
        parts.hubs.push_back(std::move(copy));
    }
    const auto firstLink = std::int32_t(parts.links.size());
    for (const Link &link : piece.links) {
        Link copy = link;
        copy.id = name(link.id);
        for (VertexId &end : copy.ends)
            end = VertexId(end.value < newDevices ? oldDevices + end.value
                                                  : oldDevices + newDevices + oldHubs + end.value - newDevices);
        out.made.push_back(copy.id);
        parts.links.push_back(std::move(copy));
    }
    for (const ConflictGroup &group : piece.conflicts) {
        ConflictGroup copy = group;
        copy.id = freeConflictId(parts, group.id);
        for (LinkId &l : copy.links)
            l.value += firstLink;
        parts.conflicts.push_back(std::move(copy));
    }
    return out;
}

Result<Edited> withConflict(const Cluster &cluster, ConflictKind kind, const std::vector<LinkId> &links,
                            BytesPerSecond capacity)
{
    if (links.size() < 2)
        return inputError("", std::to_string(links.size()) + " link(s)", "at least two links",
                          "Select the links that share something.");
    Edited out{cluster.parts(), {}};
    ConflictGroup group;
    group.id = freeConflictId(out.parts, kind == ConflictKind::Exclusive ? "one port 1" : "shared 1");
    group.kind = kind;
    group.links = links;
    if (kind == ConflictKind::Capacity)
        group.capacity = capacity;
    out.parts.conflicts.push_back(std::move(group));
    if (auto made = Cluster::make(out.parts); !made)
        return tl::unexpected(made.error());
    return out;
}

ClusterParts withoutConflicts(const Cluster &cluster, const std::vector<std::size_t> &groups)
{
    ClusterParts parts = cluster.parts();
    std::vector<ConflictGroup> left;
    for (std::size_t i = 0; i < parts.conflicts.size(); ++i)
        if (std::find(groups.begin(), groups.end(), i) == groups.end())
            left.push_back(parts.conflicts[i]);
    parts.conflicts = std::move(left);
    return parts;
}

Edited grouped(const Cluster &cluster, const Ids &ids, const std::string &name)
{
    Edited out{cluster.parts(), {}};
    const std::vector<int> before = membersPerHost(out.parts);
    const std::vector<bool> vertex = namedVertices(cluster, {ids.begin(), ids.end()});
    Host host;
    host.id = freeHostId(out.parts, name);
    host.name = host.id;
    const HostId id(out.parts.hosts.size());
    out.made = {hostKey(host.id)};
    out.parts.hosts.push_back(std::move(host));
    for (std::size_t i = 0; i < vertex.size(); ++i) {
        if (!vertex[i])
            continue;
        if (cluster.isDevice(VertexId(i)))
            out.parts.devices[i].host = id;
        else
            out.parts.hubs[i - out.parts.devices.size()].host = id;
    }
    out.parts = dropEmptied(std::move(out.parts), before);
    return out;
}

ClusterParts ungrouped(const Cluster &cluster, const Ids &ids)
{
    const std::set<std::string> named(ids.begin(), ids.end());
    const ClusterParts &parts = cluster.parts();
    std::vector<bool> host(parts.hosts.size());
    for (std::size_t i = 0; i < host.size(); ++i)
        host[i] = !named.count(hostKey(parts.hosts[i].id));
    for (std::size_t i = 0; i < cluster.vertexCount(); ++i)
        if (const HostId h = cluster.hostOf(VertexId(i)); h.valid() && named.count(cluster.vertexName(VertexId(i))))
            host[h.index()] = false;
    return kept(parts, std::vector<bool>(cluster.vertexCount(), true), std::vector<bool>(parts.links.size(), true), host);
}

Result<ClusterParts> renamed(const Cluster &cluster, const std::string &id, const std::string &name)
{
    ClusterParts parts = cluster.parts();
    if (const HostId host = findHost(cluster, id); host.valid()) {
        if (name.empty())
            return inputError("", "an empty name", "a name", "Type a name.");
        parts.hosts[host.index()].name = name;
        return parts;
    }
    if (name.empty())
        return inputError("", "an empty name", "a name", "Type a name.");
    if (name == id)
        return parts;
    if (takenIds(parts).count(name))
        return inputError("", '"' + name + '"', "a name that is not taken", "Choose another name.");
    const auto change = [&](auto &list) {
        for (auto &part : list)
            if (part.id == id)
                part.id = name;
    };
    change(parts.devices);
    change(parts.hubs);
    change(parts.links);
    if (auto place = parts.layout.extract(id)) {
        place.key() = name;
        parts.layout.insert(std::move(place));
    }
    return parts;
}

} // namespace polyrail
