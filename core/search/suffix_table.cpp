// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/suffix_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace polyrail {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// States of one level at most; beyond it the space's units have to be coarser.
constexpr std::size_t mostStates = std::size_t(1) << 24;

/// x_g: the most layers an option can run `microBatches` times within `time`, and hold at the loosest position.
std::vector<int> mostLayersWithin(const DeviceClasses &classes, const OptionSet &set, double time,
                                  const ModelShape &shape)
{
    const bool dense = shape.experts == 0 || shape.firstDenseLayers > 0;
    const bool expert = shape.experts > 0;
    std::vector<int> most(set.options.size());
    for (std::size_t g = 0; g < most.size(); ++g) {
        const StageOption &option = set.options[g];
        const double byTime = std::floor(time / set.microBatches / option.fastestLayer * (1 + 1e-12));
        int x = static_cast<int>(std::min<double>(byTime, shape.layers));
        // Either kind of layer may be the smaller one.
        while (x > 0 && !(dense && fits(classes, option, {x, 0}, false, false, 1))
               && !(expert && fits(classes, option, {0, x}, false, false, 1)))
            --x;
        most[g] = x;
    }
    return most;
}

Counts devicesByClass(const DeviceClasses &classes)
{
    Counts n {};
    for (std::size_t c = 0; c < classes.classes().size(); ++c)
        n[c] = classes.classes()[c].devices;
    return n;
}

} // namespace

double configurationBound(const CostContext &context, const DeviceClasses &classes, const OptionSet &set,
                          int maxStages, double upper)
{
    const int layers = context.job().model.layers;
    if (set.options.empty())
        return infinite;
    const auto enough = [&](double time) {
        return priceLayers(set.options, mostLayersWithin(classes, set, time, context.job().model), devicesByClass(classes),
                           classes.classes().size(), maxStages)
                   .total
            >= layers * (1 - 1e-9);
    };
    double high = upper;
    if (!std::isfinite(high)) {
        double slowest = 0;
        for (const StageOption &option : set.options)
            slowest = std::max(slowest, option.fastestLayer);
        high = slowest * layers * set.microBatches * 1.01;
        if (!enough(high))
            return infinite; // at leisure: memory is what lacks
    } else if (!enough(high)) {
        return high;
    }
    double low = 0;
    constexpr int steps = 14;
    for (int i = 0; i < steps; ++i) {
        const double middle = 0.5 * (low + high);
        (enough(middle) ? high : low) = middle;
    }
    return low;
}

std::size_t SuffixTable::stateOf(const Counts &counts, int layers) const
{
    std::size_t state = 0;
    for (std::size_t c = 0; c < m_classCount; ++c)
        state = state * static_cast<std::size_t>(m_steps[c]) + static_cast<std::size_t>(counts[c] / m_unit[c]);
    return state * static_cast<std::size_t>(m_modelLayers + 1) + static_cast<std::size_t>(layers);
}

Counts SuffixTable::countsOf(std::size_t state) const
{
    state /= static_cast<std::size_t>(m_modelLayers + 1);
    Counts counts {};
    for (std::size_t c = m_classCount; c-- > 0;) {
        counts[c] = static_cast<int>(state % static_cast<std::size_t>(m_steps[c])) * m_unit[c];
        state /= static_cast<std::size_t>(m_steps[c]);
    }
    return counts;
}

StageTimes SuffixTable::timesOf(int option, int firstLayer, int layers, bool first, bool last) const
{
    return stageTimes(*m_context, m_set->options[static_cast<std::size_t>(option)],
                      layerMix(m_context->job().model, firstLayer, firstLayer + layers - 1), first, last);
}

bool SuffixTable::fitsAt(int option, int firstLayer, int layers, bool first, bool last, int fromEnd) const
{
    return fits(*m_classes, m_set->options[static_cast<std::size_t>(option)],
                layerMix(m_context->job().model, firstLayer, firstLayer + layers - 1), first, last,
                inFlightMicroBatches(false, m_set->microBatches, fromEnd));
}

std::shared_ptr<const SuffixTable> SuffixTable::build(const Request &request)
{
    auto table = std::make_shared<SuffixTable>();
    table->m_context = request.context;
    table->m_classes = request.classes;
    table->m_set = request.set;
    table->m_cutoff = request.cutoff;
    table->m_least = infinite;
    table->m_modelLayers = request.context->job().model.layers;
    table->m_classCount = request.classes->classes().size();
    table->m_available = devicesByClass(*request.classes);
    for (std::size_t c = 0; c < table->m_classCount; ++c) {
        table->m_unit[c] = request.classes->classes()[c].unit;
        table->m_steps[c] = table->m_available[c] / table->m_unit[c] + 1;
    }
    if (!table->buildLevels(request))
        return nullptr;
    return table;
}

bool SuffixTable::buildLevels(const Request &request)
{
    m_mostLayers = mostLayersWithin(*m_classes, *m_set, m_cutoff, m_context->job().model);
    m_prices = priceLayers(m_set->options, m_mostLayers, m_available, m_classCount, request.maxStages);
    m_slack = m_prices.total - m_modelLayers;
    std::size_t states = static_cast<std::size_t>(m_modelLayers) + 1;
    for (std::size_t c = 0; c < m_classCount; ++c)
        states *= static_cast<std::size_t>(m_steps[c]);
    if (states > mostStates)
        throw std::length_error("search space has more states than the table holds; use fewer device classes");
    if (m_slack < -1e-9)
        return true;
    std::vector<std::pair<double, int>> order;
    for (std::size_t g = 0; g < m_set->options.size(); ++g) {
        const double waste = m_prices.of(m_set->options[g]) - m_mostLayers[g];
        if (m_mostLayers[g] > 0 && waste <= m_slack + 1e-6)
            order.emplace_back(waste, static_cast<int>(g));
    }
    std::sort(order.begin(), order.end());
    for (const auto &entry : order)
        m_useful.push_back(entry.second);
    dropDominated();
    m_slot.assign(m_set->options.size(), 0);
    for (std::size_t i = 0; i < m_undominated.size(); ++i)
        m_slot[static_cast<std::size_t>(m_undominated[i])] = i;
    m_times.resize(m_undominated.size() * static_cast<std::size_t>(m_modelLayers + 1) * 4);
    for (int stages = 1; stages <= request.maxStages; ++stages) {
        Level level;
        level.at.assign(states, -1);
        addLabels(request, stages, stages == 1 ? nullptr : &m_levels.back(), level);
        if (request.cancel && request.cancel->load(std::memory_order_relaxed))
            return false;
        if (std::chrono::steady_clock::now() >= request.deadline)
            return false;
        if (level.labels.empty())
            break;
        for (std::size_t i = 0; i < level.labels.size(); ++i)
            if (level.states[i] % (m_modelLayers + 1) == m_modelLayers)
                m_least = std::min(m_least, level.labels[i].bound.end);
        m_levels.push_back(std::move(level));
    }
    m_times = {};
    m_slot = {};
    if (request.forSearch)
        for (Level &level : m_levels)
            close(level);
    return true;
}

/// An option is dominated when another needs no more devices of any class, is no slower in any way that the bounds see, and
/// holds whatever it holds. Least bounds never need it: replacing it in any way keeps or lowers every component.
void SuffixTable::dropDominated()
{
    const auto noWorse = [&](const StageOption::Kind &a, const StageOption &oa, const StageOption::Kind &b,
                             const StageOption &ob) {
        const double outA = static_cast<double>(oa.replicas - 1) / oa.replicas / a.tensor / a.sliceEgress;
        const double outB = static_cast<double>(ob.replicas - 1) / ob.replicas / b.tensor / b.sliceEgress;
        const auto pass = [](const StageOption::Kind &k, const StageOption &o, std::size_t i, bool forward) {
            return forward ? k.times.forward[i] + k.reduce * o.forwardReduces
                           : k.times.backward[i] + k.reduce * o.backwardReduces;
        };
        for (std::size_t i = 0; i < 2; ++i)
            if (pass(a, oa, i, true) > pass(b, ob, i, true) || pass(a, oa, i, false) > pass(b, ob, i, false)
                || a.memory.weightsPerLayer[i] + a.memory.gradientsPerLayer[i] + a.memory.optimiserPerLayer[i]
                    > b.memory.weightsPerLayer[i] + b.memory.gradientsPerLayer[i] + b.memory.optimiserPerLayer[i]
                || a.memory.activationsPerLayer[i] > b.memory.activationsPerLayer[i])
                return false;
        const auto sum = [](const std::array<double, 3> &x) { return x[0] + x[1] + x[2]; };
        const auto capacity = [&](const StageOption::Kind &k) {
            return static_cast<double>(m_classes->classes()[k.deviceClass].memoryBytes);
        };
        return a.times.embeddingForward + a.reduce <= b.times.embeddingForward + b.reduce
            && a.times.embeddingBackward <= b.times.embeddingBackward && a.times.headForward <= b.times.headForward
            && a.times.headBackward + a.reduce <= b.times.headBackward + b.reduce && outA <= outB
            && a.optimiserPerParameter <= b.optimiserPerParameter && sum(a.memory.embedding) <= sum(b.memory.embedding)
            && sum(a.memory.head) + a.memory.headActivations <= sum(b.memory.head) + b.memory.headActivations
            && sum(a.memory.tiedCopy) <= sum(b.memory.tiedCopy)
            && a.memory.workspace - capacity(a) <= b.memory.workspace - capacity(b);
    };
    const auto dominates = [&](const StageOption &a, const StageOption &b) {
        for (std::size_t c = 0; c < m_classCount; ++c)
            if (a.counts[c] > b.counts[c])
                return false;
        if (a.boundary > b.boundary || a.gradientHostBytes > b.gradientHostBytes)
            return false;
        // Every kind of a must have a kind of b that is at least as bad.
        return std::all_of(a.kinds.begin(), a.kinds.end(), [&](const StageOption::Kind &ka) {
            return std::any_of(b.kinds.begin(), b.kinds.end(),
                               [&](const StageOption::Kind &kb) { return noWorse(ka, a, kb, b); });
        });
    };
    for (int g : m_useful) {
        const StageOption &option = m_set->options[static_cast<std::size_t>(g)];
        bool dominated = false;
        for (int other : m_useful) {
            if (other == g)
                continue;
            const StageOption &better = m_set->options[static_cast<std::size_t>(other)];
            if (dominates(better, option) && (other < g || !dominates(option, better))) {
                dominated = true;
                break;
            }
        }
        if (!dominated)
            m_undominated.push_back(g);
    }
}

const StageTimes &SuffixTable::cachedTimes(int option, int firstLayer, int layers, bool first, bool last,
                                           StageTimes &scratch)
{
    // Where dense and expert layers mix, times depend on the position.
    const ModelShape &shape = m_context->job().model;
    if (shape.experts > 0 && firstLayer < shape.firstDenseLayers) {
        scratch = timesOf(option, firstLayer, layers, first, last);
        return scratch;
    }
    StageTimes &slot = m_times[(m_slot[static_cast<std::size_t>(option)] * static_cast<std::size_t>(m_modelLayers + 1)
                                + static_cast<std::size_t>(layers))
                                   * 4
                               + (first ? 2 : 0) + (last ? 1 : 0)];
    if (slot.kindCount == 0)
        slot = timesOf(option, firstLayer, layers, first, last);
    return slot;
}

/// Extends every label of the level below (or nothing, for the last stage) by every option and layer count that can still
/// stay below the cut-off.
void SuffixTable::addLabels(const Request &request, int stages, const Level *below, Level &level)
{
    const bool last = below == nullptr;
    const std::size_t sources = last ? 1 : below->labels.size();
    for (std::size_t i = 0; i < sources; ++i) {
        if ((i & 63) == 0
            && ((request.cancel && request.cancel->load(std::memory_order_relaxed))
                || std::chrono::steady_clock::now() >= request.deadline))
            return;
        const Label *next = last ? nullptr : &below->labels[i];
        const std::int32_t nextState = last ? 0 : below->states[i];
        const int used = last ? 0 : nextState % (m_modelLayers + 1);
        if (used == m_modelLayers)
            continue;
        const Counts counts = last ? Counts {} : countsOf(static_cast<std::size_t>(nextState));
        double wasted = m_prices.perStage * (stages - 1) - used;
        for (std::size_t c = 0; c < m_classCount; ++c)
            wasted += m_prices.perDevice[c] * counts[c];
        const double slack = m_slack - wasted + 1e-6;
        for (int g : m_undominated) {
            const StageOption &option = m_set->options[static_cast<std::size_t>(g)];
            const double price = m_prices.of(option);
            if (price - m_mostLayers[static_cast<std::size_t>(g)] > slack)
                break; // the rest wastes more
            Counts after = counts;
            bool possible = true;
            for (std::size_t c = 0; c < m_classCount; ++c) {
                after[c] += option.counts[c];
                possible = possible && after[c] <= m_available[c];
            }
            if (!possible)
                continue;
            const int most = std::min(m_mostLayers[static_cast<std::size_t>(g)], m_modelLayers - used);
            const int least = std::max(1, static_cast<int>(std::ceil(price - slack)));
            for (int layers = most; layers >= least; --layers) {
                const bool first = used + layers == m_modelLayers;
                const int firstLayer = m_modelLayers - used - layers;
                if (!fitsAt(g, firstLayer, layers, first, last, stages))
                    continue;
                StageTimes scratch;
                const StageTimes &times = cachedTimes(g, firstLayer, layers, first, last, scratch);
                const SuffixBound bound = prepend(times, next ? &next->bound : nullptr, m_set->microBatches, stages);
                if (bound.end >= m_cutoff)
                    continue;
                const SuffixBound own
                    = next ? prepend(times, &next->own, m_set->microBatches, stages) : bound;
                const std::size_t state = stateOf(after, used + layers);
                std::int32_t &at = level.at[state];
                if (at < 0) {
                    at = static_cast<std::int32_t>(level.labels.size());
                    level.labels.push_back({bound, own, g, layers, nextState});
                    level.states.push_back(static_cast<std::int32_t>(state));
                    continue;
                }
                Label &label = level.labels[static_cast<std::size_t>(at)];
                label.bound.relax(bound);
                if (own.end < label.own.end) {
                    label.own = own;
                    label.option = g;
                    label.layers = layers;
                    label.next = nextState;
                }
            }
        }
    }
}

void SuffixTable::close(Level &level) const
{
    const SuffixBound none {infinite, infinite, infinite, infinite};
    level.closed.assign(level.at.size(), none);
    for (std::size_t i = 0; i < level.labels.size(); ++i)
        level.closed[static_cast<std::size_t>(level.states[i])] = level.labels[i].bound;
    // A state with more devices may also leave some idle: running minimum along each class.
    std::size_t stride = static_cast<std::size_t>(m_modelLayers) + 1;
    for (std::size_t c = m_classCount; c-- > 0;) {
        const auto steps = static_cast<std::size_t>(m_steps[c]);
        for (std::size_t state = 0; state < level.closed.size(); ++state)
            if (state / stride % steps > 0)
                level.closed[state].relax(level.closed[state - stride]);
        stride *= steps;
    }
}

const SuffixBound *SuffixTable::suffix(int stages, const Counts &available, int layers) const
{
    if (stages < 1 || stages > maxStages())
        return nullptr;
    const SuffixBound &s = m_levels[static_cast<std::size_t>(stages - 1)].closed[stateOf(available, layers)];
    return std::isfinite(s.end) ? &s : nullptr;
}

std::vector<std::vector<StageChoice>> SuffixTable::candidates(int count) const
{
    struct Final
    {
        double end;
        std::size_t level;
        std::int32_t label;
    };
    std::vector<Final> finals;
    for (std::size_t k = 0; k < m_levels.size(); ++k)
        for (std::size_t i = 0; i < m_levels[k].labels.size(); ++i)
            if (m_levels[k].states[i] % (m_modelLayers + 1) == m_modelLayers)
                finals.push_back({m_levels[k].labels[i].own.end, k, static_cast<std::int32_t>(i)});
    const auto keep = std::min(finals.size(), static_cast<std::size_t>(count));
    std::partial_sort(finals.begin(), finals.begin() + static_cast<std::ptrdiff_t>(keep), finals.end(),
                      [](const Final &a, const Final &b) {
                          return std::tie(a.end, a.level, a.label) < std::tie(b.end, b.level, b.label);
                      });
    finals.resize(keep);
    std::vector<std::vector<StageChoice>> plans;
    for (const Final &f : finals) {
        std::vector<StageChoice> plan;
        std::size_t level = f.level;
        std::int32_t label = f.label;
        for (;;) {
            const Label &l = m_levels[level].labels[static_cast<std::size_t>(label)];
            plan.push_back({l.option, l.layers});
            if (level == 0)
                break;
            --level;
            label = m_levels[level].at[static_cast<std::size_t>(l.next)];
        }
        plans.push_back(std::move(plan));
    }
    return plans;
}

} // namespace polyrail
