// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/builtin.hpp"
#include "core/formats/json_files.hpp"

#include <QtTest>

#include <string>

using namespace polyrail;

namespace {

/// A small cluster that uses every field; the tests replace parts of its text.
const std::string good = R"({
    "format": "polyrail-cluster",
    "version": 1,
    "name": "both \u0022quoted\u0022 and ünïcode",
    "notes": "line one\nline two",
    "hosts": [
        {"id": "h0", "name": "first"},
        {"id": "h1"}
    ],
    "devices": [
        {"id": "g0", "type": "A100", "host": "h0"},
        {"id": "g1", "type": "rtx4090d", "host": "h1", "overrides": {"memory": "48 GiB", "memory_bandwidth": "1.1 TB/s", "peak": {"bf16": "150.25 TFLOP/s", "fp8": null}}},
        {"id": "g2", "type": "T4"}
    ],
    "hubs": [
        {"id": "n0", "kind": "nic", "host": "h0"},
        {"id": "s", "kind": "switch"}
    ],
    "links": [
        {"id": "l0", "ends": ["g0", "n0"], "kind": "pcie", "bandwidth": "31.5 GB/s", "latency": "500 ns"},
        {"id": "l1", "ends": ["n0", "s"], "kind": "network", "bandwidth": "100 Gb/s", "latency": "1.5 us"},
        {"id": "l2", "ends": ["g1", "s"], "kind": "network", "bandwidth": "25 Gb/s", "latency": "10 us", "duplex": "half"},
        {"id": "l3", "ends": ["g1", "s"], "kind": "other", "bandwidth": "26.5625 GB/s", "latency": "0 ns", "state": "down"}
    ],
    "conflicts": [
        {"id": "c0", "kind": "capacity", "links": ["l1", "l2"], "capacity": "100 Gb/s", "both_directions": true},
        {"id": "c1", "kind": "exclusive", "links": ["l2", "l3"]}
    ],
    "layout": {
        "g0": [12.5, -40],
        "n0": [0, 0]
    }
}
)";

std::string replaced(const std::string &from, const std::string &to)
{
    std::string text = good;
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("the test replaces text that is not there: %s", from.c_str());
    return text.replace(at, from.size(), to);
}

} // namespace

class TestClusterFile : public QObject
{
    Q_OBJECT

private slots:
    void everyFieldIsRead();
    void writingGivesTheTextBack();
    void mistakesArePointedAt_data();
    void mistakesArePointedAt();
    void optionalFieldsMayBeAbsent();
    void unknownFieldsAreAllowed();
    void similarTypesAreSuggested();
    void syntaxErrorsSayWhere();
    void bombsAreRefused();
};

void TestClusterFile::everyFieldIsRead()
{
    const auto c = readCluster(good, builtinCatalogue());
    QVERIFY2(c.has_value(), c ? "" : c.error().message().c_str());
    QCOMPARE(c->name(), std::string("both \"quoted\" and \xc3\xbcn\xc3\xaf" "code"));
    QCOMPARE(c->hosts().size(), std::size_t(2));
    QCOMPARE(c->device(DeviceId(0)).type.name, std::string("A100-80GB-SXM"));
    QCOMPARE(c->device(DeviceId(0)).typeName, std::string("A100"));
    const Device &changed = c->device(DeviceId(1));
    QCOMPARE(changed.type.memory.value, gib(48).value);
    QCOMPARE(changed.type.memoryBandwidth.value, 1.1e12);
    QCOMPARE(changed.type.peak[std::size_t(Precision::Bf16)]->value, 150.25e12);
    QVERIFY(!changed.type.peak[std::size_t(Precision::Fp8)]);
    QCOMPARE(changed.type.peak[std::size_t(Precision::Fp16)]->value, 147.1e12);
    QVERIFY(!c->device(DeviceId(2)).host.valid());
    QCOMPARE(c->hubs()[0].kind, HubKind::Nic);
    QCOMPARE(c->link(LinkId(1)).bandwidth.value, 12.5e9);
    QVERIFY(c->link(LinkId(1)).enteredInBits && !c->link(LinkId(0)).enteredInBits);
    QCOMPARE(c->link(LinkId(0)).latency.value, 500e-9);
    QCOMPARE(c->link(LinkId(2)).duplex, Duplex::Half);
    QCOMPARE(c->link(LinkId(3)).state, LinkState::Down);
    QCOMPARE(c->conflicts()[0].capacity.value, 12.5e9);
    QVERIFY(c->conflicts()[0].bothDirections && !c->conflicts()[1].bothDirections);
    QCOMPARE(c->conflicts()[1].kind, ConflictKind::Exclusive);
    QVERIFY((c->parts().layout.at("g0") == Point {12.5, -40}));
}

void TestClusterFile::writingGivesTheTextBack()
{
    const auto c = readCluster(good, builtinCatalogue());
    QVERIFY(c.has_value());
    const std::string once = writeCluster(*c);
    const auto again = readCluster(once, builtinCatalogue());
    QVERIFY2(again.has_value(), again ? "" : again.error().message().c_str());
    QCOMPARE(writeCluster(*again), once);
    QCOMPARE(again->digest(), c->digest());
    QVERIFY(once.ends_with("}\n"));
    for (const char *kept : {"\"26.5625 GB/s\"", "\"100 Gb/s\"", "\"500 ns\"", "\"rtx4090d\"", "\"48 GiB\"", "null",
                             "\"150.25 TFLOP/s\"", "[12.5, -40]", "\"half\"", "\"down\"", "both_directions"})
        QVERIFY2(once.find(kept) != std::string::npos, kept);
}

void TestClusterFile::mistakesArePointedAt_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("where");
    const auto row = [](const char *name, const std::string &text, const char *where) {
        QTest::newRow(name) << QString::fromStdString(text) << where;
    };
    row("other format", replaced("polyrail-cluster", "polyrail-graph"), "/format");
    row("newer version", replaced("\"version\": 1", "\"version\": 2"), "/version");
    row("version as text", replaced("\"version\": 1", "\"version\": \"1\""), "/version");
    row("not an object", "[]", "");
    row("no devices", R"({"format": "polyrail-cluster", "version": 1})", "/devices");
    row("devices not an array", R"({"format": "polyrail-cluster", "version": 1, "devices": {}})", "/devices");
    row("device not an object", R"({"format": "polyrail-cluster", "version": 1, "devices": [3]})", "/devices/0");
    row("unknown type", replaced("\"A100\"", "\"A1000\""), "/devices/0/type");
    row("type of the wrong type", replaced("\"A100\"", "100"), "/devices/0/type");
    row("no type", replaced("\"type\": \"T4\"", "\"note\": \"T4\""), "/devices/2/type");
    row("unknown host", replaced("\"host\": \"h1\"", "\"host\": \"h9\""), "/devices/1/host");
    row("misspelled override", replaced("\"memory\": \"48 GiB\"", "\"memry\": \"48 GiB\""), "/devices/1/overrides/memry");
    row("unknown override", replaced("\"memory\": \"48 GiB\"", "\"colour\": 1"), "/devices/1/overrides/colour");
    row("override without unit", replaced("\"48 GiB\"", "\"48\""), "/devices/1/overrides/memory");
    row("override of zero", replaced("\"48 GiB\"", "\"0 GiB\""), "/devices/1/overrides/memory");
    row("override in bits", replaced("\"48 GiB\"", "\"48 Gib\""), "/devices/1/overrides/memory");
    row("overrides not an object", replaced("{\"memory\": \"48 GiB\", \"memory_bandwidth\": \"1.1 TB/s\", \"peak\": "
                                            "{\"bf16\": \"150.25 TFLOP/s\", \"fp8\": null}}",
                                            "7"), "/devices/1/overrides");
    row("device id again", replaced("\"id\": \"g1\"", "\"id\": \"g0\""), "/devices/1/id");
    row("hub id of a device", replaced("\"id\": \"s\", \"kind\"", "\"id\": \"g0\", \"kind\""), "/hubs/1/id");
    row("link id of a hub", replaced("\"id\": \"l0\"", "\"id\": \"s\""), "/links/0/id");
    row("link id again", replaced("\"id\": \"l3\", \"ends\"", "\"id\": \"l0\", \"ends\""), "/links/3/id");
    row("host id again", replaced("{\"id\": \"h1\"}", "{\"id\": \"h0\"}"), "/hosts/1/id");
    row("empty id", replaced("\"id\": \"g2\"", "\"id\": \"\""), "/devices/2/id");
    row("unknown hub kind", replaced("\"kind\": \"nic\"", "\"kind\": \"nick\""), "/hubs/0/kind");
    row("unknown end", replaced("[\"g1\", \"s\"]", "[\"g1\", \"x\"]"), "/links/2/ends/1");
    row("end is a host", replaced("[\"g1\", \"s\"]", "[\"h1\", \"s\"]"), "/links/2/ends/0");
    row("three ends", replaced("[\"g1\", \"s\"]", "[\"g1\", \"s\", \"g0\"]"), "/links/2/ends");
    row("one end", replaced("[\"g1\", \"s\"]", "[\"g1\"]"), "/links/2/ends");
    row("to itself", replaced("[\"g1\", \"s\"]", "[\"s\", \"s\"]"), "/links/2/ends");
    row("zero bandwidth", replaced("\"31.5 GB/s\"", "\"0 GB/s\""), "/links/0/bandwidth");
    row("negative bandwidth", replaced("\"31.5 GB/s\"", "\"-1 GB/s\""), "/links/0/bandwidth");
    row("bandwidth NaN", replaced("\"31.5 GB/s\"", "\"nan GB/s\""), "/links/0/bandwidth");
    row("bandwidth beyond measure", replaced("\"31.5 GB/s\"", "\"1e30 GB/s\""), "/links/0/bandwidth");
    row("bandwidth as a number", replaced("\"31.5 GB/s\"", "31.5"), "/links/0/bandwidth");
    row("no bandwidth", replaced("\"bandwidth\": \"31.5 GB/s\", ", ""), "/links/0/bandwidth");
    row("no latency", replaced(", \"latency\": \"500 ns\"", ""), "/links/0/latency");
    row("negative latency", replaced("\"500 ns\"", "\"-500 ns\""), "/links/0/latency");
    row("misspelled field", replaced("\"latency\": \"500 ns\"", "\"latecy\": \"500 ns\""), "/links/0/latecy");
    row("unknown duplex", replaced("\"half\"", "\"simplex\""), "/links/2/duplex");
    row("unknown state", replaced("\"down\"", "true"), "/links/3/state");
    row("conflict over an unknown link", replaced("[\"l1\", \"l2\"]", "[\"l1\", \"l9\"]"), "/conflicts/0/links/1");
    row("conflict over one link", replaced("[\"l1\", \"l2\"]", "[\"l1\"]"), "/conflicts/0/links");
    row("capacity missing", replaced("\"capacity\": \"100 Gb/s\", ", ""), "/conflicts/0/capacity");
    row("capacity of an exclusive group", replaced("[\"l2\", \"l3\"]", "[\"l2\", \"l3\"], \"capacity\": \"1 GB/s\""),
        "/conflicts/1/capacity");
    row("flag as text", replaced("\"both_directions\": true", "\"both_directions\": \"yes\""),
        "/conflicts/0/both_directions");
    row("layout of one number", replaced("[12.5, -40]", "[12.5]"), "/layout/g0");
    row("layout of texts", replaced("[12.5, -40]", "[12.5, \"a\"]"), "/layout/g0/1");
    row("name not a text", replaced("\"notes\": \"line one\\nline two\"", "\"notes\": []"), "/notes");
    row("key twice", replaced("\"latency\": \"500 ns\"", "\"latency\": \"500 ns\", \"latency\": \"1 us\""),
        "/links/0/latency");
}

void TestClusterFile::mistakesArePointedAt()
{
    QFETCH(QString, text);
    QFETCH(QString, where);
    const auto read = readCluster(text.toStdString(), builtinCatalogue());
    QVERIFY(!read);
    QCOMPARE(QString::fromStdString(read.error().where), where);
    QVERIFY(!read.error().found.empty());
    QVERIFY(!read.error().expected.empty());
    QVERIFY(!read.error().remedy.empty());
    QCOMPARE(read.error().kind, ErrorKind::Input);
}

void TestClusterFile::optionalFieldsMayBeAbsent()
{
    const auto c = readCluster(R"({"format": "polyrail-cluster", "version": 1, "devices": [{"id": "a", "type": "T4"}]})",
                               builtinCatalogue());
    QVERIFY(c.has_value());
    QCOMPARE(c->devices().size(), std::size_t(1));
    QVERIFY(readCluster(writeCluster(*c), builtinCatalogue()).has_value());
    QVERIFY(readCluster(writeCluster(Cluster()), builtinCatalogue()).has_value());
    QVERIFY(readCluster("\xef\xbb\xbf" + good, builtinCatalogue()).has_value());
}

void TestClusterFile::unknownFieldsAreAllowed()
{
    QVERIFY(readCluster(replaced("\"version\": 1,", "\"version\": 1, \"rack\": {\"row\": 4},"), builtinCatalogue()));
    QVERIFY(readCluster(replaced("\"type\": \"T4\"", "\"type\": \"T4\", \"serial\": 77"), builtinCatalogue()));
}

void TestClusterFile::similarTypesAreSuggested()
{
    auto read = readCluster(replaced("\"A100\"", "\"H100-SXM6\""), builtinCatalogue());
    QVERIFY(!read);
    QVERIFY(QString::fromStdString(read.error().remedy).contains("H100-SXM"));
    read = readCluster(replaced("\"half\"", "\"haff\""), builtinCatalogue());
    QVERIFY(QString::fromStdString(read.error().remedy).contains("half"));
}

void TestClusterFile::syntaxErrorsSayWhere()
{
    auto read = readCluster("{\n  \"format\": \"polyrail-cluster\",\n  \"version\" 1\n}", builtinCatalogue());
    QVERIFY(!read);
    QVERIFY2(QString::fromStdString(read.error().where).startsWith("line 3, column "), read.error().where.c_str());
    read = readCluster(good.substr(0, 700), builtinCatalogue());
    QVERIFY(!read);
    QVERIFY(QString::fromStdString(read.error().remedy).contains("cut off"));
    for (const char *text : {"", "   ", "null", "\"text\"", "{", "\xff\xfe{", "{\"format\": \"\xff\"}", "NaN",
                             "{\"format\": 1e999}", "{} {}"})
        QVERIFY2(!readCluster(text, builtinCatalogue()), text);
}

void TestClusterFile::bombsAreRefused()
{
    const std::string deep = std::string(200000, '[');
    auto read = readCluster(deep, builtinCatalogue());
    QVERIFY(!read);
    QVERIFY(QString::fromStdString(read.error().found).contains("deep"));
    read = readCluster(R"({"format": "polyrail-cluster", "version": 1, "devices": )" + std::string(100000, '[')
                           + std::string(100000, ']') + "}",
                       builtinCatalogue());
    QVERIFY(!read);
    // Brackets inside texts do not nest.
    QVERIFY(readCluster(replaced("line two", std::string(100, '[') + "\\\"" + std::string(100, '{')), builtinCatalogue()));
    std::string wide = R"({"format": "polyrail-cluster", "version": 1, "devices": [], "hosts": [)";
    for (int i = 0; i < 100001; ++i)
        wide += "0,";
    read = readCluster(wide + "0]}", builtinCatalogue());
    QVERIFY(!read);
    QCOMPARE(read.error().where, std::string("/hosts"));
}

QTEST_GUILESS_MAIN(TestClusterFile)
#include "tst_cluster_file.moc"
