// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/topo_tables.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace polyrail {

namespace {

constexpr std::size_t mostCells = 4096; // of a row or header

bool isNumber(std::string_view word)
{
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// What a fold may leave of a heading at the end of a line: "NI", "Affin".
bool isCutHeading(std::string_view word)
{
    static constexpr std::array<std::string_view, 7> headings{"GPU", "NIC", "CPU", "NUMA", "Affinity", "ID", "mlx5_"};
    return std::any_of(headings.begin(), headings.end(), [&](std::string_view h) { return h.starts_with(word); });
}

/// A header is read word by word; the words are kept, because a fold may have cut the last one in two.
struct HeaderText
{
    std::vector<Word> words;
    TopoHeader header;
};

/// The columns that the words name, or nothing when they are no header. `words` may begin with other text (a
/// prompt, a comment sign).
std::optional<HeaderText> headerIn(const std::vector<Word> &words)
{
    std::vector<Word> parts;
    for (const Word &word : words) {
        std::size_t column = word.column;
        for (const std::string &part : unglued(word.text)) {
            parts.push_back({part, column, 0});
            column += part.size();
        }
    }
    const auto first = std::find_if(parts.begin(), parts.end(), [](const Word &w) { return isGpuName(w.text); });
    if (first == parts.end() || parts.size() > mostCells)
        return std::nullopt;
    HeaderText out;
    out.words.assign(first, parts.end());
    TopoHeader &header = out.header;
    std::size_t i = 0;
    for (; i < out.words.size() && isColumnName(out.words[i].text); ++i) {
        if (!cellsIn(out.words[i].text).empty())
            return std::nullopt; // a row
        header.columns.push_back(out.words[i].text);
    }
    for (; i < out.words.size(); ++i) {
        const std::string &word = out.words[i].text;
        if (word == "CPU")
            header.tail.push_back({TopoTail::Cpu, out.words[i].column});
        else if (word == "NUMA" && out.words[i - 1].text == "GPU")
            header.tail.push_back({TopoTail::GpuNuma, out.words[i - 1].column});
        else if (word == "NUMA")
            header.tail.push_back({TopoTail::Numa, out.words[i].column});
        else if (word != "Affinity" && word != "GPU" && word != "ID"
            && !(i + 1 == out.words.size() && header.columns.size() > 1 && isCutHeading(word)))
            return std::nullopt; // a sentence that begins with a GPU
    }
    return out;
}

/// Cells from `words[first]` on; what follows them goes to `tail`.
void takeCells(const std::vector<Word> &words, std::size_t first, TopoRow &row, std::size_t wanted)
{
    std::size_t i = first;
    for (; i < words.size() && row.cells.size() < wanted; ++i) {
        const auto cells = cellsIn(words[i].text);
        if (cells.empty())
            break;
        row.cells.insert(row.cells.end(), cells.begin(), cells.end());
    }
    row.tail.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
}

/// "GPU1NV18" -> "GPU1", "NV18": a row that lost its first tab.
std::vector<Word> withSplitLabels(const std::vector<Word> &words)
{
    std::vector<Word> out;
    for (const Word &word : words) {
        const bool name = word.text.starts_with("GPU") || word.text.starts_with("NIC");
        const std::size_t end = name ? word.text.find_first_not_of("0123456789", 3) : std::string::npos;
        if (end != std::string::npos && end > 3 && !cellsIn(std::string_view(word.text).substr(end)).empty()) {
            out.push_back({word.text.substr(0, end), word.column, word.tabsBefore});
            out.push_back({word.text.substr(end), word.column + end, 0});
        } else {
            out.push_back(word);
        }
    }
    return out;
}

class TableReader
{
public:
    explicit TableReader(const std::vector<std::string> &lines)
    {
        for (const std::string &line : lines)
            take(withSplitLabels(wordsOf(line)));
        finish();
    }

    std::vector<TopoTable> tables;

private:
    void take(const std::vector<Word> &words)
    {
        if (words.empty()) {
            m_rowGoesOn = m_headerGoesOn = false;
            return;
        }
        if (std::any_of(words.begin(), words.end(), [](const Word &w) { return w.text == "topo"; })) {
            // A command line starts a new table.
            finish();
            m_pcieOnly = std::any_of(words.begin(), words.end(), [](const Word &w) { return w.text == "-mp"; });
            return;
        }
        if (takeRow(words))
            return;
        if (m_headerGoesOn && continueHeader(words))
            return;
        if (auto header = headerIn(words)) {
            finish();
            setHeader(std::move(*header));
            return;
        }
        if (m_rowGoesOn)
            continueRow(words);
    }

    void setHeader(HeaderText header)
    {
        m_headerWords = std::move(header.words);
        m_table.header = std::move(header.header);
        m_names = {m_table.header->columns.begin(), m_table.header->columns.end()};
        m_headerGoesOn = true;
    }

    /// A folded header goes on, perhaps within a word: "NIC1" + "1", "NI" + "C2".
    bool continueHeader(const std::vector<Word> &words)
    {
        std::vector<Word> apart = m_headerWords;
        apart.insert(apart.end(), words.begin(), words.end());
        std::vector<Word> joined = m_headerWords;
        joined.back().text += words.front().text;
        joined.insert(joined.end(), words.begin() + 1, words.end());
        const bool cut = !isColumnName(m_headerWords.back().text) || isNumber(words.front().text);
        for (const auto &candidate : {cut ? joined : apart, cut ? apart : joined}) {
            if (auto header = headerIn(candidate)) {
                setHeader(std::move(*header));
                return true;
            }
        }
        return false;
    }

    bool isLabel(const std::string &word) const
    {
        if (isGpuName(word))
            return true;
        if (m_table.header)
            return m_names.count(word) != 0;
        return isColumnName(word) && cellsIn(word).empty() && !m_table.rows.empty();
    }

    std::size_t columnCount() const
    {
        if (m_table.header)
            return m_table.header->columns.size();
        return m_table.rows.empty() ? mostCells : m_table.rows.front().cells.size();
    }

    bool takeRow(const std::vector<Word> &words)
    {
        for (std::size_t i = 0; i + 1 < words.size(); ++i) {
            if (!isLabel(words[i].text) || cellsIn(words[i + 1].text).empty())
                continue;
            TopoRow row;
            row.label = words[i].text;
            if (m_labels.count(row.label) != 0)
                finish(); // seen already: a machine printed once more
            takeCells(words, i + 1, row, columnCount());
            m_labels.insert(row.label);
            m_table.rows.push_back(std::move(row));
            m_rowGoesOn = true;
            m_headerGoesOn = false;
            return true;
        }
        return false;
    }

    /// A folded row goes on: cells first, perhaps with one cut in two at the fold, then the affinities.
    void continueRow(std::vector<Word> words)
    {
        TopoRow &row = m_table.rows.back();
        const bool open = !m_table.header && m_table.rows.size() == 1; // nobody knows how long a row is
        const std::size_t wanted = open ? mostCells : columnCount();
        if (std::any_of(words.begin(), words.end(), [](const Word &w) { return w.text == "="; }))
            return; // the legend
        if (row.cells.size() >= wanted || (open && isAffinity(words.front().text) && row.tail.empty())) {
            if (isAffinity(words.front().text) && row.tail.size() < 3) {
                row.foldedTail = true;
                row.tail.insert(row.tail.end(), words.begin(), words.end());
            }
            return;
        }
        if (row.tail.size() == 1 && !cellsIn(row.tail[0].text + words[0].text).empty()) {
            words[0].text = row.tail[0].text + words[0].text;
        } else if (row.tail.empty() && isNumber(words[0].text) && !row.cells.empty()
            && row.cells.back().relation == TopoRelation::NvLink) {
            words[0].text = "NV" + std::to_string(row.cells.back().links) + words[0].text;
            if (cellsIn(words[0].text).size() != 1)
                return;
            row.cells.pop_back();
        } else if (!row.tail.empty() || cellsIn(words[0].text).empty()) {
            return;
        }
        takeCells(words, 0, row, wanted);
        row.foldedTail = true;
    }

    static bool isAffinity(const std::string &word)
    {
        return word == "N/A" || (word.find_first_not_of("0123456789,-") == std::string::npos);
    }

    void finish()
    {
        if (!m_table.rows.empty() || m_table.header) {
            m_table.pcieOnly = m_pcieOnly;
            tables.push_back(std::move(m_table));
        }
        m_table = TopoTable();
        m_names.clear();
        m_labels.clear();
        m_rowGoesOn = m_headerGoesOn = false;
    }

    TopoTable m_table;
    std::vector<Word> m_headerWords;
    std::set<std::string> m_names; ///< columns of the header
    std::set<std::string> m_labels; ///< rows so far
    bool m_pcieOnly = false;
    bool m_headerGoesOn = false; ///< the line before belongs to the header
    bool m_rowGoesOn = false; ///< the line before belongs to a row
};

} // namespace

std::vector<TopoTable> topoTables(const std::vector<std::string> &lines)
{
    return std::move(TableReader(lines).tables);
}

} // namespace polyrail
