// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/schedule.hpp"

namespace polyrail {

/// Follows the memory in use on every device while the simulation goes on. Changes of one moment count
/// together: what is freed by a task that ends is there for the one that starts then. Internal to core/sim.
class MemoryRecorder
{
public:
    MemoryRecorder(const TaskGraph &graph, const Cluster &cluster);

    void atStart(std::int32_t task, std::int64_t now) { apply(2 * static_cast<std::size_t>(task), now); }
    void atEnd(std::int32_t task, std::int64_t now) { apply(2 * static_cast<std::size_t>(task) + 1, now); }
    /// The devices that hold anything at any time.
    std::vector<MemoryTrack> take();

private:
    void apply(std::size_t moment, std::int64_t now)
    {
        if (!m_begin.empty() && m_begin[moment] != m_begin[moment + 1])
            applyChanges(moment, now);
    }
    void applyChanges(std::size_t moment, std::int64_t now);

    const TaskGraph &m_graph;
    std::vector<std::uint32_t> m_begin;  ///< by task * 2 + atEnd: range of m_changes; empty without changes
    std::vector<std::uint32_t> m_changes;
    std::vector<MemoryTrack> m_tracks;   ///< by device
    std::vector<bool> m_used;
};

} // namespace polyrail
