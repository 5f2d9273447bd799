// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sim/memory_recorder.hpp"

#include "core/cluster/cluster.hpp"

#include <algorithm>

namespace polyrail {

MemoryRecorder::MemoryRecorder(const TaskGraph &graph, const Cluster &cluster)
    : m_graph(graph), m_tracks(cluster.devices().size()), m_used(cluster.devices().size())
{
    for (std::size_t d = 0; d < m_tracks.size(); ++d) {
        m_tracks[d].device = DeviceId(d);
        m_tracks[d].capacityBytes = cluster.devices()[d].type.memory.value;
        const std::int64_t base = d < graph.baseMemory.size() ? graph.baseMemory[d] : 0;
        m_used[d] = base != 0;
        m_tracks[d].steps.push_back({Nanoseconds(0), base});
    }
    if (graph.memory.empty())
        return;
    const auto momentOf = [](const MemoryChange &c) { return 2 * c.task.index() + (c.atEnd ? 1 : 0); };
    m_begin.assign(2 * graph.tasks.size() + 1, 0);
    for (const MemoryChange &change : graph.memory) {
        ++m_begin[momentOf(change)];
        m_used[change.device.index()] = true;
    }
    std::uint32_t total = 0;
    for (std::uint32_t &begin : m_begin) { // from counts to ends; the last is the sentinel
        total += begin;
        begin = total;
    }
    m_changes.resize(total);
    for (std::size_t k = graph.memory.size(); k-- > 0;)
        m_changes[--m_begin[momentOf(graph.memory[k])]] = static_cast<std::uint32_t>(k);
}

void MemoryRecorder::applyChanges(std::size_t moment, std::int64_t now)
{
    for (std::uint32_t k = m_begin[moment]; k < m_begin[moment + 1]; ++k) {
        const MemoryChange &change = m_graph.memory[m_changes[k]];
        std::vector<MemoryStep> &steps = m_tracks[change.device.index()].steps;
        const std::int64_t bytes = steps.back().bytes + change.bytes;
        if (steps.back().time.value == now)
            steps.back().bytes = bytes;
        else
            steps.push_back({Nanoseconds(now), bytes});
    }
}

std::vector<MemoryTrack> MemoryRecorder::take()
{
    std::vector<MemoryTrack> result;
    for (std::size_t d = 0; d < m_tracks.size(); ++d) {
        if (!m_used[d])
            continue;
        MemoryTrack &track = m_tracks[d];
        // Changes of one moment may cancel out: a step to the same height is none.
        const auto same = [](const MemoryStep &a, const MemoryStep &b) { return a.bytes == b.bytes; };
        track.steps.erase(std::unique(track.steps.begin(), track.steps.end(), same), track.steps.end());
        for (const MemoryStep &step : track.steps)
            track.peakBytes = std::max(track.peakBytes, step.bytes);
        result.push_back(std::move(track));
    }
    return result;
}

} // namespace polyrail
