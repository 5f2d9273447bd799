// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_cluster.hpp"
#include "ui/canvas/auto_layout.hpp"
#include "ui/canvas/label_placement.hpp"
#include "ui/canvas/link_geometry.hpp"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace polyrail;

namespace {

/// `k` links between two cards (or pills), and cards that only stand about.
struct Scene
{
    Cluster cluster;
    std::vector<NodeShape> shapes;
};

Scene pairWith(int k, QPointF a, QPointF b, const std::vector<QPointF> &others = {}, double gigabytes = 25,
               bool turned = false)
{
    ClusterParts parts;
    Scene scene;
    const auto add = [&](const std::string &id, QPointF at) {
        Device d;
        d.id = id;
        parts.devices.push_back(d);
        scene.shapes.push_back({at, QSizeF(116, 54), 6});
    };
    add("a", a);
    add("b", b);
    for (std::size_t i = 0; i < others.size(); ++i)
        add("o" + std::to_string(i), others[i]);
    for (int i = 0; i < k; ++i) {
        Link link;
        link.id = "l" + std::to_string(i);
        link.ends = turned && i % 2 ? std::array{VertexId(1), VertexId(0)} : std::array{VertexId(0), VertexId(1)};
        link.bandwidth = gigabytesPerSecond(gigabytes);
        parts.links.push_back(link);
    }
    scene.cluster = *Cluster::make(parts);
    return scene;
}

bool onOutline(const NodeShape &shape, const QPointF &p)
{
    const QPointF out = shape.centre + (p - shape.centre) * 1.02;
    const QPointF in = shape.centre + (p - shape.centre) * 0.98;
    return !shape.contains(out) && shape.contains(in);
}

double topOffset(const Curve &curve, const QPointF &normal, const QPointF &middle)
{
    return dot(curve.at(0.5) - middle, normal);
}

} // namespace

class TestCanvasGeometry : public QObject
{
    Q_OBJECT
private slots:
    void widthGrowsWithTheLogarithm()
    {
        QCOMPARE(linkWidth(gigabytesPerSecond(0.05)), 2.0); // 1.8, not below 2
        QCOMPARE(linkWidth(gigabytesPerSecond(0.5)), 3.3);
        QCOMPARE(linkWidth(gigabytesPerSecond(5)), 4.8);
        QCOMPARE(linkWidth(gigabytesPerSecond(1e9)), 9.0);
    }

    void curvesSplitByLength()
    {
        const Curve curve{{0, 0}, {50, 80}, {100, 0}};
        const double half = curve.part(0, curve.parameterAt(0.25)).length();
        QVERIFY(std::abs(half - 0.25 * curve.length()) < 0.01 * curve.length());
        const Curve back = curve.part(1, 0);
        QCOMPARE(back.start, curve.end);
        QCOMPARE(back.end, curve.start);
        QVERIFY(curve.bounds().contains(curve.at(0.5)));
        QCOMPARE(curve.bounds().bottom(), 40.0);
        QVERIFY(std::abs(curve.distance({50, 50}) - 10) < 0.5);
    }

    void aSingleFreeLinkIsStraight()
    {
        const Scene s = pairWith(1, {0, 0}, {400, 0});
        const LinkGeometry g = layOutLinks(s.cluster, s.shapes);
        const Curve &c = g.curves[0].curve;
        QCOMPARE(c.start.y(), 0.0);
        QCOMPARE(c.at(0.5).y(), 0.0);
        QVERIFY(std::abs(c.start.x() - 58) < 0.01); // on the outline of the card
        QVERIFY(std::abs(c.end.x() - 342) < 0.01);
    }

    void fansAreEvenAndHaveNoLimit_data()
    {
        QTest::addColumn<int>("count");
        for (int k : {2, 3, 4, 5, 8, 12, 18, 40})
            QTest::addRow("%d links", k) << k;
    }

    void fansAreEvenAndHaveNoLimit()
    {
        QFETCH(int, count);
        const Scene s = pairWith(count, {0, 0}, {500, 0});
        const LinkGeometry g = layOutLinks(s.cluster, s.shapes);
        QCOMPARE(g.bundles.size(), std::size_t(1));
        std::vector<double> tops;
        for (LinkId l : g.bundles[0].links) {
            const LinkCurve &curve = g.curves[l.index()];
            tops.push_back(curve.curve.at(0.5).y());
            QVERIFY(onOutline(s.shapes[0], curve.curve.start));
            QVERIFY(onOutline(s.shapes[1], curve.curve.end));
        }
        const double gap = tops[1] - tops[0];
        QVERIFY(gap >= g.curves[0].width + 1.9); // never touching
        for (std::size_t i = 1; i < tops.size(); ++i)
            QVERIFY(std::abs(tops[i] - tops[i - 1] - gap) < 0.2);
        QVERIFY(std::abs(tops.front() + tops.back()) < 0.2); // about the centre line
        if (count <= 4)
            QVERIFY(gap >= 24); // labels between them
    }

    void theOrderIsTheSameFromBothEnds()
    {
        const Scene s = pairWith(6, {0, 0}, {300, 170}, {}, 25, true);
        const LinkGeometry g = layOutLinks(s.cluster, s.shapes);
        const QPointF middle(150, 85);
        const QPointF n = unit({-170, 300});
        double last = -1e9;
        for (LinkId l : g.bundles[0].links) {
            const double offset = topOffset(g.curves[l.index()].curve, n, middle);
            QVERIFY(offset > last);
            last = offset;
            const auto &link = s.cluster.link(l);
            // Curves run from ends[0] to ends[1], whichever way the file has them.
            QVERIFY(onOutline(s.shapes[link.ends[0].index()], g.curves[l.index()].curve.start));
        }
    }

    void bundlesAreSortedByKindThenBandwidth()
    {
        ClusterParts parts = pairWith(3, {0, 0}, {500, 0}).cluster.parts();
        parts.links[0].kind = LinkKind::Network;
        parts.links[1].kind = LinkKind::NvLink;
        parts.links[2].kind = LinkKind::Network;
        parts.links[2].bandwidth = gigabytesPerSecond(50);
        const Cluster cluster = *Cluster::make(parts);
        const LinkGeometry g = layOutLinks(cluster, pairWith(3, {0, 0}, {500, 0}).shapes);
        QCOMPARE(g.bundles[0].links, std::vector<LinkId>({LinkId(1), LinkId(2), LinkId(0)}));
    }

    void lineOverACardBowsRoundIt()
    {
        const Scene s = pairWith(2, {0, 0}, {0, 240}, {{0, 120}});
        const LinkGeometry g = layOutLinks(s.cluster, s.shapes);
        QVERIFY(g.bundles[0].bowed);
        for (const LinkCurve &link : g.curves)
            for (int i = 0; i <= 100; ++i)
                QVERIFY(!s.shapes[2].rect().adjusted(-11, -11, 11, 11).contains(link.curve.at(i / 100.0)));
    }

    void bowsGoToTheFreerSide()
    {
        // A wall on the right: the bow goes left.
        const Scene s = pairWith(1, {0, 0}, {0, 240}, {{0, 120}, {130, 60}, {130, 120}, {130, 180}});
        const LinkGeometry g = layOutLinks(s.cluster, s.shapes);
        QVERIFY(g.curves[0].curve.at(0.5).x() < -58);
    }

    void chordsOverTheSameCardsNest()
    {
        // Four cards above each other, all joined: the long chord runs outside the short ones.
        ClusterParts parts;
        std::vector<NodeShape> shapes;
        for (int i = 0; i < 4; ++i) {
            Device d;
            d.id = std::string(1, char('a' + i));
            parts.devices.push_back(d);
            shapes.push_back({QPointF(0, 80.0 * i), QSizeF(116, 54), 6});
        }
        for (int i = 0; i < 4; ++i)
            for (int k = i + 1; k < 4; ++k) {
                Link link;
                link.id = std::to_string(i) + std::to_string(k);
                link.ends = {VertexId(i), VertexId(k)};
                link.bandwidth = gigabytesPerSecond(25);
                parts.links.push_back(link);
            }
        const Cluster cluster = *Cluster::make(parts);
        const LinkGeometry g = layOutLinks(cluster, shapes);
        const auto top = [&](const char *id) { return std::abs(g.curves[cluster.findLink(id).index()].curve.at(0.5).x()); };
        QVERIFY(top("03") > top("02") + 5);
        QVERIFY(top("03") > top("13") + 5);
        QCOMPARE(top("01"), 0.0); // neighbours are joined straight
        // Same side, and their ends stand apart on the card.
        const QPointF p02 = g.curves[cluster.findLink("02").index()].curve.start;
        const QPointF p03 = g.curves[cluster.findLink("03").index()].curve.start;
        QCOMPARE(p02.x(), p03.x());
        QVERIFY(std::abs(p02.y() - p03.y()) >= 4);
    }

    void hitTestPicksTheRightOfParallelLinks()
    {
        const Scene s = pairWith(5, {0, 0}, {500, 0});
        const LinkGeometry g = layOutLinks(s.cluster, s.shapes);
        for (std::size_t i = 0; i < g.curves.size(); ++i)
            for (double t : {0.2, 0.5, 0.8})
                QCOMPARE(linkAt(g, g.curves[i].curve.at(t)), LinkId(i));
        QVERIFY(!linkAt(g, QPointF(250, 300)).valid());
        QCOMPARE(linkAt(g, g.curves[0].curve.at(0.5) + QPointF(0, -6)), LinkId(0)); // near is enough
    }

    void hiddenLinksAreLeftOut()
    {
        const Scene s = pairWith(3, {0, 0}, {500, 0});
        const LinkGeometry g = layOutLinks(s.cluster, s.shapes, {true, false, true});
        QCOMPARE(g.curves[1].bundle, -1);
        QCOMPARE(g.bundles[0].links.size(), std::size_t(2));
    }

    void overlappingCardsStillHaveACurve()
    {
        const Scene s = pairWith(2, {0, 0}, {20, 10});
        for (const LinkCurve &link : layOutLinks(s.cluster, s.shapes).curves) {
            QVERIFY(link.curve.length() > 0);
            QVERIFY(std::isfinite(link.curve.at(0.5).x()));
        }
        const Scene same = pairWith(2, {0, 0}, {0, 0});
        for (const LinkCurve &link : layOutLinks(same.cluster, same.shapes).curves)
            QVERIFY(std::isfinite(link.curve.at(0.5).x()) && std::isfinite(link.curve.end.y()));
    }

    void geometryIsDeterministicAndFinite()
    {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> place(-900, 900);
        for (int round = 0; round < 20; ++round) {
            Cluster cluster = test::manyHosts(2, 2, 1);
            std::vector<NodeShape> shapes;
            for (std::size_t i = 0; i < cluster.vertexCount(); ++i)
                shapes.push_back({QPointF(place(random), place(random)), QSizeF(90, 40), 10});
            const LinkGeometry one = layOutLinks(cluster, shapes);
            const LinkGeometry two = layOutLinks(cluster, shapes);
            for (std::size_t i = 0; i < one.curves.size(); ++i) {
                QCOMPARE(one.curves[i].curve.control, two.curves[i].curve.control);
                QVERIFY(std::isfinite(one.curves[i].curve.start.x() + one.curves[i].curve.control.y()
                                      + one.curves[i].curve.end.x()));
                QVERIFY(one.curves[i].bundle >= 0);
            }
        }
    }

    void labelsNeverOverlap()
    {
        std::mt19937 random(11);
        std::uniform_real_distribution<double> place(0, 800);
        for (int round = 0; round < 50; ++round) {
            RectIndex taken;
            std::vector<QRectF> cards;
            for (int i = 0; i < 12; ++i) {
                cards.push_back({place(random), place(random), 116, 54});
                taken.add(cards.back());
            }
            std::vector<LabelRequest> requests;
            for (int i = 0; i < 60; ++i) {
                LabelRequest r;
                r.curve = {{place(random), place(random)}, {place(random), place(random)}, {place(random), place(random)}};
                r.outward = {0, -1};
                r.full = {130, 18};
                r.brief = {60, 18};
                requests.push_back(r);
            }
            const auto placed = placeLabels(requests, taken, false);
            int shown = 0;
            for (std::size_t i = 0; i < placed.size(); ++i) {
                if (placed[i].form == PlacedLabel::Hidden)
                    continue;
                ++shown;
                for (const QRectF &card : cards)
                    QVERIFY(!card.intersects(placed[i].rect));
                for (std::size_t k = 0; k < i; ++k)
                    QVERIFY(placed[k].form == PlacedLabel::Hidden || !placed[k].rect.intersects(placed[i].rect));
            }
            QVERIFY(shown > 5);
        }
    }

    void labelsPreferTheTopThenSlideThenShrinkThenHide()
    {
        LabelRequest r;
        r.curve = {{0, 0}, {200, 0}, {400, 0}};
        r.outward = {0, -1};
        r.full = {100, 18};
        r.brief = {40, 18};
        RectIndex empty;
        QCOMPARE(placeLabels({r}, empty, false)[0].rect.center().x(), 200.0);
        RectIndex middle;
        middle.add({195, -30, 10, 30});
        const PlacedLabel slid = placeLabels({r}, middle, false)[0];
        QCOMPARE(slid.form, PlacedLabel::Full);
        QVERIFY(std::abs(slid.rect.center().x() - 140) < 1 || std::abs(slid.rect.center().x() - 260) < 1);
        RectIndex narrow;
        narrow.add({0, -30, 175, 30});
        narrow.add({225, -30, 175, 30});
        QCOMPARE(placeLabels({r}, narrow, false)[0].form, PlacedLabel::Brief);
        RectIndex full;
        full.add({0, -30, 400, 30});
        QCOMPARE(placeLabels({r}, full, false)[0].form, PlacedLabel::Hidden);
        r.bothSides = true;
        const PlacedLabel below = placeLabels({r}, full, false)[0];
        QCOMPARE(below.form, PlacedLabel::Full);
        QVERIFY(below.rect.top() > 0);
    }

    void tiersAreDeterministicAndDoNotOverlap_data()
    {
        QTest::addColumn<int>("hosts");
        QTest::addColumn<int>("switches");
        QTest::newRow("one host") << 1 << 1;
        QTest::newRow("two") << 2 << 2;
        QTest::newRow("four") << 4 << 4;
        QTest::newRow("a grid") << 12 << 4;
        QTest::newRow("none to place") << 0 << 0;
    }

    void tiersAreDeterministicAndDoNotOverlap()
    {
        QFETCH(int, hosts);
        QFETCH(int, switches);
        const Cluster cluster = test::manyHosts(hosts, switches);
        std::vector<QSizeF> sizes(cluster.vertexCount(), QSizeF(116, 54));
        for (std::size_t i = cluster.devices().size(); i < sizes.size(); ++i)
            sizes[i] = QSizeF(90, 30);
        const auto places = tierLayout(cluster, sizes);
        QCOMPARE(places.size(), cluster.vertexCount());
        QVERIFY(places == tierLayout(cluster, sizes));
        std::vector<QRectF> rects;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const Point p = places.at(cluster.vertexName(VertexId(i)));
            rects.push_back({QPointF(p.x - sizes[i].width() / 2, p.y - sizes[i].height() / 2), sizes[i]});
            for (std::size_t k = 0; k < i; ++k)
                QVERIFY2(!rects[k].intersects(rects[i]), cluster.vertexName(VertexId(i)).c_str());
        }
        // Hosts do not overlap either.
        for (int a = 0; a < hosts; ++a)
            for (int b = 0; b < a; ++b) {
                QRectF boxes[2];
                for (std::size_t i = 0; i < rects.size(); ++i)
                    for (int which = 0; which < 2; ++which)
                        if (cluster.hostOf(VertexId(i)) == HostId(which ? a : b))
                            boxes[which] |= rects[i];
                QVERIFY(!boxes[0].intersects(boxes[1]));
            }
    }

    void givenPositionsAreKept()
    {
        ClusterParts parts = test::twoBoxes().parts();
        const std::size_t all = parts.devices.size() + parts.hubs.size();
        const std::vector<QSizeF> sizes(all, QSizeF(100, 40));
        const auto given = vertexPositions(*Cluster::make(parts), sizes);
        QCOMPARE(given[0].x, 140.0);
        parts.layout.erase("V100 3");
        const Cluster partly = *Cluster::make(parts);
        const auto mixed = vertexPositions(partly, sizes);
        QCOMPARE(mixed[0].x, 140.0);
        const double lowest = 148 + 82 * 3 + 20;
        QVERIFY(mixed[partly.findVertex("V100 3").index()].y > lowest); // below what is placed
    }

    void trunksCountLinksBetweenHosts()
    {
        const Cluster cluster = test::twoBoxes();
        const auto found = trunks(cluster);
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].links, 3);
        QVERIFY(std::abs(found[0].bytesPerSecond - 1.875e9) < 1);
        std::vector<bool> show(cluster.links().size(), true);
        show[cluster.findLink("mgmt").index()] = false;
        QCOMPARE(trunks(cluster, show)[0].links, 2);
    }
};

QTEST_GUILESS_MAIN(TestCanvasGeometry)
#include "tst_canvas_geometry.moc"
