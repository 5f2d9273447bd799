// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace polyrail {

/// JSON as Python's json module writes it: the bare literals NaN, Infinity and -Infinity, which JSON does not have,
/// are read as null, and a byte order mark is skipped.
struct LenientJson
{
    nlohmann::json value;
    std::vector<std::string> notes; ///< where a literal was replaced: "line 40: Infinity was read as null"
};

/// `where` of an error is "line 12, column 5". Text over 64 MiB and nesting over 512 levels are refused.
Result<LenientJson> parseLenientJson(std::string_view text);

/// "true", "\"text\"", "[...]": a value as an error message shows it, shortened.
std::string describeJson(const nlohmann::json &value);
/// One part of a JSON pointer, with ~ and / escaped.
std::string pointerPart(std::string_view key);

} // namespace polyrail
