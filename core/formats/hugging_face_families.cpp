// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hugging_face_families.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace polyrail {

namespace {

using Keys = ConfigReader;

constexpr NormKind rms = NormKind::RmsNorm;
constexpr NormKind layerNorm = NormKind::LayerNorm;
constexpr PositionKind rotary = PositionKind::Rotary;
constexpr PositionKind learned = PositionKind::Learned;
constexpr PositionKind alibi = PositionKind::None; // a bias on scores, without weights

void attentionBias(ConfigImport &in)
{
    if (const auto bias = in.keys.boolean({"attention_bias", "qkv_bias"}))
        in.shape.qkvBias = in.shape.outputBias = *bias;
}

void llama(ConfigImport &in)
{
    attentionBias(in);
    in.shape.mlpBias = in.keys.booleanOr({"mlp_bias"}, false);
}

/// `bias` or `use_bias` stands for every linear layer.
void oneBias(ConfigImport &in)
{
    if (const auto bias = in.keys.boolean({"use_bias", "bias"}))
        in.shape.qkvBias = in.shape.outputBias = in.shape.mlpBias = *bias;
}

void internlm(ConfigImport &in)
{
    const bool bias = in.keys.booleanOr({"bias", "attention_bias"}, false);
    in.shape.qkvBias = in.shape.outputBias = bias;
}

/// Expert layers everywhere, the width of one expert under intermediate_size.
void localExperts(ConfigImport &in)
{
    in.shape.experts = in.keys.integerOr({"num_local_experts"}, 8);
    in.shape.topK = in.keys.integerOr({"num_experts_per_tok"}, 2);
    in.shape.expertFfn = in.shape.ffn;
}

void phimoe(ConfigImport &in)
{
    localExperts(in);
    attentionBias(in);
    in.shape.headBias = in.keys.booleanOr({"lm_head_bias"}, false);
}

/// Layers before the first expert layer, from a step and a list of exceptions. Only a leading run can be described.
void denseLayersOf(ConfigImport &in, Keys::Names step, Keys::Names denseList)
{
    std::string which;
    if (in.keys.find(step, &which); !which.empty() && in.keys.integerOr(step, 1) != 1)
        in.keys.fail({ErrorKind::Input, in.keys.at(which), std::to_string(in.keys.integerOr(step, 1)), "1",
                      "Dense and expert layers that take turns are not supported."});
    if (const nlohmann::json *list = in.keys.find(denseList, &which); list && list->is_array()) {
        int next = 0;
        std::vector<int> layers;
        for (const auto &entry : *list)
            layers.push_back(entry.is_number_integer() ? entry.get<int>() : -1);
        std::sort(layers.begin(), layers.end());
        for (const int layer : layers)
            if (layer != next++) {
                in.keys.fail({ErrorKind::Input, in.keys.at(which), describeJson(*list), "the first layers, or none",
                              "Dense layers between expert layers are not supported."});
                return;
            }
        in.shape.firstDenseLayers = next;
    }
}

void qwenExperts(ConfigImport &in)
{
    ModelShape &s = in.shape;
    s.experts = in.keys.integerOr({"num_experts", "n_routed_experts"}, 0);
    s.topK = in.keys.integerOr({"num_experts_per_tok"}, 8);
    s.expertFfn = in.keys.integerOr({"moe_intermediate_size"}, 0);
    if (const int shared = in.keys.integerOr({"shared_expert_intermediate_size"}, 0); shared > 0 && s.expertFfn > 0) {
        s.sharedExperts = (shared + s.expertFfn - 1) / s.expertFfn;
        s.extraParametersPerLayer += s.hidden; // the gate of the shared expert
        if (shared % s.expertFfn != 0)
            in.warn("The shared expert's width " + std::to_string(shared) + " is not a multiple of "
                    + std::to_string(s.expertFfn) + "; it is counted as " + std::to_string(s.sharedExperts)
                    + " experts.");
    }
    denseLayersOf(in, {"decoder_sparse_step"}, {"mlp_only_layers"});
}

void qwen2(ConfigImport &in)
{
    in.warn("The biases of q, k and v are implied by the family, not by a key.");
}

void qwen2Moe(ConfigImport &in)
{
    qwen2(in);
    qwenExperts(in);
}

void qwen3(ConfigImport &in)
{
    attentionBias(in);
    in.shape.queryKeyNorm = true;
}

void qwen3Moe(ConfigImport &in)
{
    qwen3(in);
    qwenExperts(in);
}

void qwen1(ConfigImport &in)
{
    in.shape.ffn /= 2;
    in.warn("intermediate_size of the first Qwen family counts both halves of its gated MLP; the width is half of it: "
            + std::to_string(in.shape.ffn) + ".");
}

void gemma3(ConfigImport &in)
{
    attentionBias(in);
    in.shape.queryKeyNorm = true;
}

void phi2(ConfigImport &in)
{
    in.shape.parallelResidual = true;
    if (in.keys.booleanOr({"qk_layernorm"}, false)) {
        in.shape.queryKeyNorm = true;
        in.shape.extraParametersPerLayer += 2 * std::int64_t(in.shape.headDim); // their biases
    }
}

void phi3Small(ConfigImport &in)
{
    in.warn("Block-sparse attention is counted as full attention.");
}

void gpt2(ConfigImport &in)
{
    if (in.keys.booleanOr({"add_cross_attention"}, false))
        in.keys.fail({ErrorKind::Input, in.keys.at("add_cross_attention"), "true", "false",
                      "Cross-attention to an encoder is not supported."});
}

void bigCode(ConfigImport &in)
{
    if (in.keys.booleanOr({"multi_query"}, true))
        in.shape.kvHeads = 1;
}

void gptNeox(ConfigImport &in)
{
    in.shape.qkvBias = in.shape.outputBias = in.keys.booleanOr({"attention_bias"}, true);
    in.shape.parallelResidual = in.keys.booleanOr({"use_parallel_residual"}, true);
}

void gptJ(ConfigImport &in)
{
    in.shape.parallelResidual = true;
}

void gptNeo(ConfigImport &in)
{
    in.warn("Local attention layers are counted as full attention.");
}

void opt(ConfigImport &in)
{
    ModelShape &s = in.shape;
    s.maxPositions += 2; // the table starts two rows early, for padding
    s.qkvBias = s.outputBias = s.mlpBias = in.keys.booleanOr({"enable_bias"}, true);
    const int width = in.keys.integerOr({"word_embed_proj_dim"}, s.hidden);
    s.embeddingWidth = width == s.hidden ? 0 : width;
    // The post-norm member (350m) has no norm after the last layer.
    s.finalNorm = in.keys.booleanOr({"do_layer_norm_before"}, true)
        && !in.keys.booleanOr({"_remove_final_layer_norm"}, false);
}

void bloom(ConfigImport &in)
{
    in.shape.embeddingNorm = true;
}

void falcon(ConfigImport &in)
{
    ModelShape &s = in.shape;
    const bool newDecoder = in.keys.booleanOr({"new_decoder_architecture"}, false);
    const bool parallel = newDecoder || in.keys.booleanOr({"parallel_attn"}, true);
    if (!newDecoder)
        s.kvHeads = in.keys.booleanOr({"multi_query"}, true) ? 1 : s.heads;
    else if (in.keys.has("multi_query"))
        in.warn("new_decoder_architecture overrides multi_query: there are " + std::to_string(s.kvHeads)
                + " key/value heads.");
    s.parallelResidual = parallel;
    s.normsPerLayer = in.keys.integerOr({"num_ln_in_parallel_attn"}, newDecoder || !parallel ? 2 : 1);
    if (in.keys.booleanOr({"alibi"}, false))
        s.position = PositionKind::None;
    oneBias(in);
}

void mpt(ConfigImport &in)
{
    ModelShape &s = in.shape;
    if (!in.keys.hasAny({"intermediate_size", "ffn_hidden_size"})) {
        const double width = in.keys.number({"expansion_ratio"}).value_or(4) * s.hidden;
        if (width >= 1 && width < 1 << 24)
            s.ffn = static_cast<int>(width);
    }
    const bool bias = !in.keys.booleanOr({"no_bias"}, true);
    s.qkvBias = s.outputBias = s.mlpBias = s.normBias = bias;
    Keys attention = in.keys.child("attn_config");
    if (attention.text({"attn_type"}).value_or("") == "multiquery_attention")
        s.kvHeads = 1;
    else
        s.kvHeads = attention.integerOr({"kv_n_heads"}, s.heads);
    if (!attention.booleanOr({"alibi"}, true) && in.keys.booleanOr({"learned_pos_emb"}, true))
        s.position = PositionKind::Learned;
    in.keys.adopt(attention);
}

void dbrx(ConfigImport &in)
{
    ModelShape &s = in.shape;
    Keys attention = in.keys.child("attn_config"), ffn = in.keys.child("ffn_config");
    s.kvHeads = attention.integerOr({"kv_n_heads"}, s.heads);
    s.ffn = s.expertFfn = ffn.integerOr({"ffn_hidden_size"}, 0);
    s.experts = ffn.integerOr({"moe_num_experts"}, 4);
    s.topK = ffn.integerOr({"moe_top_k"}, 1);
    in.keys.adopt(attention);
    in.keys.adopt(ffn);
}

void chatGlm(ConfigImport &in)
{
    ModelShape &s = in.shape;
    s.kvHeads = in.keys.booleanOr({"multi_query_attention"}, false) ? in.keys.integerOr({"multi_query_group_num"}, 1)
                                                                     : s.heads;
    const bool bias = in.keys.booleanOr({"add_bias_linear"}, false);
    s.qkvBias = bias || in.keys.booleanOr({"add_qkv_bias"}, false);
    s.outputBias = s.mlpBias = bias;
    s.hasHead = true; // its architecture is called ChatGLMModel and has an output layer all the same
    if (!in.keys.booleanOr({"rmsnorm"}, true)) {
        s.norm = NormKind::LayerNorm;
        s.normBias = true;
    }
}

void deepseek(ConfigImport &in)
{
    ModelShape &s = in.shape;
    attentionBias(in);
    if (in.keys.has("kv_lora_rank") && in.keys.booleanOr({"use_mla"}, true)) {
        LatentAttention l;
        l.queryRank = in.keys.integerOr({"q_lora_rank"}, 0);
        l.keyValueRank = in.keys.integerOr({"kv_lora_rank"}, 0);
        l.nopeDim = in.keys.integerOr({"qk_nope_head_dim"}, 128);
        l.ropeDim = in.keys.integerOr({"qk_rope_head_dim"}, 64);
        l.valueDim = in.keys.integerOr({"v_head_dim"}, 128);
        s.latent = l;
        s.kvHeads = s.heads;
        s.headDim = l.nopeDim + l.ropeDim;
        in.warn("Latent attention: num_key_value_heads has no meaning and is not used.");
    }
    if (in.keys.has("n_routed_experts")) {
        s.experts = in.keys.integerOr({"n_routed_experts"}, 0);
        s.topK = in.keys.integerOr({"num_experts_per_tok"}, 0);
        s.expertFfn = in.keys.integerOr({"moe_intermediate_size"}, 0);
        s.sharedExperts = in.keys.integerOr({"n_shared_experts"}, 0);
        s.routerBias = in.keys.text({"topk_method"}).value_or("") == "noaux_tc";
        denseLayersOf(in, {"moe_layer_freq"}, {});
        s.firstDenseLayers = in.keys.integerOr({"first_k_dense_replace"}, 0);
    }
    if (in.keys.has("index_n_heads") && s.latent) {
        const std::int64_t heads = in.keys.integerOr({"index_n_heads"}, 0);
        const std::int64_t width = in.keys.integerOr({"index_head_dim"}, 0);
        // Queries from the compressed query, one shared key with its norm, one weight per head.
        s.extraParametersPerLayer +=
            s.latent->queryRank * heads * width + s.hidden * width + 2 * width + s.hidden * heads;
        in.warn("The sparse-attention indexer is counted in the parameters; attention itself is counted over the whole "
                "sequence.");
    }
}

void glm4Moe(ConfigImport &in)
{
    ModelShape &s = in.shape;
    s.qkvBias = in.keys.booleanOr({"attention_bias"}, false);
    s.queryKeyNorm = in.keys.booleanOr({"use_qk_norm"}, false);
    s.experts = in.keys.integerOr({"n_routed_experts"}, 0);
    s.topK = in.keys.integerOr({"num_experts_per_tok"}, 8);
    s.expertFfn = in.keys.integerOr({"moe_intermediate_size"}, 0);
    s.sharedExperts = in.keys.integerOr({"n_shared_experts"}, 0);
    s.firstDenseLayers = in.keys.integerOr({"first_k_dense_replace"}, 0);
    s.routerBias = true;
}

void llama4(ConfigImport &in)
{
    ModelShape &s = in.shape;
    attentionBias(in);
    localExperts(in);
    s.topK = in.keys.integerOr({"num_experts_per_tok"}, 1);
    s.sharedExperts = 1;
    s.ffn = in.keys.integerOr({"intermediate_size_mlp"}, s.ffn);
    denseLayersOf(in, {"interleave_moe_layer_step"}, {});
}

void starcoder2(ConfigImport &in)
{
    in.shape.qkvBias = in.shape.outputBias = in.shape.mlpBias = in.keys.booleanOr({"use_bias"}, true);
}

void stableLm(ConfigImport &in)
{
    in.shape.qkvBias = in.keys.booleanOr({"use_qkv_bias"}, false);
    in.shape.parallelResidual = in.keys.booleanOr({"use_parallel_residual"}, false);
    if (in.shape.parallelResidual)
        in.shape.normsPerLayer = 1;
}

void cohere(ConfigImport &in)
{
    attentionBias(in);
    in.shape.parallelResidual = true;
    if (in.keys.booleanOr({"use_qk_norm"}, false)) {
        in.shape.queryKeyNorm = true; // one weight per head and channel
        in.shape.extraParametersPerLayer +=
            std::int64_t(in.shape.headDim) * (in.shape.heads + in.shape.kvHeads - 2);
    }
}

void olmo2(ConfigImport &in)
{
    attentionBias(in);
    in.shape.queryKeyNorm = true; // over the whole width
    in.shape.extraParametersPerLayer += std::int64_t(in.shape.headDim) * (in.shape.heads + in.shape.kvHeads - 2);
}

void gptOss(ConfigImport &in)
{
    ModelShape &s = in.shape;
    localExperts(in);
    s.qkvBias = s.outputBias = in.keys.booleanOr({"attention_bias"}, true);
    s.routerBias = true;
    in.warn("The biases of the experts and the attention sinks (about 0.1 % of the parameters) are not counted.");
}

// The sizes are the defaults of the configuration classes in huggingface/transformers; a multimodal config leaves those
// keys of its text_config out that equal them.
constexpr FamilyDefaults llamaSizes{32, 4096, 32, 0, 0, 11008, 32000, 2048};
constexpr FamilyDefaults mistralSizes{32, 4096, 32, 8, 0, 14336, 32000, 4096 * 32};
constexpr FamilyDefaults qwen2Sizes{32, 4096, 32, 32, 0, 22016, 151936, 32768};
constexpr FamilyDefaults gemmaSizes{28, 3072, 16, 16, 256, 24576, 256000, 8192};
constexpr FamilyDefaults gemma2Sizes{26, 2304, 8, 4, 256, 9216, 256000, 8192};
constexpr FamilyDefaults gemma3Sizes{26, 2304, 8, 4, 256, 9216, 262208, 131072};
constexpr FamilyDefaults phi3Sizes{32, 3072, 32, 0, 0, 8192, 32064, 4096};
constexpr FamilyDefaults llama4Sizes{48, 5120, 40, 8, 128, 8192, 202048, 4096 * 32};

constexpr ModelFamily families[] = {
    // type, tied, gated, norm, its bias, positions, biases, norms per layer, defaults, details
    {"llama", false, true, rms, false, rotary, "", 2, llamaSizes, llama},
    {"mistral", false, true, rms, false, rotary, "", 2, mistralSizes, nullptr},
    {"mixtral", false, true, rms, false, rotary, "", 2, mistralSizes, localExperts},
    {"llama4", false, true, rms, false, rotary, "", 2, llama4Sizes, llama4},
    {"qwen", false, true, rms, false, rotary, "q", 2, {}, qwen1},
    {"qwen2", false, true, rms, false, rotary, "q", 2, qwen2Sizes, qwen2},
    {"qwen2_moe", false, true, rms, false, rotary, "q", 2, {}, qwen2Moe},
    {"qwen3", false, true, rms, false, rotary, "", 2, {}, qwen3},
    {"qwen3_moe", false, true, rms, false, rotary, "", 2, {}, qwen3Moe},
    {"gemma", true, true, rms, false, rotary, "", 2, gemmaSizes, attentionBias},
    {"gemma2", true, true, rms, false, rotary, "", 4, gemma2Sizes, attentionBias},
    {"gemma3", true, true, rms, false, rotary, "", 4, gemma3Sizes, gemma3},
    {"phi", false, false, layerNorm, true, rotary, "qomh", 1, {}, phi2},
    {"phi3", false, true, rms, false, rotary, "", 2, phi3Sizes, nullptr},
    {"phi3small", true, true, layerNorm, true, rotary, "qom", 2, {}, phi3Small},
    {"phimoe", false, true, layerNorm, true, rotary, "", 2, {}, phimoe},
    {"gpt2", true, false, layerNorm, true, learned, "qom", 2, {}, gpt2},
    {"gpt_bigcode", true, false, layerNorm, true, learned, "qom", 2, {}, bigCode},
    {"gpt_neo", true, false, layerNorm, true, learned, "om", 2, {}, gptNeo},
    {"gptj", false, false, layerNorm, true, rotary, "mh", 1, {}, gptJ},
    {"gpt_neox", false, false, layerNorm, true, rotary, "qom", 2, {}, gptNeox},
    {"gpt_oss", false, true, rms, false, rotary, "qo", 2, {}, gptOss},
    {"opt", true, false, layerNorm, true, learned, "qom", 2, {}, opt},
    {"bloom", true, false, layerNorm, true, alibi, "qom", 2, {}, bloom},
    {"falcon", true, false, layerNorm, true, rotary, "", 2, {}, falcon},
    {"mpt", true, false, layerNorm, false, alibi, "", 2, {}, mpt},
    {"dbrx", false, true, layerNorm, false, rotary, "", 2, {}, dbrx},
    {"chatglm", false, true, rms, false, rotary, "", 2, {}, chatGlm},
    {"glm4_moe", false, true, rms, false, rotary, "", 2, {}, glm4Moe},
    {"deepseek", false, true, rms, false, rotary, "", 2, {}, deepseek},
    {"baichuan", false, true, rms, false, rotary, "", 2, {}, nullptr},
    {"internlm", false, true, rms, false, rotary, "", 2, {}, internlm},
    {"starcoder2", true, false, layerNorm, true, rotary, "", 2, {}, starcoder2},
    {"stablelm", false, true, layerNorm, true, rotary, "", 2, {}, stableLm},
    {"cohere", true, true, layerNorm, false, rotary, "", 1, {}, cohere},
    {"olmo", false, true, layerNorm, false, rotary, "", 0, {}, attentionBias},
    {"olmo2", false, true, rms, false, rotary, "", 2, {}, olmo2},
    {"granite", true, true, rms, false, rotary, "", 2, {}, llama},
};

/// Other spellings, those of multimodal models' text parts among them.
constexpr std::pair<std::string_view, std::string_view> spellings[] = {
    {"yi", "llama"},          {"Yi", "llama"},           {"aquila", "llama"},      {"seed_oss", "llama"},
    {"internlm2", "internlm"}, {"internlm3", "internlm"}, {"qwen2_vl", "qwen2"},   {"qwen2_5_vl", "qwen2"},
    {"qwen3_vl", "qwen3"},    {"qwen3_vl_moe", "qwen3_moe"}, {"ministral", "mistral"}, {"pixtral", "mistral"},
    {"deepseek_v2", "deepseek"}, {"deepseek_v3", "deepseek"}, {"deepseek_v32", "deepseek"},
    {"kimi_k2", "deepseek"},  {"RefinedWeb", "falcon"},  {"RefinedWebModel", "falcon"}, {"olmo3", "olmo2"},
};

} // namespace

const ModelFamily *findFamily(std::string_view type)
{
    constexpr std::string_view textPart = "_text";
    if (type.size() > textPart.size() && type.substr(type.size() - textPart.size()) == textPart)
        type.remove_suffix(textPart.size());
    for (const auto &spelling : spellings)
        if (spelling.first == type)
            type = spelling.second;
    for (const ModelFamily &family : families)
        if (family.type == type)
            return &family;
    return nullptr;
}

std::string knownFamilies()
{
    std::string names;
    for (const ModelFamily &family : families)
        names += (names.empty() ? "" : ", ") + std::string(family.type);
    return names;
}

} // namespace polyrail
