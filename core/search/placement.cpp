// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/placement.hpp"

#include <algorithm>
#include <tuple>

namespace polyrail {

namespace {

struct Block
{
    std::size_t stage = 0;
    int size = 0;
};

/// Devices of one class given to each stage, each list in host and position order.
bool placeClass(const DeviceClass &c, std::size_t classIndex, const OptionSet &set,
                std::span<const StageChoice> stages, std::vector<std::vector<DeviceId>> &given)
{
    std::vector<std::vector<bool>> taken(c.hosts.size());
    for (std::size_t h = 0; h < c.hosts.size(); ++h)
        taken[h].assign(c.hosts[h].size(), false);
    std::vector<std::vector<std::pair<std::size_t, int>>> spots(stages.size()); // (host, position)
    std::vector<Block> blocks;
    std::size_t nextHost = 0;
    for (std::size_t s = 0; s < stages.size(); ++s)
        for (const ClassPart &part : set.options[static_cast<std::size_t>(stages[s].option)].parts) {
            if (part.deviceClass != classIndex)
                continue;
            int rest = part.replicas * part.tensor;
            if (c.hostSize % part.tensor == 0)
                for (; rest >= c.hostSize; rest -= c.hostSize, ++nextHost) {
                    if (nextHost == c.hosts.size())
                        return false;
                    for (int i = 0; i < c.hostSize; ++i)
                        spots[s].emplace_back(nextHost, i);
                    taken[nextHost].assign(taken[nextHost].size(), true);
                }
            while (rest > 0) {
                int size = part.tensor;
                if (c.hostSize % part.tensor == 0)
                    while (size * 2 <= rest)
                        size *= 2;
                blocks.push_back({s, size});
                rest -= size;
            }
        }
    std::stable_sort(blocks.begin(), blocks.end(), [](const Block &a, const Block &b) {
        return std::make_tuple(-a.size, a.stage) < std::make_tuple(-b.size, b.stage);
    });
    for (const Block &block : blocks) {
        bool placed = false;
        for (std::size_t h = 0; h < taken.size() && !placed; ++h)
            for (int at = 0; at + block.size <= c.hostSize && !placed; at += block.size) {
                const auto begin = taken[h].begin() + at;
                if (std::find(begin, begin + block.size, true) != begin + block.size)
                    continue;
                std::fill(begin, begin + block.size, true);
                for (int i = 0; i < block.size; ++i)
                    spots[block.stage].emplace_back(h, at + i);
                placed = true;
            }
        if (!placed)
            return false;
    }
    for (std::size_t s = 0; s < stages.size(); ++s) {
        std::sort(spots[s].begin(), spots[s].end());
        for (const auto &[host, position] : spots[s])
            given[s].push_back(c.hosts[host][static_cast<std::size_t>(position)]);
    }
    return true;
}

} // namespace

std::optional<Plan> place(const CostContext &context, const DeviceClasses &classes, const OptionSet &set,
                          std::span<const StageChoice> stages)
{
    Plan plan;
    plan.microBatch = set.microBatch;
    plan.microBatches = set.microBatches;
    plan.recompute = set.recompute;
    plan.stages.resize(stages.size());
    int layer = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        plan.stages[s].firstLayer = layer;
        layer += stages[s].layers;
        plan.stages[s].lastLayer = layer - 1;
    }
    if (layer != context.job().model.layers)
        return std::nullopt;
    for (std::size_t c = 0; c < classes.classes().size(); ++c) {
        std::vector<std::vector<DeviceId>> given(stages.size());
        if (!placeClass(classes.classes()[c], c, set, stages, given))
            return std::nullopt;
        for (std::size_t s = 0; s < stages.size(); ++s)
            for (const ClassPart &part : set.options[static_cast<std::size_t>(stages[s].option)].parts) {
                if (part.deviceClass != c)
                    continue;
                for (int r = 0; r < part.replicas; ++r) {
                    const auto begin = given[s].begin() + static_cast<std::ptrdiff_t>(r) * part.tensor;
                    Replica replica;
                    replica.devices.assign(begin, begin + part.tensor);
                    replica.samples = part.samples + (r < part.larger ? 1 : 0);
                    plan.stages[s].replicas.push_back(std::move(replica));
                }
            }
    }
    return plan;
}

} // namespace polyrail
