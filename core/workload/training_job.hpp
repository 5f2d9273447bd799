// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/gpu_type.hpp"
#include "core/workload/model_shape.hpp"

#include <cstdint>
#include <string>

namespace polyrail {

enum class Sharding { None, Zero1, Zero2, Zero3 }; ///< optimiser, + gradients, + parameters
enum class Recompute { None, Selective, Full };

const char *toString(Sharding s);  ///< "none" | "zero1" | "zero2" | "zero3"
const char *toString(Recompute r); ///< "none" | "selective" | "full"

/// What is trained: one optimiser step of a model. A value.
struct TrainingJob
{
    ModelShape model;
    int globalBatch = 128;        ///< samples per optimiser step
    int maxMicroBatch = 0;        ///< most samples that one replica takes at a time; 0 = the search decides
    int sequence = 4096;          ///< tokens per sample
    Precision precision = Precision::Bf16;
    bool flashAttention = true;
    bool sequenceParallel = true; ///< norms and dropout split along the sequence inside a tensor group
    Sharding sharding = Sharding::Zero1;
    std::string digest() const;   ///< 16 hex digits over everything that affects a plan
};

/// Bytes of training state per parameter, by the usual mixed-precision recipe (Micikevicius et al.,
/// arXiv 1710.03740; Rajbhandari et al., arXiv 1910.02054): half-precision weight and fp32 gradient
/// stay with the parameter, fp32 master weight and two Adam moments are the optimiser state. Fp32 and tf32 need no
/// master copy (4 + 4 + 8). Fp8 is a format of the products: weights stay in bf16.
struct StateBytes
{
    double weight = 2;
    double gradient = 4;
    double optimiser = 12;
};
StateBytes stateBytes(Precision p);
/// Bytes of one activation element as it is kept and sent: 4 for fp32 and tf32, else 2 (fp8 recipes cast at the
/// products' inputs and keep activations in bf16).
double activationBytes(Precision p);

} // namespace polyrail
