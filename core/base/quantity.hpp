// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/base/units.hpp"

#include <string>
#include <string_view>

namespace polyrail {

// Reading and writing quantities as people do. A unit is required: "200" is refused, because bits
// and bytes differ by eight. Prefixes: k, M, G, T, P (powers of ten), Ki, Mi, Gi, Ti (powers of two).
// A lower-case b is a bit, an upper-case B a byte. Commas, NaN, infinity and signs are refused.
// `where` of a returned error is empty; callers add it with Error::at.

/// "200 Gb/s", "200Gbps", "25 GB/s", "25 GiB/s". Must be > 0.
Result<BytesPerSecond> parseBandwidth(std::string_view text);
/// "1.5 us", "1.5us", "12 µs", "3 ms", "10 s", "800 ns", "2 min". Must be >= 0.
Result<Seconds> parseDuration(std::string_view text);
/// "80 GiB", "24 GB", "512 MiB". Must be >= 0.
Result<Bytes> parseBytes(std::string_view text);
/// "312 TFLOP/s", "312 TFLOPS", "1.5 PFLOP/s". Must be > 0.
Result<FlopsPerSecond> parseFlops(std::string_view text);

/// "25 GB/s": bytes, three to four significant digits, a unit that keeps the figure in 1..999.
std::string formatBandwidth(BytesPerSecond b);
/// "200 Gb/s": the same in bits.
std::string formatBandwidthBits(BytesPerSecond b);
std::string formatDuration(Seconds s); ///< "1.5 us", "3.71 s"
std::string formatBytes(Bytes b);      ///< "23.1 GiB"
std::string formatFlops(FlopsPerSecond f);

} // namespace polyrail
