// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/cluster/cluster.hpp"
#include "core/workload/model_shape.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polyrail {

struct ImportedCluster
{
    Cluster cluster;
    std::vector<std::string> warnings; ///< what was assumed or could not be known, in sentences
};

/// What `nvidia-smi topo -m` prints, in all its versions and pasted shapes. The text never names the GPU model, so
/// the type must be given; without it the error says so and what was recognised.
Result<ImportedCluster> importNvidiaSmiTopo(std::string_view text, const Catalogue &catalogue,
                                            const std::optional<std::string> &gpuType);

/// A Hugging Face config.json. Assumptions (family defaults, ignored parts) are in ModelShape::warnings.
Result<ModelShape> importHuggingFaceConfig(std::string_view json, const std::string &name);

/// True when the text looks like one of the formats above (for `import` and drag and drop).
enum class ForeignFormat { Unknown, NvidiaSmiTopo, HuggingFaceConfig, PolyrailCluster, PolyrailPlan, PolyrailGraph };
ForeignFormat recognise(std::string_view text);

} // namespace polyrail
