// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/nvidia_smi_topo.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polyrail {

// The text level of nvidia-smi topo: from a paste to lines of words. Internal to core/formats.

/// Plain lines: no byte order mark, no UTF-16, no escapes, no exotic blanks, no trailing blanks.
std::vector<std::string> plainLines(std::string_view text);

struct Word
{
    std::string text;
    std::size_t column = 0;     ///< where it starts
    std::size_t tabsBefore = 0; ///< tabs between the word before and this one
};
std::vector<Word> wordsOf(const std::string &line);

/// "GPU3".
bool isGpuName(std::string_view word);
/// A column name: GPU3, NIC0, mlx5_0, rocep1s0f0 ...: letters first, at least one digit.
bool isColumnName(std::string_view word);
/// "NIC11NIC12" -> NIC11, NIC12; "NIC11CPU" -> NIC11, CPU. One word if nothing is glued.
std::vector<std::string> unglued(const std::string &word);

/// The cells in a word: one, or several that lost the blanks between them ("NV18NV18"). Empty if it is none.
std::vector<TopoCell> cellsIn(std::string_view word);

} // namespace polyrail
