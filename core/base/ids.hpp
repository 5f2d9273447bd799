// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef> // before <compare>: Qt 6.4 moc cannot parse <concepts> when it comes first
#include <compare>
#include <cstdint>
#include <functional>

namespace polyrail {

/// Index into one vector of one value (a cluster's devices, a graph's tasks). Ids of different
/// kinds do not mix. -1 means "none".
template<class Tag>
struct Id
{
    std::int32_t value = -1;

    constexpr Id() = default;
    constexpr explicit Id(std::int32_t v) : value(v) {}
    constexpr explicit Id(std::size_t v) : value(static_cast<std::int32_t>(v)) {}

    constexpr auto operator<=>(const Id &) const = default;
    constexpr bool valid() const { return value >= 0; }
    constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
};

using DeviceId = Id<struct DeviceTag>;
using HubId = Id<struct HubTag>;
using HostId = Id<struct HostTag>;
using LinkId = Id<struct LinkTag>;
using ConflictId = Id<struct ConflictTag>;
using TaskId = Id<struct TaskTag>;

/// A vertex of the device graph: devices first (0 .. devices-1), then hubs.
using VertexId = Id<struct VertexTag>;

} // namespace polyrail

template<class Tag>
struct std::hash<polyrail::Id<Tag>>
{
    std::size_t operator()(polyrail::Id<Tag> id) const noexcept { return std::hash<std::int32_t>()(id.value); }
};
