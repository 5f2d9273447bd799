// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/transformer.hpp"

#include "core/workload/slice_sizes.hpp"

#include <algorithm>
#include <utility>

namespace polyrail {

namespace {

constexpr double normFlops = 7;   ///< per element: mean, variance, scale; bookkeeping only, norms are memory-bound
constexpr double rotaryFlops = 3; ///< two products and a sum
constexpr double lossFlops = 6;   ///< maximum, exponential, sum, logarithm, pick

/// Collects the operators of one device with its element sizes at hand.
class Builder
{
public:
    Builder(const TrainingJob &job, const Slice &slice)
        : m_job(job), m_size(job, slice), m_weight(stateBytes(job.precision).weight)
    {
        m_ops.reserve(20);
    }

    const SliceSizes &size() const { return m_size; }
    std::vector<Operator> take() { return std::move(m_ops); }

    Operator &matmul(const char *id, Count m, Count n, Count k, Count batch = 1, Count biases = 0)
    {
        Operator &op = add(id, OperatorKind::Matmul);
        op.dims = {{"batch", batch}, {"k", k}, {"m", m}, {"n", n}};
        const double rows = double(m) * double(batch), products = rows * double(n) * double(k);
        op.flops = 2 * products;
        // Fp8 recipes feed the products one-byte inputs and get two-byte results.
        const double input = m_job.precision == Precision::Fp8 ? 1 : m_size.element;
        op.bytes = input * double(batch) * (double(m) * double(k) + double(k) * double(n))
            + m_size.element * rows * double(n);
        op.parameterBytes = m_weight * (double(batch) * double(n) * double(k) + double(biases));
        op.outputBytes = m_size.element * rows * double(n);
        return op;
    }

    Operator &norm(const char *id, double elements, Count parameters)
    {
        Operator &op = add(id, OperatorKind::Norm);
        op.flops = normFlops * elements;
        op.bytes = 2 * m_size.element * elements;
        op.parameterBytes = m_weight * double(parameters);
        op.outputBytes = m_size.element * elements;
        return op;
    }

    /// `reads` tensors in, one out, of `elements` each.
    Operator &elementwise(const char *id, double elements, double reads, double flopsPerElement)
    {
        Operator &op = add(id, OperatorKind::Elementwise);
        op.flops = flopsPerElement * elements;
        op.bytes = (reads + 1) * m_size.element * elements;
        op.outputBytes = m_size.element * elements;
        return op;
    }

    Operator &add(const char *id, OperatorKind kind)
    {
        Operator &op = m_ops.emplace_back();
        op.id = id;
        op.kind = kind;
        return op;
    }

    double weightBytes() const { return m_weight; }

private:
    const TrainingJob &m_job;
    SliceSizes m_size;
    double m_weight;
    std::vector<Operator> m_ops;
};

Count normParameters(const ModelShape &s)
{
    return Count(s.hidden) * (s.normBias ? 2 : 1);
}

void addCore(Builder &b, const TrainingJob &job, Count queryKeyDim, Count valueDim, Count kvHeads)
{
    const SliceSizes &z = b.size();
    Operator &op = b.add("attention", OperatorKind::Attention);
    op.dims = {{"batch", z.samples},   {"context", job.sequence},      {"flash", job.flashAttention ? 1 : 0},
               {"head_dim", queryKeyDim}, {"heads", z.heads},          {"kv_heads", kvHeads},
               {"seq", z.sequence},    {"value_dim", valueDim}};
    const double scores = z.scores();
    const double causal = job.flashAttention ? 0.5 : 1;
    op.flops = 2 * scores * (double(queryKeyDim) + double(valueDim)) * causal;
    const double queries = z.tokens * double(z.heads), keys = double(z.samples) * job.sequence * double(kvHeads);
    op.bytes = z.element * (queries + keys) * double(queryKeyDim + valueDim); // q, k, v in, result out
    if (!job.flashAttention) // product writes, softmax reads and writes, second product reads
        op.bytes += 4 * z.element * scores;
    op.outputBytes = z.element * queries * double(valueDim);
}

void addLatentAttention(Builder &b, const TrainingJob &job, const LatentAttention &l)
{
    const ModelShape &s = job.model;
    const SliceSizes &z = b.size();
    const Count queryDim = Count(l.nopeDim) + l.ropeDim;
    // The compressions are small and every rank of a tensor group needs them whole.
    if (l.queryRank > 0) {
        b.matmul("q_down", z.rows, l.queryRank, s.hidden, 1, s.qkvBias ? l.queryRank : 0);
        b.norm("q_norm", z.tokens * l.queryRank, l.queryRank);
        b.matmul("q_up", z.rows, z.heads * queryDim, l.queryRank);
    } else {
        b.matmul("q", z.rows, z.heads * queryDim, s.hidden);
    }
    const Count kvWidth = Count(l.keyValueRank) + l.ropeDim;
    b.matmul("kv_down", z.rows, kvWidth, s.hidden, 1, s.qkvBias ? kvWidth : 0);
    b.norm("kv_norm", z.tokens * l.keyValueRank, l.keyValueRank);
    b.matmul("kv_up", z.rows, z.heads * (Count(l.nopeDim) + l.valueDim), l.keyValueRank);
    if (l.ropeDim > 0)
        b.elementwise("rotary", z.tokens * l.ropeDim * double(z.heads + 1), 1, rotaryFlops);
    addCore(b, job, queryDim, l.valueDim, z.heads);
    b.matmul("proj", z.rows, s.hidden, z.heads * l.valueDim, 1, s.outputBias ? s.hidden : 0);
}

void addAttention(Builder &b, const TrainingJob &job)
{
    const ModelShape &s = job.model;
    const SliceSizes &z = b.size();
    const Count width = (z.heads + 2 * z.kvHeads) * s.headDim;
    b.matmul("qkv", z.rows, width, s.hidden, 1, s.qkvBias ? width : 0);
    const double queriesAndKeys = z.tokens * double(z.heads + z.kvHeads) * s.headDim;
    if (s.queryKeyNorm)
        b.norm("qk_norm", queriesAndKeys, 2 * Count(s.headDim));
    if (s.position == PositionKind::Rotary)
        b.elementwise("rotary", queriesAndKeys, 1, rotaryFlops);
    addCore(b, job, s.headDim, s.headDim, z.kvHeads);
    b.matmul("proj", z.rows, s.hidden, z.heads * s.headDim, 1, s.outputBias ? s.hidden : 0);
}

void addExtra(Builder &b, const ModelShape &s)
{
    // Known only by its size; it acts on every token and is not divided.
    if (s.extraParametersPerLayer > 0)
        b.matmul("extra", b.size().rows, ceilDiv(s.extraParametersPerLayer, s.hidden), s.hidden);
}

struct MlpNames
{
    const char *up;
    const char *activation;
    const char *down;
};

void addMlp(Builder &b, const ModelShape &s, const MlpNames &names, Count rows, double tokens, Count width, bool bias)
{
    const Count ups = s.gatedMlp ? 2 : 1;
    b.matmul(names.up, rows, ups * width, s.hidden, 1, bias ? ups * width : 0);
    b.elementwise(names.activation, tokens * double(width), double(ups), s.gatedMlp ? 5 : 4);
    b.matmul(names.down, rows, s.hidden, width, 1, bias ? s.hidden : 0);
}

void addExperts(Builder &b, const ModelShape &s)
{
    const SliceSizes &z = b.size();
    b.matmul("router", z.shardRows, s.experts, s.hidden, 1, s.routerBias ? s.experts : 0);
    const double routed = z.tokens * s.topK; // rows that this device computes, balanced routing
    b.elementwise("dispatch", routed * s.hidden, 1, 0);
    const Count ups = s.gatedMlp ? 2 : 1;
    // Experts without a token do not run, but their weights are held.
    const double held = double(z.heldExperts) / double(z.localExperts);
    b.matmul("experts_up", z.expertRows, ups * z.expertWidth, s.hidden, z.localExperts).parameterBytes *= held;
    b.elementwise("experts_act", routed * double(z.expertWidth), double(ups), s.gatedMlp ? 5 : 4);
    b.matmul("experts_down", z.expertRows, s.hidden, z.expertWidth, z.localExperts).parameterBytes *= held;
    b.elementwise("combine", routed * s.hidden, 1, 2);
    if (s.sharedExperts > 0)
        addMlp(b, s, {"shared_up", "shared_act", "shared_down"}, z.rows, z.tokens, z.sharedWidth, false);
}

} // namespace

std::vector<Operator> layerForward(const TrainingJob &job, LayerKind kind, const Slice &slice)
{
    const ModelShape &s = job.model;
    Builder b(job, slice);
    const SliceSizes &z = b.size();
    const double shard = z.shardTokens * s.hidden;
    int norms = s.normsPerLayer;
    const auto addNorm = [&](const char *id) {
        if (norms-- > 0)
            b.norm(id, shard, normParameters(s));
    };
    const double dropReads = s.dropout ? 0.5 : 0; // a one-byte mask is written on the way

    addNorm("norm1");
    if (s.latent)
        addLatentAttention(b, job, *s.latent);
    else
        addAttention(b, job);
    addExtra(b, s);
    if (s.normsPerLayer >= 4)
        addNorm("norm_after_attention");
    if (!s.parallelResidual)
        b.elementwise("residual1", shard, 2 + dropReads, 1);
    addNorm("norm2");
    if (kind == LayerKind::Expert)
        addExperts(b, s);
    else
        addMlp(b, s, {"mlp_up", "mlp_act", "mlp_down"}, z.rows, z.tokens, z.ffn, s.mlpBias);
    while (norms > 0)
        addNorm("norm_after_mlp");
    // With a parallel residual both branches and the input are added at once.
    b.elementwise("residual2", shard, (s.parallelResidual ? 3 : 2) + dropReads, s.parallelResidual ? 2 : 1);
    return b.take();
}

std::vector<Operator> embeddingForward(const TrainingJob &job, const Slice &slice)
{
    const ModelShape &s = job.model;
    Builder b(job, slice);
    const SliceSizes &z = b.size();
    const Count width = s.tokenWidth();

    Operator &table = b.add("embedding", OperatorKind::Embedding);
    table.dims = {{"tokens", z.rows}, {"vocab", z.vocab}, {"width", width}};
    table.bytes = 2 * z.element * z.tokens * double(width);
    table.parameterBytes = b.weightBytes() * double(z.vocab) * double(width);
    table.outputBytes = z.element * z.tokens * double(width);
    if (width != s.hidden)
        b.matmul("project_in", z.rows, s.hidden, width);
    const double shard = z.shardTokens * s.hidden;
    if (s.position == PositionKind::Learned) {
        Operator &add = b.elementwise("positions", shard, 2, 1);
        add.parameterBytes = b.weightBytes() * double(s.maxPositions) * s.hidden;
    }
    if (s.embeddingNorm)
        b.norm("embedding_norm", shard, normParameters(s));
    return b.take();
}

std::vector<Operator> headForward(const TrainingJob &job, const Slice &slice)
{
    const ModelShape &s = job.model;
    Builder b(job, slice);
    const SliceSizes &z = b.size();
    if (s.finalNorm)
        b.norm("final_norm", z.shardTokens * s.hidden, normParameters(s));
    if (!s.hasHead)
        return b.take();
    const Count width = s.tokenWidth();
    if (width != s.hidden)
        b.matmul("project_out", z.rows, width, s.hidden);
    b.matmul("logits", z.rows, z.vocab, width, 1, s.headBias ? z.vocab : 0);
    Operator &loss = b.add("loss", OperatorKind::Elementwise);
    const double logits = z.tokens * double(z.vocab);
    loss.flops = lossFlops * logits;
    // Read once and kept in fp32; the maximum reads that copy, the exponential reads and writes it.
    loss.bytes = (z.element + 4 + 4 + 8) * logits;
    loss.outputBytes = 4 * z.tokens;
    return b.take();
}

std::vector<Operator> backwardOf(const std::vector<Operator> &forward, bool flashAttention)
{
    std::vector<Operator> ops;
    ops.reserve(2 * forward.size());
    const auto mirror = [&ops](const Operator &f, const char *suffix) -> Operator & {
        Operator &op = ops.emplace_back(f);
        op.id += suffix;
        op.backward = true;
        op.parameterBytes = 0;
        return op;
    };
    for (auto f = forward.rbegin(); f != forward.rend(); ++f) {
        switch (f->kind) {
        case OperatorKind::Matmul: {
            const auto m = f->dims.at("m"), n = f->dims.at("n"), k = f->dims.at("k"), batch = f->dims.at("batch");
            // dX[m,k] = dY[m,n] W^T[n,k]; dW[k,n] = X^T[k,m] dY[m,n].
            const double perElement = f->outputBytes / (double(batch) * double(m) * double(n));
            Operator &input = mirror(*f, ".dx");
            input.dims = {{"batch", batch}, {"k", n}, {"m", m}, {"n", k}};
            input.outputBytes = perElement * double(batch) * double(m) * double(k);
            Operator &weight = mirror(*f, ".dw");
            weight.dims = {{"batch", batch}, {"k", m}, {"m", k}, {"n", n}};
            weight.outputBytes = perElement * double(batch) * double(k) * double(n);
            break;
        }
        case OperatorKind::Attention: {
            Operator &op = mirror(*f, ".d");
            op.flops *= flashAttention ? 2.5 : 2;
            op.bytes *= 2;
            op.outputBytes *= 3; // gradients of q, k and v
            break;
        }
        case OperatorKind::Embedding: {
            Operator &op = mirror(*f, ".d");
            op.bytes *= 1.5; // rows are read, added to, and written
            op.outputBytes = 0;
            break;
        }
        case OperatorKind::Norm:
        case OperatorKind::Elementwise:
        case OperatorKind::Custom: {
            Operator &op = mirror(*f, ".d");
            op.flops *= 2;
            op.bytes *= 1.5; // the saved input and the output's gradient in, the input's gradient out
            break;
        }
        }
    }
    return ops;
}

double flopsPerToken(const ModelShape &shape, int sequence)
{
    // Two products over s keys, two FLOPs per multiply-add, three times that with the backward pass.
    const double perHead = shape.latent
        ? (shape.latent->nopeDim + shape.latent->ropeDim + shape.latent->valueDim) / 2.0
        : shape.headDim;
    return 6.0 * double(activeMatmulParameters(shape)) + 12.0 * shape.layers * shape.heads * perHead * sequence;
}

} // namespace polyrail
