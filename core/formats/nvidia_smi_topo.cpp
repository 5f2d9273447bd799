// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/nvidia_smi_topo.hpp"

#include "core/formats/topo_tables.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace polyrail {

namespace {

constexpr std::size_t mostBytes = std::size_t(4) << 20;
constexpr std::size_t mostColumns = 512;

/// Columns of a table whose header is lost: GPUs are as many as there are GPU rows, or as far as NVLink and
/// the diagonal reach; the rest are NICs, named by their own rows if those are there.
void inferHeader(TopoTable &table, std::vector<std::string> &warnings)
{
    std::size_t width = 0;
    std::size_t gpus = 0;
    std::vector<std::string> nicRows;
    std::vector<std::string> gpuRows;
    for (const TopoRow &row : table.rows) {
        width = std::max(width, row.cells.size());
        if (!isGpuName(row.label)) {
            nicRows.push_back(row.label);
            continue;
        }
        gpuRows.push_back(row.label);
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            if (row.cells[i].relation == TopoRelation::NvLink || row.cells[i].relation == TopoRelation::Self)
                gpus = std::max(gpus, i + 1);
        }
    }
    gpus = std::min(width, std::max(gpus, gpuRows.size()));
    TopoHeader header;
    for (std::size_t i = 0; i < gpus; ++i)
        header.columns.push_back(i < gpuRows.size() ? gpuRows[i] : "GPU" + std::to_string(i));
    for (std::size_t i = gpus; i < width; ++i) {
        const std::size_t n = i - gpus;
        header.columns.push_back(nicRows.size() == width - gpus ? nicRows[n] : "NIC" + std::to_string(n));
    }
    table.header = std::move(header);
    warnings.push_back("The header line is missing: the first " + std::to_string(gpus)
        + " columns were taken for GPUs, the other " + std::to_string(width - gpus) + " for NICs.");
}

/// Values of the affinity columns of one row.
std::map<TopoTail, std::string> tailOf(const TopoRow &row, const TopoHeader &header)
{
    std::map<TopoTail, std::string> values;
    const std::vector<Word> &words = row.tail;
    if (words.empty())
        return values;
    if (!row.foldedTail && std::any_of(words.begin(), words.end(), [](const Word &w) { return w.tabsBefore > 0; })) {
        // Tabs count cells: empty ones have a tab of their own, and one more stands before GPU NUMA ID.
        std::size_t field = 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
            field += std::max<std::size_t>(words[i].tabsBefore, i == 0 ? 1 : 0);
            if (field == 1 && i == 0)
                values[TopoTail::Cpu] = words[i].text;
            else if (field <= 2)
                values[TopoTail::Numa] = words[i].text;
        }
        return values;
    }
    if (header.tail.empty() || words.size() == header.tail.size()) {
        static constexpr std::array<TopoTail, 3> order{TopoTail::Cpu, TopoTail::Numa, TopoTail::GpuNuma};
        for (std::size_t i = 0; i < words.size() && i < 3; ++i)
            values[header.tail.empty() ? order[i] : header.tail[i].kind] = words[i].text;
        return values;
    }
    if (row.foldedTail)
        return values;
    // Aligned with blanks and some cells empty: the nearest heading counts.
    for (const Word &word : words) {
        const auto distance = [&](const TopoTailColumn &c) {
            return c.column > word.column ? c.column - word.column : word.column - c.column;
        };
        const auto nearest = std::min_element(header.tail.begin(), header.tail.end(),
            [&](const TopoTailColumn &a, const TopoTailColumn &b) { return distance(a) < distance(b); });
        values.emplace(nearest->kind, word.text);
    }
    return values;
}

std::string known(const std::string &value)
{
    return value == "N/A" || value == "n/a" || value == "-" ? std::string() : value;
}

std::string pairName(const TopoMatrix &m, std::size_t a, std::size_t b) { return m.name(a) + "-" + m.name(b); }

/// At most six of the names, then how many more.
std::string listed(const std::vector<std::string> &names)
{
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < 6; ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > 6 ? text + " and " + std::to_string(names.size() - 6) + " more" : text;
}

/// Cells of a table in the order of `m`'s vertices, made symmetric. `warnings` may be null.
std::vector<TopoCell> cellsOf(const TopoTable &table, const TopoMatrix &m, std::vector<std::string> *warnings)
{
    const std::size_t n = m.vertexCount();
    std::map<std::string, std::size_t> index;
    for (std::size_t v = 0; v < n; ++v)
        index.emplace(m.name(v), v);
    std::vector<TopoCell> cells(n * n);
    std::vector<std::string> shortRows;
    for (const TopoRow &row : table.rows) {
        const auto r = index.find(row.label);
        if (r == index.end())
            continue;
        if (row.cells.size() < table.header->columns.size())
            shortRows.push_back(row.label);
        for (std::size_t c = 0; c < row.cells.size() && c < table.header->columns.size(); ++c)
            cells[r->second * n + index.at(table.header->columns[c])] = row.cells[c];
    }
    std::vector<std::string> disagree;
    for (std::size_t a = 0; a < n; ++a) {
        cells[a * n + a] = {TopoRelation::Self, 0};
        for (std::size_t b = a + 1; b < n; ++b) {
            TopoCell &one = cells[a * n + b];
            TopoCell &other = cells[b * n + a];
            if (one.relation == TopoRelation::Self)
                one = {};
            if (other.relation == TopoRelation::Self)
                other = {};
            if (one.relation == TopoRelation::Unknown)
                one = other;
            else if (other.relation == TopoRelation::Unknown)
                other = one;
            else if (!(one == other)) {
                disagree.push_back(pairName(m, a, b));
                // The farther, or the one with fewer links, is the safer reading.
                const bool first = std::pair(one.relation, -one.links) > std::pair(other.relation, -other.links);
                (first ? other : one) = first ? one : other;
            }
        }
    }
    if (warnings && !shortRows.empty())
        warnings->push_back("Rows with fewer cells than there are columns: " + listed(shortRows) + '.');
    if (warnings && !disagree.empty())
        warnings->push_back(
            "The two halves of the matrix disagree about " + listed(disagree) + "; the slower reading was taken.");
    return cells;
}

void readSurroundings(const std::vector<std::string> &lines, TopoMatrix &m)
{
    for (const std::string &line : lines) {
        // "GPU 0: NVIDIA A40 (UUID: ...)" as nvidia-smi -L prints it.
        const std::size_t start = line.find_first_not_of(" \t#>");
        if (start != std::string::npos && line.compare(start, 4, "GPU ") == 0) {
            const std::size_t colon = line.find(": ", start);
            const std::size_t end = line.find(" (UUID", start);
            if (colon != std::string::npos && end != std::string::npos && end > colon) {
                const std::string name = "GPU" + line.substr(start + 4, colon - start - 4);
                if (isGpuName(name))
                    m.gpuModels.emplace(name, line.substr(colon + 2, end - colon - 2));
            }
        }
        // "NIC0: mlx5_0", one or several on a line.
        const auto words = wordsOf(line);
        for (std::size_t i = 0; i + 1 < words.size(); ++i) {
            std::string name = words[i].text;
            if (name.size() > 4 && name.starts_with("NIC") && name.back() == ':' && isColumnName(words[i + 1].text)) {
                name.pop_back();
                m.nicNames.emplace(name, words[i + 1].text);
            }
        }
    }
}

/// Refusals of tables that look alike, with what to do instead; nothing when it is none of them.
std::optional<Error> lookAlike(const std::vector<std::string> &lines)
{
    const std::set<std::string> statuses{"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"};
    for (const std::string &line : lines) {
        const auto words = wordsOf(line);
        if (line.find("ppu-smi") != std::string::npos)
            return Error{ErrorKind::Input, "", "the output of ppu-smi (Alibaba PPU)", "nvidia-smi topo -m",
                "PPUs are not in the catalogue; draw the cluster by hand."};
        for (const char *sign : {"Weight between two GPUs", "Hops between two GPUs", "Link Type between two GPUs"}) {
            if (line.find(sign) != std::string::npos)
                return Error{ErrorKind::Input, "", "the output of rocm-smi --showtopo", "nvidia-smi topo -m",
                    "AMD machines cannot be imported from it; draw the cluster by hand."};
        }
        for (std::size_t i = 0; i + 1 < words.size(); ++i) {
            if (!isGpuName(words[i].text))
                continue;
            std::size_t status = 0;
            bool icn = false;
            for (std::size_t k = i + 1; k < words.size(); ++k) {
                status += statuses.count(words[k].text);
                icn = icn
                    || (words[k].text.size() > 3 && words[k].text.starts_with("ICN")
                        && words[k].text.find_first_not_of("0123456789", 3) == std::string::npos);
            }
            if (icn)
                return Error{ErrorKind::Input, "", "ICN# cells, which another vendor's tool prints (ppu-smi)",
                    "nvidia-smi topo -m", "These devices are not in the catalogue; draw the cluster by hand."};
            if (status > 0)
                return Error{ErrorKind::Input, "",
                    "the output of nvidia-smi topo -p2p (what is possible, not how it is wired)", "nvidia-smi topo -m",
                    "Run `nvidia-smi topo -m` on the same machine."};
        }
    }
    return std::nullopt;
}

bool sameColumns(const TopoTable &a, const TopoTable &b)
{
    return std::set<std::string>(a.header->columns.begin(), a.header->columns.end())
        == std::set<std::string>(b.header->columns.begin(), b.header->columns.end());
}

bool hasNvLink(const TopoTable &table)
{
    for (const TopoRow &row : table.rows) {
        for (const TopoCell &cell : row.cells) {
            if (cell.relation == TopoRelation::NvLink)
                return true;
        }
    }
    return false;
}

Result<void> checkColumns(const TopoTable &table)
{
    const auto &columns = table.header->columns;
    if (columns.size() > mostColumns)
        return inputError("", std::to_string(columns.size()) + " columns", "at most " + std::to_string(mostColumns),
            "Give the matrix of one machine.");
    std::set<std::string> seen;
    for (const std::string &column : columns) {
        if (!seen.insert(column).second)
            return inputError(
                "", "the column " + column + " twice", "each column once", "Paste the matrix again, with its tabs.");
    }
    return {};
}

void reportUnknown(TopoMatrix &m)
{
    std::vector<std::string> pairs;
    for (std::size_t a = 0; a < m.gpus.size(); ++a) {
        for (std::size_t b = a + 1; b < m.gpus.size(); ++b) {
            if (m.at(a, b).relation == TopoRelation::Unknown)
                pairs.push_back(pairName(m, a, b));
        }
    }
    if (!pairs.empty())
        m.warnings.push_back(std::to_string(pairs.size())
            + (pairs.size() == 1 ? " pair of GPUs is" : " pairs of GPUs are")
            + " not given (rows were cut): " + listed(pairs) + ". How they are joined is unknown.");
    std::vector<std::string> nics;
    for (std::size_t g = 0; g < m.gpus.size(); ++g) {
        for (std::size_t k = m.gpus.size(); k < m.vertexCount(); ++k) {
            if (m.at(g, k).relation == TopoRelation::Unknown) {
                nics.push_back(m.gpus[g]);
                break;
            }
        }
    }
    if (!nics.empty())
        m.warnings.push_back("Not given: which NICs are near " + listed(nics) + '.');
}

} // namespace

const char *toString(TopoRelation r)
{
    static constexpr std::array<const char *, 8> names{"X", "NV", "PIX", "PXB", "PHB", "NODE", "SYS", "unknown"};
    return names[static_cast<std::size_t>(r)];
}

bool looksLikeNvidiaSmiTopo(std::string_view text)
{
    const auto lines = plainLines(text.substr(0, mostBytes));
    const auto tables = topoTables(lines);
    return std::any_of(tables.begin(), tables.end(), [](const TopoTable &t) { return !t.rows.empty(); })
        || lookAlike(lines).has_value();
}

Result<TopoMatrix> parseNvidiaSmiTopo(std::string_view text)
{
    if (text.size() > mostBytes)
        return inputError("", std::to_string(text.size()) + " bytes", "the output of nvidia-smi topo -m",
            "Give the matrix of one machine.");
    const auto lines = plainLines(text);
    std::vector<TopoTable> tables = topoTables(lines);
    const bool headerOnly = !tables.empty();
    tables.erase(
        std::remove_if(tables.begin(), tables.end(), [](const TopoTable &t) { return t.rows.empty(); }), tables.end());
    // A look-alike still shows the X of its first row.
    const bool cells = std::any_of(tables.begin(), tables.end(), [](const TopoTable &t) {
        return std::any_of(t.rows.begin(), t.rows.end(), [](const TopoRow &r) { return r.cells.size() > 1; });
    });
    if (!cells) {
        if (auto error = lookAlike(lines))
            return fail(std::move(*error));
    }
    if (tables.empty())
        return inputError("", headerOnly ? "the header of a GPU matrix, but none of its rows" : "no GPU matrix",
            "the output of nvidia-smi topo -m", "Run `nvidia-smi topo -m` and give everything that it prints.");
    TopoMatrix m;
    for (TopoTable &table : tables) {
        if (!table.header)
            inferHeader(table, m.warnings);
        if (auto ok = checkColumns(table); !ok)
            return fail(ok.error());
    }
    auto chosen = std::find_if(tables.begin(), tables.end(), hasNvLink);
    if (chosen == tables.end())
        chosen = tables.begin();
    for (const std::string &column : chosen->header->columns)
        (isGpuName(column) ? m.gpus : m.nics).push_back(column);
    if (m.gpus.empty())
        return inputError("", "a matrix without GPUs", "at least one GPU row", "Run `nvidia-smi topo -m`.");
    m.cells = cellsOf(*chosen, m, &m.warnings);
    m.pcieOnly = chosen->pcieOnly;
    for (const TopoTable &table : tables) {
        if (&table == &*chosen)
            continue;
        if (sameColumns(table, *chosen) && m.pcie.empty() && !hasNvLink(table))
            m.pcie = cellsOf(table, m, nullptr);
        else if (!sameColumns(table, *chosen))
            m.warnings.push_back("The text holds a further matrix, of another machine; only one was read.");
    }
    m.cpuAffinity.resize(m.gpus.size());
    m.numaAffinity.resize(m.gpus.size());
    for (const TopoRow &row : chosen->rows) {
        const auto gpu = std::find(m.gpus.begin(), m.gpus.end(), row.label);
        if (gpu == m.gpus.end() || row.cells.size() < chosen->header->columns.size())
            continue;
        auto values = tailOf(row, *chosen->header);
        const auto at = static_cast<std::size_t>(gpu - m.gpus.begin());
        m.cpuAffinity[at] = known(values[TopoTail::Cpu]);
        m.numaAffinity[at] = known(values[TopoTail::Numa]);
    }
    readSurroundings(lines, m);
    if (m.pcieOnly && !hasNvLink(*chosen))
        m.warnings.push_back(
            "This is `topo -mp`, which hides NVLink: if the board has it, add it by hand or import `topo -m`.");
    reportUnknown(m);
    return m;
}

} // namespace polyrail
