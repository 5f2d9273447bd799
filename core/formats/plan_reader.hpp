// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/json_cursor.hpp"
#include "core/formats/json_files.hpp"

#include <nlohmann/json.hpp>

namespace polyrail {

// The parts of a polyrail-plan file. Internal to core/formats.

/// A model in Polyrail's own words: every field of ModelShape. Not for configurations of other programs.
nlohmann::ordered_json writeModelShape(const ModelShape &shape);
/// Fields that are left out keep ModelShape's defaults; the shape is checked.
ModelShape readModelShape(const JsonCursor &place);

nlohmann::ordered_json writeStages(const Plan &plan, const Cluster &cluster);
/// `microBatch` fills in equal shares where a stage has none.
std::vector<Stage> readStages(const JsonCursor &place, const Cluster &cluster, int microBatch);

} // namespace polyrail
