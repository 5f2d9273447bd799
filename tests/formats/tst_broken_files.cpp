// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/builtin.hpp"
#include "core/formats/gpu_type_json.hpp"
#include "core/formats/importers.hpp"
#include "core/formats/json_files.hpp"

#include <QDir>
#include <QtTest>

#include <random>

using namespace polyrail;

namespace {

/// One random change: a byte, a run of bytes removed, repeated or moved, a figure made absurd.
std::string mutated(std::string text, std::mt19937 &random)
{
    static const std::vector<std::string> spice {"\"", "{", "}", "[", "]", ",", ":", "null", "-1", "1e999", "NaN",
                                                 "\xff", "\\u0000", "0 GB/s", "NV9999999999", "X", "GPU0", "\t", "\n", " "};
    const auto at = [&] { return text.empty() ? std::size_t(0) : std::size_t(random() % text.size()); };
    const int changes = 1 + int(random() % 3);
    for (int i = 0; i < changes && !text.empty(); ++i) {
        const std::size_t place = at();
        const std::size_t length = std::min<std::size_t>(1 + random() % 40, text.size() - place);
        switch (random() % 5) {
        case 0: text[place] = static_cast<char>(random() % 256); break;
        case 1: text.erase(place, length); break;
        case 2: text.insert(place, text.substr(place, length)); break;
        case 3: text.insert(place, spice[random() % spice.size()]); break;
        default: {
            const std::string part = text.substr(place, length);
            text.erase(place, length);
            text.insert(at(), part);
        }
        }
    }
    return text;
}

void checkError(const Error &error)
{
    QVERIFY(!error.message().empty());
    QVERIFY(error.message().size() < 2000);
}

} // namespace

class TestBrokenFiles : public QObject
{
    Q_OBJECT

private slots:
    void truncatedClusters_data();
    void truncatedClusters();
    void mutatedClusters();
    void mutatedCatalogue();
    void mutatedMatrices_data();
    void mutatedMatrices();
    void recogniseTakesAnything();
};

void TestBrokenFiles::truncatedClusters_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < sampleClusters().size(); ++i)
        QTest::newRow(std::string(sampleClusters()[i].file).c_str()) << int(i);
}

void TestBrokenFiles::truncatedClusters()
{
    QFETCH(int, index);
    const std::string_view text = sampleClusters()[std::size_t(index)].text;
    const std::size_t whole = text.find_last_of('}');
    for (std::size_t length = 0; length <= whole; length += 97) {
        const auto read = readCluster(text.substr(0, length), builtinCatalogue());
        QVERIFY2(!read, qPrintable(QString::number(length)));
        checkError(read.error());
    }
    QVERIFY(!readCluster(text.substr(0, whole), builtinCatalogue()));
    QVERIFY(readCluster(text.substr(0, whole + 1), builtinCatalogue()));
}

void TestBrokenFiles::mutatedClusters()
{
    std::mt19937 random(20240601);
    int refused = 0;
    int accepted = 0;
    for (const SampleCluster &sample : sampleClusters()) {
        const int rounds = sample.text.size() > 50000 ? 40 : 300;
        for (int i = 0; i < rounds; ++i) {
            const auto read = readCluster(mutated(std::string(sample.text), random), builtinCatalogue());
            if (!read) {
                ++refused;
                checkError(read.error());
                continue;
            }
            // What is accepted is a cluster that can be written and read again.
            ++accepted;
            const auto again = readCluster(writeCluster(*read), builtinCatalogue());
            QVERIFY2(again.has_value(), again ? "" : again.error().message().c_str());
            QCOMPARE(again->digest(), read->digest());
        }
    }
    QVERIFY(refused > 500);
    QVERIFY(accepted > 100); // changes to notes, positions, names
}

void TestBrokenFiles::mutatedCatalogue()
{
    std::mt19937 random(7);
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
        const auto read = readCatalogue(mutated(std::string(builtinText("gpus.json")), random));
        if (!read) {
            ++refused;
            checkError(read.error());
        }
    }
    QVERIFY(refused > 50);
}

void TestBrokenFiles::mutatedMatrices_data()
{
    QTest::addColumn<QString>("file");
    const QDir folder(QStringLiteral(POLYRAIL_TEST_DATA "/nvidia-smi-topo"));
    for (const QString &file : folder.entryList({"*.txt"}))
        QTest::newRow(qPrintable(file)) << file;
}

void TestBrokenFiles::mutatedMatrices()
{
    QFETCH(QString, file);
    const auto text = readTextFile(POLYRAIL_TEST_DATA "/nvidia-smi-topo/" + file.toStdString());
    QVERIFY(text.has_value());
    std::mt19937 random(3);
    for (int i = 0; i < 400; ++i) {
        const std::string broken = i % 4 == 0 ? text->substr(0, random() % (text->size() + 1)) : mutated(*text, random);
        const auto c = importNvidiaSmiTopo(broken, builtinCatalogue(), "A40");
        if (!c) {
            checkError(c.error());
            continue;
        }
        const auto again = readCluster(writeCluster(c->cluster), builtinCatalogue());
        QVERIFY2(again.has_value(), again ? "" : again.error().message().c_str());
    }
}

void TestBrokenFiles::recogniseTakesAnything()
{
    QCOMPARE(recognise(""), ForeignFormat::Unknown);
    QCOMPARE(recognise("{"), ForeignFormat::Unknown);
    QCOMPARE(recognise("hello"), ForeignFormat::Unknown);
    QCOMPARE(recognise("[1, 2]"), ForeignFormat::Unknown);
    QCOMPARE(recognise("{\"format\": \"something-else\", \"hidden_size\": 1, \"vocab_size\": 2}"), ForeignFormat::Unknown);
    QCOMPARE(recognise("{\"format\": \"polyrail-plan\"}"), ForeignFormat::PolyrailPlan);
    QCOMPARE(recognise("\xef\xbb\xbf \n{\"format\": \"polyrail-graph\"}"), ForeignFormat::PolyrailGraph);
    QCOMPARE(recognise("{\"model_type\": \"llama\", \"hidden_size\": 4096}"), ForeignFormat::HuggingFaceConfig);
    QCOMPARE(recognise("{\"dim\": 4096, \"n_layers\": 32, \"n_heads\": 32}"), ForeignFormat::HuggingFaceConfig);
    // Python's literals are not JSON, but the importer takes them.
    QCOMPARE(recognise("{\"model_type\": \"x\", \"hidden_size\": 1, \"limit\": Infinity}"), ForeignFormat::HuggingFaceConfig);
    for (const SampleCluster &sample : sampleClusters()) {
        QCOMPARE(recognise(sample.text), ForeignFormat::PolyrailCluster);
        QCOMPARE(recognise(sample.text.substr(0, 300)), ForeignFormat::PolyrailCluster); // cut off: the importer explains
    }
    std::mt19937 random(5);
    for (int i = 0; i < 300; ++i) {
        std::string noise(random() % 2000, ' ');
        for (char &c : noise)
            c = static_cast<char>(random() % 256);
        QCOMPARE(recognise(noise), ForeignFormat::Unknown);
    }
}

QTEST_GUILESS_MAIN(TestBrokenFiles)
#include "tst_broken_files.moc"
