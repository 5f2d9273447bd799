// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/rate_series.hpp"
#include "ui/document/selection.hpp"

#include <QString>
#include <QStringList>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace polyrail {

/// What a bar is drawn as.
enum class BarKind : std::uint8_t { Forward, Backward, Recompute, Optimiser, Communication, Other };
inline constexpr std::size_t barKindCount = 6;
BarKind barKind(const SimTask &task);

/// A piece of a task on one row. Times in ns.
struct GanttBar
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int32_t task = -1;
    BarKind kind = BarKind::Other;
    bool joined = false; ///< communication that ends the block of the bar before it (same stage and micro-batch)
};

/// Busy time by kind of a run of bars.
using BusyByKind = std::array<std::int64_t, barKindCount>;

/// What one device did. `bars` never overlap, so their lengths add up to the busy time: computation comes first,
/// communication fills what computation leaves free. Communication under computation is in `hidden`.
struct DeviceRow
{
    DeviceId device;                    ///< the first of `members`
    std::vector<DeviceId> members;      ///< more than one: folded devices that do the very same
    int stage = -1;
    QString name;
    std::vector<GanttBar> bars;         ///< sorted, disjoint
    std::vector<GanttBar> hidden;       ///< sorted, disjoint
    std::vector<BusyByKind> blockBusy;  ///< of every `busyBlock` bars
};
inline constexpr std::size_t busyBlock = 16;

/// One link, or several equal ones of one place shown as one.
struct LinkRow
{
    std::vector<LinkId> links;
    LinkKind kind = LinkKind::Other;
    QString name;
    QString figure;                     ///< the capacity in words
    QString key;                        ///< of a bundle: names it over new plans; empty for one link
    double capacity = 0;                ///< bytes/s of one direction (half duplex: of both)
    std::array<RateSeries, 2> series;   ///< by direction; one that is empty takes no room
    std::vector<RateSegment> contended;
    double bytes = 0;                   ///< carried over the step, both directions, all links
    bool member = false;                ///< of an opened bundle
    bool bundle() const { return links.size() > 1; }
    bool idle() const { return series[0].empty() && series[1].empty(); }
    bool bothWays() const { return !series[0].empty() && !series[1].empty(); }
};

struct MemoryRow
{
    DeviceId device;
    QString name;
    QString figure;                     ///< "20.6 of 24 GB"
    double capacity = 0;                ///< bytes
    double peak = 0;                    ///< bytes
    RateSeries series;
};

/// Neighbouring device rows of one pipeline stage.
struct StageGroup
{
    int stage = -1;                     ///< -1: devices without a stage
    std::size_t firstRow = 0;
    std::size_t rowCount = 0;
    QString name;                       ///< "Stage 1"
    QString split;                      ///< "tensor 4"
    QString layers;                     ///< "layers 1–15"
};

struct BarRef
{
    std::int32_t row = -1;              ///< index into GanttModel::devices
    std::int32_t bar = -1;              ///< index into its bars, or into hidden when `hidden`
    bool hidden = false;
    bool valid() const { return row >= 0; }
    bool operator==(const BarRef &) const = default;
};

/// A part of the critical path on the row that stands for its stage.
struct CriticalPiece
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int32_t row = -1;
    std::int32_t task = -1;
};

/// Everything the Gantt draws, in the order in which it is drawn; built once per plan, then only read. Pure: no widget.
struct GanttModel
{
    /// Whether the devices of a tensor group share a row.
    enum class Fold { Never, Auto, Always };
    static constexpr std::size_t foldBeyond = 48; ///< devices at which Auto folds

    struct Options
    {
        Fold fold = Fold::Auto;
        bool links = true;
        bool memory = true;
        std::set<QString> openBundles;  ///< LinkRow::key of bundles whose links are listed too
    };

    ShownPlan shown;
    std::vector<DeviceRow> devices;
    std::vector<StageGroup> stages;
    std::vector<LinkRow> links;
    std::vector<MemoryRow> memory;
    std::vector<std::int32_t> rowByDevice; ///< index into `devices`, -1 = none
    std::vector<DeviceId> idleDevices;  ///< in the cluster, without a task
    std::vector<CriticalPiece> critical; ///< sorted by start
    std::int64_t makespan = 0;          ///< ns

    static GanttModel build(const ShownPlan &shown, const Options &options);
    static GanttModel build(const ShownPlan &shown) { return build(shown, Options()); }

    bool empty() const { return devices.empty(); }
    const GanttBar &bar(BarRef ref) const;
    /// The bar of a row at a moment (ns).
    BarRef barAt(std::size_t row, double time) const;
    BarRef hiddenAt(std::size_t row, double time) const;
    /// The bar under `time`, or the nearest one within `reach` ns.
    BarRef barNear(std::size_t row, double time, double reach) const;
    /// Where a task is drawn, by row.
    std::vector<BarRef> barsOf(TaskId task) const;
    /// The next bar of another task on a row, in direction +1 or -1; from the row's beginning or end when `from` is
    /// not on the row. Invalid at the end.
    BarRef step(std::size_t row, TaskId from, int direction) const;
    /// The next task of the critical path; when `from` is not on it, the nearest one in time on that side.
    TaskId stepCritical(TaskId from, int direction) const;
    std::optional<std::size_t> rowOf(DeviceId device) const;
};

/// "3 stages · 1F1B · 8 micro-batches · 8,835 tokens/s"
QString planSummary(const ShownPlan &shown);

} // namespace polyrail
