// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/stage_option.hpp"

#include <vector>

namespace polyrail {

/// Prices of devices and stage slots, in layers: the duals of the configuration LP
///     max sum_g x_g y_g   s.t.  sum_g n_gc y_g <= N_c for each class c,  sum_g y_g <= P,  y >= 0
/// where x_g is the most layers that option g can take within the period and its memory. Feasible by construction:
/// price(g) >= x_g for every option, so no plan holds more than `total` layers, and a plan of L layers
/// wastes at most total - L over all its stages.
struct LayerPrices
{
    std::array<double, std::size_t(maxClasses)> perDevice{};
    double perStage = 0;
    double total = 0; ///< value of all devices and stage slots

    double of(const StageOption &option) const
    {
        double sum = perStage;
        for (std::size_t c = 0; c < Counts {}.size(); ++c)
            sum += perDevice[c] * option.counts[c];
        return sum;
    }
};

/// `layers[g]` = x_g. `available`: devices by class. Any result is valid; it is the optimum unless the iteration limit is
/// hit. Deterministic.
LayerPrices priceLayers(const std::vector<StageOption> &options, const std::vector<int> &layers,
                        const Counts &available, std::size_t classCount, int stages);

} // namespace polyrail
