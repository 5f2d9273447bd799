// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/cost_context.hpp"
#include "core/plan/plan.hpp"

namespace polyrail {

// What a plan's parts owe the network, as transfers. All pure and thread-safe; errors are Infeasible (no route, or an
// exclusive group that cannot serve the transfer).

/// Tensor collectives of one pass of a replica over `layers` layers, as one transfer per direction: the collectives of
/// the layers follow each other, so latency, own time and bytes add up.
struct TensorTraffic
{
    Transfer forward;
    Transfer backward;
};
Result<TensorTraffic> tensorTraffic(const CostContext &context, std::span<const DeviceId> devices, int samples,
                                    int layers, bool first, bool last, Recompute recompute);

/// Activations (or their gradients) of one micro-batch from one stage to another. Replicas exchange the samples that
/// they have in common, in order; inside a pair each tensor rank sends the slice of the hidden dimension that
/// it holds to the ranks that need it (scatter-gather, arXiv 2104.04473 section 4.1).
Result<Transfer> boundaryTraffic(const CostContext &context, const Stage &from, const Stage &to);

/// Gradient traffic of a stage after its last backward pass: with sharded optimiser state a reduce-scatter before and an
/// all-gather of the weights after the update, else one all-reduce. Replicas of unlike tensor sizes exchange
/// slice by slice.
struct GradientTraffic
{
    Transfer reduce;
    Transfer gather;
};
Result<GradientTraffic> gradientTraffic(const CostContext &context, const Stage &stage);

/// The gradient of a tied embedding, summed between the first and the last stage.
Result<Transfer> tiedEmbeddingTraffic(const CostContext &context, const Plan &plan);

} // namespace polyrail
