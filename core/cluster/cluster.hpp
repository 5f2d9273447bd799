// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ids.hpp"
#include "core/base/result.hpp"
#include "core/base/units.hpp"
#include "core/cluster/gpu_type.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace polyrail {

enum class HubKind { NvSwitch, PcieSwitch, Cpu, Nic, Switch, Other };
enum class LinkKind { NvLink, Pcie, Network, HostBus, Other };
enum class Duplex { Full, Half };
enum class LinkState { Up, Down };
enum class ConflictKind {
    Exclusive, ///< one link of the group carries traffic at a time
    Capacity,  ///< the rates of the links sum to at most the capacity
};
/// Along a link: Forward is ends[0] -> ends[1].
enum class Direction { Forward, Backward };

const char *toString(HubKind k);   ///< "nvswitch" | "pcie-switch" | "cpu" | "nic" | "switch" | "other"
const char *toString(LinkKind k);  ///< "nvlink" | "pcie" | "network" | "host-bus" | "other"
const char *toString(Direction d); ///< "forward" | "backward"

struct Host
{
    std::string id;
    std::string name;
};

struct Device
{
    std::string id;
    std::string typeName;       ///< as written in the file
    HostId host;                ///< none: the device stands alone
    GpuType type;               ///< catalogue figures with the device's overrides applied
    std::vector<std::string> overridden; ///< names of the catalogue fields that were overridden
};

struct Hub
{
    std::string id;
    HubKind kind = HubKind::Other;
    HostId host;
};

/// One physical edge. Any number may join the same two vertices.
struct Link
{
    std::string id;
    std::array<VertexId, 2> ends;
    LinkKind kind = LinkKind::Other;
    BytesPerSecond bandwidth;   ///< per direction (half duplex: shared by both)
    Seconds latency;
    Duplex duplex = Duplex::Full;
    LinkState state = LinkState::Up;
    bool enteredInBits = false; ///< the file gave Gb/s: keep showing that
};

struct ConflictGroup
{
    std::string id;
    ConflictKind kind = ConflictKind::Capacity;
    std::vector<LinkId> links;
    BytesPerSecond capacity;    ///< kind Capacity only; per direction unless bothDirections
    bool bothDirections = false;
    bool enteredInBits = false; ///< the file gave Gb/s: keep showing that
};

struct Point
{
    double x = 0;
    double y = 0;
    bool operator==(const Point &) const = default;
};

/// The parts of a cluster before they are checked. Vertices of links: devices first, then hubs.
struct ClusterParts
{
    std::string name;
    std::string notes;
    std::vector<Host> hosts;
    std::vector<Device> devices;
    std::vector<Hub> hubs;
    std::vector<Link> links;
    std::vector<ConflictGroup> conflicts;
    std::map<std::string, Point> layout; ///< canvas positions by device or hub id; no meaning to core
};

/// The machine: a multigraph of devices and hubs. Immutable and cheap to copy (shared storage);
/// safe to read from any number of threads. An edit makes a new Cluster.
class Cluster
{
public:
    Cluster();
    /// Checks the parts: unique ids (devices, hubs and links share one space of names), known ends and
    /// hosts, figures that are finite and not negative, bandwidths of 1 B/s to 1 EB/s, latencies up to
    /// 1000 s, links not from a vertex to itself, conflicts over at least two known links. Errors carry a
    /// JSON pointer in the layout of the cluster file ("/links/3/ends/1").
    static Result<Cluster> make(ClusterParts parts);

    const std::string &name() const { return m_parts->name; }
    std::span<const Host> hosts() const { return m_parts->hosts; }
    std::span<const Device> devices() const { return m_parts->devices; }
    std::span<const Hub> hubs() const { return m_parts->hubs; }
    std::span<const Link> links() const { return m_parts->links; }
    std::span<const ConflictGroup> conflicts() const { return m_parts->conflicts; }
    const ClusterParts &parts() const { return *m_parts; }

    const Device &device(DeviceId d) const { return m_parts->devices[d.index()]; }
    const Link &link(LinkId l) const { return m_parts->links[l.index()]; }

    std::size_t vertexCount() const { return m_parts->devices.size() + m_parts->hubs.size(); }
    bool isDevice(VertexId v) const { return v.index() < m_parts->devices.size(); }
    static VertexId vertexOf(DeviceId d) { return VertexId(d.value); }
    VertexId vertexOf(HubId h) const { return VertexId(m_parts->devices.size() + h.index()); }
    DeviceId deviceOf(VertexId v) const { return isDevice(v) ? DeviceId(v.value) : DeviceId(); }
    const std::string &vertexName(VertexId v) const;
    HostId hostOf(VertexId v) const;
    /// Links that touch a vertex, in the order of the file.
    std::span<const LinkId> linksAt(VertexId v) const { return m_index->linksAt.at(v.index()); }

    DeviceId findDevice(const std::string &id) const;
    LinkId findLink(const std::string &id) const;
    VertexId findVertex(const std::string &id) const;

    /// The same cluster with one figure changed. Structure is shared with this one's checks, so this is
    /// the cheap path of a slider. `changed` must keep the id and the ends and hold figures that make()
    /// would accept (they are not checked again).
    Cluster withLink(LinkId l, const Link &changed) const;
    /// 16 hex digits over everything that affects a plan (not name, notes or layout).
    std::string digest() const;

private:
    std::shared_ptr<const ClusterParts> m_parts;
    /// What make() derived: shared by every version that has the same structure.
    struct Index
    {
        std::vector<std::vector<LinkId>> linksAt;           ///< by vertex
        std::unordered_map<std::string, std::int32_t> vertices; ///< by id
        std::unordered_map<std::string, std::int32_t> links;    ///< by id
    };
    std::shared_ptr<const Index> m_index;
};

} // namespace polyrail
