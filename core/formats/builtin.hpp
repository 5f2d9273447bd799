// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"
#include "core/workload/model_shape.hpp"

#include <string_view>
#include <vector>

namespace polyrail {

// What is compiled in from resources/ and sample_clusters/. Thread-safe; parsed once.

const Catalogue &builtinCatalogue();
const std::vector<ModelShape> &modelPresets();
/// By name, case-insensitively ("llama-2-13b"); null if unknown.
const ModelShape *findPreset(std::string_view name);

struct SampleCluster
{
    std::string_view file;  ///< "4090d-v100.json"
    std::string_view title; ///< the "name" of the file
    std::string_view text;  ///< the JSON
};
/// By file name.
const std::vector<SampleCluster> &sampleClusters();

/// The text of a file that is compiled in, by its path in the repository ("resources/models.json") or its
/// file name alone ("models.json"). Empty if there is none.
std::string_view builtinText(std::string_view file);

} // namespace polyrail
