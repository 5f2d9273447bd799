// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"
#include "core/sim/schedule.hpp"

#include <string>

namespace polyrail {

/// Chrome trace event JSON (opens in Perfetto and chrome://tracing): one named row per device and stream and one per
/// link direction, flow arrows from producers to the transfers that carry their data and on to the consumers,
/// counters of link use (GB/s) and memory (GiB). Times in microseconds.
std::string exportChromeTrace(const Schedule &schedule, const Cluster &cluster);
/// One line per task: id,name,kind,role,stage,micro_batch,start_s,end_s,devices,links,bytes.
std::string exportCsv(const Schedule &schedule, const Cluster &cluster);

} // namespace polyrail
