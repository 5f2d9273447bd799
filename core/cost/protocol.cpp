// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/protocol.hpp"

#include <algorithm>
#include <cctype>

namespace polyrail {

namespace {

constexpr double nvlinkMesh = 0.97;
constexpr double nvlink3 = 0.82;
constexpr double nvlink4 = 0.87;
constexpr double nvlink5 = 0.81;
constexpr double pcie = 0.76;
constexpr double network = 0.96;
constexpr double hostBus = 0.79;
constexpr double other = 0.90;

constexpr double reduction4 = 0.684;
constexpr double reduction5 = 0.60;
constexpr double reductionLarge = 0.48; ///< a rack-wide NVLink domain

constexpr double shortLaunch = 14e-6;
constexpr double shortInside = 1.9e-6;
constexpr double shortAcross = 1.5e-6;
constexpr double bulkLaunch = 23e-6;
constexpr double bulkInside = 0.9e-6;
constexpr double bulkAcross = 8e-6;
constexpr double bulkFillInside = 0.5e-6;
constexpr double bulkFillAcross = 2.5e-6;
constexpr double newerSteps = 0.6;

} // namespace

int nvlinkGeneration(const GpuType &gpu)
{
    const std::size_t at = gpu.scaleUp.find("NVLink");
    if (at == std::string::npos || at + 6 >= gpu.scaleUp.size())
        return 0;
    const char digit = gpu.scaleUp[at + 6];
    return std::isdigit(static_cast<unsigned char>(digit)) ? digit - '0' : 0;
}

double linkEfficiency(const Cluster &cluster, LinkId id)
{
    const Link &link = cluster.link(id);
    switch (link.kind) {
    case LinkKind::NvLink: {
        const bool toSwitch = !cluster.isDevice(link.ends[0]) || !cluster.isDevice(link.ends[1]);
        if (!toSwitch)
            return nvlinkMesh;
        const DeviceId device = cluster.deviceOf(cluster.isDevice(link.ends[0]) ? link.ends[0] : link.ends[1]);
        if (!device.valid())
            return nvlink3;
        switch (nvlinkGeneration(cluster.device(device).type)) {
        case 4: return nvlink4;
        case 5: return nvlink5;
        default: return nvlink3;
        }
    }
    case LinkKind::Pcie: return pcie;
    case LinkKind::Network: return network;
    case LinkKind::HostBus: return hostBus;
    case LinkKind::Other: return other;
    }
    return other;
}

double switchReductionEfficiency(const GpuType &gpu, std::size_t members)
{
    switch (nvlinkGeneration(gpu)) {
    case 4: return reduction4;
    case 5: return members > 16 ? reductionLarge : reduction5;
    default: return 0;
    }
}

Protocol lowLatencyProtocol(int nvlinkGeneration)
{
    const double quicker = nvlinkGeneration >= 4 ? newerSteps : 1;
    return {shortLaunch * quicker, shortInside * quicker, shortAcross, 0, 0, 0.5};
}

Protocol bulkProtocol(int nvlinkGeneration)
{
    const double quicker = nvlinkGeneration >= 4 ? newerSteps : 1;
    return {bulkLaunch * quicker, bulkInside * quicker, bulkAcross, bulkFillInside * quicker, bulkFillAcross, 1};
}

} // namespace polyrail
