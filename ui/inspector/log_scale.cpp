// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/log_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace polyrail {

namespace {

constexpr double gigabit = 1e9 / 8;
constexpr double gigabyte = 1e9;

// Nominal rates, per direction. PCIe: PCI-SIG line rate times 128b/130b, 16 lanes. NVLink: NVIDIA's data sheets of V100,
// A100 and H100 (total of all links, per direction). Ethernet and InfiniBand: IEEE 802.3 and IBTA signalling rates.
constexpr std::array<Preset, 13> all{{
    {"1 GbE", 1 * gigabit, true, "Ethernet, 1 Gb/s"},
    {"10G", 10 * gigabit, true, "Ethernet, 10 Gb/s"},
    {"25G", 25 * gigabit, true, "Ethernet, 25 Gb/s"},
    {"100G", 100 * gigabit, true, "Ethernet, or InfiniBand EDR, 100 Gb/s"},
    {"HDR", 200 * gigabit, true, "InfiniBand HDR, 200 Gb/s"},
    {"NDR", 400 * gigabit, true, "InfiniBand NDR, or Ethernet, 400 Gb/s"},
    {"PCIe 3", 15.75 * gigabyte, false, "PCIe 3.0, 16 lanes, 15.75 GB/s each way"},
    {"NVLink", 25 * gigabyte, false, "one NVLink 2 or 3, 25 GB/s each way"},
    {"PCIe 4", 31.5 * gigabyte, false, "PCIe 4.0, 16 lanes, 31.5 GB/s each way"},
    {"PCIe 5", 63 * gigabyte, false, "PCIe 5.0, 16 lanes, 63 GB/s each way"},
    {"V100", 150 * gigabyte, false, "all NVLinks of a V100, 150 GB/s each way"},
    {"A100", 300 * gigabyte, false, "all NVLinks of an A100, 300 GB/s each way"},
    {"H100", 450 * gigabyte, false, "all NVLinks of an H100, 450 GB/s each way"},
}};

std::string plain(double value)
{
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.' || text.back() == ',')
        text.pop_back();
    std::replace(text.begin(), text.end(), ',', '.');
    return text;
}

} // namespace

double fractionOf(double value, const LogRange &range)
{
    if (!(value > range.low))
        return 0;
    if (value >= range.high)
        return 1;
    return std::log(value / range.low) / std::log(range.high / range.low);
}

double valueAt(double fraction, const LogRange &range)
{
    return range.low * std::pow(range.high / range.low, std::clamp(fraction, 0.0, 1.0));
}

double roundedTo(double value, int digits)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
    return std::round(value * scale) / scale;
}

double roundedIn(const LogRange &range, double value, int digits)
{
    return roundedTo(roundedTo(value / range.low, digits) * range.low, 12); // without the noise of the product
}

LogRange bandwidthRange(double bytesPerSecond, bool inBits)
{
    const double unit = inBits ? gigabit : gigabyte;
    LogRange range{0.1 * unit, 1000 * unit};
    if (!(bytesPerSecond > 0) || !std::isfinite(bytesPerSecond))
        return range;
    while (bytesPerSecond < range.low * 0.9999 && range.low > 1)
        range.low /= 10;
    while (bytesPerSecond > range.high * 1.0001 && range.high < 1e18)
        range.high *= 10;
    return range;
}

std::vector<Tick> decades(const LogRange &range, bool inBits)
{
    const double unit = inBits ? gigabit : gigabyte;
    std::vector<Tick> ticks;
    for (double value = range.low; value <= range.high * 1.001; value *= 10)
        ticks.push_back({value, plain(roundedTo(value / unit, 3))});
    if (!ticks.empty()) {
        const double last = ticks.back().value / unit;
        ticks.back().text = last >= 999 ? plain(roundedTo(last / 1000, 3)) + (inBits ? " Tb/s" : " TB/s")
                                        : ticks.back().text + (inBits ? " Gb/s" : " GB/s");
    }
    return ticks;
}

std::vector<Preset> presets(bool inBits)
{
    std::vector<Preset> list;
    for (const Preset &preset : all)
        if (preset.inBits == inBits)
            list.push_back(preset);
    return list;
}

double nextPreset(double value, const std::vector<Preset> &list, bool up)
{
    double best = value;
    for (const Preset &preset : list) {
        const double v = preset.bytesPerSecond;
        if (up && v > value * 1.0005 && (best == value || v < best))
            best = v;
        if (!up && v < value * 0.9995 && (best == value || v > best))
            best = v;
    }
    return best;
}

double snappedValue(double fraction, const LogRange &range, const std::vector<Preset> &list, double tolerance)
{
    double best = roundedIn(range, valueAt(fraction, range), 3);
    double distance = tolerance;
    for (const Preset &preset : list) {
        const double off = std::abs(fractionOf(preset.bytesPerSecond, range) - fraction);
        if (off <= distance) {
            distance = off;
            best = preset.bytesPerSecond;
        }
    }
    return best;
}

} // namespace polyrail
