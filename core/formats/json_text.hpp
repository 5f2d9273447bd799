// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace polyrail {

/// JSON that is written from front to back, without a document in memory: for files of millions of tasks.
/// The caller puts commas and brackets. Internal to core/formats.
class JsonText
{
public:
    JsonText &raw(std::string_view json)
    {
        m_text += json;
        return *this;
    }
    template<class Int>
    JsonText &integer(Int value)
    {
        static_assert(std::is_integral_v<Int>);
        return signedInteger(static_cast<std::int64_t>(value));
    }
    /// The shortest digits that read back as the same number; what JSON has no word for becomes null.
    JsonText &number(double value);
    /// Nanoseconds as microseconds with three decimals, exactly.
    JsonText &microseconds(std::int64_t nanoseconds);
    JsonText &quoted(std::string_view text);

    void reserve(std::size_t bytes) { m_text.reserve(bytes); }
    std::string take() { return std::move(m_text); }

private:
    JsonText &signedInteger(std::int64_t value);

    std::string m_text;
};

/// Text in quotes, with escapes; bytes that are not UTF-8 become U+FFFD.
std::string jsonQuoted(std::string_view text);

} // namespace polyrail
