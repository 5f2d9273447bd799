// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/layer_price.hpp"

namespace polyrail {

LayerPrices priceLayers(const std::vector<StageOption> &options, const std::vector<int> &layers,
                        const Counts &available, std::size_t classCount, int stages)
{
    // Primal simplex with few rows and many columns: the basis inverse is at most 7 x 7, columns are priced as they come.
    constexpr std::size_t most = std::size_t(maxClasses) + 1;
    const std::size_t rows = classCount + 1;
    std::array<std::array<double, most>, most> inverse {};
    std::array<double, most> value {};
    std::array<double, most> basisGain {}; // objective of the basic column of each row; slack: 0
    for (std::size_t r = 0; r < rows; ++r) {
        inverse[r][r] = 1;
        value[r] = r < classCount ? available[r] : stages;
    }
    const auto coefficient = [&](const StageOption &g, std::size_t row) {
        return row < classCount ? static_cast<double>(g.counts[row]) : 1.0;
    };
    std::array<double, most> price {};
    constexpr int iterations = 200;
    for (int i = 0; i < iterations; ++i) {
        for (std::size_t c = 0; c < rows; ++c) {
            price[c] = 0;
            for (std::size_t r = 0; r < rows; ++r)
                price[c] += basisGain[r] * inverse[r][c];
        }
        double bestGain = 1e-9;
        std::size_t enter = options.size();
        std::size_t enterSlack = rows;
        for (std::size_t g = 0; g < options.size(); ++g) {
            if (layers[g] <= 0)
                continue;
            double gain = layers[g];
            for (std::size_t r = 0; r < rows; ++r)
                gain -= price[r] * coefficient(options[g], r);
            if (gain > bestGain) {
                bestGain = gain;
                enter = g;
            }
        }
        for (std::size_t r = 0; r < rows; ++r)
            if (-price[r] > bestGain) {
                bestGain = -price[r];
                enterSlack = r;
            }
        if (enter == options.size() && enterSlack == rows)
            break;
        std::array<double, most> column {};
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t k = 0; k < rows; ++k)
                column[r] += inverse[r][k]
                    * (enterSlack < rows ? (k == enterSlack ? 1.0 : 0.0) : coefficient(options[enter], k));
        std::size_t leave = rows;
        for (std::size_t r = 0; r < rows; ++r)
            if (column[r] > 1e-9 && (leave == rows || value[r] / column[r] < value[leave] / column[leave] - 1e-12))
                leave = r;
        if (leave == rows)
            break; // unbounded cannot be: every column uses a stage slot
        const double pivot = column[leave];
        for (std::size_t k = 0; k < rows; ++k)
            inverse[leave][k] /= pivot;
        value[leave] /= pivot;
        for (std::size_t r = 0; r < rows; ++r) {
            if (r == leave || column[r] == 0)
                continue;
            for (std::size_t k = 0; k < rows; ++k)
                inverse[r][k] -= column[r] * inverse[leave][k];
            value[r] -= column[r] * value[leave];
        }
        basisGain[leave] = enterSlack < rows ? 0 : layers[enter];
    }
    LayerPrices prices;
    for (std::size_t c = 0; c < classCount; ++c)
        prices.perDevice[c] = std::max(0.0, price[c]);
    prices.perStage = std::max(0.0, price[classCount]);
    // Whatever rounding or the limit left: raise the stage price until every option is covered.
    double violation = 0;
    for (std::size_t g = 0; g < options.size(); ++g)
        violation = std::max(violation, layers[g] - prices.of(options[g]));
    prices.perStage += violation;
    prices.total = prices.perStage * stages;
    for (std::size_t c = 0; c < classCount; ++c)
        prices.total += prices.perDevice[c] * available[c];
    return prices;
}

} // namespace polyrail
