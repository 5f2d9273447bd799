// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/simulator.hpp"

#include "core/sim/compiled_graph.hpp"
#include "core/sim/critical_path.hpp"
#include "core/sim/fair_sharing.hpp"
#include "core/sim/memory_recorder.hpp"

#include <algorithm>
#include <optional>

namespace polyrail {

namespace {

struct Event
{
    std::int64_t time = 0;
    std::int32_t task = 0;
};
constexpr auto later = [](const Event &a, const Event &b) { return a.time > b.time; };

/// What waits for a resource (a device's stream) or an exclusive group. Its waiting tasks are a binary
/// heap in Simulation::m_waiting, from CompiledGraph::queueBegin on.
///
/// A task starts when it is first in every queue that it needs and all of them are free. So a task that
/// needs several devices holds its place in each of them: those that come free first are kept idle for
/// it, and it cannot be starved. Queues of resources are ordered by task index, queues of exclusive
/// groups by (time ready, task index). In any set of waiting tasks the first of the common order is first
/// everywhere, so the rule cannot deadlock; and which queue is looked at first makes no difference.
struct Queue
{
    std::uint32_t waiting = 0;
    std::int32_t holders = 0;      ///< running tasks (a group: all on the same link)
    LinkId link;                   ///< groups: the link that is in use
    std::int32_t freedBy = -1;     ///< task whose end let others start
    std::int64_t freedAt = -1;
    bool dirty = false;
};

class Simulation
{
public:
    Simulation(std::shared_ptr<const TaskGraph> graph, const Network &network, SimDetail detail, std::int64_t giveUpAt,
               const std::atomic<bool> *cancel)
        : m_graph(std::move(graph)), m_network(network), m_full(detail == SimDetail::Full), m_giveUpAt(giveUpAt),
          m_cancel(cancel)
    {
    }

    Result<Schedule> run();

private:
    using Node = CompiledGraph::Node;
    using Extra = CompiledGraph::Extra;

    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

    Result<void> preparePruning();
    bool advance();
    void ready(std::int32_t task);
    void start(std::int32_t task);
    void finish(std::int32_t task);
    void release(std::int32_t queue, std::int32_t task);
    void serveQueues();
    void serveResource(std::int32_t queue);
    void serveGroup(std::int32_t queue);
    bool isFirstEverywhere(const Extra &extra) const;
    void take(std::int32_t queue, LinkId link);
    bool before(std::int32_t queue, std::int32_t a, std::int32_t b) const;
    void enqueue(std::int32_t queue, std::int32_t task);
    void dequeue(std::int32_t queue);
    std::int32_t firstOf(std::int32_t queue) const { return m_waiting[m_compiled.queueBegin[index(queue)]]; }
    void markDirty(std::int32_t queue);
    void checkLoad(std::int32_t resource, std::int32_t task);

    std::shared_ptr<const TaskGraph> m_graph;
    const Network &m_network;
    const bool m_full;
    const std::int64_t m_giveUpAt;
    const std::atomic<bool> *m_cancel;

    CompiledGraph m_compiled;
    std::optional<LinkRecorder> m_links;
    std::optional<MemoryRecorder> m_memory;
    std::optional<FairSharing> m_sharing;
    std::vector<Event> m_events;            ///< heap: ends of what has a fixed end, starts of bodies
    std::vector<Queue> m_queues;            ///< exclusive groups, then resources
    std::vector<std::int32_t> m_waiting;
    std::vector<std::int32_t> m_dirty;
    std::vector<std::int64_t> m_readyAt;    ///< only kept when there are exclusive groups
    std::int64_t m_now = 0;
    std::size_t m_ended = 0;

    // Pruning: longest path that is left, and work that is left per resource.
    bool m_pruning = false;
    bool m_hopeless = false;                ///< the makespan is known to reach m_giveUpAt
    std::vector<std::int64_t> m_tail;
    std::vector<std::int64_t> m_workLeft;   ///< by queue of a resource: durations of tasks that have not started
    std::vector<std::int64_t> m_leastAfter; ///< by queue of a resource: what follows any of its tasks, at least

    // Full detail only.
    std::vector<TaskTime> m_times;
    std::vector<std::int32_t> m_waitedFor;  ///< by task: the holder whose end let it start, or -1
};

void Simulation::markDirty(std::int32_t queue)
{
    if (!m_queues[index(queue)].dirty) {
        m_queues[index(queue)].dirty = true;
        m_dirty.push_back(queue);
    }
}

bool Simulation::before(std::int32_t queue, std::int32_t a, std::int32_t b) const
{
    if (queue < m_compiled.groupCount && m_readyAt[index(a)] != m_readyAt[index(b)])
        return m_readyAt[index(a)] < m_readyAt[index(b)];
    return a < b;
}

void Simulation::enqueue(std::int32_t queue, std::int32_t task)
{
    std::int32_t *heap = m_waiting.data() + m_compiled.queueBegin[index(queue)];
    std::uint32_t at = m_queues[index(queue)].waiting++;
    while (at > 0 && before(queue, task, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = task;
    markDirty(queue);
}

void Simulation::dequeue(std::int32_t queue)
{
    std::int32_t *heap = m_waiting.data() + m_compiled.queueBegin[index(queue)];
    const std::uint32_t size = --m_queues[index(queue)].waiting;
    const std::int32_t moved = heap[size];
    std::uint32_t at = 0;
    while (2 * at + 1 < size) {
        std::uint32_t child = 2 * at + 1;
        if (child + 1 < size && before(queue, heap[child + 1], heap[child]))
            ++child;
        if (!before(queue, heap[child], moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

void Simulation::ready(std::int32_t task)
{
    if (m_pruning && m_now + m_tail[index(task)] >= m_giveUpAt)
        m_hopeless = true;
    const std::int32_t unit = m_compiled.nodes[index(task)].unit;
    if (unit >= 0) {
        enqueue(unit, task);
        return;
    }
    if (unit <= CompiledGraph::extraBase) {
        const Extra &extra = m_compiled.extras[index(CompiledGraph::extraBase - unit)];
        if (extra.needBegin != extra.needEnd) {
            if (extra.transfer)
                m_readyAt[index(task)] = m_now;
            for (std::uint32_t k = extra.needBegin; k < extra.needEnd; ++k)
                enqueue(m_compiled.needs[k].queue, task);
            return;
        }
    }
    start(task);
}

void Simulation::start(std::int32_t task)
{
    const Node &node = m_compiled.nodes[index(task)];
    if (m_full) {
        m_times[index(task)].start = Nanoseconds(m_now);
        m_memory->atStart(task, m_now);
    }
    // Needed when the task ends, by which time other tasks have pushed it out of reach.
    __builtin_prefetch(m_compiled.successors.data() + node.firstSuccessor);
    std::int64_t next = m_now + node.duration;
    if (node.unit <= CompiledGraph::extraBase) {
        const Extra &extra = m_compiled.extras[index(CompiledGraph::extraBase - node.unit)];
        if (extra.flow >= 0) {
            if (extra.latency == 0) {
                m_sharing->begin(extra.flow, m_now);
                return;
            }
            next = m_now + extra.latency; // then the body
        }
    }
    m_events.push_back({next, task});
    std::push_heap(m_events.begin(), m_events.end(), later);
}

void Simulation::finish(std::int32_t task)
{
    ++m_ended;
    if (m_full) {
        m_times[index(task)].end = Nanoseconds(m_now);
        m_memory->atEnd(task, m_now);
    }
    const std::int32_t unit = m_compiled.nodes[index(task)].unit;
    if (unit >= 0) {
        release(unit, task);
    } else if (unit <= CompiledGraph::extraBase) {
        const Extra &extra = m_compiled.extras[index(CompiledGraph::extraBase - unit)];
        for (std::uint32_t k = extra.needBegin; k < extra.needEnd; ++k)
            release(m_compiled.needs[k].queue, task);
    }
    for (std::int32_t s : m_compiled.successorsOf(index(task))) {
        if (--m_compiled.nodes[index(s)].pending == 0)
            ready(s);
    }
}

void Simulation::release(std::int32_t queue, std::int32_t task)
{
    Queue &q = m_queues[index(queue)];
    if (--q.holders > 0)
        return;
    q.freedBy = task;
    q.freedAt = m_now;
    if (q.waiting > 0)
        markDirty(queue);
}

void Simulation::take(std::int32_t queue, LinkId link)
{
    dequeue(queue);
    ++m_queues[index(queue)].holders;
    m_queues[index(queue)].link = link;
}

/// Ready tasks of this moment start. New ready tasks of zero-length work come in the next round.
void Simulation::serveQueues()
{
    for (std::size_t k = 0; k < m_dirty.size(); ++k) { // grows while it is walked
        const std::int32_t queue = m_dirty[k];
        m_queues[index(queue)].dirty = false;
        if (queue < m_compiled.groupCount)
            serveGroup(queue);
        else
            serveResource(queue);
    }
    m_dirty.clear();
}

void Simulation::serveResource(std::int32_t queue)
{
    Queue &q = m_queues[index(queue)];
    if (q.holders > 0 || q.waiting == 0)
        return;
    const std::int32_t task = firstOf(queue);
    const Extra *extra = m_compiled.extraOf(index(task));
    if (extra && !isFirstEverywhere(*extra))
        return;
    std::int32_t freedBy = q.freedAt == m_now ? q.freedBy : -1;
    if (extra) {
        for (std::uint32_t k = extra->needBegin; k < extra->needEnd; ++k) {
            const std::int32_t needed = m_compiled.needs[k].queue;
            if (m_queues[index(needed)].freedAt == m_now)
                freedBy = m_queues[index(needed)].freedBy;
            if (m_pruning)
                checkLoad(needed, task);
            take(needed, LinkId());
        }
    } else {
        if (m_pruning)
            checkLoad(queue, task);
        take(queue, LinkId());
    }
    if (m_full)
        m_waitedFor[index(task)] = freedBy;
    start(task);
}

/// Everything first in line that fits: idle group, or the link that is in use already.
void Simulation::serveGroup(std::int32_t queue)
{
    while (m_queues[index(queue)].waiting > 0) {
        const std::int32_t task = firstOf(queue);
        const Extra &extra = *m_compiled.extraOf(index(task));
        if (!isFirstEverywhere(extra))
            return;
        std::int32_t freedBy = -1;
        for (std::uint32_t k = extra.needBegin; k < extra.needEnd; ++k) {
            const Queue &needed = m_queues[index(m_compiled.needs[k].queue)];
            if (needed.freedAt == m_now)
                freedBy = needed.freedBy;
        }
        for (std::uint32_t k = extra.needBegin; k < extra.needEnd; ++k) {
            const CompiledGraph::Need &need = m_compiled.needs[k];
            take(need.queue, need.link);
            if (freedBy >= 0) { // those behind it in another group were waiting for the same end
                m_queues[index(need.queue)].freedBy = freedBy;
                m_queues[index(need.queue)].freedAt = m_now;
            }
            if (need.queue != queue)
                markDirty(need.queue);
        }
        if (m_full)
            m_waitedFor[index(task)] = freedBy;
        start(task);
    }
}

bool Simulation::isFirstEverywhere(const Extra &extra) const
{
    for (std::uint32_t k = extra.needBegin; k < extra.needEnd; ++k) {
        const CompiledGraph::Need &need = m_compiled.needs[k];
        const Queue &q = m_queues[index(need.queue)];
        if (firstOf(need.queue) != extra.task || (q.holders > 0 && (!need.link.valid() || q.link != need.link)))
            return false;
    }
    return true;
}

/// All that a resource still has to do comes one after the other, from now on, and something follows it.
void Simulation::checkLoad(std::int32_t resource, std::int32_t task)
{
    if (m_now + m_workLeft[index(resource)] + m_leastAfter[index(resource)] >= m_giveUpAt)
        m_hopeless = true;
    m_workLeft[index(resource)] -= m_compiled.nodes[index(task)].duration;
}

Result<void> Simulation::preparePruning()
{
    m_pruning = true;
    Result<std::vector<std::int64_t>> tails = longestTails(m_compiled, *m_graph);
    if (!tails)
        return fail(tails.error());
    m_tail = std::move(*tails);
    m_workLeft.assign(m_queues.size(), 0);
    m_leastAfter.assign(m_queues.size(), never);
    const auto add = [this](std::int32_t resource, std::size_t task) {
        const std::int64_t duration = m_compiled.nodes[task].duration;
        m_workLeft[index(resource)] += duration;
        m_leastAfter[index(resource)] = std::min(m_leastAfter[index(resource)], m_tail[task] - duration);
    };
    for (std::size_t i = 0; i < m_compiled.taskCount(); ++i) {
        const Extra *extra = m_compiled.extraOf(i);
        if (m_compiled.nodes[i].unit >= 0)
            add(m_compiled.nodes[i].unit, i);
        if (!extra || extra->transfer)
            continue;
        for (std::uint32_t k = extra->needBegin; k < extra->needEnd; ++k)
            add(m_compiled.needs[k].queue, i);
    }
    for (std::size_t r = 0; r < m_workLeft.size(); ++r) {
        if (m_leastAfter[r] != never && m_workLeft[r] + m_leastAfter[r] >= m_giveUpAt)
            m_hopeless = true;
    }
    return {};
}

/// Handles everything that happens at the next moment. False when nothing is left to happen.
bool Simulation::advance()
{
    const std::int64_t fixed = m_events.empty() ? never : m_events.front().time;
    const std::int64_t flows = m_sharing->idle() ? never : m_sharing->nextEnd();
    const std::int64_t next = std::min(fixed, flows);
    if (next == never)
        return false;
    m_now = next;
    // Rounds: work of zero length that starts now also ends now.
    do {
        while (!m_events.empty() && m_events.front().time == m_now) {
            const std::int32_t task = m_events.front().task;
            std::pop_heap(m_events.begin(), m_events.end(), later);
            m_events.pop_back();
            const Extra *extra = m_compiled.extraOf(index(task));
            if (extra && extra->flow >= 0)
                m_sharing->begin(extra->flow, m_now);
            else
                finish(task);
        }
        while (!m_sharing->idle() && m_sharing->nextEnd() == m_now)
            finish(m_compiled.flows[index(m_sharing->popEnded())].task);
        serveQueues();
    } while (!m_events.empty() && m_events.front().time == m_now);
    m_sharing->update(m_now);
    return true;
}

Result<Schedule> Simulation::run()
{
    Result<CompiledGraph> compiled = CompiledGraph::make(*m_graph, m_network);
    if (!compiled)
        return fail(compiled.error());
    m_compiled = std::move(*compiled);
    const std::size_t count = m_compiled.taskCount();
    m_queues.resize(m_compiled.queueBegin.size() - 1);
    m_waiting.resize(m_compiled.queueBegin.back());
    m_events.reserve(std::min(count, m_queues.size() + 64));
    if (m_network.exclusiveGroupCount() > 0)
        m_readyAt.resize(count);
    if (m_full) {
        m_times.resize(count);
        m_waitedFor.assign(count, -1);
        m_links.emplace(*m_graph, m_network);
        m_memory.emplace(*m_graph, m_network.cluster());
    }
    m_sharing.emplace(m_compiled, m_network, m_links ? &*m_links : nullptr);
    if (m_giveUpAt != never) {
        if (Result<void> ok = preparePruning(); !ok)
            return fail(ok.error());
    }

    for (std::size_t i = 0; i < count; ++i) { // nothing ends here yet, so `pending` does not change
        if (m_compiled.nodes[i].pending == 0)
            ready(static_cast<std::int32_t>(i));
    }
    serveQueues();
    m_sharing->update(0);
    std::uint32_t moments = 0;
    while (!m_hopeless && m_now < m_giveUpAt && advance()) {
        if (m_cancel && (++moments & 1023u) == 0 && m_cancel->load(std::memory_order_relaxed))
            return fail({ErrorKind::Cancelled, "simulation", {}, {}, {}});
    }

    Schedule schedule;
    schedule.graph = std::move(m_graph);
    if (m_hopeless || m_now >= m_giveUpAt) {
        schedule.makespan = Nanoseconds(m_giveUpAt);
        return schedule;
    }
    if (m_ended < count) {
        std::vector<bool> unfinished(count);
        for (std::size_t i = 0; i < count; ++i)
            unfinished[i] = m_compiled.nodes[i].pending > 0;
        return cycleError(*schedule.graph, unfinished);
    }
    schedule.makespan = Nanoseconds(m_now);
    if (m_full) {
        schedule.times = std::move(m_times);
        schedule.links = m_links->take();
        schedule.memory = m_memory->take();
        schedule.criticalPath = criticalPath(*schedule.graph, schedule.times, m_waitedFor);
    }
    return schedule;
}

} // namespace

Result<Schedule> simulate(std::shared_ptr<const TaskGraph> graph, const Network &network, SimDetail detail,
                          Nanoseconds giveUpAt, const std::atomic<bool> *cancel)
{
    return Simulation(std::move(graph), network, detail, giveUpAt.value, cancel).run();
}

} // namespace polyrail
