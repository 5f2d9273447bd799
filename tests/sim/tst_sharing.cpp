// SPDX-License-Identifier: GPL-3.0-or-later
// Transfers that share links: each system is stated with the equations that give its answer.
// Bandwidths are in bytes per nanosecond, times in nanoseconds.
#include "small_net.hpp"

#include <QtTest>

using namespace small;

class TestSharing : public QObject
{
    Q_OBJECT

private slots:
    void oneFlow();
    void roundsUpAndKeepsBytes();
    void twoFlowsOnOneLink();
    void laterFlowTakesHalf();
    void threeFlowsTwoLinks();
    void fairnessIsInBytesPerSecond();
    void oppositeDirectionsDoNotShare();
    void halfDuplexShares();
    void capacityGroupPerDirection();
    void capacityGroupBothDirections();
    void usesAdvanceInStep();
    void stripedTransferLoadsAllItsLinks();
    void severalUsesOfOneLinkAdd();
    void ownDurationIsACeiling();
    void ceilingLeavesTheRestToOthers();
    void latencyComesFirst();
    void latencyUsesNoBandwidth();
    void zeroBytes();
    void exclusiveGroupSerialises();
    void exclusiveGroupSharesTheSameLink();
    void exclusiveGroupIsFirstComeFirstServed();
    void exclusiveClaimHeldDuringLatency();
    void exclusiveChainOfGroups();
    void downLinkIsInfeasible();
    void twoLinksOfOneGroupAreInfeasible();
    void disjointPartsDoNotDisturbEachOther();
    void criticalPathThroughAGroup();
    void contendedIntervals();
    void networkAloneTimes();
};

void TestSharing::oneFlow()
{
    // 1000 bytes at 10: 100.
    Graph g;
    g.transfer({{0, 1000}});
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(end(s, 0), 100);
    QCOMPARE(segments(usage(s, 0)), "[0,100)x10");
    QCOMPARE(usage(s, 0)->bytes, 1000.0);
    QVERIFY(!usage(s, 0, bwd));
}

void TestSharing::roundsUpAndKeepsBytes()
{
    // 1001 bytes at 10: 100.1, so 101; the rate that is written down is 1001 / 101 < 10.
    Graph g;
    g.transfer({{0, 1001}});
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(end(s, 0), 101);
    QVERIFY(std::abs(usage(s, 0)->bytes - 1001) < 1e-9);
    QVERIFY(usage(s, 0)->segments.front().bytesPerSecond < 10e9);
}

void TestSharing::twoFlowsOnOneLink()
{
    // Both at 5 until the smaller ends: 500/5 = 100; the other has 1000 - 500 left, at 10: 150.
    Graph g;
    g.transfer({{0, 500}});
    g.transfer({{0, 1000}});
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(end(s, 0), 100);
    QCOMPARE(end(s, 1), 150);
    QCOMPARE(segments(usage(s, 0)), "[0,150)x10"); // the link is full all the time
}

void TestSharing::laterFlowTakesHalf()
{
    // 0 alone until 40 (400 bytes), then both at 5: 0 needs 600/5 = 120 more, ends at 160; by then 1 has
    // 600 of its 900, and the rest at 10: 190.
    Graph g;
    g.transfer({{0, 1000}});
    const int wait = g.compute({0}, 40);
    g.transfer({{0, 900}}, {wait});
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(end(s, 0), 160);
    QCOMPARE(start(s, 2), 40);
    QCOMPARE(end(s, 2), 190);
}

void TestSharing::threeFlowsTwoLinks()
{
    // The classic example: l0 carries A, B and C, l1 carries C and D, both of capacity 3. Max-min:
    // A = B = C = 1/3 of l0, and D gets the 2/3 of l1 that C leaves.
    Graph g;
    const int a = g.transfer({{0, 100}});
    const int b = g.transfer({{0, 100}});
    const int c = g.transfer({{0, 100}, {1, 100}});
    const int d = g.transfer({{1, 200}});
    const Schedule s = run(g, Net(3).link(0, 1, 3).link(1, 2, 3).cluster());
    for (int flow : {a, b, c, d})
        QCOMPARE(end(s, flow), 100);
    QCOMPARE(segments(usage(s, 1)), "[0,100)x3");
}

void TestSharing::fairnessIsInBytesPerSecond()
{
    // A crosses l0 (10) and l1 (100); B and C are on l1 alone. A is held to 10 by l0, and B and C get
    // (100 - 10) / 2 = 45 each: what counts is the rate on the flow's own most loaded link.
    Graph g;
    const int a = g.transfer({{0, 1000}, {1, 1000}});
    const int b = g.transfer({{1, 4500}});
    const int c = g.transfer({{1, 4500}});
    const Schedule s = run(g, Net(3).link(0, 1, 10).link(1, 2, 100).cluster());
    for (int flow : {a, b, c})
        QCOMPARE(end(s, flow), 100);
}

void TestSharing::oppositeDirectionsDoNotShare()
{
    Graph g;
    g.transfer({{0, 1000, fwd}});
    g.transfer({{0, 1000, bwd}});
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(s.makespan.value, 100);
    QCOMPARE(s.links.size(), 2u);
    QCOMPARE(s.links[0].direction, fwd);
    QCOMPARE(s.links[1].direction, bwd);
}

void TestSharing::halfDuplexShares()
{
    Graph g;
    g.transfer({{0, 1000, fwd}});
    g.transfer({{0, 1000, bwd}});
    const Schedule s = run(g, Net(2).link(0, 1, 10, Duplex::Half).cluster());
    QCOMPARE(s.makespan.value, 200);
    QCOMPARE(segments(usage(s, 0, bwd)), "[0,200)x5");
}

void TestSharing::capacityGroupPerDirection()
{
    // Two links of 10 under an uplink of 12 per direction: two forward flows get 6 each; backward alone 10.
    Graph g;
    g.transfer({{0, 600, fwd}});
    g.transfer({{1, 600, fwd}});
    g.transfer({{0, 1000, bwd}});
    const Schedule s = run(g, Net(3).link(0, 1, 10).link(0, 2, 10).capacity({0, 1}, 12).cluster());
    QCOMPARE(end(s, 0), 100);
    QCOMPARE(end(s, 1), 100);
    QCOMPARE(end(s, 2), 100);
}

void TestSharing::capacityGroupBothDirections()
{
    // The same uplink, 12 for both directions together: three flows, 4 each. 1000 takes 150 + (1000 - 600) / 10.
    Graph g;
    g.transfer({{0, 600, fwd}});
    g.transfer({{1, 600, fwd}});
    g.transfer({{0, 1000, bwd}});
    const Schedule s = run(g, Net(3).link(0, 1, 10).link(0, 2, 10).capacity({0, 1}, 12, true).cluster());
    QCOMPARE(end(s, 0), 150);
    QCOMPARE(end(s, 1), 150);
    QCOMPARE(end(s, 2), 190);
}

void TestSharing::usesAdvanceInStep()
{
    // 1000 bytes over l0 (10) and 500 over l1 (10): l0 takes 100, and l1 goes at 5 all that time.
    Graph g;
    g.transfer({{0, 1000}, {1, 500}});
    const Schedule s = run(g, Net(3).link(0, 1, 10).link(1, 2, 10).cluster());
    QCOMPARE(end(s, 0), 100);
    QCOMPARE(segments(usage(s, 0)), "[0,100)x10");
    QCOMPARE(segments(usage(s, 1)), "[0,100)x5");
}

void TestSharing::stripedTransferLoadsAllItsLinks()
{
    // 1500 bytes striped 1000 : 500 over links of 10 and 5: both take 100, full.
    Graph g;
    g.transfer({{0, 1000}, {1, 500}});
    const Schedule s = run(g, Net(2).link(0, 1, 10).link(0, 1, 5).cluster());
    QCOMPARE(end(s, 0), 100);
    QCOMPARE(segments(usage(s, 1)), "[0,100)x5");
}

void TestSharing::severalUsesOfOneLinkAdd()
{
    // A collective that crosses a link three times puts three times the bytes on it.
    Graph g;
    g.transfer({{0, 200}, {0, 300}, {0, 500}});
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(end(s, 0), 100);
    QCOMPARE(usage(s, 0)->bytes, 1000.0);
    QVERIFY(usage(s, 0)->contended.empty()); // one transfer does not contend with itself
}

void TestSharing::ownDurationIsACeiling()
{
    // The link could do it in 100, the protocol needs 250.
    Graph g;
    g.transfer({{0, 1000}}, {}, 0, 250);
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(end(s, 0), 250);
    QCOMPARE(segments(usage(s, 0)), "[0,250)x4");
}

void TestSharing::ceilingLeavesTheRestToOthers()
{
    // A goes at most 1000/500 = 2, so B gets 8 of the 10: 800/8 = 100.
    Graph g;
    const int a = g.transfer({{0, 1000}}, {}, 0, 500);
    const int b = g.transfer({{0, 800}});
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(end(s, b), 100);
    QCOMPARE(end(s, a), 500);
}

void TestSharing::latencyComesFirst()
{
    Graph g;
    g.transfer({{0, 1000}}, {}, 30);
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(start(s, 0), 0);
    QCOMPARE(end(s, 0), 130);
    QCOMPARE(segments(usage(s, 0)), "[30,130)x10");
}

void TestSharing::latencyUsesNoBandwidth()
{
    // While B is in its latency until 50, A has the link; then both at 5: A has 500 left, ends at 150.
    Graph g;
    g.transfer({{0, 1000}});
    g.transfer({{0, 1000}}, {}, 50);
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(end(s, 0), 150);
    QCOMPARE(end(s, 1), 200);
}

void TestSharing::zeroBytes()
{
    // Latency and duration are all there is; a down link is no obstacle to nothing.
    Graph g;
    g.transfer({}, {}, 30, 12);
    g.transfer({{0, 0}}, {}, 5, 0);
    const Schedule s = run(g, Net(2).link(0, 1, 10, Duplex::Full, LinkState::Down).cluster());
    QCOMPARE(end(s, 0), 42);
    QCOMPARE(end(s, 1), 5);
    QVERIFY(s.links.empty());
}

void TestSharing::exclusiveGroupSerialises()
{
    // l0 and l1 exclude each other: 100 and then 200.
    Graph g;
    g.transfer({{0, 1000}});
    g.transfer({{1, 1000}});
    const Schedule s = run(g, Net(3).link(0, 1, 10).link(0, 2, 10).exclusive({0, 1}).cluster());
    QCOMPARE(end(s, 0), 100);
    QCOMPARE(start(s, 1), 100);
    QCOMPARE(end(s, 1), 200);
}

void TestSharing::exclusiveGroupSharesTheSameLink()
{
    // Two transfers over the same link of the group share it.
    Graph g;
    g.transfer({{0, 500}});
    g.transfer({{0, 500}});
    const Schedule s = run(g, Net(3).link(0, 1, 10).link(0, 2, 10).exclusive({0, 1}).cluster());
    QCOMPARE(start(s, 1), 0);
    QCOMPARE(s.makespan.value, 100);
}

void TestSharing::exclusiveGroupIsFirstComeFirstServed()
{
    // 1 (over l1) is ready at 10, 2 (over l0, in use) at 20: 2 may not overtake 1. The first ends at 100,
    // 1 runs to 200, 2 from then on. 3, ready with 1 but of a higher index, goes beside 1: same link.
    Graph g;
    g.transfer({{0, 1000}});
    const int ten = g.compute({0}, 10);
    const int twenty = g.compute({1}, 20);
    const int late = g.transfer({{0, 1000}}, {twenty});
    const int first = g.transfer({{1, 1000}}, {ten});
    const int beside = g.transfer({{1, 1000}}, {ten});
    const Schedule s = run(g, Net(3).link(0, 1, 10).link(0, 2, 10).exclusive({0, 1}).cluster());
    QCOMPARE(start(s, first), 100);
    QCOMPARE(start(s, beside), 100);
    QCOMPARE(end(s, first), 300); // 2000 bytes at 10
    QCOMPARE(start(s, late), 300);
}

void TestSharing::exclusiveClaimHeldDuringLatency()
{
    // The other link waits for latency and body: 30 + 100.
    Graph g;
    g.transfer({{0, 1000}}, {}, 30);
    g.transfer({{1, 1000}});
    const Schedule s = run(g, Net(3).link(0, 1, 10).link(0, 2, 10).exclusive({0, 1}).cluster());
    QCOMPARE(start(s, 1), 130);
}

void TestSharing::exclusiveChainOfGroups()
{
    // Groups {l0,l1} and {l2,l3}. A holds l0 until 100. B needs l1 and l2, so it waits for A and keeps its
    // place in the second group; C needs l3 and came later, so it waits for B, which runs 100..200.
    Graph g;
    g.transfer({{0, 1000}});
    const int b = g.transfer({{1, 1000}, {2, 1000}});
    const int c = g.transfer({{3, 1000}});
    const Schedule s = run(
        g, Net(5).link(0, 1, 10).link(1, 2, 10).link(2, 3, 10).link(3, 4, 10).exclusive({0, 1}).exclusive({2, 3}).cluster());
    QCOMPARE(start(s, b), 100);
    QCOMPARE(start(s, c), 200);
    QCOMPARE(path(s), "0 1 2");
}

void TestSharing::downLinkIsInfeasible()
{
    Graph g;
    g.compute({0}, 1);
    g.transfer({{0, 10}});
    const Result<Schedule> s
        = simulate(g.share(), Network(Net(2).link(0, 1, 10, Duplex::Full, LinkState::Down).cluster()));
    QVERIFY(!s);
    QCOMPARE(s.error().kind, ErrorKind::Infeasible);
    QCOMPARE(s.error().where, std::string("task 1 (t1)"));
    QVERIFY(QString::fromStdString(s.error().found).contains("l0"));
}

void TestSharing::twoLinksOfOneGroupAreInfeasible()
{
    Graph g;
    g.transfer({{0, 10}, {1, 10}});
    const Result<Schedule> s
        = simulate(g.share(), Network(Net(3).link(0, 1, 10).link(1, 2, 10).exclusive({0, 1}).cluster()));
    QVERIFY(!s);
    QCOMPARE(s.error().kind, ErrorKind::Infeasible);
    QVERIFY(QString::fromStdString(s.error().message()).contains("l1"));
}

void TestSharing::disjointPartsDoNotDisturbEachOther()
{
    // A flow on l1 comes and goes many times; the flow on l0 keeps one segment and its exact end.
    Graph g;
    const int calm = g.transfer({{0, 7777}});
    int last = g.transfer({{1, 10}});
    for (int k = 0; k < 20; ++k)
        last = g.transfer({{1, 10}}, {last});
    const Schedule s = run(g, Net(3).link(0, 1, 7).link(1, 2, 1).cluster());
    QCOMPARE(end(s, calm), 1111);
    QCOMPARE(usage(s, 0)->segments.size(), 1u);
}

void TestSharing::criticalPathThroughAGroup()
{
    Graph g;
    g.transfer({{0, 1000}});
    const int ready = g.compute({0}, 10);
    const int waits = g.transfer({{1, 1000}}, {ready});
    const Schedule s = run(g, Net(3).link(0, 1, 10).link(0, 2, 10).exclusive({0, 1}).cluster());
    QCOMPARE(start(s, waits), 100);
    QCOMPARE(path(s), "0 2");
}

void TestSharing::contendedIntervals()
{
    // Shared from 40 to 160, as in laterFlowTakesHalf.
    Graph g;
    g.transfer({{0, 1000}});
    const int wait = g.compute({0}, 40);
    g.transfer({{0, 900}}, {wait});
    const Schedule s = run(g, Net(2).link(0, 1, 10).cluster());
    QCOMPARE(usage(s, 0)->contended.size(), 1u);
    QCOMPARE(usage(s, 0)->contended[0].start.value, 40);
    QCOMPARE(usage(s, 0)->contended[0].end.value, 160);
}

void TestSharing::networkAloneTimes()
{
    const Cluster c = Net(3).link(0, 1, 10).link(1, 2, 5, Duplex::Half).link(0, 2, 8, Duplex::Full, LinkState::Down)
                          .capacity({0, 1}, 4).cluster();
    const Network n(c);
    const std::vector<LinkUse> both = {{LinkId(1), fwd, 100}, {LinkId(1), bwd, 50}};
    // Half duplex: 150 bytes on one row of 5, and 100 forward on the conflict's 4.
    QCOMPARE(n.aloneTime(both).value, 30e-9);
    const std::vector<LinkUse> pair = {{LinkId(0), fwd, 100}, {LinkId(1), fwd, 100}};
    QCOMPARE(n.aloneTime(pair).value, 50e-9); // 200 on the conflict's 4
    const std::vector<LinkUse> down = {{LinkId(2), fwd, 1}};
    QVERIFY(std::isinf(n.aloneTime(down).value));
    QVERIFY(!n.possible(down));
    QVERIFY(n.possible(both));
    QCOMPARE(n.terms(pair).size(), 3u);
    QCOMPARE(n.terms(both).size(), 3u); // one row of the half-duplex link, two of the conflict
}

QTEST_GUILESS_MAIN(TestSharing)
#include "tst_sharing.moc"
