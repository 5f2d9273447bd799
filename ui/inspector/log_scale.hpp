// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"

#include <string>
#include <vector>

// The mathematics of the bandwidth slider. No GUI needed. Values are bytes per second, or factors.

namespace polyrail {

struct LogRange
{
    double low = 1;
    double high = 10;
    bool operator==(const LogRange &) const = default;
};

/// 0 at low, 1 at high, logarithmic in between; clamped.
double fractionOf(double value, const LogRange &range);
double valueAt(double fraction, const LogRange &range);

/// Rounded to so many significant digits.
double roundedTo(double value, int digits);
/// The same in the unit of a range, whose low end is a power of ten in it: 9.09 Gb/s, not 1.14 GB/s.
double roundedIn(const LogRange &range, double value, int digits);

/// Four decades in the unit the link was entered in (0.1 to 1000 Gb/s or GB/s), longer where `value` lies outside.
LogRange bandwidthRange(double bytesPerSecond, bool inBits);

struct Tick
{
    double value = 0;
    std::string text; ///< "0.1", the last one with its unit
};
/// The decades of a range, in Gb/s or GB/s.
std::vector<Tick> decades(const LogRange &range, bool inBits);

/// A figure that people know, with where it comes from.
struct Preset
{
    const char *name;
    double bytesPerSecond;
    bool inBits; ///< shown on links that are entered in bits (networks), else on the others
    const char *note;
};
/// By value, for networks (inBits) or for links inside a machine.
std::vector<Preset> presets(bool inBits);

/// The next preset above or below, or the value itself at the ends.
double nextPreset(double value, const std::vector<Preset> &list, bool up);
/// The preset within `tolerance` of a slider `fraction`, or the value there, rounded to three digits of the unit.
double snappedValue(double fraction, const LogRange &range, const std::vector<Preset> &list, double tolerance);

} // namespace polyrail
