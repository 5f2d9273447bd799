// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/gpu_type.hpp"

#include <QtTest>

using namespace polyrail;

namespace {

GpuType named(const std::string &name, std::vector<std::string> aliases = {})
{
    GpuType type;
    type.name = name;
    type.aliases = std::move(aliases);
    return type;
}

std::optional<FlopsPerSecond> tera(double n)
{
    return FlopsPerSecond(n * 1e12);
}

} // namespace

class TestGpuType : public QObject
{
    Q_OBJECT

private slots:
    void precisionNames();
    void formatsFallBackToWiderOnes();
    void namesAreFoundHoweverTheyAreWritten();
    void similarNames();
};

void TestGpuType::precisionNames()
{
    for (Precision p : {Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16, Precision::Fp8})
        QCOMPARE(precisionFromString(toString(p)), std::optional<Precision>(p));
    QCOMPARE(QString(toString(Precision::Bf16)), QString("bf16"));
    QCOMPARE(precisionFromString("BF16"), std::optional<Precision>(Precision::Bf16));
    QVERIFY(!precisionFromString("int3"));
}

void TestGpuType::formatsFallBackToWiderOnes()
{
    GpuType volta;
    volta.peak[std::size_t(Precision::Fp32)] = tera(15.7);
    volta.peak[std::size_t(Precision::Fp16)] = tera(125);
    QCOMPARE(volta.peakFor(Precision::Fp16).value, 125e12);
    QCOMPARE(volta.peakFor(Precision::Bf16).value, 125e12);
    QCOMPARE(volta.peakFor(Precision::Fp8).value, 125e12);
    QCOMPARE(volta.peakFor(Precision::Tf32).value, 15.7e12);
    GpuType onlyBf16;
    onlyBf16.peak[std::size_t(Precision::Bf16)] = tera(275);
    QCOMPARE(onlyBf16.peakFor(Precision::Fp32).value, 275e12);
    QCOMPARE(GpuType().peakFor(Precision::Fp32).value, 0.0);
}

void TestGpuType::namesAreFoundHoweverTheyAreWritten()
{
    const Catalogue catalogue({named("RTX 4090 D", {"4090D"}), named("A100-80GB-SXM", {"A100", "A100-SXM4-80GB"}),
                               named("A100-40GB-SXM", {"A100"})});
    for (const char *name : {"RTX 4090 D", "rtx4090d", "4090d", "RTX_4090-D", "NVIDIA GeForce RTX 4090 D"}) {
        QVERIFY2(catalogue.find(name), name);
        QCOMPARE(catalogue.find(name)->name, std::string("RTX 4090 D"));
    }
    QCOMPARE(catalogue.find("NVIDIA A100-SXM4-80GB")->name, std::string("A100-80GB-SXM"));
    QCOMPARE(catalogue.find("a100")->name, std::string("A100-80GB-SXM")); // the earlier entry wins
    QVERIFY(!catalogue.find("A1000"));
    QVERIFY(!catalogue.find(""));
    QVERIFY(!catalogue.find("NVIDIA"));
}

void TestGpuType::similarNames()
{
    const Catalogue catalogue({named("RTX 4090 D"), named("RTX 4090"), named("H100-SXM"), named("MI300X"),
                               named("A100-80GB-SXM"), named("A100-40GB-SXM")});
    QCOMPARE(catalogue.similar("RTX 4080").front(), std::string("RTX 4090"));
    QCOMPARE(catalogue.similar("h100 sxm5").front(), std::string("H100-SXM"));
    QVERIFY(catalogue.similar("A100").size() == 2);
    QVERIFY(catalogue.similar("abacus").empty());
    QVERIFY(catalogue.similar("").empty());
}

QTEST_GUILESS_MAIN(TestGpuType)
#include "tst_gpu_type.moc"
