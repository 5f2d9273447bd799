// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/case_cluster.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <mutex>

namespace polyrail {

namespace {

constexpr double nvlinkLatency = 0.3e-6;
constexpr double pcieLatency = 0.5e-6;
constexpr double networkLatency = 1.0e-6;
/// A mapped copy through host memory without peer-to-peer: both directions share what the root complex moves for
/// one GPU, about 0.7 of one direction of its slot (nccl-tests on two RTX 4090: 9 GB/s both ways, 16 GB/s one way).
constexpr double hostCopyShare = 0.70;
/// Between the sockets peer-to-peer traffic falls to what the processor link forwards.
constexpr double socketRate = 16e9;

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

/// GeForce and Titan boards do not reach each other over PCIe, nor do T4 in rented machines.
bool peersOverPcie(const GpuType &type)
{
    const bool workstation = has(type.name, "Ada") || has(type.name, "A6000") || has(type.name, "PRO");
    const bool consumer = type.name.rfind("RTX", 0) == 0 || type.name.rfind("Titan", 0) == 0;
    return type.name != "T4" && (!consumer || workstation);
}

/// Pairs of the hybrid cube mesh of DGX-1V with the number of NVLink2 links (25 GB/s each); the first four GPUs are
/// also the wiring of four-GPU cloud hosts.
struct MeshPair
{
    int a;
    int b;
    int links;
};
constexpr std::array<MeshPair, 16> cubeMesh = {{{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {1, 2, 2}, {1, 3, 1}, {2, 3, 2},
                                                {0, 4, 2}, {1, 5, 2}, {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1},
                                                {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}}};

class Maker
{
public:
    explicit Maker(const Catalogue &catalogue) : m_catalogue(catalogue) {}

    Result<void> addHost(const CaseHost &host)
    {
        const GpuType *type = m_catalogue.find(host.gpu);
        if (type == nullptr)
            return inputError("gpu", host.gpu, "a GPU type of the catalogue");
        const std::string name = "h" + std::to_string(m_parts.hosts.size());
        const HostId id(m_parts.hosts.size());
        m_parts.hosts.push_back({name, name});
        m_host = {};
        for (int g = 0; g < host.gpus; ++g) {
            Device device;
            device.id = name + "g" + std::to_string(g);
            device.typeName = type->name;
            device.host = id;
            device.type = *type;
            m_host.push_back(static_cast<int>(m_parts.devices.size()));
            m_parts.devices.push_back(std::move(device));
        }
        m_specs.push_back({host, type, name, id, m_host});
        return {};
    }

    ClusterParts finish()
    {
        // Hubs come after the devices in vertex order, so links are made when all devices are known.
        const bool network = m_specs.size() > 1;
        const int fabric = network ? addHub("fabric", HubKind::Switch, HostId()) : -1;
        for (const Spec &spec : m_specs) {
            wireInside(spec);
            if (network)
                wireNetwork(spec, fabric);
        }
        return std::move(m_parts);
    }

private:
    struct Spec
    {
        CaseHost host;
        const GpuType *type;
        std::string name;
        HostId id;
        std::vector<int> devices;
    };

    int addHub(const std::string &id, HubKind kind, HostId host)
    {
        m_parts.hubs.push_back({id, kind, host});
        return static_cast<int>(m_parts.devices.size() + m_parts.hubs.size() - 1);
    }

    void addLink(int a, int b, LinkKind kind, double rate, double latency, Duplex duplex = Duplex::Full)
    {
        Link link;
        link.id = "l" + std::to_string(m_parts.links.size());
        link.ends = {VertexId(std::int32_t(a)), VertexId(std::int32_t(b))};
        link.kind = kind;
        link.bandwidth = BytesPerSecond(rate);
        link.latency = Seconds(latency);
        link.duplex = duplex;
        m_parts.links.push_back(std::move(link));
    }

    void wireInside(const Spec &spec)
    {
        const std::string &fabric = spec.host.intraFabric;
        const double scaleUp = spec.type->scaleUpBandwidth.value;
        const int n = spec.host.gpus;
        if (n < 2)
            return;
        if (has(fabric, "NVSwitch") || has(fabric, "NVL72")) {
            const int hub = addHub(spec.name + ".nvswitch", HubKind::NvSwitch, spec.id);
            for (const int device : spec.devices)
                addLink(device, hub, LinkKind::NvLink, std::max(scaleUp, 25e9), nvlinkLatency);
            return;
        }
        if (has(fabric, "NVLink2") && n <= 8 && (has(fabric, "mesh") || fabric == "NVLink2")) {
            wireCubeMesh(spec);
            return;
        }
        if (has(fabric, "mesh")) {
            const double rate = has(fabric, "xGMI") ? scaleUp : scaleUp / (n - 1);
            for (int a = 0; a < n; ++a)
                for (int b = a + 1; b < n; ++b)
                    addLink(at(spec, a), at(spec, b), LinkKind::NvLink, std::max(rate, 1e9), nvlinkLatency);
            return;
        }
        if ((has(fabric, "pairs") || has(fabric, "bridge")) && scaleUp > 0)
            for (int a = 0; a + 1 < n; a += 2)
                addLink(at(spec, a), at(spec, a + 1), LinkKind::NvLink, scaleUp, nvlinkLatency);
        wirePcie(spec);
    }

    void wireCubeMesh(const Spec &spec)
    {
        const int n = spec.host.gpus;
        std::vector<bool> joined(static_cast<std::size_t>(n * n), false);
        for (const MeshPair &pair : cubeMesh) {
            if (pair.a >= n || pair.b >= n)
                continue;
            joined[static_cast<std::size_t>(pair.a * n + pair.b)] = true;
            addLink(at(spec, pair.a), at(spec, pair.b), LinkKind::NvLink, 25e9 * pair.links, nvlinkLatency);
        }
        for (int a = 0; a < n; ++a)
            for (int b = a + 1; b < n; ++b)
                if (!joined[static_cast<std::size_t>(a * n + b)])
                    addLink(at(spec, a), at(spec, b), LinkKind::Pcie, 0.75 * spec.type->pcieBandwidth.value,
                            3 * pcieLatency);
    }

    void wirePcie(const Spec &spec)
    {
        const std::string &fabric = spec.host.intraFabric;
        double rate = spec.type->pcieBandwidth.value;
        for (const int generation : {3, 4, 5})
            if (has(fabric, ("PCIe" + std::to_string(generation)).c_str()))
                rate = std::min(rate > 0 ? rate : 64e9, 16e9 * (1 << (generation - 3)));
        if (spec.type->name == "T4")
            rate = std::min(rate, 8e9); // cloud hosts give it half a slot
        const bool throughHost = has(fabric, "noP2P") || (!has(fabric, "P2P") && !peersOverPcie(*spec.type));
        const int n = spec.host.gpus;
        const int first = addHub(spec.name + ".cpu0", HubKind::Cpu, spec.id);
        int second = first;
        if (n > 4) {
            second = addHub(spec.name + ".cpu1", HubKind::Cpu, spec.id);
            addLink(first, second, LinkKind::HostBus, socketRate, pcieLatency);
        }
        for (int g = 0; g < n; ++g) {
            const int cpu = g < (n + 1) / 2 ? first : second;
            if (throughHost)
                addLink(at(spec, g), cpu, LinkKind::HostBus, hostCopyShare * rate, 2 * pcieLatency, Duplex::Half);
            else
                addLink(at(spec, g), cpu, LinkKind::Pcie, rate, pcieLatency);
        }
    }

    void wireNetwork(const Spec &spec, int fabric)
    {
        if (spec.host.networkRate <= 0)
            return;
        const int n = spec.host.gpus;
        int nics = spec.host.nics;
        if (nics <= 0)
            nics = spec.host.networkRate >= 20e9 * n ? n : 1;
        // More network ports than GPUs: the ports of one GPU count as one.
        nics = std::min(nics, n);
        const double pcie = std::max(spec.type->pcieBandwidth.value, 8e9);
        for (int nic = 0; nic < nics; ++nic) {
            const int hub = addHub(spec.name + ".nic" + std::to_string(nic), HubKind::Nic, spec.id);
            const double rate = spec.host.networkRate / nics;
            addLink(hub, fabric, LinkKind::Network, rate, networkLatency);
            for (int g = nic * n / nics; g < (nic + 1) * n / nics; ++g)
                addLink(at(spec, g), hub, LinkKind::Pcie, std::max(pcie, rate), pcieLatency);
        }
    }

    static int at(const Spec &spec, int gpu) { return spec.devices[static_cast<std::size_t>(gpu)]; }

    const Catalogue &m_catalogue;
    ClusterParts m_parts;
    std::vector<int> m_host;
    std::vector<Spec> m_specs;
};

} // namespace

int nicCount(const std::string &text)
{
    for (std::size_t i = 0; i + 2 < text.size(); ++i) {
        if (!std::isdigit(static_cast<unsigned char>(text[i])))
            continue;
        std::size_t end = i;
        int count = 0;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) && count < 1000)
            count = 10 * count + (text[end++] - '0');
        if (end + 1 < text.size() && text[end] == 'x' && std::isdigit(static_cast<unsigned char>(text[end + 1])))
            return count;
        i = end;
    }
    return 0;
}

Result<Cluster> clusterOfHosts(const std::vector<CaseHost> &hosts, const Catalogue &catalogue)
{
    Maker maker(catalogue);
    for (const CaseHost &host : hosts)
        if (auto added = maker.addHost(host); !added)
            return fail(added.error());
    return Cluster::make(maker.finish());
}

std::shared_ptr<const Result<std::vector<Pattern>>> CaseMachine::patterns(Collective kind,
                                                                          const std::vector<DeviceId> &members) const
{
    const auto key = std::make_pair(kind, members);
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        const auto known = m_patterns.find(key);
        if (known != m_patterns.end())
            return known->second;
    }
    auto made = std::make_shared<const Result<std::vector<Pattern>>>(collectivePatterns(routes, network, kind, members));
    const std::lock_guard<std::mutex> lock(m_mutex);
    return m_patterns.emplace(key, std::move(made)).first->second;
}

Result<std::shared_ptr<const CaseMachine>> machineOfHosts(const std::vector<CaseHost> &hosts,
                                                          const Catalogue &catalogue)
{
    struct Entry
    {
        const Catalogue *catalogue;
        std::vector<CaseHost> hosts;
        std::shared_ptr<const CaseMachine> machine;
    };
    static std::mutex mutex;
    static std::deque<Entry> entries;
    constexpr std::size_t most = 32;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        for (const Entry &entry : entries)
            if (entry.catalogue == &catalogue && entry.hosts == hosts)
                return entry.machine;
    }
    auto cluster = clusterOfHosts(hosts, catalogue);
    if (!cluster)
        return fail(cluster.error());
    auto machine = std::make_shared<const CaseMachine>(*cluster);
    const std::lock_guard<std::mutex> lock(mutex);
    entries.push_front({&catalogue, hosts, machine});
    if (entries.size() > most)
        entries.pop_back();
    return machine;
}

} // namespace polyrail
