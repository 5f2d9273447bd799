// SPDX-License-Identifier: GPL-3.0-or-later
// Small systems whose answer follows from equations written beside them (the style of SimGrid's tests).
// Bandwidths are in bytes per nanosecond, times in nanoseconds.
#include "small_net.hpp"

#include <QtTest>

#include <atomic>
#include <cstdlib>
#include <new>

using namespace small;

namespace {
std::atomic<long> allocations = 0;
}

// Counts what the whole program allocates.
void *operator new(std::size_t bytes)
{
    ++allocations;
    if (void *memory = std::malloc(bytes))
        return memory;
    throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }

class TestSimulator : public QObject
{
    Q_OBJECT

private slots:
    void emptyGraph();
    void computeOnOneDevice();
    void readyTasksGoInVectorOrder();
    void streamsOverlap();
    void laterTaskRunsWhenEarlierIsNotReady();
    void multiDeviceWaitsForAll();
    void multiDeviceIsNotStarved();
    void multiDeviceDoesNotOvertakeLowerIndex();
    void zeroDurationChain();
    void fanInWaitsForTheLast();
    void predsMayComeLaterInTheVector();
    void memorySteps();
    void memoryOfOneMomentCountsTogether();
    void criticalPathThroughPreds();
    void criticalPathThroughADevice();
    void makespanOnlyAgreesWithFull();
    void giveUpNeverLies();
    void giveUpSeesLoadAtOnce();
    void doesNotAllocatePerEvent();
    void cancels();
    void cycleIsNamed();
    void cycleIsNamedWhilePruning();
    void badInputIsRefused_data();
    void badInputIsRefused();
};

void TestSimulator::emptyGraph()
{
    const Schedule s = run(Graph(), Net(1).cluster());
    QCOMPARE(s.makespan.value, 0);
    QVERIFY(s.criticalPath.empty());
}

void TestSimulator::computeOnOneDevice()
{
    // One device, tasks of 5 and 7: one at a time, so 0..5 and 5..12.
    Graph g;
    g.compute({0}, 5);
    g.compute({0}, 7);
    const Schedule s = run(g, Net(1).cluster());
    QCOMPARE(start(s, 0), 0);
    QCOMPARE(end(s, 0), 5);
    QCOMPARE(start(s, 1), 5);
    QCOMPARE(end(s, 1), 12);
    QCOMPARE(s.makespan.value, 12);
    QCOMPARE(path(s), "0 1");
}

void TestSimulator::readyTasksGoInVectorOrder()
{
    // gpu1 frees 2 and 3 at the same moment, 3 by an earlier pred: lower index first on gpu0.
    Graph g;
    const int a = g.compute({1}, 10);
    const int b = g.compute({2}, 10);
    const int x = g.compute({0}, 3, {b});
    const int y = g.compute({0}, 4, {a});
    const Schedule s = run(g, Net(3).cluster());
    QCOMPARE(start(s, x), 10);
    QCOMPARE(start(s, y), 13);
}

void TestSimulator::streamsOverlap()
{
    // Streams of a device do not exclude each other.
    Graph g;
    g.compute({0}, 5, {}, 0);
    g.compute({0}, 7, {}, 1);
    const Schedule s = run(g, Net(1).cluster());
    QCOMPARE(start(s, 1), 0);
    QCOMPARE(s.makespan.value, 7);
}

void TestSimulator::laterTaskRunsWhenEarlierIsNotReady()
{
    // gpu0 does not idle for task 1, which waits for gpu1 until 10, while task 2 is ready; no preemption,
    // so task 1 starts at 12.
    Graph g;
    const int far = g.compute({1}, 10);
    const int waits = g.compute({0}, 5, {far});
    const int fill = g.compute({0}, 12);
    const Schedule s = run(g, Net(2).cluster());
    QCOMPARE(start(s, fill), 0);
    QCOMPARE(start(s, waits), 12);
}

void TestSimulator::multiDeviceWaitsForAll()
{
    // Task 2 needs gpu0 (busy until 5) and gpu1 (until 9): starts at 9 on both.
    Graph g;
    g.compute({0}, 5);
    g.compute({1}, 9);
    const int both = g.compute({0, 1}, 4);
    const int after = g.compute({0}, 1);
    const Schedule s = run(g, Net(2).cluster());
    QCOMPARE(start(s, both), 9);
    QCOMPARE(end(s, both), 13);
    QCOMPARE(start(s, after), 13); // gpu0 was kept for the lower index
    QCOMPARE(path(s), "1 2 3");
}

void TestSimulator::multiDeviceIsNotStarved()
{
    // Short tasks on both devices never leave them free together unless one is kept for task 2:
    // gpu0 runs 10, gpu1 runs 5; without a reservation the tasks that follow would alternate for ever.
    Graph g;
    g.compute({0}, 10);
    g.compute({1}, 5);
    const int both = g.compute({0, 1}, 1);
    for (int k = 0; k < 50; ++k) {
        g.compute({0}, 10);
        g.compute({1}, 10);
    }
    const Schedule s = run(g, Net(2).cluster());
    QCOMPARE(start(s, both), 10);
}

void TestSimulator::multiDeviceDoesNotOvertakeLowerIndex()
{
    // Both devices are free at 0, but gpu0 goes to the lower index first.
    Graph g;
    g.compute({0}, 10);
    const int both = g.compute({0, 1}, 1);
    const int single = g.compute({1}, 3);
    const Schedule s = run(g, Net(2).cluster());
    QCOMPARE(start(s, both), 10);
    QCOMPARE(start(s, single), 11);
}

void TestSimulator::zeroDurationChain()
{
    // Barriers take no time: 5 + 0 + 0 + 3.
    Graph g;
    const int a = g.compute({0}, 5);
    const int barrier = g.compute({}, 0, {a});
    const int again = g.compute({0}, 0, {barrier});
    const int b = g.compute({0}, 3, {again});
    const Schedule s = run(g, Net(1).cluster());
    QCOMPARE(start(s, again), 5);
    QCOMPARE(start(s, b), 5);
    QCOMPARE(s.makespan.value, 8);
    QCOMPARE(path(s), "0 1 2 3");
}

void TestSimulator::fanInWaitsForTheLast()
{
    Graph g;
    const int a = g.compute({0}, 5);
    const int b = g.compute({1}, 8);
    const int c = g.compute({2}, 1, {a, b});
    const Schedule s = run(g, Net(3).cluster());
    QCOMPARE(start(s, c), 8);
    QCOMPARE(path(s), "1 2");
}

void TestSimulator::predsMayComeLaterInTheVector()
{
    Graph g;
    const int first = g.compute({0}, 2);
    const int second = g.compute({0}, 3);
    g.graph().tasks[static_cast<std::size_t>(first)].preds.push_back(TaskId(second));
    const Schedule s = run(g, Net(1).cluster());
    QCOMPARE(start(s, first), 3);
    QCOMPARE(s.makespan.value, 5);
    // The same through the pruning path, which walks the graph on its own.
    const Result<Schedule> pruned = simulate(g.share(), Network(Net(1).cluster()), SimDetail::Full, Nanoseconds(6));
    QVERIFY(pruned);
    QCOMPARE(pruned->makespan.value, 5);
}

void TestSimulator::memorySteps()
{
    // Base 100; +50 at the start of 0 (t=0), -20 at its end (t=5), +10 at the end of 1 (t=12).
    Graph g;
    g.compute({0}, 5);
    g.compute({0}, 7);
    g.memory(0, false, 0, 50).memory(0, true, 0, -20).memory(1, true, 0, 10);
    g.graph().baseMemory = {100};
    const Schedule s = run(g, Net(2, 1000).cluster());
    QCOMPARE(s.memory.size(), 1u);
    const MemoryTrack &track = s.memory.front();
    QCOMPARE(track.device.value, 0);
    QCOMPARE(track.capacityBytes, 1000);
    QCOMPARE(track.peakBytes, 150);
    QCOMPARE(track.steps.size(), 3u);
    QCOMPARE(track.steps[0].time.value, 0);
    QCOMPARE(track.steps[0].bytes, 150);
    QCOMPARE(track.steps[1].time.value, 5);
    QCOMPARE(track.steps[1].bytes, 130);
    QCOMPARE(track.steps[2].time.value, 12);
    QCOMPARE(track.steps[2].bytes, 140);
}

void TestSimulator::memoryOfOneMomentCountsTogether()
{
    // Task 1 allocates 60 at the moment task 0 frees 60: never 120 at once.
    Graph g;
    g.compute({0}, 5);
    g.compute({0}, 5);
    for (int t : {0, 1})
        g.memory(t, false, 0, 60).memory(t, true, 0, -60);
    const Schedule s = run(g, Net(1, 100).cluster());
    QCOMPARE(s.memory.front().peakBytes, 60);
    QCOMPARE(s.memory.front().steps.size(), 2u);
}

void TestSimulator::criticalPathThroughPreds()
{
    Graph g;
    const int a = g.compute({0}, 5);
    const int b = g.compute({1}, 5, {a});
    g.compute({2}, 6);
    g.compute({0}, 5, {b});
    QCOMPARE(path(run(g, Net(3).cluster())), "0 1 3");
}

void TestSimulator::criticalPathThroughADevice()
{
    // Task 2 is ready at 3 but gpu0 is busy until 10: the device is what it waited for.
    Graph g;
    g.compute({0}, 10);
    const int early = g.compute({1}, 3);
    g.compute({0}, 4, {early});
    QCOMPARE(path(run(g, Net(2).cluster())), "0 2");
}

namespace {

Graph pipeline(int stages, int microBatches)
{
    Graph g;
    std::vector<std::vector<int>> id(static_cast<std::size_t>(stages));
    for (int m = 0; m < microBatches; ++m) {
        for (int p = 0; p < stages; ++p) {
            const auto s = static_cast<std::size_t>(p);
            if (p == 0) {
                id[s].push_back(g.compute({p}, 100 + 7 * p));
            } else {
                const int move = g.transfer({{p - 1, 500}}, {id[s - 1].back()}, 3);
                id[s].push_back(g.compute({p}, 100 + 7 * p, {move}));
            }
        }
    }
    return g;
}

Cluster chain(int devices)
{
    Net net(devices);
    for (int d = 0; d + 1 < devices; ++d)
        net.link(d, d + 1, 10);
    return net.cluster();
}

} // namespace

void TestSimulator::makespanOnlyAgreesWithFull()
{
    const Graph g = pipeline(5, 20);
    const Cluster c = chain(5);
    const Schedule full = run(g, c);
    const Result<Schedule> only = simulate(g.share(), Network(c), SimDetail::MakespanOnly);
    QVERIFY(only);
    QCOMPARE(only->makespan.value, full.makespan.value);
    QVERIFY(only->links.empty() && only->memory.empty() && only->criticalPath.empty());
}

void TestSimulator::giveUpNeverLies()
{
    // Whatever the limit: the makespan if it is below the limit, else the limit.
    const Graph g = pipeline(4, 12);
    const Cluster c = chain(4);
    const std::int64_t truth = run(g, c).makespan.value;
    for (std::int64_t limit = 0; limit <= truth + 5; limit += (limit > truth - 5 || limit < 5 ? 1 : 13)) {
        const Result<Schedule> s = simulate(g.share(), Network(c), SimDetail::MakespanOnly, Nanoseconds(limit));
        QVERIFY(s);
        QCOMPARE(s->makespan.value, std::min(limit, truth));
    }
}

void TestSimulator::giveUpSeesLoadAtOnce()
{
    // 1000 tasks of 10 on one device take 10000: known before the first event. A graph that is given up
    // at once never reports the times of its tasks.
    Graph g;
    for (int k = 0; k < 1000; ++k)
        g.compute({0}, 10);
    const Result<Schedule> s = simulate(g.share(), Network(Net(1).cluster()), SimDetail::Full, Nanoseconds(10000));
    QVERIFY(s);
    QCOMPARE(s->makespan.value, 10000);
    QVERIFY(s->times.empty());
}

void TestSimulator::doesNotAllocatePerEvent()
{
    // Eight times the tasks, on the same devices: a few more doublings of the same arrays, no more.
    const Cluster c = chain(6);
    const Network network(c);
    const auto allocationsOf = [&](int microBatches) {
        const std::shared_ptr<const TaskGraph> graph = pipeline(6, microBatches).share();
        const long before = allocations;
        const Result<Schedule> s = simulate(graph, network, SimDetail::MakespanOnly);
        return s ? allocations - before : -1;
    };
    const long few = allocationsOf(50);
    const long many = allocationsOf(400);
    QVERIFY(few > 0);
    QVERIFY2(many - few < 60, qPrintable(QString("%1 for 550 tasks, %2 for 4400").arg(few).arg(many)));
}

void TestSimulator::cancels()
{
    Graph g;
    for (int k = 0; k < 5000; ++k)
        g.compute({0}, 10);
    std::atomic<bool> cancel = true;
    const Result<Schedule> s = simulate(g.share(), Network(Net(1).cluster()), SimDetail::MakespanOnly,
                                        Nanoseconds(std::numeric_limits<std::int64_t>::max()), &cancel);
    QVERIFY(!s);
    QCOMPARE(s.error().kind, ErrorKind::Cancelled);
}

void TestSimulator::cycleIsNamed()
{
    // 0 -> 1 -> 2 -> 1: the message names one of the two on the cycle, not task 0 or 3.
    Graph g;
    g.compute({0}, 1);
    g.compute({0}, 1, {0});
    g.compute({0}, 1, {1});
    g.compute({0}, 1, {2});
    g.graph().tasks[1].preds.push_back(TaskId(2));
    const Result<Schedule> s = simulate(g.share(), Network(Net(1).cluster()));
    QVERIFY(!s);
    QCOMPARE(s.error().kind, ErrorKind::Input);
    const QString where = QString::fromStdString(s.error().where);
    QVERIFY2(where.contains("task 1 (t1)") || where.contains("task 2 (t2)"), qPrintable(where));
}

void TestSimulator::cycleIsNamedWhilePruning()
{
    Graph g;
    g.compute({0}, 1, {0});
    const Result<Schedule> s = simulate(g.share(), Network(Net(1).cluster()), SimDetail::Full, Nanoseconds(100));
    QVERIFY(!s);
    QCOMPARE(s.error().kind, ErrorKind::Input);
    QCOMPARE(s.error().where, std::string("task 0 (t0)"));
}

void TestSimulator::badInputIsRefused_data()
{
    QTest::addColumn<int>("what");
    QTest::newRow("device") << 0;
    QTest::newRow("link") << 1;
    QTest::newRow("pred") << 2;
    QTest::newRow("negative duration") << 3;
    QTest::newRow("negative bytes") << 4;
    QTest::newRow("not a number") << 5;
    QTest::newRow("memory task") << 6;
    QTest::newRow("overflow") << 7;
}

void TestSimulator::badInputIsRefused()
{
    QFETCH(int, what);
    Graph g;
    g.compute({0}, 1);
    g.transfer({{0, 10}});
    TaskGraph &graph = g.graph();
    switch (what) {
    case 0: graph.tasks[0].devices[0] = DeviceId(7); break;
    case 1: graph.tasks[1].uses[0].link = LinkId(3); break;
    case 2: graph.tasks[0].preds.push_back(TaskId(9)); break;
    case 3: graph.tasks[0].duration = Nanoseconds(-1); break;
    case 4: graph.tasks[1].uses[0].bytes = -1; break;
    case 5: graph.tasks[1].uses[0].bytes = std::numeric_limits<double>::quiet_NaN(); break;
    case 6: graph.memory.push_back({TaskId(5), false, DeviceId(0), 1}); break;
    case 7: graph.tasks[0].duration = graph.tasks[1].duration = Nanoseconds(std::int64_t(1) << 62); break;
    }
    const Result<Schedule> s = simulate(g.share(), Network(Net(2).link(0, 1, 1).cluster()));
    QVERIFY(!s);
    QCOMPARE(s.error().kind, ErrorKind::Input);
    QVERIFY(!s.error().where.empty() && !s.error().found.empty() && !s.error().expected.empty());
}

QTEST_GUILESS_MAIN(TestSimulator)
#include "tst_simulator.moc"
