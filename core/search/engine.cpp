// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/engine.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <exception>
#include <limits>

namespace polyrail {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t eventsKept = 4096;
constexpr std::size_t historyKept = 512;
constexpr std::size_t topKept = 8;
/// A dive leaves alone what is far behind: nodes whose bound is more than this share of the gap above the node that the dive
/// started from go back to the queue.
constexpr double diveWidth = 0.3;
/// Nodes of one dive: enough that the shared queue is cheap, few enough that the bound keeps moving.
constexpr int diveLength = 64;

CutCounts &operator+=(CutCounts &a, const CutCounts &b)
{
    a.bound += b.bound;
    a.memory += b.memory;
    a.symmetry += b.symmetry;
    a.dominance += b.dominance;
    a.infeasible += b.infeasible;
    return a;
}

} // namespace

struct Engine::Worker
{
    std::int64_t holding = never; ///< bound of the node its dive started from; guarded by the engine's mutex
    CutCounts cuts;
    std::int64_t nodes = 0;
    std::int64_t simulations = 0;
    std::vector<SearchEvent> events;
};

Engine::Engine(const SearchSpace &space, EngineLimits limits)
    : m_space(space), m_limits(limits), m_events(eventsKept), m_incumbent(never)
{
    m_start = Clock::now();
}

Engine::~Engine() = default;

bool Engine::later(const Open &a, const Open &b)
{
    if (a.bound != b.bound)
        return a.bound > b.bound;
    if (a.depth != b.depth)
        return a.depth < b.depth;
    return a.order > b.order;
}

void Engine::offer(Solution solution)
{
    const std::lock_guard lock(m_mutex);
    accept(std::move(solution));
}

/// With the mutex held.
void Engine::accept(Solution solution)
{
    const auto before = [](const auto &a, const auto &b) {
        return a.first.step != b.first.step ? a.first.step < b.first.step : a.second < b.second;
    };
    for (const auto &kept : m_top)
        if (kept.second == solution.key)
            return;
    std::pair<Candidate, std::string> entry {{solution.plan, solution.objective, elapsedLocked()}, solution.key};
    const auto at = std::lower_bound(m_top.begin(), m_top.end(), entry, before);
    const bool best = at == m_top.begin();
    m_top.insert(at, std::move(entry));
    if (m_top.size() > topKept)
        m_top.pop_back();
    ++m_version;
    if (!best)
        return;
    m_incumbent.store(std::min(m_incumbent.load(), solution.objective.value));
    note(SearchEvent::Kind::Incumbent, 0, solution.objective);
    recordLocked();
}

void Engine::note(SearchEvent::Kind kind, int depth, Nanoseconds value)
{
    m_events[m_nextEvent % eventsKept] = {m_nextEvent, kind, m_nodes, depth, value};
    ++m_nextEvent;
}

std::vector<SearchEvent> Engine::events(std::uint64_t from) const
{
    const std::lock_guard lock(m_mutex);
    std::vector<SearchEvent> result;
    const std::uint64_t oldest = m_nextEvent > eventsKept ? m_nextEvent - eventsKept : 0;
    for (std::uint64_t i = std::max(from, oldest); i < m_nextEvent; ++i)
        result.push_back(m_events[i % eventsKept]);
    return result;
}

void Engine::push(NodePtr node)
{
    Open open {node->bound, node->depth, m_order++, std::move(node)};
    m_open.push_back(std::move(open));
    std::push_heap(m_open.begin(), m_open.end(), later);
}

Nanoseconds Engine::boundLocked() const
{
    std::int64_t least = m_incumbent.load();
    if (!m_open.empty())
        least = std::min(least, m_open.front().bound.value);
    for (const auto &worker : m_workers)
        least = std::min(least, worker->holding);
    return Nanoseconds(least == never ? m_bound.value : std::max(least, m_bound.value));
}

void Engine::recordLocked()
{
    if (m_status == SearchStatus::Running)
        m_bound = std::min(boundLocked(), Nanoseconds(m_incumbent.load()));
    HistoryPoint point {elapsedLocked(), m_nodes, std::nullopt, m_bound};
    if (!m_top.empty())
        point.incumbent = m_top.front().first.step;
    if (!m_history.empty() && m_history.back().incumbent == point.incumbent && m_history.back().bound == point.bound)
        return;
    m_history.push_back(point);
    ++m_version;
    if (m_history.size() > historyKept) { // every other old point goes; the newest half stays exact
        std::vector<HistoryPoint> thinned;
        for (std::size_t i = 0; i < m_history.size(); ++i)
            if (i % 2 == 0 || i >= historyKept / 2)
                thinned.push_back(m_history[i]);
        m_history = std::move(thinned);
    }
}

double Engine::elapsedLocked() const
{
    if (isFinal(m_status))
        return m_finalElapsed;
    const auto now = m_status == SearchStatus::Paused ? m_pausedAt : Clock::now();
    return std::chrono::duration<double>(now - m_start - m_paused).count();
}

bool Engine::limitReached(SearchStatus &why) const
{
    if (m_limits.nodeLimit > 0 && m_nodes >= m_limits.nodeLimit) {
        why = SearchStatus::NodeLimit;
        return true;
    }
    if (m_limits.timeLimit.count() > 0 && elapsedLocked() >= m_limits.timeLimit.count()) {
        why = SearchStatus::TimeLimit;
        return true;
    }
    return false;
}

void Engine::finishLocked(SearchStatus status)
{
    if (isFinal(m_status))
        return;
    recordLocked();
    m_finalElapsed = elapsedLocked();
    m_status = status;
    m_cancel.store(true);
    ++m_version;
    m_wake.notify_all();
}

/// The next node to work on, or null when the search is over.
NodePtr Engine::take(Worker &worker)
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        if (isFinal(m_status))
            return nullptr;
        if (m_pause.load()) {
            m_wake.wait(lock);
            continue;
        }
        SearchStatus why {};
        if (limitReached(why)) {
            finishLocked(why);
            return nullptr;
        }
        if (!m_open.empty() && m_open.front().bound.value >= m_incumbent.load()) {
            // The least open bound is no better than the incumbent: nothing open can be.
            m_cuts.bound += static_cast<std::int64_t>(m_open.size());
            m_open.clear();
        }
        if (!m_open.empty()) {
            std::pop_heap(m_open.begin(), m_open.end(), later);
            NodePtr node = std::move(m_open.back().node);
            m_open.pop_back();
            worker.holding = node->bound.value;
            ++m_active;
            recordLocked();
            return node;
        }
        if (m_active == 0) {
            finishLocked(m_top.empty() ? SearchStatus::Infeasible : SearchStatus::Optimal);
            return nullptr;
        }
        m_wake.wait_for(lock, std::chrono::milliseconds(50));
    }
}

void Engine::dive(Worker &worker, NodePtr node)
{
    const std::int64_t from = node->bound.value;
    std::vector<NodePtr> stack; // best child last
    stack.push_back(std::move(node));
    std::vector<NodePtr> rest;
    int steps = 0;
    std::size_t openNow = 0;
    while (!stack.empty()) {
        NodePtr current = std::move(stack.back());
        stack.pop_back();
        if (current->bound.value >= m_incumbent.load(std::memory_order_relaxed)) {
            ++worker.cuts.bound;
            worker.events.push_back({0, SearchEvent::Kind::Cut, 0, current->depth, current->bound});
            continue;
        }
        const bool crowded = openNow > m_limits.maxOpenNodes;
        const std::int64_t incumbent = m_incumbent.load(std::memory_order_relaxed);
        if (incumbent != never && !crowded
            && static_cast<double>(current->bound.value - from) > diveWidth * static_cast<double>(incumbent - from)) {
            rest.push_back(std::move(current));
            continue;
        }
        if (m_cancel.load(std::memory_order_relaxed) || m_pause.load(std::memory_order_relaxed)
            || (steps >= diveLength && !crowded)) {
            rest.push_back(std::move(current));
            continue;
        }
        Expansion out;
        out.cutoff = Nanoseconds(m_incumbent.load());
        out.cancel = &m_cancel;
        if (m_limits.timeLimit.count() > 0)
            out.deadline = m_start + std::chrono::duration_cast<Clock::duration>(m_limits.timeLimit);
        m_space.expand(*current, out);
        worker.simulations += out.simulations;
        worker.cuts += out.cuts;
        if (!out.incomplete) {
            ++steps;
            ++worker.nodes;
            worker.events.push_back({0, SearchEvent::Kind::Expanded, 0, current->depth, current->bound});
        }
        if (!out.solutions.empty() || (steps % 16 == 0 && m_limits.nodeLimit + m_limits.timeLimit.count() > 0)) {
            const std::lock_guard lock(m_mutex);
            openNow = m_open.size();
            for (Solution &solution : out.solutions)
                accept(std::move(solution));
            if (m_limits.nodeLimit > 0 && m_nodes + worker.nodes >= m_limits.nodeLimit)
                steps = diveLength;
            SearchStatus why {};
            if (limitReached(why))
                steps = diveLength;
        }
        if (out.incomplete) {
            rest.push_back(std::move(current));
            continue;
        }
        for (NodePtr &child : out.children)
            child->bound = std::max(child->bound, current->bound);
        std::stable_sort(out.children.begin(), out.children.end(),
                         [](const NodePtr &a, const NodePtr &b) { return a->bound > b->bound; });
        for (NodePtr &child : out.children)
            stack.push_back(std::move(child));
    }
    finishDive(worker, rest);
}

void Engine::finishDive(Worker &worker, std::vector<NodePtr> &rest)
{
    const std::lock_guard lock(m_mutex);
    for (NodePtr &node : rest)
        push(std::move(node));
    m_nodes += worker.nodes;
    m_simulations += worker.simulations;
    m_cuts += worker.cuts;
    for (const SearchEvent &e : worker.events)
        note(e.kind, e.depth, e.value);
    worker.nodes = 0;
    worker.simulations = 0;
    worker.cuts = {};
    worker.events.clear();
    worker.holding = never;
    --m_active;
    ++m_version;
    m_wake.notify_all();
}

void Engine::work(Worker &worker)
{
    try {
        while (NodePtr node = take(worker))
            dive(worker, std::move(node));
    } catch (const std::exception &e) {
        const std::lock_guard lock(m_mutex);
        m_message = e.what();
        finishLocked(SearchStatus::Failed);
    }
}

void Engine::run()
{
    {
        const std::lock_guard lock(m_mutex);
        if (isFinal(m_status))
            return;
        if (m_status != SearchStatus::Paused)
            m_status = SearchStatus::Running;
        for (int i = 0; i < m_limits.threads; ++i)
            m_workers.push_back(std::make_unique<Worker>());
        push(m_space.root());
    }
    const auto threads = static_cast<std::size_t>(m_limits.threads);
    // Worker loops that find no thread of their own run one after the other: the first one then does all the work.
    oneapi::tbb::global_control allow(oneapi::tbb::global_control::max_allowed_parallelism,
                                      std::max(threads, oneapi::tbb::global_control::active_value(
                                                            oneapi::tbb::global_control::max_allowed_parallelism)));
    oneapi::tbb::task_arena arena(m_limits.threads);
    arena.execute([this] {
        oneapi::tbb::task_group group;
        for (std::size_t i = 1; i < m_workers.size(); ++i)
            group.run([this, i] { work(*m_workers[i]); });
        work(*m_workers[0]);
        group.wait();
    });
}

void Engine::pause()
{
    const std::lock_guard lock(m_mutex);
    if (isFinal(m_status) || m_pause.exchange(true))
        return;
    m_pausedAt = Clock::now();
    m_status = SearchStatus::Paused;
    ++m_version;
}

void Engine::resume()
{
    const std::lock_guard lock(m_mutex);
    if (isFinal(m_status) || !m_pause.exchange(false))
        return;
    m_paused += Clock::now() - m_pausedAt;
    m_status = SearchStatus::Running;
    ++m_version;
    m_wake.notify_all();
}

void Engine::stop()
{
    const std::lock_guard lock(m_mutex);
    finishLocked(SearchStatus::Stopped);
}

Engine::State Engine::state() const
{
    const std::lock_guard lock(m_mutex);
    State s;
    s.status = m_status;
    s.message = m_message;
    for (const auto &entry : m_top)
        s.top.push_back(entry.first);
    s.bound = m_status == SearchStatus::Running ? std::min(boundLocked(), Nanoseconds(m_incumbent.load())) : m_bound;
    if (m_status == SearchStatus::Optimal && !m_top.empty())
        s.bound = m_top.front().first.step;
    s.nodes = m_nodes;
    s.open = static_cast<std::int64_t>(m_open.size());
    s.simulations = m_simulations;
    s.cuts = m_cuts;
    s.elapsedSeconds = elapsedLocked();
    s.history = m_history;
    s.version = m_version;
    return s;
}

} // namespace polyrail
