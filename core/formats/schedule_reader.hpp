// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/json_cursor.hpp"
#include "core/formats/json_files.hpp"

#include <unordered_map>

namespace polyrail {

/// Reads a polyrail-schedule file that this or another program wrote. What is contradictory but can be
/// represented (overlaps, wrong sums, ends before starts) is left to validate(). Internal to core/formats.
class ScheduleReader
{
public:
    explicit ScheduleReader(const JsonCursor &root) : m_root(root) {}
    Result<ScheduleFile> read(std::optional<Error> &error);

private:
    ClusterParts readCluster(const JsonCursor &cluster);
    void readConflict(const JsonCursor &item, ClusterParts &parts);
    void readTaskIds(const JsonCursor &tasks);
    void readTask(const JsonCursor &item, std::size_t i);
    void readLinkUse(const JsonCursor &item);
    void readMemory(const JsonCursor &item);

    std::string taskKey(const JsonCursor &place) const;
    TaskId task(const JsonCursor &place) const;
    DeviceId device(const JsonCursor &place) const;
    LinkId link(const JsonCursor &place) const;
    Direction direction(const JsonCursor &place) const;
    Nanoseconds time(const JsonCursor &place) const;

    const JsonCursor &m_root;
    TaskGraph m_graph;
    Schedule m_schedule;
    std::unordered_map<std::string, TaskId> m_tasks;
    std::unordered_map<std::string, DeviceId> m_devices;
    std::unordered_map<std::string, VertexId> m_vertices;
    std::unordered_map<std::string, LinkId> m_links;
};

} // namespace polyrail
