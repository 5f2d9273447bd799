// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/gpu_type.hpp"
#include "core/workload/training_job.hpp"

#include <optional>
#include <string>
#include <vector>

namespace polyrail {

// Predictions of published measurements: what the same kernel and collective models that plans are scored with say
// about cases that others have run. Pure functions, deterministic, thread-safe.

/// A prediction with the range that two thirds of like cases fell into when the constants were fitted. `value` is in
/// the unit of the function. Without a value, `note` says why; with one, what was assumed.
struct Prediction
{
    std::optional<double> value;
    double low = 0;
    double high = 0;
    double peakMemoryGib = 0; ///< training only
    std::string note;
};

/// One training step as a source published it (names follow the columns of the case files).
struct TrainingCase
{
    std::string gpu;           ///< catalogue name; several joined by '+' when `nodes` describes a mixed cluster
    int gpus = 1;
    int gpusPerNode = 1;
    std::string intraFabric;
    double networkRate = 0;    ///< bytes/s of one node, one direction; 0: not stated or one node
    std::string networkNote;   ///< "8x200G HDR InfiniBand": the number of ports is read from it
    std::string nodes;         ///< mixed clusters: "3*(4xV100-SXM2-16GB,NVLink2,1.25GB/s)+1*(4xT4,PCIe3,6.25GB/s)"
    int hidden = 0;
    int layers = 0;
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;           ///< 0: hidden / heads
    int ffn = 0;
    bool gatedMlp = false;
    int vocab = 0;
    int sequence = 0;
    int experts = 0;
    int topK = 0;
    bool tiedEmbeddings = false;
    int tensor = 1;
    int pipeline = 1;
    int context = 1;
    int data = 1;
    int expert = 1;
    int virtualStages = 0;     ///< 0: not known
    Sharding sharding = Sharding::None;
    int microBatch = 0;        ///< 0: not published, the fastest of {1,2,4,8} that fits counts
    int globalBatch = 1;
    Precision precision = Precision::Bf16;
    Recompute recompute = Recompute::None;
    bool sequenceParallel = false;
    bool flashAttention = false;
    std::vector<int> layerPartition; ///< transformer layers by pipeline stage; empty = equal
    std::string placement;     ///< mixed clusters: "TYPExN+TYPExN;TYPExN": stages, runs in rank order
    std::string framework;
    std::vector<std::string> options;
};
/// Seconds of one optimiser step, and peak memory of the busiest GPU.
Prediction predictTraining(const TrainingCase &c, const Catalogue &catalogue);

struct CollectiveCase
{
    std::string gpu;
    int nodes = 1;
    int gpusPerNode = 1;
    int ranks = 1;
    std::string intraFabric;
    std::string interFabric;
    double networkRate = 0;    ///< bytes/s of one node; 0: not stated
    std::string collective;    ///< all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, send_recv
    std::string algorithmNote;
    double bytes = 0;          ///< as nccl-tests count them
};
/// Microseconds.
Prediction predictCollective(const CollectiveCase &c, const Catalogue &catalogue);

struct MatmulCase
{
    std::string gpu;
    std::string precision;     ///< fp32 (vector units), tf32, fp16, bf16, fp8
    std::string source;        ///< the measuring program: its own overhead is part of its figures
    std::int64_t batch = 1;
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
};
/// Microseconds.
Prediction predictMatmul(const MatmulCase &c, const Catalogue &catalogue);

struct LayerCase
{
    std::string gpu;
    int hidden = 0;
    int heads = 0;
    int ffn = 0;
    bool gatedMlp = false;
    int vocab = 0;
    int sequence = 0;
    int microBatch = 1;
    int tensor = 1;
    std::string kind;          ///< embed, transformer, norm, head
    bool tf32 = true;          ///< fp32 products run as TF32 where the GPU has it
};
struct LayerPrediction
{
    Prediction forward;        ///< seconds
    Prediction backward;
    Prediction update;
};
LayerPrediction predictLayer(const LayerCase &c, const Catalogue &catalogue);

} // namespace polyrail
