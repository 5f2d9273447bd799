// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"
#include "core/formats/nvidia_smi_topo.hpp"

#include <optional>
#include <string>
#include <vector>

namespace polyrail {

/// The PCIe tree that explains a matrix: switches for PIX and PXB, host bridges for PHB, CPUs for NODE, and
/// everything else between CPUs. Internal to core/formats.
struct TopoTree
{
    struct Hub
    {
        std::string name; ///< "switch0", "bridge0", "cpu0"
        HubKind kind = HubKind::Cpu;
        std::optional<std::size_t> parent; ///< none: a CPU; CPUs are joined by the host bus
    };
    std::vector<Hub> hubs;
    std::vector<std::size_t> parentOf; ///< by vertex of the matrix (GPUs, then NICs): the hub it is attached to
    std::vector<std::string> warnings;
};

/// Pairs that NVLink hides and pairs that are not given follow from the others: two GPUs with the same NUMA
/// node (or, where that is not printed, nothing that speaks against it) are under one CPU.
TopoTree inferTopoTree(const TopoMatrix &matrix);

} // namespace polyrail
