// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan.hpp"

#include <set>

namespace polyrail {

const char *toString(PipelineSchedule s)
{
    return s == PipelineSchedule::GPipe ? "gpipe" : "1f1b";
}

int Plan::deviceCount() const
{
    std::size_t n = 0;
    for (const Stage &stage : stages)
        for (const Replica &replica : stage.replicas)
            n += replica.devices.size();
    return static_cast<int>(n);
}

std::string Plan::summary() const
{
    const auto plural = [](std::size_t n, const char *word) {
        return std::to_string(n) + ' ' + word + (n == 1 ? "" : "s");
    };
    std::string text = plural(stages.size(), "stage");
    if (stages.size() > 1)
        text += schedule == PipelineSchedule::GPipe ? ", GPipe" : ", 1F1B";
    text += ", " + std::to_string(microBatches) + (microBatches == 1 ? " micro-batch of " : " micro-batches of ")
        + std::to_string(microBatch);
    const auto list = [&](const char *what, auto figure) {
        std::string joined;
        std::set<int> distinct;
        for (const Stage &stage : stages) {
            joined += (joined.empty() ? "" : "/") + std::to_string(figure(stage));
            distinct.insert(figure(stage));
        }
        text += std::string(", ") + what + ' ' + (distinct.size() == 1 ? std::to_string(*distinct.begin()) : joined);
    };
    list("tensor", [](const Stage &s) {
        std::size_t most = 0;
        for (const Replica &r : s.replicas)
            most = std::max(most, r.devices.size());
        return static_cast<int>(most);
    });
    list("data", [](const Stage &s) { return static_cast<int>(s.replicas.size()); });
    if (recompute != Recompute::None)
        text += recompute == Recompute::Full ? ", full recomputation" : ", selective recomputation";
    return text;
}

} // namespace polyrail
