// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/cluster/cluster.hpp"

#include <span>
#include <string>
#include <vector>

// Edits of a cluster's parts, as pure functions on values; the canvas turns their results into undo steps.
// Ids name devices, hubs and links (unique over all three); hosts are named by hostKey() where they may stand beside
// them. No GUI needed.

namespace polyrail {

using Ids = std::vector<std::string>;

/// How a selection names a host: ids of hosts are a space of names of their own in the cluster file.
std::string hostKey(const std::string &hostId);
/// The host that a selected id names; none if it is not a host's key or unknown.
HostId findHost(const Cluster &cluster, const std::string &key);

/// `wanted` if it is free among devices, hubs and links, else its number counted up: "gpu 7" -> "gpu 8".
std::string freeId(const ClusterParts &parts, const std::string &wanted);

/// The edit and the ids that it made, to be selected.
struct Edited
{
    ClusterParts parts;
    Ids made;
};

Edited addDevice(const Cluster &cluster, const GpuType &type, Point at, HostId host);
Edited addHub(const Cluster &cluster, HubKind kind, Point at, HostId host);
/// A link with the usual figures of its kind; the kind follows from what it joins.
Edited addLink(const Cluster &cluster, VertexId a, VertexId b);
LinkKind usualKind(const Cluster &cluster, VertexId a, VertexId b);

/// Without the named devices, hubs, links and hosts (with all that stands in a host). Links that lose an end go,
/// conflicts shrink and go below two links, hosts that this empties go.
ClusterParts removed(const Cluster &cluster, const Ids &ids);

/// The named devices, hubs and members of hosts with the links between them, the conflicts whose links all come
/// along, and the hosts all of whose members do. Links to what stays are left out.
ClusterParts subgraph(const Cluster &cluster, const Ids &ids);
/// `piece` added under free ids, moved by (dx, dy).
Edited inserted(const Cluster &cluster, const ClusterParts &piece, double dx, double dy);

/// At least two links. Exclusive: no capacity.
Result<Edited> withConflict(const Cluster &cluster, ConflictKind kind, const std::vector<LinkId> &links,
                            BytesPerSecond capacity);
ClusterParts withoutConflicts(const Cluster &cluster, const std::vector<std::size_t> &groups);

/// The named devices and hubs in a new host of that name; hosts that this empties go.
Edited grouped(const Cluster &cluster, const Ids &ids, const std::string &name);
/// The named hosts and the hosts of the named vertices are no more; what stood in them stays.
ClusterParts ungrouped(const Cluster &cluster, const Ids &ids);

/// A device, hub, link or host under another name; refused if it is empty or taken.
Result<ClusterParts> renamed(const Cluster &cluster, const std::string &id, const std::string &name);

} // namespace polyrail
