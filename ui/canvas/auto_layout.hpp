// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"

#include <QSizeF>

#include <map>
#include <string>
#include <vector>

namespace polyrail {

/// Positions (centres, scene units, on the 20 px grid where sizes allow) for every vertex, from the structure alone.
/// Inside a host: columns from the devices over PCIe switches and CPUs to the NICs, NV switches on the far side; hosts
/// in two stacks that face each other, or in a grid when there are many; switches between or above them.
/// Deterministic. `sizes` by vertex.
std::map<std::string, Point> tierLayout(const Cluster &cluster, const std::vector<QSizeF> &sizes);

/// The cluster's own positions, and for vertices that have none (or not a finite one) those of tierLayout(): as they
/// are when no vertex has a position, else below everything that is placed. By vertex.
std::vector<Point> vertexPositions(const Cluster &cluster, const std::vector<QSizeF> &sizes);

} // namespace polyrail
