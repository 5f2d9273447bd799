// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/collective_model.hpp"
#include "core/cost/patterns.hpp"
#include "core/cost/protocol.hpp"
#include "core/cost/rings.hpp"
#include "tests/cluster/small_cluster.hpp"

#include <QtTest>

#include <memory>
#include <thread>

using namespace polyrail;

namespace {

/// A cluster with the models of its traffic.
struct Bench
{
    explicit Bench(const Cluster &c) : cluster(c), network(c), routes(c), model(routes, network) {}
    Cluster cluster;
    Network network;
    RouteTable routes;
    CollectiveModel model;

    std::vector<DeviceId> all() const
    {
        std::vector<DeviceId> out;
        for (std::size_t i = 0; i < cluster.devices().size(); ++i)
            out.push_back(DeviceId(i));
        return out;
    }
    double bytesOn(const Transfer &t, const std::string &link, Direction direction) const
    {
        const LinkId id = cluster.findLink(link);
        for (const LinkUse &use : t.uses)
            if (use.link == id && use.direction == direction)
                return use.bytes;
        return 0;
    }
};

/// `n` devices on one host, each with one link of `rate` GB/s to a switch.
std::unique_ptr<Bench> star(int n, double rate)
{
    SmallCluster c;
    c.host("h");
    for (int i = 0; i < n; ++i)
        c.device("d" + std::to_string(i), "h");
    c.hub("switch", HubKind::Switch, "h");
    for (int i = 0; i < n; ++i)
        c.link("l" + std::to_string(i), "d" + std::to_string(i), "switch", rate);
    return std::make_unique<Bench>(c.make());
}

/// Two hosts of two devices: a fast switch inside, one NIC link per device to a common network.
std::unique_ptr<Bench> twoHosts()
{
    SmallCluster c;
    c.host("a").host("b");
    for (const char *h : {"a", "b"})
        for (const char *i : {"0", "1"})
            c.device(std::string(h) + i, h);
    c.hub("sa", HubKind::Switch, "a").hub("sb", HubKind::Switch, "b").hub("net");
    for (const char *h : {"a", "b"})
        for (const char *i : {"0", "1"}) {
            const std::string d = std::string(h) + i;
            c.link("in-" + d, d, std::string("s") + h, 100);
            c.link("nic-" + d, d, "net", 10, 1, LinkKind::Network);
        }
    return std::make_unique<Bench>(c.make());
}

bool near(double a, double b, double relative = 1e-9) { return std::abs(a - b) <= relative * std::abs(b); }

} // namespace

class TestCollectiveModel : public QObject
{
    Q_OBJECT
private slots:
    void ringBytesAreExact();
    void bytesOfEveryKind();
    void nothingToDo();
    void ownTimeIsNeverBelowTheLinks();
    void oneChannelPerRail();
    void bestOrderAvoidsTheSlowLink();
    void nvlinkMeshUsesAllLinks();
    void parallelLinksAreStriped();
    void sendsAreStripedAndSummed();
    void exclusiveGroupsAreKept();
    void exclusiveGroupLeavesNoWay();
    void disconnectedMembersAreNamed();
    void inSwitchReduction();
    void largerCallsTakeLonger();
    void sameAnswerFromEveryThread();
    void largeGroups();
};

void TestCollectiveModel::ringBytesAreExact()
{
    const auto bench = star(4, 10);
    const auto transfer = bench->model.collective(Collective::AllReduce, bench->all(), 8e8);
    QVERIFY(transfer.has_value());
    // 2 (n-1)/n = 1.5 of the bytes leave every member once and reach every member once.
    QCOMPARE(transfer->uses.size(), std::size_t(8));
    for (const LinkUse &use : transfer->uses)
        QVERIFY(near(use.bytes, 1.2e9));
    QVERIFY(transfer->ownTime.value >= 0.12); // 1.2 GB at 10 GB/s
    QVERIFY(transfer->ownTime.value < 0.12 / 0.7);
    QVERIFY(transfer->algorithm.starts_with("ring"));
}

void TestCollectiveModel::bytesOfEveryKind()
{
    const auto bench = star(4, 10);
    for (const Collective kind : {Collective::AllGather, Collective::ReduceScatter, Collective::AllToAll}) {
        const auto transfer = bench->model.collective(kind, bench->all(), 4e8);
        QVERIFY(transfer.has_value());
        for (const LinkUse &use : transfer->uses)
            QVERIFY2(near(use.bytes, 3e8), toString(kind)); // (n-1)/n
    }
    // A chain from the first member: it sends once and receives nothing, the last one receives only.
    const auto broadcast = bench->model.collective(Collective::Broadcast, bench->all(), 4e8);
    QVERIFY(broadcast.has_value());
    QVERIFY(near(bench->bytesOn(*broadcast, "l0", Direction::Forward), 4e8));
    QCOMPARE(bench->bytesOn(*broadcast, "l0", Direction::Backward), 0.0);
    QVERIFY(near(bench->bytesOn(*broadcast, "l3", Direction::Backward), 4e8));
    QCOMPARE(bench->bytesOn(*broadcast, "l3", Direction::Forward), 0.0);
}

void TestCollectiveModel::nothingToDo()
{
    const auto bench = star(3, 10);
    const std::vector<DeviceId> one = {DeviceId(1)};
    QVERIFY(bench->model.collective(Collective::AllReduce, one, 1e6)->empty());
    QVERIFY(bench->model.collective(Collective::AllReduce, bench->all(), 0)->empty());
    QVERIFY(bench->model.send(DeviceId(0), DeviceId(0), 1e6)->empty());
    QVERIFY(bench->model.sendAll({})->empty());
}

void TestCollectiveModel::ownTimeIsNeverBelowTheLinks()
{
    for (const auto &bench : {star(8, 25), star(2, 3)})
        for (const Collective kind : {Collective::AllReduce, Collective::AllGather, Collective::ReduceScatter,
                                      Collective::AllToAll, Collective::Broadcast})
            for (double bytes = 1; bytes < 1e10; bytes *= 30) {
                const auto transfer = bench->model.collective(kind, bench->all(), bytes);
                QVERIFY(transfer->ownTime.value >= bench->network.aloneTime(transfer->uses).value * (1 - 1e-12));
                QVERIFY(transfer->latency.value > 0);
            }
}

void TestCollectiveModel::oneChannelPerRail()
{
    const auto bench = twoHosts();
    const auto transfer = bench->model.collective(Collective::AllGather, bench->all(), 8e9);
    QVERIFY(transfer.has_value());
    // (n-1)/n = 0.75: two channels of 0.375 each. Channel 0 visits a0 a1 b0 b1: leaves a by a1 for b0, and b by b1
    // for a0. Channel 1 visits a1 a0 b1 b0: leaves by a0 and b0. Every NIC carries 0.375 of the bytes each way.
    for (const char *nic : {"nic-a0", "nic-a1", "nic-b0", "nic-b1"}) {
        QVERIFY2(near(bench->bytesOn(*transfer, nic, Direction::Forward), 3e9), nic);
        QVERIFY2(near(bench->bytesOn(*transfer, nic, Direction::Backward), 3e9), nic);
    }
    // Inside: one hop of each channel per host, a0 -> a1 and a1 -> a0.
    QVERIFY(near(bench->bytesOn(*transfer, "in-a0", Direction::Forward), 3e9));
    QVERIFY(near(bench->bytesOn(*transfer, "in-a0", Direction::Backward), 3e9));
    QVERIFY(transfer->ownTime.value >= 0.3); // 3 GB at 10 GB/s
    // A tree over two hosts moves every byte over the network once each way, half of it per rail: less than the ring.
    const auto reduce = bench->model.collective(Collective::AllReduce, bench->all(), 4e9);
    QVERIFY(reduce.has_value());
    QCOMPARE(reduce->algorithm, std::string("tree"));
    QVERIFY(near(bench->bytesOn(*reduce, "nic-a0", Direction::Forward), 2e9));
    QVERIFY(near(bench->bytesOn(*reduce, "nic-b1", Direction::Forward), 2e9));
}

void TestCollectiveModel::bestOrderAvoidsTheSlowLink()
{
    // Four devices in a square of fast direct links; the diagonals are slow. In the given order d0 d2 d1 d3 the
    // ring would use both diagonals.
    SmallCluster c;
    c.host("h").device("d0", "h").device("d1", "h").device("d2", "h").device("d3", "h");
    c.link("s01", "d0", "d1", 20).link("s12", "d1", "d2", 20).link("s23", "d2", "d3", 20).link("s30", "d3", "d0", 20);
    c.link("x02", "d0", "d2", 1).link("x13", "d1", "d3", 1);
    const Bench bench(c.make());
    const std::vector<DeviceId> given = {DeviceId(0), DeviceId(2), DeviceId(1), DeviceId(3)};
    const auto transfer = bench.model.collective(Collective::AllGather, given, 4e9);
    QVERIFY(transfer.has_value());
    QCOMPARE(bench.bytesOn(*transfer, "x02", Direction::Forward), 0.0);
    QCOMPARE(bench.bytesOn(*transfer, "x13", Direction::Forward), 0.0);
    QVERIFY(transfer->ownTime.value < 3.0 / 20 / 0.8); // 3 GB per hop
}

void TestCollectiveModel::nvlinkMeshUsesAllLinks()
{
    // Four devices, every pair joined by an NVLink of 50 GB/s: each can send 150 GB/s to the others, and rings in
    // several orders and both directions reach that.
    SmallCluster c;
    c.host("h");
    for (int i = 0; i < 4; ++i)
        c.device("d" + std::to_string(i), "h");
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            c.link("n" + std::to_string(i) + std::to_string(j), "d" + std::to_string(i), "d" + std::to_string(j), 50, 1,
                   LinkKind::NvLink);
    const Bench bench(c.make());
    const auto transfer = bench.model.collective(Collective::AllReduce, bench.all(), 2e9);
    QVERIFY(transfer.has_value());
    for (const LinkUse &use : transfer->uses) // 3 GB leave every device over three links
        QVERIFY(near(use.bytes, 1e9, 0.02));
    QCOMPARE(transfer->uses.size(), std::size_t(12));
}

void TestCollectiveModel::parallelLinksAreStriped()
{
    SmallCluster c;
    c.host("h").device("d0", "h").device("d1", "h");
    c.link("fast", "d0", "d1", 30).link("slow", "d0", "d1", 10).link("tiny", "d0", "d1", 2);
    const Bench bench(c.make());
    const auto transfer = bench.model.collective(Collective::AllReduce, bench.all(), 4e9);
    QVERIFY(transfer.has_value());
    // 2 (n-1)/n = 1: 4 GB each way, split 30 : 10; the third link is below a quarter of the best one.
    QVERIFY(near(bench.bytesOn(*transfer, "fast", Direction::Forward), 3e9));
    QVERIFY(near(bench.bytesOn(*transfer, "slow", Direction::Backward), 1e9));
    QCOMPARE(bench.bytesOn(*transfer, "tiny", Direction::Forward), 0.0);
}

void TestCollectiveModel::sendsAreStripedAndSummed()
{
    const auto bench = star(3, 10);
    const auto one = bench->model.send(DeviceId(0), DeviceId(1), 1e9);
    QVERIFY(one.has_value());
    QCOMPARE(one->algorithm, std::string("p2p"));
    QVERIFY(near(bench->bytesOn(*one, "l0", Direction::Forward), 1e9));
    QVERIFY(near(bench->bytesOn(*one, "l1", Direction::Backward), 1e9));
    QVERIFY(one->ownTime.value >= 0.1);
    // Two sends into one device share its link: 3 GB in.
    const std::vector<CollectiveModel::Flow> flows = {{DeviceId(0), DeviceId(2), 1e9}, {DeviceId(1), DeviceId(2), 2e9}};
    const auto both = bench->model.sendAll(flows);
    QVERIFY(both.has_value());
    QVERIFY(near(bench->bytesOn(*both, "l2", Direction::Backward), 3e9));
    QVERIFY(both->ownTime.value >= 0.3);
}

void TestCollectiveModel::exclusiveGroupsAreKept()
{
    // The wide path and the narrow one exclude each other: a transfer takes one of them, never both.
    SmallCluster c;
    c.host("h").device("d0", "h").device("d1", "h").device("d2", "h").hub("s", HubKind::Switch, "h");
    c.link("direct", "d0", "d1", 20).link("l0", "d0", "s", 15).link("l1", "d1", "s", 15).link("l2", "d2", "s", 15);
    c.conflict("either", {"direct", "l0"});
    const Bench bench(c.make());
    const auto transfer = bench.model.collective(Collective::AllReduce, bench.all(), 3e9);
    QVERIFY(transfer.has_value());
    QVERIFY(bench.network.possible(transfer->uses));
    // d2 is reached from d0 only over l0, so the direct link stays free.
    QCOMPARE(bench.bytesOn(*transfer, "direct", Direction::Forward), 0.0);
    QVERIFY(near(bench.bytesOn(*transfer, "l0", Direction::Forward), 4e9));
}

void TestCollectiveModel::exclusiveGroupLeavesNoWay()
{
    SmallCluster c;
    c.host("h").device("d0", "h").device("d1", "h").device("d2", "h");
    c.link("a", "d0", "d1", 20).link("b", "d1", "d2", 20).link("c", "d2", "d0", 20);
    c.conflict("one-at-a-time", {"a", "b"});
    const Bench bench(c.make());
    const auto transfer = bench.model.collective(Collective::AllReduce, bench.all(), 1e9);
    QVERIFY(!transfer.has_value());
    QCOMPARE(transfer.error().kind, ErrorKind::Infeasible);
    QVERIFY(transfer.error().message().find("one-at-a-time") != std::string::npos);
    QVERIFY(bench.model.send(DeviceId(0), DeviceId(1), 1e9).has_value());
}

void TestCollectiveModel::disconnectedMembersAreNamed()
{
    SmallCluster c;
    c.host("h").device("left", "h").device("right", "h").device("third", "h");
    c.link("l", "left", "third", 10);
    const Bench bench(c.make());
    const std::vector<DeviceId> pair = {DeviceId(0), DeviceId(1)};
    for (const auto &result : {bench.model.collective(Collective::AllReduce, pair, 1e6),
                               bench.model.send(DeviceId(0), DeviceId(1), 1e6)}) {
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().kind, ErrorKind::Infeasible);
        QVERIFY(result.error().message().find("left") != std::string::npos);
        QVERIFY(result.error().message().find("right") != std::string::npos);
    }
}

void TestCollectiveModel::inSwitchReduction()
{
    SmallCluster c;
    c.host("h");
    for (int i = 0; i < 8; ++i) {
        c.device("d" + std::to_string(i), "h");
        c.parts.devices.back().type.scaleUp = "NVLink4 18x25 + NVSwitch/NVLS";
    }
    c.hub("switch", HubKind::NvSwitch, "h");
    for (int i = 0; i < 8; ++i)
        c.link("l" + std::to_string(i), "d" + std::to_string(i), "switch", 450, 0.3, LinkKind::NvLink);
    const Bench bench(c.make());
    const auto large = bench.model.collective(Collective::AllReduce, bench.all(), 16e9);
    QVERIFY(large.has_value());
    QCOMPARE(large->algorithm, std::string("in-switch reduction"));
    for (const LinkUse &use : large->uses)
        QVERIFY(near(use.bytes, 18e9)); // 1 + 1/8
    // Published on eight H200: 480 GB/s bus bandwidth at 16 GiB, against 366 without the switch's help.
    const double bus = 16e9 * 1.75 / large->alone().value;
    QVERIFY2(bus > 450e9 && bus < 500e9, qPrintable(QString::number(bus)));
    const CollectiveModel ringOnly(bench.routes, bench.network, CollectiveModel::InSwitch::No);
    const double ring = 16e9 * 1.75 / ringOnly.collective(Collective::AllReduce, bench.all(), 16e9)->alone().value;
    QVERIFY2(ring > 345e9 && ring < 390e9, qPrintable(QString::number(ring)));
    // Small calls and gathers stay on the ring.
    QVERIFY(bench.model.collective(Collective::AllReduce, bench.all(), 1e4)->algorithm != "in-switch reduction");
    QVERIFY(bench.model.collective(Collective::AllGather, bench.all(), 16e9)->algorithm.starts_with("ring"));
}

void TestCollectiveModel::largerCallsTakeLonger()
{
    const auto bench = twoHosts();
    for (const Collective kind : {Collective::AllReduce, Collective::AllGather, Collective::AllToAll}) {
        double last = 0;
        for (double bytes = 1e3; bytes < 1e10; bytes *= 2) {
            const double now = bench->model.collective(kind, bench->all(), bytes)->alone().value;
            QVERIFY(now > last);
            last = now;
        }
    }
}

void TestCollectiveModel::sameAnswerFromEveryThread()
{
    const auto bench = star(8, 40);
    const auto expected = bench->model.collective(Collective::AllReduce, bench->all(), 1e8);
    const auto other = star(8, 40);
    std::vector<std::thread> threads;
    std::vector<Transfer> found(4);
    for (std::size_t t = 0; t < found.size(); ++t)
        threads.emplace_back([&, t] {
            for (int repeat = 0; repeat < 50; ++repeat)
                found[t] = *other->model.collective(Collective::AllReduce, other->all(), 1e8);
        });
    for (std::thread &thread : threads)
        thread.join();
    for (const Transfer &transfer : found) {
        QVERIFY(transfer.uses == expected->uses);
        QCOMPARE(transfer.ownTime.value, expected->ownTime.value);
        QCOMPARE(transfer.latency.value, expected->latency.value);
        QCOMPARE(transfer.algorithm, expected->algorithm);
    }
}

void TestCollectiveModel::largeGroups()
{
    // 32 hosts of 8: a channel per device, each NIC carries (n-1)/n / 8 of the bytes each way.
    SmallCluster c;
    c.hub("net");
    for (int h = 0; h < 32; ++h)
        c.host("h" + std::to_string(h));
    for (int h = 0; h < 32; ++h)
        for (int i = 0; i < 8; ++i)
            c.device("d" + std::to_string(h) + "." + std::to_string(i), "h" + std::to_string(h));
    for (int h = 0; h < 32; ++h)
        c.hub("s" + std::to_string(h), HubKind::Switch, "h" + std::to_string(h));
    for (int h = 0; h < 32; ++h)
        for (int i = 0; i < 8; ++i) {
            const std::string d = std::to_string(h) + "." + std::to_string(i);
            c.link("in" + d, "d" + d, "s" + std::to_string(h), 300);
            c.link("nic" + d, "d" + d, "net", 25, 1, LinkKind::Network);
        }
    const Bench bench(c.make());
    const auto transfer = bench.model.collective(Collective::AllGather, bench.all(), 1e10);
    QVERIFY(transfer.has_value());
    QVERIFY(near(bench.bytesOn(*transfer, "nic7.3", Direction::Forward), 255.0 / 256 / 8 * 1e10));
    // Seven of eight hops of every channel stay inside.
    QVERIFY(near(bench.bytesOn(*transfer, "in7.3", Direction::Forward), 255.0 / 256 * 7 / 8 * 1e10));
    // A ring of 512 steps is slow for small calls: a tree is as deep as the logarithm.
    QVERIFY(bench.model.collective(Collective::AllReduce, bench.all(), 1e5)->algorithm.starts_with("tree"));
}

QTEST_GUILESS_MAIN(TestCollectiveModel)
#include "tst_collective_model.moc"
