// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.hpp"
#include "core/formats/gpu_type_json.hpp"
#include "core/formats/json_cursor.hpp"
#include "core/formats/json_files.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

namespace polyrail {

namespace {

using nlohmann::json;

constexpr std::size_t mostHosts = 100000;
constexpr std::size_t mostVertices = 200000;
constexpr std::size_t mostLinks = 2000000;
constexpr std::size_t mostConflicts = 200000;

constexpr std::array<HubKind, 6> hubKinds{
    HubKind::NvSwitch, HubKind::PcieSwitch, HubKind::Cpu, HubKind::Nic, HubKind::Switch, HubKind::Other};
constexpr std::array<LinkKind, 5> linkKinds{
    LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network, LinkKind::HostBus, LinkKind::Other};

std::string quoted(const std::string &text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

/// One of a fixed set of words; the first one when the text is none of them (and that is reported).
template<class T, std::size_t n>
T word(const JsonCursor &place, const std::array<T, n> &values, const std::array<std::string, n> &names)
{
    const std::string text = place.string();
    for (std::size_t i = 0; i < n; ++i) {
        if (text == names[i])
            return values[i];
    }
    const std::vector<std::string> known(names.begin(), names.end());
    const std::string meant = nearest(text, known);
    place.refuse(quoted(text.substr(0, 60)), oneOf(known),
        meant.empty() ? "Use one of these words." : "Did you mean \"" + meant + "\"?");
    return values[0];
}

template<class T, std::size_t n>
T word(const JsonCursor &place, const std::array<T, n> &values)
{
    std::array<std::string, n> names;
    for (std::size_t i = 0; i < n; ++i)
        names[i] = toString(values[i]);
    return word(place, values, names);
}

class ClusterReader
{
public:
    ClusterReader(const JsonCursor &root, const Catalogue &catalogue) : m_root(root), m_catalogue(catalogue) { }

    ClusterParts read()
    {
        m_root.checkKeys(
            {"format", "version", "name", "notes", "hosts", "devices", "hubs", "links", "conflicts", "layout"});
        if (m_root.has("name"))
            m_parts.name = m_root["name"].string();
        if (m_root.has("notes"))
            m_parts.notes = m_root["notes"].string();
        Names hostNames;
        Names names; // devices, hubs and links share one space
        Names conflictNames;
        each("hosts", mostHosts, &ClusterReader::readHost, hostNames);
        if (!m_root.has("devices"))
            m_root["devices"].size(0); // reports that it is missing
        each("devices", mostVertices, &ClusterReader::readDevice, names);
        each("hubs", mostVertices, &ClusterReader::readHub, names);
        each("links", mostLinks, &ClusterReader::readLink, names);
        each("conflicts", mostConflicts, &ClusterReader::readConflict, conflictNames);
        if (m_root.has("layout"))
            readLayout(m_root["layout"]);
        return std::move(m_parts);
    }

private:
    using Reader = void (ClusterReader::*)(const JsonCursor &, const std::string &id);

    /// Id -> where it was first used.
    using Names = std::unordered_map<std::string, std::string>;

    /// Calls `reader` for the objects of an optional array, each with its id. Ids that are used twice are
    /// reported at once: otherwise the first mistake would be a reference that leads to nothing.
    void each(const char *list, std::size_t limit, Reader reader, Names &names)
    {
        if (!m_root.has(list))
            return;
        const JsonCursor array = m_root[list];
        const std::size_t count = array.size(limit);
        for (std::size_t i = 0; i < count && array.ok(); ++i) {
            const JsonCursor item = array.item(i);
            const JsonCursor idPlace = item["id"];
            const std::string id = idPlace.string();
            if (!item.ok())
                return;
            const auto [first, inserted] = names.emplace(id, idPlace.pointer());
            if (!inserted)
                idPlace.refuse("id " + quoted(id) + " again", "an id that is used once",
                    "It is taken by " + first->second + "; rename one of the two.");
            else
                (this->*reader)(item, id);
        }
    }

    void readHost(const JsonCursor &item, const std::string &id)
    {
        item.checkKeys({"id", "name"});
        m_hosts.emplace(id, HostId(m_parts.hosts.size()));
        m_parts.hosts.push_back({id, item.has("name") ? item["name"].string() : std::string()});
    }

    HostId hostOf(const JsonCursor &item)
    {
        if (!item.has("host"))
            return {};
        const JsonCursor place = item["host"];
        const std::string id = place.string();
        const auto it = m_hosts.find(id);
        if (it != m_hosts.end())
            return it->second;
        place.refuse("the host " + quoted(id), "the id of a host in /hosts", "Add the host, or correct the name.");
        return {};
    }

    void readDevice(const JsonCursor &item, const std::string &id)
    {
        item.checkKeys({"id", "type", "host", "overrides"});
        Device device;
        device.id = id;
        const JsonCursor typePlace = item["type"];
        device.typeName = typePlace.string();
        if (!item.ok())
            return;
        const GpuType *type = m_catalogue.find(device.typeName);
        if (!type) {
            std::string remedy;
            for (const std::string &name : m_catalogue.similar(device.typeName))
                remedy += (remedy.empty() ? "Did you mean \"" : "\", \"") + name;
            remedy += remedy.empty() ? "Use a type of the catalogue; its figures can be changed under \"overrides\"."
                                     : "\"? Otherwise use a near type and change its figures under \"overrides\".";
            typePlace.refuse(
                "the GPU type " + quoted(device.typeName.substr(0, 60)), "a type of the catalogue", remedy);
            return;
        }
        device.type = *type;
        device.host = hostOf(item);
        if (item.has("overrides")) {
            const JsonCursor overrides = item["overrides"];
            if (!overrides.isObject())
                overrides.keys(); // reports the type
            overrides.checkKeys(gpuFigureKeys(), true);
            device.overridden = readGpuFigures(overrides, device.type);
        }
        m_vertices.emplace(id, VertexId(m_parts.devices.size()));
        m_parts.devices.push_back(std::move(device));
    }

    void readHub(const JsonCursor &item, const std::string &id)
    {
        item.checkKeys({"id", "kind", "host"});
        Hub hub;
        hub.id = id;
        hub.kind = word(item["kind"], hubKinds);
        hub.host = hostOf(item);
        m_vertices.emplace(id, VertexId(m_parts.devices.size() + m_parts.hubs.size()));
        m_parts.hubs.push_back(std::move(hub));
    }

    void readLink(const JsonCursor &item, const std::string &id)
    {
        item.checkKeys({"id", "ends", "kind", "bandwidth", "latency", "duplex", "state"});
        Link link;
        link.id = id;
        const JsonCursor ends = item["ends"];
        if (ends.size(1000) != 2)
            ends.refuse("not two ends", "the ids of two devices or hubs", "Name both ends of the link.");
        for (std::size_t i = 0; i < 2 && ends.ok(); ++i) {
            const JsonCursor place = ends.item(i);
            const std::string name = place.string();
            const auto it = m_vertices.find(name);
            if (it != m_vertices.end())
                link.ends[i] = it->second;
            else
                place.refuse("the end " + quoted(name.substr(0, 60)), "the id of a device or hub", unknownEnd(name));
        }
        link.kind = word(item["kind"], linkKinds);
        const JsonCursor bandwidth = item["bandwidth"];
        link.bandwidth = bandwidth.quantity(parseBandwidth);
        link.enteredInBits = item.ok() && isGivenInBits(bandwidth.string());
        link.latency = item["latency"].quantity(parseDuration);
        if (item.has("duplex"))
            link.duplex = word<Duplex, 2>(item["duplex"], {Duplex::Full, Duplex::Half}, {"full", "half"});
        if (item.has("state"))
            link.state = word<LinkState, 2>(item["state"], {LinkState::Up, LinkState::Down}, {"up", "down"});
        m_links.emplace(id, LinkId(m_parts.links.size()));
        m_parts.links.push_back(std::move(link));
    }

    void readConflict(const JsonCursor &item, const std::string &id)
    {
        item.checkKeys({"id", "kind", "links", "capacity", "both_directions"});
        ConflictGroup group;
        group.id = id;
        group.kind = word<ConflictKind, 2>(
            item["kind"], {ConflictKind::Exclusive, ConflictKind::Capacity}, {"exclusive", "capacity"});
        const JsonCursor links = item["links"];
        const std::size_t count = links.size(mostLinks);
        for (std::size_t i = 0; i < count && links.ok(); ++i) {
            const JsonCursor place = links.item(i);
            const std::string name = place.string();
            const auto it = m_links.find(name);
            if (it != m_links.end())
                group.links.push_back(it->second);
            else
                place.refuse("the link " + quoted(name.substr(0, 60)), "the id of a link in /links",
                    "Add the link, or correct the name.");
        }
        const bool capacity = group.kind == ConflictKind::Capacity;
        if (capacity) {
            const JsonCursor place = item["capacity"];
            group.capacity = place.quantity(parseBandwidth);
            group.enteredInBits = item.ok() && isGivenInBits(place.string());
        } else if (item.has("capacity")) {
            item["capacity"].refuse("a capacity", "none, because an exclusive group lets one link work at a time",
                "Remove it, or make the kind \"capacity\".");
        }
        if (item.has("both_directions"))
            group.bothDirections = item["both_directions"].boolean();
        m_parts.conflicts.push_back(std::move(group));
    }

    void readLayout(const JsonCursor &layout)
    {
        for (const std::string &id : layout.keys()) {
            const JsonCursor place = layout.field(id);
            if (place.size(1000) != 2)
                place.refuse("not two numbers", "a position [x, y]", "Correct or remove it.");
            if (!place.ok())
                return;
            m_parts.layout[id] = {place.item(0).number(), place.item(1).number()};
        }
    }

    std::string unknownEnd(const std::string &name) const
    {
        if (m_hosts.count(name) != 0)
            return "That is a host; links join devices and hubs, for example a NIC of that host.";
        return "Add the device or hub, or correct the name.";
    }

    const JsonCursor &m_root;
    const Catalogue &m_catalogue;
    ClusterParts m_parts;
    std::unordered_map<std::string, HostId> m_hosts;
    std::unordered_map<std::string, VertexId> m_vertices;
    std::unordered_map<std::string, LinkId> m_links;
};

/// {"a": 1, "b": 2} on one line, from keys and JSON texts; empty texts are left out.
std::string row(std::initializer_list<std::pair<const char *, std::string>> fields)
{
    std::string text = "{";
    for (const auto &[key, value] : fields) {
        if (!value.empty())
            text += (text.size() > 1 ? ", \"" : "\"") + std::string(key) + "\": " + value;
    }
    return text + '}';
}

/// An array with one row per line.
std::string table(const char *key, const std::vector<std::string> &rows)
{
    std::string text = ",\n    \"" + std::string(key) + "\": [";
    for (std::size_t i = 0; i < rows.size(); ++i)
        text += (i == 0 ? "\n        " : ",\n        ") + rows[i];
    return text + (rows.empty() ? "]" : "\n    ]");
}

std::string number(double value)
{
    const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
    return whole ? std::to_string(static_cast<long long>(value)) : json(value).dump();
}

std::string layoutOf(const std::map<std::string, Point> &layout)
{
    std::string text = ",\n    \"layout\": {";
    bool first = true;
    for (const auto &[id, point] : layout) {
        text += (first ? "\n        " : ",\n        ") + quoted(id) + ": [" + number(point.x) + ", " + number(point.y)
            + ']';
        first = false;
    }
    return text + (first ? "}" : "\n    }");
}

} // namespace

Result<Cluster> readCluster(std::string_view text, const Catalogue &catalogue)
{
    JsonLimits limits;
    limits.maxDepth = 8;
    const auto root = parseJson(text, limits);
    if (!root)
        return fail(root.error());
    if (auto ok = checkFormat(*root, "polyrail-cluster", 1); !ok)
        return fail(ok.error());
    std::optional<Error> error;
    const JsonCursor cursor(*root, error);
    ClusterParts parts = ClusterReader(cursor, catalogue).read();
    if (error)
        return fail(*error);
    return Cluster::make(std::move(parts));
}

std::string writeCluster(const Cluster &cluster)
{
    const auto hostName = [&](HostId host) { return host.valid() ? quoted(cluster.hosts()[host.index()].id) : ""; };
    std::string text
        = "{\n    \"format\": \"polyrail-cluster\",\n    \"version\": 1,\n    \"name\": " + quoted(cluster.name());
    if (!cluster.parts().notes.empty())
        text += ",\n    \"notes\": " + quoted(cluster.parts().notes);
    std::vector<std::string> rows;
    for (const Host &host : cluster.hosts())
        rows.push_back(row({{"id", quoted(host.id)}, {"name", host.name.empty() ? "" : quoted(host.name)}}));
    text += table("hosts", rows);
    rows.clear();
    for (const Device &device : cluster.devices()) {
        rows.push_back(
            row({{"id", quoted(device.id)}, {"type", quoted(device.typeName)}, {"host", hostName(device.host)},
                {"overrides", device.overridden.empty() ? "" : writeGpuFigures(device.type, device.overridden)}}));
    }
    text += table("devices", rows);
    rows.clear();
    for (const Hub &hub : cluster.hubs())
        rows.push_back(
            row({{"id", quoted(hub.id)}, {"kind", quoted(toString(hub.kind))}, {"host", hostName(hub.host)}}));
    text += table("hubs", rows);
    rows.clear();
    for (const Link &link : cluster.links()) {
        rows.push_back(row({{"id", quoted(link.id)},
            {"ends",
                '[' + quoted(cluster.vertexName(link.ends[0])) + ", " + quoted(cluster.vertexName(link.ends[1])) + ']'},
            {"kind", quoted(toString(link.kind))},
            {"bandwidth", quoted(exactBandwidth(link.bandwidth, link.enteredInBits))},
            {"latency", quoted(exactDuration(link.latency))}, {"duplex", link.duplex == Duplex::Half ? "\"half\"" : ""},
            {"state", link.state == LinkState::Down ? "\"down\"" : ""}}));
    }
    text += table("links", rows);
    rows.clear();
    for (const ConflictGroup &group : cluster.conflicts()) {
        std::string links;
        for (LinkId link : group.links)
            links += (links.empty() ? "" : ", ") + quoted(cluster.link(link).id);
        const bool capacity = group.kind == ConflictKind::Capacity;
        rows.push_back(row({{"id", quoted(group.id)}, {"kind", capacity ? "\"capacity\"" : "\"exclusive\""},
            {"links", '[' + links + ']'},
            {"capacity", capacity ? quoted(exactBandwidth(group.capacity, group.enteredInBits)) : ""},
            {"both_directions", group.bothDirections ? "true" : ""}}));
    }
    text += table("conflicts", rows);
    text += layoutOf(cluster.parts().layout);
    return text + "\n}\n";
}

} // namespace polyrail
