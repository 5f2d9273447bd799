// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/gpu_type.hpp"
#include "core/formats/json_cursor.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace polyrail {

/// resources/gpus.json (format polyrail-gpus, version 1). Every entry needs a name, a source, memory, memory
/// bandwidth and at least one peak; no name or alias may lead to two entries.
Result<Catalogue> readCatalogue(std::string_view json);

// The figures of a GPU type, in a catalogue entry and in the overrides of a device.

/// Keys that readGpuFigures knows.
const std::vector<std::string> &gpuFigureKeys();
/// Reads the figures that are present into `type`; returns their names ("memory", "peak.bf16", ...).
std::vector<std::string> readGpuFigures(const JsonCursor &object, GpuType &type);
/// The figures with these names as JSON text on one line; reads back as the same values.
std::string writeGpuFigures(const GpuType &type, const std::vector<std::string> &names);

} // namespace polyrail
