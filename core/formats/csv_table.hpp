// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace polyrail {

/// Comma-separated values by RFC 4180 with a header line: double quotes where a field holds a comma, a quote or a line
/// break; LF or CRLF; a byte order mark is skipped. Rows may have the wrong number of fields: see complete().
class CsvTable
{
public:
    /// Errors: no header, a column named twice, a quote that is not closed (`where` is "line N").
    static Result<CsvTable> parse(std::string_view text);

    std::size_t rowCount() const { return m_rows.size(); }
    bool hasColumn(const std::string &name) const { return m_columns.count(name) != 0; }
    /// The field, or "" when the column or the field does not exist.
    const std::string &field(std::size_t row, const std::string &column) const;
    bool complete(std::size_t row) const { return m_rows[row].size() == m_columns.size(); }
    std::size_t line(std::size_t row) const { return m_lines[row]; } ///< of the file, from 1

private:
    std::unordered_map<std::string, std::size_t> m_columns;
    std::vector<std::vector<std::string>> m_rows;
    std::vector<std::size_t> m_lines;
};

/// Appends a field, quoted where it has to be.
void appendCsvField(std::string &out, std::string_view text);

} // namespace polyrail
