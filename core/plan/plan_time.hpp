// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <span>

namespace polyrail {

/// One kind of replica of a stage: seconds of a forward and a backward pass.
struct PassTimes
{
    double forward = 0;
    double backward = 0;
};

/// A stage without its details: its kinds of replicas, its transfer to and from a neighbour, what follows its last pass.
struct StageTimes
{
    std::array<PassTimes, 8> kinds{};
    int kindCount = 0;
    double boundary = 0; ///< least time to send one micro-batch to, or take it from, a neighbour; for bounds only
    double after = 0;    ///< gradients and optimiser
};

/// The exact end of a 1F1B pipeline without contention: the longest path of its task graph. Never above the simulated step
/// when times and boundaries (`boundaries[s]` between stages s and s + 1, one way) are those of transfers with the
/// network to themselves or less. O(stages x micro-batches); gives up as soon as the end is known to be >= cutoff
/// and returns infinity then. Seconds.
double pipelineTime(std::span<const StageTimes> stages, std::span<const double> boundaries, int microBatches,
                    double cutoff);

} // namespace polyrail
