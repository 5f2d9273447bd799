// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/topo_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace polyrail {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// PowerShell writes redirected output as UTF-16; the matrix itself is ASCII.
std::string fromUtf16(std::string_view text, bool littleEndian)
{
    std::string out;
    for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
        const char low = text[littleEndian ? i : i + 1];
        const char high = text[littleEndian ? i + 1 : i];
        out += high == 0 && static_cast<unsigned char>(low) < 0x80 ? low : ' ';
    }
    return out;
}

/// Length of an escape sequence at the front of `text`, in bytes or spelled out ("\x1b[4m", "^[[0m"), or with
/// the escape character itself lost ("[4m"); 0 if there is none.
std::size_t escapeLength(std::string_view text)
{
    std::size_t at = 0;
    bool certain = true;
    if (text.starts_with('\x1b'))
        at = 1;
    else if (text.starts_with("\\x1b") || text.starts_with("\\033") || text.starts_with("\\e["))
        at = text[1] == 'e' ? 2 : 4;
    else if (text.starts_with("\\u001b"))
        at = 6;
    else if (text.starts_with("^[["))
        at = 2;
    else
        certain = false;
    if (certain && at < text.size() && text[at] == ']') { // a window title: up to BEL
        const std::size_t end = text.find('\a', at);
        return end == std::string_view::npos ? at + 1 : end + 1;
    }
    if (at >= text.size() || text[at] != '[')
        return certain ? at : 0;
    std::size_t end = at + 1;
    while (end < text.size() && (isDigit(text[end]) || text[end] == ';' || text[end] == '?'))
        ++end;
    if (end >= text.size())
        return certain ? end : 0;
    if (certain)
        return end + 1;
    return text[end] == 'm' && end > at + 1 ? end + 1 : 0;
}

/// {bytes, what they become}: no-break and other wide blanks, zero-width characters.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> blanks{
    {{"\xc2\xa0", " "}, {"\xe2\x80\xaf", " "}, {"\xe3\x80\x80", " "}, {"\xe2\x80\x83", " "}, {"\xe2\x80\x82", " "},
        {"\xe2\x80\x8b", ""}, {"\xef\xbb\xbf", ""}, {"\xe2\x94\x82", "|"}}};

} // namespace

std::vector<std::string> plainLines(std::string_view text)
{
    std::string decoded;
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
        decoded = fromUtf16(text, text.starts_with("\xff\xfe"));
        text = decoded;
    }
    std::vector<std::string> lines(1);
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view rest = text.substr(i);
        if (const std::size_t skip = escapeLength(rest); skip > 0) {
            i += skip;
            continue;
        }
        const auto blank = std::find_if(
            blanks.begin(), blanks.end(), [&](const auto &entry) { return rest.starts_with(entry.first); });
        if (blank != blanks.end()) {
            lines.back() += blank->second;
            i += blank->first.size();
            continue;
        }
        const char c = text[i++];
        if (c == '\r' || c == '\n') {
            if (c == '\r' && i < text.size() && text[i] == '\n')
                ++i;
            lines.emplace_back();
        } else if (c == '\t' || static_cast<unsigned char>(c) >= ' ') {
            lines.back() += c;
        }
    }
    for (std::string &line : lines) {
        // A table of Markdown: the bars are the cell borders.
        if (line.find_first_not_of(" \t") != std::string::npos && line[line.find_first_not_of(" \t")] == '|')
            std::replace(line.begin(), line.end(), '|', ' ');
        line.erase(line.find_last_not_of(" \t") + 1);
    }
    return lines;
}

std::vector<Word> wordsOf(const std::string &line)
{
    std::vector<Word> words;
    std::size_t tabs = 0;
    for (std::size_t i = 0; i < line.size();) {
        if (line[i] == ' ' || line[i] == '\t') {
            tabs += line[i] == '\t' ? 1 : 0;
            ++i;
            continue;
        }
        const std::size_t end = std::min(line.find_first_of(" \t", i), line.size());
        words.push_back({line.substr(i, end - i), i, tabs});
        tabs = 0;
        i = end;
    }
    return words;
}

bool isGpuName(std::string_view word)
{
    return word.size() > 3 && word.size() < 9 && word.starts_with("GPU")
        && std::all_of(word.begin() + 3, word.end(), isDigit);
}

bool isColumnName(std::string_view word)
{
    return !word.empty() && word.size() < 40 && isLetter(word.front())
        && std::all_of(word.begin(), word.end(),
            [](char c) { return isDigit(c) || isLetter(c) || c == '_' || c == '-' || c == '.'; })
        && std::any_of(word.begin(), word.end(), isDigit);
}

std::vector<std::string> unglued(const std::string &word)
{
    std::vector<std::string> parts;
    std::size_t start = 0;
    for (std::size_t i = 1; i < word.size(); ++i) {
        const std::string_view rest = std::string_view(word).substr(i);
        const bool name = rest.starts_with("GPU") || rest.starts_with("NIC") || rest.starts_with("mlx")
            || rest.starts_with("CPU") || rest.starts_with("NUMA");
        if (name && isDigit(word[i - 1])) {
            parts.push_back(word.substr(start, i - start));
            start = i;
        }
    }
    parts.push_back(word.substr(start));
    return parts;
}

std::vector<TopoCell> cellsIn(std::string_view word)
{
    static constexpr std::array<std::pair<std::string_view, TopoRelation>, 7> names{{{"X", TopoRelation::Self},
        {"PIX", TopoRelation::Pix}, {"PXB", TopoRelation::Pxb}, {"PHB", TopoRelation::Phb},
        {"NODE", TopoRelation::Node}, {"SYS", TopoRelation::Sys}, {"SOC", TopoRelation::Sys}}}; // drivers before 2017
    std::vector<TopoCell> cells;
    while (!word.empty()) {
        if (word.starts_with("NV")) {
            std::size_t end = 2;
            int links = 0;
            while (end < word.size() && end < 5 && isDigit(word[end]))
                links = links * 10 + (word[end++] - '0');
            if (end == 2 || links == 0)
                return {};
            cells.push_back({TopoRelation::NvLink, links});
            word.remove_prefix(end);
            continue;
        }
        const auto name = std::find_if(
            names.begin(), names.end(), [&](const auto &entry) { return word.starts_with(entry.first); });
        if (name == names.end())
            return {};
        cells.push_back({name->second, 0});
        word.remove_prefix(name->first.size());
    }
    return cells;
}

} // namespace polyrail
