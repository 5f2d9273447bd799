// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hugging_face_families.hpp"
#include "core/formats/importers.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

using nlohmann::json;

constexpr int usualSequence = 4096;
constexpr const char *nestedNames[] = {"text_config", "language_config", "llm_config"};
constexpr const char *layerNames[] = {"num_hidden_layers", "n_layer", "n_layers", "num_layers"};

bool hasLayers(const json &object)
{
    return std::any_of(std::begin(layerNames), std::end(layerNames),
                       [&](const char *name) { return object.contains(name); });
}

bool endsWith(const std::string &text, std::string_view end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Models that are no uniform decoder: says which key shows it.
std::optional<Error> refusal(const ConfigReader &keys, const std::string &type)
{
    const auto refuse = [&](const char *key, std::string found, const char *expected, const char *remedy) {
        return Error{ErrorKind::Input, keys.at(key), std::move(found), expected, remedy};
    };
    constexpr const char *uniform = "layers of attention and MLP (or experts) that are all alike";
    constexpr const char *notSupported = "Such a model is not supported: importing it as a plain transformer would "
                                         "give wrong parameters and times.";
    if (const json *pattern = keys.find({"hybrid_override_pattern"}); pattern && pattern->is_string()) {
        const auto &text = pattern->get_ref<const std::string &>();
        const auto count = [&](char c) { return std::to_string(std::count(text.begin(), text.end(), c)); };
        return refuse("hybrid_override_pattern",
                      "a hybrid of " + std::to_string(text.size()) + " mixed layers (" + count('M') + " Mamba, "
                          + count('*') + " attention, " + count('-') + " MLP)",
                      uniform, notSupported);
    }
    for (const char *key : {"layers_block_type", "layer_types", "block_types"}) {
        const json *list = keys.find({key});
        if (!list || !list->is_array())
            continue;
        for (std::size_t i = 0; i < list->size(); ++i) {
            const json &entry = (*list)[i];
            if (!entry.is_string())
                continue;
            const auto &kind = entry.get_ref<const std::string &>();
            if (kind.find("attention") == std::string::npos || kind.find("linear") != std::string::npos)
                return Error{ErrorKind::Input, keys.at(key) + "/" + std::to_string(i), "a layer of type \"" + kind + "\"",
                             uniform, notSupported};
        }
    }
    for (const char *key : {"mamba_num_heads", "mamba_d_state", "ssm_state_size", "ssm_cfg", "state_size",
                            "linear_num_key_heads", "attn_layer_period", "rwkv_version", "mamba_config"})
        if (keys.has(key))
            return refuse(key, describeJson(*keys.find({key})) + ", which belongs to state-space or linear-attention "
                                                                 "layers", uniform, notSupported);
    for (const char *key : {"block_configs", "num_query_heads", "cross_attention_layers"})
        if (const json *value = keys.find({key}); value && value->is_array())
            return refuse(key, describeJson(*value) + ", layer by layer", uniform, notSupported);
    if (const json *value = keys.find({"is_encoder_decoder"}); value && *value == true)
        return refuse("is_encoder_decoder", "true", "a decoder-only language model",
                      "Encoder-decoder models are not supported.");
    static const char *const encoders[] = {"bert", "roberta", "xlm-roberta", "distilbert", "albert", "electra",
                                           "deberta", "deberta-v2", "mpnet", "modernbert", "vit", "clip", "siglip",
                                           "t5", "mt5", "bart", "mbart", "pegasus", "whisper", "wav2vec2"};
    for (const char *encoder : encoders)
        if (type == encoder)
            return refuse("model_type", "\"" + type + "\"", "a decoder-only language model",
                          "Encoders and encoder-decoder models are not supported.");
    if (type == "gemma3n" || type == "gemma3n_text")
        return refuse("model_type", "\"" + type + "\", whose layers have embeddings of their own", uniform,
                      notSupported);
    return std::nullopt;
}

/// Meta's own params.json (dim, n_layers, n_heads): the width of the MLP follows from the hidden size.
Result<ModelShape> importMetaParams(const json &object, ModelShape shape)
{
    ConfigReader keys(object, "");
    shape.layers = keys.integerOr({"n_layers"}, 0);
    shape.hidden = keys.integerOr({"dim"}, 0);
    shape.heads = keys.integerOr({"n_heads"}, 0);
    shape.kvHeads = keys.integerOr({"n_kv_heads"}, shape.heads);
    shape.headDim = keys.integerOr({"head_dim"}, 0);
    const int multiple = std::max(1, keys.integerOr({"multiple_of"}, 256));
    const double factor = keys.number({"ffn_dim_multiplier"}).value_or(1);
    if (const auto given = keys.integer({"hidden_dim", "intermediate_size"})) {
        shape.ffn = *given;
    } else if (shape.hidden > 0 && shape.hidden < 1 << 24 && factor > 0 && factor < 64) {
        const auto twoThirds = std::int64_t(2) * 4 * shape.hidden / 3;
        const auto width = static_cast<std::int64_t>(factor * static_cast<double>(twoThirds));
        shape.ffn = static_cast<int>((width + multiple - 1) / multiple * multiple);
        shape.warnings.push_back("The MLP's width " + std::to_string(shape.ffn)
                                 + " follows from dim, multiple_of and ffn_dim_multiplier.");
    }
    shape.vocab = keys.integerOr({"vocab_size"}, -1);
    if (shape.vocab <= 0) {
        shape.vocab = 32000;
        shape.warnings.push_back("vocab_size is left to the tokenizer; 32000, that of Llama 1 and 2, is assumed.");
    }
    if (keys.hasAny({"moe", "num_experts"}))
        keys.fail({ErrorKind::Input, "/moe", "experts in a params.json", "a dense model",
                   "Import the model's config.json instead."});
    shape.defaultSequence = usualSequence;
    if (keys.error())
        return fail(*keys.error());
    return checkShape(std::move(shape));
}

/// A size that people must give, or that a nested config may leave to its family.
int size(ConfigImport &in, ConfigReader::Names names, int familyDefault)
{
    if (const auto value = in.keys.integer(names))
        return *value;
    const char *key = *names.begin();
    if (in.nested && familyDefault > 0) {
        in.warn(std::string(key) + " is absent; " + std::to_string(familyDefault) + ", the default of the family, is "
                "assumed.");
        return familyDefault;
    }
    std::string alternatives;
    for (const char *name : names)
        alternatives += (alternatives.empty() ? "" : " or ") + std::string(name);
    in.keys.fail({ErrorKind::Input, in.keys.at(key), "nothing", "a whole number under " + alternatives,
                  "Without it this is not the description of a language model."});
    return 0;
}

void readSizes(ConfigImport &in, const ModelFamily &family)
{
    ModelShape &s = in.shape;
    ConfigReader &keys = in.keys;
    const FamilyDefaults &d = family.defaults;
    s.layers = size(in, {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, d.layers);
    s.hidden = size(in, {"hidden_size", "n_embd", "d_model", "n_embed"}, d.hidden);
    s.heads = size(in, {"num_attention_heads", "n_head", "n_heads", "num_heads"}, d.heads);

    // Absent means the family's default, null means one key/value head per head.
    if (const auto kv = keys.integer({"num_key_value_heads", "num_kv_heads", "n_head_kv"}))
        s.kvHeads = *kv;
    else
        s.kvHeads = d.kvHeads > 0 && in.nested ? d.kvHeads : s.heads;
    if (const auto width = keys.integer({"head_dim", "kv_channels", "attention_head_dim"}))
        s.headDim = *width;
    else if (d.headDim > 0)
        s.headDim = d.headDim;
    else if (s.heads > 0 && s.hidden % s.heads == 0)
        s.headDim = s.hidden / s.heads;
    else if (s.heads > 0)
        keys.fail({ErrorKind::Input, keys.at("head_dim"), "nothing",
                   "a width, because hidden size " + std::to_string(s.hidden) + " is not a multiple of "
                       + std::to_string(s.heads) + " heads", ""});

    if (const auto ffn = keys.integer({"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size",
                                       "ff_intermediate_size"}))
        s.ffn = *ffn;
    else if (in.nested && d.ffn > 0)
        s.ffn = size(in, {"intermediate_size"}, d.ffn);
    else if (!family.gated)
        s.ffn = s.hidden < 1 << 24 ? 4 * s.hidden : 0;

    if (const auto vocab = keys.integer({"vocab_size", "padded_vocab_size"}))
        s.vocab = *vocab;
    else if (d.vocab > 0) {
        s.vocab = d.vocab;
        in.warn("vocab_size is absent; " + std::to_string(d.vocab) + ", the default of the family, is assumed.");
    } else
        size(in, {"vocab_size", "padded_vocab_size"}, 0); // reports it

    int positions = keys.integerOr({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx"},
                                   d.positions);
    s.defaultSequence = positions > 0 ? std::min(positions, usualSequence) : usualSequence;
    s.maxPositions = positions;
}

/// Trained with dropout? Any rate above zero says so; the classic families have one unless told otherwise.
bool usesDropout(ConfigReader &keys, const ModelFamily &family)
{
    bool named = false;
    for (const char *key : {"dropout", "resid_pdrop", "hidden_dropout", "attn_pdrop", "attention_dropout"}) {
        if (const json *value = keys.find({key}); value && value->is_number()) {
            named = true;
            if (value->get<double>() > 0)
                return true;
        }
    }
    return !named && family.position == PositionKind::Learned;
}

void warnAboutIgnored(ConfigImport &in)
{
    if (in.keys.has("quantization_config"))
        in.warn("quantization_config describes the checkpoint, not the training; it is ignored.");
    if (const auto mtp = in.keys.integer({"num_nextn_predict_layers"}); mtp && *mtp > 0)
        in.warn(std::to_string(*mtp) + " layer(s) for multi-token prediction are not counted.");
    const auto window = in.keys.integer({"sliding_window"});
    if (window && *window > 0 && in.keys.booleanOr({"use_sliding_window"}, true) && *window < in.shape.maxPositions)
        in.warn("The sliding window of " + std::to_string(*window)
                + " tokens is not modelled; attention is counted over the whole sequence.");
}

Result<ModelShape> importDecoder(ConfigImport in, const std::string &type, const json &root)
{
    const ModelFamily *family = findFamily(type);
    if (!family) {
        const ModelFamily *plain = findFamily("llama");
        // A type of its own is fine when its keys tell a Llama-like story; anything else would be a guess.
        if (!in.keys.hasAny({"intermediate_size"}) || !in.keys.hasAny({"hidden_size"})
            || in.keys.hasAny({"num_experts", "num_local_experts", "n_routed_experts", "moe_intermediate_size",
                               "moe_num_experts"}))
            return inputError(in.keys.at("model_type"), type.empty() ? "nothing" : "\"" + type + "\"",
                              "one of " + knownFamilies(),
                              "The rules of this family are not known; describe the model by a related type.");
        in.warn((type.empty() ? "There is no model_type" : "model_type \"" + type + "\" is not known")
                + "; the model is taken as a Llama-like decoder.");
        family = plain;
    }

    ModelShape &s = in.shape;
    s.gatedMlp = family->gated;
    s.norm = family->norm;
    s.normBias = family->normBias;
    s.position = family->position;
    s.normsPerLayer = family->norms;
    const auto biased = [&](char part) { return family->biases.find(part) != std::string_view::npos; };
    s.qkvBias = biased('q');
    s.outputBias = biased('o');
    s.mlpBias = biased('m');
    s.headBias = biased('h');
    readSizes(in, *family);

    // The tie may stand beside the nested config, where the wrapper's own default says nothing about the text part.
    if (const auto tied = in.keys.boolean({"tie_word_embeddings"})) {
        s.tiedEmbeddings = *tied;
    } else if (const auto outer = root.find("tie_word_embeddings"); outer != root.end() && outer->is_boolean()) {
        s.tiedEmbeddings = outer->get<bool>();
    } else {
        s.tiedEmbeddings = family->tied;
        if (family->tied)
            in.warn("tie_word_embeddings is absent; the family ties its output layer to the embedding.");
    }

    const json *architectures = in.keys.find({"architectures"});
    if (!architectures && root.contains("architectures"))
        architectures = &root["architectures"];
    if (architectures && architectures->is_array() && !architectures->empty() && (*architectures)[0].is_string()) {
        const auto &name = (*architectures)[0].get_ref<const std::string &>();
        if ((endsWith(name, "Model") && !endsWith(name, "LMHeadModel")) || endsWith(name, "Classification")) {
            s.hasHead = false;
            s.headBias = false;
            in.warn("The architecture " + name + " has no output layer over the vocabulary.");
        }
    }

    s.dropout = usesDropout(in.keys, *family);
    if (in.keys.error())
        return fail(*in.keys.error());
    if (family->details)
        family->details(in);
    warnAboutIgnored(in);
    if (in.keys.error())
        return fail(*in.keys.error());
    if (!s.hasHead)
        s.headBias = false;
    if (s.position != PositionKind::Learned)
        s.maxPositions = 0;
    auto checked = checkShape(s);
    if (!checked)
        return fail({ErrorKind::Input, in.keys.pointer() + checked.error().where, checked.error().found,
                     checked.error().expected, checked.error().remedy});
    return checked;
}

/// Adds what the lenient reader replaced, so that the one who must correct the file learns of both.
Result<ModelShape> withNotes(Result<ModelShape> result, const std::vector<std::string> &notes)
{
    for (const std::string &note : notes) {
        if (result) {
            result->warnings.push_back(note);
        } else {
            Error e = result.error();
            e.remedy += (e.remedy.empty() ? "" : " ") + ("Besides, " + note);
            result = fail(std::move(e));
        }
    }
    return result;
}

} // namespace

Result<ModelShape> importHuggingFaceConfig(std::string_view text, const std::string &name)
{
    auto parsed = parseLenientJson(text);
    if (!parsed)
        return fail(parsed.error());
    const json &root = parsed->value;
    if (!root.is_object())
        return inputError({}, describeJson(root), "an object with the keys of a config.json", "");

    ModelShape shape;
    shape.name = name;
    if (root.contains("dim") && root.contains("n_layers") && !root.contains("hidden_size"))
        return withNotes(importMetaParams(root, std::move(shape)), parsed->notes);

    const json *decoder = &root;
    std::string pointer;
    if (!hasLayers(root))
        for (const char *nested : nestedNames)
            if (const auto it = root.find(nested); it != root.end() && it->is_object() && decoder == &root) {
                decoder = &*it;
                pointer = "/" + std::string(nested);
            }
    ConfigImport in{ConfigReader(*decoder, pointer), std::move(shape), decoder != &root};
    if (in.nested)
        in.warn("Only the language part (" + pointer.substr(1)
                + ") is imported; vision or audio towers and projectors are not counted.");

    ConfigReader outer(root, "");
    std::string type = in.keys.text({"model_type"}).value_or("");
    if (type.empty())
        type = outer.text({"model_type"}).value_or("");
    auto refused = refusal(in.keys, type);
    if (!refused && in.nested)
        refused = refusal(outer, "");
    if (refused)
        return withNotes(fail(*refused), parsed->notes);
    if (in.keys.error() || outer.error())
        return fail(in.keys.error() ? *in.keys.error() : *outer.error());
    return withNotes(importDecoder(std::move(in), type, root), parsed->notes);
}

} // namespace polyrail
