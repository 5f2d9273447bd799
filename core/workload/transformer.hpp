// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workload/operator_graph.hpp"
#include "core/workload/training_job.hpp"

#include <vector>

namespace polyrail {

/// How a slice of the model is cut for one device: 1/tensor of heads, FFN columns and vocabulary, and
/// `samples` whole sequences. Where `tensor` does not divide heads, columns or experts, the largest share counts.
struct Slice
{
    double samples = 1;
    int tensor = 1;
    int context = 1; ///< context-parallel ranks: each holds sequence/context tokens of every sample
    int expert = 1; ///< expert-parallel ranks: each holds experts/expert
};

enum class LayerKind { Dense, Expert };

/// Forward operators of one transformer layer, of the embedding, and of the output layer with its loss,
/// as one device of a tensor group of `slice.tensor` runs them (shapes are already divided; norms and
/// elementwise parts are divided along the sequence when job.sequenceParallel). FLOPs count a
/// multiply-add as two; attention is causal when flash is on (half of the scores), full otherwise.
/// Formulas: Korthikanti et al., arXiv 2205.05198, and the shapes themselves.
/// parameterBytes of these are the weights that the device must hold to run them: a tied matrix appears in the
/// embedding and in the head, and a device that runs both holds it once. Attention carries the dims batch, heads,
/// kv_heads, head_dim, value_dim, seq (queries), context (keys) and flash (1, or 0 when scores are materialised).
std::vector<Operator> layerForward(const TrainingJob &job, LayerKind kind, const Slice &slice);
std::vector<Operator> embeddingForward(const TrainingJob &job, const Slice &slice);
std::vector<Operator> headForward(const TrainingJob &job, const Slice &slice);
/// The matching backward operators: two products per forward product, attention 2.5 times when flash
/// recomputes its scores, twice otherwise. In reverse order; parameterBytes are 0 (held by the forward operators).
std::vector<Operator> backwardOf(const std::vector<Operator> &forward, bool flashAttention);

/// Bytes that one device keeps of one layer's forward pass for the backward pass of one micro-batch slice. Korthikanti
/// et al., arXiv 2205.05198: s b h (10 + 24/t + 5 a s/(h t)) for a GPT layer with dropout at two bytes per element,
/// s b h (34 + 5 a s/h)/t with sequence parallelism; flash attention removes the 5 a s/h term, selective recomputation
/// too, full recomputation keeps 2 s b h (divided by t only with sequence parallelism). Adapted to gated MLPs, grouped
/// and latent attention, experts, and models without dropout; see docs/models.md.
double activationBytesPerLayer(const TrainingJob &job, LayerKind kind, const Slice &slice, Recompute recompute);
/// The same for the final norm, the output layer and its loss: 4 s b h (1/t') + 4 s b v/t, logits in fp32.
double headActivationBytes(const TrainingJob &job, const Slice &slice);

/// The whole model, forward and backward, as an operator graph with tensors and split rules: one micro-batch of
/// max(1, job.maxMicroBatch) samples, undivided. Tensors carry activations, gradients, and what backward operators keep
/// from the forward pass. Operators are called "layer3.qkv", their backward parts "layer3.qkv.dx" and ".dw", or ".d".
OperatorGraph buildOperatorGraph(const TrainingJob &job);

/// Model FLOPs per token, forward + backward, no recomputation, full (non-causal) attention:
/// 6 x active matmul parameters + 12 x layers x heads x headDim x sequence.
double flopsPerToken(const ModelShape &shape, int sequence);

} // namespace polyrail
