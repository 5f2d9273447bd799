// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/training_step.hpp"

#include <algorithm>

namespace polyrail {

namespace {

bool given(const TrainingCase &c, const char *option)
{
    return std::find(c.options.begin(), c.options.end(), option) != c.options.end();
}

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

/// Sums operators as a framework runs them: its unfused elementwise parts move more, fp8 products have their inputs
/// cast, materialised scores are passed over again for dropout.
class Sum
{
public:
    Sum(const TrainingJob &job, const KernelModel &kernels, const FrameworkProfile &profile)
        : m_job(job), m_kernels(kernels), m_profile(profile)
    {
    }

    double of(const Operator &op) const
    {
        double seconds = m_kernels.time(op, m_job.precision).value;
        if (op.kind == OperatorKind::Elementwise || op.kind == OperatorKind::Norm)
            return seconds * m_profile.elementwise;
        if (op.kind == OperatorKind::Matmul) {
            if (has(m_kernels.gpu().architecture, "Hopper"))
                seconds *= m_profile.earlyHopper;
            return m_job.precision == Precision::Fp8 ? seconds + cast(op) : seconds;
        }
        if (op.kind == OperatorKind::Attention && m_job.flashAttention)
            return seconds * m_profile.attention;
        if (op.kind == OperatorKind::Attention && !m_job.flashAttention && m_profile.scorePasses > 0) {
            const double scores = double(op.dims.at("batch") * op.dims.at("heads")) * double(op.dims.at("seq"))
                * double(op.dims.at("context"));
            seconds += m_kernels.memoryBound(m_profile.scorePasses * (2 * activationBytes(m_job.precision) + 1)
                                             * scores).value;
        }
        return seconds;
    }
    double of(const std::vector<Operator> &ops) const
    {
        double seconds = 0;
        for (const Operator &op : ops)
            seconds += of(op);
        return seconds;
    }

private:
    /// The left input is read in bf16 and written in fp8, once as it is and once transposed.
    double cast(const Operator &op) const
    {
        return m_kernels.memoryBound(4.0 * double(op.dims.at("batch")) * double(op.dims.at("m"))
                                     * double(op.dims.at("k"))).value;
    }

    const TrainingJob &m_job;
    const KernelModel &m_kernels;
    const FrameworkProfile &m_profile;
};

/// What selective recomputation repeats. Megatron-LM: the core of attention (Korthikanti et al., section 5), nothing
/// when a fused kernel keeps no scores. torchtitan: all but the fused attention and every other matrix product.
double selective(const TrainingCase &c, const std::vector<Operator> &forward, const Sum &sum)
{
    double seconds = 0;
    const bool everyOther = has(c.framework, "torchtitan");
    for (const Operator &op : forward) {
        if (op.kind == OperatorKind::Attention)
            seconds += everyOther || c.flashAttention ? 0 : sum.of(op);
        else if (everyOther)
            seconds += op.kind == OperatorKind::Matmul ? 0.5 * sum.of(op) : sum.of(op);
    }
    return seconds;
}

} // namespace

TrainingJob jobOfCase(const TrainingCase &c)
{
    TrainingJob job;
    ModelShape &m = job.model;
    m.layers = c.layers;
    m.hidden = c.hidden;
    m.heads = c.heads;
    m.kvHeads = c.kvHeads > 0 ? c.kvHeads : c.heads;
    m.headDim = c.headDim > 0 ? c.headDim : (c.heads > 0 ? c.hidden / c.heads : 0);
    m.ffn = c.ffn;
    m.gatedMlp = c.gatedMlp;
    m.vocab = c.vocab;
    m.tiedEmbeddings = c.tiedEmbeddings;
    m.experts = c.experts;
    m.topK = c.topK;
    m.expertFfn = c.experts > 0 ? c.ffn : 0;
    // Models with gated MLPs are of the Llama family; the others are GPT: biases, learned positions, dropout.
    const bool gpt = !c.gatedMlp;
    m.norm = gpt ? NormKind::LayerNorm : NormKind::RmsNorm;
    m.normBias = gpt;
    m.qkvBias = m.outputBias = m.mlpBias = gpt && !has(c.framework, "Composer");
    m.position = gpt ? PositionKind::Learned : PositionKind::Rotary;
    m.maxPositions = gpt ? c.sequence : 0;
    m.dropout = gpt && !has(c.framework, "Composer") && !has(c.framework, "Sailor");
    job.globalBatch = c.globalBatch;
    job.sequence = c.sequence;
    job.precision = c.precision;
    if (c.precision == Precision::Fp32 && given(c, "tf32"))
        job.precision = Precision::Tf32;
    job.flashAttention = c.flashAttention;
    job.sequenceParallel = c.sequenceParallel && c.tensor > 1;
    job.sharding = c.sharding;
    return job;
}

Slice sliceOfCase(const TrainingCase &c, int microBatch)
{
    Slice slice;
    slice.samples = microBatch;
    slice.tensor = c.tensor;
    slice.context = c.context;
    slice.expert = c.expert;
    return slice;
}

ComputeSeconds computeSeconds(const TrainingCase &c, const KernelModel &kernels, const FrameworkProfile &profile,
                              int microBatch)
{
    const TrainingJob job = jobOfCase(c);
    const Slice slice = sliceOfCase(c, microBatch);
    const Sum sum(job, kernels, profile);
    ComputeSeconds out;

    const LayerKind kind = c.experts > 0 ? LayerKind::Expert : LayerKind::Dense;
    const std::vector<Operator> forward = layerForward(job, kind, slice);
    out.layer.forward = sum.of(forward);
    out.layer.backward = sum.of(backwardOf(forward, job.flashAttention));
    if (c.recompute == Recompute::Full)
        out.layer.recompute = out.layer.forward;
    else if (c.recompute == Recompute::Selective)
        out.layer.recompute = selective(c, forward, sum);

    const std::vector<Operator> embedding = embeddingForward(job, slice);
    out.embedding.forward = sum.of(embedding);
    out.embedding.backward = sum.of(backwardOf(embedding, job.flashAttention));
    // Logits stay out of fp8.
    TrainingJob wide = job;
    if (wide.precision == Precision::Fp8)
        wide.precision = Precision::Bf16;
    const Sum wideSum(wide, kernels, profile);
    const std::vector<Operator> head = headForward(wide, slice);
    const double logits = double(microBatch) * c.sequence / c.context * c.vocab / c.tensor;
    const double loss = kernels.memoryBound(profile.logitBytes * logits).value;
    out.head.forward = wideSum.of(head) + 0.5 * loss;
    out.head.backward = wideSum.of(backwardOf(head, job.flashAttention)) + 0.5 * loss;
    return out;
}

} // namespace polyrail
