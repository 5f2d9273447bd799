// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.hpp"
#include "core/formats/importers.hpp"
#include "core/formats/nvidia_smi_topo.hpp"
#include "core/formats/topo_tree.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

namespace polyrail {

namespace {

constexpr double pcieLatency = 0.5e-6; // s, typical; the text says nothing about it
constexpr double nvlinkLatency = 1e-6;
constexpr double hostBusLatency = 0.3e-6;

/// "NVLink3 12x25 + NVSwitch" -> 12 links of 25 GB/s. Zeros when the text holds no such figure.
struct NvLinkFigures
{
    int links = 0;
    double gigabytes = 0;
    bool switched = false;
};

NvLinkFigures nvLinkOf(const GpuType &type)
{
    NvLinkFigures out;
    out.switched = type.scaleUp.find("NVSwitch") != std::string::npos;
    const std::string &text = type.scaleUp;
    if (!text.starts_with("NVLink"))
        return out;
    for (std::size_t x = text.find('x'); x != std::string::npos; x = text.find('x', x + 1)) {
        std::size_t first = x;
        while (first > 0 && std::isdigit(static_cast<unsigned char>(text[first - 1])))
            --first;
        int links = 0;
        double rate = 0;
        const char *end = text.data() + text.size();
        if (first < x && std::from_chars(text.data() + first, text.data() + x, links).ec == std::errc()
            && std::from_chars(text.data() + x + 1, end, rate).ec == std::errc()) {
            out.links = links;
            out.gigabytes = rate;
            return out;
        }
    }
    return out;
}

std::string trimmed(const std::string &text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// What was recognised, for messages: "8 GPUs (NV12 among 28 pairs, SYS among 2) and 10 NICs".
std::string summary(const TopoMatrix &m)
{
    std::map<std::string, int> counts;
    for (std::size_t a = 0; a < m.gpus.size(); ++a) {
        for (std::size_t b = a + 1; b < m.gpus.size(); ++b) {
            const TopoCell &cell = m.at(a, b);
            const bool nv = cell.relation == TopoRelation::NvLink;
            ++counts[toString(cell.relation) + (nv ? std::to_string(cell.links) : std::string())];
        }
    }
    std::string pairs;
    for (const auto &[name, count] : counts)
        pairs += (pairs.empty() ? " (" : ", ") + name + " x " + std::to_string(count);
    return std::to_string(m.gpus.size()) + (m.gpus.size() == 1 ? " GPU" : " GPUs") + pairs + (pairs.empty() ? "" : ")")
        + " and " + std::to_string(m.nics.size()) + (m.nics.size() == 1 ? " NIC" : " NICs");
}

struct TypeOfGpu
{
    std::string name;
    const GpuType *type = nullptr;
};

tl::unexpected<Error> unknownType(const std::string &name, const Catalogue &catalogue)
{
    std::string remedy;
    for (const std::string &near : catalogue.similar(name))
        remedy += (remedy.empty() ? "Did you mean \"" : "\", \"") + near;
    remedy += remedy.empty() ? "Use a type of the catalogue." : "\"?";
    return inputError("", "the GPU type \"" + name.substr(0, 60) + '"', "a type of the catalogue", remedy);
}

/// "A100", or one entry per GPU with counts: "2x RTX 5090, 3x RTX 4090".
Result<std::vector<TypeOfGpu>> typesFromText(const std::string &text, std::size_t gpus, const Catalogue &catalogue)
{
    std::vector<TypeOfGpu> types;
    std::size_t begin = 0;
    for (;;) {
        const std::size_t comma = text.find(',', begin);
        std::string name = trimmed(text.substr(begin, comma == std::string::npos ? comma : comma - begin));
        std::size_t count = 1;
        const GpuType *type = catalogue.find(name);
        const std::size_t digits = name.find_first_not_of("0123456789");
        if (!type && digits != std::string::npos && digits > 0 && digits < 4
            && (name[digits] == 'x' || name[digits] == '*' || name[digits] == ' ')) {
            count = static_cast<std::size_t>(std::stoul(name.substr(0, digits)));
            name = trimmed(name.substr(digits + 1));
            if (name.starts_with("x ") || name.starts_with("* "))
                name = trimmed(name.substr(2));
            type = catalogue.find(name);
        }
        if (!type)
            return unknownType(name, catalogue);
        if (count == 0 || types.size() + count > 4096)
            return inputError("", '"' + text.substr(0, 80) + '"', "counts that add up to the GPUs of the matrix",
                "Correct the counts.");
        types.insert(types.end(), count, TypeOfGpu{name, type});
        if (comma == std::string::npos)
            break;
        begin = comma + 1;
    }
    if (types.size() == 1)
        types.resize(gpus, types.front());
    if (types.size() != gpus)
        return inputError("", std::to_string(types.size()) + " GPU types", std::to_string(gpus) + " (or one for all)",
            "Give one type per GPU in the order of the matrix, such as \"2x RTX 5090, 3x RTX 4090\".");
    return types;
}

Result<std::vector<TypeOfGpu>> typesOf(
    const TopoMatrix &m, const Catalogue &catalogue, const std::optional<std::string> &given)
{
    if (given && !trimmed(*given).empty())
        return typesFromText(trimmed(*given), m.gpus.size(), catalogue);
    std::vector<TypeOfGpu> types;
    for (const std::string &gpu : m.gpus) {
        const auto model = m.gpuModels.find(gpu);
        if (model == m.gpuModels.end())
            return inputError("", summary(m) + ", but no GPU model", "the GPU type as well",
                "nvidia-smi topo -m never prints the model. Give it, such as A100, or paste the lines of "
                "`nvidia-smi -L` above the matrix.");
        const GpuType *type = catalogue.find(model->second);
        if (!type)
            return unknownType(model->second, catalogue);
        types.push_back({model->second, type});
    }
    return types;
}

class TopoClusterBuilder
{
public:
    TopoClusterBuilder(TopoMatrix matrix, std::vector<TypeOfGpu> types)
        : m_matrix(std::move(matrix)), m_types(std::move(types)), m_warnings(m_matrix.warnings)
    {
    }

    Result<ImportedCluster> build()
    {
        const TopoTree tree = inferTopoTree(m_matrix);
        m_warnings.insert(m_warnings.end(), tree.warnings.begin(), tree.warnings.end());
        m_parts.name = "Imported machine: " + std::to_string(m_matrix.gpus.size()) + " x " + typeNames();
        m_parts.hosts.push_back({"host0", "imported"});
        for (std::size_t g = 0; g < m_matrix.gpus.size(); ++g) {
            Device device;
            device.id = m_matrix.gpus[g];
            device.typeName = m_types[g].name;
            device.type = *m_types[g].type;
            device.host = HostId(0);
            m_parts.devices.push_back(std::move(device));
        }
        for (const std::string &nic : m_matrix.nics)
            addHub(nic, HubKind::Nic);
        addTree(tree);
        addNvLinks();
        reportAssumptions();
        auto cluster = Cluster::make(std::move(m_parts));
        if (!cluster)
            return fail(cluster.error());
        return ImportedCluster{*cluster, std::move(m_warnings)};
    }

private:
    std::string typeNames() const
    {
        std::string text;
        std::set<std::string> seen;
        for (const TypeOfGpu &t : m_types) {
            if (seen.insert(t.type->name).second)
                text += (text.empty() ? "" : " / ") + t.type->name;
        }
        return text;
    }

    VertexId addHub(const std::string &id, HubKind kind)
    {
        m_parts.hubs.push_back({id, kind, HostId(0)});
        return VertexId(m_matrix.gpus.size() + m_parts.hubs.size() - 1);
    }

    void addLink(std::string id, VertexId a, VertexId b, LinkKind kind, double bytesPerSecond, double latency)
    {
        Link link;
        link.id = std::move(id);
        link.ends = {a, b};
        link.kind = kind;
        link.bandwidth = BytesPerSecond(bytesPerSecond);
        link.latency = Seconds(latency);
        m_parts.links.push_back(std::move(link));
    }

    /// Of the slot: by the GPU's sheet; NICs and switches by the fastest GPU of the machine.
    double pcieRate(std::size_t vertex) const
    {
        double rate = 0;
        if (vertex < m_types.size())
            rate = m_types[vertex].type->pcieBandwidth.value;
        else
            for (const TypeOfGpu &t : m_types)
                rate = std::max(rate, t.type->pcieBandwidth.value);
        return rate > 0 ? rate : 15.75e9;
    }

    /// Between CPUs: what NCCL plans with for processors of the time of that PCIe generation (topo.h: Skylake
    /// 10, AMD 16, Sapphire Rapids 22 GB/s).
    double hostBusRate() const
    {
        int generation = 3;
        for (const TypeOfGpu &t : m_types)
            generation = std::max(generation, t.type->pcieGeneration);
        return generation >= 5 ? 22e9 : generation == 4 ? 16e9 : 10e9;
    }

    void addTree(const TopoTree &tree)
    {
        std::vector<VertexId> hubs;
        for (const TopoTree::Hub &hub : tree.hubs)
            hubs.push_back(addHub(hub.name, hub.kind));
        for (std::size_t v = 0; v < m_matrix.vertexCount(); ++v)
            addLink("pcie " + m_matrix.name(v), VertexId(v), hubs[tree.parentOf[v]], LinkKind::Pcie, pcieRate(v),
                pcieLatency);
        for (std::size_t h = 0; h < tree.hubs.size(); ++h) {
            if (tree.hubs[h].parent)
                addLink("pcie " + tree.hubs[h].name, hubs[h], hubs[*tree.hubs[h].parent], LinkKind::Pcie,
                    pcieRate(m_types.size()), pcieLatency);
        }
        std::vector<std::size_t> roots;
        for (std::size_t h = 0; h < tree.hubs.size(); ++h) {
            if (!tree.hubs[h].parent)
                roots.push_back(h);
        }
        if (roots.size() == 2) {
            addLink("host bus", hubs[roots[0]], hubs[roots[1]], LinkKind::HostBus, hostBusRate(), hostBusLatency);
        } else if (roots.size() > 2) {
            // More than two: which of them are neighbours is not printed, so they meet in one point.
            const VertexId centre = addHub("interconnect", HubKind::Other);
            for (std::size_t root : roots)
                addLink("host bus " + tree.hubs[root].name, hubs[root], centre, LinkKind::HostBus, hostBusRate(),
                    hostBusLatency / 2);
        }
        m_hostBus = roots.size() > 1;
    }

    double nvLinkRate(std::size_t gpu)
    {
        const double rate = nvLinkOf(*m_types[gpu].type).gigabytes;
        if (rate > 0)
            return rate * 1e9;
        m_assumedNvLink.insert(m_types[gpu].type->name);
        return 25e9;
    }

    void addNvLinks()
    {
        const std::size_t n = m_matrix.gpus.size();
        std::vector<int> sum(n);
        std::vector<int> widest(n);
        bool any = false;
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                if (a == b || m_matrix.at(a, b).relation != TopoRelation::NvLink)
                    continue;
                any = true;
                sum[a] += m_matrix.at(a, b).links;
                widest[a] = std::max(widest[a], m_matrix.at(a, b).links);
            }
        }
        if (!any)
            return;
        if (isSwitched(sum, widest)) {
            addSwitchedNvLinks(widest);
            return;
        }
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = a + 1; b < n; ++b) {
                const TopoCell &cell = m_matrix.at(a, b);
                if (cell.relation != TopoRelation::NvLink)
                    continue;
                const double rate = std::min(nvLinkRate(a), nvLinkRate(b));
                for (int k = 0; k < cell.links; ++k)
                    addLink("nvlink " + m_matrix.gpus[a] + '-' + m_matrix.gpus[b] + '.' + std::to_string(k),
                        VertexId(a), VertexId(b), LinkKind::NvLink, rate, nvlinkLatency);
            }
        }
    }

    /// NV# of a switched fabric is the whole port of the GPU, shared by all its peers; in a mesh the links of a
    /// GPU are divided over them. So a row that adds up to more than the GPU has is switched.
    bool isSwitched(const std::vector<int> &sum, const std::vector<int> &widest)
    {
        bool switched = false;
        bool overSheet = false;
        for (std::size_t g = 0; g < sum.size(); ++g) {
            const NvLinkFigures figures = nvLinkOf(*m_types[g].type);
            const int links = figures.links > 0 ? figures.links : 18; // no type has had more so far
            if (sum[g] > links)
                switched = true;
            if (figures.links > 0 && widest[g] > figures.links)
                overSheet = true;
        }
        if (overSheet)
            m_warnings.push_back("The matrix shows more NVLinks on a GPU than its type has: check the GPU type.");
        return switched;
    }

    void addSwitchedNvLinks(const std::vector<int> &widest)
    {
        const VertexId hub = addHub("nvswitch", HubKind::NvSwitch);
        std::vector<std::string> outside;
        for (std::size_t g = 0; g < widest.size(); ++g) {
            if (widest[g] == 0) {
                outside.push_back(m_matrix.gpus[g]);
                continue;
            }
            addLink("nvlink " + m_matrix.gpus[g], VertexId(g), hub, LinkKind::NvLink, widest[g] * nvLinkRate(g),
                nvlinkLatency);
        }
        for (const std::string &gpu : outside)
            m_warnings.push_back(
                gpu + " has no NVLink although the others are switched: it is reached over PCIe only.");
        m_warnings.push_back("NVLink is switched (a row adds up to more links than a GPU has): each GPU has one port "
                             "into the switch. Whether NVLink leads to other machines is not printed.");
    }

    void reportAssumptions()
    {
        for (const std::string &name : m_assumedNvLink)
            m_warnings.push_back("The catalogue has no NVLink rate for " + name + ": 25 GB/s per link was assumed.");
        std::string text = "PCIe links have the rate of the GPU's sheet ("
            + formatBandwidth(BytesPerSecond(pcieRate(m_types.size())))
            + " for switches and NICs): the text does not say what was negotiated.";
        if (m_hostBus)
            text += " Between CPUs " + formatBandwidth(BytesPerSecond(hostBusRate())) + " was assumed.";
        m_warnings.push_back(text + " Latencies are typical values.");
        if (!m_matrix.nics.empty())
            m_warnings.push_back(
                "NICs are drawn without a network: its rates are not in the text. Join them to a switch or "
                "to NICs of another machine.");
        m_parts.notes = "Imported from nvidia-smi topo -m. " + text;
        for (const auto &[nic, name] : m_matrix.nicNames)
            m_parts.notes.append(" ").append(nic).append(" is ").append(name).append(".");
    }

    TopoMatrix m_matrix;
    std::vector<TypeOfGpu> m_types;
    std::vector<std::string> m_warnings;
    ClusterParts m_parts;
    std::set<std::string> m_assumedNvLink;
    bool m_hostBus = false;
};

} // namespace

Result<ImportedCluster> importNvidiaSmiTopo(
    std::string_view text, const Catalogue &catalogue, const std::optional<std::string> &gpuType)
{
    auto matrix = parseNvidiaSmiTopo(text);
    if (!matrix)
        return fail(matrix.error());
    auto types = typesOf(*matrix, catalogue, gpuType);
    if (!types)
        return fail(types.error());
    return TopoClusterBuilder(std::move(*matrix), std::move(*types)).build();
}

} // namespace polyrail
