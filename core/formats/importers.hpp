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
/// the type must be given: one for all GPUs ("A100") or a list ("2x RTX 5090, 3x RTX 4090"). Without it, lines of
/// `nvidia-smi -L` in the same text are used; without those, the error says what was recognised. A machine is one
/// host: PCIe tree and CPUs inferred from the cells (core/formats/topo_tree.hpp), NVLinks one by one or, where they
/// are switched, as one port per GPU; NICs as hubs without a network.
Result<ImportedCluster> importNvidiaSmiTopo(std::string_view text, const Catalogue &catalogue,
                                            const std::optional<std::string> &gpuType);

/// A Hugging Face config.json. Assumptions (family defaults, ignored parts) are in ModelShape::warnings.
Result<ModelShape> importHuggingFaceConfig(std::string_view json, const std::string &name);

/// True when the text looks like one of the formats above (for `import` and drag and drop).
enum class ForeignFormat { Unknown, NvidiaSmiTopo, HuggingFaceConfig, PolyrailCluster, PolyrailPlan, PolyrailGraph };
ForeignFormat recognise(std::string_view text);

} // namespace polyrail
