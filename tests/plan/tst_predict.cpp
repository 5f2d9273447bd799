// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/builtin.hpp"
#include "core/formats/case_files.hpp"
#include "core/formats/csv_table.hpp"
#include "core/formats/json_files.hpp"
#include "core/plan/case_cluster.hpp"
#include "core/plan/pipeline_time.hpp"
#include "core/plan/placement_text.hpp"
#include "core/plan/predict.hpp"

#include <QtTest>

#include <cmath>

using namespace polyrail;

namespace {

bool near(double a, double b, double relative = 1e-9) { return std::abs(a - b) <= relative * std::abs(b); }

PipelineShape pipeline(int stages, int microBatches, double forward, double backward, int chunks = 1)
{
    PipelineShape p;
    p.stages = stages;
    p.chunks = chunks;
    p.microBatches = microBatches;
    p.forward.assign(static_cast<std::size_t>(stages * chunks), forward);
    p.backward.assign(static_cast<std::size_t>(stages * chunks), backward);
    p.transfer.assign(static_cast<std::size_t>(stages), 0.0);
    return p;
}

double last(const std::vector<double> &finish) { return *std::max_element(finish.begin(), finish.end()); }

/// GPT-3 175B on 64 A100, Korthikanti et al., Table 5: 18.13 s with full recomputation.
TrainingCase gpt175()
{
    TrainingCase c;
    c.gpu = "A100-80GB-SXM";
    c.gpus = 64;
    c.gpusPerNode = 8;
    c.intraFabric = "NVLink3-NVSwitch";
    c.networkRate = 200e9;
    c.networkNote = "8x200G HDR InfiniBand";
    c.hidden = 12288;
    c.layers = 96;
    c.heads = c.kvHeads = 96;
    c.ffn = 49152;
    c.vocab = 51200;
    c.sequence = 2048;
    c.tiedEmbeddings = true;
    c.tensor = 8;
    c.pipeline = 8;
    c.virtualStages = 3;
    c.microBatch = 1;
    c.globalBatch = 64;
    c.precision = Precision::Fp16;
    c.recompute = Recompute::Full;
    c.framework = "Megatron-LM";
    return c;
}

std::string fixture(const char *name)
{
    const auto text = readTextFile(std::string(POLYRAIL_TEST_DATA) + "/measured/" + name);
    return text ? *text : std::string();
}

/// Largest and mean |predicted / measured - 1| over a fixture.
struct Errors
{
    double worst = 0;
    double mean = 0;
    int rows = 0;
};
Errors errorsOf(const char *name, const std::string &column)
{
    const std::string cases = fixture(name);
    const auto measured = CsvTable::parse(cases);
    const auto answer = predictCases(cases, 1);
    Errors out;
    if (!measured || !answer)
        return out;
    const auto predicted = CsvTable::parse(*answer);
    for (std::size_t i = 0; i < measured->rowCount(); ++i) {
        const double error = std::abs(std::atof(predicted->field(i, column).c_str())
                                          / std::atof(measured->field(i, column).c_str()) - 1);
        out.worst = std::max(out.worst, error);
        out.mean += error;
        ++out.rows;
    }
    out.mean /= out.rows;
    return out;
}

} // namespace

class TestPredict : public QObject
{
    Q_OBJECT
private slots:
    void pipelineOfEqualStages();
    void pipelineOfUnequalStages();
    void pipelineTransfers();
    void interleavingShortensTheBubble();
    void fabrics();
    void networkPorts();
    void mixedPlacement();
    void placementErrors();
    void publishedTrainingSteps();
    void publishedCollectives();
    void publishedProducts();
    void layoutMatters();
    void refusesWhatIsNotALayout();
};

void TestPredict::pipelineOfEqualStages()
{
    // (m + p - 1)(f + b): 1F1B and GPipe alike when stages are equal and transfers free.
    for (const bool gpipe : {false, true}) {
        PipelineShape p = pipeline(4, 8, 1, 2);
        p.gpipe = gpipe;
        QVERIFY(near(last(pipelineFinish(p)), 33));
    }
    QVERIFY(near(last(pipelineFinish(pipeline(1, 5, 1, 2))), 15));
    // Fewer micro-batches than stages.
    QVERIFY(near(last(pipelineFinish(pipeline(4, 2, 1, 2))), 15));
}

void TestPredict::pipelineOfUnequalStages()
{
    // Two stages, two micro-batches; stage 1 is slower: f 1, b 2 and f 2, b 4.
    // Stage 0: F0 0-1, F1 1-2. Stage 1: F0 1-3, B0 3-7, F1 7-9, B1 9-13. Stage 0: B0 7-9, B1 13-15.
    PipelineShape p = pipeline(2, 2, 1, 2);
    p.forward[1] = 2;
    p.backward[1] = 4;
    const std::vector<double> finish = pipelineFinish(p);
    QVERIFY(near(finish[1], 13));
    QVERIFY(near(finish[0], 15));
}

void TestPredict::pipelineTransfers()
{
    // One micro-batch through two stages: F 1, transfer 0.5, F 1, B 2, transfer 0.5, B 2.
    PipelineShape p = pipeline(2, 1, 1, 2);
    p.transfer[0] = 0.5;
    p.blocking = false;
    QVERIFY(near(last(pipelineFinish(p)), 7));
    // A sender that waits for its transfer starts its next forward pass later.
    PipelineShape two = pipeline(2, 8, 1, 1);
    two.transfer[0] = 0.5;
    two.blocking = false;
    const double free = last(pipelineFinish(two));
    two.blocking = true;
    QVERIFY(last(pipelineFinish(two)) > free);
}

void TestPredict::interleavingShortensTheBubble()
{
    // m (f + b) + (p - 1)(f + b)/v, Narayanan et al., section 2.2: chunks of half a stage, half the bubble.
    const double plain = last(pipelineFinish(pipeline(4, 8, 2, 4)));
    const double interleaved = last(pipelineFinish(pipeline(4, 8, 1, 2, 2)));
    QVERIFY(near(plain, 66));
    QVERIFY(near(interleaved, 57));
    // Micro-batches that are no multiple of the stages still finish all their work.
    QVERIFY(last(pipelineFinish(pipeline(4, 6, 1, 2, 2))) >= 36);
}

void TestPredict::fabrics()
{
    const Catalogue &catalogue = builtinCatalogue();
    const auto linksOf = [&](const CaseHost &host) {
        const auto cluster = clusterOfHosts({host}, catalogue);
        return cluster ? std::vector<Link>(cluster->links().begin(), cluster->links().end()) : std::vector<Link>();
    };
    const auto nvswitch = linksOf({"H100-SXM", 8, "NVLink4-NVSwitch", 0, 0});
    QCOMPARE(nvswitch.size(), std::size_t(8));
    QCOMPARE(nvswitch.front().bandwidth.value, 450e9);
    // DGX-1V: 16 pairs of NVLinks, six links of 25 GB/s per GPU in all; the other twelve pairs over PCIe.
    double total = 0;
    std::size_t nvlinks = 0;
    const auto mesh = linksOf({"V100-SXM2-32GB", 8, "NVLink2-mesh", 0, 0});
    for (const Link &link : mesh) {
        if (link.kind != LinkKind::NvLink)
            continue;
        total += link.bandwidth.value;
        ++nvlinks;
    }
    QCOMPARE(mesh.size(), std::size_t(28));
    QCOMPARE(nvlinks, std::size_t(16));
    QCOMPARE(total, 8 * 6 * 25e9 / 2);
    const auto all = linksOf({"GH200-96GB", 4, "NVLink4-mesh", 0, 0});
    QCOMPARE(all.size(), std::size_t(6));
    QCOMPARE(all.front().bandwidth.value, 150e9);
    const auto pcie = linksOf({"A100-40GB-PCIe", 8, "PCIe4", 0, 0});
    QCOMPARE(pcie.size(), std::size_t(9)); // and the bus between the two sockets
    const auto copies = linksOf({"RTX 4090", 2, "PCIe4-noP2P", 0, 0});
    QVERIFY(copies.front().duplex == Duplex::Half);
    QVERIFY(linksOf({"RTX 4090", 2, "PCIe4-P2P", 0, 0}).front().duplex == Duplex::Full);
    QVERIFY(!clusterOfHosts({{"no such GPU", 1, "PCIe4", 0, 0}}, catalogue).has_value());
}

void TestPredict::networkPorts()
{
    QCOMPARE(nicCount("8x200G HDR InfiniBand (Selene)"), 8);
    QCOMPARE(nicCount("rate from memory, 4x200G"), 4);
    QCOMPARE(nicCount("AWS g4dn.12xlarge 50 Gb/s"), 0);
    QCOMPARE(nicCount(""), 0);
    const CaseHost host{"A100-80GB-SXM", 8, "NVLink3-NVSwitch", 100e9, 4};
    const auto cluster = clusterOfHosts({host, host}, builtinCatalogue());
    QVERIFY(cluster.has_value());
    double network = 0;
    for (const Link &link : cluster->links())
        network += link.kind == LinkKind::Network ? link.bandwidth.value : 0;
    QCOMPARE(network, 200e9);
}

void TestPredict::mixedPlacement()
{
    TrainingCase c;
    c.nodes = "3*(4xV100-SXM2-16GB,NVLink2,1.25GB/s)+1*(4xT4,PCIe3,6.25GB/s)";
    c.placement = "V100-SXM2-16GBx8;V100-SXM2-16GBx4+T4x4";
    c.gpus = 16;
    const auto placed = placeCase(c, builtinCatalogue(), 32);
    QVERIFY(placed.has_value());
    QCOMPARE(placed->hosts.size(), std::size_t(4));
    QCOMPARE(placed->deviceOfRank.size(), std::size_t(16));
    QCOMPARE(placed->types.size(), std::size_t(2));
    QCOMPARE(placed->types[placed->typeOf(11)], std::string("V100-SXM2-16GB"));
    QCOMPARE(placed->types[placed->typeOf(12)], std::string("T4"));
    QCOMPARE(placed->deviceOfRank[12].value, 12);
    QCOMPARE(placed->hosts[3].networkRate, 6.25e9);
    // Runs may come in another order than the hosts.
    c.nodes = "1*(2xRTX 3090,PCIe4+NVLink pairs,0.115GB/s)+1*(2xTitan RTX,PCIe3,2.857GB/s)";
    c.placement = "Titan RTXx2+RTX 3090x2";
    c.gpus = 4;
    const auto swapped = placeCase(c, builtinCatalogue(), 32);
    QVERIFY(swapped.has_value());
    QCOMPARE(swapped->deviceOfRank[0].value, 2);
    QCOMPARE(swapped->deviceOfRank[2].value, 0);
}

void TestPredict::placementErrors()
{
    TrainingCase c;
    c.gpus = 4;
    for (const char *nodes : {"3(4xT4,PCIe3,1GB/s)", "1*(4T4,PCIe3,1GB/s)", "1*(4xT4,PCIe3)", "1*(4xT4,PCIe3,fast)",
                              "1*(4xNoSuchGpu,PCIe3,1GB/s)", "0*(4xT4,PCIe3,1GB/s)", "1*(4xT4,PCIe3,1GB/s"}) {
        c.nodes = nodes;
        QVERIFY2(!placeCase(c, builtinCatalogue(), 32).has_value(), nodes);
    }
    c.nodes = "1*(4xT4,PCIe3,1GB/s)";
    for (const char *placement : {"T4x5", "T4", "V100-SXM2-16GBx4", "T4x2"}) {
        c.placement = placement;
        QVERIFY2(!placeCase(c, builtinCatalogue(), 32).has_value(), placement);
    }
}

void TestPredict::publishedTrainingSteps()
{
    const Errors errors = errorsOf("training.csv", "step_time_s");
    QCOMPARE(errors.rows, 12);
    QVERIFY2(errors.worst < 0.15, qPrintable(QString("worst %1").arg(errors.worst)));
    QVERIFY2(errors.mean < 0.06, qPrintable(QString("mean %1").arg(errors.mean)));
}

void TestPredict::publishedCollectives()
{
    const Errors errors = errorsOf("collectives.csv", "time_us");
    QCOMPARE(errors.rows, 9);
    QVERIFY2(errors.worst < 0.25, qPrintable(QString("worst %1").arg(errors.worst)));
    QVERIFY2(errors.mean < 0.08, qPrintable(QString("mean %1").arg(errors.mean)));
}

void TestPredict::publishedProducts()
{
    const Errors errors = errorsOf("products.csv", "time_us");
    // One of them, 8192 cubed on an H200, was measured at its power limit.
    QCOMPARE(errors.rows, 5);
    QVERIFY2(errors.worst < 0.35, qPrintable(QString("worst %1").arg(errors.worst)));
    QVERIFY2(errors.mean < 0.12, qPrintable(QString("mean %1").arg(errors.mean)));
}

void TestPredict::layoutMatters()
{
    const Catalogue &catalogue = builtinCatalogue();
    const TrainingCase base = gpt175();
    const double seconds = *predictTraining(base, catalogue).value;
    QVERIFY2(near(seconds, 18.13, 0.12), qPrintable(QString::number(seconds)));

    TrainingCase c = base;
    c.recompute = Recompute::Selective; // the paper: 13.75 s with selective recomputation and sequence parallelism
    c.sequenceParallel = true;
    QVERIFY(*predictTraining(c, catalogue).value < 0.85 * seconds);
    QVERIFY(predictTraining(c, catalogue).peakMemoryGib > predictTraining(base, catalogue).peakMemoryGib);

    c = base;
    c.virtualStages = 1; // a longer bubble
    QVERIFY(*predictTraining(c, catalogue).value > seconds);
    c = base;
    c.networkRate = 2e9; // stages far apart
    c.networkNote.clear();
    QVERIFY(*predictTraining(c, catalogue).value > 1.05 * seconds);
    c = base;
    c.globalBatch = 128; // twice the work, the same bubble
    const double twice = *predictTraining(c, catalogue).value;
    QVERIFY(twice > 1.7 * seconds && twice < 2 * seconds);
}

void TestPredict::refusesWhatIsNotALayout()
{
    const Catalogue &catalogue = builtinCatalogue();
    const auto note = [&](const std::function<void(TrainingCase &)> &change) {
        TrainingCase c = gpt175();
        change(c);
        const Prediction p = predictTraining(c, catalogue);
        return p.value ? std::string() : p.note;
    };
    QVERIFY(!note([](TrainingCase &c) { c.gpus = 63; }).empty());
    QVERIFY(!note([](TrainingCase &c) { c.gpu = "no such GPU"; }).empty());
    QVERIFY(!note([](TrainingCase &c) { c.data = 0; }).empty());
    QVERIFY(!note([](TrainingCase &c) { c.tensor = -8; }).empty());
    QVERIFY(!note([](TrainingCase &c) { c.layerPartition = {12, 84}; }).empty());
    QVERIFY(!note([](TrainingCase &c) { c.layerPartition = std::vector<int>(8, 13); }).empty());
    QVERIFY(!note([](TrainingCase &c) { c.virtualStages = 1000; }).empty());
    QVERIFY(!note([](TrainingCase &c) { c.globalBatch = 2000000000; }).empty());
    QVERIFY(!note([](TrainingCase &c) { c.hidden = 0; }).empty());
    QVERIFY(note([](TrainingCase &) {}).empty());
}

QTEST_GUILESS_MAIN(TestPredict)
#include "tst_predict.moc"
