// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/slice_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

Count wholeRows(double tokens)
{
    return std::max<Count>(1, static_cast<Count>(std::ceil(tokens - 1e-9)));
}

} // namespace

SliceSizes::SliceSizes(const TrainingJob &job, const Slice &slice)
{
    const ModelShape &s = job.model;
    const Count tensor = std::max(1, slice.tensor), context = std::max(1, slice.context);
    sequence = ceilDiv(job.sequence, context);
    fullSequence = job.sequence;
    tokens = slice.samples * double(sequence);
    shardTokens = job.sequenceParallel ? tokens / double(tensor) : tokens;
    rows = wholeRows(tokens);
    shardRows = wholeRows(shardTokens);
    samples = wholeRows(slice.samples);
    heads = ceilDiv(s.heads, tensor);
    kvHeads = std::max<Count>(1, ceilDiv(s.kvHeads, tensor));
    ffn = ceilDiv(s.ffn, tensor);
    vocab = ceilDiv(s.vocab, tensor);
    element = activationBytes(job.precision);
    if (s.experts > 0) {
        const Count ranks = std::max(1, slice.expert);
        expertWidth = ceilDiv(s.expertFfn, tensor);
        sharedWidth = ceilDiv(Count(s.expertFfn) * s.sharedExperts, tensor);
        // Balanced routing: tokens x topK rows of every expert rank spread over all experts. With fewer rows than
        // experts some get none.
        const double rowsOfAll = tokens * double(ranks) * s.topK;
        heldExperts = ceilDiv(s.experts, ranks);
        localExperts = std::min(heldExperts, wholeRows(rowsOfAll / double(ranks)));
        expertRows = wholeRows(rowsOfAll / double(ranks) / double(localExperts));
    }
}

} // namespace polyrail
