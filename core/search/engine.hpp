// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/search.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace polyrail {

/// A partial choice. Spaces derive their own. `bound` <= objective of every completion.
struct SearchNode
{
    virtual ~SearchNode() = default;
    Nanoseconds bound;
    int depth = 0;
};
using NodePtr = std::unique_ptr<SearchNode>;

/// A complete choice with its objective. `key` orders equal objectives, so that ties are always broken alike.
struct Solution
{
    Nanoseconds objective;
    std::shared_ptr<const Plan> plan;
    std::string key;
};

/// What a space is given and fills when a node is expanded.
struct Expansion
{
    Nanoseconds cutoff;                 ///< completions at or above this are of no interest
    const std::atomic<bool> *cancel = nullptr;
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::vector<NodePtr> children;      ///< bounds at least the parent's
    std::vector<Solution> solutions;
    CutCounts cuts;
    std::int64_t simulations = 0;
    bool incomplete = false;            ///< cancelled half-way: the node must be kept

    /// Asked now and then by long expansions.
    bool cancelled() const
    {
        return (cancel && cancel->load(std::memory_order_relaxed)) || std::chrono::steady_clock::now() >= deadline;
    }
};

/// What is searched. The engine knows nothing else about it. expand() is called from many threads.
class SearchSpace
{
public:
    virtual ~SearchSpace() = default;
    virtual NodePtr root() const = 0;
    virtual void expand(const SearchNode &node, Expansion &out) const = 0;
};

struct EngineLimits
{
    int threads = 1;
    std::chrono::duration<double> timeLimit {0};
    std::int64_t nodeLimit = 0;
    std::size_t maxOpenNodes = std::size_t(8) << 20; ///< beyond it workers only dive, which needs depth x width nodes
};

/// Best-first branch and bound with depth-first plunging on oneTBB. Each worker takes the open node of least bound, then
/// dives: it follows the best child and keeps the others to itself for a while, so that the shared
/// queue is touched once per dive and incumbents come early.
///
/// The global bound is the least bound over open nodes and over the nodes that workers took out and have not finished:
/// a worker's dive counts with the bound of the node it started from.
///
/// run() blocks; every other member may be called from any thread meanwhile.
class Engine
{
public:
    Engine(const SearchSpace &space, EngineLimits limits);
    ~Engine();

    /// Before run(): a known solution (warm start, baseline).
    void offer(Solution solution);
    void run();

    void pause();
    void resume();
    void stop();

    struct State
    {
        SearchStatus status = SearchStatus::Idle;
        std::string message;
        std::vector<Candidate> top;
        Nanoseconds bound;
        std::int64_t nodes = 0;
        std::int64_t open = 0;
        std::int64_t simulations = 0;
        CutCounts cuts;
        double elapsedSeconds = 0;
        std::vector<HistoryPoint> history;
        std::uint64_t version = 0; ///< grows with every change that is worth showing
    };
    State state() const;
    std::vector<SearchEvent> events(std::uint64_t from) const;
    std::atomic<bool> &cancelFlag() { return m_cancel; }

private:
    struct Worker;
    using Clock = std::chrono::steady_clock;

    void work(Worker &worker);
    NodePtr take(Worker &worker);
    void dive(Worker &worker, NodePtr node);
    void finishDive(Worker &worker, std::vector<NodePtr> &rest);
    void accept(Solution solution);
    void push(NodePtr node);
    void note(SearchEvent::Kind kind, int depth, Nanoseconds value);
    Nanoseconds boundLocked() const;
    void recordLocked();
    void finishLocked(SearchStatus status);
    double elapsedLocked() const;
    bool limitReached(SearchStatus &why) const;

    const SearchSpace &m_space;
    const EngineLimits m_limits;

    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    struct Open
    {
        Nanoseconds bound;
        int depth;
        std::uint64_t order;
        NodePtr node;
    };
    static bool later(const Open &a, const Open &b);
    std::vector<Open> m_open; ///< heap, least bound first, then deepest, then oldest
    std::vector<std::unique_ptr<Worker>> m_workers;
    std::uint64_t m_order = 0;
    int m_active = 0;
    SearchStatus m_status = SearchStatus::Idle;
    std::string m_message;
    std::vector<std::pair<Candidate, std::string>> m_top; ///< with tie keys
    CutCounts m_cuts;
    std::int64_t m_nodes = 0;
    std::int64_t m_simulations = 0;
    std::vector<HistoryPoint> m_history;
    std::vector<SearchEvent> m_events; ///< ring
    std::uint64_t m_nextEvent = 0;
    std::uint64_t m_version = 0;
    Nanoseconds m_bound;
    Clock::time_point m_start;
    Clock::duration m_paused {};
    Clock::time_point m_pausedAt;
    double m_finalElapsed = 0;

    std::atomic<std::int64_t> m_incumbent;
    std::atomic<bool> m_cancel {false};
    std::atomic<bool> m_pause {false};
};

} // namespace polyrail
