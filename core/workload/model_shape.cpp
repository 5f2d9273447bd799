// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/model_shape.hpp"

#include <algorithm>

namespace polyrail {

namespace {

using Count = std::int64_t;

struct Field
{
    const char *name;
    int value;
    int least;
    int most;
};

/// One layer's parts. `matrices` multiply activations; `rest` are biases and norms.
struct LayerCount
{
    Count matrices = 0;
    Count rest = 0;
    Count total() const { return matrices + rest; }
    LayerCount &operator+=(const LayerCount &o)
    {
        matrices += o.matrices;
        rest += o.rest;
        return *this;
    }
};

Count normOf(const ModelShape &s)
{
    return Count(s.hidden) * (s.normBias ? 2 : 1);
}

LayerCount attentionOf(const ModelShape &s)
{
    const Count hidden = s.hidden, heads = s.heads;
    LayerCount c;
    if (s.latent) {
        const LatentAttention &l = *s.latent;
        const Count queryWidth = heads * (Count(l.nopeDim) + l.ropeDim);
        if (l.queryRank > 0) {
            c.matrices += hidden * l.queryRank + l.queryRank * queryWidth;
            c.rest += l.queryRank; // its norm
            if (s.qkvBias)
                c.rest += l.queryRank;
        } else {
            c.matrices += hidden * queryWidth;
        }
        c.matrices += hidden * (Count(l.keyValueRank) + l.ropeDim);
        c.matrices += l.keyValueRank * heads * (Count(l.nopeDim) + l.valueDim);
        c.rest += l.keyValueRank;
        if (s.qkvBias)
            c.rest += Count(l.keyValueRank) + l.ropeDim;
        c.matrices += heads * l.valueDim * hidden;
    } else {
        const Count qkvWidth = (heads + 2 * Count(s.kvHeads)) * s.headDim;
        c.matrices += hidden * qkvWidth + heads * s.headDim * hidden;
        if (s.qkvBias)
            c.rest += qkvWidth;
        if (s.queryKeyNorm)
            c.rest += 2 * Count(s.headDim);
    }
    if (s.outputBias)
        c.rest += hidden;
    c.matrices += s.extraParametersPerLayer;
    c.rest += s.normsPerLayer * normOf(s);
    return c;
}

LayerCount mlpOf(const ModelShape &s, Count width, bool bias)
{
    LayerCount c;
    const Count ups = s.gatedMlp ? 2 : 1;
    c.matrices = (ups + 1) * s.hidden * width;
    if (bias)
        c.rest = ups * width + s.hidden;
    return c;
}

LayerCount denseLayer(const ModelShape &s)
{
    LayerCount c = attentionOf(s);
    c += mlpOf(s, s.ffn, s.mlpBias);
    return c;
}

/// With `routed` of the experts counted.
LayerCount expertLayer(const ModelShape &s, Count routed)
{
    LayerCount c = attentionOf(s);
    c.matrices += Count(s.hidden) * s.experts; // router
    if (s.routerBias)
        c.rest += s.experts;
    const LayerCount one = mlpOf(s, s.expertFfn, false);
    c.matrices += one.matrices * (routed + s.sharedExperts);
    return c;
}

Count denseLayers(const ModelShape &s)
{
    return s.experts > 0 ? std::min(s.firstDenseLayers, s.layers) : s.layers;
}

} // namespace

Result<ModelShape> checkShape(ModelShape s)
{
    if (s.kvHeads == 0)
        s.kvHeads = s.heads;
    if (s.headDim == 0 && s.heads > 0 && s.hidden % s.heads == 0)
        s.headDim = s.hidden / s.heads;

    // The upper ends keep every product below 2^63; they are far beyond any model.
    constexpr int million = 1 << 20;
    const bool denseMlp = s.experts == 0 || s.firstDenseLayers > 0;
    const Field fields[] = {
        {"num_hidden_layers", s.layers, 1, 16384},
        {"hidden_size", s.hidden, 1, million},
        {"num_attention_heads", s.heads, 1, 65536},
        {"num_key_value_heads", s.kvHeads, 1, 65536},
        {"head_dim", s.headDim, s.latent ? 0 : 1, 65536},
        {"intermediate_size", s.ffn, denseMlp ? 1 : 0, 1 << 24},
        {"vocab_size", s.vocab, 1, 1 << 28},
        {"max_position_embeddings", s.maxPositions, s.position == PositionKind::Learned ? 1 : 0, 1 << 28},
        {"embedding_size", s.embeddingWidth, 0, million},
        {"norms_per_layer", s.normsPerLayer, 0, 4},
        {"num_experts", s.experts, 0, 65536},
        {"num_experts_per_tok", s.topK, s.experts > 0 ? 1 : 0, 65536},
        {"moe_intermediate_size", s.expertFfn, s.experts > 0 ? 1 : 0, 1 << 24},
        {"n_shared_experts", s.sharedExperts, 0, 65536},
        {"first_k_dense_replace", s.firstDenseLayers, 0, 16384},
        {"sequence_length", s.defaultSequence, 1, 1 << 28},
    };
    for (const Field &f : fields)
        if (f.value < f.least || f.value > f.most)
            return inputError(std::string("/") + f.name, std::to_string(f.value),
                              "a whole number from " + std::to_string(f.least) + " to " + std::to_string(f.most),
                              "A model needs this size.");
    if (!s.latent && s.heads % s.kvHeads != 0)
        return inputError("/num_key_value_heads", std::to_string(s.kvHeads),
                          "a divisor of num_attention_heads (" + std::to_string(s.heads) + ")",
                          "Grouped-query attention gives each key/value head the same number of query heads.");
    if (s.topK > s.experts)
        return inputError("/num_experts_per_tok", std::to_string(s.topK),
                          "at most num_experts (" + std::to_string(s.experts) + ")",
                          "A token cannot visit more experts than there are.");
    if (s.extraParametersPerLayer < 0 || s.extraParametersPerLayer > (Count(1) << 40))
        return inputError("/extra_parameters_per_layer", std::to_string(s.extraParametersPerLayer),
                          "a whole number from 0 to 2^40", "");
    if (s.latent) {
        const LatentAttention &l = *s.latent;
        const Field ranks[] = {{"q_lora_rank", l.queryRank, 0, million},
                               {"kv_lora_rank", l.keyValueRank, 1, million},
                               {"qk_nope_head_dim", l.nopeDim, 0, 65536},
                               {"qk_rope_head_dim", l.ropeDim, 0, 65536},
                               {"v_head_dim", l.valueDim, 1, 65536}};
        for (const Field &f : ranks)
            if (f.value < f.least || f.value > f.most)
                return inputError(std::string("/") + f.name, std::to_string(f.value),
                                  "a whole number from " + std::to_string(f.least) + " to " + std::to_string(f.most),
                                  "Latent attention needs this size.");
        if (l.nopeDim + l.ropeDim < 1)
            return inputError("/qk_nope_head_dim", "0", "qk_nope_head_dim + qk_rope_head_dim >= 1",
                              "Queries and keys need a width.");
    }
    return s;
}

ParameterCount countParameters(const ModelShape &s)
{
    ParameterCount p;
    const Count width = s.tokenWidth();
    p.embedding = Count(s.vocab) * width;
    if (s.position == PositionKind::Learned)
        p.embedding += Count(s.maxPositions) * s.hidden;
    if (width != s.hidden)
        p.embedding += 2 * width * s.hidden; // projections in and out
    if (s.embeddingNorm)
        p.embedding += normOf(s);
    if (s.hasHead) {
        if (!s.tiedEmbeddings)
            p.head += Count(s.vocab) * width;
        if (s.headBias)
            p.head += s.vocab;
    }
    if (s.finalNorm)
        p.finalNorm = normOf(s);

    const Count dense = denseLayers(s), expert = s.layers - dense;
    p.denseLayer = s.ffn > 0 ? denseLayer(s).total() : 0;
    p.expertLayer = s.experts > 0 ? expertLayer(s, s.experts).total() : 0;
    const Count outside = p.embedding + p.head + p.finalNorm;
    p.total = outside + dense * p.denseLayer + expert * p.expertLayer;
    p.active = outside + dense * p.denseLayer + (expert > 0 ? expert * expertLayer(s, s.topK).total() : 0);
    return p;
}

std::int64_t activeMatmulParameters(const ModelShape &s)
{
    const Count dense = denseLayers(s), expert = s.layers - dense, width = s.tokenWidth();
    Count n = dense > 0 ? dense * denseLayer(s).matrices : 0;
    if (expert > 0)
        n += expert * expertLayer(s, s.topK).matrices;
    if (s.hasHead)
        n += Count(s.vocab) * width;
    if (width != s.hidden)
        n += (s.hasHead ? 2 : 1) * width * s.hidden;
    return n;
}

} // namespace polyrail
