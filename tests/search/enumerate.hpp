// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/evaluate.hpp"
#include "core/search/placement.hpp"
#include "core/search/training_space.hpp"

#include <optional>

namespace polyrail::testing {

/// Every plan of the training space, one after the other: shares the option list, the placement rule and the simulator with the
/// search, but no bound, no order, no table, no dominance.
class Enumerator
{
public:
    Enumerator(std::shared_ptr<const CostContext> context, const TrainingSpace &space)
        : m_context(std::move(context)), m_space(space)
    {
    }

    std::optional<Nanoseconds> best()
    {
        for (int microBatch : m_space.microBatches())
            for (Recompute recompute : m_space.recomputations()) {
                m_set = makeOptions(*m_context, m_space.classes(), m_space.layerTimes(), microBatch, recompute, nullptr);
                m_stages.clear();
                extend(m_context->job().model.layers);
            }
        return m_best;
    }
    long plans() const { return m_plans; }

private:
    void extend(int layersLeft)
    {
        if (layersLeft == 0) {
            ++m_plans;
            const std::optional<Plan> plan = place(*m_context, m_space.classes(), m_set, m_stages);
            if (!plan)
                return;
            const auto schedule = evaluate(*m_context, *plan, SimDetail::MakespanOnly);
            if (schedule && (!m_best || schedule->makespan < *m_best))
                m_best = schedule->makespan;
            return;
        }
        if (static_cast<int>(m_stages.size()) == m_space.maxStages())
            return;
        for (std::size_t g = 0; g < m_set.options.size(); ++g) {
            Counts used = m_set.options[g].counts;
            for (const StageChoice &s : m_stages)
                for (std::size_t c = 0; c < Counts {}.size(); ++c)
                    used[c] += m_set.options[static_cast<std::size_t>(s.option)].counts[c];
            bool possible = true;
            for (std::size_t c = 0; c < m_space.classes().classes().size(); ++c)
                possible = possible && used[c] <= m_space.classes().classes()[c].devices;
            if (!possible)
                continue;
            for (int layers = 1; layers <= layersLeft; ++layers) {
                m_stages.push_back({static_cast<int>(g), layers});
                extend(layersLeft - layers);
                m_stages.pop_back();
            }
        }
    }

    std::shared_ptr<const CostContext> m_context;
    const TrainingSpace &m_space;
    OptionSet m_set;
    std::vector<StageChoice> m_stages;
    std::optional<Nanoseconds> m_best;
    long m_plans = 0;
};

} // namespace polyrail::testing
