// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/compiled_graph.hpp"

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

constexpr double longestSchedule = 4.0e18; ///< ns, about 126 years; leaves room below 2^63

/// One compilation. Rows of a transfer are merged through stamps by row, so that nothing is cleared
/// between transfers.
class Compiler
{
public:
    Compiler(const TaskGraph &graph, const Network &network) : m_graph(graph), m_network(network) {}

    Result<CompiledGraph> run();

private:
    tl::unexpected<Error> invalid(std::size_t task, std::string found, std::string expected) const
    {
        return inputError(taskLabel(m_graph, task), std::move(found), std::move(expected));
    }
    Result<void> check(std::size_t i) const;
    Result<void> checkMemory() const;
    std::int32_t resource(DeviceId device, std::uint8_t stream);
    void addCompute(std::size_t i);
    Result<void> addTransfer(std::size_t i);
    Result<void> addClaims(std::size_t i, CompiledGraph::Extra &extra);
    void addFlow(std::size_t i, CompiledGraph::Extra &extra);
    void linkSuccessors();
    std::int32_t addExtra(const CompiledGraph::Extra &extra)
    {
        m_out.extras.push_back(extra);
        return CompiledGraph::extraBase - static_cast<std::int32_t>(m_out.extras.size() - 1);
    }

    const TaskGraph &m_graph;
    const Network &m_network;
    CompiledGraph m_out;
    std::size_t m_devices = 0;
    std::vector<DeviceId> m_sorted;           ///< devices of the current task, each once
    std::vector<std::int32_t> m_preds;        ///< of all tasks, one after the other
    double m_total = 0;                       ///< ns if everything ran one after the other
    std::vector<std::uint32_t> m_rowSeenBy;   ///< by row: transfer that touched it last
    std::vector<std::uint32_t> m_rowTerm;     ///< by row: its term of that transfer
    std::uint32_t m_transferNumber = 0;
};

/// Ids and figures of one task.
Result<void> Compiler::check(std::size_t i) const
{
    const SimTask &task = m_graph.tasks[i];
    if (task.duration.value < 0 || task.latency.value < 0)
        return invalid(i, "a negative time", "a duration and a latency of zero or more");
    for (DeviceId d : task.devices) {
        if (d.value < 0 || d.index() >= m_devices)
            return invalid(i, "device " + std::to_string(d.value),
                           "a device of the cluster, 0 to " + std::to_string(m_devices) + " exclusive");
    }
    for (const LinkUse &use : task.uses) {
        if (use.link.value < 0 || use.link.index() >= m_network.linkCount())
            return invalid(i, "link " + std::to_string(use.link.value),
                           "a link of the cluster, 0 to " + std::to_string(m_network.linkCount()) + " exclusive");
        if (!(use.bytes >= 0) || !std::isfinite(use.bytes))
            return invalid(i, "bytes that are negative or not a number", "bytes of zero or more on every link");
    }
    for (TaskId p : task.preds) {
        if (p.value < 0 || p.index() >= m_graph.tasks.size())
            return invalid(i, "pred " + std::to_string(p.value),
                           "a task of the graph, 0 to " + std::to_string(m_graph.tasks.size()) + " exclusive");
    }
    return {};
}

Result<void> Compiler::checkMemory() const
{
    for (std::size_t k = 0; k < m_graph.memory.size(); ++k) {
        const MemoryChange &change = m_graph.memory[k];
        if (change.task.value < 0 || change.task.index() >= m_graph.tasks.size() || change.device.value < 0
            || change.device.index() >= m_devices)
            return inputError("memory change " + std::to_string(k),
                              "task " + std::to_string(change.task.value) + ", device "
                                  + std::to_string(change.device.value),
                              "a task of the graph and a device of the cluster");
    }
    if (m_graph.baseMemory.size() > m_devices)
        return inputError("base memory", std::to_string(m_graph.baseMemory.size()) + " devices",
                          "at most the cluster's " + std::to_string(m_devices));
    return {};
}

/// The queue of a device's stream. First streams of all devices come first, then second ones: the first, which
/// most graphs have alone, needs no knowledge of the others.
std::int32_t Compiler::resource(DeviceId device, std::uint8_t stream)
{
    const auto queue = static_cast<std::size_t>(m_out.groupCount) + stream * m_devices + device.index();
    if (queue + 2 > m_out.queueBegin.size())
        m_out.queueBegin.resize(static_cast<std::size_t>(m_out.groupCount) + (stream + 1u) * m_devices + 1, 0);
    ++m_out.queueBegin[queue + 1];
    return static_cast<std::int32_t>(queue);
}

void Compiler::addCompute(std::size_t i)
{
    const SimTask &task = m_graph.tasks[i];
    CompiledGraph::Node &node = m_out.nodes[i];
    node.duration = task.duration.value;
    if (task.devices.empty())
        return;
    if (task.devices.size() == 1) {
        node.unit = resource(task.devices.front(), task.stream);
        return;
    }
    CompiledGraph::Extra extra;
    extra.task = static_cast<std::int32_t>(i);
    extra.needBegin = static_cast<std::uint32_t>(m_out.needs.size());
    m_sorted.assign(task.devices.begin(), task.devices.end());
    std::sort(m_sorted.begin(), m_sorted.end());
    m_sorted.erase(std::unique(m_sorted.begin(), m_sorted.end()), m_sorted.end());
    for (DeviceId d : m_sorted)
        m_out.needs.push_back({resource(d, task.stream), LinkId()});
    extra.needEnd = static_cast<std::uint32_t>(m_out.needs.size());
    node.unit = addExtra(extra);
}

Result<void> Compiler::addClaims(std::size_t i, CompiledGraph::Extra &extra)
{
    const SimTask &task = m_graph.tasks[i];
    extra.needBegin = static_cast<std::uint32_t>(m_out.needs.size());
    for (const LinkUse &use : task.uses) {
        if (use.bytes <= 0)
            continue;
        const std::string &linkName = m_network.cluster().link(use.link).id;
        if (m_network.isDown(use.link))
            return fail({ErrorKind::Infeasible, taskLabel(m_graph, i), "a transfer over link \"" + linkName + "\", which is down",
                         "links that are up", "Bring the link up, or plan again without it."});
        for (std::int32_t queue : m_network.exclusiveGroups(use.link)) {
            const auto begin = m_out.needs.begin() + extra.needBegin;
            const auto known = std::find_if(begin, m_out.needs.end(),
                                            [queue](const CompiledGraph::Need &n) { return n.queue == queue; });
            if (known == m_out.needs.end()) {
                m_out.needs.push_back({queue, use.link});
                ++m_out.queueBegin[static_cast<std::size_t>(queue) + 1];
            } else if (known->link != use.link) {
                return fail({ErrorKind::Infeasible, taskLabel(m_graph, i),
                             "links \"" + m_network.cluster().link(known->link).id + "\" and \"" + linkName
                                 + "\" at once, which exclude each other",
                             "one link of an exclusive group per transfer", "Route the transfer over one of them."});
            }
        }
    }
    extra.needEnd = static_cast<std::uint32_t>(m_out.needs.size());
    return {};
}

void Compiler::addFlow(std::size_t i, CompiledGraph::Extra &extra)
{
    const SimTask &task = m_graph.tasks[i];
    ++m_transferNumber;
    CompiledGraph::Flow flow;
    flow.task = static_cast<std::int32_t>(i);
    flow.termBegin = static_cast<std::uint32_t>(m_out.terms.size());
    const auto flowIndex = static_cast<std::int32_t>(m_out.flows.size());
    for (const LinkUse &use : task.uses) {
        if (use.bytes <= 0)
            continue;
        m_network.forEachRow(use.link, use.direction, [&](int row) {
            const auto r = static_cast<std::size_t>(row);
            if (m_rowSeenBy[r] == m_transferNumber) {
                m_out.terms[m_rowTerm[r]].weight += use.bytes;
                return;
            }
            m_rowSeenBy[r] = m_transferNumber;
            m_rowTerm[r] = static_cast<std::uint32_t>(m_out.terms.size());
            m_out.terms.push_back({row, flowIndex, use.bytes});
            ++m_out.rowBegin[r + 1];
        });
    }
    flow.termEnd = static_cast<std::uint32_t>(m_out.terms.size());
    if (flow.termBegin == flow.termEnd)
        return; // carries nothing
    // The most loaded row, by time; of rows that are equally loaded, the one with most bytes. The margin
    // keeps rounding from deciding between rows that are equal by construction (stripes).
    const std::span<const double> capacity = m_network.capacities();
    double longest = 0; // seconds
    for (std::uint32_t t = flow.termBegin; t < flow.termEnd; ++t) {
        const CompiledGraph::Term &term = m_out.terms[t];
        const double seconds = term.weight / capacity[static_cast<std::size_t>(term.row)];
        if (seconds > longest * (1 + 1e-9) || (seconds >= longest * (1 - 1e-9) && term.weight > flow.reference))
            flow.reference = term.weight;
        longest = std::max(longest, seconds);
    }
    for (std::uint32_t t = flow.termBegin; t < flow.termEnd; ++t)
        m_out.terms[t].weight /= flow.reference;
    m_total += longest * 1e9;
    if (!(m_total < longestSchedule))
        return; // refused by run(); the conversions below would overflow
    flow.leastBody = std::max<std::int64_t>({1, task.duration.value, toNanoseconds(Seconds(longest)).value});
    flow.ceiling = flow.reference / (longest * 1e9);
    if (task.duration.value > 0)
        flow.ceiling = std::min(flow.ceiling, flow.reference / static_cast<double>(task.duration.value));
    extra.flow = flowIndex;
    m_out.flows.push_back(flow);
}

Result<void> Compiler::addTransfer(std::size_t i)
{
    const SimTask &task = m_graph.tasks[i];
    CompiledGraph::Node &node = m_out.nodes[i];
    node.duration = task.latency.value + task.duration.value;
    CompiledGraph::Extra extra;
    extra.task = static_cast<std::int32_t>(i);
    extra.transfer = true;
    extra.latency = task.latency.value;
    if (Result<void> ok = addClaims(i, extra); !ok)
        return ok;
    addFlow(i, extra);
    if (extra.flow >= 0) // a transfer without bytes behaves like a compute task that needs nothing
        node.unit = addExtra(extra);
    return {};
}

void Compiler::linkSuccessors()
{
    std::vector<CompiledGraph::Node> &nodes = m_out.nodes;
    const std::size_t count = m_graph.tasks.size();
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < count; ++i) { // from counts to ends
        total += nodes[i].firstSuccessor;
        nodes[i].firstSuccessor = total;
    }
    nodes[count].firstSuccessor = total;
    m_out.successors.resize(total);
    std::size_t pred = m_preds.size();
    // Backwards, moving each end down to its begin; each list comes out ascending.
    for (std::size_t i = count; i-- > 0;) {
        for (std::int32_t k = 0; k < nodes[i].pending; ++k)
            m_out.successors[--nodes[static_cast<std::size_t>(m_preds[--pred])].firstSuccessor]
                = static_cast<std::int32_t>(i);
    }
}

Result<CompiledGraph> Compiler::run()
{
    const std::size_t count = m_graph.tasks.size();
    if (count >= std::size_t(1) << 30)
        return inputError("tasks", std::to_string(count) + " tasks", "fewer than 2^30");
    const std::size_t rows = m_network.capacities().size();
    m_devices = m_network.cluster().devices().size();
    if (Result<void> ok = checkMemory(); !ok)
        return fail(ok.error());
    m_out.groupCount = m_network.exclusiveGroupCount();
    m_out.nodes.resize(count + 1);
    m_out.queueBegin.assign(static_cast<std::size_t>(m_out.groupCount) + m_devices + 1, 0);
    m_out.rowBegin.assign(rows + 1, 0);
    m_rowSeenBy.assign(rows, 0);
    m_rowTerm.assign(rows, 0);
    m_preds.reserve(2 * count);
    for (std::size_t i = 0; i < count; ++i) { // one walk over the tasks: they are spread over memory
        const SimTask &task = m_graph.tasks[i];
        if (Result<void> ok = check(i); !ok)
            return fail(ok.error());
        m_total += static_cast<double>(task.duration.value) + static_cast<double>(task.latency.value);
        m_out.nodes[i].pending = static_cast<std::int32_t>(task.preds.size());
        for (TaskId p : task.preds) {
            m_preds.push_back(p.value);
            ++m_out.nodes[p.index()].firstSuccessor;
            m_out.topological = m_out.topological && p.index() < i;
        }
        if (task.kind == TaskKind::Compute) {
            addCompute(i);
        } else if (Result<void> ok = addTransfer(i); !ok) {
            return fail(ok.error());
        }
    }
    if (!(m_total < longestSchedule))
        return inputError("tasks", "times that sum to " + std::to_string(m_total * 1e-9) + " s",
                          "a schedule of less than 100 years");
    linkSuccessors();
    for (std::size_t q = 1; q < m_out.queueBegin.size(); ++q)
        m_out.queueBegin[q] += m_out.queueBegin[q - 1];
    for (std::size_t r = 1; r < m_out.rowBegin.size(); ++r)
        m_out.rowBegin[r] += m_out.rowBegin[r - 1];
    return std::move(m_out);
}

} // namespace

Result<CompiledGraph> CompiledGraph::make(const TaskGraph &graph, const Network &network)
{
    return Compiler(graph, network).run();
}

std::int64_t CompiledGraph::aloneTime(std::size_t task) const
{
    const Extra *extra = extraOf(task);
    if (extra && extra->flow >= 0)
        return extra->latency + flows[static_cast<std::size_t>(extra->flow)].leastBody;
    return nodes[task].duration;
}

Result<std::vector<std::int64_t>> longestTails(const CompiledGraph &compiled, const TaskGraph &graph)
{
    const std::size_t count = compiled.taskCount();
    std::vector<std::int64_t> tail(count);
    const auto settle = [&](std::size_t i) {
        std::int64_t after = 0;
        for (std::int32_t s : compiled.successorsOf(i))
            after = std::max(after, tail[static_cast<std::size_t>(s)]);
        tail[i] = compiled.aloneTime(i) + after;
    };
    if (compiled.topological) {
        for (std::size_t i = count; i-- > 0;)
            settle(i);
        return tail;
    }
    std::vector<std::int32_t> order;
    order.reserve(count);
    std::vector<std::int32_t> pending(count);
    for (std::size_t i = 0; i < count; ++i) {
        pending[i] = compiled.nodes[i].pending;
        if (pending[i] == 0)
            order.push_back(static_cast<std::int32_t>(i));
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
        for (std::int32_t s : compiled.successorsOf(static_cast<std::size_t>(order[k]))) {
            if (--pending[static_cast<std::size_t>(s)] == 0)
                order.push_back(s);
        }
    }
    if (order.size() < count) {
        std::vector<bool> unfinished(count);
        for (std::size_t i = 0; i < count; ++i)
            unfinished[i] = pending[i] > 0;
        return cycleError(graph, unfinished);
    }
    for (std::size_t k = count; k-- > 0;)
        settle(static_cast<std::size_t>(order[k]));
    return tail;
}

tl::unexpected<Error> cycleError(const TaskGraph &graph, const std::vector<bool> &unfinished)
{
    // Every unfinished task has an unfinished pred, so walking back must come to a task seen before.
    const auto first = std::find(unfinished.begin(), unfinished.end(), true);
    std::size_t at = static_cast<std::size_t>(first - unfinished.begin());
    std::vector<bool> seen(unfinished.size());
    while (!seen[at]) {
        seen[at] = true;
        for (TaskId p : graph.tasks[at].preds) {
            if (unfinished[p.index()]) {
                at = p.index();
                break;
            }
        }
    }
    return inputError(taskLabel(graph, at), "a task that waits for itself, through its preds",
                      "preds without a cycle");
}

} // namespace polyrail
