// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workload/transformer.hpp"

#include <cstdint>

namespace polyrail {

using Count = std::int64_t;

inline Count ceilDiv(Count a, Count b)
{
    return (a + b - 1) / b;
}

/// What a Slice comes to on one device, worked out once: the largest rank's share where the split is unequal.
struct SliceSizes
{
    SliceSizes(const TrainingJob &job, const Slice &slice);

    double tokens = 0;      ///< samples x sequence / context
    double shardTokens = 0; ///< tokens / tensor with sequence parallelism, else tokens
    Count rows = 1;         ///< tokens, as the rows of a matrix product
    Count shardRows = 1;
    Count samples = 1;
    Count sequence = 1;     ///< queries per sample on this device
    Count heads = 1;
    Count kvHeads = 1;      ///< at least one: key/value heads are copied when there are more ranks than heads
    Count ffn = 0;
    Count vocab = 1;
    Count expertWidth = 0;
    Count sharedWidth = 0;
    Count heldExperts = 0;  ///< experts whose weights this device holds
    Count localExperts = 0; ///< those of them that get tokens
    Count expertRows = 0;   ///< tokens per local expert, all expert ranks' tokens together
    double element = 2;     ///< bytes of an activation
    double fullSequence = 1;

    /// Entries of the score matrices: samples x heads x queries x keys.
    double scores() const { return tokens * double(heads) * fullSequence; }
};

} // namespace polyrail
