// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/lenient_json.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace polyrail {

namespace {

constexpr std::size_t mostBytes = std::size_t(64) << 20;
constexpr int mostLevels = 512;
constexpr std::size_t shownLength = 40;
constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";

std::string lineAndColumn(std::string_view text, std::size_t byte)
{
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

bool isWordPart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The bare literal that starts at `i`, or nothing.
std::string_view literalAt(std::string_view text, std::size_t i)
{
    if ((text[i] != 'N' && text[i] != 'I' && text[i] != '-') || (i > 0 && isWordPart(text[i - 1])))
        return {};
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
        const std::size_t end = i + word.size();
        if (text.substr(i, word.size()) == word && (end == text.size() || !isWordPart(text[end])))
            return word;
    }
    return {};
}

/// The text with its literals replaced, and where each piece came from, so that errors name the original place.
struct StrictText
{
    std::string text;
    std::vector<std::pair<std::size_t, std::size_t>> origins{{0, 0}}; ///< position here, position in the original
    std::vector<std::string> notes;
    int levels = 0;

    explicit StrictText(std::string_view original)
    {
        text.reserve(original.size() + 16);
        bool inString = false;
        int level = 0;
        for (std::size_t i = 0; i < original.size(); ++i) {
            const char c = original[i];
            if (inString) {
                text += c;
                if (c == '\\' && i + 1 < original.size())
                    text += original[++i];
                else if (c == '"')
                    inString = false;
                continue;
            }
            const std::string_view literal = literalAt(original, i);
            if (!literal.empty()) {
                notes.push_back(lineAndColumn(original, i) + ": the literal " + std::string(literal)
                                + ", which JSON does not have, was read as null.");
                text += "null";
                i += literal.size() - 1;
                origins.emplace_back(text.size(), i + 1);
                continue;
            }
            inString = c == '"';
            if (c == '[' || c == '{')
                levels = std::max(levels, ++level);
            else if (c == ']' || c == '}')
                --level;
            text += c;
        }
    }

    std::size_t original(std::size_t position) const
    {
        auto piece = origins.begin();
        while (piece + 1 != origins.end() && (piece + 1)->first <= position)
            ++piece;
        return piece->second + (position - piece->first);
    }
};

/// nlohmann's "[json.exception...] parse error at line 1, column 2: syntax error while parsing value - unexpected ..."
/// without what the caller says better.
std::string syntaxProblem(const std::string &what)
{
    std::size_t at = what.find("syntax error");
    if (at == std::string::npos)
        at = what.find(": ");
    return at == std::string::npos ? what : what.substr(at);
}

} // namespace

Result<LenientJson> parseLenientJson(std::string_view text)
{
    if (text.size() > mostBytes)
        return inputError({}, std::to_string(text.size() >> 20) + " MiB", "at most 64 MiB of JSON", "");
    std::size_t skipped = 0;
    if (text.substr(0, byteOrderMark.size()) == byteOrderMark)
        skipped = byteOrderMark.size();
    StrictText strict(text.substr(skipped));
    if (strict.levels > mostLevels)
        return inputError({}, std::to_string(strict.levels) + " nested levels",
                          "at most " + std::to_string(mostLevels), "");
    try {
        return LenientJson{nlohmann::json::parse(strict.text), std::move(strict.notes)};
    } catch (const nlohmann::json::parse_error &e) {
        // `byte` counts from one, and stands on the last character of the token that does not fit.
        const std::size_t at = strict.original(e.byte > 0 ? e.byte - 1 : 0);
        return inputError(lineAndColumn(text, at + skipped), syntaxProblem(e.what()), "JSON",
                          "Correct the file at this place; a JSON checker shows the same spot.");
    } catch (const nlohmann::json::exception &e) { // a number out of range
        return inputError({}, e.what(), "JSON with numbers in the range of a double", "");
    }
}

std::string describeJson(const nlohmann::json &value)
{
    if (value.is_array())
        return "a list of " + std::to_string(value.size());
    if (value.is_object())
        return "an object";
    std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (text.size() > shownLength) {
        std::size_t cut = shownLength;
        while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
            --cut; // not inside a character of several bytes
        text = text.substr(0, cut) + "...";
    }
    return text;
}

std::string pointerPart(std::string_view key)
{
    std::string part;
    for (const char c : key) {
        if (c == '~')
            part += "~0";
        else if (c == '/')
            part += "~1";
        else
            part += c;
    }
    return part;
}

} // namespace polyrail
