// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan_time.hpp"

#include <algorithm>

namespace polyrail {

/// Lower bounds of the end of a 1F1B pipeline, from a stage to the last one; see docs/planning-model.md, "Pipeline
/// bounds", for the argument. All in seconds, measured from the start of the stage's first pass.
struct SuffixBound
{
    double lastBackward = 0; ///< R: end of this stage's last backward pass
    double roundTrip = 0;    ///< A: forward pass, through all later stages, backward pass of one micro-batch
    double end = 0;          ///< S: end of everything in the suffix
    double boundary = 0;     ///< of the suffix's first stage

    void relax(const SuffixBound &o)
    {
        lastBackward = std::min(lastBackward, o.lastBackward);
        roundTrip = std::min(roundTrip, o.roundTrip);
        end = std::min(end, o.end);
        boundary = std::min(boundary, o.boundary);
    }
};

/// Least time in which a replica with passes (f, b) ends its last backward pass, when a micro-batch needs `away` between
/// the end of its forward pass here and the start of its backward pass: m (f + b) plus excursions.
inline double ownBound(const PassTimes &p, double away, int microBatches, int inFlight)
{
    const double t = p.forward + p.backward;
    const double w = inFlight - 1;
    double gain = std::max({0.0, away - w * p.forward, away - w * p.backward});
    if (microBatches >= inFlight + 1) {
        const int middle = (microBatches - 1) / inFlight - 1;
        const double steady = std::max(0.0, away - w * t);
        gain = std::max(gain, 2 * away - w * t + middle * steady);
    }
    return microBatches * t + gain;
}

/// Prepends a stage to a suffix (`next` = null: the stage is the last). `fromEnd` counts stages from the last (1).
inline SuffixBound prepend(const StageTimes &stage, const SuffixBound *next, int microBatches, int fromEnd)
{
    const double c = next ? std::max(stage.boundary, next->boundary) : 0;
    const double away = next ? 2 * c + next->roundTrip : 0;
    const int inFlight = std::min(microBatches, fromEnd);
    double forward = 0;
    double backward = 0;
    SuffixBound s;
    for (int k = 0; k < stage.kindCount; ++k) {
        const PassTimes &p = stage.kinds[static_cast<std::size_t>(k)];
        forward = std::max(forward, p.forward);
        backward = std::max(backward, p.backward);
        s.lastBackward = std::max(s.lastBackward, ownBound(p, away, microBatches, inFlight));
        // On the last stage a replica turns round by itself: no boundary makes it wait for the others.
        s.roundTrip = std::max(s.roundTrip, p.forward + p.backward);
    }
    if (next)
        s.roundTrip = forward + away + backward;
    if (next)
        s.lastBackward = std::max(s.lastBackward, forward + 2 * c + next->lastBackward + backward);
    s.end = s.lastBackward + stage.after;
    if (next)
        s.end = std::max(s.end, forward + c + next->end);
    s.boundary = stage.boundary;
    return s;
}

} // namespace polyrail
