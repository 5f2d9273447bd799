// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/transformer.hpp"
#include "tests/workload/shapes.hpp"

#include <QtTest>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

using namespace polyrail;

namespace {

/// a -> b -> c, two of them products.
OperatorGraph chain()
{
    OperatorGraph g;
    g.name = "chain";
    g.models = {{"m", 1}};
    for (const char *id : {"a", "b", "c"}) {
        Operator op;
        op.id = id;
        op.model = "m";
        op.kind = OperatorKind::Matmul;
        op.dims = {{"batch", 1}, {"m", 64}, {"n", 64}, {"k", 64}};
        op.flops = 2 * 64 * 64 * 64;
        g.operators.push_back(op);
    }
    g.tensors = {{0, 1, 8192}, {1, 2, 8192}};
    return g;
}

using Change = std::function<void(OperatorGraph &)>;

int indexOf(const OperatorGraph &g, const std::string &id)
{
    for (std::size_t i = 0; i < g.operators.size(); ++i)
        if (g.operators[i].id == id)
            return static_cast<int>(i);
    return -1;
}

bool connected(const OperatorGraph &g, const std::string &from, const std::string &to)
{
    const int a = indexOf(g, from), b = indexOf(g, to);
    return a >= 0 && b >= 0
        && std::any_of(g.tensors.begin(), g.tensors.end(), [&](const Tensor &t) { return t.from == a && t.to == b; });
}

} // namespace

Q_DECLARE_METATYPE(Change)

class tst_operator_graph : public QObject
{
    Q_OBJECT
private slots:
    void acceptsAChain();
    void refuses_data();
    void refuses();
    void namesACycle();
    void shortensALongCycle();
    void largeGraph();
    void buildsTheWholeModel_data();
    void buildsTheWholeModel();
    void buildsTensorsAndSplits();
};

void tst_operator_graph::acceptsAChain()
{
    QVERIFY(checkGraph(chain()));
    OperatorGraph unnamed = chain(); // a file without models: one of weight 1
    unnamed.models.clear();
    for (Operator &op : unnamed.operators)
        op.model.clear();
    QVERIFY(checkGraph(unnamed));
}

void tst_operator_graph::refuses_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("where");
    const auto row = [](const char *name, Change change, const char *where) {
        QTest::newRow(name) << change << QString(where);
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    row("empty", [](OperatorGraph &g) { g.operators.clear(); g.tensors.clear(); }, "/operators");
    row("twice", [](OperatorGraph &g) { g.operators[2].id = "a"; }, "/operators/2/id");
    row("nameless", [](OperatorGraph &g) { g.operators[1].id.clear(); }, "/operators/1/id");
    row("unknown model", [](OperatorGraph &g) { g.operators[1].model = "x"; }, "/operators/1/model");
    row("model twice", [](OperatorGraph &g) { g.models.push_back({"m", 2}); }, "/models/1/id");
    row("model weight", [](OperatorGraph &g) { g.models[0].weight = 0; }, "/models/0/weight");
    row("model weight nan", [=](OperatorGraph &g) { g.models[0].weight = nan; }, "/models/0/weight");
    row("flops nan", [=](OperatorGraph &g) { g.operators[0].flops = nan; }, "/operators/0/flops");
    row("bytes infinite", [=](OperatorGraph &g) { g.operators[0].bytes = infinity; }, "/operators/0/bytes");
    row("parameters negative", [](OperatorGraph &g) { g.operators[0].parameterBytes = -1; },
        "/operators/0/parameter_bytes");
    row("output nan", [=](OperatorGraph &g) { g.operators[0].outputBytes = nan; }, "/operators/0/output_bytes");
    row("dim zero", [](OperatorGraph &g) { g.operators[0].dims["m"] = 0; }, "/operators/0/dims/m");
    row("custom without time", [](OperatorGraph &g) {
        g.operators[0].kind = OperatorKind::Custom;
        g.operators[0].flops = 0;
    }, "/operators/0/times");
    row("time nan", [=](OperatorGraph &g) { g.operators[0].timesSeconds["V100"] = nan; }, "/operators/0/times/V100");
    row("split of nothing", [](OperatorGraph &g) { g.operators[1].splits.push_back({"heads"}); },
        "/operators/1/splits/0/dimension");
    row("granule", [](OperatorGraph &g) { g.operators[1].splits.push_back({"m", 65}); },
        "/operators/1/splits/0/granule");
    row("from outside", [](OperatorGraph &g) { g.tensors[1].from = 3; }, "/tensors/1/from");
    row("to outside", [](OperatorGraph &g) { g.tensors[1].to = -1; }, "/tensors/1/to");
    row("tensor nan", [=](OperatorGraph &g) { g.tensors[0].bytes = nan; }, "/tensors/0/bytes");
    row("to itself", [](OperatorGraph &g) { g.tensors[0].to = 0; }, "/tensors/0");
    row("cycle", [](OperatorGraph &g) { g.tensors.push_back({2, 0, 1}); }, "/tensors");
}

void tst_operator_graph::refuses()
{
    QFETCH(Change, change);
    QFETCH(QString, where);
    OperatorGraph g = chain();
    change(g);
    const auto checked = checkGraph(g);
    QVERIFY(!checked);
    QCOMPARE(QString::fromStdString(checked.error().where), where);
    QVERIFY(!checked.error().expected.empty());
}

void tst_operator_graph::namesACycle()
{
    OperatorGraph g = chain();
    for (const char *id : {"before", "after"}) { // neither is part of the cycle, "after" waits for it
        g.operators.push_back(g.operators[0]);
        g.operators.back().id = id;
    }
    g.tensors.push_back({2, 1, 1}); // b -> c -> b
    g.tensors.push_back({3, 0, 1});
    g.tensors.push_back({2, 4, 1});
    const auto checked = checkGraph(g);
    QVERIFY(!checked);
    const QString found = QString::fromStdString(checked.error().found);
    QVERIFY2(found == "a cycle: b -> c -> b" || found == "a cycle: c -> b -> c", qPrintable(found));
}

void tst_operator_graph::shortensALongCycle()
{
    OperatorGraph g = chain();
    for (int i = 3; i < 500; ++i) {
        g.operators.push_back(g.operators[0]);
        g.operators.back().id = "op" + std::to_string(i);
        g.tensors.push_back({i - 1, i, 1});
    }
    g.tensors.push_back({499, 0, 1});
    const auto checked = checkGraph(g);
    QVERIFY(!checked);
    QVERIFY(checked.error().found.size() < 300);
    QVERIFY(checked.error().found.find("(500 operators)") != std::string::npos);
}

void tst_operator_graph::largeGraph()
{
    // 10 000 operators in 100 columns, each fed by three of the row before.
    OperatorGraph g = chain();
    g.operators.clear();
    g.tensors.clear();
    Operator op = chain().operators[0];
    for (int i = 0; i < 10000; ++i) {
        op.id = "op" + std::to_string(i);
        g.operators.push_back(op);
        for (int d = 99; d <= 101 && i >= 101; ++d)
            g.tensors.push_back({i - d, i, 64});
    }
    QVERIFY(checkGraph(g));
    g.tensors.push_back({9999, 200, 64});
    QVERIFY(!checkGraph(g));
}

void tst_operator_graph::buildsTheWholeModel_data()
{
    QTest::addColumn<int>("which");
    QTest::newRow("dense") << 0;
    QTest::newRow("learned positions, tied") << 1;
    QTest::newRow("experts") << 2;
    QTest::newRow("latent attention and shared experts") << 3;
    QTest::newRow("parallel residual, no head") << 4;
    QTest::newRow("four norms, head norms, extra parameters") << 5;
}

void tst_operator_graph::buildsTheWholeModel()
{
    QFETCH(int, which);
    ModelShape sixth = shapes::llama7b();
    sixth.normsPerLayer = 4;
    sixth.queryKeyNorm = true;
    sixth.extraParametersPerLayer = 1 << 20;
    const ModelShape shape[] = {shapes::llama7b(),    shapes::gpt3(), shapes::mixtral(),
                                shapes::deepseekV3(), shapes::tiny(), sixth};
    ModelShape s = shape[which];
    s.layers = 5; // with three dense layers first where there are any
    const TrainingJob job = shapes::job(s, 512);
    const auto built = checkGraph(buildOperatorGraph(job));
    QVERIFY2(built, built ? "" : built.error().message().c_str());

    // One start, and every operator is reached from it.
    std::vector<int> in(built->operators.size(), 0), out(built->operators.size(), 0);
    for (const Tensor &t : built->tensors) {
        ++out[static_cast<std::size_t>(t.from)];
        ++in[static_cast<std::size_t>(t.to)];
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
        const Operator &op = built->operators[i];
        QVERIFY2(in[i] > 0 || op.id == "embedding", op.id.c_str());
        // Only weight gradients and the last gradient are used by nobody.
        const bool end = op.id.find(".dw") != std::string::npos || op.id == "embedding.d";
        QVERIFY2(out[i] > 0 || end, op.id.c_str());
        QVERIFY2(!op.splits.empty(), op.id.c_str());
    }

    // The graph is the layers and nothing else: its FLOPs are theirs.
    double expected = 0, sum = 0;
    const auto add = [&](const std::vector<Operator> &ops) {
        for (const Operator &op : ops)
            expected += op.flops;
        for (const Operator &op : backwardOf(ops, job.flashAttention))
            expected += op.flops;
    };
    add(embeddingForward(job, {}));
    for (int layer = 0; layer < s.layers; ++layer)
        add(layerForward(job, s.isExpertLayer(layer) ? LayerKind::Expert : LayerKind::Dense, {}));
    add(headForward(job, {}));
    for (const Operator &op : built->operators)
        sum += op.flops;
    QVERIFY(std::abs(sum / expected - 1) < 1e-12);
}

void tst_operator_graph::buildsTensorsAndSplits()
{
    ModelShape s = shapes::mixtral();
    s.layers = 2;
    s.experts = s.topK = 0;
    TrainingJob job = shapes::job(s, 1024);
    job.maxMicroBatch = 2;
    const OperatorGraph g = buildOperatorGraph(job);
    QCOMPARE(g.models.front().weight, 1.0);
    QVERIFY(connected(g, "embedding", "layer0.norm1"));
    QVERIFY(connected(g, "embedding", "layer0.residual1"));
    QVERIFY(connected(g, "layer0.qkv", "layer0.attention"));      // v
    QVERIFY(connected(g, "layer0.rotary", "layer0.attention"));   // q and k
    QVERIFY(connected(g, "layer0.residual2", "layer1.norm1"));
    QVERIFY(connected(g, "layer1.residual2", "final_norm"));
    QVERIFY(connected(g, "loss", "loss.d"));
    QVERIFY(connected(g, "layer0.proj.dx", "layer0.attention.d")); // gradients run back
    QVERIFY(connected(g, "layer1.qkv.dx", "layer1.norm1.d"));
    QVERIFY(connected(g, "layer0.rotary.d", "layer0.qkv.dw"));
    QVERIFY(connected(g, "layer0.norm1", "layer0.qkv.dw"));        // kept since the forward pass
    QVERIFY(!connected(g, "layer0.norm1", "layer0.qkv.dx"));       // a product's input gradient needs weights only
    QVERIFY(!connected(g, "layer0.proj", "layer0.residual1.d"));   // a sum keeps nothing

    // Two samples of 1024 tokens, 4096 wide, two bytes: 16 MiB between layers.
    for (const Tensor &t : g.tensors)
        if (t.from == indexOf(g, "layer0.residual2") && t.to == indexOf(g, "layer1.norm1"))
            QCOMPARE(t.bytes, 2.0 * 1024 * 4096 * 2);

    // A key/value group is 4 query heads, one key and one value of 128 columns.
    const auto rule = [&](const std::string &id, const std::string &dim) {
        for (const SplitRule &r : g.operators[static_cast<std::size_t>(indexOf(g, id))].splits)
            if (r.dimension == dim)
                return r;
        return SplitRule{"none", -1};
    };
    QCOMPARE(rule("layer0.qkv", "n").granule, 768);
    QVERIFY(rule("layer0.qkv", "n").forward == Recombination::Concat);
    QVERIFY(rule("layer0.qkv", "n").backward == Recombination::AllReduce);
    QCOMPARE(rule("layer0.proj", "k").granule, 128);
    QVERIFY(rule("layer0.proj", "k").forward == Recombination::AllReduce);
    QCOMPARE(rule("layer0.attention", "heads").granule, 4);
    QCOMPARE(rule("layer0.mlp_up", "n").granule, 2);
    QVERIFY(rule("embedding", "vocab").forward == Recombination::AllReduce);
    QCOMPARE(rule("layer0.norm1", "tokens").granule, 1);
}

QTEST_GUILESS_MAIN(tst_operator_graph)
#include "tst_operator_graph.moc"
