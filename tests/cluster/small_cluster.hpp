// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

/// Builds clusters by names, for tests: hosts, devices and hubs first, then links and conflicts.
class SmallCluster
{
public:
    polyrail::ClusterParts parts;

    SmallCluster &host(const std::string &id)
    {
        parts.hosts.push_back({id, id});
        return *this;
    }
    SmallCluster &device(const std::string &id, const std::string &hostId = {})
    {
        polyrail::Device d;
        d.id = id;
        d.typeName = "test";
        d.type.name = "test";
        d.type.memory = polyrail::gib(16);
        d.type.peak[0] = polyrail::FlopsPerSecond(1e13);
        d.host = findHost(hostId);
        parts.devices.push_back(d);
        return *this;
    }
    SmallCluster &hub(const std::string &id, polyrail::HubKind kind = polyrail::HubKind::Switch,
                      const std::string &hostId = {})
    {
        parts.hubs.push_back({id, kind, findHost(hostId)});
        return *this;
    }
    SmallCluster &link(const std::string &id, const std::string &a, const std::string &b, double gigabytes,
                       double microseconds = 1, polyrail::LinkKind kind = polyrail::LinkKind::Other)
    {
        polyrail::Link l;
        l.id = id;
        l.ends = {vertex(a), vertex(b)};
        l.kind = kind;
        l.bandwidth = polyrail::gigabytesPerSecond(gigabytes);
        l.latency = polyrail::Seconds(microseconds * 1e-6);
        parts.links.push_back(l);
        return *this;
    }
    SmallCluster &conflict(const std::string &id, const std::vector<std::string> &links, double gigabytes = 0,
                           bool bothDirections = false)
    {
        polyrail::ConflictGroup g;
        g.id = id;
        g.kind = gigabytes > 0 ? polyrail::ConflictKind::Capacity : polyrail::ConflictKind::Exclusive;
        g.capacity = polyrail::gigabytesPerSecond(gigabytes);
        g.bothDirections = bothDirections;
        for (const std::string &name : links) {
            const auto it = std::find_if(parts.links.begin(), parts.links.end(),
                                         [&](const polyrail::Link &l) { return l.id == name; });
            g.links.push_back(polyrail::LinkId(static_cast<std::size_t>(it - parts.links.begin())));
        }
        parts.conflicts.push_back(g);
        return *this;
    }
    polyrail::Cluster make() const
    {
        auto made = polyrail::Cluster::make(parts);
        if (!made)
            throw std::runtime_error(made.error().message());
        return *made;
    }

private:
    polyrail::HostId findHost(const std::string &id) const
    {
        for (std::size_t i = 0; i < parts.hosts.size(); ++i) {
            if (parts.hosts[i].id == id)
                return polyrail::HostId(i);
        }
        return {};
    }
    polyrail::VertexId vertex(const std::string &id) const
    {
        for (std::size_t i = 0; i < parts.devices.size(); ++i) {
            if (parts.devices[i].id == id)
                return polyrail::VertexId(i);
        }
        for (std::size_t i = 0; i < parts.hubs.size(); ++i) {
            if (parts.hubs[i].id == id)
                return polyrail::VertexId(parts.devices.size() + i);
        }
        return {};
    }
};
