// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan_time.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace polyrail {

namespace {

/// Progress of one stage through its passes.
struct StageRun
{
    std::array<double, 8> clock {}; ///< by kind of replica: end of its last pass
    int forward = 0;                ///< passes done
    int backward = 0;
    int ahead = 1;
};

} // namespace

double pipelineTime(std::span<const StageTimes> stages, std::span<const double> boundaries, int microBatches,
                    double cutoff)
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const std::size_t n = stages.size();
    const auto m = static_cast<std::size_t>(microBatches);
    std::vector<double> forwardOut(n * m);
    std::vector<double> backwardOut(n * m);
    std::vector<StageRun> runs(n);
    for (std::size_t s = 0; s < n; ++s)
        runs[s].ahead = std::min(microBatches, static_cast<int>(n - s));
    // Sweeps over the stages until all passes are done; within a sweep each stage goes as far as its inputs allow.
    double end = 0;
    std::size_t finished = 0;
    while (finished < n) {
        finished = 0;
        for (std::size_t s = 0; s < n; ++s) {
            StageRun &run = runs[s];
            const StageTimes &stage = stages[s];
            for (;;) {
                const bool isForward = run.forward < microBatches && run.forward - run.backward < run.ahead;
                if (!isForward && run.backward == microBatches)
                    break;
                const auto i = static_cast<std::size_t>(isForward ? run.forward : run.backward);
                double ready = 0;
                if (isForward && s > 0) {
                    if (runs[s - 1].forward <= static_cast<int>(i))
                        break;
                    ready = forwardOut[(s - 1) * m + i] + boundaries[s - 1];
                } else if (!isForward && s + 1 < n) {
                    if (runs[s + 1].backward <= static_cast<int>(i))
                        break;
                    ready = backwardOut[(s + 1) * m + i] + boundaries[s];
                }
                double all = 0;
                for (int k = 0; k < stage.kindCount; ++k) {
                    const auto kind = static_cast<std::size_t>(k);
                    const PassTimes &p = stage.kinds[kind];
                    run.clock[kind] = std::max(run.clock[kind], ready) + (isForward ? p.forward : p.backward);
                    // What this kind still has to do follows without a gap at best.
                    const int forwardLeft = microBatches - run.forward - (isForward ? 1 : 0);
                    const int backwardLeft = microBatches - run.backward - (isForward ? 0 : 1);
                    if (run.clock[kind] + forwardLeft * p.forward + backwardLeft * p.backward + stage.after >= cutoff)
                        return infinite;
                    all = std::max(all, run.clock[kind]);
                }
                (isForward ? forwardOut : backwardOut)[s * m + i] = all;
                ++(isForward ? run.forward : run.backward);
            }
            if (run.backward == microBatches) {
                ++finished;
                end = std::max(end, backwardOut[s * m + m - 1] + stage.after);
            }
        }
    }
    return end;
}

} // namespace polyrail
