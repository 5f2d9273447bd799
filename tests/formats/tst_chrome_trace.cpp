// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/exporters.hpp"

#include "tests/sim/random_system.hpp"

#include <QtTest>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

using namespace small;
using nlohmann::json;

namespace {

/// Microseconds with three decimals back to nanoseconds.
std::int64_t ns(const json &microseconds)
{
    return std::llround(microseconds.get<double>() * 1000);
}

json events(const Schedule &s, const Cluster &c, const char *phase)
{
    json found = json::array();
    const json root = json::parse(exportChromeTrace(s, c));
    for (const json &e : root["traceEvents"]) {
        if (e["ph"] == phase)
            found.push_back(e);
    }
    return found;
}

using RowId = std::pair<int, int>;

RowId rowOf(const json &e)
{
    return {e["pid"].get<int>(), e["tid"].get<int>()};
}

} // namespace

class TestChromeTrace : public QObject
{
    Q_OBJECT

private slots:
    void example();
    void countersFollowTheLinks();
    void rowsNestAndArrowsBind();
};

void TestChromeTrace::example()
{
    // gpu0 0..1500, then two transfers that share l0 1500..3500 and 1500..2500, gpu1 3500..4000.
    Graph g;
    const int a = g.compute({0}, 1500);
    const int x = g.transfer({{0, 15000}}, {a});
    const int y = g.transfer({{0, 5000}}, {a});
    g.compute({1}, 500, {x, y});
    const Cluster c = Net(2).link(0, 1, 10).cluster();
    const Schedule s = run(g, c);
    QCOMPARE(s.makespan.value, 4000);

    std::map<RowId, std::string> threads;
    std::map<int, std::string> processes;
    for (const json &e : events(s, c, "M")) {
        if (e["name"] == "thread_name")
            threads[rowOf(e)] = e["args"]["name"];
        else if (e["name"] == "process_name")
            processes[e["pid"].get<int>()] = e["args"]["name"];
    }
    QCOMPARE(processes.size(), 3u);
    const json slices = events(s, c, "X");
    QCOMPARE(slices.size(), 4u);
    QCOMPARE(processes[rowOf(slices[0]).first], std::string("gpu0"));
    QCOMPARE(threads[rowOf(slices[0])], std::string("compute"));
    QCOMPARE(slices[0]["ts"].dump(), std::string("0.0"));
    QCOMPARE(ns(slices[0]["dur"]), 1500);
    QCOMPARE(threads[rowOf(slices[1])], std::string("l0 forward"));
    QCOMPARE(threads[rowOf(slices[2])], std::string("l0 forward (2)")); // at the same time: a row of its own
    QCOMPARE(processes[rowOf(slices[1]).first], std::string("links"));
    QCOMPARE(ns(slices[1]["ts"]), 1500);
    QCOMPARE(ns(slices[1]["dur"]), 2000);

    // Producer to both transfers, both transfers to the consumer.
    QCOMPARE(events(s, c, "s").size(), 4u);
    QCOMPARE(events(s, c, "f").size(), 4u);
}

void TestChromeTrace::countersFollowTheLinks()
{
    // 10 GB/s, silence, 10 GB/s; memory 2 GiB and then 1 GiB.
    Graph g;
    const int a = g.transfer({{0, 1000}});
    const int b = g.compute({0}, 50, {a});
    g.transfer({{0, 1000}}, {b});
    g.memory(b, false, 0, std::int64_t(2) << 30).memory(b, true, 0, -(std::int64_t(1) << 30));
    const Cluster c = Net(2, std::int64_t(8) << 30).link(0, 1, 10).cluster();
    std::vector<std::pair<std::int64_t, double>> link;
    std::vector<std::pair<std::int64_t, double>> memory;
    for (const json &e : events(run(g, c), c, "C")) {
        if (e["args"].contains("GB/s")) {
            QCOMPARE(e["name"], "l0 forward, GB/s");
            link.push_back({ns(e["ts"]), e["args"]["GB/s"].get<double>()});
        } else {
            memory.push_back({ns(e["ts"]), e["args"]["GiB"].get<double>()});
        }
    }
    const std::vector<std::pair<std::int64_t, double>> wantedLink = {{0, 10}, {100, 0}, {150, 10}, {250, 0}};
    const std::vector<std::pair<std::int64_t, double>> wantedMemory = {{0, 0}, {100, 2}, {150, 1}};
    QCOMPARE(link, wantedLink);
    QCOMPARE(memory, wantedMemory);
}

void TestChromeTrace::rowsNestAndArrowsBind()
{
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const System system = randomSystem(seed);
        const Result<Schedule> s = simulate(system.graph, Network(system.cluster));
        QVERIFY(s);
        const json root = json::parse(exportChromeTrace(*s, system.cluster));
        std::map<RowId, std::vector<std::pair<std::int64_t, std::int64_t>>> slices;
        std::set<RowId> named;
        std::map<std::int64_t, int> arrows;
        for (const json &e : root["traceEvents"]) {
            if (e["ph"] == "X")
                slices[rowOf(e)].push_back({ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])});
            else if (e["ph"] == "M" && e["name"] == "thread_name")
                named.insert(rowOf(e));
        }
        for (auto &[row, list] : slices) {
            QVERIFY(named.count(row));
            std::sort(list.begin(), list.end());
            for (std::size_t k = 1; k < list.size(); ++k)
                QVERIFY2(list[k].first >= list[k - 1].second, qPrintable(QString("seed %1").arg(seed)));
        }
        for (const json &e : root["traceEvents"]) {
            if (e["ph"] != "s" && e["ph"] != "f")
                continue;
            arrows[e["id"].get<std::int64_t>()] += e["ph"] == "s" ? 1 : 100;
            const std::int64_t time = ns(e["ts"]);
            const auto &list = slices[rowOf(e)];
            QVERIFY(std::any_of(list.begin(), list.end(),
                                [time](const auto &slice) { return slice.first <= time && time < slice.second; }));
        }
        for (const auto &[id, ends] : arrows)
            QCOMPARE(ends, 101);
    }
}

QTEST_GUILESS_MAIN(TestChromeTrace)
#include "tst_chrome_trace.moc"
