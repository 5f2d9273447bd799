// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/routes.hpp"
#include "core/formats/builtin.hpp"
#include "core/formats/importers.hpp"
#include "core/formats/json_files.hpp"
#include "core/formats/nvidia_smi_topo.hpp"
#include "core/formats/topo_text.hpp"

#include <QtTest>

#include <algorithm>
#include <map>

using namespace polyrail;

namespace {

std::string fixture(const std::string &name)
{
    const auto text = readTextFile(POLYRAIL_TEST_DATA "/nvidia-smi-topo/" + name);
    if (!text)
        qFatal("%s", text.error().message().c_str());
    return *text;
}

TopoMatrix matrixOf(const std::string &name)
{
    const auto m = parseNvidiaSmiTopo(fixture(name));
    if (!m)
        qFatal("%s: %s", name.c_str(), m.error().message().c_str());
    return *m;
}

ImportedCluster imported(const std::string &name, const std::optional<std::string> &type = {})
{
    const auto c = importNvidiaSmiTopo(fixture(name), builtinCatalogue(), type);
    if (!c)
        qFatal("%s: %s", name.c_str(), c.error().message().c_str());
    return *c;
}

/// "X NV18 PIX SYS": one row of a matrix.
std::string rowText(const TopoMatrix &m, std::size_t row)
{
    std::string text;
    for (std::size_t c = 0; c < m.vertexCount(); ++c) {
        const TopoCell &cell = m.at(row, c);
        text += (c == 0 ? "" : " ") + std::string(toString(cell.relation)) + (cell.links ? std::to_string(cell.links) : "");
    }
    return text;
}

std::map<std::string, int> linkKinds(const Cluster &c)
{
    std::map<std::string, int> counts;
    for (const Link &link : c.links())
        ++counts[toString(link.kind)];
    return counts;
}

std::map<std::string, int> hubKinds(const Cluster &c)
{
    std::map<std::string, int> counts;
    for (const Hub &hub : c.hubs())
        ++counts[toString(hub.kind)];
    return counts;
}

/// Hubs between two devices over PCIe and host bus only.
std::vector<std::string> pathOf(const Cluster &c, const char *from, const char *to)
{
    ClusterParts parts = c.parts();
    for (Link &link : parts.links) {
        if (link.kind == LinkKind::NvLink)
            link.state = LinkState::Down;
    }
    const auto plain = Cluster::make(parts);
    std::vector<std::string> names;
    const auto routes = findRoutes(*plain, c.findDevice(from), c.findDevice(to), 1);
    if (routes.empty())
        return names;
    for (std::size_t i = 0; i + 1 < routes[0].hops.size(); ++i) {
        const Hop &hop = routes[0].hops[i];
        names.push_back(c.vertexName(plain->link(hop.link).ends[hop.direction == Direction::Forward ? 1 : 0]));
    }
    return names;
}

bool anyContains(const std::vector<std::string> &texts, const char *part)
{
    return std::any_of(texts.begin(), texts.end(), [&](const std::string &t) { return t.find(part) != std::string::npos; });
}

using Names = std::vector<std::string>;

} // namespace

class TestNvidiaSmiTopo : public QObject
{
    Q_OBJECT

private slots:
    void words();
    void oneMachineInManyShapes_data();
    void oneMachineInManyShapes();
    void rowsThatWereCut();
    void missingHeaderIsInferred();
    void columnsOutOfOrder();
    void oldLegendAndNoAffinity();
    void affinities();
    void halvesThatDisagree();
    void switchedFabric();
    void meshOfUnequalBundles();
    void oneGpuOutsideTheFabric();
    void treeOfEveryLevel();
    void bridgesOfOneNumaNode();
    void modelsInTheText();
    void companionTableGivesThePciePath();
    void nvLinkIsHiddenByMp();
    void typesPerGpu();
    void wrongTypes_data();
    void wrongTypes();
    void refusals_data();
    void refusals();
    void everyImportIsWholeAndCanBeSaved_data();
    void everyImportIsWholeAndCanBeSaved();
};

void TestNvidiaSmiTopo::words()
{
    QCOMPARE(unglued("NIC11NIC12"), (Names {"NIC11", "NIC12"}));
    QCOMPARE(unglued("NIC11CPU"), (Names {"NIC11", "CPU"}));
    QCOMPARE(unglued("mlx5_0mlx5_1"), (Names {"mlx5_0", "mlx5_1"}));
    QCOMPARE(unglued("mlx5_bond_0"), Names {"mlx5_bond_0"});
    QCOMPARE(cellsIn("NV18NV18PIX").size(), std::size_t(3));
    QCOMPARE(cellsIn("NV18").front().links, 18);
    QCOMPARE(cellsIn("SOC").front().relation, TopoRelation::Sys);
    for (const char *word : {"NV", "NV0", "ICN2", "OK", "0-31", "N/A", "PIXEL", ""})
        QVERIFY2(cellsIn(word).empty(), word);
    QVERIFY(isColumnName("rocep177s0f0") && isColumnName("mlx5_0") && !isColumnName("Affinity") && !isColumnName("0-31"));
    QCOMPARE(plainLines("a\r\nb\rc\n").size(), std::size_t(4));
    QCOMPARE(plainLines("\x1b[4mGPU0\x1b[0m\t\xc2\xa0X").front(), std::string("GPU0\t X"));
    QCOMPARE(plainLines("\x1b]0;title\aGPU0  ").front(), std::string("GPU0"));
    QCOMPARE(plainLines("[4mGPU0[0m").front(), std::string("GPU0"));
}

void TestNvidiaSmiTopo::oneMachineInManyShapes_data()
{
    QTest::addColumn<QString>("file");
    for (const char *file : {"switched-console.txt", "switched-windows-paste.txt", "switched-utf16.txt",
                             "switched-folded-43.txt", "switched-no-header.txt", "switched-in-comments.txt",
                             "switched-glued.txt"})
        QTest::newRow(file) << file;
}

void TestNvidiaSmiTopo::oneMachineInManyShapes()
{
    QFETCH(QString, file);
    const TopoMatrix m = matrixOf(file.toStdString());
    QCOMPARE(m.gpus, (Names {"GPU0", "GPU1", "GPU2", "GPU3"}));
    QCOMPARE(m.nics, (Names {"NIC0", "NIC1"}));
    QCOMPARE(rowText(m, 0), std::string("X NV18 NV18 NV18 PIX SYS"));
    QCOMPARE(rowText(m, 1), std::string("NV18 X NV18 NV18 NODE SYS"));
    QCOMPARE(rowText(m, 2), std::string("NV18 NV18 X NV18 SYS PIX"));
    QCOMPARE(rowText(m, 3), std::string("NV18 NV18 NV18 X SYS NODE"));
    QCOMPARE(rowText(m, 5), std::string("SYS SYS PIX NODE SYS X"));
    QCOMPARE(m.numaAffinity, (Names {"0", "0", "1", "1"}));
    QCOMPARE(m.cpuAffinity[2], std::string("32-63"));
    QVERIFY(!m.pcieOnly);
    QCOMPARE(m.warnings.size(), std::size_t(file == "switched-no-header.txt" ? 1 : 0));
    QCOMPARE(recognise(fixture(file.toStdString())), ForeignFormat::NvidiaSmiTopo);
    if (file == "switched-console.txt")
        QCOMPARE(m.nicNames.at("NIC1"), std::string("mlx5_4"));
}

void TestNvidiaSmiTopo::rowsThatWereCut()
{
    const TopoMatrix m = matrixOf("switched-cut.txt"); // rows GPU0 and GPU1 only
    QCOMPARE(m.gpus.size(), std::size_t(4));
    QCOMPARE(rowText(m, 2), std::string("NV18 NV18 X unknown unknown unknown"));
    QVERIFY(anyContains(m.warnings, "1 pair of GPUs is not given (rows were cut): GPU2-GPU3"));
    QVERIFY(anyContains(m.warnings, "near GPU2, GPU3"));
}

void TestNvidiaSmiTopo::missingHeaderIsInferred()
{
    QVERIFY(anyContains(matrixOf("switched-no-header.txt").warnings, "first 4 columns were taken for GPUs, the other 2 for NICs"));
}

void TestNvidiaSmiTopo::columnsOutOfOrder()
{
    const TopoMatrix m = matrixOf("mesh-hca-names.txt");
    QCOMPARE(m.nics, (Names {"mlx5_3", "mlx5_0"}));
    QCOMPARE(rowText(m, 0), std::string("X NV1 NV2 NV1 PIX SYS"));
    QCOMPARE(m.cpuAffinity[3], std::string("20-39"));
    QVERIFY(m.numaAffinity[3].empty());
}

void TestNvidiaSmiTopo::oldLegendAndNoAffinity()
{
    const TopoMatrix m = matrixOf("tree-soc.txt");
    QCOMPARE(m.gpus.size(), std::size_t(10));
    QCOMPARE(m.at(0, 9).relation, TopoRelation::Sys);
    QCOMPARE(m.at(0, 7).relation, TopoRelation::Phb);
    QVERIFY(m.cpuAffinity[0].empty());
}

void TestNvidiaSmiTopo::affinities()
{
    const TopoMatrix gap = matrixOf("gap-and-empty-affinity.txt");
    QCOMPARE(gap.gpus, (Names {"GPU0", "GPU1", "GPU3", "GPU4"}));
    QVERIFY(gap.cpuAffinity[0].empty()); // an empty cell, not the "0" behind it
    QCOMPARE(gap.numaAffinity[0], std::string("0"));
    const TopoMatrix single = matrixOf("single-gpu.txt");
    QCOMPARE(single.cpuAffinity[0], std::string("0-15"));
    QVERIFY(single.numaAffinity[0].empty()); // N/A
}

void TestNvidiaSmiTopo::halvesThatDisagree()
{
    const auto m = parseNvidiaSmiTopo("\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tSYS\tX\n");
    QVERIFY(m.has_value());
    QCOMPARE(m->at(0, 1).relation, TopoRelation::Sys);
    QCOMPARE(m->at(1, 0).relation, TopoRelation::Sys);
    QVERIFY(anyContains(m->warnings, "disagree about GPU0-GPU1"));
    const auto links = parseNvidiaSmiTopo("\tGPU0\tGPU1\nGPU0\tX\tNV4\nGPU1\tNV3\tX\n");
    QCOMPARE(links->at(0, 1).links, 3);
}

void TestNvidiaSmiTopo::switchedFabric()
{
    const ImportedCluster c = imported("switched-console.txt", "H100");
    QCOMPARE(c.cluster.devices().size(), std::size_t(4));
    QCOMPARE(hubKinds(c.cluster), (std::map<std::string, int> {{"cpu", 2}, {"nic", 2}, {"nvswitch", 1}, {"pcie-switch", 2}}));
    QCOMPARE(linkKinds(c.cluster), (std::map<std::string, int> {{"host-bus", 1}, {"nvlink", 4}, {"pcie", 8}}));
    for (const Link &link : c.cluster.links()) {
        if (link.kind == LinkKind::NvLink)
            QCOMPARE(link.bandwidth.value, 450e9);
    }
    QCOMPARE(pathOf(c.cluster, "GPU0", "GPU1"), (Names {"switch0", "cpu0"}));
    QCOMPARE(pathOf(c.cluster, "GPU0", "GPU3"), (Names {"switch0", "cpu0", "cpu1"}));
    QVERIFY(c.cluster.parts().notes.find("NIC1 is mlx5_4") != std::string::npos);
    // A row that adds up to no more links than the GPU has is no proof of a switch: 18 links to one peer.
    const auto pair = importNvidiaSmiTopo("\tGPU0\tGPU1\nGPU0\tX\tNV18\nGPU1\tNV18\tX\n", builtinCatalogue(), "H100");
    QCOMPARE(linkKinds(pair->cluster).at("nvlink"), 18);
}

void TestNvidiaSmiTopo::meshOfUnequalBundles()
{
    const ImportedCluster c = imported("mesh-hca-names.txt", "V100");
    QCOMPARE(linkKinds(c.cluster).at("nvlink"), 8); // 1 + 2 + 1 + 1 + 2 + 1, one link each
    QVERIFY(hubKinds(c.cluster).count("nvswitch") == 0);
    const RouteTable table(c.cluster);
    double bandwidth = 0;
    for (const Stripe &stripe : table.between(c.cluster.findDevice("GPU0"), c.cluster.findDevice("GPU2"))) {
        if (stripe.route.hops.size() == 1)
            bandwidth += stripe.route.bandwidth.value;
    }
    QCOMPARE(bandwidth, 50e9);
    // NVLink hides where the GPUs sit; the NICs and the CPU lists tell.
    QCOMPARE(pathOf(c.cluster, "GPU0", "GPU1").size(), std::size_t(1));
    QCOMPARE(pathOf(c.cluster, "GPU0", "GPU2").size(), std::size_t(4));
}

void TestNvidiaSmiTopo::oneGpuOutsideTheFabric()
{
    const ImportedCluster c = imported("one-gpu-outside.txt", "A100");
    QCOMPARE(linkKinds(c.cluster).at("nvlink"), 4);
    QVERIFY(anyContains(c.warnings, "GPU3 has no NVLink"));
    // Four NICs behind one bridge are functions of a card: one shared PCIe link above them.
    QVERIFY(anyContains(c.warnings, "(4 NICs) are behind one bridge"));
    QCOMPARE(hubKinds(c.cluster).at("pcie-switch"), 1);
    QCOMPARE(hubKinds(c.cluster).at("nic"), 4);
}

void TestNvidiaSmiTopo::treeOfEveryLevel()
{
    const Cluster c = imported("tree-soc.txt", "P40").cluster;
    QCOMPARE(pathOf(c, "GPU0", "GPU1"), Names {"switch1"});                                   // PIX
    QCOMPARE(pathOf(c, "GPU0", "GPU2"), (Names {"switch1", "switch0", "switch2"}));           // PXB
    QCOMPARE(pathOf(c, "GPU0", "GPU4"), (Names {"switch1", "switch0", "cpu0", "switch3", "switch4"})); // PHB
    QCOMPARE(pathOf(c, "GPU0", "GPU8"), (Names {"switch1", "switch0", "cpu0", "cpu1", "switch6"}));    // SOC
}

void TestNvidiaSmiTopo::bridgesOfOneNumaNode()
{
    const Cluster c = imported("gap-and-empty-affinity.txt", "4090").cluster;
    QCOMPARE(pathOf(c, "GPU0", "GPU1"), Names {"bridge0"});                     // PHB
    QCOMPARE(pathOf(c, "GPU0", "GPU3"), (Names {"bridge0", "cpu0", "bridge1"})); // NODE
}

void TestNvidiaSmiTopo::modelsInTheText()
{
    const ImportedCluster c = imported("bridges-with-models.txt");
    QCOMPARE(c.cluster.device(DeviceId(0)).type.name, std::string("RTX A6000"));
    QCOMPARE(c.cluster.device(DeviceId(3)).type.name, std::string("RTX 3090"));
    QCOMPARE(linkKinds(c.cluster).at("nvlink"), 8);
    QCOMPARE(linkKinds(c.cluster).at("host-bus"), 1);
    // What is asked for comes before what the text says.
    QCOMPARE(imported("bridges-with-models.txt", "A40").cluster.device(DeviceId(0)).type.name, std::string("A40"));
}

void TestNvidiaSmiTopo::companionTableGivesThePciePath()
{
    const TopoMatrix m = matrixOf("bridges-m-and-mp.txt");
    QCOMPARE(m.at(0, 2), (TopoCell {TopoRelation::NvLink, 4}));
    QVERIFY(!m.pcie.empty());
    QCOMPARE(m.pcie[2].relation, TopoRelation::Sys);
    const Cluster c = imported("bridges-m-and-mp.txt", "A40").cluster;
    QCOMPARE(pathOf(c, "GPU0", "GPU2"), (Names {"cpu0", "cpu1"}));
}

void TestNvidiaSmiTopo::nvLinkIsHiddenByMp()
{
    const TopoMatrix m = matrixOf("pcie-only-mp.txt");
    QVERIFY(m.pcieOnly);
    QVERIFY(anyContains(m.warnings, "hides NVLink"));
}

void TestNvidiaSmiTopo::typesPerGpu()
{
    const auto types = [](const char *text) {
        const auto c = importNvidiaSmiTopo(fixture("gap-and-empty-affinity.txt"), builtinCatalogue(), std::string(text));
        std::string names;
        if (c) {
            for (const Device &d : c->cluster.devices())
                names += d.type.name + ";";
        } else {
            names = c.error().message();
        }
        return names;
    };
    QCOMPARE(types("T4"), std::string("T4;T4;T4;T4;"));
    QCOMPARE(types("2x RTX 5090, 2x4090"), std::string("RTX 5090;RTX 5090;RTX 4090;RTX 4090;"));
    QCOMPARE(types("1 * T4, 3 x L20"), std::string("T4;L20;L20;L20;"));
    QCOMPARE(types("T4,T4,L20,L20"), std::string("T4;T4;L20;L20;"));
}

void TestNvidiaSmiTopo::wrongTypes_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("says");
    QTest::newRow("none") << "" << "nvidia-smi topo -m never prints the model";
    QTest::newRow("unknown") << "A1000" << "Did you mean";
    QTest::newRow("too few") << "T4, T4" << "one type per GPU";
    QTest::newRow("too many") << "9x T4" << "one type per GPU";
    QTest::newRow("zero") << "0x T4" << "counts";
    QTest::newRow("empty part") << "T4,,T4,T4" << "catalogue";
}

void TestNvidiaSmiTopo::wrongTypes()
{
    QFETCH(QString, type);
    QFETCH(QString, says);
    const auto c = importNvidiaSmiTopo(fixture("gap-and-empty-affinity.txt"), builtinCatalogue(),
                                       type.isEmpty() ? std::nullopt : std::optional(type.toStdString()));
    QVERIFY(!c);
    QVERIFY2(QString::fromStdString(c.error().message()).contains(says), c.error().message().c_str());
    if (type.isEmpty())
        QVERIFY(QString::fromStdString(c.error().found).contains("4 GPUs (NODE x 4, PHB x 2)"));
}

void TestNvidiaSmiTopo::refusals_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *file, const char *says) {
        QTest::newRow(file) << QString::fromStdString(fixture(file)) << says;
    };
    row("lookalike-p2p.txt", "topo -p2p");
    row("lookalike-icn.txt", "ICN#");
    row("lookalike-rocm.txt", "rocm-smi");
    row("header-only.txt", "none of its rows");
    row("sentence.txt", "no GPU matrix");
    QTest::newRow("empty") << QString() << "no GPU matrix";
    QTest::newRow("column twice") << "\tGPU0\tGPU0\nGPU0\tX\tSYS\n" << "GPU0 twice";
    QTest::newRow("huge") << QString(5000000, 'x') << "bytes";
}

void TestNvidiaSmiTopo::refusals()
{
    QFETCH(QString, text);
    QFETCH(QString, says);
    const auto m = importNvidiaSmiTopo(text.toStdString(), builtinCatalogue(), "T4");
    QVERIFY(!m);
    QVERIFY2(QString::fromStdString(m.error().message()).contains(says), m.error().message().c_str());
    QVERIFY(!m.error().remedy.empty());
}

void TestNvidiaSmiTopo::everyImportIsWholeAndCanBeSaved_data()
{
    QTest::addColumn<QString>("file");
    const QDir folder(QStringLiteral(POLYRAIL_TEST_DATA "/nvidia-smi-topo"));
    for (const QString &file : folder.entryList({"*.txt"})) {
        if (!file.startsWith("lookalike") && file != "header-only.txt" && file != "sentence.txt")
            QTest::newRow(qPrintable(file)) << file;
    }
}

void TestNvidiaSmiTopo::everyImportIsWholeAndCanBeSaved()
{
    QFETCH(QString, file);
    const Cluster c = imported(file.toStdString(), "A40").cluster;
    const RouteTable table(c);
    for (std::size_t a = 0; a < c.devices().size(); ++a) {
        for (std::size_t b = 0; b < c.devices().size(); ++b)
            QVERIFY(a == b || !table.between(DeviceId(a), DeviceId(b)).empty());
    }
    const auto again = readCluster(writeCluster(c), builtinCatalogue());
    QVERIFY2(again.has_value(), again ? "" : again.error().message().c_str());
    QCOMPARE(again->digest(), c.digest());
}

QTEST_GUILESS_MAIN(TestNvidiaSmiTopo)
#include "tst_nvidia_smi_topo.moc"
