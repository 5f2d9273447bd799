// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/selection.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace polyrail {

/// What a plan does to each device and link of the cluster on the canvas, at a moment or over the whole step.
struct PlanOverlay
{
    struct DeviceUse
    {
        int stage = -1;                  ///< from 0; -1: not used
        std::optional<double> usedBytes; ///< at the moment, or the peak
        double capacityBytes = 0;
    };
    struct Use
    {
        std::array<double, 2> share{}; ///< 0 to 1 of the bandwidth, by Direction
        bool critical = false;         ///< carries a transfer of the critical path
        double both() const { return std::max(share[0], share[1]); }
    };

    bool valid = false;
    bool stale = false;
    bool atCursor = false;
    std::vector<DeviceUse> devices; ///< by device of the canvas' cluster
    std::vector<Use> links;         ///< by link of the canvas' cluster
};

/// Matches by id: the shown plan may be of an older cluster. `cursor` in seconds; none = mean over the step.
PlanOverlay overlayOf(const ShownPlan &shown, const Cluster &cluster, std::optional<double> cursor);

} // namespace polyrail
