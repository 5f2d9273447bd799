// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/pipeline_time.hpp"

#include <algorithm>

namespace polyrail {

namespace {

struct Step
{
    bool backward = false;
    int chunk = 0;
    int microBatch = 0;
};

/// What one stage runs, in order.
std::vector<Step> orderOf(const PipelineShape &p, int stage)
{
    const int m = p.microBatches;
    const int total = m * p.chunks;
    std::vector<Step> steps;
    steps.reserve(static_cast<std::size_t>(2 * total));
    // The k-th forward (or backward) of a stage: groups of `stages` micro-batches go through chunk after chunk.
    auto forward = [&](int k) {
        if (p.chunks == 1)
            return Step{false, 0, k};
        const int group = p.stages * p.chunks;
        const int first = k / group * p.stages;
        const int width = std::min(p.stages, m - first); // a last, smaller group
        const int inside = k % group;
        return Step{false, inside / width, first + inside % width};
    };
    auto backward = [&](int k) {
        Step step = forward(k);
        step.backward = true;
        step.chunk = p.chunks - 1 - step.chunk;
        return step;
    };
    int warmUp = total;
    if (!p.gpipe) {
        warmUp = p.chunks == 1 ? p.stages - stage - 1 : (p.stages - stage - 1) * 2 + (p.chunks - 1) * p.stages;
        warmUp = std::min(warmUp, total);
    }
    for (int k = 0; k < warmUp; ++k)
        steps.push_back(forward(k));
    for (int k = warmUp; k < total; ++k) {
        steps.push_back(forward(k));
        steps.push_back(backward(k - warmUp));
    }
    for (int k = total - warmUp; k < total; ++k)
        steps.push_back(backward(k));
    return steps;
}

} // namespace

namespace {

/// False: the order waits for itself (interleaving with a last group that is not full).
bool run(const PipelineShape &p, std::vector<double> &busy)
{
    const auto stages = static_cast<std::size_t>(p.stages);
    const auto chunks = static_cast<std::size_t>(p.chunks);
    const auto m = static_cast<std::size_t>(p.microBatches);
    constexpr double notYet = -1;
    // End of each pass where the next stage needs it, by (stage, chunk, micro-batch).
    std::vector<double> forwardDone(stages * chunks * m, notYet);
    std::vector<double> backwardDone(stages * chunks * m, notYet);
    auto at = [&](std::size_t s, std::size_t c, std::size_t b) { return (s * chunks + c) * m + b; };

    std::vector<std::vector<Step>> order;
    for (int s = 0; s < p.stages; ++s)
        order.push_back(orderOf(p, s));
    std::vector<std::size_t> next(stages, 0);
    busy.assign(stages, 0);
    bool moved = true;
    while (moved) {
        moved = false;
        for (std::size_t s = 0; s < stages; ++s) {
            while (next[s] < order[s].size()) {
                const Step &step = order[s][next[s]];
                const auto c = static_cast<std::size_t>(step.chunk);
                const auto b = static_cast<std::size_t>(step.microBatch);
                double ready = 0;
                double send = 0;
                if (!step.backward) {
                    if (s > 0 || c > 0) {
                        const std::size_t from = s > 0 ? s - 1 : stages - 1;
                        const double end = forwardDone[at(from, s > 0 ? c : c - 1, b)];
                        if (end == notYet)
                            break;
                        ready = end + (from == s ? 0 : p.transfer[from]);
                    }
                    if (s + 1 < stages || c + 1 < chunks)
                        send = stages == 1 ? 0 : p.transfer[s];
                } else {
                    if (s + 1 < stages || c + 1 < chunks) {
                        const std::size_t from = s + 1 < stages ? s + 1 : 0;
                        const double end = backwardDone[at(from, s + 1 < stages ? c : c + 1, b)];
                        if (end == notYet)
                            break;
                        ready = end + (from == s ? 0 : p.transfer[s]);
                    } else if (forwardDone[at(s, c, b)] == notYet) {
                        break;
                    }
                    if (s > 0 || c > 0)
                        send = stages == 1 ? 0 : p.transfer[s > 0 ? s - 1 : stages - 1];
                }
                const double start = std::max(ready, busy[s]);
                const double end = start + (step.backward ? p.backward : p.forward)[s * chunks + c];
                busy[s] = p.blocking ? end + send : end;
                (step.backward ? backwardDone : forwardDone)[at(s, c, b)] = end;
                ++next[s];
                moved = true;
            }
        }
    }
    for (std::size_t s = 0; s < stages; ++s)
        if (next[s] < order[s].size())
            return false;
    return true;
}

} // namespace

std::vector<double> pipelineFinish(const PipelineShape &p)
{
    std::vector<double> finish;
    if (!run(p, finish)) {
        PipelineShape all = p;
        all.gpipe = true;
        run(all, finish);
    }
    return finish;
}

} // namespace polyrail
