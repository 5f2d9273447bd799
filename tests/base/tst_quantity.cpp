// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.hpp"

#include <QtTest>

#include <cmath>
#include <limits>
#include <random>

using namespace polyrail;

class TestQuantity : public QObject
{
    Q_OBJECT

private slots:
    void bandwidth_data();
    void bandwidth();
    void refusedBandwidth_data();
    void refusedBandwidth();
    void bitsAndBytesDifferByEight();
    void duration_data();
    void duration();
    void bytes_data();
    void bytes();
    void flops();
    void refusedOthers_data();
    void refusedOthers();
    void format_data();
    void format();
    void exactTextGivesTheNumberBack();
    void roundingUpNeverShortens();
};

void TestQuantity::bandwidth_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("bytesPerSecond");
    QTest::addColumn<bool>("bits");
    QTest::newRow("gigabytes") << "25 GB/s" << 25e9 << false;
    QTest::newRow("gigabits") << "200 Gb/s" << 25e9 << true;
    QTest::newRow("no blank") << "200Gbps" << 25e9 << true;
    QTest::newRow("Gbit/s") << "200 Gbit/s" << 25e9 << true;
    QTest::newRow("GBps") << "25 GBps" << 25e9 << false;
    QTest::newRow("gibibytes") << "25 GiB/s" << 25 * 1073741824.0 << false;
    QTest::newRow("gibibits") << "8 Gib/s" << 1073741824.0 << true;
    QTest::newRow("fraction") << "26.5625 GB/s" << 26.5625e9 << false;
    QTest::newRow("exponent") << "2.5e1 GB/s" << 25e9 << false;
    QTest::newRow("mega") << "800 Mb/s" << 1e8 << true;
    QTest::newRow("kilo") << "1 kB/s" << 1e3 << false;
    QTest::newRow("plain") << "9 B/s" << 9.0 << false;
    QTest::newRow("tera") << "1.8 TB/s" << 1.8e12 << false;
    QTest::newRow("blanks around") << "  1.5 TB/s\t" << 1.5e12 << false;
}

void TestQuantity::bandwidth()
{
    QFETCH(QString, text);
    QFETCH(double, bytesPerSecond);
    QFETCH(bool, bits);
    const auto parsed = parseBandwidth(text.toStdString());
    QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().message().c_str());
    QCOMPARE(parsed->value, bytesPerSecond);
    QCOMPARE(isGivenInBits(text.toStdString()), bits);
}

void TestQuantity::refusedBandwidth_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("hint");
    QTest::newRow("no unit") << "200" << "bits and bytes";
    QTest::newRow("empty") << "" << "number";
    QTest::newRow("unit only") << "GB/s" << "number";
    QTest::newRow("zero") << "0 GB/s" << "above zero";
    QTest::newRow("negative") << "-5 GB/s" << "sign";
    QTest::newRow("plus") << "+5 GB/s" << "sign";
    QTest::newRow("comma") << "1,5 GB/s" << "decimal point";
    QTest::newRow("thousands") << "1,000 GB/s" << "decimal point";
    QTest::newRow("nan") << "nan GB/s" << "number";
    QTest::newRow("infinity") << "inf GB/s" << "number";
    QTest::newRow("huge") << "1e399 GB/s" << "";
    QTest::newRow("not per second") << "25 GB" << "/s";
    QTest::newRow("milli") << "25 mB/s" << "/s";
    QTest::newRow("lower-case prefix") << "25 gb/s" << "/s";
    QTest::newRow("transfers") << "16 GT/s" << "/s";
    QTest::newRow("trailing text") << "25 GB/s each" << "/s";
    QTest::newRow("two points") << "2.5.1 GB/s" << "";
}

void TestQuantity::refusedBandwidth()
{
    QFETCH(QString, text);
    QFETCH(QString, hint);
    const auto parsed = parseBandwidth(text.toStdString());
    QVERIFY(!parsed);
    QVERIFY(parsed.error().where.empty());
    QVERIFY(!parsed.error().expected.empty());
    QVERIFY(QString::fromStdString(parsed.error().found).contains(text));
    QVERIFY2(QString::fromStdString(parsed.error().remedy).contains(hint), parsed.error().remedy.c_str());
    QVERIFY(!isGivenInBits(text.toStdString()) || text.startsWith("0"));
}

void TestQuantity::bitsAndBytesDifferByEight()
{
    for (const char *prefix : {"k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi", ""}) {
        const auto bits = parseBandwidth(std::string("3 ") + prefix + "b/s");
        const auto bytes = parseBandwidth(std::string("3 ") + prefix + "B/s");
        QVERIFY(bits && bytes);
        QCOMPARE(bits->value * 8, bytes->value);
    }
}

void TestQuantity::duration_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("seconds");
    QTest::newRow("us") << "1.5 us" << 1.5e-6;
    QTest::newRow("us, no blank") << "1.5us" << 1.5e-6;
    QTest::newRow("micro sign") << QString::fromUtf8("12 \u00b5s") << 12e-6;
    QTest::newRow("Greek mu") << QString::fromUtf8("12 \u03bcs") << 12e-6;
    QTest::newRow("ms") << "3 ms" << 3e-3;
    QTest::newRow("s") << "10 s" << 10.0;
    QTest::newRow("ns") << "800 ns" << 800e-9;
    QTest::newRow("min") << "2 min" << 120.0;
    QTest::newRow("h") << "1.5 h" << 5400.0;
    QTest::newRow("zero") << "0 s" << 0.0;
}

void TestQuantity::duration()
{
    QFETCH(QString, text);
    QFETCH(double, seconds);
    const auto parsed = parseDuration(text.toStdString());
    QVERIFY(parsed.has_value());
    QCOMPARE(parsed->value, seconds);
}

void TestQuantity::bytes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("count");
    QTest::newRow("GiB") << "80 GiB" << qint64(80) * 1073741824;
    QTest::newRow("GB") << "24 GB" << qint64(24000000000);
    QTest::newRow("MiB") << "512 MiB" << qint64(536870912);
    QTest::newRow("plain") << "17 B" << qint64(17);
    QTest::newRow("above 2^53") << "9007199254740993 B" << qint64(9007199254740993);
    QTest::newRow("fraction") << "1.5 KiB" << qint64(1536);
    QTest::newRow("zero") << "0 B" << qint64(0);
}

void TestQuantity::bytes()
{
    QFETCH(QString, text);
    QFETCH(qint64, count);
    const auto parsed = parseBytes(text.toStdString());
    QVERIFY(parsed.has_value());
    QCOMPARE(qint64(parsed->value), count);
    QCOMPARE(parseBytes(exactBytes(*parsed))->value, parsed->value);
}

void TestQuantity::flops()
{
    QCOMPARE(parseFlops("312 TFLOP/s")->value, 312e12);
    QCOMPARE(parseFlops("312 TFLOPS")->value, 312e12);
    QCOMPARE(parseFlops("1.979 PFLOP/s")->value, 1.979e15);
    QVERIFY(!parseFlops("312 T"));
    QVERIFY(!parseFlops("0 TFLOP/s"));
}

void TestQuantity::refusedOthers_data()
{
    QTest::addColumn<QString>("text");
    for (const char *text : {"", "5", "-1 us", "1,5 us", "nan s", "5 xs", "5 Gb", "1e30 TB", "5 GiB extra"})
        QTest::newRow(*text ? text : "empty") << text;
}

void TestQuantity::refusedOthers()
{
    QFETCH(QString, text);
    QVERIFY(!parseDuration(text.toStdString()));
    QVERIFY(!parseBytes(text.toStdString()));
    QVERIFY(!parseFlops(text.toStdString()));
}

void TestQuantity::format_data()
{
    QTest::addColumn<QString>("shown");
    QTest::addColumn<QString>("expected");
    const auto rate = [](double v) { return QString::fromStdString(formatBandwidth(BytesPerSecond(v))); };
    const auto bits = [](double v) { return QString::fromStdString(formatBandwidthBits(BytesPerSecond(v))); };
    const auto time = [](double v) { return QString::fromStdString(formatDuration(Seconds(v))); };
    const auto size = [](std::int64_t v) { return QString::fromStdString(formatBytes(Bytes(v))); };
    QTest::newRow("25 GB/s") << rate(25e9) << "25 GB/s";
    QTest::newRow("the same in bits") << bits(25e9) << "200 Gb/s";
    QTest::newRow("three digits") << rate(14.0625e9) << "14.1 GB/s";
    QTest::newRow("four where exact") << rate(1008e9) << "1.008 TB/s";
    QTest::newRow("rolls over") << rate(999.96e9) << "1 TB/s";
    QTest::newRow("small") << rate(0.5) << "0.5 B/s";
    QTest::newRow("negative") << rate(-3e9) << "-3 GB/s";
    QTest::newRow("1.5 us") << time(1.5e-6) << "1.5 us";
    QTest::newRow("3.71 s") << time(3.7123) << "3.71 s";
    QTest::newRow("zero") << time(0) << "0 s";
    QTest::newRow("minutes") << time(600) << "10 min";
    QTest::newRow("hours") << time(36000) << "10 h";
    QTest::newRow("23.1 GiB") << size(24803000000) << "23.1 GiB";
    QTest::newRow("80 GiB") << size(std::int64_t(80) << 30) << "80 GiB";
    QTest::newRow("0 B") << size(0) << "0 B";
    QTest::newRow("infinite") << rate(std::numeric_limits<double>::infinity()) << "infinite";
    QTest::newRow("not a number") << time(std::numeric_limits<double>::quiet_NaN()) << "not a number";
    QTest::newRow("flops") << QString::fromStdString(formatFlops(FlopsPerSecond(989.5e12))) << "989.5 TFLOP/s";
}

void TestQuantity::format()
{
    QFETCH(QString, shown);
    QFETCH(QString, expected);
    QCOMPARE(shown, expected);
}

void TestQuantity::exactTextGivesTheNumberBack()
{
    QCOMPARE(exactBandwidth(gigabytesPerSecond(26.5625)), std::string("26.5625 GB/s"));
    QCOMPARE(exactBandwidth(gigabytesPerSecond(25), true), std::string("200 Gb/s"));
    QCOMPARE(exactBandwidth(gigabytesPerSecond(2039)), std::string("2.039 TB/s"));
    QCOMPARE(exactDuration(Seconds(1.5e-6)), std::string("1.5 us"));
    QCOMPARE(exactDuration(Seconds(0)), std::string("0 ns"));
    QCOMPARE(exactDuration(Seconds(2.5e-10)), std::string("0.25 ns"));
    QCOMPARE(exactBytes(gib(80)), std::string("80 GiB"));
    QCOMPARE(exactBytes(Bytes(24000000000)), std::string("24 GB"));
    QCOMPARE(exactFlops(FlopsPerSecond(165.2e12)), std::string("165.2 TFLOP/s"));
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponent(0, 17);
    for (int i = 0; i < 5000; ++i) {
        const double value = std::pow(10.0, exponent(random));
        QCOMPARE(parseBandwidth(exactBandwidth(BytesPerSecond(value)))->value, value);
        QCOMPARE(parseBandwidth(exactBandwidth(BytesPerSecond(value), true))->value, value);
        QCOMPARE(parseFlops(exactFlops(FlopsPerSecond(value)))->value, value);
        const double seconds = value * 1e-12;
        QCOMPARE(parseDuration(exactDuration(Seconds(seconds)))->value, seconds);
        const auto whole = static_cast<std::int64_t>(value);
        QCOMPARE(parseBytes(exactBytes(Bytes(whole)))->value, whole);
    }
}

void TestQuantity::roundingUpNeverShortens()
{
    QCOMPARE(toNanoseconds(Seconds(1e-9)).value, std::int64_t(1));
    QCOMPARE(toNanoseconds(Seconds(1.2e-9)).value, std::int64_t(2));
    QCOMPARE(toNanoseconds(Seconds(0)).value, std::int64_t(0));
    QCOMPARE(toNanoseconds(Seconds(3e-6)).value, std::int64_t(3000)); // 3000.0000000000005 in floating point
}

QTEST_GUILESS_MAIN(TestQuantity)
#include "tst_quantity.moc"
