// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/rate_series.hpp"

#include <algorithm>
#include <map>

namespace polyrail {

namespace {

constexpr std::size_t blockSize = 32;

} // namespace

RateSeries::RateSeries(std::vector<Piece> pieces) : m_pieces(std::move(pieces))
{
    m_pieces.erase(std::remove_if(m_pieces.begin(), m_pieces.end(), [](const Piece &p) { return p.end <= p.start; }),
                   m_pieces.end());
    m_sum.reserve(m_pieces.size());
    double sum = 0;
    for (const Piece &piece : m_pieces) {
        sum += piece.mean * static_cast<double>(piece.end - piece.start) * 1e-9;
        m_sum.push_back(sum);
    }
    for (std::size_t first = 0; first < m_pieces.size(); first += blockSize) {
        double peak = 0;
        for (std::size_t i = first; i < std::min(first + blockSize, m_pieces.size()); ++i)
            peak = std::max(peak, m_pieces[i].peak);
        m_blockPeak.push_back(peak);
    }
}

RateSeries RateSeries::ofLink(std::span<const RateSegment> segments)
{
    std::vector<Piece> pieces;
    pieces.reserve(segments.size());
    for (const RateSegment &s : segments)
        pieces.push_back({s.start.value, s.end.value, s.bytesPerSecond, s.bytesPerSecond});
    return RateSeries(std::move(pieces));
}

RateSeries RateSeries::ofLinks(std::span<const LinkUsage *const> usages, std::size_t count)
{
    if (count == 0)
        return {};
    if (count == 1 && usages.size() == 1)
        return ofLink(usages[0]->segments);
    struct Event
    {
        std::int64_t time;
        double rate;
        int change; // +1 starts, -1 ends
    };
    std::vector<Event> events;
    for (const LinkUsage *usage : usages) {
        for (const RateSegment &s : usage->segments) {
            events.push_back({s.start.value, s.bytesPerSecond, 1});
            events.push_back({s.end.value, s.bytesPerSecond, -1});
        }
    }
    std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) { return a.time < b.time; });
    std::vector<Piece> pieces;
    std::map<double, int> active; // rate -> how many links run at it: exact, where a running sum would drift
    for (std::size_t i = 0; i < events.size();) {
        const std::int64_t time = events[i].time;
        for (; i < events.size() && events[i].time == time; ++i) {
            const auto entry = active.try_emplace(events[i].rate, 0).first;
            entry->second += events[i].change;
            if (entry->second == 0)
                active.erase(entry);
        }
        if (active.empty() || i == events.size())
            continue;
        double sum = 0;
        for (const auto &entry : active)
            sum += entry.first * entry.second;
        pieces.push_back({time, events[i].time, sum / static_cast<double>(count), active.rbegin()->first});
    }
    return RateSeries(std::move(pieces));
}

RateSeries RateSeries::ofMemory(std::span<const MemoryStep> steps, Nanoseconds makespan)
{
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::int64_t end = i + 1 < steps.size() ? steps[i + 1].time.value : makespan.value;
        const double bytes = static_cast<double>(steps[i].bytes);
        pieces.push_back({steps[i].time.value, end, bytes, bytes});
    }
    return RateSeries(std::move(pieces));
}

std::size_t RateSeries::firstEndingAfter(double time) const
{
    const auto it = std::upper_bound(m_pieces.begin(), m_pieces.end(), time,
                                     [](double t, const Piece &p) { return t < static_cast<double>(p.end); });
    return static_cast<std::size_t>(it - m_pieces.begin());
}

double RateSeries::integralTo(double time) const
{
    const std::size_t i = firstEndingAfter(time);
    const double before = i == 0 ? 0 : m_sum[i - 1];
    if (i == m_pieces.size() || time <= static_cast<double>(m_pieces[i].start))
        return before;
    return before + m_pieces[i].mean * (time - static_cast<double>(m_pieces[i].start)) * 1e-9;
}

double RateSeries::peakOver(double from, double to) const
{
    double peak = 0;
    std::size_t i = firstEndingAfter(from);
    while (i < m_pieces.size() && static_cast<double>(m_pieces[i].start) < to) {
        const bool wholeBlock = i % blockSize == 0 && i + blockSize <= m_pieces.size()
                                && static_cast<double>(m_pieces[i + blockSize - 1].end) <= to;
        peak = std::max(peak, wholeBlock ? m_blockPeak[i / blockSize] : m_pieces[i].peak);
        i += wholeBlock ? blockSize : 1;
    }
    return peak;
}

double RateSeries::at(double time) const
{
    const std::size_t i = firstEndingAfter(time);
    return i < m_pieces.size() && static_cast<double>(m_pieces[i].start) <= time ? m_pieces[i].mean : 0;
}

std::vector<RateSeries::Column> RateSeries::columns(double from, double to, int columns) const
{
    std::vector<Column> result(static_cast<std::size_t>(std::max(columns, 0)));
    if (m_pieces.empty() || to <= from)
        return result;
    const double width = (to - from) / columns;
    double before = integralTo(from);
    for (std::size_t c = 0; c < result.size(); ++c) {
        const double start = from + width * static_cast<double>(c);
        const double upTo = integralTo(start + width);
        result[c].mean = std::max(0.0, (upTo - before) / (width * 1e-9));
        result[c].peak = upTo > before ? peakOver(start, start + width) : 0;
        before = upTo;
    }
    return result;
}

} // namespace polyrail
