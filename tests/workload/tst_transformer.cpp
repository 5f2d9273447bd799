// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/transformer.hpp"
#include "tests/workload/shapes.hpp"

#include <QtTest>
#include <algorithm>

using namespace polyrail;

namespace {

const Operator *find(const std::vector<Operator> &ops, const std::string &id)
{
    const auto it = std::find_if(ops.begin(), ops.end(), [&](const Operator &op) { return op.id == id; });
    return it == ops.end() ? nullptr : &*it;
}

double productFlops(const std::vector<Operator> &ops)
{
    double sum = 0;
    for (const Operator &op : ops)
        if (op.kind == OperatorKind::Matmul || op.kind == OperatorKind::Attention)
            sum += op.flops;
    return sum;
}

double weights(const std::vector<Operator> &ops)
{
    double sum = 0;
    for (const Operator &op : ops)
        sum += op.parameterBytes;
    return sum / 2; // bf16
}

} // namespace

class tst_transformer : public QObject
{
    Q_OBJECT
private slots:
    void denseLayerByHand();
    void tensorGroupByHand();
    void unequalDivision();
    void moreRanksThanKeyValueHeads();
    void materialisedAttention();
    void expertsByHand();
    void expertsWithFewTokens();
    void latentAttentionByHand();
    void embeddingAndHeadByHand();
    void headlessModelHasNoProduct();
    void weightsAgreeWithTheCount();
    void flopsAgreeWithTheFormula();
    void backwardByHand();
    void contextRanks();
    void activationsOfKorthikanti();
    void activationsByHand();
    void headActivations();
    void halfASample();
};

void tst_transformer::denseLayerByHand()
{
    // Llama-2-7b, one sequence of 4096 tokens.
    const auto ops = layerForward(shapes::job(shapes::llama7b(), 4096), LayerKind::Dense, {});
    const Operator *qkv = find(ops, "qkv");
    QVERIFY(qkv);
    QCOMPARE(qkv->dims, (std::map<std::string, std::int64_t>{{"batch", 1}, {"k", 4096}, {"m", 4096}, {"n", 12288}}));
    QCOMPARE(qkv->flops, 412316860416.0);          // 2 x 4096 x 4096 x 12288
    QCOMPARE(qkv->parameterBytes, 100663296.0);    // 4096 x 12288 x 2
    QCOMPARE(qkv->outputBytes, 100663296.0);       // 4096 x 12288 x 2
    QCOMPARE(qkv->bytes, 2.0 * (4096.0 * 4096 + 4096.0 * 12288 * 2));
    QCOMPARE(find(ops, "proj")->flops, 137438953472.0);     // 2 x 4096^3
    QCOMPARE(find(ops, "mlp_up")->flops, 738734374912.0);   // 2 x 4096 x 4096 x 22016, gate and up at once
    QCOMPARE(find(ops, "mlp_down")->flops, 369367187456.0); // 2 x 4096 x 11008 x 4096
    // Two products over 4096 x 4096 scores, half of them masked: 2 x 2 x 32 x 4096^2 x 128 / 2.
    const Operator *attention = find(ops, "attention");
    QCOMPARE(attention->flops, 137438953472.0);
    QCOMPARE(attention->bytes, 4.0 * 4096 * 4096 * 2); // q, k, v and the result
    QCOMPARE(attention->dims.at("heads"), std::int64_t(32));
    QCOMPARE(attention->dims.at("head_dim"), std::int64_t(128));
    QCOMPARE(attention->dims.at("seq"), std::int64_t(4096));
    QCOMPARE(find(ops, "norm1")->bytes, 2.0 * 2 * 4096 * 4096);
    QCOMPARE(find(ops, "mlp_act")->bytes, 3.0 * 2 * 4096 * 11008); // two in, one out
    QCOMPARE(find(ops, "residual1")->bytes, 3.0 * 2 * 4096 * 4096);
    QCOMPARE(ops.size(), std::size_t(11));
}

void tst_transformer::tensorGroupByHand()
{
    TrainingJob job = shapes::job(shapes::llama7b(), 4096);
    Slice slice;
    slice.samples = 2;
    slice.tensor = 4;
    auto ops = layerForward(job, LayerKind::Dense, slice);
    // 8192 tokens, 8 heads of each kind, 2752 columns; norms on a quarter of the tokens.
    QCOMPARE(find(ops, "qkv")->flops, 2.0 * 8192 * 4096 * 3072);
    QCOMPARE(find(ops, "proj")->flops, 2.0 * 8192 * 1024 * 4096);
    QCOMPARE(find(ops, "mlp_up")->dims.at("n"), std::int64_t(5504));
    QCOMPARE(find(ops, "attention")->flops, 2.0 * 2 * 2 * 8 * 4096.0 * 4096 * 128 / 2);
    QCOMPARE(find(ops, "norm2")->bytes, 2.0 * 2 * 2048 * 4096);
    job.sequenceParallel = false;
    ops = layerForward(job, LayerKind::Dense, slice);
    QCOMPARE(find(ops, "norm2")->bytes, 2.0 * 2 * 8192 * 4096);
    QCOMPARE(find(ops, "qkv")->flops, 2.0 * 8192 * 4096 * 3072);
}

void tst_transformer::unequalDivision()
{
    // 4 heads and 37 columns on 3 ranks: the largest share is 2 heads and 13 columns.
    Slice slice;
    slice.tensor = 3;
    const auto ops = layerForward(shapes::job(shapes::tiny(), 16), LayerKind::Dense, slice);
    QCOMPARE(find(ops, "qkv")->dims.at("n"), std::int64_t(3 * 2 * 8));
    QCOMPARE(find(ops, "mlp_up")->dims.at("n"), std::int64_t(13));
    QCOMPARE(find(ops, "mlp_down")->dims.at("k"), std::int64_t(13));
    QVERIFY(!find(ops, "norm2"));     // one norm serves both branches
    QVERIFY(!find(ops, "residual1")); // and one addition
}

void tst_transformer::moreRanksThanKeyValueHeads()
{
    // 32 heads, 8 key/value heads, 16 ranks: 2 heads and a copy of one key/value head each.
    Slice slice;
    slice.tensor = 16;
    const auto ops = layerForward(shapes::job(shapes::mixtral(), 4096), LayerKind::Expert, slice);
    QCOMPARE(find(ops, "qkv")->dims.at("n"), std::int64_t((2 + 2 * 1) * 128));
    QCOMPARE(find(ops, "attention")->dims.at("kv_heads"), std::int64_t(1));
}

void tst_transformer::materialisedAttention()
{
    TrainingJob job = shapes::job(shapes::llama7b(), 4096);
    job.flashAttention = false;
    const auto ops = layerForward(job, LayerKind::Dense, {});
    const Operator *attention = find(ops, "attention");
    QCOMPARE(attention->flops, 274877906944.0); // all scores
    // 32 x 4096^2 scores of two bytes pass through memory four times.
    QCOMPARE(attention->bytes, 4.0 * 4096 * 4096 * 2 + 4.0 * 2 * 32 * 4096.0 * 4096);
    QCOMPARE(attention->dims.at("flash"), std::int64_t(0));
}

void tst_transformer::expertsByHand()
{
    // 4096 tokens choose 2 of 8 experts: 1024 tokens each.
    const TrainingJob job = shapes::job(shapes::mixtral(), 4096);
    auto ops = layerForward(job, LayerKind::Expert, {});
    const Operator *up = find(ops, "experts_up");
    QVERIFY(up);
    QCOMPARE(up->dims, (std::map<std::string, std::int64_t>{{"batch", 8}, {"k", 4096}, {"m", 1024}, {"n", 28672}}));
    QCOMPARE(up->flops, 2.0 * 8 * 1024 * 4096 * 28672);
    QCOMPARE(up->parameterBytes, 2.0 * 8 * 4096 * 28672);
    QCOMPARE(find(ops, "router")->flops, 2.0 * 4096 * 4096 * 8);
    QCOMPARE(find(ops, "dispatch")->bytes, 2.0 * 2 * 4096 * 2 * 4096);
    QVERIFY(!find(ops, "shared_up"));
    QVERIFY(!find(ops, "mlp_up"));
    // Eight expert ranks hold one expert each and bring 4096 tokens each: 8192 rows, the same work.
    Slice slice;
    slice.expert = 8;
    ops = layerForward(job, LayerKind::Expert, slice);
    QCOMPARE(find(ops, "experts_up")->dims.at("batch"), std::int64_t(1));
    QCOMPARE(find(ops, "experts_up")->dims.at("m"), std::int64_t(8192));
    QCOMPARE(find(ops, "experts_up")->flops, 2.0 * 8 * 1024 * 4096 * 28672);
    QCOMPARE(find(ops, "experts_up")->parameterBytes, 2.0 * 4096 * 28672);
}

void tst_transformer::expertsWithFewTokens()
{
    // One token visits 8 of 256 experts: eight run, all are held.
    const auto ops = layerForward(shapes::job(shapes::deepseekV3(), 1), LayerKind::Expert, {});
    const Operator *up = find(ops, "experts_up");
    QCOMPARE(up->dims.at("batch"), std::int64_t(8));
    QCOMPARE(up->dims.at("m"), std::int64_t(1));
    QCOMPARE(up->parameterBytes, 2.0 * 256 * 7168 * 4096);
    QCOMPARE(find(ops, "shared_up")->dims.at("n"), std::int64_t(4096));
}

void tst_transformer::latentAttentionByHand()
{
    Slice slice;
    slice.tensor = 8; // 16 heads
    const auto ops = layerForward(shapes::job(shapes::deepseekV3(), 4096), LayerKind::Dense, slice);
    QCOMPARE(find(ops, "q_down")->flops, 2.0 * 4096 * 7168 * 1536); // not divided
    QCOMPARE(find(ops, "q_up")->flops, 2.0 * 4096 * 1536 * 16 * 192);
    QCOMPARE(find(ops, "kv_down")->dims.at("n"), std::int64_t(512 + 64));
    QCOMPARE(find(ops, "kv_up")->dims.at("n"), std::int64_t(16 * 256));
    QCOMPARE(find(ops, "proj")->dims.at("k"), std::int64_t(16 * 128));
    // Keys are 192 wide, values 128: 2 x 16 x 4096^2 x (192 + 128) / 2.
    QCOMPARE(find(ops, "attention")->flops, 16 * 4096.0 * 4096 * 320);
    QCOMPARE(find(ops, "attention")->dims.at("value_dim"), std::int64_t(128));
    QVERIFY(!find(ops, "qkv"));
}

void tst_transformer::embeddingAndHeadByHand()
{
    const TrainingJob job = shapes::job(shapes::gpt3(), 2048);
    Slice slice;
    slice.tensor = 8; // 6400 rows of the vocabulary
    const auto in = embeddingForward(job, slice);
    QCOMPARE(find(in, "embedding")->parameterBytes, 2.0 * 6400 * 12288);
    QCOMPARE(find(in, "embedding")->bytes, 2.0 * 2 * 2048 * 12288);
    QCOMPARE(find(in, "positions")->parameterBytes, 2.0 * 2048 * 12288);
    const auto out = headForward(job, slice);
    QCOMPARE(find(out, "logits")->flops, 2.0 * 2048 * 12288 * 6400);
    QCOMPARE(find(out, "logits")->parameterBytes, 2.0 * 6400 * 12288); // the tied matrix is held here too
    QCOMPARE(find(out, "loss")->bytes, 18.0 * 2048 * 6400); // 2 in, 4 out, 4 in, 4 in and 4 out
}

void tst_transformer::headlessModelHasNoProduct()
{
    const auto ops = headForward(shapes::job(shapes::tiny(), 16), {});
    QCOMPARE(ops.size(), std::size_t(1));
    QCOMPARE(ops.front().kind, OperatorKind::Norm);
}

void tst_transformer::weightsAgreeWithTheCount()
{
    for (const ModelShape &s : {shapes::llama7b(), shapes::gpt3(), shapes::mixtral(), shapes::deepseekV3(),
                                shapes::tiny()}) {
        const TrainingJob job = shapes::job(s, 4096);
        const ParameterCount p = countParameters(s);
        if (!s.isExpertLayer(0))
            QCOMPARE(weights(layerForward(job, LayerKind::Dense, {})), double(p.denseLayer));
        if (s.experts > 0)
            QCOMPARE(weights(layerForward(job, LayerKind::Expert, {})), double(p.expertLayer));
        QCOMPARE(weights(embeddingForward(job, {})), double(p.embedding));
        const double head = weights(headForward(job, {}));
        const double tied = s.tiedEmbeddings ? double(s.vocab) * s.hidden : 0;
        QCOMPARE(head, double(p.head + p.finalNorm) + tied);
    }
}

void tst_transformer::flopsAgreeWithTheFormula()
{
    // Llama-2-7b, 4096 tokens: 6 x 6 607 077 376 + 12 x 32 x 4096 x 4096 = 39 642 464 256 + 6 442 450 944.
    QCOMPARE(flopsPerToken(shapes::llama7b(), 4096), 46084915200.0);
    // The operators add up to the same when attention is neither causal nor recomputed.
    for (const ModelShape &s : {shapes::llama7b(), shapes::gpt3(), shapes::mixtral(), shapes::deepseekV3()}) {
        TrainingJob job = shapes::job(s, 2048);
        job.flashAttention = false;
        const auto dense = layerForward(job, LayerKind::Dense, {}), expert = layerForward(job, LayerKind::Expert, {});
        double flops = 0;
        const auto both = [&](const std::vector<Operator> &ops) {
            return productFlops(ops) + productFlops(backwardOf(ops, false));
        };
        for (int layer = 0; layer < s.layers; ++layer)
            flops += both(s.isExpertLayer(layer) ? expert : dense);
        flops += both(headForward(job, {}));
        const double formula = flopsPerToken(s, 2048);
        QVERIFY2(std::abs(flops / 2048 / formula - 1) < 1e-12, s.name.c_str());
    }
}

void tst_transformer::backwardByHand()
{
    const TrainingJob job = shapes::job(shapes::llama7b(), 4096);
    const auto forward = layerForward(job, LayerKind::Dense, {});
    const auto backward = backwardOf(forward, true);
    // dX[4096,4096] = dY[4096,12288] W^T and dW[4096,12288] = X^T dY: as many FLOPs each as the forward product.
    const Operator *input = find(backward, "qkv.dx"), *weight = find(backward, "qkv.dw");
    QVERIFY(input && weight);
    QCOMPARE(input->dims, (std::map<std::string, std::int64_t>{{"batch", 1}, {"k", 12288}, {"m", 4096}, {"n", 4096}}));
    QCOMPARE(weight->dims, (std::map<std::string, std::int64_t>{{"batch", 1}, {"k", 4096}, {"m", 4096}, {"n", 12288}}));
    QCOMPARE(input->flops, 412316860416.0);
    QCOMPARE(weight->flops, 412316860416.0);
    QCOMPARE(input->outputBytes, 2.0 * 4096 * 4096);
    QCOMPARE(weight->outputBytes, 2.0 * 4096 * 12288);
    QCOMPARE(find(backward, "attention.d")->flops, 2.5 * 137438953472.0);
    QCOMPARE(find(backwardOf(forward, false), "attention.d")->flops, 2 * 137438953472.0);
    QVERIFY(std::all_of(backward.begin(), backward.end(), [](const Operator &op) { return op.backward; }));
    QCOMPARE(weights(backward), 0.0);
    QCOMPARE(backward.front().id, std::string("residual2.d"));
    QCOMPARE(backward.back().id, std::string("norm1.d"));
}

void tst_transformer::contextRanks()
{
    // Two context ranks: 2048 queries over 4096 keys, half the products.
    Slice slice;
    slice.context = 2;
    const auto ops = layerForward(shapes::job(shapes::llama7b(), 4096), LayerKind::Dense, slice);
    QCOMPARE(find(ops, "qkv")->dims.at("m"), std::int64_t(2048));
    QCOMPARE(find(ops, "attention")->dims.at("seq"), std::int64_t(2048));
    QCOMPARE(find(ops, "attention")->dims.at("context"), std::int64_t(4096));
    QCOMPARE(find(ops, "attention")->flops, 137438953472.0 / 2);
}

void tst_transformer::activationsOfKorthikanti()
{
    // arXiv 2205.05198, table 2, for s 2048, b 1, h 12288, a 96, t 8: s b h = 25 165 824 and 5 a s / h = 80.
    TrainingJob job = shapes::job(shapes::gpt3(), 2048);
    job.flashAttention = false;
    const double sbh = 25165824;
    Slice slice;
    const auto bytes = [&](Recompute r) { return activationBytesPerLayer(job, LayerKind::Dense, slice, r); };
    QCOMPARE(bytes(Recompute::None), sbh * (34 + 80));
    slice.tensor = 8;
    QCOMPARE(bytes(Recompute::None), sbh * (34 + 80) / 8);
    QCOMPARE(bytes(Recompute::Selective), sbh * 34 / 8);
    QCOMPARE(bytes(Recompute::Full), 2 * sbh / 8);
    job.sequenceParallel = false;
    QCOMPARE(bytes(Recompute::None), sbh * (10 + 24.0 / 8 + 80.0 / 8));
    QCOMPARE(bytes(Recompute::Selective), sbh * (10 + 24.0 / 8));
    QCOMPARE(bytes(Recompute::Full), 2 * sbh);
    // Flash attention leaves the logarithm of each softmax sum, four bytes for 12 heads of 2048 queries.
    job.flashAttention = true;
    QCOMPARE(bytes(Recompute::None), sbh * (10 + 24.0 / 8) + 4.0 * 12 * 2048);
    // Two samples take twice as much.
    const double one = bytes(Recompute::None);
    slice.samples = 2;
    QCOMPARE(bytes(Recompute::None), 2 * one);
}

void tst_transformer::activationsByHand()
{
    // Mixtral, one token, one device, selective. Norm, attention and MLP inputs 4 x 2 x 4096 = 32768; q, k, v
    // 2 x 128 x (32 + 16) = 12288 and the projection's input 8192; router 4 x 8 = 32; two copies dispatched and their two
    // results 2 x 2 x 4096 x 2 = 32768; inside the experts 2 x 3 x 2 x 14336 = 172032.
    TrainingJob job = shapes::job(shapes::mixtral(), 1);
    QCOMPARE(activationBytesPerLayer(job, LayerKind::Expert, {}, Recompute::Selective),
             32768.0 + 12288 + 8192 + 32 + 32768 + 172032);
    // DeepSeek-V3, dense layer, one token: 4 x 2 x 7168 = 57344; 128 heads x 2 x (2 x 192 + 2 x 128) = 163840; ranks
    // 2 x 2 x (1536 + 512) + 2 x 64 = 8320; MLP 3 x 2 x 18432 = 110592.
    job = shapes::job(shapes::deepseekV3(), 1);
    QCOMPARE(activationBytesPerLayer(job, LayerKind::Dense, {}, Recompute::Selective), 57344.0 + 163840 + 8320 + 110592);
    // A parallel block with one norm: its input and output, 2 x 2 x 32 = 128; q, k, v and projection 4 x 2 x 32 = 256;
    // MLP 2 x 2 x 37 = 148.
    job = shapes::job(shapes::tiny(), 1);
    QCOMPARE(activationBytesPerLayer(job, LayerKind::Dense, {}, Recompute::Selective), 128.0 + 256 + 148);
}

void tst_transformer::headActivations()
{
    // arXiv 2205.05198, section 4.3: 4 s b h (1 + v/h) / t = 4 x 25 165 824 x (1 + 51200/12288) / 8.
    TrainingJob job = shapes::job(shapes::gpt3(), 2048);
    Slice slice;
    slice.tensor = 8;
    QCOMPARE(headActivationBytes(job, slice), 65011712.0);
    job.model.hasHead = false;
    QCOMPARE(headActivationBytes(job, slice), 2.0 * 25165824 / 8);
}

void tst_transformer::halfASample()
{
    // Shares of a sample are allowed: 0.5 x 100 tokens.
    Slice slice;
    slice.samples = 0.5;
    const auto ops = layerForward(shapes::job(shapes::llama7b(), 100), LayerKind::Dense, slice);
    QCOMPARE(find(ops, "qkv")->dims.at("m"), std::int64_t(50));
}

QTEST_GUILESS_MAIN(tst_transformer)
#include "tst_transformer.moc"
