// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_files.hpp"
#include "core/workload/transformer.hpp"
#include "tests/workload/shapes.hpp"

#include <QtTest>
#include <string>

using namespace polyrail;

namespace {

/// Two models, every kind of operator, times in units.
const char *const sample = R"({
  "format": "polyrail-graph", "version": 1, "name": "two models",
  "models": [{"id": "big", "weight": 2.5}, {"id": "small"}],
  "operators": [
    {"id": "embed", "model": "big", "kind": "embedding", "dims": {"tokens": 128, "vocab": 1000}, "bytes": 65536,
     "parameter_bytes": 512000, "output_bytes": 65536, "splits": ["vocab"]},
    {"id": "product", "model": "big", "kind": "matmul", "dims": {"m": 128, "n": 512, "k": 256}, "output_bytes": 131072,
     "splits": ["m", "k", {"dimension": "n", "granule": 64, "forward": "concat", "backward": "all-reduce"}]},
    {"id": "core", "model": "big", "kind": "attention",
     "dims": {"batch": 2, "heads": 8, "kv_heads": 2, "head_dim": 64, "seq": 64}},
    {"id": "norm", "model": "big", "kind": "norm", "output_bytes": 1000},
    {"id": "add", "model": "big", "kind": "elementwise", "dims": {"tokens": 10, "width": 3}, "backward": true},
    {"id": "own", "model": "small", "kind": "custom", "times": {"V100-16GB": "1.5 ms", "gpu0": "800 us"}}
  ],
  "tensors": [
    {"from": "embed", "to": "product"},
    {"from": "product", "to": "core", "bytes": 4096},
    {"from": "core", "to": "norm", "bytes": 0},
    {"from": "norm", "to": "add"}
  ]
})";

QString graph(const QString &operators, const QString &tensors = "[]")
{
    return QString(R"({"format": "polyrail-graph", "version": 1, "models": [{"id": "m"}], "operators": %1, "tensors": %2})")
        .arg(operators, tensors);
}

QString matmul(const QString &id, const QString &more = {})
{
    return QString(R"({"id": "%1", "model": "m", "kind": "matmul", "dims": {"m": 8, "n": 8, "k": 8}%2})").arg(id, more);
}

} // namespace

class tst_graph_json : public QObject
{
    Q_OBJECT
private slots:
    void readsWhatPeopleWrite();
    void derivesCosts();
    void oneModelNeedsNoName();
    void writesWhatItReads();
    void roundTripsAWholeModel();
    void refuses_data();
    void refuses();
    void suggestsTheOperatorMeant();
    void largeFile();
};

void tst_graph_json::readsWhatPeopleWrite()
{
    const auto read = readOperatorGraph(sample);
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QCOMPARE(read->name, std::string("two models"));
    QCOMPARE(read->models.size(), std::size_t(2));
    QCOMPARE(read->models[0].weight, 2.5);
    QCOMPARE(read->models[1].weight, 1.0);
    QCOMPARE(read->operators.size(), std::size_t(6));
    const Operator &product = read->operators[1];
    QCOMPARE(product.kind, OperatorKind::Matmul);
    QCOMPARE(product.dims.at("n"), std::int64_t(512));
    QCOMPARE(product.splits.size(), std::size_t(3));
    QVERIFY((product.splits[1] == SplitRule{"k", 1, Recombination::AllReduce, Recombination::Concat}));
    QVERIFY((product.splits[2] == SplitRule{"n", 64, Recombination::Concat, Recombination::AllReduce}));
    QVERIFY(read->operators[0].splits[0].forward == Recombination::AllReduce);
    QVERIFY(read->operators[4].backward);
    QCOMPARE(read->operators[5].timesSeconds.at("V100-16GB"), 1.5e-3);
    QCOMPARE(read->operators[5].timesSeconds.at("gpu0"), 800e-6);
    QCOMPARE(read->tensors[0].bytes, 65536.0); // output_bytes of its operator
    QCOMPARE(read->tensors[1].from, 1);
    QCOMPARE(read->tensors[1].to, 2);
    QCOMPARE(read->tensors[2].bytes, 0.0);
}

void tst_graph_json::derivesCosts()
{
    const auto read = readOperatorGraph(sample);
    QVERIFY(read);
    // 2 x 128 x 512 x 256; (128 x 256 + 256 x 512 + 128 x 512) elements of two bytes.
    QCOMPARE(read->operators[1].flops, 33554432.0);
    QCOMPARE(read->operators[1].bytes, 2.0 * (32768 + 131072 + 65536));
    // Two products over 2 x 8 x 64 x 64 scores of width 64: 4 x 65536 x 64. q and the result 8 heads, k and v 2 heads.
    QCOMPARE(read->operators[2].flops, 16777216.0);
    QCOMPARE(read->operators[2].bytes, 2.0 * 2 * 2 * 64 * (8 * 64 + 2 * 64));
    QCOMPARE(read->operators[3].bytes, 2000.0);
    QCOMPARE(read->operators[4].bytes, 2.0 * 2 * 10 * 3);
}

void tst_graph_json::oneModelNeedsNoName()
{
    const auto read = readOperatorGraph(
        R"({"format": "polyrail-graph", "version": 1, "operators": [{"id": "a", "kind": "norm", "bytes": 8}]})");
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QVERIFY(read->models.empty());
    const auto one = readOperatorGraph(R"({"format": "polyrail-graph", "version": 1, "models": [{"id": "x"}],
                                           "operators": [{"id": "a", "kind": "norm", "bytes": 8}]})");
    QVERIFY(one);
    QCOMPARE(one->operators[0].model, std::string("x"));
}

void tst_graph_json::writesWhatItReads()
{
    const auto first = readOperatorGraph(sample);
    QVERIFY(first);
    const std::string text = writeOperatorGraph(*first);
    QVERIFY(text.rfind("{\n  \"format\": \"polyrail-graph\",\n  \"version\": 1,", 0) == 0);
    QCOMPARE(text.back(), '\n');
    const auto second = readOperatorGraph(text);
    QVERIFY2(second, second ? "" : second.error().message().c_str());
    QCOMPARE(writeOperatorGraph(*second), text);
    QCOMPARE(second->operators.size(), first->operators.size());
    for (std::size_t i = 0; i < first->operators.size(); ++i) {
        const Operator &a = first->operators[i], &b = second->operators[i];
        QCOMPARE(b.id, a.id);
        QCOMPARE(b.model, a.model);
        QCOMPARE(b.kind, a.kind);
        QCOMPARE(b.dims, a.dims);
        QCOMPARE(b.flops, a.flops);
        QCOMPARE(b.bytes, a.bytes);
        QCOMPARE(b.parameterBytes, a.parameterBytes);
        QCOMPARE(b.outputBytes, a.outputBytes);
        QCOMPARE(b.backward, a.backward);
        QVERIFY(b.splits == a.splits);
        QVERIFY(b.timesSeconds == a.timesSeconds); // to the last bit
    }
    QCOMPARE(second->models[0].weight, 2.5);
}

void tst_graph_json::roundTripsAWholeModel()
{
    ModelShape shape = shapes::deepseekV3();
    shape.layers = 4;
    shape.name = "caf\xc3\xa9 \"quoted\"";
    const OperatorGraph built = buildOperatorGraph(shapes::job(shape, 256));
    const auto read = readOperatorGraph(writeOperatorGraph(built));
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QCOMPARE(read->name, shape.name);
    QCOMPARE(read->operators.size(), built.operators.size());
    QCOMPARE(read->tensors.size(), built.tensors.size());
    for (std::size_t i = 0; i < built.operators.size(); ++i)
        QCOMPARE(read->operators[i].flops, built.operators[i].flops);
}

void tst_graph_json::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("where");
    QTest::newRow("empty") << "" << "line 1";
    QTest::newRow("cut off") << QString(sample).left(300) << "line ";
    QTest::newRow("list") << "[]" << "";
    QTest::newRow("format") << R"({"format": "polyrail-cluster", "version": 1})" << "/format";
    QTest::newRow("version") << R"({"format": "polyrail-graph", "version": 2})" << "/version";
    QTest::newRow("no operators") << R"({"format": "polyrail-graph", "version": 1})" << "/operators";
    QTest::newRow("empty operators") << graph("[]") << "/operators";
    QTest::newRow("operators an object") << graph("{}") << "/operators";
    QTest::newRow("operator a number") << graph("[1]") << "/operators/0";
    QTest::newRow("no id") << graph(R"([{"kind": "norm", "bytes": 1}])") << "/operators/0/id";
    QTest::newRow("kind") << graph(R"([{"id": "a", "kind": "conv", "bytes": 1}])") << "/operators/0/kind";
    QTest::newRow("misspelt key") << graph("[" + matmul("a", ", \"flosp\": 1") + "]") << "/operators/0/flosp";
    QTest::newRow("same key twice") << graph("[" + matmul("a", ", \"flops\": 1, \"flops\": 2") + "]")
                                    << "/operators/0/flops";
    QTest::newRow("bare NaN") << graph("[" + matmul("a", ", \"flops\": NaN") + "]") << "line 1";
    QTest::newRow("null for a number") << graph("[" + matmul("a", ", \"flops\": null") + "]") << "/operators/0/flops";
    QTest::newRow("too large a number") << graph("[" + matmul("a", ", \"flops\": 1e999") + "]") << "";
    QTest::newRow("negative") << graph("[" + matmul("a", ", \"bytes\": -4") + "]") << "/operators/0/bytes";
    QTest::newRow("text for a number") << graph("[" + matmul("a", ", \"bytes\": \"4\"") + "]") << "/operators/0/bytes";
    QTest::newRow("dim zero") << graph(R"([{"id": "a", "kind": "matmul", "dims": {"m": 0, "n": 1, "k": 1}}])")
                              << "/operators/0/dims/m";
    QTest::newRow("dim fraction") << graph(R"([{"id": "a", "kind": "matmul", "dims": {"m": 1.5, "n": 1, "k": 1}}])")
                                  << "/operators/0/dims/m";
    QTest::newRow("dim missing") << graph(R"([{"id": "a", "kind": "matmul", "dims": {"m": 1, "n": 1}}])")
                                 << "/operators/0/dims/k";
    QTest::newRow("dims missing") << graph(R"([{"id": "a", "kind": "matmul", "flops": 5}])") << "/operators/0/dims/m";
    QTest::newRow("norm without size") << graph(R"([{"id": "a", "kind": "norm"}])") << "/operators/0/bytes";
    QTest::newRow("custom without time") << graph(R"([{"id": "a", "kind": "custom"}])") << "/operators/0/times";
    QTest::newRow("time without unit") << graph(R"([{"id": "a", "kind": "custom", "times": {"x/y": 3}}])")
                                       << "/operators/0/times/x~1y";
    QTest::newRow("time negative") << graph(R"([{"id": "a", "kind": "custom", "times": {"x": "-3 ms"}}])")
                                   << "/operators/0/times/x";
    QTest::newRow("split") << graph("[" + matmul("a", ", \"splits\": [\"h\"]") + "]") << "/operators/0/splits/0/dimension";
    QTest::newRow("granule") << graph("[" + matmul("a", ", \"splits\": [{\"dimension\": \"m\", \"granule\": 9}]") + "]")
                             << "/operators/0/splits/0/granule";
    QTest::newRow("recombination")
        << graph("[" + matmul("a", ", \"splits\": [{\"dimension\": \"m\", \"forward\": \"sum\"}]") + "]")
        << "/operators/0/splits/0/forward";
    QTest::newRow("model") << graph("[" + matmul("a").replace("\"m\", \"kind", "\"q\", \"kind") + "]")
                           << "/operators/0/model";
    QTest::newRow("weight") << graph("[]").replace("\"m\"}", "\"m\", \"weight\": \"two\"}") << "/models/0/weight";
    QTest::newRow("id twice") << graph("[" + matmul("a") + "," + matmul("b") + "," + matmul("a") + "]")
                              << "/operators/2/id";
    QTest::newRow("unknown end") << graph("[" + matmul("a") + "]", R"([{"from": "a", "to": "z", "bytes": 1}])")
                                 << "/tensors/0/to";
    QTest::newRow("end a number") << graph("[" + matmul("a") + "]", R"([{"from": 0, "to": "a", "bytes": 1}])")
                                  << "/tensors/0/from";
    QTest::newRow("tensor without size") << graph("[" + matmul("a") + "," + matmul("b") + "]",
                                                  R"([{"from": "a", "to": "b"}])") << "/tensors/0/bytes";
    QTest::newRow("itself") << graph("[" + matmul("a") + "]", R"([{"from": "a", "to": "a", "bytes": 1}])")
                            << "/tensors/0";
    QTest::newRow("cycle") << graph("[" + matmul("a") + "," + matmul("b") + "]",
                                    R"([{"from": "a", "to": "b", "bytes": 1}, {"from": "b", "to": "a", "bytes": 1}])")
                           << "/tensors";
    QTest::newRow("deep") << QString("[").repeated(100000) << "line 1";
}

void tst_graph_json::refuses()
{
    QFETCH(QString, text);
    QFETCH(QString, where);
    const auto read = readOperatorGraph(text.toStdString());
    QVERIFY(!read);
    const QString at = QString::fromStdString(read.error().where);
    QVERIFY2(where.startsWith('/') ? at == where : at.startsWith(where), read.error().message().c_str());
    QVERIFY(read.error().kind == ErrorKind::Input);
    QVERIFY(!read.error().found.empty());
    QVERIFY(!read.error().expected.empty());
}

void tst_graph_json::suggestsTheOperatorMeant()
{
    const auto read = readOperatorGraph(
        graph("[" + matmul("product") + "," + matmul("b") + "]", R"([{"from": "prodcut", "to": "b", "bytes": 1}])")
            .toStdString());
    QVERIFY(!read);
    QVERIFY2(read.error().remedy.find("\"product\"") != std::string::npos, read.error().message().c_str());
}

void tst_graph_json::largeFile()
{
    // 10 000 operators and 20 000 tensors.
    OperatorGraph g;
    g.models = {{"m", 1}};
    Operator op;
    op.model = "m";
    op.kind = OperatorKind::Matmul;
    op.dims = {{"m", 64}, {"n", 64}, {"k", 64}};
    for (int i = 0; i < 10000; ++i) {
        op.id = "operator number " + std::to_string(i);
        g.operators.push_back(op);
        for (int back : {1, 7})
            if (i >= back)
                g.tensors.push_back({i - back, i, 8192});
    }
    const auto read = readOperatorGraph(writeOperatorGraph(g));
    QVERIFY2(read, read ? "" : read.error().message().c_str());
    QCOMPARE(read->operators.size(), std::size_t(10000));
    QCOMPARE(read->tensors.size(), g.tensors.size());
    QCOMPARE(read->tensors.back().from, 9992);
}

QTEST_GUILESS_MAIN(tst_graph_json)
#include "tst_graph_json.moc"
