// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_text.hpp"

#include "ui/charts/gantt_model.hpp"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

struct TimeUnit
{
    double nanoseconds;
    const char *name;
};
constexpr TimeUnit timeUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}, {1, "ns"}};

const TimeUnit &unitFor(double nanoseconds)
{
    for (const TimeUnit &unit : timeUnits) {
        if (std::abs(nanoseconds) >= unit.nanoseconds)
            return unit;
    }
    return timeUnits[3];
}

QString withUnit(double value, int decimals, const char *unit)
{
    return QLocale().toString(value, 'f', decimals) + u' ' + QString::fromUtf8(unit);
}

int decimalsFor(double value, int digits)
{
    if (value == 0)
        return 0;
    return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-12)), 0, 3);
}

QString joined(const QStringList &parts)
{
    return parts.join(QStringLiteral(" \u00b7 "));
}

QString deviceNames(const Cluster &cluster, const std::vector<DeviceId> &devices)
{
    QStringList names;
    for (std::size_t i = 0; i < devices.size() && i < 4; ++i)
        names << QString::fromStdString(cluster.device(devices[i]).id);
    if (devices.size() > 4)
        names << ChartText::tr("%1 more").arg(devices.size() - 4);
    return names.join(QStringLiteral(", "));
}

} // namespace

QString timeText(double nanoseconds)
{
    const TimeUnit &unit = unitFor(nanoseconds);
    const double value = nanoseconds / unit.nanoseconds;
    return withUnit(value, unit.nanoseconds == 1 ? 0 : decimalsFor(value, 4), unit.name);
}

QString timeText(double nanoseconds, double step, double magnitude)
{
    const TimeUnit &unit = unitFor(magnitude);
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit.nanoseconds) - 1e-9)), 0, 9);
    return withUnit(nanoseconds / unit.nanoseconds, decimals, unit.name);
}

QString bytesText(double bytes)
{
    static constexpr struct { double size; const char *name; } units[] = {
        {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};
    for (const auto &unit : units) {
        if (std::abs(bytes) >= unit.size)
            return withUnit(bytes / unit.size, unit.size == 1 ? 0 : decimalsFor(bytes / unit.size, 3), unit.name);
    }
    return withUnit(bytes, 0, "B");
}

QString shareText(double share)
{
    const double percent = share * 100;
    return QLocale().toString(percent, 'f', percent > 0 && percent < 9.95 ? 1 : 0) + QStringLiteral(" %");
}

QString kindText(LinkKind kind)
{
    switch (kind) {
    case LinkKind::NvLink: return ChartText::tr("NVLink");
    case LinkKind::Pcie: return ChartText::tr("PCIe");
    case LinkKind::Network: return ChartText::tr("NIC rail");
    case LinkKind::HostBus: return ChartText::tr("host bus");
    case LinkKind::Other: break;
    }
    return ChartText::tr("link");
}

QString rateText(double bytesPerSecond, bool bits)
{
    const double value = bits ? bytesPerSecond * 8 : bytesPerSecond;
    static constexpr struct { double size; const char *inBits, *inBytes; } units[] = {
        {1e12, "Tb/s", "TB/s"}, {1e9, "Gb/s", "GB/s"}, {1e6, "Mb/s", "MB/s"}, {1e3, "kb/s", "kB/s"}};
    for (const auto &unit : units) {
        if (value >= unit.size * 0.9995) {
            const double figure = value / unit.size;
            // A round figure stays round: "32 GB/s", but "4.25 Gb/s".
            const bool round = std::abs(figure - std::round(figure)) < 5e-4 * figure;
            return withUnit(figure, round ? 0 : decimalsFor(figure, 3), bits ? unit.inBits : unit.inBytes);
        }
    }
    return withUnit(value, 0, bits ? "b/s" : "B/s");
}

QString capacityText(const Link &link)
{
    return rateText(link.bandwidth.value, link.enteredInBits);
}

QString memoryText(double bytes, double capacity)
{
    // Both in the unit of the capacity, so that "0.6 of 24 GiB" compares at a glance: binary when the capacity is a
    // whole number of GiB, as memory sizes are sold.
    const double gibis = capacity / 1073741824.0;
    const bool binary = gibis >= 0.999 && std::abs(gibis - std::round(gibis)) < 0.01;
    const double whole = binary ? gibis : capacity / 1e9;
    const double used = bytes / (binary ? 1073741824.0 : 1e9);
    const bool round = std::abs(whole - std::round(whole)) < 0.05;
    return ChartText::tr("%1 of %2", "memory in use, capacity with unit")
        .arg(QLocale().toString(used, 'f', 1), withUnit(whole, round ? 0 : 1, binary ? "GiB" : "GB"));
}

QString splitText(const Stage &stage)
{
    std::vector<std::size_t> sizes;
    for (const Replica &replica : stage.replicas)
        sizes.push_back(replica.devices.size());
    if (sizes.empty())
        return {};
    QStringList parts;
    const bool alike = std::all_of(sizes.begin(), sizes.end(), [&](std::size_t s) { return s == sizes.front(); });
    if (alike) {
        if (sizes.front() > 1)
            parts << ChartText::tr("tensor %1").arg(sizes.front());
    } else {
        QStringList list;
        for (const std::size_t s : sizes)
            list << QString::number(s);
        parts << ChartText::tr("tensor %1").arg(list.size() <= 4 ? list.join(u'/') : ChartText::tr("mixed"));
    }
    if (sizes.size() > 1)
        parts << ChartText::tr("data %1").arg(sizes.size());
    return joined(parts);
}

QString layersText(const Stage &stage)
{
    if (stage.layers() < 1)
        return {};
    if (stage.layers() == 1)
        return ChartText::tr("layer %1").arg(stage.firstLayer + 1);
    return ChartText::tr("layers %1\u2013%2").arg(stage.firstLayer + 1).arg(stage.lastLayer + 1);
}

QString roleText(TaskRole role)
{
    switch (role) {
    case TaskRole::Forward: return ChartText::tr("Forward");
    case TaskRole::Backward: return ChartText::tr("Backward");
    case TaskRole::Recompute: return ChartText::tr("Recomputation");
    case TaskRole::Optimiser: return ChartText::tr("Optimiser");
    case TaskRole::TensorTraffic: return ChartText::tr("Sums inside a stage");
    case TaskRole::PipelineTraffic: return ChartText::tr("Transfer between stages");
    case TaskRole::GradientTraffic: return ChartText::tr("Gradients between replicas");
    case TaskRole::Other: break;
    }
    return ChartText::tr("Task");
}

QString barLetter(const SimTask &task)
{
    const auto numbered = [&](QChar letter) {
        return task.microBatch >= 0 ? letter + QString::number(task.microBatch + 1) : QString(letter);
    };
    switch (task.role) {
    case TaskRole::Forward: return numbered(u'F');
    case TaskRole::Backward: return numbered(u'B');
    case TaskRole::Recompute: return numbered(u'R');
    case TaskRole::Optimiser: return QStringLiteral("O");
    default: return {};
    }
}

QString describeTask(const GanttModel &model, TaskId id)
{
    const Schedule &schedule = *model.shown.schedule;
    const SimTask &task = schedule.graph->tasks[id.index()];
    const TaskTime time = schedule.times[id.index()];
    const auto length = static_cast<double>(time.end.value - time.start.value);
    QStringList lines;

    QStringList head{roleText(task.role)};
    if (task.microBatch >= 0)
        head << ChartText::tr("micro-batch %1").arg(task.microBatch + 1);
    if (task.stage >= 0)
        head << ChartText::tr("stage %1").arg(task.stage + 1);
    lines << joined(head);
    if (task.name >= 0 && static_cast<std::size_t>(task.name) < schedule.graph->names.size())
        lines << QString::fromStdString(schedule.graph->names[static_cast<std::size_t>(task.name)]);
    if (!task.devices.empty())
        lines << ChartText::tr("On %1").arg(deviceNames(model.shown.cluster, task.devices));
    lines << ChartText::tr("From %1 to %2").arg(timeText(static_cast<double>(time.start.value)),
                                              timeText(static_cast<double>(time.end.value)));
    lines << ChartText::tr("Takes %1, %2 of the step")
                 .arg(timeText(length), shareText(model.makespan > 0 ? length / static_cast<double>(model.makespan) : 0));
    if (task.kind == TaskKind::Transfer) {
        if (task.latency.value > 0)
            lines << ChartText::tr("Latency %1").arg(timeText(static_cast<double>(task.latency.value)));
        std::vector<LinkUse> uses = task.uses;
        std::stable_sort(uses.begin(), uses.end(), [](const LinkUse &a, const LinkUse &b) { return a.bytes > b.bytes; });
        for (std::size_t i = 0; i < uses.size() && i < 6; ++i) {
            const Link &link = model.shown.cluster.link(uses[i].link);
            const double rate = length > 0 ? uses[i].bytes / (length * 1e-9) : 0;
            lines << ChartText::tr("%1: %2, %3 of %4", "link: bytes, mean rate of capacity")
                         .arg(QString::fromStdString(link.id), bytesText(uses[i].bytes),
                              rateText(rate, link.enteredInBits), capacityText(link));
        }
        if (uses.size() > 6)
            lines << ChartText::tr("and %1 more uses of links").arg(uses.size() - 6);
    }
    if (std::find(schedule.criticalPath.begin(), schedule.criticalPath.end(), id) != schedule.criticalPath.end())
        lines << ChartText::tr("On the critical path");
    return lines.join(u'\n');
}

QString describeLink(const GanttModel &model, const LinkRow &row, double time)
{
    const Cluster &cluster = model.shown.cluster;
    const Link &first = cluster.link(row.links.front());
    QStringList lines{row.name};
    const auto ends = [&](const Link &link) {
        return ChartText::tr("%1 to %2").arg(QString::fromStdString(cluster.vertexName(link.ends[0])),
                                           QString::fromStdString(cluster.vertexName(link.ends[1])));
    };
    if (row.bundle()) {
        for (std::size_t i = 0; i < row.links.size() && i < 4; ++i) {
            const Link &link = cluster.link(row.links[i]);
            lines << QString::fromStdString(link.id) + QStringLiteral(", ") + ends(link);
        }
        if (row.links.size() > 4)
            lines << ChartText::tr("and %1 more").arg(row.links.size() - 4);
    } else {
        lines << joined({kindText(row.kind), ends(first),
                         first.duplex == Duplex::Half ? ChartText::tr("half duplex") : ChartText::tr("full duplex")});
    }
    if (row.idle()) {
        lines << ChartText::tr("Not used by this plan");
        return lines.join(u'\n');
    }
    lines << (row.bundle() ? ChartText::tr("Capacity %1 each").arg(capacityText(first))
                           : ChartText::tr("Capacity %1, latency %2").arg(capacityText(first),
                                                                        timeText(first.latency.value * 1e9)));
    for (std::size_t d = 0; d < 2; ++d) {
        if (row.series[d].empty())
            continue;
        const double rate = row.series[d].at(time);
        QString name = ChartText::tr("Now");
        if (row.bundle())
            name = ChartText::tr("Mean of all, now");
        else if (first.duplex == Duplex::Full)
            name = ChartText::tr("To %1, now").arg(QString::fromStdString(cluster.vertexName(first.ends[d == 0 ? 1 : 0])));
        lines << QStringLiteral("%1: %2 (%3)").arg(name, rateText(rate, first.enteredInBits), shareText(rate / row.capacity));
    }
    lines << ChartText::tr("Carries %1 per step").arg(bytesText(row.bytes));
    const auto sharing = std::find_if(row.contended.begin(), row.contended.end(), [&](const RateSegment &s) {
        return static_cast<double>(s.start.value) <= time && time < static_cast<double>(s.end.value);
    });
    if (sharing != row.contended.end())
        lines << ChartText::tr("Two or more transfers share it now");
    return lines.join(u'\n');
}

QString describeMemory(const MemoryRow &row, double time)
{
    QStringList lines{ChartText::tr("Memory of %1").arg(row.name)};
    lines << ChartText::tr("Now: %1").arg(memoryText(row.series.at(time), row.capacity));
    lines << ChartText::tr("Peak: %1").arg(row.figure);
    return lines.join(u'\n');
}

QString planSummary(const ShownPlan &shown)
{
    QStringList parts;
    if (shown.plan) {
        const std::size_t stages = shown.plan->stages.size();
        parts << (stages == 1 ? ChartText::tr("1 stage") : ChartText::tr("%1 stages").arg(stages));
        parts << (shown.plan->schedule == PipelineSchedule::OneFOneB ? QStringLiteral("1F1B") : QStringLiteral("GPipe"));
        const int count = shown.plan->microBatches;
        parts << (count == 1 ? ChartText::tr("1 micro-batch") : ChartText::tr("%1 micro-batches").arg(count));
    }
    if (shown.plan && shown.schedule && shown.schedule->makespan.value > 0) {
        const double seconds = toSeconds(shown.schedule->makespan).value;
        const double tokens = static_cast<double>(shown.job.globalBatch) * shown.job.sequence;
        parts << ChartText::tr("%1 tokens/s").arg(QLocale().toString(tokens / seconds, 'f', 0));
    }
    return joined(parts);
}

} // namespace polyrail
