// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/schedule.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace polyrail {

/// A piecewise constant figure over time (bytes/s of a link, bytes in a memory) that can be asked for its mean and
/// its peak over any interval in logarithmic time. Outside its pieces it is zero. Immutable once built; no Qt.
class RateSeries
{
public:
    struct Piece
    {
        std::int64_t start = 0; ///< ns
        std::int64_t end = 0;   ///< ns
        double mean = 0;        ///< of the links that the series stands for
        double peak = 0;        ///< of the busiest of them; equal to mean for one link
    };
    /// One pixel column.
    struct Column
    {
        double mean = 0;
        double peak = 0;
    };

    RateSeries() = default;
    /// Pieces sorted by start and disjoint; empty ones are dropped.
    explicit RateSeries(std::vector<Piece> pieces);
    static RateSeries ofLink(std::span<const RateSegment> segments);
    /// Several link directions as one: mean over `count` of them (idle ones count as zero), peak over the busiest.
    static RateSeries ofLinks(std::span<const LinkUsage *const> usages, std::size_t count);
    /// Memory in use; the last step lasts until `makespan`.
    static RateSeries ofMemory(std::span<const MemoryStep> steps, Nanoseconds makespan);

    bool empty() const { return m_pieces.empty(); }
    std::span<const Piece> pieces() const { return m_pieces; }
    /// Integral of the mean over the whole series, in units x seconds (bytes for a link).
    double total() const { return m_sum.empty() ? 0 : m_sum.back(); }
    /// Integral of the mean from the beginning to `time` (ns), in units x seconds.
    double integralTo(double time) const;
    double peakOver(double from, double to) const;
    double at(double time) const;
    /// Mean and peak of `columns` equal intervals that cover [from, to) ns.
    std::vector<Column> columns(double from, double to, int columns) const;

private:
    std::size_t firstEndingAfter(double time) const;

    std::vector<Piece> m_pieces;
    std::vector<double> m_sum;       ///< by piece: integral up to its end
    std::vector<double> m_blockPeak; ///< peak of every 32 pieces
};

} // namespace polyrail
