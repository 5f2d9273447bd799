// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ids.hpp"
#include "core/workload/training_job.hpp"

#include <string>
#include <vector>

namespace polyrail {

enum class PipelineSchedule { OneFOneB, GPipe };
const char *toString(PipelineSchedule s); ///< "1f1b" | "gpipe"

/// One copy of a stage: a tensor-parallel group that takes `samples` of every micro-batch.
struct Replica
{
    std::vector<DeviceId> devices; ///< in tensor rank order
    int samples = 0;
    bool operator==(const Replica &) const = default;
};

/// A run of consecutive layers on a set of devices.
struct Stage
{
    int firstLayer = 0;
    int lastLayer = -1;            ///< inclusive
    std::vector<Replica> replicas; ///< data-parallel copies, possibly unlike; samples sum to Plan::microBatch
    int layers() const { return lastLayer - firstLayer + 1; }
    bool operator==(const Stage &) const = default;
};

/// A complete answer: how one training step runs on the cluster. A value.
struct Plan
{
    int microBatch = 1;            ///< samples per micro-step, over all replicas of a stage
    int microBatches = 1;          ///< micro-steps per optimiser step
    PipelineSchedule schedule = PipelineSchedule::OneFOneB;
    Recompute recompute = Recompute::None;
    std::vector<Stage> stages;     ///< in pipeline order
    bool operator==(const Plan &) const = default;

    int deviceCount() const;
    /// "3 stages, 1F1B, 8 micro-batches of 4, tensor 4/2/2": for one line of a table.
    std::string summary() const;
};

} // namespace polyrail
