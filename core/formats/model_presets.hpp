// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/workload/model_shape.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace polyrail {

struct ModelPreset
{
    ModelShape shape;
    std::int64_t publishedParameters = 0; ///< as the source says, for checking the shape against it
};

/// Reads a file like resources/models.json (format polyrail-models, version 1). Each entry's `config` follows the rules
/// of importHuggingFaceConfig. `where` of an error is a JSON pointer.
Result<std::vector<ModelPreset>> readModelPresets(std::string_view json);

} // namespace polyrail
