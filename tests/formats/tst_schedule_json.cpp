// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/builtin.hpp"
#include "core/formats/exporters.hpp"
#include "core/formats/json_files.hpp"
#include "core/plan/evaluate.hpp"
#include "core/search/baselines.hpp"
#include "core/sim/validator.hpp"

#include "json_schema.hpp"
#include "tests/sim/random_system.hpp"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace small;
using nlohmann::json;

namespace {

Net exampleNet()
{
    return Net(3, 1000).link(0, 1, 10).link(1, 2, 5, Duplex::Half).link(0, 2, 7, Duplex::Full, LinkState::Down).link(0, 1, 3)
        .exclusive({0, 3}).capacity({0, 1}, 12, true);
}

Graph example()
{
    Graph g;
    const int a = g.compute({0}, 100);
    const int x = g.transfer({{0, 1500}}, {a}, 7, 30);
    const int y = g.transfer({{0, 500}}, {a});
    const int b = g.compute({1, 2}, 50, {x, y}, 1);
    g.transfer({{1, 400, bwd}}, {b});
    g.memory(a, false, 0, 600).memory(a, true, 0, -200);
    g.graph().tasks[0].role = TaskRole::Forward;
    g.graph().tasks[0].stage = 2;
    g.graph().tasks[0].microBatch = 5;
    g.graph().tasks[1].role = TaskRole::PipelineTraffic;
    g.graph().names[0] = "F \"5\"\n\\ \x01 µ \xff end";
    return g;
}

std::string exampleText()
{
    const Cluster c = exampleNet().cluster();
    return writeSchedule(run(example(), c), c);
}

/// The text with one change, at a JSON pointer.
std::string changed(const char *pointer, const json &value)
{
    json root = json::parse(exampleText());
    root[json::json_pointer(pointer)] = value;
    return root.dump();
}

QString listing(const std::vector<Violation> &found)
{
    QString text;
    for (const Violation &v : found)
        text += QString::fromStdString(v.rule + ": " + v.detail + "\n");
    return text;
}

} // namespace

class TestScheduleJson : public QObject
{
    Q_OBJECT

private slots:
    void hasTheFieldsOfTheContract();
    void roundTrip();
    void randomSchedulesSurvive();
    void plansOfTheSampleClustersSurvive();
    void fractionsOfBytesAddUp();
    void readsOtherPrograms();
    void refuses_data();
    void refuses();
    void brokenSchedulesAreReadAndFound_data();
    void brokenSchedulesAreReadAndFound();
    void matchesTheSchema();
    void csv();
};

void TestScheduleJson::hasTheFieldsOfTheContract()
{
    const std::string text = exampleText();
    QVERIFY(text.starts_with("{\"format\":\"polyrail-schedule\",\"version\":1,"));
    QCOMPARE(text.back(), '\n');
    const json root = json::parse(text);
    QCOMPARE(root["makespan_ns"].get<int>(), 430); // 100, 2000 bytes at 10, 50, 400 bytes at 5
    QCOMPARE(root["tasks"].size(), 5u);
    const json &compute = root["tasks"][0];
    QCOMPARE(compute["kind"], "compute");
    QCOMPARE(compute["name"].get<std::string>(), std::string("F \"5\"\n\\ \x01 µ \xef\xbf\xbd end"));
    QCOMPARE(compute["devices"], json({"gpu0"}));
    QCOMPARE(compute["stream"], 0);
    QCOMPARE(compute["start_ns"], 0);
    QCOMPARE(compute["end_ns"], 100);
    QCOMPARE(compute["role"], "forward");
    const json &transfer = root["tasks"][1];
    QCOMPARE(transfer["kind"], "transfer");
    QCOMPARE(transfer["preds"], json({0}));
    QCOMPARE(transfer["uses"], json::parse(R"([{"link":"l0","direction":"forward","bytes":1500}])"));
    QCOMPARE(root["link_use"][0]["link"], "l0");
    QCOMPARE(root["link_use"][0]["segments"][0][2].get<double>(), 1e10);
    QCOMPARE(root["memory"][0]["capacity_bytes"], 1000);
    QCOMPARE(root["memory"][0]["steps"], json::parse("[[0,600],[100,400]]"));
    QCOMPARE(root["critical_path"], json({0, 1, 3, 4}));
    QCOMPARE(root["cluster"]["links"][2]["state"], "down");
    QCOMPARE(root["cluster"]["links"][1]["duplex"], "half");
    QCOMPARE(root["cluster"]["conflicts"][1]["both_directions"], true);
}

void TestScheduleJson::roundTrip()
{
    const Cluster c = exampleNet().cluster();
    const Schedule s = run(example(), c);
    const Result<ScheduleFile> read = readSchedule(writeSchedule(s, c));
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    const Schedule &r = read->schedule;
    QCOMPARE(r.makespan.value, s.makespan.value);
    QCOMPARE(r.criticalPath, s.criticalPath);
    for (std::size_t i = 0; i < s.times.size(); ++i) {
        const SimTask &a = s.graph->tasks[i];
        const SimTask &b = r.graph->tasks[i];
        QCOMPARE(r.times[i].start.value, s.times[i].start.value);
        QCOMPARE(r.times[i].end.value, s.times[i].end.value);
        QCOMPARE(b.kind, a.kind);
        QCOMPARE(b.role, a.role);
        QCOMPARE(b.stream, a.stream);
        QCOMPARE(b.stage, a.stage);
        QCOMPARE(b.microBatch, a.microBatch);
        QCOMPARE(b.duration.value, a.duration.value);
        QCOMPARE(b.latency.value, a.latency.value);
        QCOMPARE(b.devices, a.devices);
        QCOMPARE(b.preds, a.preds);
        QCOMPARE(b.uses, a.uses);
    }
    QCOMPARE(r.graph->names[1], std::string("t1"));
    QCOMPARE(r.links.size(), s.links.size());
    for (std::size_t l = 0; l < s.links.size(); ++l) {
        QCOMPARE(r.links[l].link.value, s.links[l].link.value);
        QCOMPARE(segments(&r.links[l]), segments(&s.links[l]));
        QCOMPARE(r.links[l].bytes, s.links[l].bytes);
        QCOMPARE(r.links[l].contended.size(), s.links[l].contended.size());
    }
    QCOMPARE(r.memory[0].peakBytes, s.memory[0].peakBytes);
    QCOMPARE(r.memory[0].steps.size(), s.memory[0].steps.size());
    QCOMPARE(read->cluster.conflicts().size(), c.conflicts().size());
    QCOMPARE(read->cluster.links()[2].state, LinkState::Down);
    QCOMPARE(listing(validate(r, read->cluster)), QString());
    // What is read is what was written.
    json again = json::parse(writeSchedule(r, read->cluster));
    json first = json::parse(writeSchedule(s, c));
    again["cluster"].erase("digest"); // the file does not hold all that the digest covers
    first["cluster"].erase("digest");
    QCOMPARE(QString::fromStdString(again.dump()), QString::fromStdString(first.dump()));
}

void TestScheduleJson::randomSchedulesSurvive()
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const System system = randomSystem(seed);
        const Result<Schedule> s = simulate(system.graph, Network(system.cluster));
        QVERIFY(s);
        const Result<ScheduleFile> read = readSchedule(writeSchedule(*s, system.cluster));
        QVERIFY2(read, read ? "" : read.error().message().c_str());
        QVERIFY2(validate(read->schedule, read->cluster).empty(),
                 qPrintable(QString("seed %1\n%2").arg(seed).arg(listing(validate(read->schedule, read->cluster)))));
    }
}

void TestScheduleJson::plansOfTheSampleClustersSurvive()
{
    // Real plans: collectives over many links, with bytes that are no whole numbers.
    int checked = 0;
    for (const SampleCluster &sample : sampleClusters()) {
        const Result<Cluster> cluster = readCluster(sample.text, builtinCatalogue());
        QVERIFY(cluster);
        Problem problem;
        problem.cluster = *cluster;
        problem.job.model = *findPreset("llama-2-13b");
        problem.job.globalBatch = 64;
        const CostContext context(problem);
        const BaselineResult baseline = equalSplit(context);
        if (!baseline.plan)
            continue; // does not fit
        const Result<Schedule> s = evaluate(context, *baseline.plan);
        QVERIFY2(s, s ? "" : s.error().message().c_str());
        const QString name = QString::fromUtf8(sample.file.data(), qsizetype(sample.file.size()));
        QVERIFY2(validate(*s, *cluster).empty(), qPrintable(name + '\n' + listing(validate(*s, *cluster))));
        const Result<ScheduleFile> read = readSchedule(writeSchedule(*s, *cluster));
        QVERIFY2(read, read ? "" : read.error().message().c_str());
        QVERIFY2(validate(read->schedule, read->cluster).empty(),
                 qPrintable(name + '\n' + listing(validate(read->schedule, read->cluster))));
        ++checked;
    }
    QVERIFY(checked >= 3);
}

void TestScheduleJson::fractionsOfBytesAddUp()
{
    // 300 transfers of 1000.4 bytes: 300120 in all. Rounded one by one they would be 300000, and the link
    // would carry 120 bytes, 12 of its nanoseconds, that nobody owns.
    Graph g;
    int last = g.compute({0}, 1);
    for (int k = 0; k < 300; ++k)
        last = g.transfer({{0, 1000.4}}, {last});
    const Cluster c = Net(2).link(0, 1, 10).cluster();
    const json root = json::parse(writeSchedule(run(g, c), c));
    double sum = 0;
    for (const json &task : root["tasks"]) {
        for (const json &use : task.value("uses", json::array())) {
            QVERIFY(use["bytes"].is_number_integer());
            sum += use["bytes"].get<double>();
        }
    }
    QCOMPARE(sum, 300120.0);
}

void TestScheduleJson::readsOtherPrograms()
{
    // Text ids, an idle marker over a busy device, fields nobody knows, no memory, tasks in any order.
    const char *text = R"({"format": "polyrail-schedule", "version": 1, "made_by": "someone", "makespan_ns": 30,
        "cluster": {"devices": [{"id": "a"}, {"id": "b"}],
                    "links": [{"id": "ab", "ends": ["a", "b"], "bandwidth_bytes_per_s": 1000000000}]},
        "tasks": [
            {"id": "send", "kind": "transfer", "start_ns": 10, "end_ns": 30, "preds": ["work"],
             "uses": [{"link": "ab", "direction": "forward", "bytes": 20}]},
            {"id": "work", "kind": "compute", "start_ns": 0, "end_ns": 10, "devices": ["a"], "colour": "red"},
            {"id": 7, "kind": "idle-marker", "name": "waits", "start_ns": 0, "end_ns": 30, "devices": ["a"]}],
        "link_use": [{"link": "ab", "direction": "forward", "segments": [[10, 30, 1e9]]}],
        "critical_path": ["work", "send"]})";
    const Result<ScheduleFile> read = readSchedule(text);
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QCOMPARE(read->schedule.graph->tasks[0].preds.front().value, 1);
    QVERIFY(read->schedule.graph->tasks[2].devices.empty());
    QCOMPARE(listing(validate(read->schedule, read->cluster)), QString());
}

void TestScheduleJson::refuses_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("where");
    const auto add = [](const char *name, const std::string &text, const char *where) {
        QTest::newRow(name) << text << QString(where);
    };
    const std::string text = exampleText();
    add("empty", "", "line 1, column 1");
    add("cut off", text.substr(0, text.size() / 2), "line");
    add("another format", changed("/format", "polyrail-plan"), "/format");
    add("newer version", changed("/version", 2), "/version");
    add("no cluster", R"({"format":"polyrail-schedule","version":1})", "/cluster");
    add("unknown device", changed("/tasks/0/devices/0", "gpu9"), "/tasks/0/devices/0");
    add("unknown link", changed("/tasks/1/uses/0/link", "l9"), "/tasks/1/uses/0/link");
    add("unknown pred", changed("/tasks/1/preds/0", 99), "/tasks/1/preds/0");
    add("id twice", changed("/tasks/1/id", 0), "/tasks/1/id");
    add("unknown kind", changed("/tasks/1/kind", "sleep"), "/tasks/1/kind");
    add("unknown direction", changed("/tasks/1/uses/0/direction", "up"), "/tasks/1/uses/0/direction");
    add("negative time", changed("/tasks/2/start_ns", -4), "/tasks/2/start_ns");
    add("time with a fraction", changed("/tasks/2/start_ns", 1.5), "/tasks/2/start_ns");
    add("negative bytes", changed("/tasks/1/uses/0/bytes", -1), "/tasks/1/uses/0/bytes");
    add("short segment", changed("/link_use/0/segments/0", json({1, 2})), "/link_use/0/segments/0");
    add("unknown task in the path", changed("/critical_path/0", "x"), "/critical_path/0");
    add("unknown end", changed("/cluster/links/0/ends/1", "gpu9"), "/cluster/links/0/ends/1");
    add("no bandwidth", changed("/cluster/links/0/bandwidth_bytes_per_s", 0), "/cluster/links/0/bandwidth");
    add("unknown member of a conflict", changed("/cluster/conflicts/0/links/0", "l9"), "/cluster/conflicts/0/links/0");
    add("tasks are no array", changed("/tasks", 3), "/tasks");
}

void TestScheduleJson::refuses()
{
    QFETCH(std::string, text);
    QFETCH(QString, where);
    const Result<ScheduleFile> read = readSchedule(text);
    QVERIFY(!read);
    QVERIFY2(QString::fromStdString(read.error().where).startsWith(where), read.error().message().c_str());
    QVERIFY(!read.error().found.empty() && !read.error().expected.empty());
}

void TestScheduleJson::brokenSchedulesAreReadAndFound_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("rule");
    QTest::newRow("makespan") << changed("/makespan_ns", 429) << "makespan";
    QTest::newRow("ends before it starts") << changed("/tasks/0/end_ns", 0) << "critical-path";
    QTest::newRow("starts too early") << changed("/tasks/3/start_ns", 100) << "precedence";
    QTest::newRow("rate") << changed("/link_use/0/segments/0/2", 2e10) << "link-rate";
    QTest::newRow("bytes") << changed("/tasks/1/uses/0/bytes", 1600) << "link-bytes";
    QTest::newRow("latency") << changed("/tasks/1/latency_ns", 1000) << "times";
    QTest::newRow("down") << changed("/cluster/links/0/state", "down") << "down-link";
    QTest::newRow("memory") << changed("/memory/0/steps/0/1", 1001) << "memory";
    QTest::newRow("path") << changed("/critical_path", json({0})) << "critical-path";
}

void TestScheduleJson::brokenSchedulesAreReadAndFound()
{
    QFETCH(std::string, text);
    QFETCH(QString, rule);
    const Result<ScheduleFile> read = readSchedule(text);
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QVERIFY2(listing(validate(read->schedule, read->cluster)).contains(rule + ":"),
             qPrintable(listing(validate(read->schedule, read->cluster))));
}

void TestScheduleJson::matchesTheSchema()
{
    const System system = randomSystem(17);
    const Result<Schedule> s = simulate(system.graph, Network(system.cluster));
    const std::optional<QStringList> found = schema::complaints(
        "schedule.schema.json",
        {exampleText(), writeSchedule(*s, system.cluster),
         // and the schema is not one that takes anything
         changed("/tasks/0/kind", "sleep"), changed("/tasks/1/uses/0/bytes", 1.5),
         changed("/link_use/0/segments/0", json({1, 2})), changed("/makespan_ns", -1)});
    if (!found)
        QSKIP("python3 with the jsonschema module is not installed");
    QCOMPARE(found->size(), 6);
    QCOMPARE(found->at(0), QString());
    QCOMPARE(found->at(1), QString());
    for (int k = 2; k < 6; ++k)
        QVERIFY2(!found->at(k).isEmpty(), qPrintable(QString::number(k)));
}

void TestScheduleJson::csv()
{
    const Cluster c = exampleNet().cluster();
    Graph g = example();
    g.graph().names[0] = "a, \"b\"";
    const QStringList lines = QString::fromStdString(exportCsv(run(g, c), c)).split('\n');
    QCOMPARE(lines.size(), 7); // header, five tasks, the end
    QCOMPARE(lines[0], QString("id,name,kind,role,stage,micro_batch,start_s,end_s,devices,links,bytes"));
    QCOMPARE(lines[1], QString("0,\"a, \"\"b\"\"\",compute,forward,2,5,0.000000000,0.000000100,gpu0,,"));
    QCOMPARE(lines[2], QString("1,t1,transfer,pipeline,,,0.000000100,0.000000300,,l0 forward,1500"));
    QCOMPARE(lines[4], QString("3,t3,compute,other,,,0.000000300,0.000000350,gpu1;gpu2,,"));
}

QTEST_GUILESS_MAIN(TestScheduleJson)
#include "tst_schedule_json.moc"
