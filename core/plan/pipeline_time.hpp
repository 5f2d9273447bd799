// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace polyrail {

/// One pipeline of stages, each with `chunks` model chunks (1 = plain schedules).
struct PipelineShape
{
    int stages = 1;
    int chunks = 1;
    int microBatches = 1;
    bool gpipe = false;
    /// By stage * chunks + chunk: seconds of one micro-batch.
    std::vector<double> forward;
    std::vector<double> backward;
    /// By stage: seconds from stage s to s + 1 (the last entry: back to stage 0 for the next chunk).
    std::vector<double> transfer;
    bool blocking = true; ///< the sender waits until its transfer is done
};

/// Seconds until each stage has finished its last backward pass, by the exact order of 1F1B, interleaved 1F1B
/// (Narayanan et al., arXiv 2104.04473, Megatron-LM's order) or GPipe: longest path over the operations. Linear in
/// stages x chunks x micro-batches. Where the interleaved order cannot run (micro-batches that are no multiple of the
/// stages) all forward passes go first.
std::vector<double> pipelineFinish(const PipelineShape &shape);

} // namespace polyrail
