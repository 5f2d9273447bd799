// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.hpp"
#include "core/formats/builtin.hpp"
#include "core/formats/gpu_type_json.hpp"

#include <QFile>
#include <QtTest>

using namespace polyrail;

namespace {

std::string entry(const std::string &extra = {}, const std::string &name = "X1")
{
    return R"({"name": ")" + name + R"(", "architecture": "A", "source": "s", "multiprocessors": 4, "memory": "8 GiB",)"
        R"( "memory_bandwidth": "100 GB/s", "peak": {"fp32": "1 TFLOP/s"})" + extra + "}";
}

std::string catalogueOf(const std::string &entries)
{
    return R"({"format": "polyrail-gpus", "version": 1, "gpus": [)" + entries + "]}";
}

} // namespace

class TestGpuCatalogue : public QObject
{
    Q_OBJECT

private slots:
    void builtinIsWhatTheRepositoryHolds();
    void namesPeopleAndToolsUse_data();
    void namesPeopleAndToolsUse();
    void figuresArePlausible();
    void mistakesArePointedAt_data();
    void mistakesArePointedAt();
    void constantsOfTheMatrixProductModel();
};

void TestGpuCatalogue::builtinIsWhatTheRepositoryHolds()
{
    QFile file(QStringLiteral(POLYRAIL_SOURCE_DIR "/resources/gpus.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const std::string text = file.readAll().toStdString();
    QVERIFY(builtinText("resources/gpus.json") == text);
    QVERIFY(builtinText("gpus.json") == text);
    QVERIFY(builtinText("no such file").empty());
    const auto read = readCatalogue(text);
    QVERIFY2(read.has_value(), read ? "" : read.error().message().c_str());
    QCOMPARE(read->types().size(), builtinCatalogue().types().size());
    QVERIFY(read->types().size() >= 30);
}

void TestGpuCatalogue::namesPeopleAndToolsUse_data()
{
    QTest::addColumn<QString>("spelling");
    QTest::addColumn<QString>("name");
    const auto row = [](const char *spelling, const char *name) { QTest::newRow(spelling) << spelling << name; };
    row("V100", "V100-SXM2-32GB");
    row("Tesla V100-SXM2-16GB", "V100-SXM2-16GB");
    row("Tesla V100-SXM2-32GB", "V100-SXM2-32GB");
    row("Tesla V100-PCIE-32GB", "V100-PCIe-32GB");
    row("A100", "A100-80GB-SXM");
    row("NVIDIA A100-SXM4-80GB", "A100-80GB-SXM");
    row("NVIDIA A100-SXM4-40GB", "A100-40GB-SXM");
    row("NVIDIA A100 80GB PCIe", "A100-80GB-PCIe");
    row("NVIDIA A100-PCIE-40GB", "A100-40GB-PCIe");
    row("H100", "H100-SXM");
    row("NVIDIA H100 80GB HBM3", "H100-SXM");
    row("NVIDIA H100 PCIe", "H100-PCIe");
    row("NVIDIA H200", "H200-SXM");
    row("NVIDIA B200", "B200-SXM");
    row("NVIDIA GH200 480GB", "GH200-96GB");
    row("4090D", "RTX 4090 D");
    row("RTX 4090D", "RTX 4090 D");
    row("rtx4090d", "RTX 4090 D");
    row("NVIDIA GeForce RTX 4090 D", "RTX 4090 D");
    row("NVIDIA GeForce RTX 4090", "RTX 4090");
    row("NVIDIA GeForce RTX 3090 Ti", "RTX 3090 Ti");
    row("NVIDIA GeForce RTX 5090", "RTX 5090");
    row("L20", "L20");
    row("NVIDIA L40S", "L40S");
    row("Tesla T4", "T4");
    row("Tesla P40", "P40");
    row("AMD Instinct MI300X", "MI300X");
    row("tpu-v4", "TPU v4");
}

void TestGpuCatalogue::namesPeopleAndToolsUse()
{
    QFETCH(QString, spelling);
    QFETCH(QString, name);
    const GpuType *type = builtinCatalogue().find(spelling.toStdString());
    QVERIFY(type);
    QCOMPARE(QString::fromStdString(type->name), name);
}

void TestGpuCatalogue::figuresArePlausible()
{
    for (const GpuType &type : builtinCatalogue().types()) {
        const char *name = type.name.c_str();
        QVERIFY2(type.memory >= gib(8) && type.memory <= gib(300), name);
        QVERIFY2(type.memoryBandwidth.value >= 190e9 && type.memoryBandwidth.value <= 8.1e12, name);
        QVERIFY2(type.multiprocessors >= 1 && type.multiprocessors <= 304, name);
        QVERIFY2(type.l2Cache.value <= gib(0.3).value, name);
        QVERIFY2(!type.source.empty() && !type.architecture.empty(), name);
        QVERIFY2((type.scaleUpBandwidth.value > 0) == !type.scaleUp.empty(), name);
        QVERIFY2(type.pcieBandwidth.value >= 15e9 && type.pcieBandwidth.value <= 130e9, name);
        double wider = 0;
        for (Precision p : {Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Fp8}) {
            const double rate = type.peakFor(p).value;
            QVERIFY2(rate >= wider || p == Precision::Fp32 || !type.peak[std::size_t(p)], name);
            QVERIFY2(rate >= 1e12 && rate <= 6e15, name);
            wider = rate;
        }
    }
    // GeForce peaks are those with FP32 accumulation, a quarter of what is advertised for sparse FP16.
    QCOMPARE(builtinCatalogue().find("RTX 4090")->peakFor(Precision::Bf16).value, 165.2e12);
    QCOMPARE(builtinCatalogue().find("RTX 4090 D")->peakFor(Precision::Fp16).value, 147.1e12);
    QCOMPARE(builtinCatalogue().find("V100")->peakFor(Precision::Bf16).value, 125e12);
    QCOMPARE(builtinCatalogue().find("A100")->memoryBandwidth.value, 2039e9);
}

void TestGpuCatalogue::mistakesArePointedAt_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("where");
    const auto row = [](const char *name, const std::string &text, const char *where) {
        QTest::newRow(name) << QString::fromStdString(text) << where;
    };
    row("other format", R"({"format": "polyrail-plan", "version": 1})", "/format");
    row("no format", "{}", "/format");
    row("other version", R"({"format": "polyrail-gpus", "version": 2, "gpus": []})", "/version");
    row("no list", R"({"format": "polyrail-gpus", "version": 1})", "/gpus");
    row("misspelled key", catalogueOf(entry(R"(, "memroy_bandwidth": "1 GB/s")")), "/gpus/0/memroy_bandwidth");
    row("unknown format of numbers", catalogueOf(entry(R"(, "matmul": {"fp64": {}})")), "/gpus/0/matmul/fp64");
    row("unknown constant", catalogueOf(entry(R"(, "matmul": {"fp32": {"colour": 1}})")), "/gpus/0/matmul/fp32/colour");
    row("constant out of range", catalogueOf(entry(R"(, "matmul": {"fp32": {"tail_weight": 2}})")),
        "/gpus/0/matmul/fp32/tail_weight");
    row("no memory", catalogueOf(entry() + R"(, {"name": "Y", "architecture": "A", "source": "s"})"), "/gpus/1");
    row("same name twice", catalogueOf(entry() + "," + entry({}, "x-1")), "/gpus/1");
    row("alias of two", catalogueOf(entry(R"(, "aliases": ["z"])") + "," + entry(R"(, "aliases": ["Z"])", "Y")), "/gpus/1");
    row("repeated key", catalogueOf(entry(R"(, "note": "a", "note": "b")")), "/gpus/0/note");
    row("unit missing", catalogueOf(entry(R"(, "pcie_bandwidth": "32")")), "/gpus/0/pcie_bandwidth");
    row("number instead of text", catalogueOf(entry(R"(, "pcie_bandwidth": 32)")), "/gpus/0/pcie_bandwidth");
}

void TestGpuCatalogue::mistakesArePointedAt()
{
    QFETCH(QString, text);
    QFETCH(QString, where);
    const auto read = readCatalogue(text.toStdString());
    QVERIFY(!read);
    QCOMPARE(QString::fromStdString(read.error().where), where);
}

void TestGpuCatalogue::constantsOfTheMatrixProductModel()
{
    const auto read = readCatalogue(catalogueOf(entry(
        R"(, "matmul": {"fp32": {"max_efficiency": 0.9, "launch_us": 7, "source": "own fit", "fit_error_percent": 6.5}})")));
    QVERIFY(read.has_value());
    const MatmulConstants &c = read->types()[0].matmul.at(Precision::Fp32);
    QCOMPARE(c.maxEfficiency, 0.9);
    QCOMPARE(c.launchSeconds, 7e-6);
    QCOMPARE(c.source, std::string("own fit"));
    QCOMPARE(c.fitErrorPercent, 6.5);
    QCOMPARE(c.tailWeight, MatmulConstants().tailWeight);
    QVERIFY(read->types()[0].matmul.find(Precision::Bf16) == read->types()[0].matmul.end());
}

QTEST_GUILESS_MAIN(TestGpuCatalogue)
#include "tst_gpu_catalogue.moc"
