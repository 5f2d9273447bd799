// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/config_reader.hpp"
#include "core/workload/model_shape.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace polyrail {

/// What is read from one config.json: the object that describes the decoder, and the shape in the making.
struct ConfigImport
{
    ConfigReader keys;
    ModelShape shape;
    bool nested = false; ///< the object came from text_config and the like, where defaults are left out

    void warn(std::string sentence) { shape.warnings.push_back(std::move(sentence)); }
};

/// Sizes that the configuration class of a family assumes when a key is absent. 0: no such assumption.
struct FamilyDefaults
{
    int layers = 0;
    int hidden = 0;
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int ffn = 0;
    int vocab = 0;
    int positions = 0;
};

/// The conventions of one model_type that its config.json does not spell out.
struct ModelFamily
{
    std::string_view type;
    bool tied = false;
    bool gated = true;
    NormKind norm = NormKind::RmsNorm;
    bool normBias = false;
    PositionKind position = PositionKind::Rotary;
    std::string_view biases = {}; ///< letters: q = qkv, o = attention output, m = MLP, h = output layer
    int norms = 2;
    FamilyDefaults defaults = {};
    void (*details)(ConfigImport &in) = nullptr; ///< what keys of the family's own say
};

/// Null for a type that is not known. Spellings of multimodal wrappers ("gemma3_text", "qwen2_5_vl") are understood.
const ModelFamily *findFamily(std::string_view modelType);
/// "llama, mistral, ...": for messages.
std::string knownFamilies();

} // namespace polyrail
