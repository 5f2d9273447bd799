// SPDX-License-Identifier: GPL-3.0-or-later
// Rows, level of detail and words of the Gantt, without a window.
#include "tests/ui/chart_fixture.hpp"
#include "ui/charts/chart_text.hpp"
#include "ui/charts/gantt_lod.hpp"
#include "ui/charts/gantt_model.hpp"
#include "ui/charts/gantt_scene.hpp"

#include <QLocale>
#include <QTest>

using namespace polyrail;

namespace {

std::int64_t busy(const std::vector<GanttBar> &bars)
{
    std::int64_t sum = 0;
    for (const GanttBar &bar : bars)
        sum += bar.end - bar.start;
    return sum;
}

/// Length of the union of intervals, by brute force: the check of what the model keeps.
std::int64_t unionLength(std::vector<std::pair<std::int64_t, std::int64_t>> spans)
{
    std::sort(spans.begin(), spans.end());
    std::int64_t sum = 0, until = std::numeric_limits<std::int64_t>::min();
    for (const auto &[start, end] : spans) {
        if (end > until) {
            sum += end - std::max(start, until);
            until = end;
        }
    }
    return sum;
}

DeviceRow rowOf(std::vector<GanttBar> bars)
{
    DeviceRow row;
    row.bars = std::move(bars);
    row.blockBusy.resize((row.bars.size() + busyBlock - 1) / busyBlock);
    for (std::size_t i = 0; i < row.bars.size(); ++i)
        row.blockBusy[i / busyBlock][static_cast<std::size_t>(row.bars[i].kind)] += row.bars[i].end - row.bars[i].start;
    return row;
}

/// Busy pixels that a drawing of a row stands for.
double drawnPixels(const RowShapes &shapes, const TimeScale &scale, double density)
{
    double sum = 0;
    for (const BlockShape &block : shapes.blocks) {
        const double x0 = std::max(scale.x(double(block.start)), scale.left);
        const double x1 = std::min(scale.x(double(block.end)), scale.left + scale.width);
        sum += x1 - x0;
    }
    for (const CellShape &cell : shapes.cells)
        sum += double(cell.share) / density;
    return sum;
}

} // namespace

class TestGanttModel : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void rowsFollowThePlan();
    void barsNeverOverlapAndKeepTheBusyTime();
    void hiddenTrafficIsUnderComputation();
    void trafficJoinsItsBlock();
    void foldsTensorGroups();
    void withoutAPlan();
    void withoutASchedule();
    void linkRows();
    void idleLinksAreSummed();
    void bundlesOpen();
    void halfDuplexAddsUp();
    void memoryRows();
    void criticalPieces();
    void findBars();
    void steps();
    void wideBarsStand();
    void thinBarsMerge();
    void thinTrafficBecomesAStrip();
    void shapesKeepTheBusyTime_data();
    void shapesKeepTheBusyTime();
    void shapesLookAtFewBars();
    void busyOfRuns();
    void busyOfIntervals();
    void tickSteps();
    void seriesMeanAndPeak();
    void seriesOfSeveralLinks();
    void seriesColumnsKeepTheIntegral();
    void layoutPlaces();
    void texts();
    void tips();
};

void TestGanttModel::rowsFollowThePlan()
{
    const GanttModel model = GanttModel::build(chart_fixture::pipeline());
    QCOMPARE(model.devices.size(), std::size_t(8));
    QCOMPARE(model.devices[0].name, QStringLiteral("V100 0")); // stage 1 first, though the file lists the 4090D first
    QCOMPARE(model.devices[4].name, QStringLiteral("4090D 0"));
    QCOMPARE(model.stages.size(), std::size_t(3));
    QCOMPARE(model.stages[0].name, QStringLiteral("Stage 1"));
    QCOMPARE(model.stages[0].rowCount, std::size_t(4));
    QCOMPARE(model.stages[0].split, QStringLiteral("tensor 4"));
    QCOMPARE(model.stages[0].layers, QStringLiteral("layers 1\u201315"));
    QCOMPARE(model.stages[2].firstRow, std::size_t(6));
    QVERIFY(model.idleDevices.empty());
    QCOMPARE(model.makespan, model.shown.schedule->makespan.value);
}

void TestGanttModel::barsNeverOverlapAndKeepTheBusyTime()
{
    for (const ShownPlan &shown : {chart_fixture::pipeline(), chart_fixture::crowd(3000, 5)}) {
        const GanttModel model = GanttModel::build(shown);
        for (const DeviceRow &row : model.devices) {
            std::vector<std::pair<std::int64_t, std::int64_t>> all, compute;
            for (std::size_t t = 0; t < shown.schedule->times.size(); ++t) {
                const SimTask &task = shown.schedule->graph->tasks[t];
                if (std::find(task.devices.begin(), task.devices.end(), row.device) == task.devices.end())
                    continue;
                const TaskTime time = shown.schedule->times[t];
                all.emplace_back(time.start.value, time.end.value);
                if (task.kind == TaskKind::Compute)
                    compute.push_back(all.back());
            }
            for (std::size_t i = 1; i < row.bars.size(); ++i)
                QVERIFY(row.bars[i - 1].end <= row.bars[i].start);
            QCOMPARE(busy(row.bars), unionLength(all));
            std::int64_t drawnCompute = 0;
            for (const GanttBar &bar : row.bars)
                drawnCompute += bar.kind == BarKind::Communication ? 0 : bar.end - bar.start;
            QCOMPARE(drawnCompute, unionLength(compute));
        }
    }
}

void TestGanttModel::hiddenTrafficIsUnderComputation()
{
    const GanttModel model = GanttModel::build(chart_fixture::pipeline());
    std::size_t hidden = 0;
    for (const DeviceRow &row : model.devices) {
        for (std::size_t i = 0; i < row.hidden.size(); ++i) {
            const GanttBar &bar = row.hidden[i];
            QCOMPARE(bar.kind, BarKind::Communication);
            // Every moment of it is covered by something in the row.
            std::int64_t covered = 0;
            for (const GanttBar &over : row.bars)
                covered += std::max<std::int64_t>(0, std::min(over.end, bar.end) - std::max(over.start, bar.start));
            QCOMPARE(covered, bar.end - bar.start);
            ++hidden;
        }
    }
    QVERIFY(hidden > 0); // sends of stage 1 run under its next forward pass
}

void TestGanttModel::trafficJoinsItsBlock()
{
    const GanttModel model = GanttModel::build(chart_fixture::pipeline());
    const auto &bars = model.devices[0].bars;
    QCOMPARE(bars[0].kind, BarKind::Forward);
    QVERIFY(!bars[0].joined);
    QCOMPARE(bars[1].kind, BarKind::Communication);
    QVERIFY(bars[1].joined);
    // A transfer between stages belongs to no block.
    for (const DeviceRow &row : model.devices) {
        for (const GanttBar &bar : row.bars) {
            if (model.shown.schedule->graph->tasks[std::size_t(bar.task)].role == TaskRole::PipelineTraffic)
                QVERIFY(!bar.joined);
        }
    }
}

void TestGanttModel::foldsTensorGroups()
{
    const ShownPlan shown = chart_fixture::pipeline();
    GanttModel::Options options;
    options.fold = GanttModel::Fold::Always;
    const GanttModel model = GanttModel::build(shown, options);
    QCOMPARE(model.devices.size(), std::size_t(3));
    QCOMPARE(model.devices[0].name, QStringLiteral("V100 0\u20133"));
    QCOMPARE(model.devices[0].members.size(), std::size_t(4));
    QCOMPARE(model.stages[1].firstRow, std::size_t(1));
    QCOMPARE(model.rowOf(DeviceId(6)), std::optional<std::size_t>(0));
    QCOMPARE(model.barsOf(TaskId(model.devices[0].bars[0].task)).size(), std::size_t(1));
    QCOMPARE(model.memory.size(), std::size_t(3));
    const GanttModel apart = GanttModel::build(shown); // eight devices are no crowd
    QCOMPARE(apart.devices.size(), std::size_t(8));
    for (std::size_t i = 0; i < apart.devices[2].bars.size(); ++i)
        QCOMPARE(model.devices[0].bars[i].start, apart.devices[2].bars[i].start);
    // Devices that differ stay apart, however many.
    QCOMPARE(GanttModel::build(chart_fixture::crowd(2000, 60)).devices.size(), std::size_t(60));
}

void TestGanttModel::withoutAPlan()
{
    ShownPlan shown = chart_fixture::pipeline();
    shown.plan = nullptr;
    const GanttModel model = GanttModel::build(shown);
    QCOMPARE(model.stages.size(), std::size_t(3)); // from the tasks
    QCOMPARE(model.stages[0].rowCount, std::size_t(4));
    QVERIFY(model.stages[0].layers.isEmpty());
}

void TestGanttModel::withoutASchedule()
{
    const GanttModel model = GanttModel::build(ShownPlan());
    QVERIFY(model.empty());
    QVERIFY(model.links.empty());
    QVERIFY(!model.stepCritical(TaskId(), 1).valid());
    QVERIFY(model.barsOf(TaskId(3)).empty());
}

void TestGanttModel::linkRows()
{
    const ShownPlan shown = chart_fixture::pipeline();
    const GanttModel model = GanttModel::build(shown);
    QStringList names;
    for (const LinkRow &row : model.links)
        names << row.name;
    QCOMPARE(names, (QStringList{"rail 0", "rail 1", "switch 0 uplink", "switch 1 uplink", "NVLink, 12 links", "mgmt"}));
    QCOMPARE(model.links[0].figure, QStringLiteral("10 Gb/s")); // as entered
    QCOMPARE(model.links[2].figure, QStringLiteral("32 GB/s"));
    QCOMPARE(model.links[4].figure, QStringLiteral("25 GB/s each"));
    for (const LinkRow &row : model.links) {
        double carried = 0;
        for (const LinkUsage &usage : shown.schedule->links) {
            if (std::find(row.links.begin(), row.links.end(), usage.link) != row.links.end())
                carried += usage.bytes;
        }
        QVERIFY(std::abs(row.bytes - carried) <= 1e-6 * carried);
        // The series of one link integrates to its bytes; that of a bundle to the mean of all its directions.
        const double drawn = row.series[0].total() + row.series[1].total();
        const double ways = row.bundle() ? 2.0 * double(row.links.size()) : 1.0;
        QVERIFY(std::abs(drawn * ways - carried) <= 1e-6 * std::max(carried, 1.0));
    }
    QVERIFY(model.links[0].bothWays());
}

void TestGanttModel::idleLinksAreSummed()
{
    const ShownPlan shown = chart_fixture::pipeline();
    auto schedule = std::make_shared<Schedule>(*shown.schedule);
    schedule->links.clear();
    ShownPlan quiet = shown;
    quiet.schedule = schedule;
    const GanttModel model = GanttModel::build(quiet);
    QStringList names;
    for (const LinkRow &row : model.links) {
        names << row.name;
        QVERIFY(row.idle());
    }
    QCOMPARE(names, (QStringList{"NIC rail, 3 idle links", "PCIe, 2 idle links", "NVLink, 12 idle links"}));
}

void TestGanttModel::bundlesOpen()
{
    const ShownPlan shown = chart_fixture::pipeline();
    const GanttModel closed = GanttModel::build(shown);
    GanttModel::Options options;
    options.openBundles.insert(closed.links[4].key);
    const GanttModel open = GanttModel::build(shown, options);
    QCOMPARE(open.links.size(), closed.links.size() + 12);
    QVERIFY(open.links[5].member);
    QCOMPARE(open.links[5].links.size(), std::size_t(1));
    options.links = false;
    options.memory = false;
    const GanttModel none = GanttModel::build(shown, options);
    QVERIFY(none.links.empty());
    QVERIFY(none.memory.empty());
}

void TestGanttModel::halfDuplexAddsUp()
{
    ClusterParts parts = chart_fixture::cluster().parts();
    parts.links[0].duplex = Duplex::Half;
    ShownPlan shown = chart_fixture::pipeline();
    shown.cluster = Cluster::make(parts).value();
    const GanttModel model = GanttModel::build(shown);
    const auto row = std::find_if(model.links.begin(), model.links.end(), [](const LinkRow &r) { return r.name == "rail 0"; });
    QVERIFY(row != model.links.end());
    QVERIFY(!row->bothWays());
    QVERIFY(std::abs(row->series[0].total() - row->bytes) < 1e-6 * row->bytes);
}

void TestGanttModel::memoryRows()
{
    const ShownPlan shown = chart_fixture::pipeline();
    const GanttModel model = GanttModel::build(shown);
    QCOMPARE(model.memory.size(), std::size_t(8));
    QCOMPARE(model.memory[0].name, QStringLiteral("V100 0"));
    const MemoryTrack &track = shown.schedule->memory[4];
    QCOMPARE(model.memory[0].peak, double(track.peakBytes));
    QCOMPARE(model.memory[0].series.peakOver(0, 1e18), double(track.peakBytes));
    QCOMPARE(model.memory[0].series.at(double(track.steps[3].time.value)), double(track.steps[3].bytes));
    // The last step lasts to the end of the step.
    QCOMPARE(model.memory[0].series.pieces().back().end, model.makespan);
}

void TestGanttModel::criticalPieces()
{
    const ShownPlan shown = chart_fixture::pipeline();
    const GanttModel model = GanttModel::build(shown);
    QVERIFY(model.critical.size() > 6);
    std::int64_t length = 0;
    for (std::size_t i = 0; i < model.critical.size(); ++i) {
        length += model.critical[i].end - model.critical[i].start;
        if (i > 0)
            QVERIFY(model.critical[i - 1].end <= model.critical[i].start);
        const int row = model.critical[i].row;
        // One device per stage stands for it: the topmost.
        if (row >= 0)
            QVERIFY(row == 0 || row == 4 || row == 6);
    }
    std::int64_t path = 0;
    for (const TaskId t : shown.schedule->criticalPath)
        path += shown.schedule->times[t.index()].end.value - shown.schedule->times[t.index()].start.value;
    QCOMPARE(length, path);
}

void TestGanttModel::findBars()
{
    const GanttModel model = GanttModel::build(chart_fixture::pipeline());
    const auto &bars = model.devices[0].bars;
    const double inside = double(bars[2].start + bars[2].end) / 2;
    QCOMPARE(model.barAt(0, inside).bar, 2);
    QCOMPARE(model.barAt(0, double(bars[2].start)).bar, 2);  // starts are inside
    QVERIFY(model.barAt(0, double(bars[2].end)).bar != 2);   // ends are not
    QVERIFY(!model.barAt(0, -1).valid());
    QVERIFY(!model.barAt(0, double(model.makespan)).valid());
    // In the gap before the first backward pass of stage 1.
    std::size_t gap = 0;
    while (bars[gap].end == bars[gap + 1].start)
        ++gap;
    const double after = double(bars[gap].end) + 1000;
    QVERIFY(!model.barAt(0, after).valid());
    QCOMPARE(model.barNear(0, after, 2000).bar, int(gap));
    QVERIFY(!model.barNear(0, after, 500).valid());
    const TaskId task(bars[2].task);
    const auto all = model.barsOf(task);
    QCOMPARE(all.size(), std::size_t(4)); // tensor parallel over four devices
    for (const BarRef ref : all)
        QCOMPARE(model.bar(ref).task, task.value);
}

void TestGanttModel::steps()
{
    const GanttModel model = GanttModel::build(chart_fixture::pipeline());
    const auto &bars = model.devices[0].bars;
    QCOMPARE(model.step(0, TaskId(), 1).bar, 0);
    QCOMPARE(model.step(0, TaskId(), -1).bar, int(bars.size()) - 1);
    QCOMPARE(model.step(0, TaskId(bars[3].task), 1).bar, 4);
    QCOMPARE(model.step(0, TaskId(bars[3].task), -1).bar, 2);
    QVERIFY(!model.step(0, TaskId(bars.back().task), 1).valid());
    const auto &path = model.shown.schedule->criticalPath;
    QCOMPARE(model.stepCritical(TaskId(), 1), path.front());
    QCOMPARE(model.stepCritical(TaskId(), -1), path.back());
    QCOMPARE(model.stepCritical(path[1], 1), path[2]);
    QCOMPARE(model.stepCritical(path[1], -1), path[0]);
    QVERIFY(!model.stepCritical(path.back(), 1).valid());
    // From a task that is not on the path: the next one in time.
    TaskId off;
    for (std::size_t t = 0; t < model.shown.schedule->times.size(); ++t) {
        if (std::find(path.begin(), path.end(), TaskId(t)) == path.end() && model.shown.schedule->times[t].start.value > 5e8)
            off = TaskId(t);
    }
    QVERIFY(off.valid());
    const std::int64_t at = model.shown.schedule->times[off.index()].start.value;
    const TaskId before = model.stepCritical(off, -1);
    QVERIFY(before.valid());
    QVERIFY(model.shown.schedule->times[before.index()].start.value <= at);
}

void TestGanttModel::wideBarsStand()
{
    const DeviceRow row = rowOf({{0, 100, 0, BarKind::Forward, false}, {100, 250, 1, BarKind::Backward, false}});
    RowShapes shapes;
    shapeRow(row, TimeScale::over(0, 1000, 50, 1000), 3, 1, shapes);
    QCOMPARE(shapes.blocks.size(), std::size_t(2));
    QVERIFY(shapes.cells.empty());
    QCOMPARE(shapes.blocks[1].start, std::int64_t(100));
    QCOMPARE(shapes.blocks[1].bar, 1);
    QCOMPARE(shapes.blocks[1].strip, 0.0F);
}

void TestGanttModel::thinBarsMerge()
{
    // Ten bars of 6 ns at one pixel per 100 ns, then one that is 5 px wide.
    std::vector<GanttBar> bars;
    for (int i = 0; i < 10; ++i)
        bars.push_back({i * 10, i * 10 + 6, i, i < 7 ? BarKind::Backward : BarKind::Forward, false});
    bars.push_back({200, 700, 10, BarKind::Optimiser, false});
    const DeviceRow row = rowOf(bars);
    RowShapes shapes;
    shapeRow(row, TimeScale::over(0, 1000, 0, 10), 3, 1, shapes);
    QCOMPARE(shapes.cells.size(), std::size_t(1));
    QCOMPARE(shapes.cells[0].column, 0);
    QCOMPARE(shapes.cells[0].kind, BarKind::Backward); // most of the time, not the first or the last
    QVERIFY(std::abs(shapes.cells[0].share - 0.6F) < 1e-4F);
    QCOMPARE(shapes.blocks.size(), std::size_t(1));
    QCOMPARE(shapes.blocks[0].bar, 10);
    // A wide bar that begins in the column of thin ones is not swallowed.
    bars.back().start = 97;
    const DeviceRow close = rowOf(bars);
    shapeRow(close, TimeScale::over(0, 1000, 0, 10), 3, 1, shapes);
    QCOMPARE(shapes.blocks.size(), std::size_t(1));
    QCOMPARE(shapes.blocks[0].start, std::int64_t(97));
}

void TestGanttModel::thinTrafficBecomesAStrip()
{
    const DeviceRow row = rowOf({{0, 90, 0, BarKind::Forward, false}, {90, 100, 1, BarKind::Communication, true}});
    RowShapes shapes;
    shapeRow(row, TimeScale::over(0, 1000, 0, 100), 3, 1, shapes); // 9 px and 1 px
    QCOMPARE(shapes.blocks.size(), std::size_t(1));
    QCOMPARE(shapes.blocks[0].end, std::int64_t(100));
    QVERIFY(std::abs(shapes.blocks[0].strip - 0.1F) < 1e-6F);
    shapeRow(row, TimeScale::over(0, 1000, 0, 400), 3, 1, shapes); // 36 px and 4 px: each by itself
    QCOMPARE(shapes.blocks.size(), std::size_t(2));
    QCOMPARE(shapes.blocks[1].strip, 0.0F);
    shapeRow(row, TimeScale::over(0, 1000, 0, 10), 3, 1, shapes); // 1 px in all
    QVERIFY(shapes.blocks.empty());
    QCOMPARE(shapes.cells.size(), std::size_t(1));
    QCOMPARE(shapes.cells[0].kind, BarKind::Forward);
}

void TestGanttModel::shapesKeepTheBusyTime_data()
{
    QTest::addColumn<double>("from"); // shares of the step
    QTest::addColumn<double>("to");
    QTest::addColumn<double>("density");
    QTest::newRow("all") << 0.0 << 1.0 << 1.0;
    QTest::newRow("all, dense screen") << 0.0 << 1.0 << 2.0;
    QTest::newRow("a tenth") << 0.31 << 0.41 << 1.0;
    QTest::newRow("a hundredth") << 0.5 << 0.51 << 1.0;
    QTest::newRow("a thousandth") << 0.7 << 0.701 << 1.5;
    QTest::newRow("past the end") << 0.9 << 1.3 << 1.0;
}

void TestGanttModel::shapesKeepTheBusyTime()
{
    QFETCH(double, from);
    QFETCH(double, to);
    QFETCH(double, density);
    const GanttModel model = GanttModel::build(chart_fixture::crowd(60000, 6));
    const double lower = from * double(model.makespan), upper = to * double(model.makespan);
    const TimeScale scale = TimeScale::over(lower, upper, 100, 900);
    RowShapes shapes;
    for (const DeviceRow &row : model.devices) {
        double expected = 0;
        for (const GanttBar &bar : row.bars)
            expected += std::max(0.0, std::min(double(bar.end), upper) - std::max(double(bar.start), lower));
        shapeRow(row, scale, 3, density, shapes);
        const double drawn = drawnPixels(shapes, scale, density) / scale.pixelsPerNs;
        QVERIFY2(std::abs(drawn - expected) <= 1e-4 * expected + 1, qPrintable(QStringLiteral("%1 %2").arg(drawn).arg(expected)));
        for (const CellShape &cell : shapes.cells)
            QVERIFY(cell.column >= 0 && cell.column < int(900 * density) && cell.share <= 1.0F);
    }
}

void TestGanttModel::shapesLookAtFewBars()
{
    // However many bars: at most one shape per column, and none thinner than asked for.
    const GanttModel model = GanttModel::build(chart_fixture::crowd(200000, 2));
    RowShapes shapes;
    const TimeScale scale = TimeScale::over(0, double(model.makespan), 0, 500);
    shapeRow(model.devices[0], scale, 3, 1, shapes);
    QVERIFY(shapes.blocks.size() + shapes.cells.size() <= 500);
    for (const BlockShape &block : shapes.blocks)
        QVERIFY(double(block.end - block.start) * scale.pixelsPerNs >= 3);
}

void TestGanttModel::busyOfRuns()
{
    const GanttModel model = GanttModel::build(chart_fixture::crowd(500, 1));
    const DeviceRow &row = model.devices[0];
    for (const auto &[first, last] : {std::pair(0, 500), std::pair(3, 9), std::pair(15, 17), std::pair(1, 333), std::pair(40, 40)}) {
        BusyByKind expected{};
        for (int i = first; i < last; ++i)
            expected[std::size_t(row.bars[std::size_t(i)].kind)] += row.bars[std::size_t(i)].end - row.bars[std::size_t(i)].start;
        QCOMPARE(busyOf(row, std::size_t(first), std::size_t(last)), expected);
    }
}

void TestGanttModel::busyOfIntervals()
{
    const DeviceRow row = rowOf({{0, 100, 0, BarKind::Forward, false}, {150, 250, 1, BarKind::Backward, false}});
    const auto part = busyBetween(row, 40, 200);
    QCOMPARE(part[std::size_t(BarKind::Forward)], 60.0);
    QCOMPARE(part[std::size_t(BarKind::Backward)], 50.0);
    QCOMPARE(busyBetween(row, 20, 30)[std::size_t(BarKind::Forward)], 10.0); // inside one bar
    QCOMPARE(busyBetween(row, 110, 140)[std::size_t(BarKind::Forward)], 0.0);
}

void TestGanttModel::tickSteps()
{
    QCOMPARE(tickStep(1, 90), 100.0);
    QCOMPARE(tickStep(1, 101), 200.0);
    QCOMPARE(tickStep(1, 200), 200.0);
    QCOMPARE(tickStep(1, 201), 500.0);
    QCOMPARE(tickStep(1e-6, 90), 1e8);
    QCOMPARE(tickStep(1000, 90), 1.0); // never below a nanosecond
}

void TestGanttModel::seriesMeanAndPeak()
{
    const RateSeries series({{100, 200, 5, 5}, {200, 250, 20, 30}, {400, 500, 1, 1}});
    QVERIFY(std::abs(series.total() - (500 + 1000 + 100) * 1e-9) < 1e-15);
    QVERIFY(std::abs(series.integralTo(225) - (500 + 500) * 1e-9) < 1e-15);
    QCOMPARE(series.at(99), 0.0);
    QCOMPARE(series.at(100), 5.0);
    QCOMPARE(series.at(200), 20.0);
    QCOMPARE(series.at(250), 0.0);
    QCOMPARE(series.peakOver(0, 1000), 30.0);
    QCOMPARE(series.peakOver(0, 200), 5.0);
    QCOMPARE(series.peakOver(260, 390), 0.0);
    const auto columns = series.columns(0, 500, 5);
    QCOMPARE(columns.size(), std::size_t(5));
    QVERIFY(std::abs(columns[1].mean - 5) < 1e-9);
    QVERIFY(std::abs(columns[2].mean - 10) < 1e-9); // half of the column at 20
    QCOMPARE(columns[2].peak, 30.0);
    QCOMPARE(columns[3].peak, 0.0);
}

void TestGanttModel::seriesOfSeveralLinks()
{
    LinkUsage a, b;
    a.segments = {{Nanoseconds(0), Nanoseconds(100), 10}, {Nanoseconds(100), Nanoseconds(200), 4}};
    b.segments = {{Nanoseconds(50), Nanoseconds(150), 6}};
    const LinkUsage *both[] = {&a, &b};
    const RateSeries series = RateSeries::ofLinks(both, 4); // two of four links are idle
    QCOMPARE(series.at(20), 10 / 4.0);
    QCOMPARE(series.at(70), 16 / 4.0);
    QCOMPARE(series.at(120), 10 / 4.0);
    QCOMPARE(series.at(180), 4 / 4.0);
    QCOMPARE(series.peakOver(60, 90), 10.0);
    QCOMPARE(series.peakOver(110, 140), 6.0);
    QVERIFY(std::abs(series.total() * 4 - (1000 + 400 + 600) * 1e-9) < 1e-15);
}

void TestGanttModel::seriesColumnsKeepTheIntegral()
{
    std::vector<RateSeries::Piece> pieces;
    std::int64_t at = 0;
    for (int i = 0; i < 5000; ++i) {
        const std::int64_t length = 1 + (i * 7919) % 97;
        pieces.push_back({at, at + length, double(i % 13), double(i % 13)});
        at += length + (i % 3);
    }
    const RateSeries series(pieces);
    for (const int count : {7, 320, 9000}) {
        double sum = 0, peak = 0;
        for (const RateSeries::Column &column : series.columns(0, double(at), count)) {
            sum += column.mean * double(at) / count * 1e-9;
            peak = std::max(peak, column.peak);
            QVERIFY(column.mean <= column.peak * (1 + 1e-9));
        }
        QVERIFY(std::abs(sum - series.total()) < 1e-9 * series.total());
        QCOMPARE(peak, 12.0);
    }
}

void TestGanttModel::layoutPlaces()
{
    const GanttModel model = GanttModel::build(chart_fixture::pipeline());
    GanttMetrics metrics;
    const GanttLayout layout = GanttLayout::make(model, metrics);
    QCOMPARE(layout.places.size(), 8 + model.links.size() + model.memory.size());
    for (std::size_t i = 1; i < layout.places.size(); ++i)
        QVERIFY(layout.places[i].top >= layout.places[i - 1].top + layout.places[i - 1].height);
    QCOMPARE(layout.places[1].top - layout.places[0].top, 15.0);
    QCOMPARE(layout.places[4].top - layout.places[3].top, 20.0); // a gap between stages
    QCOMPARE(layout.separators.size(), std::size_t(2));
    for (std::size_t i = 0; i < layout.places.size(); ++i) {
        QCOMPARE(layout.placeAt(layout.places[i].top), std::optional(i));
        QCOMPARE(layout.placeAt(layout.places[i].top + layout.places[i].height - 0.5), std::optional(i));
    }
    QVERIFY(!layout.placeAt(layout.places[3].top + 16).has_value()); // in the gap
    QVERIFY(!layout.placeAt(-5).has_value());
    metrics.comfortable = true;
    QCOMPARE(GanttLayout::make(model, metrics).places[0].height, 22.0);
}

void TestGanttModel::texts()
{
    QCOMPARE(timeText(1.974e9), QStringLiteral("1.974 s"));
    QCOMPARE(timeText(12.34e6), QStringLiteral("12.34 ms"));
    QCOMPARE(timeText(850e3), QStringLiteral("850.0 \u00b5s"));
    QCOMPARE(timeText(40), QStringLiteral("40 ns"));
    QCOMPARE(timeText(0), QStringLiteral("0 ns"));
    QCOMPARE(timeText(5e8, 5e8, 3.7e9), QStringLiteral("0.5 s"));
    QCOMPARE(timeText(1.25e9, 5e7, 1.5e9), QStringLiteral("1.25 s"));
    QCOMPARE(timeText(2e8, 1e8, 8e8), QStringLiteral("200 ms"));
    QCOMPARE(bytesText(22.5e6), QStringLiteral("22.5 MB"));
    QCOMPARE(bytesText(812), QStringLiteral("812 B"));
    QCOMPARE(shareText(0.021), QStringLiteral("2.1 %"));
    QCOMPARE(shareText(0.62), QStringLiteral("62 %"));
    QCOMPARE(rateText(1.25e9, true), QStringLiteral("10 Gb/s"));
    QCOMPARE(rateText(0.53125e9, true), QStringLiteral("4.25 Gb/s"));
    QCOMPARE(rateText(900e9, false), QStringLiteral("900 GB/s"));
    QCOMPARE(memoryText(double(gib(20.6).value), double(gib(24).value)), QStringLiteral("20.6 of 24 GiB"));
    QCOMPARE(memoryText(20.6e9, 24e9), QStringLiteral("20.6 of 24 GB"));
    Stage stage{0, 0, {{{DeviceId(0), DeviceId(1)}, 1}, {{DeviceId(2)}, 1}}};
    QCOMPARE(splitText(stage), QStringLiteral("tensor 2/1 \u00b7 data 2"));
    QCOMPARE(layersText(stage), QStringLiteral("layer 1"));
    stage.replicas = {{{DeviceId(0)}, 1}};
    QCOMPARE(splitText(stage), QString());
    const ShownPlan shown = chart_fixture::pipeline();
    const double tokens = 8 * 4096 / toSeconds(shown.schedule->makespan).value;
    QCOMPARE(planSummary(shown), QStringLiteral("3 stages \u00b7 1F1B \u00b7 8 micro-batches \u00b7 %1 tokens/s")
                                     .arg(QLocale().toString(tokens, 'f', 0)));
}

void TestGanttModel::tips()
{
    const GanttModel model = GanttModel::build(chart_fixture::pipeline());
    const QString compute = describeTask(model, TaskId(model.devices[0].bars[0].task));
    QVERIFY2(compute.startsWith(QStringLiteral("Forward \u00b7 micro-batch 1 \u00b7 stage 1")), qPrintable(compute));
    QVERIFY(compute.contains(QStringLiteral("On V100 0, V100 1, V100 2, V100 3")));
    QVERIFY(compute.contains(QStringLiteral("Takes 105.0 ms")));
    TaskId send;
    for (std::size_t t = 0; t < model.shown.schedule->graph->tasks.size() && !send.valid(); ++t) {
        if (model.shown.schedule->graph->tasks[t].role == TaskRole::PipelineTraffic)
            send = TaskId(t);
    }
    const QString transfer = describeTask(model, send);
    QVERIFY2(transfer.contains(QStringLiteral("rail 0: 22.5 MB, 10 Gb/s of 10 Gb/s")), qPrintable(transfer));
    QVERIFY2(transfer.contains(QStringLiteral("rail 1: 8.82 MB, 3.92 Gb/s of 4 Gb/s")), qPrintable(transfer));
    const double during = double(model.shown.schedule->times[send.index()].start.value) + 1e6;
    const QString rail = describeLink(model, model.links[0], during);
    QVERIFY2(rail.contains(QStringLiteral("NIC a to NIC b")), qPrintable(rail));
    QVERIFY2(rail.contains(QStringLiteral("To NIC b, now: 10 Gb/s (100 %)")), qPrintable(rail));
    QVERIFY(describeLink(model, model.links.back(), 0).contains(QStringLiteral("Not used by this plan")));
    QVERIFY(describeMemory(model.memory[0], 0).contains(QStringLiteral("Peak: ")));
}

QTEST_GUILESS_MAIN(TestGanttModel)
#include "tst_gantt_model.moc"
