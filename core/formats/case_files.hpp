// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"

#include <string>
#include <string_view>

namespace polyrail {

/// Predicts every row of a file of measured cases (docs/accuracy.md lists the columns). What the rows are is read from
/// the header: training steps (column global_batch), collectives (collective), matrix products (dtype, m, n, k) or
/// layers (layer_kind). The answer has one line per row, in order:
///   training     id,step_time_s,peak_mem_gib,step_low_s,step_high_s,note
///   collectives,
///   products     id,time_us,time_low_us,time_high_us,note
///   layers       id,fwd_s,bwd_s,update_s,note
/// A row that cannot be predicted keeps its line, with empty figures and the reason as its note. The same text gives
/// the same answer on any number of threads (0: all). Errors: the text is no table, has no id, or is of no known kind.
Result<std::string> predictCases(std::string_view csv, int threads);

} // namespace polyrail
