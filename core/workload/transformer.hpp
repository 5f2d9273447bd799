// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workload/operator_graph.hpp"
#include "core/workload/training_job.hpp"

#include <vector>

namespace polyrail {

/// How a slice of the model is cut for one device: 1/tensor of heads, FFN columns and vocabulary, and
/// `samples` whole sequences.
struct Slice
{
    double samples = 1;
    int tensor = 1;
    int context = 1;
    int expert = 1; ///< expert-parallel ranks: each holds experts/expert
};

enum class LayerKind { Dense, Expert };

/// Forward operators of one transformer layer, of the embedding, and of the output layer with its loss,
/// as one device of a tensor group of `slice.tensor` runs them (shapes are already divided; norms and
/// elementwise parts are divided along the sequence when job.sequenceParallel). FLOPs count a
/// multiply-add as two; attention is causal when flash is on (half of the scores), full otherwise.
/// Formulas: Korthikanti et al., arXiv 2205.05198, and the shapes themselves.
std::vector<Operator> layerForward(const TrainingJob &job, LayerKind kind, const Slice &slice);
std::vector<Operator> embeddingForward(const TrainingJob &job, const Slice &slice);
std::vector<Operator> headForward(const TrainingJob &job, const Slice &slice);
/// The matching backward operators: two products per forward product, attention 2.5 times when flash
/// recomputes its scores, twice otherwise.
std::vector<Operator> backwardOf(const std::vector<Operator> &forward, bool flashAttention);

/// The whole model, forward and backward, as an operator graph with tensors and split rules.
OperatorGraph buildOperatorGraph(const TrainingJob &job);

/// Model FLOPs per token, forward + backward, no recomputation, full (non-causal) attention:
/// 6 x active matmul parameters + 12 x layers x heads x headDim x sequence.
double flopsPerToken(const ModelShape &shape, int sequence);

} // namespace polyrail
