// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/workload/shapes.hpp"

#include <QtTest>
#include <functional>
#include <set>

using namespace polyrail;

class tst_model_shape : public QObject
{
    Q_OBJECT
private slots:
    void countsDense();
    void countsGpt();
    void countsExperts();
    void countsLatentAttention();
    void countsTinyWithoutHead();
    void countsEmbeddingProjection();
    void checkFillsIn();
    void checkRefuses_data();
    void checkRefuses();
    void digestCoversThePlan();
    void digestLeavesNamesOut();
    void stateOfAParameter();
};

void tst_model_shape::countsDense()
{
    // Embedding and output layer 32000 x 4096 = 131 072 000 each. A layer: attention 4 x 4096^2 = 67 108 864, MLP
    // 3 x 4096 x 11008 = 135 266 304, two norms 8192: 202 383 360. 32 of them 6 476 267 520. Final norm 4096.
    const ParameterCount p = countParameters(shapes::llama7b());
    QCOMPARE(p.embedding, std::int64_t(131072000));
    QCOMPARE(p.head, std::int64_t(131072000));
    QCOMPARE(p.denseLayer, std::int64_t(202383360));
    QCOMPARE(p.expertLayer, std::int64_t(0));
    QCOMPARE(p.finalNorm, std::int64_t(4096));
    QCOMPARE(p.total, std::int64_t(6738415616)); // as the published checkpoint
    QCOMPARE(p.active, p.total);
    // Without norms and the embedding table: 32 x 202 375 168 + 131 072 000.
    QCOMPARE(activeMatmulParameters(shapes::llama7b()), std::int64_t(6607077376));
}

void tst_model_shape::countsGpt()
{
    // Narayanan et al., arXiv 2104.04473, eq. 2: P = 12 l h^2 (1 + 13/(12 h) + (V + s)/(12 l h)), which leaves out the
    // final norm: 12 x 96 x 12288^2 + 13 x 96 x 12288 + (51200 + 2048) x 12288 = 173 946 175 488 + 15 335 424
    // + 654 311 424.
    const ParameterCount p = countParameters(shapes::gpt3());
    QCOMPARE(p.total - p.finalNorm, std::int64_t(174615822336));
    QCOMPARE(p.head, std::int64_t(0));
}

void tst_model_shape::countsExperts()
{
    // Attention 2 x 4096^2 + 2 x 1024 x 4096 = 41 943 040; router 8 x 4096; an expert 3 x 4096 x 14336 = 176 160 768.
    const ParameterCount p = countParameters(shapes::mixtral());
    QCOMPARE(p.expertLayer, std::int64_t(41943040 + 32768 + 8 * 176160768LL + 8192));
    QCOMPARE(p.total, std::int64_t(46702792704)); // as the published checkpoint
    // Six of eight experts are idle: 46 702 792 704 - 32 x 6 x 176 160 768.
    QCOMPARE(p.active, std::int64_t(12879925248));
    QCOMPARE(p.ofLayer(shapes::mixtral(), 0), p.expertLayer);
}

void tst_model_shape::countsLatentAttention()
{
    // Query 7168 x 1536 + 1536 x 128 x 192 = 48 758 784, key/value 7168 x 576 + 512 x 128 x 256 = 20 905 984, output
    // 16384 x 7168 = 117 440 512, norms of the ranks 1536 + 512, of the layer 14336: 187 121 664 before the MLP.
    const ModelShape s = shapes::deepseekV3();
    const ParameterCount p = countParameters(s);
    QCOMPARE(p.denseLayer, std::int64_t(187121664 + 3LL * 7168 * 18432));
    QCOMPARE(p.expertLayer, std::int64_t(187121664 + 256 * 7168 + 256 + 257LL * 3 * 7168 * 2048));
    QCOMPARE(p.total, std::int64_t(671026419200)); // as the published checkpoint without its prediction layer
    QCOMPARE(p.ofLayer(s, 2), p.denseLayer);
    QCOMPARE(p.ofLayer(s, 3), p.expertLayer);
}

void tst_model_shape::countsTinyWithoutHead()
{
    // 1024 x 32 = 32 768; a layer 4 x (32 x 32 + 32) + (32 x 37 + 37) + (37 x 32 + 32) + one norm 64 = 6725; norm 64.
    const ParameterCount p = countParameters(shapes::tiny());
    QCOMPARE(p.denseLayer, std::int64_t(6725));
    QCOMPARE(p.total, std::int64_t(46282));
}

void tst_model_shape::countsEmbeddingProjection()
{
    // OPT-350m: tokens are 512 wide and projected to 1024 and back; no norm after the last layer; 331 196 416 published.
    ModelShape s = shapes::gpt3();
    s.layers = 24;
    s.hidden = 1024;
    s.heads = s.kvHeads = 16;
    s.headDim = 64;
    s.ffn = 4096;
    s.vocab = 50272;
    s.maxPositions = 2050;
    s.embeddingWidth = 512;
    s.finalNorm = false;
    QCOMPARE(countParameters(s).total, std::int64_t(331196416));
}

void tst_model_shape::checkFillsIn()
{
    ModelShape s = shapes::llama7b();
    s.kvHeads = 0;
    s.headDim = 0;
    const auto checked = checkShape(s);
    QVERIFY(checked);
    QCOMPARE(checked->kvHeads, 32);
    QCOMPARE(checked->headDim, 128);
    QVERIFY(checkShape(shapes::deepseekV3()));
    QVERIFY(checkShape(shapes::tiny()));
}

using Change = std::function<void(ModelShape &)>;
Q_DECLARE_METATYPE(Change)

void tst_model_shape::checkRefuses_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("where");
    const auto row = [](const char *name, Change change, const char *where) {
        QTest::newRow(name) << change << QString(where);
    };
    row("no layers", [](ModelShape &s) { s.layers = 0; }, "/num_hidden_layers");
    row("negative hidden", [](ModelShape &s) { s.hidden = -1; }, "/hidden_size");
    row("huge hidden", [](ModelShape &s) { s.hidden = 1 << 30; }, "/hidden_size");
    row("no heads", [](ModelShape &s) { s.heads = 0; }, "/num_attention_heads");
    row("kv does not divide", [](ModelShape &s) { s.kvHeads = 5; }, "/num_key_value_heads");
    row("more kv than heads", [](ModelShape &s) { s.kvHeads = 64; }, "/num_key_value_heads");
    row("no vocabulary", [](ModelShape &s) { s.vocab = 0; }, "/vocab_size");
    row("no mlp", [](ModelShape &s) { s.ffn = 0; }, "/intermediate_size");
    row("learned positions without rows", [](ModelShape &s) { s.position = PositionKind::Learned; },
        "/max_position_embeddings");
    row("topK without experts", [](ModelShape &s) { s.topK = 2; }, "/num_experts_per_tok");
    row("topK above experts", [](ModelShape &s) { s.experts = 4; s.topK = 5; s.expertFfn = 64; },
        "/num_experts_per_tok");
    row("experts without width", [](ModelShape &s) { s.experts = 4; s.topK = 2; }, "/moe_intermediate_size");
    row("latent without rank", [](ModelShape &s) { s.latent = LatentAttention{0, 0, 128, 64, 128}; },
        "/kv_lora_rank");
}

void tst_model_shape::checkRefuses()
{
    QFETCH(Change, change);
    QFETCH(QString, where);
    ModelShape s = shapes::llama7b();
    change(s);
    const auto checked = checkShape(s);
    QVERIFY(!checked);
    QCOMPARE(QString::fromStdString(checked.error().where), where);
    QVERIFY(!checked.error().found.empty());
    QVERIFY(!checked.error().expected.empty());
}

void tst_model_shape::digestCoversThePlan()
{
    const TrainingJob base = shapes::job(shapes::deepseekV3(), 4096);
    const std::function<void(TrainingJob &)> changes[] = {
        [](TrainingJob &j) { j.model.layers++; },          [](TrainingJob &j) { j.model.hidden++; },
        [](TrainingJob &j) { j.model.heads++; },           [](TrainingJob &j) { j.model.kvHeads++; },
        [](TrainingJob &j) { j.model.headDim++; },         [](TrainingJob &j) { j.model.ffn++; },
        [](TrainingJob &j) { j.model.vocab++; },           [](TrainingJob &j) { j.model.gatedMlp = false; },
        [](TrainingJob &j) { j.model.tiedEmbeddings = true; }, [](TrainingJob &j) { j.model.qkvBias = true; },
        [](TrainingJob &j) { j.model.outputBias = true; }, [](TrainingJob &j) { j.model.mlpBias = true; },
        [](TrainingJob &j) { j.model.headBias = true; },   [](TrainingJob &j) { j.model.hasHead = false; },
        [](TrainingJob &j) { j.model.parallelResidual = true; }, [](TrainingJob &j) { j.model.normsPerLayer = 4; },
        [](TrainingJob &j) { j.model.normBias = true; },   [](TrainingJob &j) { j.model.queryKeyNorm = true; },
        [](TrainingJob &j) { j.model.finalNorm = false; }, [](TrainingJob &j) { j.model.embeddingNorm = true; },
        [](TrainingJob &j) { j.model.embeddingWidth = 512; }, [](TrainingJob &j) { j.model.dropout = true; },
        [](TrainingJob &j) { j.model.norm = NormKind::LayerNorm; },
        [](TrainingJob &j) { j.model.position = PositionKind::None; }, [](TrainingJob &j) { j.model.experts++; },
        [](TrainingJob &j) { j.model.maxPositions++; },
        [](TrainingJob &j) { j.model.topK++; },            [](TrainingJob &j) { j.model.expertFfn++; },
        [](TrainingJob &j) { j.model.sharedExperts++; },   [](TrainingJob &j) { j.model.firstDenseLayers++; },
        [](TrainingJob &j) { j.model.routerBias = false; }, [](TrainingJob &j) { j.model.latent.reset(); },
        [](TrainingJob &j) { j.model.latent->queryRank++; }, [](TrainingJob &j) { j.model.latent->keyValueRank++; },
        [](TrainingJob &j) { j.model.latent->nopeDim++; }, [](TrainingJob &j) { j.model.latent->ropeDim++; },
        [](TrainingJob &j) { j.model.latent->valueDim++; }, [](TrainingJob &j) { j.model.extraParametersPerLayer++; },
        [](TrainingJob &j) { j.globalBatch++; },           [](TrainingJob &j) { j.maxMicroBatch++; },
        [](TrainingJob &j) { j.sequence++; },              [](TrainingJob &j) { j.precision = Precision::Fp8; },
        [](TrainingJob &j) { j.flashAttention = false; },  [](TrainingJob &j) { j.sequenceParallel = false; },
        [](TrainingJob &j) { j.sharding = Sharding::Zero3; }};
    std::set<std::string> seen{base.digest()};
    QCOMPARE(base.digest().size(), std::size_t(16));
    QCOMPARE(base.digest().find_first_not_of("0123456789abcdef"), std::string::npos);
    std::size_t index = 0;
    for (const auto &change : changes) {
        TrainingJob changed = base;
        change(changed);
        QVERIFY2(seen.insert(changed.digest()).second, qPrintable(QString("change %1").arg(index)));
        ++index;
    }
}

void tst_model_shape::digestLeavesNamesOut()
{
    const TrainingJob base = shapes::job(shapes::llama7b(), 4096);
    TrainingJob renamed = base;
    renamed.model.name = "mine";
    renamed.model.source = "a file";
    renamed.model.warnings = {"assumed"};
    renamed.model.defaultSequence = 2048;
    QCOMPARE(renamed.digest(), base.digest());
}

void tst_model_shape::stateOfAParameter()
{
    // Mixed precision with fp32 gradients: 2 + 4 + 4 + 4 + 4 = 18 bytes; plain fp32: 4 + 4 + 4 + 4 = 16.
    const StateBytes half = stateBytes(Precision::Bf16), full = stateBytes(Precision::Fp32);
    QCOMPARE(half.weight + half.gradient + half.optimiser, 18.0);
    QCOMPARE(full.weight + full.gradient + full.optimiser, 16.0);
    QCOMPARE(activationBytes(Precision::Fp8), 2.0);
    QCOMPARE(activationBytes(Precision::Tf32), 4.0);
    QCOMPARE(QString(toString(Sharding::Zero2)), QString("zero2"));
    QCOMPARE(QString(toString(Recompute::Selective)), QString("selective"));
}

QTEST_GUILESS_MAIN(tst_model_shape)
#include "tst_model_shape.moc"
