// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/fair_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace polyrail {

namespace {

/// Rows whose level is this close to the lowest one are full with it: rounding must not split a tie.
constexpr double levelMargin = 1 + 1e-12;

} // namespace

FairSharing::FairSharing(const CompiledGraph &compiled, const Network &network, LinkRecorder *recorder)
    : m_compiled(compiled), m_recorder(recorder)
{
    if (compiled.flows.empty())
        return;
    m_capacity.reserve(network.capacities().size());
    for (double bytesPerSecond : network.capacities())
        m_capacity.push_back(bytesPerSecond * 1e-9);
    m_flows.resize(compiled.flows.size());
    m_rows.resize(m_capacity.size());
    m_active.resize(compiled.terms.size());
    m_place.resize(compiled.terms.size());
}

void FairSharing::begin(std::int32_t flow, std::int64_t now)
{
    const CompiledGraph::Flow &fixed = m_compiled.flows[index(flow)];
    State &state = m_flows[index(flow)];
    state.remaining = fixed.reference;
    state.since = now;
    state.earliestEnd = now + fixed.leastBody;
    for (std::uint32_t t = fixed.termBegin; t < fixed.termEnd; ++t) {
        const std::size_t row = index(m_compiled.terms[t].row);
        const std::uint32_t at = m_compiled.rowBegin[row] + m_rows[row].flows++;
        m_active[at] = t;
        m_place[t] = at;
    }
    m_changed.push_back(flow);
}

std::int32_t FairSharing::popEnded()
{
    const std::int32_t flow = m_heap.front();
    State &state = m_flows[index(flow)];
    state.heapPlace = -1;
    state.ended = true;
    const std::int32_t last = m_heap.back();
    m_heap.pop_back();
    if (last != flow) {
        place(last, 0);
        siftDown(0);
    }
    m_changed.push_back(flow);
    return flow;
}

void FairSharing::update(std::int64_t now)
{
    if (m_changed.empty())
        return;
    ++m_visit;
    for (std::int32_t flow : m_changed) {
        if (m_flows[index(flow)].visit == m_visit)
            continue;
        collect(flow);
        settle(now);
        solve();
        schedule(now);
    }
    m_changed.clear();
}

/// Breadth first over flows and the rows they load.
void FairSharing::collect(std::int32_t from)
{
    m_component.clear();
    m_componentRows.clear();
    m_component.push_back(from);
    m_flows[index(from)].visit = m_visit;
    for (std::size_t next = 0; next < m_component.size(); ++next) {
        const CompiledGraph::Flow &fixed = m_compiled.flows[index(m_component[next])];
        for (std::uint32_t t = fixed.termBegin; t < fixed.termEnd; ++t) {
            const std::int32_t r = m_compiled.terms[t].row;
            Row &row = m_rows[index(r)];
            if (row.visit == m_visit)
                continue;
            row.visit = m_visit;
            m_componentRows.push_back(r);
            const std::uint32_t first = m_compiled.rowBegin[index(r)];
            for (std::uint32_t k = first; k < first + row.flows; ++k) {
                const std::int32_t other = m_compiled.terms[m_active[k]].flow;
                if (m_flows[index(other)].visit != m_visit) {
                    m_flows[index(other)].visit = m_visit;
                    m_component.push_back(other);
                }
            }
        }
    }
}

/// Books what the component's flows carried since they last changed; those that ended leave.
void FairSharing::settle(std::int64_t now)
{
    std::size_t kept = 0;
    for (std::size_t k = 0; k < m_component.size(); ++k) {
        const std::int32_t flow = m_component[k];
        State &state = m_flows[index(flow)];
        const auto elapsed = static_cast<double>(now - state.since);
        if (elapsed > 0) {
            // Less than the rate when the end was rounded up to a whole nanosecond.
            const double rate = std::min(state.rate, state.remaining / elapsed);
            state.remaining -= rate * elapsed;
            if (m_recorder)
                m_recorder->carry(m_compiled.flows[index(flow)].task, state.since,
                                  rate / m_compiled.flows[index(flow)].reference);
        }
        state.since = now;
        if (state.ended)
            leave(flow);
        else
            m_component[kept++] = flow;
    }
    m_component.resize(kept);
    if (m_recorder)
        m_recorder->close(now);
}

void FairSharing::leave(std::int32_t flow)
{
    const CompiledGraph::Flow &fixed = m_compiled.flows[index(flow)];
    for (std::uint32_t t = fixed.termBegin; t < fixed.termEnd; ++t) {
        const std::size_t row = index(m_compiled.terms[t].row);
        const std::uint32_t last = m_compiled.rowBegin[row] + --m_rows[row].flows;
        const std::uint32_t moved = m_active[last];
        m_active[m_place[t]] = moved;
        m_place[moved] = m_place[t];
    }
}

/// Progressive filling: all rates rise together; when a row is full, or a flow reaches its ceiling, the
/// flows concerned stop there and the rest go on.
void FairSharing::solve()
{
    if (m_component.size() <= 1) {
        for (std::int32_t flow : m_component)
            setRate(m_flows[index(flow)], m_compiled.flows[index(flow)].ceiling);
        return;
    }
    ++m_solve;
    for (std::int32_t r : m_componentRows) {
        Row &row = m_rows[index(r)];
        row.left = m_capacity[index(r)];
        row.rising = row.flows;
        sumLoad(r);
    }
    m_rising = m_component;
    double lastLevel = 0;
    while (!m_rising.empty()) {
        double level = std::numeric_limits<double>::infinity();
        std::size_t keptRows = 0;
        for (std::int32_t r : m_componentRows) {
            const Row &row = m_rows[index(r)];
            if (row.rising == 0)
                continue;
            level = std::min(level, row.left / row.load);
            m_componentRows[keptRows++] = r;
        }
        m_componentRows.resize(keptRows);
        for (std::int32_t flow : m_rising)
            level = std::min(level, m_compiled.flows[index(flow)].ceiling);
        // Levels only rise; rounding of what is left of a row must not undo that.
        level = std::max(level, lastLevel);
        lastLevel = level;
        // Whether a flow stops is decided by this round's levels, before any of them is frozen.
        const double limit = level * levelMargin;
        m_stopped.clear();
        for (std::int32_t r : m_componentRows) {
            if (m_rows[index(r)].left <= limit * m_rows[index(r)].load)
                stopFlowsOf(r);
        }
        std::size_t kept = 0;
        for (std::int32_t flow : m_rising) {
            State &state = m_flows[index(flow)];
            if (state.solved != m_solve && m_compiled.flows[index(flow)].ceiling <= limit) {
                state.solved = m_solve;
                m_stopped.push_back(flow);
            }
            if (state.solved != m_solve)
                m_rising[kept++] = flow;
        }
        m_rising.resize(kept);
        for (std::int32_t flow : m_stopped)
            freeze(flow, level);
    }
}

void FairSharing::stopFlowsOf(std::int32_t row)
{
    const std::uint32_t first = m_compiled.rowBegin[index(row)];
    for (std::uint32_t k = first; k < first + m_rows[index(row)].flows; ++k) {
        const std::int32_t flow = m_compiled.terms[m_active[k]].flow;
        if (m_flows[index(flow)].solved != m_solve) {
            m_flows[index(flow)].solved = m_solve;
            m_stopped.push_back(flow);
        }
    }
}

void FairSharing::freeze(std::int32_t flow, double rate)
{
    const CompiledGraph::Flow &fixed = m_compiled.flows[index(flow)];
    setRate(m_flows[index(flow)], rate);
    for (std::uint32_t t = fixed.termBegin; t < fixed.termEnd; ++t) {
        const CompiledGraph::Term &term = m_compiled.terms[t];
        Row &row = m_rows[index(term.row)];
        row.left = std::max(0.0, row.left - rate * term.weight);
        row.load -= term.weight;
        if (--row.rising > 0 && row.load < 1e-6 * row.summed)
            sumLoad(term.row);
    }
}

/// Differences lose digits when little is left of much; then the sum is made anew.
void FairSharing::sumLoad(std::int32_t r)
{
    Row &row = m_rows[index(r)];
    row.load = 0;
    const std::uint32_t first = m_compiled.rowBegin[index(r)];
    for (std::uint32_t k = first; k < first + row.flows; ++k) {
        const CompiledGraph::Term &term = m_compiled.terms[m_active[k]];
        if (m_flows[index(term.flow)].solved != m_solve)
            row.load += term.weight;
    }
    row.summed = row.load;
}

/// New ends for the component's flows, at their new rates.
void FairSharing::schedule(std::int64_t now)
{
    for (std::int32_t flow : m_component) {
        State &state = m_flows[index(flow)];
        if (!state.rateChanged) // so the end does not change either
            continue;
        state.rateChanged = false;
        // The slack of 1e-6 ns is that of toNanoseconds.
        const double left = std::min(std::ceil(state.remaining / state.rate - 1e-6), 4e18);
        const std::int64_t end
            = std::max(now + std::max<std::int64_t>(1, static_cast<std::int64_t>(left)), state.earliestEnd);
        if (state.heapPlace < 0) {
            state.end = end;
            m_heap.push_back(flow);
            place(flow, m_heap.size() - 1);
            siftUp(m_heap.size() - 1);
        } else if (end < state.end) {
            state.end = end;
            siftUp(index(state.heapPlace));
        } else if (end > state.end) {
            state.end = end;
            siftDown(index(state.heapPlace));
        }
    }
}

void FairSharing::place(std::int32_t flow, std::size_t at)
{
    m_heap[at] = flow;
    m_flows[index(flow)].heapPlace = static_cast<std::int32_t>(at);
}

void FairSharing::siftUp(std::size_t at)
{
    const std::int32_t flow = m_heap[at];
    const std::int64_t end = m_flows[index(flow)].end;
    while (at > 0) {
        const std::size_t parent = (at - 1) / 2;
        if (m_flows[index(m_heap[parent])].end <= end)
            break;
        place(m_heap[parent], at);
        at = parent;
    }
    place(flow, at);
}

void FairSharing::siftDown(std::size_t at)
{
    const std::int32_t flow = m_heap[at];
    const std::int64_t end = m_flows[index(flow)].end;
    while (true) {
        std::size_t child = 2 * at + 1;
        if (child >= m_heap.size())
            break;
        if (child + 1 < m_heap.size() && m_flows[index(m_heap[child + 1])].end < m_flows[index(m_heap[child])].end)
            ++child;
        if (m_flows[index(m_heap[child])].end >= end)
            break;
        place(m_heap[child], at);
        at = child;
    }
    place(flow, at);
}

} // namespace polyrail
