// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/search/random_problem.hpp"

#include "core/plan/evaluate.hpp"
#include "core/search/placement.hpp"
#include "core/search/suffix_table.hpp"
#include "core/search/training_space.hpp"

#include <QTest>

#include <cmath>

using namespace polyrail;

namespace {

/// End of a 1F1B pipeline by its own recurrence: each kind of replica runs its passes in order; a micro-batch crosses a boundary
/// when all kinds have finished it.
double exactEnd(const std::vector<StageTimes> &stages, int m)
{
    const std::size_t n = stages.size();
    const auto count = static_cast<std::size_t>(m);
    std::vector<std::vector<double>> forwardOut(n, std::vector<double>(count, -1));
    std::vector<std::vector<double>> backwardOut = forwardOut;
    std::vector<std::vector<double>> clock(n);
    std::vector<std::vector<std::vector<double>>> forwardEnd(n, std::vector<std::vector<double>>(count));
    std::vector<int> nextForward(n, 0);
    std::vector<int> nextBackward(n, 0);
    std::vector<double> done(n, 0);
    for (std::size_t s = 0; s < n; ++s)
        clock[s].assign(static_cast<std::size_t>(stages[s].kindCount), 0.0);
    const auto boundary = [&](std::size_t s) { return std::max(stages[s].boundary, stages[s + 1].boundary); };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t s = 0; s < n; ++s)
            for (;;) {
                const int ahead = std::min(m, static_cast<int>(n - s));
                const bool forward = nextForward[s] < m && nextForward[s] - nextBackward[s] < ahead;
                if (!forward && nextBackward[s] == m)
                    break;
                const auto i = static_cast<std::size_t>(forward ? nextForward[s] : nextBackward[s]);
                double ready = 0;
                if (forward && s > 0) {
                    if (forwardOut[s - 1][i] < 0)
                        break;
                    ready = forwardOut[s - 1][i] + boundary(s - 1);
                } else if (!forward && s + 1 < n) {
                    if (backwardOut[s + 1][i] < 0)
                        break;
                    ready = backwardOut[s + 1][i] + boundary(s);
                }
                double all = 0;
                for (std::size_t k = 0; k < clock[s].size(); ++k) {
                    const PassTimes &p = stages[s].kinds[k];
                    clock[s][k] = std::max(clock[s][k], ready) + (forward ? p.forward : p.backward);
                    all = std::max(all, clock[s][k]);
                }
                (forward ? forwardOut : backwardOut)[s][i] = all;
                ++(forward ? nextForward : nextBackward)[s];
                moved = true;
            }
    }
    double end = 0;
    for (std::size_t s = 0; s < n; ++s)
        end = std::max(end, backwardOut[s].back() + stages[s].after);
    return end;
}

} // namespace

class TestBounds : public QObject
{
    Q_OBJECT

private slots:
    void twoStagesByHand()
    {
        // f = b = 4 on stage 1, f = b = 1 on stage 2, m = 2, free transfers (reference: the closed form (m-1) max + sum gives
        // 18). Stage 1: F1 0-4, F2 4-8; stage 2: F1 4-5, B1 5-6; stage 1: B1 8-12; stage 2: F2 8-9, B2 9-10; B2 12-16.
        StageTimes slow;
        slow.kinds[0] = {4, 4};
        slow.kindCount = 1;
        StageTimes fast;
        fast.kinds[0] = {1, 1};
        fast.kindCount = 1;
        QCOMPARE(exactEnd({slow, fast}, 2), 16.0);
        const SuffixBound last = prepend(fast, nullptr, 2, 1);
        QCOMPARE(prepend(slow, &last, 2, 2).end, 16.0);
    }

    void equalStagesAreExact()
    {
        // P equal stages, no transfers: (m + P - 1)(f + b), and the double excursion finds it.
        StageTimes stage;
        stage.kinds[0] = {1, 2};
        stage.kindCount = 1;
        for (int stages = 1; stages <= 8; ++stages)
            for (int m = stages + 1; m <= 20; ++m) {
                SuffixBound bound = prepend(stage, nullptr, m, 1);
                for (int k = 2; k <= stages; ++k)
                    bound = prepend(stage, &bound, m, k);
                QCOMPARE(bound.end, 3.0 * (m + stages - 1));
            }
    }

    /// Small m, m < P and m = P included: an off-by-one here escapes tests on tiny optima.
    void neverAboveTheExactTime()
    {
        std::mt19937_64 random(42);
        std::uniform_real_distribution<double> unit(0, 1);
        double slack = 0;
        constexpr int trials = 200000;
        for (int trial = 0; trial < trials; ++trial) {
            const int stages = 1 + static_cast<int>(random() % 8);
            const int m = 1 + static_cast<int>(random() % 24);
            std::vector<StageTimes> pipeline(static_cast<std::size_t>(stages));
            for (StageTimes &s : pipeline) {
                s.kindCount = 1 + static_cast<int>(random() % 2);
                for (int k = 0; k < s.kindCount; ++k)
                    s.kinds[static_cast<std::size_t>(k)] = {0.1 + unit(random), 0.1 + 2 * unit(random)};
                s.boundary = random() % 2 ? unit(random) * 2 : 0;
                s.after = random() % 2 ? unit(random) * 5 : 0;
            }
            SuffixBound bound;
            for (int s = stages - 1; s >= 0; --s)
                bound = prepend(pipeline[static_cast<std::size_t>(s)], s == stages - 1 ? nullptr : &bound, m, stages - s);
            const double exact = exactEnd(pipeline, m);
            QVERIFY2(bound.end <= exact * (1 + 1e-12),
                     qPrintable(QString("trial %1: P %2 m %3 bound %4 exact %5")
                                    .arg(trial).arg(stages).arg(m).arg(bound.end).arg(exact)));
            slack += 1 - bound.end / exact;
            std::vector<double> boundaries;
            for (std::size_t b = 0; b + 1 < pipeline.size(); ++b)
                boundaries.push_back(std::max(pipeline[b].boundary, pipeline[b + 1].boundary));
            const double time = pipelineTime(pipeline, boundaries, m, exact * 2);
            QVERIFY2(std::abs(time - exact) <= exact * 1e-12, qPrintable(QString("%1 %2").arg(time).arg(exact)));
            QVERIFY(std::isinf(pipelineTime(pipeline, boundaries, m, exact * 0.999)));
        }
        qInfo("mean distance of the bound to the exact time: %.2f %%", 100 * slack / trials);
        QVERIFY2(slack / trials < 0.10, "the bound has become loose");
    }

    /// Random partial plans: prefix + table never exceeds what the simulator says of any completion that was drawn.
    void prefixNeverAboveSimulation()
    {
        std::mt19937_64 random(7);
        long nodes = 0;
        long plans = 0;
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            const auto context = std::make_shared<const CostContext>(testing::randomProblem(seed));
            const TrainingSpace space(context, 16);
            const int modelLayers = context->job().model.layers;
            for (int microBatch : space.microBatches())
                for (Recompute recompute : space.recomputations()) {
                    const auto set = std::make_shared<const OptionSet>(
                        makeOptions(*context, space.classes(), space.layerTimes(), microBatch, recompute, nullptr));
                    if (set->options.empty())
                        continue;
                    SuffixTable::Request request;
                    request.context = context.get();
                    request.classes = &space.classes();
                    request.set = set;
                    request.cutoff = 1e6;
                    request.maxStages = space.maxStages();
                    request.deadline = std::chrono::steady_clock::time_point::max();
                    request.forSearch = true;
                    const auto table = SuffixTable::build(request);
                    const double configuration
                        = configurationBound(*context, space.classes(), *set, space.maxStages(), 1e6);
                    for (int draw = 0; draw < 90; ++draw) {
                        std::vector<StageChoice> stages;
                        for (int left = modelLayers; left > 0;) {
                            const int layers = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(left));
                            stages.push_back({static_cast<int>(random() % set->options.size()), layers});
                            left -= layers;
                        }
                        Counts left {};
                        for (std::size_t c = 0; c < space.classes().classes().size(); ++c)
                            left[c] = space.classes().classes()[c].devices;
                        bool possible = static_cast<int>(stages.size()) <= space.maxStages();
                        for (const StageChoice &s : stages)
                            for (std::size_t c = 0; c < Counts {}.size(); ++c) {
                                left[c] -= set->options[static_cast<std::size_t>(s.option)].counts[c];
                                possible = possible && left[c] >= 0;
                            }
                        if (!possible)
                            continue;
                        const auto plan = place(*context, space.classes(), *set, stages);
                        if (!plan)
                            continue;
                        const auto schedule = evaluate(*context, *plan, SimDetail::MakespanOnly);
                        if (!schedule)
                            continue;
                        ++plans;
                        const auto costs = costsOf(*context, *plan);
                        QVERIFY(costs.has_value());
                        QVERIFY(timeWithoutContention(*plan, *costs, 1e9)
                                <= toSeconds(schedule->makespan).value * (1 + 1e-12));
                        const double simulated = toSeconds(schedule->makespan).value;
                        QVERIFY(configuration <= simulated * (1 + 1e-9));
                        QVERIFY(table->leastTime() <= simulated * (1 + 1e-9));
                        nodes += checkPrefixes(*table, space, stages, modelLayers, simulated, seed);
                        if (QTest::currentTestFailed())
                            return;
                    }
                }
        }
        qInfo("%ld partial nodes of %ld plans", nodes, plans);
        QVERIFY(nodes >= 10000);
    }

private:
    static long checkPrefixes(const SuffixTable &table, const TrainingSpace &space, const std::vector<StageChoice> &stages,
                              int modelLayers, double simulated, std::uint64_t seed)
    {
        const auto total = static_cast<int>(stages.size());
        Counts left {};
        for (std::size_t c = 0; c < space.classes().classes().size(); ++c)
            left[c] = space.classes().classes()[c].devices;
        std::vector<StageTimes> times;
        int layer = 0;
        long nodes = 0;
        for (int depth = 0; depth <= total; ++depth) {
            const SuffixBound *suffix = depth < total ? table.suffix(total - depth, left, modelLayers - layer) : nullptr;
            if (depth < total && !suffix) {
                QTest::qFail("a completion that exists is missing from the table", __FILE__, __LINE__);
                return nodes;
            }
            SuffixBound bound = suffix ? *suffix : SuffixBound {};
            bool have = suffix != nullptr;
            for (std::size_t s = times.size(); s-- > 0;) {
                bound = prepend(times[s], have ? &bound : nullptr, table.set().microBatches, total - static_cast<int>(s));
                have = true;
            }
            ++nodes;
            if (bound.end > simulated * (1 + 1e-9)) {
                QTest::qFail(qPrintable(QString("seed %1 depth %2 of %3: bound %4 simulated %5")
                                            .arg(seed).arg(depth).arg(total).arg(bound.end).arg(simulated)),
                             __FILE__, __LINE__);
                return nodes;
            }
            if (depth == total)
                break;
            const StageChoice &choice = stages[static_cast<std::size_t>(depth)];
            times.push_back(table.timesOf(choice.option, layer, choice.layers, depth == 0, depth + 1 == total));
            layer += choice.layers;
            for (std::size_t c = 0; c < Counts {}.size(); ++c)
                left[c] -= table.set().options[static_cast<std::size_t>(choice.option)].counts[c];
        }
        return nodes;
    }
};

QTEST_GUILESS_MAIN(TestBounds)
#include "tst_bounds.moc"
