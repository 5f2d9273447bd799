// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/base/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace polyrail {

enum class NormKind { LayerNorm, RmsNorm };
enum class PositionKind { Rotary, Learned, None };

/// Multi-head latent attention (DeepSeek): ranks and widths replace kv heads.
struct LatentAttention
{
    int queryRank = 0; ///< 0: the query is not compressed
    int keyValueRank = 0;
    int nopeDim = 0;   ///< head width without position
    int ropeDim = 0;
    int valueDim = 0;
    bool operator==(const LatentAttention &) const = default;
};

/// A language model's architecture, in the field's own terms. Zero experts: dense.
struct ModelShape
{
    std::string name;
    int layers = 0;
    int hidden = 0;
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int ffn = 0;               ///< inner width of the dense MLP
    bool gatedMlp = true;      ///< three matrices (SwiGLU) instead of two
    int vocab = 0;
    int maxPositions = 0;      ///< rows of a learned position table; 0 when rotary
    bool tiedEmbeddings = false;
    bool qkvBias = false;
    bool outputBias = false;   ///< bias of the attention output projection
    bool mlpBias = false;
    bool headBias = false;     ///< bias of the output layer
    bool hasHead = true;       ///< false: no output layer at all
    bool parallelResidual = false; ///< attention and MLP share one norm
    int normsPerLayer = 2;
    bool normBias = false;     ///< LayerNorm has a bias, RMSNorm has none
    bool queryKeyNorm = false; ///< per-head norms on q and k (qwen3, gemma3)
    bool finalNorm = true;     ///< a norm before the output layer
    bool embeddingNorm = false; ///< a norm right after the embedding (BLOOM)
    int embeddingWidth = 0;    ///< width of the token table when it is not `hidden` (OPT-350m); 0 = hidden
    bool dropout = false;      ///< trained with dropout: its masks are kept for the backward pass
    NormKind norm = NormKind::RmsNorm;
    PositionKind position = PositionKind::Rotary;
    int experts = 0;           ///< routed experts
    int topK = 0;
    int expertFfn = 0;         ///< inner width of one expert
    int sharedExperts = 0;     ///< always-on experts of the same width
    bool routerBias = false;   ///< one correction per expert in the router (DeepSeek-V3)
    int firstDenseLayers = 0;  ///< layers before the first expert layer
    std::optional<LatentAttention> latent;
    std::int64_t extraParametersPerLayer = 0; ///< e.g. DeepSeek's sparse-attention indexer
    int defaultSequence = 4096;
    std::string source;
    std::vector<std::string> warnings; ///< what the importer assumed

    int tokenWidth() const { return embeddingWidth > 0 ? embeddingWidth : hidden; }
    bool isExpertLayer(int layer) const { return experts > 0 && layer >= firstDenseLayers; }
    bool operator==(const ModelShape &) const = default;
};

/// Checks that the figures describe a model (positive sizes, heads a multiple of kv heads, top_k <= experts) and
/// fills in what follows from others: kv heads = heads, head width = hidden / heads. `where` of an error is the
/// field's JSON name, such as "/num_attention_heads".
Result<ModelShape> checkShape(ModelShape shape);

struct ParameterCount
{
    std::int64_t embedding = 0;   ///< token (and learned position) tables
    std::int64_t head = 0;        ///< output layer; 0 when tied
    std::int64_t denseLayer = 0;  ///< one layer with a dense MLP
    std::int64_t expertLayer = 0; ///< one layer with experts (0 for dense models)
    std::int64_t finalNorm = 0;
    std::int64_t total = 0;
    std::int64_t active = 0;      ///< touched by one token; both embedding matrices are counted
    std::int64_t ofLayer(const ModelShape &shape, int layer) const
    {
        return shape.isExpertLayer(layer) ? expertLayer : denseLayer;
    }
};
/// Exact for a checked shape: weights, biases, norms and tables as the published checkpoints store them. Thread-safe.
ParameterCount countParameters(const ModelShape &shape);
/// Weights that multiply activations (no biases, norms, tables) touched by one token; the output layer counts,
/// tied or not. The "active matmul parameters" of the usual 6ND estimate.
std::int64_t activeMatmulParameters(const ModelShape &shape);

} // namespace polyrail
