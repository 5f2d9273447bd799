// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstddef> // before <compare>: Qt 6.4 moc cannot parse <concepts> when it comes first
#include <compare>
#include <cstdint>

namespace polyrail {

/// A number with a unit. Two quantities of different units do not mix; `value` is the
/// number in the unit that the alias below names.
template<class Tag, class Rep>
struct Quantity
{
    Rep value{};

    constexpr Quantity() = default;
    constexpr explicit Quantity(Rep v) : value(v) {}

    constexpr auto operator<=>(const Quantity &) const = default;
    constexpr Quantity &operator+=(Quantity o) { value += o.value; return *this; }
    constexpr Quantity &operator-=(Quantity o) { value -= o.value; return *this; }
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value + b.value); }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value - b.value); }
    friend constexpr Quantity operator*(Quantity a, Rep k) { return Quantity(a.value * k); }
    friend constexpr Quantity operator*(Rep k, Quantity a) { return Quantity(a.value * k); }
};

/// Schedule time. Integer, so that equal problems give equal schedules on every machine.
using Nanoseconds = Quantity<struct NanosecondsTag, std::int64_t>;
using Bytes = Quantity<struct BytesTag, std::int64_t>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag, double>;
/// Real-valued durations of cost formulas, before they are rounded up into a schedule.
using Seconds = Quantity<struct SecondsTag, double>;

/// Rounds up: a schedule may be longer than the formula by less than 1 ns, never shorter. Lower
/// bounds computed in Seconds therefore stay below simulated times.
inline Nanoseconds toNanoseconds(Seconds s)
{
    return Nanoseconds(static_cast<std::int64_t>(std::ceil(s.value * 1e9 - 1e-6)));
}
constexpr Seconds toSeconds(Nanoseconds t) { return Seconds(static_cast<double>(t.value) * 1e-9); }

constexpr Bytes gib(double n) { return Bytes(static_cast<std::int64_t>(n * 1073741824.0)); }
constexpr BytesPerSecond gigabytesPerSecond(double n) { return BytesPerSecond(n * 1e9); }

} // namespace polyrail
