// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace polyrail {

/// One cell of the matrix, from the nearest to the farthest.
enum class TopoRelation { Self, NvLink, Pix, Pxb, Phb, Node, Sys, Unknown };
const char *toString(TopoRelation r); ///< "X", "NV", "PIX", ..., "unknown"

struct TopoCell
{
    TopoRelation relation = TopoRelation::Unknown;
    int links = 0; ///< the number behind NV
    bool operator==(const TopoCell &) const = default;
};

/// What `nvidia-smi topo -m` says, after all repairs. Vertices: GPUs first, then NICs, each in the order of
/// the columns.
struct TopoMatrix
{
    std::vector<std::string> gpus; ///< "GPU0", ...
    std::vector<std::string> nics; ///< "NIC0" or "mlx5_0", ...
    std::vector<TopoCell> cells;   ///< by row and column; symmetric, missing halves filled in
    std::vector<TopoCell> pcie;    ///< the same from a `topo -mp` table beside it; empty without one
    std::vector<std::string> cpuAffinity;  ///< by GPU, as printed; empty = not given
    std::vector<std::string> numaAffinity; ///< by GPU, as printed; empty = not given or N/A
    std::map<std::string, std::string> nicNames;    ///< "NIC0" -> "mlx5_0", from the legend
    std::map<std::string, std::string> gpuModels;   ///< "GPU0" -> "NVIDIA A40", from lines of `nvidia-smi -L`
    bool pcieOnly = false;              ///< printed by `topo -mp`: NVLink is hidden
    std::vector<std::string> warnings;  ///< sentences

    std::size_t vertexCount() const { return gpus.size() + nics.size(); }
    const TopoCell &at(std::size_t a, std::size_t b) const { return cells[a * vertexCount() + b]; }
    const std::string &name(std::size_t v) const { return v < gpus.size() ? gpus[v] : nics[v - gpus.size()]; }
};

/// Reads the matrix out of whatever surrounds it: prompts, comment signs, colour escapes, folded or re-aligned
/// lines, a lost header, rows that were cut. Errors: no matrix in the text, or a look-alike (`-p2p`,
/// `ppu-smi`, `rocm-smi`), with the reason.
Result<TopoMatrix> parseNvidiaSmiTopo(std::string_view text);
/// True when the text holds a row or a header of such a matrix, or of a look-alike.
bool looksLikeNvidiaSmiTopo(std::string_view text);

} // namespace polyrail
