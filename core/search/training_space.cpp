// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/training_space.hpp"

#include "core/plan/evaluate.hpp"
#include "core/search/placement.hpp"
#include "core/search/suffix_table.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

double seconds(Nanoseconds t)
{
    return t.value == never ? infinite : toSeconds(t).value;
}

/// Rounded down, with a margin for the rounding of sums: a bound must not exceed what the simulator adds up.
Nanoseconds boundOf(double s)
{
    return std::isfinite(s) ? Nanoseconds(static_cast<std::int64_t>(std::floor(s * 1e9 * (1 - 1e-12))))
                            : Nanoseconds(never);
}

} // namespace

struct TrainingSpace::Root : SearchNode
{
};

/// A micro-batch and a recomputation; without options at first.
struct TrainingSpace::Choice : SearchNode
{
    int microBatch = 1;
    Recompute recompute = Recompute::None;
    std::shared_ptr<const OptionSet> set;
    double searched = 0; ///< seconds: plans whose bound is below this are in hand elsewhere
    int blindTries = 0;  ///< cut-offs tried without an incumbent
};

/// The first stages of a plan with a known number of stages.
struct TrainingSpace::Prefix : SearchNode
{
    std::shared_ptr<const SuffixTable> table;
    int stages = 0; ///< of the whole plan
    std::vector<StageChoice> chosen;
    std::vector<StageTimes> times;
    Counts left {};
    int layersLeft = 0;
    double slack = 0;
    double searched = 0;
};

TrainingSpace::TrainingSpace(std::shared_ptr<const CostContext> context, int maxStages)
    : m_context(std::move(context)), m_classes(m_context),
      m_layerTimes(*m_context, m_classes, std::max(1, microBatches().empty() ? 1 : microBatches().back())),
      m_maxStages(std::min({maxStages, m_context->job().model.layers,
                            static_cast<int>(m_context->cluster().devices().size())}))
{
}

std::vector<int> TrainingSpace::microBatches() const
{
    const TrainingJob &job = m_context->job();
    const auto devices = static_cast<std::int64_t>(m_context->cluster().devices().size());
    // Beyond eight samples a device, a larger micro-batch only lengthens the pipeline's bubble.
    constexpr std::int64_t samplesPerDevice = 8;
    std::int64_t most = std::min<std::int64_t>(job.globalBatch, samplesPerDevice * devices);
    if (job.maxMicroBatch > 0)
        most = std::min(most, devices * job.maxMicroBatch);
    std::vector<int> sizes;
    for (int m = 1; m <= most; ++m)
        if (job.globalBatch % m == 0)
            sizes.push_back(m);
    return sizes;
}

std::vector<Recompute> TrainingSpace::recomputations() const
{
    // Flash attention already recomputes its scores: nothing is left for "selective".
    if (m_context->job().flashAttention)
        return {Recompute::None, Recompute::Full};
    return {Recompute::None, Recompute::Selective, Recompute::Full};
}

std::string TrainingSpace::description() const
{
    std::string text = "1F1B pipelines of up to " + std::to_string(m_maxStages)
        + " stages; every micro-batch that divides the global batch up to 8 samples a device; recomputation for the "
          "whole plan; for each stage "
        + (static_cast<std::size_t>(m_classes.mostMixed()) < m_classes.classes().size()
               ? "up to " + std::to_string(m_classes.mostMixed()) + " device classes"
               : std::string("any mix of device classes"))
        + " with tensor groups (powers of two) inside a host, batch "
          "shares balanced by layer time, any number of layers; ";
    if (m_classes.anySize()) {
        text += "groups of any size";
    } else {
        text += "groups in multiples of";
        for (std::size_t c = 0; c < m_classes.classes().size(); ++c)
            text += (c ? ", " : " ") + std::to_string(m_classes.classes()[c].unit);
        text += " devices by class";
    }
    return text + "; placed host by host in file order, striped over parallel routes by bandwidth.";
}

NodePtr TrainingSpace::root() const
{
    return std::make_unique<Root>();
}

void TrainingSpace::expand(const SearchNode &node, Expansion &out) const
{
    if (const auto *prefix = dynamic_cast<const Prefix *>(&node))
        expandPrefix(*prefix, out);
    else if (const auto *choice = dynamic_cast<const Choice *>(&node))
        choice->set ? tryCutoff(*choice, out) : makeChoice(*choice, out);
    else
        expandRoot(static_cast<const Root &>(node), out);
}

void TrainingSpace::expandRoot(const Root &, Expansion &out) const
{
    // All are equal to the engine until their options are known, and it dives into the last one: the likeliest comes
    // last, a few samples for every eight devices without recomputation.
    const double likely = std::log2(std::max(1.0, static_cast<double>(m_context->cluster().devices().size()) / 8));
    std::vector<int> sizes = microBatches();
    std::stable_sort(sizes.begin(), sizes.end(), [&](int a, int b) {
        return std::abs(std::log2(a) - likely) > std::abs(std::log2(b) - likely);
    });
    std::vector<Recompute> recomputes = recomputations();
    std::reverse(recomputes.begin(), recomputes.end());
    for (Recompute recompute : recomputes)
        for (int microBatch : sizes) {
            auto child = std::make_unique<Choice>();
            child->depth = 1;
            child->microBatch = microBatch;
            child->recompute = recompute;
            out.children.push_back(std::move(child));
        }
}

/// Lists the options of a choice and bounds it by the configuration LP.
void TrainingSpace::makeChoice(const Choice &node, Expansion &out) const
{
    auto set = std::make_shared<OptionSet>(
        makeOptions(*m_context, m_classes, m_layerTimes, node.microBatch, node.recompute, out.cancel));
    if (out.cancelled()) {
        out.incomplete = true;
        return;
    }
    const double bound = configurationBound(*m_context, m_classes, *set, m_maxStages, seconds(out.cutoff));
    if (!std::isfinite(bound)) {
        ++out.cuts.memory;
        return;
    }
    auto child = std::make_unique<Choice>(node);
    child->depth = 2;
    child->set = std::move(set);
    child->bound = boundOf(bound);
    if (child->bound >= out.cutoff) {
        ++out.cuts.bound;
        return;
    }
    out.children.push_back(std::move(child));
}

/// One table for a cut-off between the bound and the incumbent. Far from the incumbent small steps are cheap and lift the
/// bound; once the table finds complete ways, or near the incumbent, the search below the cut-off begins and the
/// rest of the choice stays open with the cut-off as its bound.
void TrainingSpace::tryCutoff(const Choice &node, Expansion &out) const
{
    const double low = seconds(node.bound);
    const double high = seconds(out.cutoff);
    SuffixTable::Request request;
    request.context = m_context.get();
    request.classes = &m_classes;
    request.set = node.set;
    request.maxStages = m_maxStages;
    request.cancel = out.cancel;
    request.deadline = out.deadline;
    request.forSearch = true;
    const double gap = std::isfinite(high) ? (high - low) / high : 1;
    // Without an incumbent cut-offs grow geometrically; soon everything is searched, so that "infeasible" gets proven.
    constexpr int mostBlindTries = 6;
    if (!std::isfinite(high))
        request.cutoff = node.blindTries < mostBlindTries ? low * 1.25 + 1e-6 : infinite;
    else if (gap > 0.04)
        request.cutoff = low + (high - low) / 3;
    else if (gap > 0.012)
        request.cutoff = low + (high - low) * 0.6;
    else
        request.cutoff = high;
    const std::shared_ptr<const SuffixTable> table = SuffixTable::build(request);
    if (!table) {
        out.incomplete = true;
        return;
    }
    if (request.cutoff < high) {
        auto rest = std::make_unique<Choice>(node);
        rest->bound = std::max(node.bound, boundOf(request.cutoff));
        rest->searched = request.cutoff;
        rest->blindTries = node.blindTries + 1;
        out.children.push_back(std::move(rest));
    }
    if (!std::isfinite(table->leastTime())) {
        ++out.cuts.bound;
        return;
    }
    // Candidates come early while there is no incumbent; later the search below finds its own.
    for (const std::vector<StageChoice> &stages : table->candidates(std::isfinite(high) ? 1 : 4))
        evaluateLeaf(*node.set, stages, out);
    Counts all {};
    for (std::size_t c = 0; c < m_classes.classes().size(); ++c)
        all[c] = m_classes.classes()[c].devices;
    for (int stages = 1; stages <= table->maxStages(); ++stages) {
        const SuffixBound *whole = table->suffix(stages, all, m_context->job().model.layers);
        if (!whole)
            continue;
        auto child = std::make_unique<Prefix>();
        child->depth = 3;
        child->bound = std::max(node.bound, boundOf(whole->end));
        child->table = table;
        child->stages = stages;
        child->left = all;
        child->layersLeft = m_context->job().model.layers;
        child->slack = table->slack() + 1e-6;
        child->searched = node.searched;
        if (child->bound < out.cutoff)
            out.children.push_back(std::move(child));
        else
            ++out.cuts.bound;
    }
}

void TrainingSpace::expandPrefix(const Prefix &node, Expansion &out) const
{
    const SuffixTable &table = *node.table;
    const OptionSet &set = table.set();
    const int toEnd = node.stages - static_cast<int>(node.chosen.size()); // this stage included
    const bool first = node.chosen.empty();
    const bool last = toEnd == 1;
    const int firstLayer = m_context->job().model.layers - node.layersLeft;
    const double cutoff = std::min(seconds(out.cutoff), table.cutoff());
    for (int g : table.usefulOptions()) {
        const StageOption &option = set.options[static_cast<std::size_t>(g)];
        const double price = table.prices().of(option);
        if (price - table.mostLayers(g) > node.slack)
            break;
        Counts left = node.left;
        bool possible = true;
        for (std::size_t c = 0; c < Counts {}.size(); ++c) {
            left[c] -= option.counts[c];
            possible = possible && left[c] >= 0;
        }
        if (!possible)
            continue;
        const int most = std::min(table.mostLayers(g), node.layersLeft - (toEnd - 1));
        const int least = last ? node.layersLeft : std::max(1, static_cast<int>(std::ceil(price - node.slack)));
        for (int layers = most; layers >= least; --layers) {
            const int after = node.layersLeft - layers;
            const SuffixBound *suffix = last ? nullptr : table.suffix(toEnd - 1, left, after);
            if (!last && !suffix) {
                ++out.cuts.bound;
                continue;
            }
            if (!table.fitsAt(g, firstLayer, layers, first, last, toEnd)) {
                ++out.cuts.memory;
                continue;
            }
            const StageTimes times = table.timesOf(g, firstLayer, layers, first, last);
            SuffixBound bound = prepend(times, suffix, set.microBatches, toEnd);
            for (std::size_t s = node.times.size(); s-- > 0;)
                bound = prepend(node.times[s], &bound, set.microBatches, node.stages - static_cast<int>(s));
            if (bound.end >= cutoff) {
                ++out.cuts.bound;
                continue;
            }
            std::vector<StageChoice> chosen = node.chosen;
            chosen.push_back({g, layers});
            if (last) {
                if (bound.end >= node.searched)
                    evaluateLeaf(set, chosen, out);
                continue;
            }
            auto child = std::make_unique<Prefix>();
            child->depth = node.depth + 1;
            child->bound = boundOf(bound.end);
            child->table = node.table;
            child->stages = node.stages;
            child->chosen = std::move(chosen);
            child->times = node.times;
            child->times.push_back(times);
            child->left = left;
            child->layersLeft = after;
            child->slack = node.slack - (price - layers);
            child->searched = node.searched;
            out.children.push_back(std::move(child));
        }
    }
}

void TrainingSpace::evaluateLeaf(const OptionSet &set, std::span<const StageChoice> stages, Expansion &out) const
{
    std::optional<Plan> plan = place(*m_context, m_classes, set, stages);
    if (!plan) {
        ++out.cuts.infeasible;
        return;
    }
    if (!checkPlan(*m_context, *plan)) {
        ++out.cuts.memory;
        return;
    }
    const Result<PlanCosts> costs = costsOf(*m_context, *plan);
    if (!costs) {
        ++out.cuts.infeasible;
        return;
    }
    // Middle fidelity: the pipeline on its real devices but without contention, far cheaper than the simulator.
    if (timeWithoutContention(*plan, *costs, seconds(out.cutoff)) >= seconds(out.cutoff)) {
        ++out.cuts.bound;
        return;
    }
    ++out.simulations;
    const Result<Schedule> schedule = simulate(lower(*m_context, *plan, *costs, SimDetail::MakespanOnly),
                                               m_context->network(), SimDetail::MakespanOnly, out.cutoff, out.cancel);
    if (!schedule) {
        ++out.cuts.infeasible;
        return;
    }
    if (schedule->makespan >= out.cutoff) {
        ++out.cuts.bound;
        return;
    }
    out.cutoff = schedule->makespan;
    std::string key = planKey(*plan);
    out.solutions.push_back({schedule->makespan, std::make_shared<const Plan>(std::move(*plan)), std::move(key)});
}

std::string planKey(const Plan &plan)
{
    std::string key = std::to_string(plan.microBatch) + '/' + std::to_string(static_cast<int>(plan.recompute));
    for (const Stage &stage : plan.stages) {
        key += '|' + std::to_string(stage.layers()) + ':';
        for (const Replica &replica : stage.replicas) {
            key += std::to_string(replica.samples) + '(';
            for (DeviceId d : replica.devices)
                key += std::to_string(d.value) + ' ';
            key += ')';
        }
    }
    return key;
}

} // namespace polyrail
