// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/routes.hpp"
#include "core/formats/builtin.hpp"
#include "core/formats/json_files.hpp"

#include <QDir>
#include <QtTest>

#include <set>

using namespace polyrail;

class TestSamples : public QObject
{
    Q_OBJECT

private slots:
    void allAreCompiledIn();
    void eachOne_data();
    void eachOne();
    void linksOfOnePairDiffer();
    void sharedUplinkIsNotStriped();
    void networkFiguresOfTheHosts();
    void torusRoutesStayBetweenRouters();
};

namespace {

Cluster sample(const char *file)
{
    const auto c = readCluster(builtinText(file), builtinCatalogue());
    if (!c)
        qFatal("%s: %s", file, c.error().message().c_str());
    return *c;
}

} // namespace

void TestSamples::allAreCompiledIn()
{
    const QStringList files = QDir(QStringLiteral(POLYRAIL_SOURCE_DIR "/sample_clusters")).entryList({"*.json"}, QDir::Files);
    QCOMPARE(sampleClusters().size(), std::size_t(files.size()));
    QVERIFY(files.size() >= 10);
    for (const SampleCluster &s : sampleClusters()) {
        const auto text = readTextFile(POLYRAIL_SOURCE_DIR "/sample_clusters/" + std::string(s.file));
        QVERIFY(text.has_value());
        QVERIFY(s.text == *text);
    }
}

void TestSamples::eachOne_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < sampleClusters().size(); ++i)
        QTest::newRow(std::string(sampleClusters()[i].file).c_str()) << int(i);
}

void TestSamples::eachOne()
{
    QFETCH(int, index);
    const SampleCluster &s = sampleClusters()[std::size_t(index)];
    const auto c = readCluster(s.text, builtinCatalogue());
    QVERIFY2(c.has_value(), c ? "" : c.error().message().c_str());
    QCOMPARE(std::string(s.title), c->name());
    QVERIFY(c->parts().notes.size() > 60);
    QCOMPARE(QString::fromStdString(writeCluster(*c)), QString::fromStdString(std::string(s.text)));
    std::set<std::pair<double, double>> places;
    for (std::size_t v = 0; v < c->vertexCount(); ++v) {
        const auto it = c->parts().layout.find(c->vertexName(VertexId(v)));
        QVERIFY2(it != c->parts().layout.end(), c->vertexName(VertexId(v)).c_str());
        QVERIFY2(places.emplace(it->second.x, it->second.y).second, c->vertexName(VertexId(v)).c_str());
    }
    const RouteTable table(*c);
    // In the large cluster all devices of a host see the rest alike: one of each host stands for it.
    const std::size_t n = c->devices().size();
    const std::size_t step = n > 64 ? 7 : 1;
    for (std::size_t i = 0; i < n; i += step) {
        for (std::size_t j = 0; j < n; ++j) {
            const auto &stripes = table.between(DeviceId(i), DeviceId(j));
            QVERIFY2(i == j || !stripes.empty(), (c->devices()[i].id + " to " + c->devices()[j].id).c_str());
            double sum = 0;
            for (const Stripe &stripe : stripes)
                sum += stripe.share;
            QVERIFY(i == j || qAbs(sum - 1) < 1e-9);
        }
    }
}

void TestSamples::linksOfOnePairDiffer()
{
    const Cluster teaching = sample("teaching-conflict.json");
    const auto routes = findRoutes(teaching, teaching.findDevice("A"), teaching.findDevice("B"));
    QCOMPARE(routes.size(), std::size_t(3)); // NVLink, PCIe, Ethernet
    QCOMPARE(stripeOver(teaching, routes).size(), std::size_t(1)); // the first two exclude each other, the third is slow
    const Cluster mixed = sample("4090d-v100.json");
    std::set<double> rates;
    for (const Link &link : mixed.links()) {
        if (link.kind == LinkKind::Network)
            rates.insert(link.bandwidth.value);
    }
    QVERIFY(rates.size() >= 2);
}

void TestSamples::sharedUplinkIsNotStriped()
{
    const Cluster c = sample("shared-nic-uplink.json");
    const RouteTable table(c);
    const auto &stripes = table.between(c.findDevice("a-H100-0"), c.findDevice("b-H100-0"));
    QCOMPARE(stripes.size(), std::size_t(1));
    QCOMPARE(stripes[0].route.bandwidth.value, 50e9);
}

void TestSamples::networkFiguresOfTheHosts()
{
    const Cluster h100 = sample("h100-dgx-2.json");
    const RouteTable table(h100);
    QCOMPARE(table.between(h100.findDevice("a-H100-0"), h100.findDevice("a-H100-5")).front().route.bandwidth.value, 450e9);
    const auto &rail = table.between(h100.findDevice("a-H100-3"), h100.findDevice("b-H100-3")).front().route;
    QCOMPARE(rail.bandwidth.value, 50e9);
    QCOMPARE(rail.hops.size(), std::size_t(6)); // GPU, PCIe switch, NIC, rail and back: no spine
    const Cluster v100 = sample("v100-256.json");
    QCOMPARE(v100.devices().size(), std::size_t(256));
    const RouteTable far(v100);
    QCOMPARE(far.between(v100.findDevice("h00.g0"), v100.findDevice("h31.g7")).front().route.bandwidth.value, 12.5e9);
}

void TestSamples::torusRoutesStayBetweenRouters()
{
    const Cluster c = sample("tpu-torus-16.json");
    const auto routes = findRoutes(c, c.findDevice("chip00"), c.findDevice("chip33"));
    QVERIFY(!routes.empty());
    QCOMPARE(routes[0].hops.size(), std::size_t(4)); // in, one step each way round, out
    QCOMPARE(routes[0].bandwidth.value, 50e9);
}

QTEST_GUILESS_MAIN(TestSamples)
#include "tst_samples.moc"
