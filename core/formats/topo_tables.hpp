// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/topo_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace polyrail {

// The table level of nvidia-smi topo: lines that belong together. Internal to core/formats.

enum class TopoTail { Cpu, Numa, GpuNuma };

struct TopoTailColumn
{
    TopoTail kind;
    std::size_t column; ///< of its heading
};

struct TopoHeader
{
    std::vector<std::string> columns;
    std::vector<TopoTailColumn> tail;
};

struct TopoRow
{
    std::string label;
    std::vector<TopoCell> cells;
    std::vector<Word> tail;  ///< what follows the cells
    bool foldedTail = false; ///< it came from a further line: where its words stand means nothing
};

struct TopoTable
{
    std::optional<TopoHeader> header;
    std::vector<TopoRow> rows;
    bool pcieOnly = false; ///< under a command line with -mp
};

/// Every table in the lines, folded rows and headers put together. A table may lack its header or its rows.
std::vector<TopoTable> topoTables(const std::vector<std::string> &lines);

} // namespace polyrail
