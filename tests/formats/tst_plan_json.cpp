// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/builtin.hpp"
#include "core/formats/json_files.hpp"

#include "json_schema.hpp"
#include "tests/sim/small_net.hpp"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace small;
using nlohmann::json;

namespace {

/// Three hosts' worth of catalogue GPUs, so that the embedded cluster can be read back.
Cluster cluster()
{
    const char *text = R"({"format": "polyrail-cluster", "version": 1, "name": "lab",
        "devices": [{"id": "a0", "type": "A100-80GB-SXM"}, {"id": "a1", "type": "A100-80GB-SXM"},
                    {"id": "v0", "type": "V100-SXM2-32GB"}, {"id": "v1", "type": "V100-SXM2-32GB"}, {"id": "v2", "type": "V100-SXM2-32GB"}],
        "links": [{"id": "x", "ends": ["a0", "v0"], "kind": "network", "bandwidth": "10 GB/s", "latency": "2 us"},
                  {"id": "y", "ends": ["a1", "v1"], "kind": "network", "bandwidth": "10 GB/s", "latency": "2 us"}]})";
    Result<Cluster> read = readCluster(text, builtinCatalogue());
    if (!read)
        throw std::runtime_error(read.error().message());
    return *read;
}

/// Two stages; the second has a tensor pair and a single GPU with unequal shares.
PlanFile example()
{
    PlanFile file;
    file.job.model = modelPresets().front();
    file.job.globalBatch = 24;
    file.job.sequence = 2048;
    file.job.maxMicroBatch = 2;
    file.job.precision = Precision::Fp16;
    file.job.sharding = Sharding::Zero2;
    file.job.flashAttention = false;
    file.status = SearchStatus::TimeLimit;
    file.objectiveSeconds = 1.0 / 3;
    file.boundSeconds = 0.3;
    file.gap = 0.1;
    file.plan.microBatch = 3;
    file.plan.microBatches = 8;
    file.plan.schedule = PipelineSchedule::GPipe;
    file.plan.recompute = Recompute::Selective;
    Stage first;
    first.firstLayer = 0;
    first.lastLayer = 4;
    first.replicas = {{{DeviceId(1), DeviceId(0)}, 3}};
    Stage second;
    second.firstLayer = 5;
    second.lastLayer = file.job.model.layers - 1;
    second.replicas = {{{DeviceId(2), DeviceId(4)}, 2}, {{DeviceId(3)}, 1}};
    file.plan.stages = {first, second};
    return file;
}

json document(const Schedule *schedule = nullptr)
{
    return json::parse(writePlan(example(), cluster(), schedule));
}

std::string changed(const char *pointer, const json &value)
{
    json root = document();
    root[json::json_pointer(pointer)] = value;
    return root.dump();
}

std::string without(const char *parent, const char *key)
{
    json root = document();
    root[json::json_pointer(parent)].erase(key);
    return root.dump();
}

} // namespace

class TestPlanJson : public QObject
{
    Q_OBJECT

private slots:
    void hasTheFieldsOfTheContract();
    void roundTrip();
    void everyPresetSurvives();
    void everyFieldOfAModelSurvives();
    void clusterComesBack();
    void routesOfASchedule();
    void readsOtherPrograms();
    void noPlanYet();
    void refuses_data();
    void refuses();
    void matchesTheSchema();
};

void TestPlanJson::hasTheFieldsOfTheContract()
{
    const std::string text = writePlan(example(), cluster());
    QVERIFY(text.find("\"format\"") < text.find("\"version\"") && text.find("\"version\"") < text.find("\"cluster\""));
    QCOMPARE(text.back(), '\n');
    const json root = json::parse(text);
    QCOMPARE(root["format"], "polyrail-plan");
    QCOMPARE(root["version"], 1);
    QCOMPARE(root["cluster"]["name"], "lab");
    QCOMPARE(root["cluster"]["digest"].get<std::string>(), cluster().digest());
    QCOMPARE(root["workload"]["name"].get<std::string>(), modelPresets().front().name);
    QCOMPARE(root["workload"]["digest"].get<std::string>(), example().job.digest());
    QCOMPARE(root["workload"]["global_batch"], 24);
    QCOMPARE(root["workload"]["micro_batch"], 3);
    QCOMPARE(root["workload"]["seq"], 2048);
    QCOMPARE(root["workload"]["precision"], "fp16");
    QCOMPARE(root["status"], "time-limit");
    QCOMPARE(root["objective_s"].get<double>(), 1.0 / 3);
    QCOMPARE(root["schedule"], "gpipe");
    QCOMPARE(root["recompute"], "selective");
    QCOMPARE(root["sharding"], "zero2");
    QCOMPARE(root["micro_batches"], 8);
    const json &stage = root["stages"][1];
    QCOMPARE(stage["devices"], json({"v0", "v2", "v1"}));
    QCOMPARE(stage["tensor"], 2);
    QCOMPARE(stage["tensor_groups"], json::parse(R"([["v0","v2"],["v1"]])"));
    QCOMPARE(stage["data"], 2);
    QCOMPARE(stage["context"], 1);
    QCOMPARE(stage["expert"], 1);
    QCOMPARE(stage["batch_shares"], json({2, 1}));
    QVERIFY(!root.contains("routes")); // unknown without a schedule
}

void TestPlanJson::roundTrip()
{
    const PlanFile file = example();
    const std::string text = writePlan(file, cluster());
    const Result<PlanFile> read = readPlan(text, cluster());
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QVERIFY(read->plan == file.plan);
    QCOMPARE(read->clusterName, std::string("lab"));
    QCOMPARE(read->clusterDigest, cluster().digest());
    QVERIFY(read->job.model == file.job.model);
    QCOMPARE(read->job.digest(), file.job.digest());
    QCOMPARE(read->job.maxMicroBatch, 2);
    QCOMPARE(read->job.sharding, Sharding::Zero2);
    QCOMPARE(read->status, file.status);
    QCOMPARE(read->objectiveSeconds, file.objectiveSeconds);
    QCOMPARE(read->boundSeconds, file.boundSeconds);
    QCOMPARE(read->gap, file.gap);
    QCOMPARE(QString::fromStdString(writePlan(*read, cluster())), QString::fromStdString(text));
}

void TestPlanJson::everyPresetSurvives()
{
    QVERIFY(modelPresets().size() > 10);
    for (const ModelShape &shape : modelPresets()) {
        PlanFile file = example();
        file.job.model = shape;
        file.plan.stages.clear();
        const Result<PlanFile> read = readPlan(writePlan(file, cluster()), cluster());
        QVERIFY2(read, (shape.name + (read ? "" : read.error().message())).c_str());
        QVERIFY2(read->job.model == shape, shape.name.c_str());
    }
}

void TestPlanJson::everyFieldOfAModelSurvives()
{
    // A shape in which every field differs from its default. A new field breaks the line below, so that it
    // is not forgotten in the file.
    ModelShape s;
    auto &[name, layers, hidden, heads, kvHeads, headDim, ffn, gated, vocab, positions, tied, qkvBias, outputBias, mlpBias,
           headBias, hasHead, parallel, norms, normBias, queryKeyNorm, finalNorm, embeddingNorm, embeddingWidth, dropout,
           norm, position, experts, topK, expertFfn, shared, routerBias, firstDense, latent, extra, sequence, source,
           warnings]
        = s;
    int next = 100;
    for (int *number : {&layers, &hidden, &kvHeads, &headDim, &ffn, &vocab, &positions, &embeddingWidth, &expertFfn,
                        &shared, &firstDense, &sequence})
        *number = ++next;
    heads = 2 * kvHeads;
    experts = 64;
    topK = 7;
    for (bool *flag : {&gated, &tied, &qkvBias, &outputBias, &mlpBias, &headBias, &hasHead, &parallel, &normBias, &queryKeyNorm,
                       &finalNorm, &embeddingNorm, &dropout, &routerBias})
        *flag = !*flag;
    firstDense = norms = 3;
    norm = NormKind::LayerNorm;
    position = PositionKind::Learned;
    latent = LatentAttention{11, 12, 13, 14, 15};
    extra = std::int64_t(1) << 40;
    name = "odd \"model\"";
    source = "a paper";
    warnings = {"one", "two"};
    const Result<ModelShape> checked = checkShape(s);
    QVERIFY2(checked, checked ? "" : checked.error().message().c_str());
    PlanFile file = example();
    file.job.model = *checked;
    file.plan.stages.clear();
    const Result<PlanFile> read = readPlan(writePlan(file, cluster()), cluster());
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QVERIFY(read->job.model == *checked);
}

void TestPlanJson::clusterComesBack()
{
    const std::string text = writePlan(example(), cluster());
    const Result<Cluster> read = readPlanCluster(text, builtinCatalogue());
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QCOMPARE(read->digest(), cluster().digest());
    const Result<Cluster> none = readPlanCluster(without("/cluster", "file"), builtinCatalogue());
    QVERIFY(!none);
    QCOMPARE(none.error().where, std::string("/cluster/file"));
    const Result<Cluster> broken = readPlanCluster(changed("/cluster/file/links/1/ends/0", "zz"), builtinCatalogue());
    QVERIFY(!broken);
    QCOMPARE(broken.error().where, std::string("/cluster/file/links/1/ends/0"));
}

void TestPlanJson::routesOfASchedule()
{
    // Pipeline: 300 on x forward, 100 on y forward; gradients: 50 on y backward; no tensor traffic.
    Graph g;
    g.transfer({{0, 300}, {1, 50}});
    g.transfer({{1, 50}});
    g.transfer({{1, 50, bwd}});
    g.graph().tasks[0].role = g.graph().tasks[1].role = TaskRole::PipelineTraffic;
    g.graph().tasks[2].role = TaskRole::GradientTraffic;
    const Schedule s = run(g, cluster());
    const json root = document(&s);
    QCOMPARE(root["routes"]["pipeline"],
             json::parse(R"([{"link": "x", "direction": "forward", "bytes": 300, "share": 0.75},
                             {"link": "y", "direction": "forward", "bytes": 100, "share": 0.25}])"));
    QCOMPARE(root["routes"]["gradient"], json::parse(R"([{"link": "y", "direction": "backward", "bytes": 50, "share": 1.0}])"));
    QCOMPARE(root["routes"]["tensor"], json::array());
}

void TestPlanJson::readsOtherPrograms()
{
    // Only what a planner must say: groups from `tensor`, equal shares, micro-batches from the batch.
    const char *text = R"({"format": "polyrail-plan", "version": 1, "workload": {"name": "mine", "global_batch": 20, "micro_batch": 5},
        "stages": [{"layers": [0, 3], "devices": ["v0", "v1", "a0", "a1"], "tensor": 2, "data": 2}]})";
    const Result<PlanFile> read = readPlan(text, cluster());
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QCOMPARE(read->job.model.name, std::string("mine"));
    QCOMPARE(read->job.model.layers, 0);
    QCOMPARE(read->plan.microBatches, 4);
    const Stage &stage = read->plan.stages.front();
    QCOMPARE(stage.replicas.size(), 2u);
    QVERIFY(stage.replicas[0] == (Replica{{DeviceId(2), DeviceId(3)}, 3}));
    QVERIFY(stage.replicas[1] == (Replica{{DeviceId(0), DeviceId(1)}, 2}));
}

void TestPlanJson::noPlanYet()
{
    PlanFile file = example();
    file.plan.stages.clear();
    file.status = SearchStatus::Infeasible;
    file.objectiveSeconds = std::numeric_limits<double>::infinity();
    const std::string text = writePlan(file, cluster());
    QVERIFY(json::parse(text)["objective_s"].is_null());
    const Result<PlanFile> read = readPlan(text, cluster());
    QVERIFY(read);
    QCOMPARE(read->status, SearchStatus::Infeasible);
    QCOMPARE(read->objectiveSeconds, 0.0);
}

void TestPlanJson::refuses_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("where");
    const auto add = [](const char *name, const std::string &text, const char *where) {
        QTest::newRow(name) << text << QString(where);
    };
    add("cut off", writePlan(example(), cluster()).substr(0, 300), "line");
    add("another format", changed("/format", "polyrail-cluster"), "/format");
    add("no stages", without("", "stages"), "/stages");
    add("unknown device", changed("/stages/1/tensor_groups/0/1", "v9"), "/stages/1/tensor_groups/0/1");
    add("layers backwards", changed("/stages/0/layers", json({5, 4})), "/stages/0/layers/1");
    add("one layer number", changed("/stages/0/layers", json({5})), "/stages/0/layers");
    add("shares of another length", changed("/stages/1/batch_shares", json({3})), "/stages/1/batch_shares");
    add("negative share", changed("/stages/1/batch_shares/0", -1), "/stages/1/batch_shares/0");
    add("devices that are not in the groups", changed("/stages/1/devices/0", "a0"), "/stages/1/devices");
    add("data that does not fit", changed("/stages/1/data", 3), "/stages/1/data");
    add("context parallelism", changed("/stages/0/context", 2), "/stages/0/context");
    add("unknown status", changed("/status", "done"), "/status");
    add("unknown schedule", changed("/schedule", "zero-bubble"), "/schedule");
    add("unknown precision", changed("/workload/precision", "int4"), "/workload/precision");
    add("batch of nothing", changed("/workload/global_batch", 0), "/workload/global_batch");
    add("negative objective", changed("/objective_s", -1), "/objective_s");
    add("impossible model", changed("/workload/model/heads", 7), "/workload/model");
    add("model size as text", changed("/workload/model/hidden", "4096"), "/workload/model/hidden");
    add("unknown norm", changed("/workload/model/norm", "batch"), "/workload/model/norm");
}

void TestPlanJson::refuses()
{
    QFETCH(std::string, text);
    QFETCH(QString, where);
    const Result<PlanFile> read = readPlan(text, cluster());
    QVERIFY(!read);
    QVERIFY2(QString::fromStdString(read.error().where).startsWith(where), read.error().message().c_str());
    QVERIFY(!read.error().found.empty() && !read.error().expected.empty());
}

void TestPlanJson::matchesTheSchema()
{
    Graph g;
    g.transfer({{0, 300}});
    g.graph().tasks[0].role = TaskRole::PipelineTraffic;
    const Schedule s = run(g, cluster());
    const std::optional<QStringList> found = schema::complaints(
        "plan.schema.json",
        {document(&s).dump(), document().dump(),
         // and the schema is not one that takes anything
         changed("/stages/0/layers", json({1})), changed("/status", "done"), changed("/workload/model/heads", "8"),
         without("", "stages")});
    if (!found)
        QSKIP("python3 with the jsonschema module is not installed");
    QCOMPARE(found->size(), 6);
    QCOMPARE(found->at(0), QString());
    QCOMPARE(found->at(1), QString());
    for (int k = 2; k < 6; ++k)
        QVERIFY2(!found->at(k).isEmpty(), qPrintable(QString::number(k)));
}

QTEST_GUILESS_MAIN(TestPlanJson)
#include "tst_plan_json.moc"
