// SPDX-License-Identifier: GPL-3.0-or-later
// The validator finds nothing in what the simulator makes, and finds everything that is broken on purpose.
#include "core/sim/validator.hpp"

#include "random_system.hpp"

#include <QtTest>
#include <functional>

using namespace small;

namespace {

bool hasRule(const std::vector<Violation> &found, const std::string &rule)
{
    return std::any_of(found.begin(), found.end(), [&](const Violation &v) { return v.rule == rule; });
}

QString listing(const std::vector<Violation> &found)
{
    QString text;
    for (const Violation &v : found)
        text += QString::fromStdString(v.rule + ": " + v.detail + "\n");
    return text;
}

/// One of everything: a device chain, a shared link, a half-duplex link, memory.
///   t0 gpu0 0..100; t1 l0 100..300 and t2 l0 100..200 share (10); t3 gpu1 after both; t4, t5 on l1 (half, 5)
Graph everything()
{
    Graph g;
    const int a = g.compute({0}, 100);
    const int x = g.transfer({{0, 1500}}, {a});
    const int y = g.transfer({{0, 500}}, {a});
    const int b = g.compute({1}, 50, {x, y});
    g.transfer({{1, 400, fwd}}, {b});
    g.transfer({{1, 400, bwd}}, {b});
    const int c = g.compute({1}, 20, {b});
    g.memory(a, false, 0, 600).memory(a, true, 0, -200).memory(c, false, 1, 300);
    g.graph().baseMemory = {100, 200};
    return g;
}

Net everythingNet(std::int64_t memory = 1000)
{
    return Net(3, memory).link(0, 1, 10).link(1, 2, 5, Duplex::Half).link(0, 2, 7);
}

} // namespace

class TestValidator : public QObject
{
    Q_OBJECT

private slots:
    void acceptsTheExample();
    void catches_data();
    void catches();
    void catchesWhatAnotherClusterForbids_data();
    void catchesWhatAnotherClusterForbids();
    void randomSchedulesAreValid();
    void randomMutationsAreCaught();
    void violationsAreCounted();
};

void TestValidator::acceptsTheExample()
{
    const Cluster c = everythingNet().cluster();
    const Schedule s = run(everything(), c);
    QCOMPARE(s.makespan.value, 510); // 100 + 200 (2000 bytes at 10) + 50 + 160 (800 bytes at 5)
    QCOMPARE(listing(validate(s, c)), QString());
}

void TestValidator::catches_data()
{
    using Break = std::function<void(Schedule &)>;
    QTest::addColumn<QString>("rule");
    QTest::addColumn<Break>("breakIt");
    const auto add = [](const char *name, const char *rule, Break f) { QTest::newRow(name) << QString(rule) << f; };
    add("no times", "times", [](Schedule &s) { s.times.pop_back(); });
    add("negative start", "times", [](Schedule &s) { s.times[0].start = Nanoseconds(-1); });
    add("compute cut short", "times", [](Schedule &s) { s.times[0].end = Nanoseconds(99); });
    add("starts before its pred ends", "precedence", [](Schedule &s) {
        s.times[3].start -= Nanoseconds(1);
        s.times[3].end -= Nanoseconds(1);
    });
    add("two on a device", "overlap", [](Schedule &s) { s.times[6] = {Nanoseconds(349), Nanoseconds(369)}; });
    add("rate above bandwidth", "link-rate", [](Schedule &s) { s.links[0].segments[0].bytesPerSecond *= 1.001; });
    add("half duplex above bandwidth", "link-rate", [](Schedule &s) { s.links[1].segments[0].bytesPerSecond *= 1.001; });
    add("negative rate", "link-rate", [](Schedule &s) { s.links[0].segments[0].bytesPerSecond = -1; });
    add("segments overlap", "link-rate", [](Schedule &s) {
        RateSegment again = s.links[0].segments[0];
        s.links[0].segments.push_back(again);
    });
    add("segment after the end", "link-rate", [](Schedule &s) { s.links[1].segments.back().end += Nanoseconds(1); });
    add("side listed twice", "link-rate", [](Schedule &s) { s.links.push_back(s.links[0]); });
    add("bytes missing", "link-bytes", [](Schedule &s) { s.links[0].segments[0].bytesPerSecond *= 0.99; });
    add("side missing", "link-bytes", [](Schedule &s) { s.links.erase(s.links.begin()); });
    add("bytes of nobody", "link-bytes", [](Schedule &s) {
        LinkUsage u;
        u.link = LinkId(2);
        u.segments = {{Nanoseconds(0), Nanoseconds(100), 1e9}};
        s.links.push_back(u);
    });
    add("wrong total", "link-bytes", [](Schedule &s) { s.links[0].bytes *= 2; });
    add("bytes before the transfer starts", "link-bytes", [](Schedule &s) {
        s.links[0].segments[0].start -= Nanoseconds(50);
        s.links[0].segments[0].end -= Nanoseconds(50);
    });
    add("bytes after the transfer ends", "link-bytes", [](Schedule &s) {
        s.links[0].segments[0].start += Nanoseconds(50);
        s.links[0].segments[0].end += Nanoseconds(50);
    });
    add("memory step changed", "memory", [](Schedule &s) { s.memory[0].steps.back().bytes += 1; });
    add("memory step above capacity", "memory", [](Schedule &s) { s.memory[0].steps.front().bytes = 1001; });
    add("memory negative", "memory", [](Schedule &s) { s.memory[0].steps.front().bytes = -1; });
    add("memory steps out of order", "memory", [](Schedule &s) { s.memory[0].steps[1].time = Nanoseconds(0); });
    add("memory peak", "memory", [](Schedule &s) { s.memory[0].peakBytes -= 1; });
    add("memory capacity", "memory", [](Schedule &s) { s.memory[0].capacityBytes += 1; });
    add("memory track missing", "memory", [](Schedule &s) { s.memory.pop_back(); });
    add("makespan too long", "makespan", [](Schedule &s) { s.makespan += Nanoseconds(1); });
    add("makespan too short", "makespan", [](Schedule &s) { s.makespan -= Nanoseconds(1); });
    add("no critical path", "critical-path", [](Schedule &s) { s.criticalPath.clear(); });
    add("path does not reach the end", "critical-path", [](Schedule &s) { s.criticalPath.pop_back(); });
    add("hole in the path", "critical-path", [](Schedule &s) { s.criticalPath.erase(s.criticalPath.begin() + 1); });
    add("path of strangers", "critical-path", [](Schedule &s) { s.criticalPath.insert(s.criticalPath.begin(), TaskId(4)); });
    add("unknown link", "link-rate", [](Schedule &s) { s.links[0].link = LinkId(99); });
    add("unknown task in the path", "critical-path", [](Schedule &s) { s.criticalPath[0] = TaskId(99); });
    add("no graph", "times", [](Schedule &s) { s.graph = nullptr; });
}

void TestValidator::catches()
{
    QFETCH(QString, rule);
    using Break = std::function<void(Schedule &)>;
    QFETCH(Break, breakIt);
    const Cluster c = everythingNet().cluster();
    Schedule s = run(everything(), c);
    breakIt(s);
    const std::vector<Violation> found = validate(s, c);
    QVERIFY2(hasRule(found, rule.toStdString()), qPrintable(listing(found)));
    for (const Violation &v : found)
        QVERIFY(!v.detail.empty());
}

void TestValidator::catchesWhatAnotherClusterForbids_data()
{
    QTest::addColumn<QString>("rule");
    QTest::addColumn<int>("net");
    QTest::newRow("link is down") << "down-link" << 0;
    QTest::newRow("slower link") << "link-rate" << 1;
    QTest::newRow("half duplex") << "link-rate" << 2;
    QTest::newRow("exclusive group") << "conflict" << 3;
    QTest::newRow("capacity per direction") << "conflict" << 4;
    QTest::newRow("capacity of both directions") << "conflict" << 5;
    QTest::newRow("less memory") << "memory" << 6;
}

void TestValidator::catchesWhatAnotherClusterForbids()
{
    QFETCH(QString, rule);
    QFETCH(int, net);
    // l0 forward 10 and backward 10, l1 forward 10, all at the same time 0..100; 500 bytes in use.
    Graph g;
    g.transfer({{0, 1000, fwd}});
    g.transfer({{0, 1000, bwd}});
    g.transfer({{1, 1000, fwd}});
    g.memory(0, false, 0, 500);
    const Schedule s = run(g, Net(3, 1000).link(0, 1, 10).link(0, 2, 10).cluster());
    const Net others[] = {
        Net(3, 1000).link(0, 1, 10, Duplex::Full, LinkState::Down).link(0, 2, 10),
        Net(3, 1000).link(0, 1, 9.99).link(0, 2, 10),
        Net(3, 1000).link(0, 1, 10, Duplex::Half).link(0, 2, 10),
        Net(3, 1000).link(0, 1, 10).link(0, 2, 10).exclusive({0, 1}),
        Net(3, 1000).link(0, 1, 10).link(0, 2, 10).capacity({0, 1}, 19.9),
        Net(3, 1000).link(0, 1, 10).link(0, 2, 10).capacity({0, 1}, 29.9, true),
        Net(3, 499).link(0, 1, 10).link(0, 2, 10),
    };
    const std::vector<Violation> found = validate(s, others[net].cluster());
    QVERIFY2(hasRule(found, rule.toStdString()), qPrintable(listing(found)));
    // What fits exactly is allowed.
    const Cluster fits = Net(3, 1000).link(0, 1, 10).link(0, 2, 10).capacity({0, 1}, 20).capacity({0, 1}, 30, true).cluster();
    QCOMPARE(listing(validate(s, fits)), QString());
}

void TestValidator::randomSchedulesAreValid()
{
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        const System system = randomSystem(seed);
        const Network network(system.cluster);
        const Result<Schedule> made = simulate(system.graph, network);
        QVERIFY2(made, qPrintable(QString("seed %1: %2").arg(seed).arg(made ? "" : made.error().message().c_str())));
        const Schedule &s = *made;
        QVERIFY2(validate(s, system.cluster).empty(),
                 qPrintable(QString("seed %1\n%2").arg(seed).arg(listing(validate(s, system.cluster)))));
        // No task is shorter than its time alone, so no schedule is shorter than the longest path.
        for (std::size_t i = 0; i < s.times.size(); ++i) {
            const SimTask &task = s.graph->tasks[i];
            const std::int64_t body = std::max(task.duration.value, toNanoseconds(network.aloneTime(task.uses)).value);
            QVERIFY2(s.times[i].end.value - s.times[i].start.value >= task.latency.value + body, qPrintable(QString::number(seed)));
        }
        // Nothing idles for no reason: the chain of waits goes back to time zero.
        QCOMPARE(s.times[s.criticalPath.front().index()].start.value, 0);
        // Deterministic, and the short way gives the same makespan.
        const Result<Schedule> again = simulate(system.graph, network, SimDetail::MakespanOnly);
        QCOMPARE(again->makespan.value, s.makespan.value);
        for (std::int64_t limit : {s.makespan.value / 2, s.makespan.value, s.makespan.value + 1}) {
            const Result<Schedule> pruned
                = simulate(system.graph, network, SimDetail::MakespanOnly, Nanoseconds(limit));
            QCOMPARE(pruned->makespan.value, std::min(limit, s.makespan.value));
        }
    }
}

void TestValidator::randomMutationsAreCaught()
{
    int mutations = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const System system = randomSystem(seed);
        const Schedule truth = *simulate(system.graph, Network(system.cluster));
        Dice dice(seed);
        for (int kind = 0; kind < 5; ++kind) {
            Schedule s = truth;
            const std::size_t task = static_cast<std::size_t>(dice.below(static_cast<int>(s.times.size())));
            const char *rule = nullptr;
            if (kind == 0 && !s.graph->tasks[task].preds.empty()) {
                const TaskId pred = s.graph->tasks[task].preds.front();
                if (s.times[pred.index()].end.value > 0) {
                    const Nanoseconds back = s.times[task].start - s.times[pred.index()].end + Nanoseconds(1);
                    s.times[task] = {s.times[task].start - back, s.times[task].end - back};
                    rule = "precedence";
                }
            } else if (kind == 1) {
                s.makespan += Nanoseconds(dice.between(1, 100));
                rule = "makespan";
            } else if (kind == 2 && !s.links.empty()) {
                LinkUsage &u = s.links[static_cast<std::size_t>(dice.below(static_cast<int>(s.links.size())))];
                double perNanosecond = 0; // slack that the rule allows
                for (const RateSegment &segment : u.segments)
                    perNanosecond += segment.bytesPerSecond * 1e-9;
                const RateSegment dropped = u.segments.back();
                const double bytes = dropped.bytesPerSecond * 1e-9 * double(dropped.end.value - dropped.start.value);
                if (bytes > 2 * perNanosecond) {
                    u.segments.pop_back();
                    rule = "link-bytes";
                }
            } else if (kind == 3 && !s.links.empty()) {
                LinkUsage &u = s.links[static_cast<std::size_t>(dice.below(static_cast<int>(s.links.size())))];
                u.segments.front().bytesPerSecond = 1.01 * system.cluster.link(u.link).bandwidth.value;
                rule = "link-rate";
            } else if (kind == 4 && s.times[s.criticalPath.back().index()].end.value > 0) {
                // A task of the path runs later and longer than it did, over what follows it.
                s.times[s.criticalPath.back().index()].end += Nanoseconds(1);
                rule = "makespan";
            }
            if (!rule)
                continue;
            ++mutations;
            QVERIFY2(hasRule(validate(s, system.cluster), rule), qPrintable(QString("seed %1, %2").arg(seed).arg(rule)));
        }
    }
    QVERIFY(mutations > 800);
}

void TestValidator::violationsAreCounted()
{
    // 200 broken tasks are not 200 lines.
    Graph g;
    for (int k = 0; k < 200; ++k)
        g.compute({0}, 10);
    const Cluster c = Net(1).cluster();
    Schedule s = run(g, c);
    for (TaskTime &t : s.times)
        t.end += Nanoseconds(1);
    const std::vector<Violation> found = validate(s, c);
    QVERIFY(hasRule(found, "times") && hasRule(found, "overlap"));
    QVERIFY(found.size() < 160);
    QVERIFY(listing(found).contains("and 150 more"));
}

QTEST_GUILESS_MAIN(TestValidator)
#include "tst_validator.moc"
