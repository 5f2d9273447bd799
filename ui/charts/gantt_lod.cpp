// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/gantt_lod.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

/// First index >= `from` whose bar starts at or after `time`: doubling steps, then bisection, so near ones are cheap.
std::size_t firstStartingFrom(const std::vector<GanttBar> &bars, std::size_t from, double time)
{
    std::size_t step = 1;
    std::size_t low = from;
    while (low + step < bars.size() && static_cast<double>(bars[low + step].start) < time) {
        low += step;
        step *= 2;
    }
    const std::size_t high = std::min(low + step, bars.size());
    const auto begin = bars.begin();
    const auto it = std::lower_bound(begin + static_cast<std::ptrdiff_t>(low), begin + static_cast<std::ptrdiff_t>(high),
                                     time, [](const GanttBar &b, double t) { return static_cast<double>(b.start) < t; });
    return static_cast<std::size_t>(it - begin);
}

class RowShaper
{
public:
    RowShaper(const DeviceRow &row, const TimeScale &scale, double least, double density, RowShapes &shapes)
        : m_row(row), m_bars(row.bars), m_shapes(shapes), m_lower(scale.lower), m_upper(scale.upper()),
          m_leastNs(least / scale.pixelsPerNs), m_columnsPerNs(scale.pixelsPerNs * density),
          m_columnCount(static_cast<int>(std::ceil(scale.width * density - 1e-6)))
    {
    }

    void run()
    {
        m_shapes.blocks.clear();
        m_shapes.cells.clear();
        if (m_columnCount <= 0)
            return;
        m_shapes.columns.assign(static_cast<std::size_t>(m_columnCount), {});
        auto first = std::upper_bound(m_bars.begin(), m_bars.end(), m_lower, [](double t, const GanttBar &b) {
            return t < static_cast<double>(b.end);
        });
        // A block whose communication is in sight began before it.
        if (first != m_bars.end() && first != m_bars.begin() && first->joined)
            --first;
        auto i = static_cast<std::size_t>(first - m_bars.begin());
        while (i < m_bars.size() && static_cast<double>(m_bars[i].start) < m_upper)
            i = wide(i) ? addBlock(i) : addThin(i);
        finishCells();
    }

private:
    double length(std::size_t i) const { return static_cast<double>(m_bars[i].end - m_bars[i].start); }
    bool hasStrip(std::size_t i) const { return i + 1 < m_bars.size() && m_bars[i + 1].joined; }
    bool wide(std::size_t i) const
    {
        return length(i) >= m_leastNs || (hasStrip(i) && length(i) + length(i + 1) >= m_leastNs);
    }

    std::size_t addBlock(std::size_t i)
    {
        BlockShape block{m_bars[i].start, m_bars[i].end, static_cast<std::int32_t>(i), 0};
        std::size_t next = i + 1;
        if (hasStrip(i) && (length(i + 1) < m_leastNs || length(i) < m_leastNs)) {
            block.end = m_bars[i + 1].end;
            block.strip = static_cast<float>(length(i + 1) / (length(i) + length(i + 1)));
            ++next;
        }
        m_shapes.blocks.push_back(block);
        return next;
    }

    /// Sums the bars that start in the column of bar i; returns the first that is not summed.
    std::size_t addThin(std::size_t i)
    {
        const auto start = static_cast<double>(m_bars[i].start);
        const double column = std::floor((start - m_lower) * m_columnsPerNs);
        std::size_t last = firstStartingFrom(m_bars, i + 1, m_lower + (column + 1) / m_columnsPerNs);
        // Only the last ones can reach out of the column, since bars do not overlap: look at them by themselves.
        std::size_t inside = last - 1;
        if (inside > i && m_bars[inside].joined && inside - 1 > i && wide(inside - 1))
            --inside;
        if (inside > i && wide(inside)) {
            last = inside;
            inside = last - 1;
        }
        if (inside > i && column >= 0) {
            const BusyByKind busy = busyOf(m_row, i, inside);
            auto &cell = m_shapes.columns[static_cast<std::size_t>(column)];
            for (std::size_t k = 0; k < barKindCount; ++k)
                cell[k] += static_cast<float>(busy[k]);
        } else {
            for (std::size_t b = i; b < inside; ++b)
                spread(m_bars[b]);
        }
        for (std::size_t b = std::max(inside, i); b < last; ++b)
            spread(m_bars[b]);
        return last;
    }

    /// Adds a bar to each column that it touches.
    void spread(const GanttBar &bar)
    {
        const double from = (static_cast<double>(bar.start) - m_lower) * m_columnsPerNs;
        const double to = (static_cast<double>(bar.end) - m_lower) * m_columnsPerNs;
        const int firstColumn = std::max(0, static_cast<int>(std::floor(from)));
        const int lastColumn = std::min(m_columnCount - 1, static_cast<int>(std::floor(to)));
        for (int c = firstColumn; c <= lastColumn; ++c) {
            const double part = std::min(to, c + 1.0) - std::max(from, static_cast<double>(c));
            if (part > 0) {
                m_shapes.columns[static_cast<std::size_t>(c)][static_cast<std::size_t>(bar.kind)] +=
                    static_cast<float>(part / m_columnsPerNs);
            }
        }
    }

    void finishCells()
    {
        for (int c = 0; c < m_columnCount; ++c) {
            const auto &busy = m_shapes.columns[static_cast<std::size_t>(c)];
            float sum = 0;
            std::size_t most = 0;
            for (std::size_t k = 0; k < barKindCount; ++k) {
                sum += busy[k];
                if (busy[k] > busy[most])
                    most = k;
            }
            if (sum > 0) {
                const double share = std::min(1.0, sum * m_columnsPerNs);
                m_shapes.cells.push_back({c, static_cast<BarKind>(most), static_cast<float>(share)});
            }
        }
    }

    const DeviceRow &m_row;
    const std::vector<GanttBar> &m_bars;
    RowShapes &m_shapes;
    double m_lower;
    double m_upper;
    double m_leastNs;
    double m_columnsPerNs;
    int m_columnCount;
};

} // namespace

void shapeRow(const DeviceRow &row, const TimeScale &scale, double least, double density, RowShapes &shapes)
{
    RowShaper(row, scale, least, density, shapes).run();
}

BusyByKind busyOf(const DeviceRow &row, std::size_t first, std::size_t last)
{
    BusyByKind sum{};
    const auto add = [&](const BusyByKind &busy) {
        for (std::size_t k = 0; k < barKindCount; ++k)
            sum[k] += busy[k];
    };
    while (first < last) {
        if (first % busyBlock == 0 && first + busyBlock <= last) {
            add(row.blockBusy[first / busyBlock]);
            first += busyBlock;
        } else {
            sum[static_cast<std::size_t>(row.bars[first].kind)] += row.bars[first].end - row.bars[first].start;
            ++first;
        }
    }
    return sum;
}

std::array<double, barKindCount> busyBetween(const DeviceRow &row, double from, double to)
{
    std::array<double, barKindCount> result{};
    const auto &bars = row.bars;
    const auto firstIt = std::upper_bound(bars.begin(), bars.end(), from,
                                          [](double t, const GanttBar &b) { return t < static_cast<double>(b.end); });
    const auto lastIt = std::lower_bound(firstIt, bars.end(), to,
                                         [](const GanttBar &b, double t) { return static_cast<double>(b.start) < t; });
    if (firstIt == lastIt)
        return result;
    const auto first = static_cast<std::size_t>(firstIt - bars.begin());
    const auto last = static_cast<std::size_t>(lastIt - bars.begin());
    const BusyByKind busy = busyOf(row, first, last);
    for (std::size_t k = 0; k < barKindCount; ++k)
        result[k] = static_cast<double>(busy[k]);
    // What the ends stick out.
    result[static_cast<std::size_t>(bars[first].kind)] -= std::max(0.0, from - static_cast<double>(bars[first].start));
    result[static_cast<std::size_t>(bars[last - 1].kind)] -= std::max(0.0, static_cast<double>(bars[last - 1].end) - to);
    return result;
}

double tickStep(double pixelsPerNs, double leastPixels)
{
    const double least = leastPixels / pixelsPerNs;
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least * (1 - 1e-9))
            return std::max(1.0, factor * power);
    }
    return std::max(1.0, 10 * power);
}

} // namespace polyrail
