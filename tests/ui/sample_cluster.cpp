// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_cluster.hpp"

#include <memory>
#include <sstream>
#include <stdexcept>

namespace polyrail::test {

namespace {

GpuType gpu(const std::string &name, double gibibytes)
{
    GpuType type;
    type.name = name;
    type.memory = gib(gibibytes);
    type.memoryBandwidth = gigabytesPerSecond(1000);
    type.multiprocessors = 80;
    type.peak[std::size_t(Precision::Fp16)] = FlopsPerSecond(100e12);
    return type;
}

class Builder
{
public:
    explicit Builder(std::string name) { parts.name = std::move(name); }

    VertexId device(const std::string &id, const GpuType &type, int host, double x, double y)
    {
        Device d;
        d.id = id;
        d.typeName = type.name;
        d.type = type;
        d.host = HostId(host);
        parts.devices.push_back(d);
        parts.layout[id] = {x, y};
        return VertexId(parts.devices.size() - 1);
    }

    /// After all devices: vertices count devices first.
    VertexId hub(const std::string &id, HubKind kind, int host, double x, double y)
    {
        parts.hubs.push_back({id, kind, HostId(host)});
        parts.layout[id] = {x, y};
        return VertexId(parts.devices.size() + parts.hubs.size() - 1);
    }

    LinkId link(const std::string &id, VertexId a, VertexId b, LinkKind kind, double gigabytes, double latency,
                bool bits = false)
    {
        Link l;
        l.id = id;
        l.ends = {a, b};
        l.kind = kind;
        l.bandwidth = gigabytesPerSecond(gigabytes);
        l.latency = Seconds(latency);
        l.enteredInBits = bits;
        parts.links.push_back(l);
        return LinkId(parts.links.size() - 1);
    }

    Cluster build(bool withLayout = true)
    {
        if (!withLayout)
            parts.layout.clear();
        auto made = Cluster::make(parts);
        if (!made)
            throw std::logic_error(made.error().message());
        return *made;
    }

    ClusterParts parts;
};

std::string numbered(const std::string &stem, int n) { return stem + ' ' + std::to_string(n); }

} // namespace

Cluster twoBoxes(bool withLayout)
{
    Builder b("two boxes");
    b.parts.hosts = {{"node-a", "node-a"}, {"node-b", "node-b"}};
    const GpuType rtx = gpu("RTX-4090D", 24);
    const GpuType v100 = gpu("V100-SXM2-32GB", 32);
    std::vector<VertexId> a;
    std::vector<VertexId> v;
    for (int i = 0; i < 4; ++i)
        a.push_back(b.device(numbered("4090D", i), rtx, 0, 140, 148 + 82 * i));
    for (int i = 0; i < 4; ++i)
        v.push_back(b.device(numbered("V100", i), v100, 1, 950, 148 + 82 * i));
    const VertexId as0 = b.hub("switch a0", HubKind::PcieSwitch, 0, 262, 189);
    const VertexId as1 = b.hub("switch a1", HubKind::PcieSwitch, 0, 262, 353);
    const VertexId acpu = b.hub("CPU a", HubKind::Cpu, 0, 342, 271);
    const VertexId anic = b.hub("NIC a", HubKind::Nic, 0, 420, 271);
    const VertexId bs0 = b.hub("switch b0", HubKind::PcieSwitch, 1, 836, 189);
    const VertexId bs1 = b.hub("switch b1", HubKind::PcieSwitch, 1, 836, 353);
    const VertexId bcpu = b.hub("CPU b", HubKind::Cpu, 1, 766, 271);
    const VertexId bnic = b.hub("NIC b", HubKind::Nic, 1, 692, 271);
    for (int i = 0; i < 4; ++i)
        b.link("pcie a" + std::to_string(i), a[std::size_t(i)], i < 2 ? as0 : as1, LinkKind::Pcie, 32, 1.5e-6);
    const LinkId ua0 = b.link("uplink a0", as0, acpu, LinkKind::Pcie, 32, 1e-6);
    const LinkId ua1 = b.link("uplink a1", as1, acpu, LinkKind::Pcie, 32, 1e-6);
    b.link("bus a", acpu, anic, LinkKind::HostBus, 40, 0.5e-6);
    b.link("bus b", bcpu, bnic, LinkKind::HostBus, 40, 0.5e-6);
    for (int i = 0; i < 4; ++i)
        b.link("pcie b" + std::to_string(i), v[std::size_t(i)], i < 2 ? bs0 : bs1, LinkKind::Pcie, 16, 1.5e-6);
    b.link("uplink b0", bs0, bcpu, LinkKind::Pcie, 16, 1e-6);
    b.link("uplink b1", bs1, bcpu, LinkKind::Pcie, 16, 1e-6);
    for (int i = 0; i < 4; ++i)
        for (int k = i + 1; k < 4; ++k)
            for (int n = 0; n < 2; ++n)
                b.link("nvlink " + std::to_string(i) + std::to_string(k) + char('a' + n), v[std::size_t(i)],
                       v[std::size_t(k)], LinkKind::NvLink, 25, 1e-6);
    b.link("rail 0", anic, bnic, LinkKind::Network, 1.25, 12e-6, true);
    const LinkId r1 = b.link("rail 1", anic, bnic, LinkKind::Network, 0.5, 12e-6, true);
    const LinkId mgmt = b.link("mgmt", anic, bnic, LinkKind::Network, 0.125, 50e-6, true);
    b.parts.conflicts.push_back({"port b1", ConflictKind::Exclusive, {r1, mgmt}, {}, false});
    b.parts.conflicts.push_back({"root a", ConflictKind::Capacity, {ua0, ua1}, gigabytesPerSecond(40), false});
    return b.build(withLayout);
}

Cluster manyHosts(int hosts, int switches, int extra)
{
    Builder b("many hosts");
    const GpuType type = gpu("A100-80GB-SXM", 80);
    std::vector<std::vector<VertexId>> gpus;
    for (int h = 0; h < hosts; ++h) {
        const std::string id = "node-" + std::to_string(h);
        b.parts.hosts.push_back({id, id});
        gpus.emplace_back();
        for (int g = 0; g < 8; ++g)
            gpus.back().push_back(b.device(id + " gpu " + std::to_string(g), type, h, 0, 0));
    }
    std::vector<VertexId> spines;
    std::vector<std::pair<VertexId, std::array<VertexId, 2>>> inside;
    for (int h = 0; h < hosts; ++h) {
        const std::string id = "node-" + std::to_string(h);
        const VertexId nv = b.hub(id + " nvswitch", HubKind::NvSwitch, h, 0, 0);
        const VertexId n0 = b.hub(id + " nic 0", HubKind::Nic, h, 0, 0);
        const VertexId n1 = b.hub(id + " nic 1", HubKind::Nic, h, 0, 0);
        inside.push_back({nv, {n0, n1}});
    }
    for (int s = 0; s < switches; ++s)
        spines.push_back(b.hub(numbered("switch", s), HubKind::Switch, -1, 0, 0));
    int next = 0;
    for (int h = 0; h < hosts; ++h)
        for (int g = 0; g < 8; ++g) {
            const VertexId v = gpus[std::size_t(h)][std::size_t(g)];
            const auto &[nv, nics] = inside[std::size_t(h)];
            for (int n = 0; n < 1 + extra; ++n)
                b.link("nv" + std::to_string(next++), v, nv, LinkKind::NvLink, 50, 1e-6);
            b.link("pcie" + std::to_string(next++), v, nics[std::size_t(g / 4)], LinkKind::Pcie, 31.5, 1.5e-6);
        }
    for (int h = 0; h < hosts; ++h)
        for (int s = 0; s < switches; ++s)
            b.link("rail" + std::to_string(next++), inside[std::size_t(h)].second[std::size_t(s % 2)],
                   spines[std::size_t(s)], LinkKind::Network, 25, 5e-6, true);
    return b.build(false);
}

ShownPlan planOf(const Cluster &cluster)
{
    ShownPlan shown;
    shown.cluster = cluster;
    auto plan = std::make_shared<Plan>();
    const auto devices = [](std::initializer_list<int> ids) {
        Replica replica;
        for (int i : ids)
            replica.devices.push_back(DeviceId(i));
        replica.samples = 1;
        return replica;
    };
    plan->stages = {{0, 14, {devices({4, 5, 6, 7})}}, {15, 22, {devices({0, 1})}}, {23, 31, {devices({2, 3})}}};
    auto graph = std::make_shared<TaskGraph>();
    auto schedule = std::make_shared<Schedule>();
    schedule->makespan = Nanoseconds(3'700'000'000);
    const auto second = [](double s) { return Nanoseconds(static_cast<std::int64_t>(s * 1e9)); };
    const auto use = [&](const char *id, Direction direction, double share) {
        const LinkId link = cluster.findLink(id);
        const double bandwidth = cluster.link(link).bandwidth.value;
        LinkUsage usage;
        usage.link = link;
        usage.direction = direction;
        usage.segments = {{second(1), second(2), bandwidth * share}};
        usage.bytes = bandwidth * share * 3.7;
        schedule->links.push_back(usage);
    };
    use("rail 0", Direction::Forward, 1.0);
    use("rail 1", Direction::Forward, 0.98);
    for (const char *id : {"pcie a0", "pcie a1"})
        use(id, Direction::Forward, 0.25);
    for (const char *id : {"pcie a2", "pcie a3"})
        use(id, Direction::Forward, 0.29);
    use("uplink a0", Direction::Forward, 0.5);
    use("uplink a1", Direction::Forward, 0.58);
    use("uplink a1", Direction::Backward, 0.3);
    for (const char *id : {"pcie b0", "pcie b1", "pcie b2", "pcie b3"})
        use(id, Direction::Forward, 0.03);
    for (const Link &link : cluster.links())
        if (link.kind == LinkKind::NvLink)
            use(link.id.c_str(), Direction::Forward, 0.14);
    SimTask task;
    task.kind = TaskKind::Transfer;
    task.uses = {{cluster.findLink("rail 1"), Direction::Forward, 1e9}};
    graph->tasks = {task};
    schedule->graph = graph;
    schedule->criticalPath = {TaskId(0)};
    for (std::size_t i = 0; i < cluster.devices().size(); ++i) {
        MemoryTrack track;
        track.device = DeviceId(i);
        track.capacityBytes = cluster.devices()[i].type.memory.value;
        track.peakBytes = static_cast<std::int64_t>(double(track.capacityBytes) * (0.65 + 0.03 * double(i)));
        track.steps = {{Nanoseconds(0), track.peakBytes / 2}, {second(1), track.peakBytes}};
        schedule->memory.push_back(track);
    }
    shown.plan = plan;
    shown.schedule = schedule;
    return shown;
}

std::string fingerprint(const Cluster &cluster)
{
    std::ostringstream out;
    out.precision(17);
    for (const Host &h : cluster.hosts())
        out << "host " << h.id << '|' << h.name << '\n';
    for (const Device &d : cluster.devices())
        out << "device " << d.id << '|' << d.typeName << '|' << d.host.value << '|' << d.type.memory.value << '\n';
    for (const Hub &h : cluster.hubs())
        out << "hub " << h.id << '|' << int(h.kind) << '|' << h.host.value << '\n';
    for (const Link &l : cluster.links())
        out << "link " << l.id << '|' << l.ends[0].value << '|' << l.ends[1].value << '|' << int(l.kind) << '|'
            << l.bandwidth.value << '|' << l.latency.value << '|' << int(l.duplex) << int(l.state) << l.enteredInBits
            << '\n';
    for (const ConflictGroup &g : cluster.conflicts()) {
        out << "conflict " << g.id << '|' << int(g.kind) << '|' << g.capacity.value << '|' << g.bothDirections;
        for (LinkId l : g.links)
            out << ' ' << l.value;
        out << '\n';
    }
    for (const auto &[id, at] : cluster.parts().layout)
        out << "at " << id << '|' << at.x << '|' << at.y << '\n';
    return out.str();
}

} // namespace polyrail::test
