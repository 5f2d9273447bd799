// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace polyrail {

/// What a training program does around the products: how long its host needs to launch a layer, what it moves in
/// memory besides the tensors of the operators, and which communication it hides. Times are for a present server
/// CPU. docs/cost-model.md says how each figure was found.
struct FrameworkProfile
{
    // Host: kernels are launched one by one; a GPU that is faster than its host waits.
    double hostForward = 0;         ///< s per transformer layer, forward
    double hostBackward = 0;        ///< s per transformer layer, backward
    double hostTensor = 0;          ///< s per layer and pass for each tensor-parallel collective
    double hostMeeting = 8;         ///< exponent of the norm that adds host and GPU time of tensor-parallel layers: 1 where
                                    ///< the host waits for every collective, large where it runs ahead
    double hostEnds = 0;            ///< s per micro-batch for embedding, head, loss, bookkeeping
    double hostStep = 0;            ///< s per optimiser step

    double elementwise = 1;         ///< traffic of norms and elementwise parts over that of fused ones
    double attention = 1;           ///< time of fused attention over that of FlashAttention-2
    double earlyHopper = 1;         ///< time of products on Hopper over that of present libraries
    double scorePasses = 0;         ///< extra passes over materialised scores (dropout), reads and writes
    double logitBytes = 20;         ///< extra bytes per logit of the loss, forward and backward
    double optimiserBytes = 40;     ///< bytes moved per local parameter and step
    double gradientBytes = 2;       ///< bytes per parameter that the data-parallel reduction moves
    bool overlapGradients = false;  ///< reduction runs beside the backward pass
    bool perLayerSharding = false;  ///< fully sharded: gathers and reduces layer by layer (FSDP)
    double tensorOverlap = 0;       ///< share of the tensor-parallel traffic hidden behind products
    double overlapSlowdown = 1.0;   ///< products beside running collectives take this much longer
    double reservedGib = 0.8;       ///< memory beside the tensors that the source's figure includes
    double selectiveShare = 1;      ///< share of a layer's activations that selective recomputation keeps, beyond what
                                    ///< the attention core alone would free
    bool syncPipeline = true;       ///< stage-to-stage transfers block the sender
};

/// The profile of a framework as the case files name it, with the options that change it. A framework that is not
/// known gets the profile of present Megatron-LM or, when sharded by layer, of FSDP.
FrameworkProfile frameworkProfile(const std::string &framework, const std::vector<std::string> &options,
                                  bool shardedByLayer);

} // namespace polyrail
