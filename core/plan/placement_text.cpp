// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/placement_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace polyrail {

namespace {

std::vector<std::string> split(const std::string &text, char separator)
{
    std::vector<std::string> parts;
    std::string part;
    int depth = 0;
    for (const char ch : text) {
        depth += ch == '(' ? 1 : ch == ')' ? -1 : 0;
        if (ch == separator && depth == 0) {
            parts.push_back(std::move(part));
            part.clear();
        } else {
            part += ch;
        }
    }
    parts.push_back(std::move(part));
    return parts;
}

/// The number at the start of `text`; what follows it is left in `text`. Negative: there is none.
double takeNumber(std::string &text)
{
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str())
        return -1;
    text.erase(0, static_cast<std::size_t>(end - text.c_str()));
    return value;
}

/// "3*(4xV100-SXM2-16GB,NVLink2,1.25GB/s)+1*(4xT4,PCIe3,6.25GB/s)". A '+' inside the parentheses belongs to a name.
Result<std::vector<CaseHost>> readNodes(const std::string &text)
{
    std::vector<CaseHost> hosts;
    for (std::string part : split(text, '+')) {
        const std::string whole = part;
        const double count = takeNumber(part);
        const std::size_t open = part.find('(');
        const std::size_t close = part.rfind(')');
        if (count < 1 || count > 100000 || open == std::string::npos || close == std::string::npos || close < open)
            return inputError("nodes", whole, "N*(KxTYPE,fabric,RATE GB/s)");
        std::vector<std::string> fields = split(part.substr(open + 1, close - open - 1), ',');
        if (fields.size() != 3)
            return inputError("nodes", whole, "three fields in the parentheses");
        CaseHost host;
        host.gpus = static_cast<int>(takeNumber(fields[0]));
        if (host.gpus < 1 || host.gpus > 1024 || fields[0].empty() || fields[0].front() != 'x')
            return inputError("nodes", whole, "KxTYPE as the first field");
        host.gpu = fields[0].substr(1);
        host.intraFabric = fields[1];
        host.networkRate = takeNumber(fields[2]) * 1e9;
        if (!(host.networkRate >= 0) || fields[2].find("GB/s") == std::string::npos)
            return inputError("nodes", whole, "a rate in GB/s as the third field");
        host.nics = 1;
        if (double(hosts.size()) + count > 4096)
            return inputError("nodes", whole, "at most 4096 hosts");
        hosts.insert(hosts.end(), static_cast<std::size_t>(count), host);
    }
    return hosts;
}

struct Run
{
    std::string type;
    int count = 0;
};

/// "TYPExN+TYPExN;TYPExN": runs of all stages, one after the other.
Result<std::vector<Run>> readPlacement(const std::string &text)
{
    std::vector<Run> runs;
    for (const std::string &stage : split(text, ';')) {
        for (const std::string &run : split(stage, '+')) {
            const std::size_t at = run.rfind('x');
            const int count = at == std::string::npos ? 0 : std::atoi(run.c_str() + at + 1);
            if (count < 1)
                return inputError("placement", run, "TYPExN");
            runs.push_back({run.substr(0, at), count});
        }
    }
    return runs;
}

Result<CasePlacement> placeMixed(const TrainingCase &c, const Catalogue &catalogue)
{
    CasePlacement out;
    auto hosts = readNodes(c.nodes);
    if (!hosts)
        return fail(hosts.error());
    out.hosts = std::move(*hosts);
    std::map<std::string, std::vector<int>> devicesOf;
    int device = 0;
    out.leastMemoryGib = 1e9;
    for (const CaseHost &host : out.hosts) {
        const GpuType *type = catalogue.find(host.gpu);
        if (type == nullptr)
            return inputError("nodes", host.gpu, "a GPU type of the catalogue");
        out.leastMemoryGib = std::min(out.leastMemoryGib, double(type->memory.value) / 1073741824.0);
        for (int g = 0; g < host.gpus; ++g)
            devicesOf[host.gpu].push_back(device++);
    }
    std::vector<Run> runs;
    if (c.placement.empty()) {
        for (const CaseHost &host : out.hosts)
            runs.push_back({host.gpu, host.gpus});
    } else {
        auto read = readPlacement(c.placement);
        if (!read)
            return fail(read.error());
        runs = std::move(*read);
    }
    std::map<std::string, std::size_t> taken;
    for (const Run &run : runs) {
        const auto devices = devicesOf.find(run.type);
        if (devices == devicesOf.end())
            return inputError("placement", run.type, "a type of the nodes");
        auto kind = std::find(out.types.begin(), out.types.end(), run.type);
        if (kind == out.types.end())
            kind = out.types.insert(out.types.end(), run.type);
        const auto index = static_cast<std::size_t>(kind - out.types.begin());
        for (int i = 0; i < run.count; ++i) {
            std::size_t &next = taken[run.type];
            if (next >= devices->second.size())
                return inputError("placement", c.placement, "no more GPUs than the nodes have");
            out.deviceOfRank.push_back(DeviceId(std::int32_t(devices->second[next++])));
            out.typeOfRank.push_back(index);
        }
    }
    if (static_cast<int>(out.deviceOfRank.size()) != c.gpus)
        return inputError("placement", std::to_string(out.deviceOfRank.size()) + " ranks",
                          std::to_string(c.gpus) + " as in gpus");
    return out;
}

} // namespace

Result<CasePlacement> placeCase(const TrainingCase &c, const Catalogue &catalogue, int mostHosts)
{
    if (!c.nodes.empty())
        return placeMixed(c, catalogue);
    CasePlacement out;
    const GpuType *type = catalogue.find(c.gpu);
    if (type == nullptr)
        return inputError("gpu", c.gpu, "a GPU type of the catalogue");
    out.leastMemoryGib = double(type->memory.value) / 1073741824.0;
    out.types = {type->name};
    out.typeOfRank = {0};
    CaseHost host;
    host.gpu = type->name;
    host.gpus = std::max(1, std::min(c.gpusPerNode, c.gpus));
    host.intraFabric = c.intraFabric;
    host.networkRate = c.networkRate;
    host.nics = nicCount(c.networkNote);
    const int hosts = (c.gpus + host.gpus - 1) / host.gpus;
    if (hosts > 1 && host.networkRate <= 0) {
        host.networkRate = host.gpus * (type->pcieGeneration >= 5 ? 50e9 : type->pcieGeneration == 4 ? 25e9 : 1.5e9);
        out.note = "network not stated: " + std::to_string(std::lround(host.networkRate / 1e9)) + " GB/s per node";
    }
    const int built = std::min(hosts, mostHosts);
    out.hosts.assign(static_cast<std::size_t>(built), host);
    const int ranks = std::min(c.gpus, built * host.gpus);
    for (int r = 0; r < ranks; ++r)
        out.deviceOfRank.push_back(DeviceId(std::int32_t(r)));
    return out;
}

} // namespace polyrail
