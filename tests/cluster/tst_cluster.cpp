// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cluster/small_cluster.hpp"

#include <QtTest>

#include <functional>
#include <limits>

using namespace polyrail;

Q_DECLARE_METATYPE(std::function<void(ClusterParts &)>)

namespace {

SmallCluster pair()
{
    SmallCluster c;
    c.host("h0").device("a", "h0").device("b", "h0").hub("s", HubKind::PcieSwitch, "h0");
    c.link("l0", "a", "s", 16).link("l1", "b", "s", 16).link("l2", "a", "b", 50);
    c.conflict("share", {"l0", "l1"}, 20);
    return c;
}

} // namespace

class TestCluster : public QObject
{
    Q_OBJECT

private slots:
    void lookups();
    void mistakesArePointedAt_data();
    void mistakesArePointedAt();
    void changedLinkLeavesTheOriginalAlone();
    void digestSeesWhatMattersAndNothingElse();
    void emptyClusterIsValid();
};

void TestCluster::lookups()
{
    const Cluster c = pair().make();
    QCOMPARE(c.vertexCount(), std::size_t(3));
    QCOMPARE(c.findDevice("b"), DeviceId(1));
    QVERIFY(!c.findDevice("s").valid());
    QCOMPARE(c.findVertex("s"), VertexId(2));
    QCOMPARE(c.vertexOf(HubId(0)), VertexId(2));
    QCOMPARE(c.vertexName(VertexId(2)), std::string("s"));
    QCOMPARE(c.hostOf(VertexId(2)), HostId(0));
    QCOMPARE(c.findLink("l2"), LinkId(2));
    QVERIFY(!c.findLink("nothing").valid());
    QVERIFY(!c.findVertex("nothing").valid());
    QCOMPARE(c.linksAt(VertexId(0)).size(), std::size_t(2));
    QCOMPARE(c.linksAt(VertexId(0))[1], LinkId(2));
    QVERIFY(c.isDevice(VertexId(1)) && !c.isDevice(VertexId(2)));
}

void TestCluster::mistakesArePointedAt_data()
{
    QTest::addColumn<std::function<void(ClusterParts &)>>("spoil");
    QTest::addColumn<QString>("where");
    using Spoil = std::function<void(ClusterParts &)>;
    const auto row = [](const char *name, Spoil spoil, const char *where) {
        QTest::newRow(name) << spoil << QString(where);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    row("two devices of one id", [](ClusterParts &p) { p.devices[1].id = "a"; }, "/devices/1/id");
    row("hub named as a device", [](ClusterParts &p) { p.hubs[0].id = "a"; }, "/hubs/0/id");
    row("link named as a hub", [](ClusterParts &p) { p.links[1].id = "s"; }, "/links/1/id");
    row("two hosts of one id", [](ClusterParts &p) { p.hosts.push_back({"h0", ""}); }, "/hosts/1/id");
    row("two conflicts of one id", [](ClusterParts &p) { p.conflicts.push_back(p.conflicts[0]); }, "/conflicts/1/id");
    row("empty id", [](ClusterParts &p) { p.links[0].id.clear(); }, "/links/0/id");
    row("unknown end", [](ClusterParts &p) { p.links[2].ends[1] = VertexId(3); }, "/links/2/ends/1");
    row("no end", [](ClusterParts &p) { p.links[2].ends[0] = VertexId(); }, "/links/2/ends/0");
    row("to itself", [](ClusterParts &p) { p.links[2].ends[1] = VertexId(0); }, "/links/2/ends");
    row("zero bandwidth", [](ClusterParts &p) { p.links[0].bandwidth.value = 0; }, "/links/0/bandwidth");
    row("negative bandwidth", [](ClusterParts &p) { p.links[0].bandwidth.value = -1; }, "/links/0/bandwidth");
    row("bandwidth NaN", [nan](ClusterParts &p) { p.links[0].bandwidth.value = nan; }, "/links/0/bandwidth");
    row("bandwidth infinite", [](ClusterParts &p) { p.links[0].bandwidth.value = 1e300 * 1e300; },
        "/links/0/bandwidth");
    row("negative latency", [](ClusterParts &p) { p.links[0].latency.value = -1; }, "/links/0/latency");
    row("latency NaN", [nan](ClusterParts &p) { p.links[0].latency.value = nan; }, "/links/0/latency");
    row("unknown host", [](ClusterParts &p) { p.devices[0].host = HostId(5); }, "/devices/0/host");
    row("unknown host of a hub", [](ClusterParts &p) { p.hubs[0].host = HostId(5); }, "/hubs/0/host");
    row("conflict over one link", [](ClusterParts &p) { p.conflicts[0].links.pop_back(); }, "/conflicts/0/links");
    row("conflict names a link twice", [](ClusterParts &p) { p.conflicts[0].links[1] = LinkId(0); },
        "/conflicts/0/links/1");
    row("conflict over an unknown link", [](ClusterParts &p) { p.conflicts[0].links[1] = LinkId(9); },
        "/conflicts/0/links/1");
    row("conflict without capacity", [](ClusterParts &p) { p.conflicts[0].capacity.value = 0; },
        "/conflicts/0/capacity");
    row("negative memory", [](ClusterParts &p) { p.devices[0].type.memory.value = -1; }, "/devices/0/memory");
    row("peak NaN", [nan](ClusterParts &p) { p.devices[0].type.peak[0] = FlopsPerSecond(nan); }, "/devices/0/peak");
    row("layout NaN", [nan](ClusterParts &p) { p.layout["a"] = {nan, 0}; }, "/layout/a");
}

void TestCluster::mistakesArePointedAt()
{
    QFETCH(std::function<void(ClusterParts &)>, spoil);
    QFETCH(QString, where);
    ClusterParts parts = pair().parts;
    QVERIFY(Cluster::make(parts).has_value());
    spoil(parts);
    const auto made = Cluster::make(parts);
    QVERIFY(!made);
    QCOMPARE(QString::fromStdString(made.error().where), where);
    QVERIFY(!made.error().expected.empty() && !made.error().remedy.empty());
}

void TestCluster::changedLinkLeavesTheOriginalAlone()
{
    const Cluster c = pair().make();
    Link slower = c.link(LinkId(2));
    slower.bandwidth = gigabytesPerSecond(5);
    const Cluster changed = c.withLink(LinkId(2), slower);
    QCOMPARE(c.link(LinkId(2)).bandwidth.value, 50e9);
    QCOMPARE(changed.link(LinkId(2)).bandwidth.value, 5e9);
    QCOMPARE(changed.linksAt(VertexId(0)).size(), std::size_t(2));
    QVERIFY(c.digest() != changed.digest());
}

void TestCluster::digestSeesWhatMattersAndNothingElse()
{
    const SmallCluster base = pair();
    const std::string digest = base.make().digest();
    QCOMPARE(digest.size(), std::size_t(16));
    SmallCluster cosmetic = base;
    cosmetic.parts.name = "another name";
    cosmetic.parts.notes = "notes";
    cosmetic.parts.layout["a"] = {1, 2};
    cosmetic.parts.links[0].enteredInBits = true;
    QCOMPARE(cosmetic.make().digest(), digest);
    const std::vector<std::function<void(ClusterParts &)>> changes {
        [](ClusterParts &p) { p.devices[0].id = "c"; },
        [](ClusterParts &p) { p.devices[0].type.memory.value -= 1; },
        [](ClusterParts &p) { p.devices[0].type.peak[0] = FlopsPerSecond(2e13); },
        [](ClusterParts &p) { p.devices[0].type.matmul[Precision::Bf16] = {}; },
        [](ClusterParts &p) { p.devices[0].host = HostId(); },
        [](ClusterParts &p) { p.hubs[0].kind = HubKind::Cpu; },
        [](ClusterParts &p) { p.links[0].latency.value = 2e-6; },
        [](ClusterParts &p) { p.links[0].duplex = Duplex::Half; },
        [](ClusterParts &p) { p.links[0].state = LinkState::Down; },
        [](ClusterParts &p) { p.conflicts[0].capacity.value *= 2; },
        [](ClusterParts &p) { p.conflicts[0].bothDirections = true; },
        [](ClusterParts &p) { p.conflicts.clear(); },
    };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        SmallCluster other = base;
        changes[i](other.parts);
        QVERIFY2(other.make().digest() != digest, qPrintable(QString::number(i)));
    }
}

void TestCluster::emptyClusterIsValid()
{
    const Cluster c;
    QCOMPARE(c.vertexCount(), std::size_t(0));
    QVERIFY(!c.findDevice("a").valid());
    QCOMPARE(Cluster::make({})->digest(), c.digest());
}

QTEST_GUILESS_MAIN(TestCluster)
#include "tst_cluster.moc"
