// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/cluster/cluster.hpp"
#include "core/plan/cost_context.hpp"
#include "core/plan/plan.hpp"
#include "core/search/search.hpp"
#include "core/sim/schedule.hpp"
#include "core/workload/operator_graph.hpp"

#include <string>
#include <string_view>

namespace polyrail {

// Polyrail's own files, version 1; schemas in docs/formats/. Readers take text (not paths), limit depth and size,
// and answer broken input with a JSON pointer. Writers return UTF-8 text that ends with a newline.

Result<Cluster> readCluster(std::string_view json, const Catalogue &catalogue);
std::string writeCluster(const Cluster &cluster);

Result<OperatorGraph> readOperatorGraph(std::string_view json);
std::string writeOperatorGraph(const OperatorGraph &graph);

/// A plan with what it is a plan of and how it was found.
struct PlanFile
{
    std::string clusterName;
    std::string clusterDigest;
    TrainingJob job; ///< embedded whole in the file (workload.model), so that a plan can be simulated alone
    SearchStatus status = SearchStatus::Stopped;
    double objectiveSeconds = 0;
    double boundSeconds = 0;
    double gap = 1;
    Plan plan;
};
/// Device ids are resolved against the cluster; a digest that differs is not an error (the caller may warn).
/// A file without an embedded model (written by another program) leaves job.model empty but for its name.
Result<PlanFile> readPlan(std::string_view json, const Cluster &cluster);
/// The cluster embedded in a plan file ("/cluster/file", in the cluster format).
Result<Cluster> readPlanCluster(std::string_view json, const Catalogue &catalogue);
/// Embeds the cluster and the model, so that the file stands alone.
std::string writePlan(const PlanFile &file, const Cluster &cluster, const Schedule *schedule = nullptr);

/// The schedule file embeds the links and conflicts it was made on, so that it can be checked alone.
std::string writeSchedule(const Schedule &schedule, const Cluster &cluster);
struct ScheduleFile
{
    Cluster cluster; ///< rebuilt from the file: names, links, conflicts, memory
    Schedule schedule;
};
Result<ScheduleFile> readSchedule(std::string_view json);

/// Whole files. Writing is atomic (temporary file in the same folder, then rename): on any error the old
/// file is as it was.
Result<std::string> readTextFile(const std::string &path, std::size_t maxBytes = std::size_t(1) << 30);
Result<void> writeTextFile(const std::string &path, std::string_view text);

} // namespace polyrail
