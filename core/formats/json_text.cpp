// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_text.hpp"

#include <charconv>
#include <cmath>

namespace polyrail {

namespace {

/// Length of the well-formed UTF-8 sequence at `at` (Unicode 15, table 3-7), or 0.
std::size_t sequenceLength(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t k) -> unsigned {
        return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0;
    };
    const auto follows = [&](std::size_t k, unsigned low, unsigned high) { return byte(k) >= low && byte(k) <= high; };
    const unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return follows(1, 0x80, 0xbf) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {
        const bool second = follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
        return second && follows(2, 0x80, 0xbf) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const bool second = follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
        return second && follows(2, 0x80, 0xbf) && follows(3, 0x80, 0xbf) ? 4 : 0;
    }
    return 0;
}

void appendQuoted(std::string &out, std::string_view text)
{
    out += '"';
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        const auto code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code < 0x80 && c != '"' && c != '\\') {
            out += c;
            ++i;
            continue;
        }
        const std::size_t length = sequenceLength(text, i);
        if (length == 0) {
            out += "\xef\xbf\xbd";
            ++i;
        } else if (length > 1) {
            out += text.substr(i, length);
            i += length;
        } else {
            switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default: {
                constexpr char digits[] = "0123456789abcdef";
                out += "\\u00";
                out += digits[code >> 4];
                out += digits[code & 15];
            }
            }
            ++i;
        }
    }
    out += '"';
}

} // namespace

JsonText &JsonText::signedInteger(std::int64_t value)
{
    char buffer[24];
    const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, value);
    m_text.append(buffer, end.ptr);
    return *this;
}

JsonText &JsonText::number(double value)
{
    if (!std::isfinite(value))
        return raw("null");
    char buffer[40];
    const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, value);
    m_text.append(buffer, end.ptr);
    return *this;
}

JsonText &JsonText::microseconds(std::int64_t nanoseconds)
{
    if (nanoseconds < 0) {
        m_text += '-';
        nanoseconds = -nanoseconds;
    }
    signedInteger(nanoseconds / 1000);
    const auto fraction = static_cast<int>(nanoseconds % 1000);
    m_text += '.';
    m_text += static_cast<char>('0' + fraction / 100);
    m_text += static_cast<char>('0' + fraction / 10 % 10);
    m_text += static_cast<char>('0' + fraction % 10);
    return *this;
}

JsonText &JsonText::quoted(std::string_view text)
{
    appendQuoted(m_text, text);
    return *this;
}

std::string jsonQuoted(std::string_view text)
{
    std::string out;
    appendQuoted(out, text);
    return out;
}

} // namespace polyrail
