// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/gantt_model.hpp"

#include <vector>

namespace polyrail {

/// Time (ns) to horizontal position and back.
struct TimeScale
{
    double lower = 0;       ///< ns at x = left
    double left = 0;        ///< pixels
    double pixelsPerNs = 1;
    double width = 0;       ///< pixels

    static TimeScale over(double lower, double upper, double left, double width)
    {
        return {lower, left, upper > lower ? width / (upper - lower) : 1, width};
    }
    double x(double time) const { return left + (time - lower) * pixelsPerNs; }
    double time(double x) const { return lower + (x - left) / pixelsPerNs; }
    double upper() const { return lower + width / pixelsPerNs; }
};

/// A block that is wide enough to be seen by itself: one bar, or a bar with the communication that ends it.
struct BlockShape
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int32_t bar = 0;        ///< index into the row; colour and letter come from it
    float strip = 0;             ///< share of the block that is communication, when that is too thin to be drawn
};

/// A pixel column of blocks that are too thin: what share of it is busy, and with what most of all.
struct CellShape
{
    int column = 0;              ///< from TimeScale::left
    BarKind kind = BarKind::Other;
    float share = 0;             ///< 0..1
};

/// What to draw of one row in a time range. Reused from row to row so that no memory is asked for while drawing.
struct RowShapes
{
    std::vector<BlockShape> blocks;
    std::vector<CellShape> cells;
    std::vector<std::array<float, barKindCount>> columns; ///< busy ns by column and kind, scratch
};

/// Blocks of at least `least` pixels by themselves, everything else summed by pixel column. Touches a number of bars
/// that is bounded by the pixels, not by the bars of the row (but for sums of blocks of `busyBlock`).
/// `density` is device pixels per pixel: columns are that much finer.
void shapeRow(const DeviceRow &row, const TimeScale &scale, double least, double density, RowShapes &shapes);

/// Busy time (ns) of bars [first, last) of a row by kind, from the sums of blocks.
BusyByKind busyOf(const DeviceRow &row, std::size_t first, std::size_t last);

/// The same for an interval (ns) that may cut bars at its ends.
std::array<double, barKindCount> busyBetween(const DeviceRow &row, double from, double to);

/// Distance of labelled ticks (ns) so that at least `leastPixels` lie between them: 1, 2 or 5 times a power of ten.
double tickStep(double pixelsPerNs, double leastPixels);

} // namespace polyrail
