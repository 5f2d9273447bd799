// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>

namespace polyrail {

namespace {

/// A prefix or whole unit: value = number x 10^exponent x factor. The decimal exponent is applied to the
/// text of the number before it is converted, so "3 us" is the double nearest to 3e-6.
struct Scale
{
    std::string_view name;
    int exponent = 0;
    double factor = 1;
};

constexpr std::array<Scale, 12> prefixes{{{"Ki", 0, 1024.0}, {"Mi", 0, 1048576.0}, {"Gi", 0, 1073741824.0},
    {"Ti", 0, 1099511627776.0}, {"Pi", 0, 1125899906842624.0}, {"k", 3, 1}, {"K", 3, 1}, {"M", 6, 1}, {"G", 9, 1},
    {"T", 12, 1}, {"P", 15, 1}, {"", 0, 1}}};

/// Both code points that look like a micro sign are in use.
constexpr std::array<Scale, 8> durationUnits{{{"ns", -9, 1}, {"us", -6, 1}, {"\u00b5s", -6, 1}, {"\u03bcs", -6, 1},
    {"ms", -3, 1}, {"s", 0, 1}, {"min", 0, 60}, {"h", 0, 3600}}};

struct NumberAndUnit
{
    std::string digits; ///< a plain decimal number, without exponent
    int exponent = 0;
    std::string_view unit;
};

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && isBlank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// "2.5e3 GB/s" -> 2.5, 3, "GB/s". Nothing for signs, commas, NaN, infinity or no number at all.
std::optional<NumberAndUnit> split(std::string_view text)
{
    text = trimmed(text);
    NumberAndUnit out;
    std::size_t i = 0;
    bool anyDigit = false;
    bool point = false;
    while (i < text.size() && ((text[i] >= '0' && text[i] <= '9') || (text[i] == '.' && !point))) {
        anyDigit = anyDigit || text[i] != '.';
        point = point || text[i] == '.';
        ++i;
    }
    if (!anyDigit || i > 400)
        return std::nullopt;
    out.digits = std::string(text.substr(0, i));
    if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        std::size_t first = i + 1;
        if (text[first] == '+')
            ++first;
        const auto [end, failure] = std::from_chars(text.data() + first, text.data() + text.size(), out.exponent);
        if (failure != std::errc() || out.exponent < -400 || out.exponent > 400)
            return std::nullopt;
        i = static_cast<std::size_t>(end - text.data());
    }
    out.unit = trimmed(text.substr(i));
    return out;
}

/// Nothing when the number does not fit a double.
std::optional<double> valueOf(const NumberAndUnit &parts, const Scale &scale)
{
    const std::string text = parts.digits + 'e' + std::to_string(parts.exponent + scale.exponent);
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    value *= scale.factor;
    return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

/// The prefix in front of one of `endings`, e.g. "G" in "Gb/s".
const Scale *prefixBefore(std::string_view unit, std::span<const std::string_view> endings)
{
    for (std::string_view ending : endings) {
        if (!unit.ends_with(ending))
            continue;
        const std::string_view prefix = unit.substr(0, unit.size() - ending.size());
        for (const Scale &scale : prefixes) {
            if (scale.name == prefix)
                return &scale;
        }
    }
    return nullptr;
}

constexpr std::array<std::string_view, 4> bitRateEndings{"b/s", "bps", "bit/s", "bits/s"};
constexpr std::array<std::string_view, 2> byteRateEndings{"B/s", "Bps"};
constexpr std::array<std::string_view, 1> byteEndings{"B"};
constexpr std::array<std::string_view, 4> flopEndings{"FLOP/s", "FLOPS", "FLOPs", "FLOPs/s"};

std::string quoted(std::string_view text)
{
    constexpr std::size_t longest = 60;
    return '"' + std::string(text.substr(0, longest)) + (text.size() > longest ? "..." : "") + '"';
}

tl::unexpected<Error> refuse(std::string_view text, const char *expected, const std::string &remedy)
{
    return inputError("", quoted(text), expected, remedy);
}

/// Why the number part could not be read, or that only the unit is wrong.
std::string numberRemedy(std::string_view text, const std::string &unitRemedy)
{
    const std::string_view t = trimmed(text);
    if (t.find(',') != std::string_view::npos)
        return "Write a decimal point, and no thousands separators.";
    if (!t.empty() && (t.front() == '-' || t.front() == '+'))
        return "Write the figure without a sign.";
    return unitRemedy;
}

std::string digitsWithPoint(double value, int decimals)
{
    std::array<char, 400> buffer{}; // the largest double has 309 digits
    const auto [end, failure]
        = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
    std::string text(buffer.data(), failure == std::errc() ? end : buffer.data());
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.')
            text.pop_back();
    }
    return text;
}

double rounded(double value, int significant)
{
    if (value == 0)
        return 0;
    const int power = significant - 1 - static_cast<int>(std::floor(std::log10(value)));
    const double scale = std::pow(10.0, power);
    return std::round(value * scale) / scale;
}

/// A positive figure with three digits, or four where that is exact.
std::string figure(double value)
{
    const double four = rounded(value, 4);
    const bool exact = std::abs(four - value) <= 1e-9 * value;
    const double shown = exact ? four : rounded(value, 3);
    return digitsWithPoint(shown, 3);
}

struct NamedScale
{
    const char *name;
    double size;
};

/// The largest unit in which the rounded figure is at least 1 (the first one below that).
std::string formatIn(double value, std::span<const NamedScale> units)
{
    if (!std::isfinite(value))
        return std::isnan(value) ? "not a number" : value > 0 ? "infinite" : "-infinite";
    if (value < 0)
        return '-' + formatIn(-value, units);
    const NamedScale *unit = &units.front();
    for (const NamedScale &candidate : units) {
        if (rounded(value / candidate.size, 3) >= 1)
            unit = &candidate;
    }
    return figure(value / unit->size) + ' ' + unit->name;
}

constexpr std::array<NamedScale, 6> byteRates{
    {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}, {"PB/s", 1e15}}};
constexpr std::array<NamedScale, 6> bitRates{
    {{"b/s", 1}, {"kb/s", 1e3}, {"Mb/s", 1e6}, {"Gb/s", 1e9}, {"Tb/s", 1e12}, {"Pb/s", 1e15}}};
constexpr std::array<NamedScale, 6> flopRates{
    {{"FLOP/s", 1}, {"kFLOP/s", 1e3}, {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}}};
constexpr std::array<NamedScale, 6> binaryBytes{{{"B", 1}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0},
    {"TiB", 1099511627776.0}, {"PiB", 1125899906842624.0}}};
constexpr std::array<NamedScale, 4> shortDurations{{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};

/// The shortest decimal of `value`, moved by a power of ten that puts it in 1..999 where a unit allows.
std::string exactIn(double value, std::span<const Scale> units)
{
    if (value == 0)
        return "0 " + std::string(units.back().name);
    std::array<char, 64> buffer{};
    const auto [end, failure]
        = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
    std::string scientific(buffer.data(), failure == std::errc() ? end : buffer.data());
    const std::size_t e = scientific.find('e');
    if (e == std::string::npos)
        return scientific;
    std::string digits = scientific.substr(0, e);
    const int exponent = std::stoi(scientific.substr(e + 1));
    if (const std::size_t point = digits.find('.'); point != std::string::npos)
        digits.erase(point, 1);
    // Units run from the largest to the smallest; figures below the smallest get leading zeros.
    const Scale *unit = &units.back();
    for (const Scale &candidate : units) {
        if (candidate.exponent <= exponent) {
            unit = &candidate;
            break;
        }
    }
    const int shift = exponent - unit->exponent; // digits before the point, less one
    std::string text;
    if (shift < 0) {
        text = "0." + std::string(static_cast<std::size_t>(-shift - 1), '0') + digits;
    } else {
        const std::size_t whole = static_cast<std::size_t>(shift) + 1;
        if (digits.size() <= whole)
            text = digits + std::string(whole - digits.size(), '0');
        else
            text = digits.substr(0, whole) + '.' + digits.substr(whole);
    }
    return text + ' ' + std::string(unit->name);
}

constexpr std::array<Scale, 6> exactByteRates{
    {{"PB/s", 15, 1}, {"TB/s", 12, 1}, {"GB/s", 9, 1}, {"MB/s", 6, 1}, {"kB/s", 3, 1}, {"B/s", 0, 1}}};
constexpr std::array<Scale, 6> exactBitRates{
    {{"Pb/s", 15, 1}, {"Tb/s", 12, 1}, {"Gb/s", 9, 1}, {"Mb/s", 6, 1}, {"kb/s", 3, 1}, {"b/s", 0, 1}}};
constexpr std::array<Scale, 6> exactFlopRates{{{"PFLOP/s", 15, 1}, {"TFLOP/s", 12, 1}, {"GFLOP/s", 9, 1},
    {"MFLOP/s", 6, 1}, {"kFLOP/s", 3, 1}, {"FLOP/s", 0, 1}}};
constexpr std::array<Scale, 4> exactDurations{{{"s", 0, 1}, {"ms", -3, 1}, {"us", -6, 1}, {"ns", -9, 1}}};

} // namespace

Result<BytesPerSecond> parseBandwidth(std::string_view text)
{
    const char *expected = "a bandwidth with its unit, such as \"25 GB/s\" (bytes) or \"200 Gb/s\" (bits)";
    const auto parts = split(text);
    if (!parts)
        return refuse(text, expected, numberRemedy(text, "Write a number and a unit."));
    const Scale *bytes = prefixBefore(parts->unit, byteRateEndings);
    const Scale *bits = bytes ? nullptr : prefixBefore(parts->unit, bitRateEndings);
    if (!bytes && !bits) {
        return refuse(text, expected,
            numberRemedy(parts->unit,
                parts->unit.empty() ? "Add the unit: bits and bytes differ by eight."
                                    : "Write b for bits or B for bytes, then /s."));
    }
    const auto value = valueOf(*parts, bytes ? *bytes : *bits);
    if (!value || !(*value > 0))
        return refuse(text, expected, "A bandwidth must be above zero; set the state of the link to down to cut it.");
    return BytesPerSecond(bytes ? *value : *value / 8);
}

bool isGivenInBits(std::string_view bandwidth)
{
    const auto parts = split(bandwidth);
    return parts && !prefixBefore(parts->unit, byteRateEndings) && prefixBefore(parts->unit, bitRateEndings);
}

Result<Seconds> parseDuration(std::string_view text)
{
    const char *expected = "a duration with its unit, such as \"1.5 us\"";
    const auto parts = split(text);
    if (!parts)
        return refuse(text, expected, numberRemedy(text, "Write a number and a unit."));
    for (const Scale &unit : durationUnits) {
        if (unit.name != parts->unit)
            continue;
        const auto value = valueOf(*parts, unit);
        if (!value)
            return refuse(text, expected, "The number is too large or too small.");
        return Seconds(*value);
    }
    return refuse(text, expected, numberRemedy(parts->unit, "Units: ns, us, ms, s, min, h."));
}

Result<Bytes> parseBytes(std::string_view text)
{
    const char *expected = "a size in bytes with its unit, such as \"80 GiB\" or \"24 GB\"";
    const auto parts = split(text);
    if (!parts)
        return refuse(text, expected, numberRemedy(text, "Write a number and a unit."));
    const Scale *prefix = prefixBefore(parts->unit, byteEndings);
    if (!prefix)
        return refuse(text, expected, numberRemedy(parts->unit, "Units: B, kB, MB, GB, TB or KiB, MiB, GiB, TiB."));
    // Whole numbers of bytes are read as such: a double holds them only up to 2^53.
    if (prefix->name.empty() && parts->exponent == 0 && parts->digits.find('.') == std::string::npos) {
        std::int64_t whole = 0;
        const char *last = parts->digits.data() + parts->digits.size();
        const auto [end, failure] = std::from_chars(parts->digits.data(), last, whole);
        if (failure == std::errc() && end == last)
            return Bytes(whole);
    }
    const auto value = valueOf(*parts, *prefix);
    if (!value || *value >= 9.2e18)
        return refuse(text, expected, "The number is too large.");
    return Bytes(static_cast<std::int64_t>(std::llround(*value)));
}

Result<FlopsPerSecond> parseFlops(std::string_view text)
{
    const char *expected = "a compute rate with its unit, such as \"312 TFLOP/s\"";
    const auto parts = split(text);
    if (!parts)
        return refuse(text, expected, numberRemedy(text, "Write a number and a unit."));
    const Scale *prefix = prefixBefore(parts->unit, flopEndings);
    if (!prefix)
        return refuse(text, expected, numberRemedy(parts->unit, "Units: GFLOP/s, TFLOP/s, PFLOP/s."));
    const auto value = valueOf(*parts, *prefix);
    if (!value || !(*value > 0))
        return refuse(text, expected, "A compute rate must be above zero.");
    return FlopsPerSecond(*value);
}

std::string formatBandwidth(BytesPerSecond b) { return formatIn(b.value, byteRates); }

std::string formatBandwidthBits(BytesPerSecond b) { return formatIn(b.value * 8, bitRates); }

std::string formatDuration(Seconds s)
{
    if (!std::isfinite(s.value))
        return formatIn(s.value, shortDurations);
    if (s.value < 0)
        return '-' + formatDuration(Seconds(-s.value));
    if (s.value == 0)
        return "0 s";
    if (s.value >= 7200)
        return digitsWithPoint(s.value / 3600, s.value >= 360000 ? 0 : 1) + " h";
    if (s.value >= 120)
        return digitsWithPoint(s.value / 60, 1) + " min";
    return formatIn(s.value, shortDurations);
}

std::string formatBytes(Bytes b) { return formatIn(static_cast<double>(b.value), binaryBytes); }

std::string formatFlops(FlopsPerSecond f) { return formatIn(f.value, flopRates); }

std::string exactBandwidth(BytesPerSecond b, bool inBits)
{
    return inBits ? exactIn(b.value * 8, exactBitRates) : exactIn(b.value, exactByteRates);
}

std::string exactDuration(Seconds s) { return exactIn(s.value, exactDurations); }

std::string exactBytes(Bytes b)
{
    static constexpr std::array<Scale, 8> units{{{"TiB", 0, 1099511627776.0}, {"TB", 0, 1e12}, {"GiB", 0, 1073741824.0},
        {"GB", 0, 1e9}, {"MiB", 0, 1048576.0}, {"MB", 0, 1e6}, {"KiB", 0, 1024.0}, {"kB", 0, 1e3}}};
    // Halves too, so that "1.5 TiB" stays as it was.
    if (b.value > 0 && b.value < std::numeric_limits<std::int64_t>::max() / 2) {
        for (const Scale &unit : units) {
            const auto size = static_cast<std::int64_t>(unit.factor);
            if (b.value >= size && (b.value * 2) % size == 0 && b.value * 2 / size < (std::int64_t(1) << 52))
                return digitsWithPoint(0.5 * static_cast<double>(b.value * 2 / size), 1) + ' ' + std::string(unit.name);
        }
    }
    return std::to_string(b.value) + " B";
}

std::string exactFlops(FlopsPerSecond f) { return exactIn(f.value, exactFlopRates); }

} // namespace polyrail
