// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/csv_table.hpp"

namespace polyrail {

namespace {

/// Splits the text into records of fields; empty lines are skipped.
class Reader
{
public:
    explicit Reader(std::string_view text) : m_text(text)
    {
        if (m_text.substr(0, 3) == "\xEF\xBB\xBF")
            m_text.remove_prefix(3);
    }

    /// False at the end. `line` is where the record began.
    Result<bool> next(std::vector<std::string> &fields, std::size_t &line)
    {
        while (m_at < m_text.size() && (m_text[m_at] == '\n' || m_text[m_at] == '\r')) {
            m_line += m_text[m_at] == '\n';
            ++m_at;
        }
        fields.clear();
        line = m_line;
        if (m_at >= m_text.size())
            return false;
        for (;;) {
            std::string field;
            if (m_at < m_text.size() && m_text[m_at] == '"') {
                if (!quoted(field))
                    return inputError("line " + std::to_string(line), "a quoted field without its closing quote", "\"",
                                      "Close the quote.");
            }
            while (m_at < m_text.size() && m_text[m_at] != ',' && m_text[m_at] != '\n' && m_text[m_at] != '\r')
                field += m_text[m_at++];
            fields.push_back(std::move(field));
            if (m_at >= m_text.size() || m_text[m_at] != ',')
                return true;
            ++m_at;
        }
    }

private:
    bool quoted(std::string &field)
    {
        ++m_at;
        for (; m_at < m_text.size(); ++m_at) {
            m_line += m_text[m_at] == '\n';
            if (m_text[m_at] != '"') {
                field += m_text[m_at];
            } else if (m_at + 1 < m_text.size() && m_text[m_at + 1] == '"') {
                field += '"';
                ++m_at;
            } else {
                ++m_at;
                return true;
            }
        }
        return false;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_line = 1;
};

} // namespace

Result<CsvTable> CsvTable::parse(std::string_view text)
{
    CsvTable table;
    Reader reader(text);
    std::vector<std::string> fields;
    std::size_t line = 0;
    auto more = reader.next(fields, line);
    if (!more)
        return fail(more.error());
    if (!*more)
        return inputError("line 1", "nothing", "a header line with column names");
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (!table.m_columns.emplace(fields[i], i).second)
            return inputError("line " + std::to_string(line), "column '" + fields[i] + "' twice", "each column once");
    for (;;) {
        more = reader.next(fields, line);
        if (!more)
            return fail(more.error());
        if (!*more)
            return table;
        table.m_rows.push_back(fields);
        table.m_lines.push_back(line);
    }
}

const std::string &CsvTable::field(std::size_t row, const std::string &column) const
{
    static const std::string empty;
    const auto at = m_columns.find(column);
    return at == m_columns.end() || at->second >= m_rows[row].size() ? empty : m_rows[row][at->second];
}

void appendCsvField(std::string &out, std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    out += '"';
}

} // namespace polyrail
