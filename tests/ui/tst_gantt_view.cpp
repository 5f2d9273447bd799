// SPDX-License-Identifier: GPL-3.0-or-later
// The Gantt view with real events, and what it paints measured against the schedule.
#include "tests/ui/chart_fixture.hpp"
#include "ui/charts/gantt_canvas.hpp"
#include "ui/charts/gantt_header.hpp"
#include "ui/charts/gantt_view.hpp"

#include <QApplication>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <cmath>

using namespace polyrail;

namespace {

struct Fixture
{
    SelectionModel selection;
    TimeAxis axis;
    GanttView view{selection, axis};

    explicit Fixture(const ShownPlan &shown = chart_fixture::pipeline(), QSize size = {1240, 420})
    {
        view.resize(size);
        view.setShown(shown);
        view.show();
        QVERIFY2(QTest::qWaitForWindowExposed(&view), "no window");
        settle();
    }
    GanttCanvas &canvas() { return view.canvas(); }
    const GanttScene &scene() { return view.canvas().scene(); }
    void settle()
    {
        QCoreApplication::processEvents();
        QCoreApplication::processEvents();
    }
    /// Place of a moment on a row, in the canvas.
    QPoint at(RowKind kind, std::size_t index, double ns)
    {
        const RowPlace &place = scene().layout.places[*scene().layout.placeOf(kind, index)];
        return QPointF(x(ns), scene().y(place.top + place.height / 2)).toPoint();
    }
    double x(double ns)
    {
        return TimeScale::over(axis.lower() * 1e9, axis.upper() * 1e9, scene().rows.left(), scene().rows.width()).x(ns);
    }
    double seconds(double x)
    {
        return axis.lower() + (x - scene().rows.left()) / scene().rows.width() * (axis.upper() - axis.lower());
    }
    void wheel(const QPoint &place, QPoint turn, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QWheelEvent event(place, canvas().mapToGlobal(place), {}, turn, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&canvas(), &event);
    }
    void drag(const QPoint &from, const QPoint &to, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::mousePress(&canvas(), Qt::LeftButton, modifiers, from);
        const QPoint middle = (from + to) / 2;
        for (const QPoint &place : {middle, to}) {
            QMouseEvent move(QEvent::MouseMove, place, canvas().mapToGlobal(place), Qt::NoButton, Qt::LeftButton, modifiers);
            QCoreApplication::sendEvent(&canvas(), &move);
        }
        QTest::mouseRelease(&canvas(), Qt::LeftButton, modifiers, to);
    }
    QImage grab()
    {
        settle();
        return canvas().grab().toImage().convertToFormat(QImage::Format_RGB32);
    }
    const GanttBar &bar(std::size_t row, std::size_t index) { return scene().model.devices[row].bars[index]; }
    const GanttBar &firstOf(std::size_t row, BarKind kind)
    {
        const auto &bars = scene().model.devices[row].bars;
        return *std::find_if(bars.begin(), bars.end(), [kind](const GanttBar &b) { return b.kind == kind; });
    }
};

/// How far `pixel` is from `track` towards `fill`: 0 to 1.
double coverage(QRgb pixel, const QColor &track, const QColor &fill)
{
    const double d[3] = {double(fill.red() - track.red()), double(fill.green() - track.green()), double(fill.blue() - track.blue())};
    const double v[3] = {double(qRed(pixel) - track.red()), double(qGreen(pixel) - track.green()), double(qBlue(pixel) - track.blue())};
    const double dot = v[0] * d[0] + v[1] * d[1] + v[2] * d[2];
    return dot / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/// One link with a known load: a calibrating stretch at capacity, then pieces of all sizes.
ShownPlan loadedLink()
{
    ShownPlan shown = chart_fixture::pipeline();
    auto schedule = std::make_shared<Schedule>(*shown.schedule);
    LinkUsage usage;
    usage.link = LinkId(0);
    const double capacity = shown.cluster.link(LinkId(0)).bandwidth.value;
    const auto add = [&](double from, double to, double share) {
        usage.segments.push_back({Nanoseconds(std::int64_t(from * 1e6)), Nanoseconds(std::int64_t(to * 1e6)), share * capacity});
        usage.bytes += share * capacity * (to - from) * 1e-3;
    };
    add(0, 400, 1.0);
    add(500, 800, 0.5);
    add(800, 1000, 0.23);
    for (int i = 0; i < 500; ++i) // far thinner than a pixel
        add(1100 + i * 2, 1100 + i * 2 + 1.3, 0.8);
    add(2500, 2505, 1.0);
    schedule->links = {usage};
    shown.schedule = schedule;
    return shown;
}

} // namespace

class TestGanttView : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void showsThePlan();
    void emptyView();
    void wheelZoomsAtThePointer();
    void shiftWheelScrolls();
    void dragPans();
    void keysZoomAndPan();
    void homeShowsAll();
    void fitsTheSelectedTask();
    void newPlanKeepsTheZoom();
    void viewsGoBackAndForth();
    void clickSelectsTask();
    void clickSelectsLink();
    void clickSelectsStage();
    void clickOnNothingLetsGo();
    void selectionFromElsewhere();
    void arrowsStep();
    void bracketsFollowTheCriticalPath();
    void rulerSetsTheCursor();
    void cursorDrawsNothingElse();
    void measures();
    void bundlesOpen();
    void scrollBar();
    void tips();
    void followBest();
    void sameScheduleStale();
    void deviceRowPixelsAreBusyTime_data();
    void deviceRowPixelsAreBusyTime();
    void linkRowAreaIsBytes_data();
    void linkRowAreaIsBytes();
    void criticalPathIsOutlined();
    void darkTheme();
    void accessible();
};

void TestGanttView::initTestCase()
{
    QLocale::setDefault(QLocale::c());
    Theme::apply(*qApp, Theme::light());
}

void TestGanttView::showsThePlan()
{
    Fixture f;
    QCOMPARE(f.view.header().title(), QStringLiteral("Best plan, one step"));
    QVERIFY(f.view.header().summary().startsWith(QStringLiteral("3 stages \u00b7 1F1B \u00b7 8 micro-batches \u00b7 ")));
    // All of the step and a little more is in sight.
    QCOMPARE(f.axis.lower(), 0.0);
    QVERIFY(f.axis.upper() > toSeconds(f.view.shown().schedule->makespan).value);
    // The first bar's colour is on the screen where the bar should be.
    const QImage image = f.grab();
    const GanttBar &bar = f.bar(1, 0);
    const QPoint place = f.at(RowKind::Device, 1, double(bar.start + bar.end) / 2 + 5e6);
    QCOMPARE(image.pixelColor(place).rgb(), Theme::light().forward.rgb());
}

void TestGanttView::emptyView()
{
    Fixture f{ShownPlan()};
    QVERIFY(f.view.header().summary().startsWith(QStringLiteral("No plan yet")));
    for (const int key : {Qt::Key_W, Qt::Key_S, Qt::Key_A, Qt::Key_D, Qt::Key_F, Qt::Key_Home, Qt::Key_Left, Qt::Key_Right,
                          Qt::Key_Up, Qt::Key_Down, Qt::Key_BracketLeft, Qt::Key_BracketRight, Qt::Key_Escape})
        QTest::keyClick(&f.canvas(), Qt::Key(key));
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, QPoint(600, 100));
    QVERIFY(!f.selection.task().valid());
    f.grab();
}

void TestGanttView::wheelZoomsAtThePointer()
{
    Fixture f;
    const QPoint place(700, 100);
    const double before = f.seconds(700), width = f.axis.upper() - f.axis.lower();
    f.wheel(place, {0, 240});
    QVERIFY(std::abs(f.seconds(700) - before) < 1e-9);
    QVERIFY(std::abs((f.axis.upper() - f.axis.lower()) - width / 1.44) < 1e-9);
    f.wheel(place, {0, -120});
    QVERIFY(std::abs(f.seconds(700) - before) < 1e-9);
    // To the closest zoom and no further; the place under the pointer stays.
    for (int i = 0; i < 200; ++i)
        f.wheel(place, {0, 120});
    QVERIFY(std::abs((f.axis.upper() - f.axis.lower()) - 1e-6) < 1e-12);
    QVERIFY(std::abs(f.seconds(700) - before) < 1e-8);
}

void TestGanttView::shiftWheelScrolls()
{
    Fixture f(chart_fixture::pipeline(), {1240, 180});
    QVERIFY(f.canvas().scrollRange() > 0);
    const double width = f.axis.upper() - f.axis.lower();
    f.wheel({700, 60}, {0, -120}, Qt::ShiftModifier);
    QVERIFY(f.canvas().scroll() > 0);
    QCOMPARE(f.axis.upper() - f.axis.lower(), width);
}

void TestGanttView::dragPans()
{
    Fixture f;
    f.axis.setRange(1, 2);
    f.settle();
    const double grabbed = f.seconds(700);
    f.drag({700, 100}, {600, 100});
    QVERIFY(std::abs(f.seconds(600) - grabbed) < 1e-9);
    QVERIFY(std::abs(f.axis.upper() - f.axis.lower() - 1) < 1e-9);
    QVERIFY(!f.selection.task().valid()); // a drag is not a click
}

void TestGanttView::keysZoomAndPan()
{
    Fixture f;
    f.axis.setRange(1, 2);
    QTest::keyClick(&f.canvas(), Qt::Key_W);
    QVERIFY(f.axis.upper() - f.axis.lower() < 0.99);
    QTest::keyClick(&f.canvas(), Qt::Key_S);
    QVERIFY(std::abs(f.axis.upper() - f.axis.lower() - 1) < 1e-9);
    QTest::keyClick(&f.canvas(), Qt::Key_D);
    QVERIFY(std::abs(f.axis.lower() - 1.15) < 1e-9);
    QTest::keyClick(&f.canvas(), Qt::Key_A);
    QVERIFY(std::abs(f.axis.lower() - 1) < 1e-9);
}

void TestGanttView::homeShowsAll()
{
    Fixture f;
    f.axis.setRange(1, 1.1);
    QTest::keyClick(&f.canvas(), Qt::Key_Home);
    QCOMPARE(f.axis.lower(), 0.0);
    QCOMPARE(f.axis.upper(), f.axis.fullUpper());
    f.axis.setRange(1, 1.1);
    const RowPlace &last = f.scene().layout.places[7];
    QTest::mouseDClick(&f.canvas(), Qt::LeftButton, {}, QPoint(700, int(f.scene().y(last.top + last.height + 3)))); // below the bars
    QCOMPARE(f.axis.upper(), f.axis.fullUpper());
}

void TestGanttView::fitsTheSelectedTask()
{
    Fixture f;
    const GanttBar &bar = f.bar(0, 4);
    f.selection.selectTask(TaskId(bar.task));
    QTest::keyClick(&f.canvas(), Qt::Key_F);
    QVERIFY(f.axis.lower() < double(bar.start) * 1e-9);
    QVERIFY(f.axis.upper() > double(bar.end) * 1e-9);
    QVERIFY(f.axis.upper() - f.axis.lower() < 2 * double(bar.end - bar.start) * 1e-9);
}

void TestGanttView::newPlanKeepsTheZoom()
{
    Fixture f;
    f.axis.setRange(0.5, 0.75);
    f.view.setShown(chart_fixture::pipeline(12));
    QCOMPARE(f.axis.lower(), 0.5);
    QVERIFY(std::abs(f.axis.upper() - 0.75) < 1e-12);
    // And without a zoom the new plan is shown whole.
    Fixture g;
    const double before = g.axis.upper();
    g.view.setShown(chart_fixture::pipeline(12));
    QVERIFY(g.axis.upper() > before * 1.2);
    QCOMPARE(g.axis.upper(), g.axis.fullUpper());
    // A task number of another plan means nothing, the same plan on another network keeps it.
    g.selection.selectTask(TaskId(3));
    ShownPlan again = chart_fixture::pipeline(12);
    g.view.setShown(again);
    QCOMPARE(g.selection.task(), TaskId(3));
    g.view.setShown(chart_fixture::pipeline(2));
    QVERIFY(!g.selection.task().valid());
}

void TestGanttView::viewsGoBackAndForth()
{
    Fixture f;
    const double full = f.axis.upper();
    f.selection.selectTask(TaskId(f.bar(0, 4).task));
    QTest::keyClick(&f.canvas(), Qt::Key_F);
    const double lower = f.axis.lower();
    QTest::qWait(650); // a view of its own, not one gesture
    QTest::keyClick(&f.canvas(), Qt::Key_Home);
    QTest::keyClick(&f.canvas(), Qt::Key_Left, Qt::AltModifier);
    QVERIFY(std::abs(f.axis.lower() - lower) < 1e-12);
    QTest::keyClick(&f.canvas(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(f.axis.upper(), full);
    QTest::keyClick(&f.canvas(), Qt::Key_Right, Qt::AltModifier);
    QVERIFY(std::abs(f.axis.lower() - lower) < 1e-12);
    QTest::keyClick(&f.canvas(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(f.axis.lower(), 0.0);
}

void TestGanttView::clickSelectsTask()
{
    Fixture f;
    QSignalSpy tasks(&f.selection, &SelectionModel::taskChanged);
    const GanttBar &bar = f.firstOf(5, BarKind::Forward);
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, f.at(RowKind::Device, 5, double(bar.start + bar.end) / 2));
    QCOMPARE(f.selection.task().value, bar.task);
    QCOMPARE(f.selection.ids(), QStringList{"4090D 1"});
    QCOMPARE(tasks.count(), 1);
    // Traffic comes with its links.
    const GanttBar &traffic = f.firstOf(0, BarKind::Communication);
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, f.at(RowKind::Device, 0, double(traffic.start + traffic.end) / 2));
    QCOMPARE(f.selection.task().value, traffic.task);
    QCOMPARE(f.selection.ids().size(), 12);
    QVERIFY(f.selection.ids().first().startsWith(QStringLiteral("nv ")));
}

void TestGanttView::clickSelectsLink()
{
    Fixture f;
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, f.at(RowKind::Link, 1, 1e9));
    QCOMPARE(f.selection.ids(), QStringList{"rail 1"});
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, Qt::ControlModifier, f.at(RowKind::Link, 0, 1e9));
    QCOMPARE(f.selection.ids(), (QStringList{"rail 1", "rail 0"}));
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, QPoint(60, f.at(RowKind::Link, 2, 0).y())); // its name
    QCOMPARE(f.selection.ids(), QStringList{"switch 0 uplink"});
}

void TestGanttView::clickSelectsStage()
{
    Fixture f;
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, QPoint(40, f.at(RowKind::Device, 4, 0).y()));
    QCOMPARE(f.selection.ids(), (QStringList{"4090D 0", "4090D 1"}));
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, QPoint(int(f.scene().rows.left()) - 20, f.at(RowKind::Device, 4, 0).y()));
    QCOMPARE(f.selection.ids(), QStringList{"4090D 0"});
}

void TestGanttView::clickOnNothingLetsGo()
{
    Fixture f;
    f.selection.select({"rail 0"});
    f.selection.selectTask(TaskId(3));
    const RowPlace &last = f.scene().layout.places[7];
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, QPoint(700, int(f.scene().y(last.top + last.height + 3))));
    QVERIFY(f.selection.ids().isEmpty());
    QVERIFY(!f.selection.task().valid());
    f.selection.select({"rail 0"});
    f.axis.setCursor(1.0);
    QTest::keyClick(&f.canvas(), Qt::Key_Escape);
    QVERIFY(f.selection.ids().isEmpty());
    QVERIFY(!f.axis.cursor());
}

void TestGanttView::selectionFromElsewhere()
{
    Fixture f;
    const QPoint label(8, f.at(RowKind::Link, 1, 0).y()); // left of the mark
    QCOMPARE(f.grab().pixelColor(label).rgb(), Theme::light().base.rgb());
    f.selection.select({"rail 1"});
    QCOMPARE(f.grab().pixelColor(label).rgb(), Theme::light().selection.rgb());
    // A link of a bundle marks the bundle's row.
    f.selection.select({"nv 010"});
    const QPoint bundle(8, f.at(RowKind::Link, 4, 0).y());
    QCOMPARE(f.grab().pixelColor(bundle).rgb(), Theme::light().selection.rgb());
}

void TestGanttView::arrowsStep()
{
    Fixture f;
    QTest::keyClick(&f.canvas(), Qt::Key_Right);
    QCOMPARE(f.selection.task().value, f.bar(0, 0).task);
    QTest::keyClick(&f.canvas(), Qt::Key_Right);
    QTest::keyClick(&f.canvas(), Qt::Key_Period);
    QCOMPARE(f.selection.task().value, f.bar(0, 2).task);
    QTest::keyClick(&f.canvas(), Qt::Key_Left);
    QCOMPARE(f.selection.task().value, f.bar(0, 1).task);
    // Down to the next row, and along it.
    const GanttBar &fourth = f.bar(4, 3);
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, f.at(RowKind::Device, 4, double(fourth.start + fourth.end) / 2));
    QTest::keyClick(&f.canvas(), Qt::Key_Down);
    QTest::keyClick(&f.canvas(), Qt::Key_Down);
    const auto bars = f.scene().model.barsOf(f.selection.task());
    QVERIFY(std::any_of(bars.begin(), bars.end(), [](const BarRef &b) { return b.row == 6; }));
    // A step out of sight brings the view along.
    f.axis.setRange(0, 0.05);
    f.selection.selectTask(TaskId(f.bar(0, 0).task));
    for (int i = 0; i < 6; ++i)
        QTest::keyClick(&f.canvas(), Qt::Key_Right);
    const TaskTime time = f.view.shown().schedule->times[f.selection.task().index()];
    QVERIFY(toSeconds(time.start).value < f.axis.upper() && toSeconds(time.end).value > f.axis.lower());
    QVERIFY(std::abs(f.axis.upper() - f.axis.lower() - 0.05) < 1e-9);
}

void TestGanttView::bracketsFollowTheCriticalPath()
{
    Fixture f;
    const auto &path = f.view.shown().schedule->criticalPath;
    for (std::size_t i = 0; i < path.size(); ++i) {
        QTest::keyClick(&f.canvas(), Qt::Key_BracketRight);
        QCOMPARE(f.selection.task(), path[i]);
    }
    QTest::keyClick(&f.canvas(), Qt::Key_BracketRight); // stays at the end
    QCOMPARE(f.selection.task(), path.back());
    QTest::keyClick(&f.canvas(), Qt::Key_BracketLeft);
    QCOMPARE(f.selection.task(), path[path.size() - 2]);
}

void TestGanttView::rulerSetsTheCursor()
{
    Fixture f;
    QTest::mousePress(&f.canvas(), Qt::LeftButton, {}, QPoint(500, 8));
    QVERIFY(f.axis.cursor().has_value());
    QVERIFY(std::abs(*f.axis.cursor() - f.seconds(500)) < 1e-9);
    QMouseEvent move(QEvent::MouseMove, QPoint(640, 8), f.canvas().mapToGlobal(QPoint(640, 8)), Qt::NoButton, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&f.canvas(), &move);
    QVERIFY(std::abs(*f.axis.cursor() - f.seconds(640)) < 1e-9);
    QTest::mouseRelease(&f.canvas(), Qt::LeftButton, {}, QPoint(640, 8));
    const QImage image = f.grab();
    bool line = false;
    for (int dx = -1; dx <= 1; ++dx)
        line |= image.pixelColor(640 + dx, std::min(image.height(), int(f.scene().y(f.scene().layout.height))) - 3).rgb() == Theme::light().accent.rgb();
    QVERIFY(line);
    QCOMPARE(image.pixelColor(640, 2).rgb(), Theme::light().accent.rgb()); // the pill, above its figure
}

void TestGanttView::cursorDrawsNothingElse()
{
    Fixture f;
    QSignalSpy replots(&f.canvas(), &QCustomPlot::afterReplot);
    f.axis.setCursor(1.0);
    f.axis.setCursor(1.5);
    f.settle();
    QCOMPARE(replots.count(), 0);
    f.axis.setRange(0, 1);
    f.settle();
    QCOMPARE(replots.count(), 1);
}

void TestGanttView::measures()
{
    Fixture f;
    const double from = f.seconds(500), to = f.seconds(800);
    f.drag({500, 100}, {800, 100}, Qt::ShiftModifier);
    QVERIFY(f.scene().measure.has_value());
    QVERIFY(std::abs(f.scene().measure->first - from) < 1e-9);
    QVERIFY(std::abs(f.scene().measure->second - to) < 1e-9);
    const QString text = f.canvas().measureText();
    QVERIFY2(text.contains(QStringLiteral("backward: ")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("idle: ")), qPrintable(text));
    QCOMPARE(f.axis.lower(), 0.0); // no pan
    QTest::keyClick(&f.canvas(), Qt::Key_Escape);
    QVERIFY(!f.scene().measure.has_value());
}

void TestGanttView::bundlesOpen()
{
    Fixture f;
    const std::size_t before = f.scene().model.links.size();
    const QPoint name(60, f.at(RowKind::Link, 4, 0).y());
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, name);
    QCOMPARE(f.scene().model.links.size(), before + 12);
    QCOMPARE(f.selection.ids().size(), 12);
    // Stays open over a new plan.
    f.view.setShown(chart_fixture::pipeline(10));
    QCOMPARE(f.scene().model.links.size(), before + 12);
    QTest::mouseClick(&f.canvas(), Qt::LeftButton, {}, name);
    QCOMPARE(f.scene().model.links.size(), before);
}

void TestGanttView::scrollBar()
{
    Fixture f(chart_fixture::pipeline(), {1000, 200});
    auto *bar = f.view.findChild<QScrollBar *>();
    QVERIFY(bar && bar->isVisible());
    bar->setValue(bar->maximum());
    f.settle();
    QVERIFY(std::abs(f.canvas().scroll() - f.canvas().scrollRange()) < 1);
    f.view.resize(1000, 900);
    f.settle();
    QVERIFY(!bar->isVisible());
    QCOMPARE(f.canvas().scroll(), 0.0);
}

void TestGanttView::tips()
{
    Fixture f;
    const GanttBar &bar = f.firstOf(4, BarKind::Forward);
    QVERIFY(f.canvas().tipAt(f.at(RowKind::Device, 4, double(bar.start + bar.end) / 2)).startsWith(QStringLiteral("Forward")));
    QVERIFY(f.canvas().tipAt(f.at(RowKind::Link, 5, 1e9)).contains(QStringLiteral("Not used")));
    QVERIFY(f.canvas().tipAt(QPoint(40, f.at(RowKind::Device, 0, 0).y())).startsWith(QStringLiteral("Stage 1")));
    QVERIFY(f.canvas().tipAt(QPoint(700, 5)).isEmpty()); // the ruler
}

void TestGanttView::followBest()
{
    Fixture f;
    QSignalSpy spy(&f.view, &GanttView::followsBestChanged);
    QVERIFY(f.view.followsBest());
    QTest::mouseClick(f.view.header().followButton(), Qt::LeftButton);
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.first().first().toBool(), false);
}

void TestGanttView::sameScheduleStale()
{
    Fixture f;
    ShownPlan shown = f.view.shown();
    const GanttBar &bar = f.bar(1, 0);
    const QPoint place = f.at(RowKind::Device, 1, double(bar.start + bar.end) / 2 + 5e6);
    shown.stale = true;
    f.view.setShown(shown);
    const QColor faded = f.grab().pixelColor(place);
    const QColor expected = mix(Theme::light().base, Theme::light().forward, 0.4);
    QVERIFY(std::abs(faded.red() - expected.red()) <= 1 && std::abs(faded.green() - expected.green()) <= 1
            && std::abs(faded.blue() - expected.blue()) <= 1);
    shown.stale = false;
    f.view.setShown(shown);
    QCOMPARE(f.grab().pixelColor(place).rgb(), Theme::light().forward.rgb());
}

void TestGanttView::deviceRowPixelsAreBusyTime_data()
{
    QTest::addColumn<int>("bars");
    QTest::addColumn<double>("width"); // share of the step in sight
    QTest::newRow("few bars") << 40 << 1.0;
    QTest::newRow("many bars") << 40000 << 1.0;
    QTest::newRow("many bars, zoomed") << 40000 << 0.02;
}

void TestGanttView::deviceRowPixelsAreBusyTime()
{
    QFETCH(int, bars);
    QFETCH(double, width);
    ShownPlan shown = chart_fixture::crowd(std::size_t(bars), 4);
    auto graph = std::make_shared<TaskGraph>(*shown.schedule->graph);
    for (SimTask &task : graph->tasks) { // one kind: its colour then tells the share
        task.role = TaskRole::Backward;
        task.kind = TaskKind::Compute;
    }
    auto schedule = std::make_shared<Schedule>(*shown.schedule);
    schedule->graph = graph;
    shown.schedule = schedule;
    Fixture f(shown);
    f.axis.setRange(0.3 * f.axis.fullUpper() * (1 - width), (0.3 * (1 - width) + width) * f.axis.fullUpper());
    const QImage image = f.grab();
    const Theme &theme = Theme::light();
    for (std::size_t r = 0; r < 4; ++r) {
        const RowPlace &place = f.scene().layout.places[*f.scene().layout.placeOf(RowKind::Device, r)];
        const int y = int(f.scene().barRect(place).top()) + 1; // inside the outline, above the letters
        double pixels = 0;
        for (int x = int(f.scene().rows.left()); x < int(f.scene().rows.right()); ++x) {
            const QRgb pixel = image.pixel(x, y);
            pixels += pixel == theme.backwardLine.rgb() ? 1 : coverage(pixel, theme.track, theme.backward);
        }
        const double lower = f.axis.lower() * 1e9, upper = f.axis.upper() * 1e9;
        double expected = 0;
        for (const GanttBar &bar : f.scene().model.devices[r].bars)
            expected += std::max(0.0, std::min(double(bar.end), upper) - std::max(double(bar.start), lower));
        expected *= f.scene().rows.width() / (upper - lower);
        // Edges of blocks lie on whole pixels: half a pixel each, of either sign.
        QVERIFY2(std::abs(pixels - expected) < 0.012 * f.scene().rows.width(),
                 qPrintable(QStringLiteral("row %1: %2 of %3 px").arg(r).arg(pixels).arg(expected)));
    }
}

void TestGanttView::linkRowAreaIsBytes_data()
{
    QTest::addColumn<double>("lower");
    QTest::addColumn<double>("upper");
    QTest::newRow("all") << 0.0 << 10.0;
    QTest::newRow("a part") << 0.3 << 1.4;
}

void TestGanttView::linkRowAreaIsBytes()
{
    QFETCH(double, lower);
    QFETCH(double, upper);
    Fixture f(loadedLink());
    f.axis.setRange(lower, upper);
    const QImage image = f.grab();
    const LinkRow &row = f.scene().model.links[0];
    QCOMPARE(row.name, QStringLiteral("rail 0"));
    const RowPlace &place = f.scene().layout.places[*f.scene().layout.placeOf(RowKind::Link, 0)];
    const Theme &theme = Theme::light();
    const QColor tint = mix(theme.track, theme.network, 0.3);
    // The stretch at capacity says where full begins and ends.
    int top = 0, bottom = 0;
    for (int y = int(f.scene().y(place.top)); y < int(f.scene().y(place.top + place.height)); ++y) {
        if (image.pixelColor(int(f.x(0.35e9)), y).rgb() == theme.network.rgb()) {
            top = top == 0 ? y : top;
            bottom = y + 1;
        }
    }
    // Coverage of the solid colour per column; the tint of the peak is not traffic, so it is told apart by its value.
    const auto solid = [&](int x) {
        double sum = 0;
        for (int y = top; y < bottom; ++y) {
            const double c = coverage(image.pixel(x, y), theme.track, theme.network);
            const double overTint = coverage(image.pixel(x, y), tint, theme.network);
            sum += c > 0.31 ? std::max(overTint, 0.0) : c > 0.28 ? 0 : std::max(c, 0.0);
        }
        return sum;
    };
    const double full = bottom - top;
    QCOMPARE(full, 15.0); // 86 % of 18 pixels
    double area = 0;
    for (int x = int(f.scene().rows.left()); x < int(f.scene().rows.right()); ++x)
        area += solid(x);
    const double secondsPerPixel = (f.axis.upper() - f.axis.lower()) / f.scene().rows.width();
    const double bytes = area / full * row.capacity * secondsPerPixel;
    const double expected = row.series[0].integralTo(f.axis.upper() * 1e9) - row.series[0].integralTo(f.axis.lower() * 1e9);
    QVERIFY2(std::abs(bytes - expected) < 0.02 * expected, qPrintable(QStringLiteral("%1 of %2").arg(bytes).arg(expected)));
}

void TestGanttView::criticalPathIsOutlined()
{
    Fixture f;
    const QImage image = f.grab();
    const auto &pieces = f.scene().model.critical;
    const auto wide = std::find_if(pieces.begin(), pieces.end(), [](const CriticalPiece &p) { return p.row >= 0 && p.end - p.start > 1e8; });
    QVERIFY(wide != pieces.end());
    const RowPlace &place = f.scene().layout.places[*f.scene().layout.placeOf(RowKind::Device, std::size_t(wide->row))];
    const QRectF track = f.scene().barRect(place);
    const int x = int(f.x(double(wide->start + wide->end) / 2));
    const QColor top = image.pixelColor(x, int(track.top()));
    QVERIFY(coverage(top.rgb(), Theme::light().forward, Theme::light().text) > 0.7);
    // Its neighbour of the same stage has no such outline.
    const QColor below = image.pixelColor(x, int(track.top() + f.scene().metrics.deviceRow()));
    QVERIFY(coverage(below.rgb(), Theme::light().forward, Theme::light().text) < 0.7);
}

void TestGanttView::darkTheme()
{
    Fixture f;
    Theme::apply(*qApp, Theme::darkTheme());
    const QImage image = f.grab();
    QCOMPARE(image.pixelColor(3, 5).rgb(), Theme::darkTheme().base.rgb());
    Theme::apply(*qApp, Theme::light(), 1.5);
    f.settle();
    QCOMPARE(f.scene().metrics.deviceRow(), 22.5); // the presentation scale reaches the rows
    Theme::apply(*qApp, Theme::light());
    f.settle();
    QCOMPARE(f.grab().pixelColor(3, 5).rgb(), Theme::light().base.rgb());
}

void TestGanttView::accessible()
{
    Fixture f;
    QVERIFY(!f.canvas().accessibleName().isEmpty());
    QCOMPARE(f.view.header().accessibleName(), f.view.header().title());
    QCOMPARE(f.view.focusProxy(), &f.canvas());
    f.selection.selectTask(TaskId(f.bar(0, 0).task));
    QVERIFY(f.canvas().accessibleDescription().startsWith(QStringLiteral("Forward")));
}

QTEST_MAIN(TestGanttView)
#include "tst_gantt_view.moc"
