// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/routes.hpp"

#include "tests/cluster/small_cluster.hpp"

#include <QtTest>

#include <random>
#include <thread>

using namespace polyrail;

namespace {

std::string namesOf(const Cluster &c, const Route &route)
{
    std::string text;
    for (const Hop &hop : route.hops)
        text += (text.empty() ? "" : " ") + c.link(hop.link).id + (hop.direction == Direction::Forward ? "+" : "-");
    return text;
}

std::vector<std::string> routeNames(const Cluster &c, const char *from, const char *to, int limit = 16)
{
    std::vector<std::string> names;
    for (const Route &route : findRoutes(c, c.findDevice(from), c.findDevice(to), limit))
        names.push_back(namesOf(c, route));
    return names;
}

using Names = std::vector<std::string>;

/// Two hosts of two GPUs: a PCIe switch, a NIC each, one network switch.
SmallCluster twoHosts()
{
    SmallCluster c;
    c.host("h0").host("h1");
    c.device("a0", "h0").device("a1", "h0").device("b0", "h1").device("b1", "h1");
    c.hub("p0", HubKind::PcieSwitch, "h0").hub("p1", HubKind::PcieSwitch, "h1");
    c.hub("n0", HubKind::Nic, "h0").hub("n1", HubKind::Nic, "h1").hub("net");
    c.link("a0-p0", "a0", "p0", 32).link("a1-p0", "a1", "p0", 32);
    c.link("b0-p1", "b0", "p1", 32).link("b1-p1", "b1", "p1", 32);
    c.link("p0-n0", "p0", "n0", 32).link("p1-n1", "p1", "n1", 32);
    c.link("n0-net", "n0", "net", 25, 2, LinkKind::Network).link("n1-net", "n1", "net", 25, 2, LinkKind::Network);
    return c;
}

/// Every simple path over up links and hubs, by depth-first search: the independent check.
double widestByEnumeration(const Cluster &c, VertexId at, VertexId to, std::vector<bool> &visited, double width)
{
    if (at == to)
        return width;
    double best = 0;
    visited[at.index()] = true;
    for (LinkId l : c.linksAt(at)) {
        const Link &link = c.link(l);
        const VertexId next = link.ends[0] == at ? link.ends[1] : link.ends[0];
        if (link.state == LinkState::Down || visited[next.index()] || (c.isDevice(next) && next != to))
            continue;
        best = std::max(best, widestByEnumeration(c, next, to, visited, std::min(width, link.bandwidth.value)));
    }
    visited[at.index()] = false;
    return best;
}

} // namespace

class TestRoutes : public QObject
{
    Q_OBJECT

private slots:
    void parallelLinksGiveParallelRoutes();
    void tiesAreBrokenAsDocumented();
    void neverThroughAThirdDevice();
    void neverOverALinkThatIsDown();
    void networkOnlyWhereItIsNeeded();
    void aThirdHostForwardsNothing();
    void capacityConflictsNarrowARoute();
    void exclusiveLinksOfOneGroupCannotFollowEachOther();
    void directionsOfHops();
    void stripesShareByBandwidth();
    void stripesLeaveOutWhatDoesNotPay();
    void stripesRespectExclusiveGroups();
    void tableAgreesWithTheFunctions();
    void tableFindsStripesBeyondTheLimit();
    void tableFromManyThreads();
    void widestAgreesWithEnumeration();
};

void TestRoutes::parallelLinksGiveParallelRoutes()
{
    SmallCluster s;
    s.device("a").device("b").hub("x");
    s.link("nv0", "a", "b", 25).link("nv1", "b", "a", 25).link("slow", "a", "b", 10);
    s.link("a-x", "a", "x", 12).link("b-x", "b", "x", 12);
    const Cluster c = s.make();
    const auto routes = findRoutes(c, DeviceId(0), DeviceId(1));
    QCOMPARE(routeNames(c, "a", "b"), (Names {"nv0+", "nv1-", "a-x+ b-x-", "slow+"}));
    QCOMPARE(routes[0].bandwidth.value, 25e9);
    QCOMPARE(routes[2].bandwidth.value, 12e9);
    QCOMPARE(routes[2].latency.value, 2e-6);
    QCOMPARE(routeNames(c, "a", "b", 2).size(), std::size_t(2));
    QVERIFY(findRoutes(c, DeviceId(0), DeviceId(0)).empty());
}

void TestRoutes::tiesAreBrokenAsDocumented()
{
    SmallCluster s;
    s.device("a").device("b").hub("x").hub("y").hub("z");
    s.link("late", "a", "b", 10, 9); // as wide, more latency
    s.link("a-x", "a", "x", 10, 1).link("x-b", "x", "b", 10, 3);                            // 4 us, 2 hops
    s.link("a-y", "a", "y", 10, 1).link("y-z", "y", "z", 10, 1).link("z-b", "z", "b", 10, 2); // 4 us, 3 hops
    s.link("a-x2", "a", "x", 10, 1);                                                         // as a-x, later in the file
    const Cluster c = s.make();
    QCOMPARE(routeNames(c, "a", "b"), (Names {"a-x+ x-b+", "a-y+ y-z+ z-b+", "late+"}));
    SmallCluster wider = s;
    wider.parts.links[0].bandwidth = gigabytesPerSecond(10.1); // bandwidth comes before latency
    QCOMPARE(routeNames(wider.make(), "a", "b").front(), std::string("late+"));
}

void TestRoutes::neverThroughAThirdDevice()
{
    SmallCluster s;
    s.device("a").device("m").device("b");
    s.link("am", "a", "m", 100).link("mb", "m", "b", 100);
    const Cluster c = s.make();
    QVERIFY(routeNames(c, "a", "b").empty());
    QCOMPARE(routeNames(c, "a", "m"), Names {"am+"});
    QVERIFY(RouteTable(c).between(c.findDevice("a"), c.findDevice("b")).empty());
}

void TestRoutes::neverOverALinkThatIsDown()
{
    SmallCluster s;
    s.device("a").device("b").link("fast", "a", "b", 100).link("slow", "a", "b", 1);
    s.parts.links[0].state = LinkState::Down;
    QCOMPARE(routeNames(s.make(), "a", "b"), Names {"slow+"});
}

void TestRoutes::networkOnlyWhereItIsNeeded()
{
    const SmallCluster base = twoHosts();
    QCOMPARE(routeNames(base.make(), "a0", "b1"), Names {"a0-p0+ p0-n0+ n0-net+ n1-net- p1-n1- b1-p1-"});
    // A second NIC on its own link to a0 and a1: a network route that is slower than the inside one, then faster.
    SmallCluster s;
    s.host("h0").device("a0", "h0").device("a1", "h0").hub("n0", HubKind::Nic, "h0").hub("n1", HubKind::Nic, "h0");
    s.hub("net").link("inside", "a0", "a1", 20);
    s.link("a0-n0", "a0", "n0", 50).link("a1-n1", "a1", "n1", 50);
    s.link("n0-net", "n0", "net", 15, 1, LinkKind::Network).link("n1-net", "n1", "net", 15, 1, LinkKind::Network);
    QCOMPARE(routeNames(s.make(), "a0", "a1"), Names {"inside+"});
    s.parts.links[3].bandwidth = s.parts.links[4].bandwidth = gigabytesPerSecond(40);
    QCOMPARE(routeNames(s.make(), "a0", "a1"), (Names {"a0-n0+ n0-net+ n1-net- a1-n1-", "inside+"}));
    s.parts.links[0].state = LinkState::Down;
    s.parts.links[3].bandwidth = gigabytesPerSecond(1);
    QCOMPARE(routeNames(s.make(), "a0", "a1").size(), std::size_t(1)); // the network is all there is
}

void TestRoutes::aThirdHostForwardsNothing()
{
    SmallCluster s;
    s.host("h0").host("h1").host("h2").device("a", "h0").device("b", "h1").device("c", "h2");
    s.hub("cpu2", HubKind::Cpu, "h2").hub("rack", HubKind::Switch, "h2");
    s.link("a-cpu2", "a", "cpu2", 50).link("b-cpu2", "b", "cpu2", 50).link("c-cpu2", "c", "cpu2", 50);
    QVERIFY(routeNames(s.make(), "a", "b").empty());
    QCOMPARE(routeNames(s.make(), "a", "c"), Names {"a-cpu2+ c-cpu2-"});
    s.link("a-rack", "a", "rack", 5).link("b-rack", "b", "rack", 5);
    QCOMPARE(routeNames(s.make(), "a", "b"), Names {"a-rack+ b-rack-"}); // a switch does, wherever it stands
}

void TestRoutes::capacityConflictsNarrowARoute()
{
    SmallCluster s;
    s.device("a").device("b").hub("x");
    s.link("direct", "a", "b", 9).link("a-x", "a", "x", 16).link("x-b", "x", "b", 16);
    s.conflict("bus", {"a-x", "x-b"}, 16);
    // Both links point the same way along the route, so it loads the group twice: 8 GB/s are left.
    auto routes = findRoutes(s.make(), DeviceId(0), DeviceId(1));
    QCOMPARE(routes.size(), std::size_t(2));
    QCOMPARE(namesOf(s.make(), routes[0]), std::string("direct+"));
    QCOMPARE(routes[1].bandwidth.value, 8e9);
    // Opposite directions are counted apart ...
    SmallCluster up = s;
    std::swap(up.parts.links[2].ends[0], up.parts.links[2].ends[1]);
    routes = findRoutes(up.make(), DeviceId(0), DeviceId(1));
    QCOMPARE(routes[0].bandwidth.value, 16e9);
    // ... unless the group says otherwise.
    up.parts.conflicts[0].bothDirections = true;
    routes = findRoutes(up.make(), DeviceId(0), DeviceId(1));
    QCOMPARE(routes[0].bandwidth.value, 9e9);
    QCOMPARE(routes[1].bandwidth.value, 8e9);
    const RouteTable table(up.make());
    QCOMPARE(table.between(DeviceId(0), DeviceId(1)).front().route.bandwidth.value, 9e9);
}

void TestRoutes::exclusiveLinksOfOneGroupCannotFollowEachOther()
{
    SmallCluster s;
    s.device("a").device("b").hub("x").link("a-x", "a", "x", 16).link("x-b", "x", "b", 16);
    s.link("slow", "a", "b", 1).conflict("one at a time", {"a-x", "x-b"});
    QCOMPARE(routeNames(s.make(), "a", "b"), Names {"slow+"});
    const RouteTable table(s.make());
    QCOMPARE(table.between(DeviceId(0), DeviceId(1)).size(), std::size_t(1));
}

void TestRoutes::directionsOfHops()
{
    const Cluster c = twoHosts().make();
    for (const auto &[from, to] : {std::pair("a0", "b0"), std::pair("b0", "a0"), std::pair("a0", "a1")}) {
        for (const Route &route : findRoutes(c, c.findDevice(from), c.findDevice(to))) {
            VertexId at = c.findVertex(from);
            for (const Hop &hop : route.hops) {
                const Link &link = c.link(hop.link);
                QCOMPARE(link.ends[hop.direction == Direction::Forward ? 0 : 1], at);
                at = link.ends[hop.direction == Direction::Forward ? 1 : 0];
            }
            QCOMPARE(at, c.findVertex(to));
        }
    }
}

void TestRoutes::stripesShareByBandwidth()
{
    SmallCluster s;
    s.device("a").device("b").link("l0", "a", "b", 30).link("l1", "a", "b", 10);
    const Cluster c = s.make();
    const auto stripes = stripeOver(c, findRoutes(c, DeviceId(0), DeviceId(1)));
    QCOMPARE(stripes.size(), std::size_t(2));
    QCOMPARE(stripes[0].share, 0.75);
    QCOMPARE(stripes[1].share, 0.25);
}

void TestRoutes::stripesLeaveOutWhatDoesNotPay()
{
    SmallCluster s;
    s.device("a").device("b").link("l0", "a", "b", 100).link("l1", "a", "b", 4.9);
    QCOMPARE(stripeOver(s.make(), findRoutes(s.make(), DeviceId(0), DeviceId(1))).size(), std::size_t(1));
    s.parts.links[1].bandwidth = gigabytesPerSecond(5);
    QCOMPARE(stripeOver(s.make(), findRoutes(s.make(), DeviceId(0), DeviceId(1))).size(), std::size_t(2));
    // Two NICs behind one upstream: together no faster than one.
    SmallCluster shared;
    shared.device("a").device("b").link("n0", "a", "b", 50).link("n1", "a", "b", 50).link("own", "a", "b", 10);
    shared.conflict("upstream", {"n0", "n1"}, 50);
    const Cluster c = shared.make();
    auto stripes = stripeOver(c, findRoutes(c, DeviceId(0), DeviceId(1)));
    QCOMPARE(stripes.size(), std::size_t(2));
    QCOMPARE(namesOf(c, stripes[0].route), std::string("n0+"));
    QCOMPARE(namesOf(c, stripes[1].route), std::string("own+"));
    const RouteTable table(c);
    QCOMPARE(table.between(DeviceId(0), DeviceId(1)).size(), std::size_t(2));
    // An upstream that carries one and a half of them: both are used.
    shared.parts.conflicts[0].capacity = gigabytesPerSecond(75);
    stripes = stripeOver(shared.make(), findRoutes(shared.make(), DeviceId(0), DeviceId(1)));
    QCOMPARE(stripes.size(), std::size_t(3));
}

void TestRoutes::stripesRespectExclusiveGroups()
{
    SmallCluster s;
    s.device("a").device("b").link("l0", "a", "b", 30).link("l1", "a", "b", 20).link("l2", "a", "b", 10);
    s.conflict("x", {"l0", "l1"});
    const Cluster c = s.make();
    const auto stripes = stripeOver(c, findRoutes(c, DeviceId(0), DeviceId(1)));
    QCOMPARE(stripes.size(), std::size_t(2));
    QCOMPARE(namesOf(c, stripes[1].route), std::string("l2+"));
    const RouteTable table(c);
    QCOMPARE(namesOf(c, table.between(DeviceId(0), DeviceId(1)).back().route), std::string("l2+"));
}

void TestRoutes::tableAgreesWithTheFunctions()
{
    const Cluster c = twoHosts().make();
    const RouteTable table(c);
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
            const auto expected = stripeOver(c, findRoutes(c, DeviceId(i), DeviceId(j)));
            const auto &got = table.between(DeviceId(i), DeviceId(j));
            QCOMPARE(got.size(), expected.size());
            for (std::size_t k = 0; k < got.size(); ++k)
                QVERIFY(got[k].route == expected[k].route && got[k].share == expected[k].share);
            QCOMPARE(&table.between(DeviceId(i), DeviceId(j)), &got); // remembered
        }
    }
}

void TestRoutes::tableFindsStripesBeyondTheLimit()
{
    // Twenty equal parallel links: more than findRoutes gives by default.
    SmallCluster s;
    s.device("a").device("b");
    for (int i = 0; i < 20; ++i)
        s.link("l" + std::to_string(i), "a", "b", 25);
    const RouteTable table(s.make());
    QCOMPARE(findRoutes(s.make(), DeviceId(0), DeviceId(1)).size(), std::size_t(16));
    QCOMPARE(table.between(DeviceId(0), DeviceId(1)).size(), std::size_t(20));
}

void TestRoutes::tableFromManyThreads()
{
    SmallCluster s;
    const int devices = 24;
    s.hub("sw");
    for (int i = 0; i < devices; ++i)
        s.device("d" + std::to_string(i));
    for (int i = 0; i < devices; ++i)
        s.link("l" + std::to_string(i), "d" + std::to_string(i), "sw", 10 + i);
    const Cluster c = s.make();
    const RouteTable table(c);
    std::vector<std::vector<const std::vector<Stripe> *>> seen(4);
    std::vector<std::thread> threads;
    for (auto &mine : seen) {
        threads.emplace_back([&table, &mine] {
            for (int i = 0; i < devices; ++i) {
                for (int j = 0; j < devices; ++j)
                    mine.push_back(&table.between(DeviceId(i), DeviceId(j)));
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    for (const auto &mine : seen)
        QVERIFY(mine == seen.front());
    QCOMPARE(seen.front()[std::size_t(3 * devices + 9)]->front().route.bandwidth.value, 13e9);
}

void TestRoutes::widestAgreesWithEnumeration()
{
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        SmallCluster s;
        const int devices = 3;
        const int hubs = 4;
        for (int i = 0; i < devices; ++i)
            s.device("d" + std::to_string(i));
        for (int i = 0; i < hubs; ++i)
            s.hub("h" + std::to_string(i));
        const auto name = [&](unsigned v) {
            return v < unsigned(devices) ? "d" + std::to_string(v) : "h" + std::to_string(v - devices);
        };
        for (int l = 0; l < 12; ++l) {
            const unsigned a = random() % 7;
            const unsigned b = random() % 7;
            if (a == b)
                continue;
            s.link("l" + std::to_string(l), name(a), name(b), 1 + random() % 5, random() % 3);
            if (random() % 6 == 0)
                s.parts.links.back().state = LinkState::Down;
        }
        const Cluster c = s.make();
        for (int to = 1; to < devices; ++to) {
            std::vector<bool> visited(c.vertexCount());
            const double expected =
                widestByEnumeration(c, VertexId(0), VertexId(to), visited, std::numeric_limits<double>::infinity());
            const auto routes = findRoutes(c, DeviceId(0), DeviceId(to));
            QCOMPARE(routes.empty() ? 0.0 : routes[0].bandwidth.value, expected);
            const RouteTable table(c);
            const auto &stripes = table.between(DeviceId(0), DeviceId(to));
            QCOMPARE(stripes.empty() ? 0.0 : stripes[0].route.bandwidth.value, expected);
        }
    }
}

QTEST_GUILESS_MAIN(TestRoutes)
#include "tst_routes.moc"
