// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/slice_sizes.hpp"
#include "core/workload/transformer.hpp"

namespace polyrail {

namespace {

// What each part keeps for its backward pass, per token of the part, in bytes. `e` is the size of an element; masks of
// dropout take one byte. Comments give the GPT figure of Korthikanti et al. in units of s b h at two bytes.

/// Projections and products of attention, divided among the tensor ranks: 2 x 3 (q, k, v) + 2 (projection input).
double attentionShared(const ModelShape &s, const SliceSizes &z)
{
    const double e = z.element;
    if (s.latent) {
        const LatentAttention &l = *s.latent;
        const double queryDim = l.nopeDim + l.ropeDim;
        double bytes = e * double(z.heads) * (2 * queryDim + 2.0 * l.valueDim); // q, k, v, projection input
        bytes += e * 2 * (l.queryRank + l.keyValueRank) + e * l.ropeDim; // compressed, before and after their norms
        return bytes;
    }
    double bytes = e * s.headDim * double(z.heads + 2 * z.kvHeads) + e * s.headDim * double(z.heads);
    if (s.queryKeyNorm)
        bytes += e * s.headDim * double(z.heads + z.kvHeads);
    return bytes;
}

/// The core of attention: 5 a s / h when the scores are stored, the softmax' log-sum when they are not.
double attentionCore(const TrainingJob &job, const SliceSizes &z)
{
    if (job.flashAttention)
        return 4.0 * double(z.heads);
    const double perScore = job.model.dropout ? 2 * z.element + 1 : z.element; // softmax, its mask, its dropped copy
    return perScore * double(z.heads) * z.fullSequence;
}

/// Activation input and output inside an MLP: 8 + 8 for two matrices of width 4 h.
double mlpInner(const ModelShape &s, double element, double width)
{
    return element * width * (s.gatedMlp ? 3 : 2);
}

} // namespace

double activationBytesPerLayer(const TrainingJob &job, LayerKind kind, const Slice &slice, Recompute recompute)
{
    const ModelShape &s = job.model;
    const SliceSizes z(job, slice);
    const double e = z.element, hidden = s.hidden;
    if (recompute == Recompute::Full)
        return e * hidden * z.shardTokens;

    // Whole on every rank unless sequence parallelism divides them: inputs of norms (2 + 2), of attention and of the
    // MLP (2 + 2, one of them when both branches read the same norm), and two masks (1 + 1).
    const int inputs = s.parallelResidual && s.normsPerLayer < 2 ? 1 : 2;
    double sharded = e * hidden * (s.normsPerLayer + inputs);
    if (s.dropout)
        sharded += 2 * hidden;
    double whole = attentionShared(s, z);
    if (recompute == Recompute::None)
        whole += attentionCore(job, z);
    if (kind == LayerKind::Expert) {
        sharded += 4.0 * s.experts;          // router probabilities in fp32
        whole += 2 * e * hidden * s.topK;    // tokens as dispatched, results before they are weighted
        whole += s.topK * mlpInner(s, e, double(z.expertWidth));
        whole += mlpInner(s, e, double(z.sharedWidth));
    } else {
        whole += mlpInner(s, e, double(z.ffn));
    }
    return sharded * z.shardTokens + whole * z.tokens;
}

double headActivationBytes(const TrainingJob &job, const Slice &slice)
{
    const ModelShape &s = job.model;
    const SliceSizes z(job, slice);
    double bytes = s.finalNorm ? z.element * s.hidden * z.shardTokens : 0;
    if (!s.hasHead)
        return bytes;
    bytes += z.element * s.hidden * z.shardTokens;
    if (s.tokenWidth() != s.hidden)
        bytes += z.element * s.tokenWidth() * z.tokens;
    return bytes + 4 * double(z.vocab) * z.tokens;
}

} // namespace polyrail
