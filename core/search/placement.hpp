// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.hpp"
#include "core/search/suffix_table.hpp"

#include <optional>
#include <span>

namespace polyrail {

/// Puts the stages of a choice on real devices; part of the definition of the training space. For each class, in file order:
/// stages first take whole hosts (in stage order), then the rest of each group is cut into powers of two and
/// placed at aligned positions, largest first, then in stage order, in the first host with room. Tensor
/// groups are therefore aligned blocks of one host. Nothing when odd host sizes leave no aligned room.
std::optional<Plan> place(const CostContext &context, const DeviceClasses &classes, const OptionSet &set,
                          std::span<const StageChoice> stages);

} // namespace polyrail
