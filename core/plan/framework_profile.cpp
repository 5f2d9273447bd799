// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/framework_profile.hpp"

#include <algorithm>

namespace polyrail {

namespace {

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }
bool given(const std::vector<std::string> &options, const char *name)
{
    return std::find(options.begin(), options.end(), name) != options.end();
}

// Figures by framework family. Those of hosts are seconds per layer and pass.

constexpr double megatronHostForward = 0.45e-3;
constexpr double megatronHostBackward = 0.75e-3;
constexpr double megatronHostTensor = 0.05e-3;
constexpr double megatronElementwise = 1.1;
constexpr double megatronScorePasses = 1;
constexpr double megatronLogitBytes = 24;
constexpr double megatronOptimiserBytes = 46;

constexpr double deepspeedHostForward = 0.919e-3;
constexpr double deepspeedHostBackward = 1.14e-3;
constexpr double deepspeedHostTensor = 27.1e-6;
constexpr double deepspeedHostEnds = 3e-3;
constexpr double deepspeedElementwise = 1.28;
constexpr double deepspeedScorePasses = 0;
constexpr double deepspeedLogitBytes = 24;
constexpr double deepspeedOptimiserBytes = 46;

constexpr double sailorHostForward = 0;
constexpr double sailorHostBackward = 2.26e-3;
constexpr double sailorHostTensor = 0.142e-3;
constexpr double sailorElementwise = 0;
constexpr double sailorScorePasses = 8.01;

constexpr double sailorReserved = 4.0;

constexpr double olderHostForward = 0.6e-3;
constexpr double olderHostBackward = 1.0e-3;
constexpr double olderElementwise = 0.424;
constexpr double olderScorePasses = 14.7;
constexpr double olderLogitBytes = 4;
constexpr double olderHostTensor = 0.92e-3;
constexpr double olderOptimiserBytes = 70;
constexpr double olderMeeting = 1;

constexpr double presentHostForward = 0.25e-3;
constexpr double presentHostBackward = 0.4e-3;
constexpr double presentElementwise = 1.0;
constexpr double presentAttention = 1.0;
constexpr double presentTensorOverlap = 0.5;
constexpr double presentSlowdown = 1.05;

constexpr double composerHostForward = 0.879e-3;
constexpr double composerHostBackward = 0.737e-3;
constexpr double composerElementwise = 1.25;
constexpr double composerAttention = 1.81;
constexpr double composerLogitBytes = 3.42;
constexpr double composerOptimiserBytes = 40;
constexpr double composerSlowdown = 1.12;
constexpr double composerHopper = 1.41;

constexpr double torchtitanElementwise = 1.0;
constexpr double torchtitanEagerElementwise = 2.87;
constexpr double torchtitanAttention = 1.25;
constexpr double torchtitanLogitBytes = 24;
constexpr double torchtitanHopper = 1.13;
constexpr double torchtitanSelective = 0.62;
constexpr double torchtitanReserved = 3;

/// Megatron-LM of 2020 to 2022: fused kernels, reduction after the backward pass.
FrameworkProfile megatron()
{
    FrameworkProfile p;
    p.hostForward = megatronHostForward;
    p.hostBackward = megatronHostBackward;
    p.hostTensor = megatronHostTensor;
    p.hostEnds = 2e-3;
    p.hostStep = 5e-3;
    p.elementwise = megatronElementwise;
    p.scorePasses = megatronScorePasses;
    p.logitBytes = megatronLogitBytes;
    p.optimiserBytes = megatronOptimiserBytes;
    p.gradientBytes = 2;
    return p;
}

FrameworkProfile megatronDeepspeed()
{
    FrameworkProfile p = megatron();
    p.hostForward = deepspeedHostForward;
    p.hostBackward = deepspeedHostBackward;
    p.hostTensor = deepspeedHostTensor;
    p.hostEnds = deepspeedHostEnds;
    p.elementwise = deepspeedElementwise;
    p.scorePasses = deepspeedScorePasses;
    p.logitBytes = deepspeedLogitBytes;
    p.optimiserBytes = deepspeedOptimiserBytes;
    return p;
}

/// Megatron core and what is built on it: compiled elementwise parts, overlapped reductions.
FrameworkProfile present()
{
    FrameworkProfile p = megatron();
    p.hostForward = presentHostForward;
    p.hostBackward = presentHostBackward;
    p.elementwise = presentElementwise;
    p.attention = presentAttention;
    p.scorePasses = 0;
    p.gradientBytes = 4;
    p.overlapGradients = true;
    p.overlapSlowdown = presentSlowdown;
    p.tensorOverlap = presentTensorOverlap;
    p.syncPipeline = false;
    return p;
}

FrameworkProfile fsdp()
{
    FrameworkProfile p;
    p.hostForward = composerHostForward;
    p.hostBackward = composerHostBackward;
    p.hostEnds = 3e-3;
    p.hostStep = 10e-3;
    p.elementwise = composerElementwise;
    p.logitBytes = composerLogitBytes;
    p.optimiserBytes = composerOptimiserBytes;
    p.gradientBytes = 4;
    p.overlapGradients = true;
    p.perLayerSharding = true;
    p.overlapSlowdown = composerSlowdown;
    p.syncPipeline = false;
    return p;
}

} // namespace

FrameworkProfile frameworkProfile(const std::string &framework, const std::vector<std::string> &options,
                                  bool shardedByLayer)
{
    FrameworkProfile p = shardedByLayer ? fsdp() : megatron();
    if (has(framework, "Composer")) {
        p.attention = composerAttention; // the Triton kernel of FlashAttention 1
        p.earlyHopper = composerHopper;
        if (given(options, "fsdp_pure_bf16"))
            p.gradientBytes = 2;
    } else if (has(framework, "torchtitan")) {
        p.elementwise = given(options, "eager") ? torchtitanEagerElementwise : torchtitanElementwise;
        p.attention = torchtitanAttention;
        p.earlyHopper = torchtitanHopper;
        p.selectiveShare = torchtitanSelective;
        p.reservedGib = torchtitanReserved;
        p.logitBytes = torchtitanLogitBytes;
        p.tensorOverlap = given(options, "async_tp") ? 0.7 : 0;
        p.gradientBytes = 4;
        p.overlapGradients = true;
        p.syncPipeline = false;
    } else if (has(framework, "core r0.") || has(framework, "Bridge") || has(framework, "Meta")) {
        p = present();
    } else if (has(framework, "Sailor")) {
        p = megatronDeepspeed();
        p.hostForward = sailorHostForward;
        p.hostBackward = sailorHostBackward;
        p.hostTensor = sailorHostTensor;
        p.elementwise = sailorElementwise;
        p.scorePasses = sailorScorePasses;
        p.reservedGib = sailorReserved;
        p.gradientBytes = 4;
    } else if (has(framework, "Megatron-DeepSpeed")) {
        p = megatronDeepspeed();
    } else if (has(framework, "v1.1.5")) {
        p.hostForward = olderHostForward;
        p.hostBackward = olderHostBackward;
        p.hostTensor = olderHostTensor;
        p.hostMeeting = olderMeeting;
        p.elementwise = olderElementwise;
        p.scorePasses = olderScorePasses;
        p.logitBytes = olderLogitBytes;
        p.optimiserBytes = olderOptimiserBytes;
    }
    if (given(options, "fp32_grad_allreduce"))
        p.gradientBytes = 4;
    if (given(options, "no_optimizer")) {
        p.optimiserBytes = 0;
        p.hostStep = 0;
    }
    return p;
}

} // namespace polyrail
