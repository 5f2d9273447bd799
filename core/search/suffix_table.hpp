// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/layer_price.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace polyrail {

/// One stage of a partial plan as the search holds it: an option and its layers.
struct StageChoice
{
    int option = -1;
    int layers = 0;
    bool operator==(const StageChoice &) const = default;
};

/// For one option set and one cut-off: a lower bound of every way to run the last layers of the model on given devices.
/// Built backwards from the last stage, one level per stage count, over states (devices used by class, layers
/// used). A state keeps one bound, the component-wise least over all ways to reach it (a relaxed decision
/// diagram): still a bound, as prepend() is monotone. Beside it stands the best real way, for candidates.
///
/// Only ways whose time stays below the cut-off are followed, so a missing state means that nothing below the cut-off
/// goes through it. Immutable once built; safe to read from any thread.
class SuffixTable
{
public:
    struct Request
    {
        const CostContext *context = nullptr;
        const DeviceClasses *classes = nullptr;
        std::shared_ptr<const OptionSet> set;
        double cutoff = 0; ///< seconds
        int maxStages = 16;
        bool forSearch = false; ///< also fill what suffix() answers from
        const std::atomic<bool> *cancel = nullptr;
        std::chrono::steady_clock::time_point deadline;
    };
    /// Null when cancelled half-way.
    static std::shared_ptr<const SuffixTable> build(const Request &request);

    const OptionSet &set() const { return *m_set; }
    double cutoff() const { return m_cutoff; }
    /// Least bound over complete plans of any stage count; infinite when there is none below the cut-off.
    double leastTime() const { return m_least; }
    /// Bound over all suffixes of `stages` stages with exactly `layers` layers on at most `available` devices.
    const SuffixBound *suffix(int stages, const Counts &available, int layers) const;
    /// Options worth trying below the cut-off, least waste first, and the most layers of each.
    const std::vector<int> &usefulOptions() const { return m_useful; }
    int mostLayers(int option) const { return m_mostLayers[static_cast<std::size_t>(option)]; }
    const LayerPrices &prices() const { return m_prices; }
    double slack() const { return m_slack; } ///< layers that a plan below the cut-off may waste
    int maxStages() const { return static_cast<int>(m_levels.size()); }
    StageTimes timesOf(int option, int firstLayer, int layers, bool first, bool last) const;
    bool fitsAt(int option, int firstLayer, int layers, bool first, bool last, int fromEnd) const;

    /// Up to `count` complete plans that reach the least bounds, in pipeline order (first stage first).
    std::vector<std::vector<StageChoice>> candidates(int count) const;

private:
    struct Label
    {
        SuffixBound bound;  ///< relaxed over all ways
        SuffixBound own;    ///< of the way that `option`, `layers`, `next` spell
        std::int32_t option = -1;
        std::int32_t layers = 0;
        std::int32_t next = -1; ///< state of the level below
    };
    struct Level
    {
        std::vector<std::int32_t> at; ///< by state: index into labels, or -1
        std::vector<Label> labels;
        std::vector<std::int32_t> states; ///< of each label
        std::vector<SuffixBound> closed;  ///< by state: least over states with fewer devices; end infinite = none
    };

    bool buildLevels(const Request &request);
    void dropDominated();
    const StageTimes &cachedTimes(int option, int firstLayer, int layers, bool first, bool last, StageTimes &scratch);
    void addLabels(const Request &request, int stages, const Level *below, Level &level);
    void close(Level &level) const;
    std::size_t stateOf(const Counts &counts, int layers) const;
    Counts countsOf(std::size_t state) const;

    const CostContext *m_context = nullptr;
    const DeviceClasses *m_classes = nullptr;
    std::shared_ptr<const OptionSet> m_set;
    double m_cutoff = 0;
    double m_least = 0;
    int m_modelLayers = 0;
    std::size_t m_classCount = 0;
    Counts m_available{};
    Counts m_unit{};
    Counts m_steps{};
    LayerPrices m_prices;
    double m_slack = 0;
    std::vector<int> m_mostLayers;
    std::vector<int> m_useful;
    std::vector<int> m_undominated; ///< of the useful ones: enough for the least bounds, not for branching
    std::vector<std::size_t> m_slot;
    std::vector<StageTimes> m_times; ///< while building: by slot of the option, layers, position; kindCount 0 = not yet
    std::vector<Level> m_levels; ///< [0] = one stage
};

/// A lower bound, in seconds, of every plan of the option set, from the configuration LP alone.
double configurationBound(const CostContext &context, const DeviceClasses &classes, const OptionSet &set,
                          int maxStages, double upper);

} // namespace polyrail
