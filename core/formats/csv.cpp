// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/exporters.hpp"

#include <cmath>

namespace polyrail {

namespace {

/// RFC 4180: quoted where it has to be.
void appendField(std::string &out, const std::string &text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        out += text;
        return;
    }
    out += '"';
    for (char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    out += '"';
}

/// Exact, nine decimals.
void appendSeconds(std::string &out, std::int64_t nanoseconds)
{
    const std::string digits = std::to_string(nanoseconds % 1000000000);
    out += std::to_string(nanoseconds / 1000000000) + '.' + std::string(9 - digits.size(), '0') + digits;
}

} // namespace

std::string exportCsv(const Schedule &schedule, const Cluster &cluster)
{
    std::string out = "id,name,kind,role,stage,micro_batch,start_s,end_s,devices,links,bytes\n";
    const TaskGraph &graph = *schedule.graph;
    out.reserve(out.size() + schedule.times.size() * 100);
    for (std::size_t i = 0; i < schedule.times.size(); ++i) {
        const SimTask &task = graph.tasks[i];
        out += std::to_string(i) + ',';
        if (task.name >= 0 && static_cast<std::size_t>(task.name) < graph.names.size())
            appendField(out, graph.names[static_cast<std::size_t>(task.name)]);
        out += task.kind == TaskKind::Transfer ? ",transfer," : ",compute,";
        out += toString(task.role);
        out += ',';
        out += task.stage >= 0 ? std::to_string(task.stage) : std::string();
        out += ',';
        out += task.microBatch >= 0 ? std::to_string(task.microBatch) : std::string();
        out += ',';
        appendSeconds(out, schedule.times[i].start.value);
        out += ',';
        appendSeconds(out, schedule.times[i].end.value);
        out += ',';
        std::string list;
        for (DeviceId d : task.devices)
            list += (list.empty() ? "" : ";") + cluster.device(d).id;
        appendField(out, list);
        out += ',';
        list.clear();
        double bytes = 0;
        for (const LinkUse &use : task.uses) {
            list += (list.empty() ? "" : ";") + cluster.link(use.link).id + ' ' + toString(use.direction);
            bytes += use.bytes;
        }
        appendField(out, list);
        out += ',';
        if (task.kind == TaskKind::Transfer)
            out += std::to_string(std::llround(bytes));
        out += '\n';
    }
    return out;
}

} // namespace polyrail
