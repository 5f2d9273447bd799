// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/kernel_model.hpp"

#include <QtTest>

using namespace polyrail;

namespace {

/// A GPU with round figures: 100 SMs of 1 TFLOP/s each, 1 TB/s, constants that make the formula easy by hand.
GpuType roundGpu()
{
    GpuType gpu;
    gpu.name = "Round";
    gpu.aliases = {"R-1"};
    gpu.architecture = "Ampere GA100";
    gpu.multiprocessors = 100;
    gpu.memory = gib(80);
    gpu.memoryBandwidth = gigabytesPerSecond(1000);
    gpu.peak[static_cast<std::size_t>(Precision::Bf16)] = FlopsPerSecond(100e12);
    gpu.peak[static_cast<std::size_t>(Precision::Fp32)] = FlopsPerSecond(10e12);
    MatmulConstants c;
    c.maxEfficiency = 1;
    c.pipelineFill = 0;
    c.tileExponent = 0;
    c.memoryEfficiency = 1;
    c.launchSeconds = 0;
    c.tailWeight = 1;
    gpu.matmul[Precision::Bf16] = c;
    return gpu;
}

bool near(double a, double b, double relative = 1e-9) { return std::abs(a - b) <= relative * std::abs(b); }

} // namespace

class TestKernelModel : public QObject
{
    Q_OBJECT
private slots:
    void computeBound();
    void waveQuantisation();
    void memoryBoundProduct();
    void splitNeedsLongK();
    void tailWeightSoftensTheStep();
    void neverFasterThanThePeak();
    void growsWithEveryDimension();
    void ownAndInheritedConstants();
    void fallsBackToTheFormatThatExists();
    void fp8MovesHalfTheInputs();
    void customOperators();
    void streamingKernels();
    void flashAttention();
};

void TestKernelModel::computeBound()
{
    const KernelModel model(roundGpu());
    // 2560 x 1280 = 20 x 10 ... with 128x128 tiles: 200 tiles = exactly two waves of 100 SMs. Each tile takes
    // 2 128 128 K / 1e12 s; K = 65536: 2.147483648e-3 s, so Tc = 4.294967296e-3 s = 2 M N K / 100e12.
    // Tm = 2 (2560 K + 1280 K + 2560 1280) / 1e12 = 0.50987...e-3 s.
    const double tc = 4.294967296e-3;
    const double tm = 2.0 * (2560.0 * 65536 + 1280.0 * 65536 + 2560.0 * 1280) / 1e12;
    const double expected = std::pow(std::pow(tc, 4) + std::pow(tm, 4), 0.25);
    QVERIFY(near(model.matmul({1, 2560, 1280, 65536}, Precision::Bf16).value, expected));
}

void TestKernelModel::waveQuantisation()
{
    // Products of one 256x128 tile each: 100 of them fill the 100 SMs once, the 101st starts a second wave.
    const KernelModel model(roundGpu());
    const double hundred = model.matmul({100, 256, 128, 255}, Precision::Bf16).value;
    const double one = model.matmul({1, 256, 128, 255}, Precision::Bf16).value;
    const double hundredAndOne = model.matmul({101, 256, 128, 255}, Precision::Bf16).value;
    QVERIFY(one < hundred);          // a single product is split into smaller tiles over idle SMs
    QVERIFY(hundredAndOne > hundred * 1.01);
    // Tile menu at 101 products: 256x128 -> 101 tiles, two waves of 256 128; 128x128 -> 202 tiles, three waves of
    // half the work; 64x64 -> 808, nine waves of an eighth; 32x64 -> 1616, 17 of 1/16; 16x64 -> 3232, 33 of 1/32: the least.
    const double wave = 2.0 * 256 * 128 * 256 / 1e12; // K = 255 rounds up to 256
    const double tm = 101 * 2.0 * (256 * 255 + 128 * 255 + 256 * 128) / 1e12;
    const double tc = 33.0 / 32 * wave;
    QVERIFY(near(hundredAndOne, std::pow(std::pow(tc, 4) + std::pow(tm, 4), 0.25)));
}

void TestKernelModel::memoryBoundProduct()
{
    // A matrix-vector product: 1 x 8192 x 8192 moves 2 (8192 8192 + 2 8192) bytes = 134.25 us at 1 TB/s.
    const KernelModel model(roundGpu());
    const double seconds = model.matmul({1, 1, 8192, 8192}, Precision::Bf16).value;
    QVERIFY(seconds >= 134.25e-6);
    QVERIFY(seconds < 137e-6);
}

void TestKernelModel::splitNeedsLongK()
{
    // One 128x128 output, K = 8192: without a split 4 x 64x64 tiles or less work per SM run on a few SMs; a split
    // by 8 spreads K. The split is paid with 2 4 8 M N bytes. Below K = 512 there is none.
    const KernelModel model(roundGpu());
    const double k8192 = model.matmul({1, 16, 64, 8192}, Precision::Bf16).value;
    const double unsplit = 2.0 * 16 * 64 * 8192 / 1e12; // one tile on one SM
    QVERIFY(k8192 < unsplit);
    const double k511 = model.matmul({1, 16, 64, 511}, Precision::Bf16).value;
    QVERIFY(k511 >= 2.0 * 16 * 64 * 512 / 1e12);
}

void TestKernelModel::tailWeightSoftensTheStep()
{
    GpuType gpu = roundGpu();
    gpu.matmul[Precision::Bf16].tailWeight = 0;
    const KernelModel smooth(gpu);
    const KernelModel stepped(roundGpu());
    const MatmulShape shape{101, 256, 128, 4096};
    QVERIFY(smooth.matmul(shape, Precision::Bf16).value < stepped.matmul(shape, Precision::Bf16).value);
}

void TestKernelModel::neverFasterThanThePeak()
{
    const KernelModel model(roundGpu());
    for (std::int64_t m : {1, 17, 64, 100, 1000, 4096})
        for (std::int64_t n : {1, 60, 128, 5000})
            for (std::int64_t k : {1, 100, 1024, 20000}) {
                const double seconds = model.matmul({3, m, n, k}, Precision::Bf16).value;
                const double flops = 2.0 * 3 * double(m) * double(n) * double(k);
                QVERIFY2(seconds >= flops / 100e12, qPrintable(QString("%1 %2 %3").arg(m).arg(n).arg(k)));
            }
}

void TestKernelModel::growsWithEveryDimension()
{
    const KernelModel model(roundGpu());
    const MatmulShape base{1, 2048, 2048, 2048};
    const double t = model.matmul(base, Precision::Bf16).value;
    QVERIFY(model.matmul({2, 2048, 2048, 2048}, Precision::Bf16).value > t);
    QVERIFY(model.matmul({1, 4096, 2048, 2048}, Precision::Bf16).value > t);
    QVERIFY(model.matmul({1, 2048, 4096, 2048}, Precision::Bf16).value > t);
    QVERIFY(model.matmul({1, 2048, 2048, 4096}, Precision::Bf16).value > t);
}

void TestKernelModel::ownAndInheritedConstants()
{
    const KernelModel model(roundGpu());
    QVERIFY(model.hasOwnConstants(Precision::Bf16));
    QCOMPARE(model.constants(Precision::Bf16).maxEfficiency, 1.0);
    QVERIFY(!model.hasOwnConstants(Precision::Fp32));
    QVERIFY(model.constants(Precision::Fp32).maxEfficiency > 0.3);
    QVERIFY(model.constants(Precision::Fp32).maxEfficiency < 1.0);
}

void TestKernelModel::fallsBackToTheFormatThatExists()
{
    // No fp8 units: bf16 speed, though the inputs are half as wide.
    const KernelModel model(roundGpu());
    QVERIFY(model.hasOwnConstants(Precision::Fp8));
    const double bf16 = model.matmul({1, 4096, 4096, 4096}, Precision::Bf16).value;
    const double fp8 = model.matmul({1, 4096, 4096, 4096}, Precision::Fp8).value;
    QVERIFY(fp8 <= bf16);
    QVERIFY(fp8 > 0.98 * bf16);
    // fp32 runs on the vector units, ten times slower here.
    QVERIFY(model.matmul({1, 4096, 4096, 4096}, Precision::Fp32).value > 9 * bf16);
}

void TestKernelModel::fp8MovesHalfTheInputs()
{
    GpuType gpu = roundGpu();
    gpu.peak[static_cast<std::size_t>(Precision::Fp8)] = FlopsPerSecond(200e12);
    gpu.matmul[Precision::Fp8] = gpu.matmul[Precision::Bf16];
    const KernelModel model(gpu);
    const double bf16 = model.matmul({1, 1, 16384, 16384}, Precision::Bf16).value;
    const double fp8 = model.matmul({1, 1, 16384, 16384}, Precision::Fp8).value;
    QVERIFY(near(fp8, bf16 / 2, 0.01));
}

void TestKernelModel::customOperators()
{
    const KernelModel model(roundGpu());
    Operator op;
    op.kind = OperatorKind::Custom;
    op.timesSeconds = {{"Round", 0.25}, {"Other", 0.5}};
    QCOMPARE(model.time(op, Precision::Bf16).value, 0.25);
    op.timesSeconds = {{"R-1", 0.125}};
    QCOMPARE(model.time(op, Precision::Bf16).value, 0.125);
    op.timesSeconds = {{"Other", 0.5}, {"Another", 0.75}};
    QCOMPARE(model.time(op, Precision::Bf16).value, 0.75);
    op.flops = 100e12; // one second at this peak and e_max = 1
    QVERIFY(near(model.time(op, Precision::Bf16).value, 1.0));
}

void TestKernelModel::streamingKernels()
{
    const KernelModel model(roundGpu());
    const double little = model.memoryBound(0).value;
    const double giga = model.memoryBound(1e9).value;
    QVERIFY(giga - little >= 1e-3);    // 1 GB at no more than 1 TB/s
    QVERIFY(giga - little < 1.5e-3);
    Operator norm;
    norm.kind = OperatorKind::Norm;
    norm.bytes = 1e9;
    QCOMPARE(model.time(norm, Precision::Bf16).value, giga);
    // Adam: 28 bytes in fp32, 2 more for the working copy of mixed precision.
    QVERIFY(near(model.optimiserStep(1e9, Precision::Fp32).value - little, 28 * (giga - little)));
    QVERIFY(near(model.optimiserStep(1e9, Precision::Bf16).value - little, 30 * (giga - little)));
}

void TestKernelModel::flashAttention()
{
    const KernelModel model(roundGpu());
    AttentionShape shape;
    shape.batch = 2;
    shape.heads = 16;
    shape.kvHeads = 16;
    shape.queries = shape.keys = 8192;
    const double causal = model.flashAttention(shape, Precision::Bf16, false).value;
    // 4 b h s s d / 2 = 549.8 GFLOP: at least 5.498 ms at 100 TFLOP/s.
    QVERIFY(causal > 5.498e-3);
    QVERIFY(causal < 5.498e-3 / 0.4);
    QVERIFY(model.flashAttention(shape, Precision::Bf16, true).value > 2.4 * causal);
    shape.causal = false;
    QVERIFY(near(model.flashAttention(shape, Precision::Bf16, false).value, 2 * causal));
}

QTEST_GUILESS_MAIN(TestKernelModel)
#include "tst_kernel_model.moc"
