// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/importers.hpp"
#include "core/formats/json_cursor.hpp"
#include "core/formats/nvidia_smi_topo.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace polyrail {

namespace {

constexpr std::array<std::pair<std::string_view, ForeignFormat>, 3> ownFormats{
    {{"polyrail-cluster", ForeignFormat::PolyrailCluster}, {"polyrail-plan", ForeignFormat::PolyrailPlan},
        {"polyrail-graph", ForeignFormat::PolyrailGraph}}};

/// Keys of which a model configuration has at least two, in the spellings of all families (and of Meta's
/// params.json).
constexpr std::array<std::string_view, 20> modelKeys{"model_type", "architectures", "hidden_size", "num_hidden_layers",
    "num_attention_heads", "vocab_size", "n_layer", "n_layers", "n_embd", "n_head", "n_heads", "d_model",
    "intermediate_size", "text_config", "language_config", "torch_dtype", "num_layers", "num_key_value_heads", "dim",
    "transformers_version"};

std::size_t modelKeysIn(const nlohmann::json &object)
{
    return static_cast<std::size_t>(
        std::count_if(modelKeys.begin(), modelKeys.end(), [&](std::string_view key) { return object.contains(key); }));
}

/// For text that does not parse (cut off, or with the bare words that Python writes): the quoted words count.
ForeignFormat recogniseBroken(std::string_view text)
{
    const std::string_view start = text.substr(0, 65536);
    for (const auto &[name, format] : ownFormats) {
        if (start.find('"' + std::string(name) + '"') != std::string_view::npos)
            return format;
    }
    const auto found = std::count_if(modelKeys.begin(), modelKeys.end(),
        [&](std::string_view key) { return start.find('"' + std::string(key) + '"') != std::string_view::npos; });
    return found >= 2 ? ForeignFormat::HuggingFaceConfig : ForeignFormat::Unknown;
}

} // namespace

ForeignFormat recognise(std::string_view text)
{
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return ForeignFormat::Unknown;
    if (text[first] != '{')
        return looksLikeNvidiaSmiTopo(text) ? ForeignFormat::NvidiaSmiTopo : ForeignFormat::Unknown;
    JsonLimits limits;
    limits.refuseRepeatedKeys = false;
    limits.maxDepth = 64;
    const auto root = parseJson(text, limits);
    if (!root || !root->is_object())
        return recogniseBroken(text.substr(first));
    if (const auto format = root->find("format"); format != root->end() && format->is_string()) {
        for (const auto &[name, known] : ownFormats) {
            if (*format == name)
                return known;
        }
        return ForeignFormat::Unknown;
    }
    return modelKeysIn(*root) >= 2 ? ForeignFormat::HuggingFaceConfig : ForeignFormat::Unknown;
}

} // namespace polyrail
