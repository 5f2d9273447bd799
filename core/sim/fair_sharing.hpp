// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/compiled_graph.hpp"
#include "core/sim/link_recorder.hpp"

namespace polyrail {

/// The flows that are moving now and the rates they get. A change of one flow re-solves only the flows
/// that are joined to it through rows they share. Internal to core/sim; one simulation, one thread.
///
/// Rates are real numbers, times are integers: a flow that ends between two nanoseconds ends at the next
/// one, and the record spreads its last bytes over the longer interval, so rates stay below capacity and
/// the bytes stay exact.
class FairSharing
{
public:
    /// `recorder` may be null: nothing is kept.
    FairSharing(const CompiledGraph &compiled, const Network &network, LinkRecorder *recorder);

    /// The body of a flow starts. Takes effect at the next update().
    void begin(std::int32_t flow, std::int64_t now);
    bool idle() const { return m_heap.empty(); }
    std::int64_t nextEnd() const { return m_flows[index(m_heap.front())].end; }
    /// Takes the flow that ends first out of the queue. It leaves the network at the next update().
    std::int32_t popEnded();
    /// After everything of `now` has begun or ended: settles what was carried and shares anew.
    void update(std::int64_t now);

private:
    struct State
    {
        double rate = 0;        ///< bytes/ns on the reference row
        double remaining = 0;   ///< bytes on the reference row
        std::int64_t since = 0; ///< `remaining` and `rate` hold from here on
        std::int64_t end = 0;
        std::int64_t earliestEnd = 0;
        std::int32_t heapPlace = -1;
        std::uint32_t visit = 0;
        std::uint32_t solved = 0; ///< the last solve() that found its rate
        bool ended = false;
        bool rateChanged = false;
    };
    struct Row
    {
        std::uint32_t flows = 0; ///< active terms in m_active from rowBegin on
        std::uint32_t visit = 0;
        // While solving:
        std::uint32_t rising = 0; ///< flows without a rate yet
        double left = 0;          ///< capacity that is not yet given away
        double load = 0;          ///< summed weight of the flows that still rise
        double summed = 0;        ///< `load` when it was last summed, not a difference
    };

    static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }
    void collect(std::int32_t from);
    void settle(std::int64_t now);
    void leave(std::int32_t flow);
    void solve();
    void stopFlowsOf(std::int32_t row);
    void sumLoad(std::int32_t row);
    void freeze(std::int32_t flow, double rate);
    static void setRate(State &state, double rate)
    {
        state.rateChanged = state.rateChanged || state.rate != rate;
        state.rate = rate;
    }
    void schedule(std::int64_t now);
    void place(std::int32_t flow, std::size_t at);
    void siftUp(std::size_t at);
    void siftDown(std::size_t at);

    const CompiledGraph &m_compiled;
    LinkRecorder *m_recorder;
    std::vector<double> m_capacity;        ///< bytes/ns by row
    std::vector<State> m_flows;
    std::vector<Row> m_rows;
    std::vector<std::uint32_t> m_active;   ///< terms of the active flows of each row, see Row::flows
    std::vector<std::uint32_t> m_place;    ///< by term: where it stands in m_active
    std::vector<std::int32_t> m_heap;      ///< active flows by end
    std::vector<std::int32_t> m_changed;   ///< begun or ended since the last update
    std::vector<std::int32_t> m_component; ///< flows that are joined
    std::vector<std::int32_t> m_componentRows;
    std::vector<std::int32_t> m_rising;    ///< solve(): flows without a rate yet
    std::vector<std::int32_t> m_stopped;   ///< solve(): flows that stop in this round
    std::uint32_t m_visit = 0;
    std::uint32_t m_solve = 0;
};

} // namespace polyrail
