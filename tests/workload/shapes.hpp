// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workload/training_job.hpp"

namespace shapes {

using namespace polyrail;

/// Touvron et al., arXiv 2307.09288.
inline ModelShape llama7b()
{
    ModelShape s;
    s.name = "llama-2-7b";
    s.layers = 32;
    s.hidden = 4096;
    s.heads = s.kvHeads = 32;
    s.headDim = 128;
    s.ffn = 11008;
    s.vocab = 32000;
    return s;
}

/// Brown et al., arXiv 2005.14165, with the padded vocabulary of Megatron-LM and trained with dropout.
inline ModelShape gpt3()
{
    ModelShape s;
    s.name = "gpt3";
    s.layers = 96;
    s.hidden = 12288;
    s.heads = s.kvHeads = 96;
    s.headDim = 128;
    s.ffn = 4 * 12288;
    s.gatedMlp = false;
    s.vocab = 51200;
    s.maxPositions = 2048;
    s.tiedEmbeddings = true;
    s.qkvBias = s.outputBias = s.mlpBias = true;
    s.normBias = true;
    s.norm = NormKind::LayerNorm;
    s.position = PositionKind::Learned;
    s.dropout = true;
    return s;
}

/// Jiang et al., arXiv 2401.04088.
inline ModelShape mixtral()
{
    ModelShape s = llama7b();
    s.name = "mixtral-8x7b";
    s.kvHeads = 8;
    s.ffn = s.expertFfn = 14336;
    s.experts = 8;
    s.topK = 2;
    return s;
}

/// DeepSeek-AI, arXiv 2412.19437, section 4.2.
inline ModelShape deepseekV3()
{
    ModelShape s;
    s.name = "deepseek-v3";
    s.layers = 61;
    s.hidden = 7168;
    s.heads = s.kvHeads = 128;
    s.headDim = 192;
    s.ffn = 18432;
    s.vocab = 129280;
    s.latent = LatentAttention{1536, 512, 128, 64, 128};
    s.experts = 256;
    s.topK = 8;
    s.expertFfn = 2048;
    s.sharedExperts = 1;
    s.firstDenseLayers = 3;
    s.routerBias = true;
    return s;
}

/// The model of transformers' unit tests: 37 is prime.
inline ModelShape tiny()
{
    ModelShape s;
    s.name = "tiny";
    s.layers = 2;
    s.hidden = 32;
    s.heads = s.kvHeads = 4;
    s.headDim = 8;
    s.ffn = 37;
    s.gatedMlp = false;
    s.vocab = 1024;
    s.qkvBias = s.outputBias = s.mlpBias = true;
    s.normBias = true;
    s.norm = NormKind::LayerNorm;
    s.normsPerLayer = 1;
    s.parallelResidual = true;
    s.hasHead = false;
    return s;
}

inline TrainingJob job(ModelShape shape, int sequence)
{
    TrainingJob j;
    j.model = std::move(shape);
    j.sequence = sequence;
    return j;
}

} // namespace shapes
