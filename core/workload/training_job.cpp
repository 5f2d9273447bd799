// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/training_job.hpp"

namespace polyrail {

namespace {

/// FNV-1a, 64 bits, over named fields: the name keeps two fields of equal value from trading places unseen.
class Digest
{
public:
    void add(const char *name, std::int64_t value)
    {
        text(name);
        text("=");
        text(std::to_string(value).c_str());
        text(";");
    }
    std::string hex() const
    {
        std::string out(16, '0');
        std::uint64_t v = m_state;
        for (std::size_t i = 16; i-- > 0; v >>= 4)
            out[i] = "0123456789abcdef"[v & 15];
        return out;
    }

private:
    void text(const char *p)
    {
        for (; *p; ++p) {
            m_state ^= static_cast<unsigned char>(*p);
            m_state *= 0x100000001b3ull;
        }
    }
    std::uint64_t m_state = 0xcbf29ce484222325ull;
};

} // namespace

const char *toString(Sharding s)
{
    switch (s) {
    case Sharding::None: return "none";
    case Sharding::Zero1: return "zero1";
    case Sharding::Zero2: return "zero2";
    case Sharding::Zero3: return "zero3";
    }
    return "none";
}

const char *toString(Recompute r)
{
    switch (r) {
    case Recompute::None: return "none";
    case Recompute::Selective: return "selective";
    case Recompute::Full: return "full";
    }
    return "none";
}

std::string TrainingJob::digest() const
{
    // Names, sources, warnings and the suggested sequence do not change a plan and stay out.
    const ModelShape &m = model;
    Digest d;
    d.add("layers", m.layers);
    d.add("hidden", m.hidden);
    d.add("heads", m.heads);
    d.add("kv_heads", m.kvHeads);
    d.add("head_dim", m.headDim);
    d.add("ffn", m.ffn);
    d.add("gated", m.gatedMlp);
    d.add("vocab", m.vocab);
    d.add("positions", m.maxPositions);
    d.add("tied", m.tiedEmbeddings);
    d.add("qkv_bias", m.qkvBias);
    d.add("output_bias", m.outputBias);
    d.add("mlp_bias", m.mlpBias);
    d.add("head_bias", m.headBias);
    d.add("head", m.hasHead);
    d.add("parallel_residual", m.parallelResidual);
    d.add("norms", m.normsPerLayer);
    d.add("norm_bias", m.normBias);
    d.add("qk_norm", m.queryKeyNorm);
    d.add("final_norm", m.finalNorm);
    d.add("embedding_norm", m.embeddingNorm);
    d.add("embedding_width", m.tokenWidth());
    d.add("dropout", m.dropout);
    d.add("norm_kind", static_cast<int>(m.norm));
    d.add("position_kind", static_cast<int>(m.position));
    d.add("experts", m.experts);
    d.add("top_k", m.topK);
    d.add("expert_ffn", m.expertFfn);
    d.add("shared_experts", m.sharedExperts);
    d.add("router_bias", m.routerBias);
    d.add("first_dense", m.firstDenseLayers);
    d.add("latent", m.latent.has_value());
    if (m.latent) {
        d.add("q_rank", m.latent->queryRank);
        d.add("kv_rank", m.latent->keyValueRank);
        d.add("nope", m.latent->nopeDim);
        d.add("rope", m.latent->ropeDim);
        d.add("value", m.latent->valueDim);
    }
    d.add("extra", m.extraParametersPerLayer);
    d.add("global_batch", globalBatch);
    d.add("max_micro_batch", maxMicroBatch);
    d.add("sequence", sequence);
    d.add("precision", static_cast<int>(precision));
    d.add("flash", flashAttention);
    d.add("sequence_parallel", sequenceParallel);
    d.add("sharding", static_cast<int>(sharding));
    return d.hex();
}

StateBytes stateBytes(Precision p)
{
    if (p == Precision::Fp32 || p == Precision::Tf32)
        return {4, 4, 8};
    return {2, 4, 12};
}

double activationBytes(Precision p)
{
    return p == Precision::Fp32 || p == Precision::Tf32 ? 4 : 2;
}

} // namespace polyrail
