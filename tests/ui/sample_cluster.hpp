// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"
#include "ui/document/selection.hpp"

namespace polyrail::test {

/// Two hosts of four GPUs: PCIe switches with shared uplinks, an NVLink mesh with two links per pair, three unlike
/// rails of which two exclude each other. With positions, or without.
Cluster twoBoxes(bool withLayout = true);
/// `hosts` hosts of eight GPUs behind one NV switch and two NICs, on rails of `switches` network switches;
/// `extra` more links side by side per GPU.
Cluster manyHosts(int hosts, int switches, int extra = 0);
/// A plan of twoBoxes() with a schedule: three stages, some traffic on rails and uplinks, memory on every device.
ShownPlan planOf(const Cluster &cluster);
/// Everything of the cluster that a file would hold, as text to compare.
std::string fingerprint(const Cluster &cluster);

} // namespace polyrail::test
