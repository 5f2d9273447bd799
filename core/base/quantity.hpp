// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/base/units.hpp"

#include <string>
#include <string_view>

namespace polyrail {

// Reading and writing quantities as people do. A unit is required: "200" is refused, because bits
// and bytes differ by eight. Prefixes: k (or K), M, G, T, P (powers of ten), Ki, Mi, Gi, Ti, Pi (powers of
// two). A lower-case b is a bit, an upper-case B a byte. Commas, NaN, infinity and signs are refused.
// `where` of a returned error is empty; callers add it with Error::at.

/// "200 Gb/s", "200Gbps", "200 Gbit/s", "25 GB/s", "25 GiB/s". Must be > 0.
Result<BytesPerSecond> parseBandwidth(std::string_view text);
/// True when a bandwidth that parseBandwidth accepts is given in bits ("200 Gb/s").
bool isGivenInBits(std::string_view bandwidth);
/// "1.5 us", "1.5us", "12 µs", "3 ms", "10 s", "800 ns", "2 min", "1 h". Must be >= 0.
Result<Seconds> parseDuration(std::string_view text);
/// "80 GiB", "24 GB", "512 MiB". Must be >= 0; rounded to whole bytes.
Result<Bytes> parseBytes(std::string_view text);
/// "312 TFLOP/s", "312 TFLOPS", "1.5 PFLOP/s". Must be > 0.
Result<FlopsPerSecond> parseFlops(std::string_view text);

// For people: three significant digits (four where the fourth makes the figure exact) and a unit that
// keeps the figure in 1..999. A negative quantity (a difference) keeps its sign.

std::string formatBandwidth(BytesPerSecond b);     ///< "25 GB/s"
std::string formatBandwidthBits(BytesPerSecond b); ///< "200 Gb/s": the same in bits
std::string formatDuration(Seconds s);             ///< "1.5 us", "3.71 s"
std::string formatBytes(Bytes b);                  ///< "23.1 GiB"
std::string formatFlops(FlopsPerSecond f);         ///< "312 TFLOP/s"

// For files: as short as possible, and parse*() gives back exactly the same number.

std::string exactBandwidth(BytesPerSecond b, bool inBits = false);
std::string exactDuration(Seconds s);
std::string exactBytes(Bytes b);
std::string exactFlops(FlopsPerSecond f);

} // namespace polyrail
