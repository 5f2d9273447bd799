// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_files.hpp"
#include "core/formats/json_text.hpp"
#include "core/formats/plan_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace polyrail {

namespace {

using nlohmann::ordered_json;

constexpr int mostSamples = 1 << 30;
constexpr double longest = 1e12; // s

/// What JSON has no word for (no plan yet, so no objective) is null.
ordered_json finite(double value)
{
    return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

/// The value whose toString() is the text of an optional field.
template<class T, std::size_t n>
void readWord(const JsonCursor &parent, const char *key, const std::array<T, n> &values, T &into)
{
    if (!parent.has(key))
        return;
    const JsonCursor place = parent[key];
    const std::string text = place.string();
    std::vector<std::string> known;
    for (T value : values) {
        known.push_back(toString(value));
        if (text == known.back()) {
            into = value;
            return;
        }
    }
    place.refuse(jsonQuoted(text.substr(0, 60)), oneOf(known), "Use one of these words.");
}

void readFigure(const JsonCursor &parent, const char *key, double &into)
{
    if (!parent.has(key))
        return;
    const JsonCursor place = parent[key];
    if (place.isNull())
        return;
    const double value = place.number();
    if (value < 0 || value > longest)
        place.refuse("a figure out of range", "zero or more", "Correct the figure.");
    else
        into = value;
}

template<class Number>
void readCount(const JsonCursor &parent, const char *key, std::int64_t least, Number &into)
{
    if (parent.has(key))
        into = static_cast<Number>(parent[key].integer(least, mostSamples));
}

void readSwitch(const JsonCursor &parent, const char *key, bool &into)
{
    if (parent.has(key))
        into = parent[key].boolean();
}

TrainingJob readJob(const JsonCursor &workload)
{
    TrainingJob job;
    if (workload.has("model"))
        job.model = readModelShape(workload["model"]);
    else if (workload.has("name"))
        job.model.name = workload["name"].string();
    readCount(workload, "global_batch", 1, job.globalBatch);
    readCount(workload, "max_micro_batch", 0, job.maxMicroBatch);
    readCount(workload, "seq", 1, job.sequence);
    readSwitch(workload, "flash_attention", job.flashAttention);
    readSwitch(workload, "sequence_parallel", job.sequenceParallel);
    readWord(workload, "precision",
             std::array{Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16, Precision::Fp8}, job.precision);
    return job;
}

ordered_json writeJob(const PlanFile &file)
{
    const TrainingJob &job = file.job;
    ordered_json out;
    out["name"] = job.model.name;
    out["digest"] = job.digest();
    out["global_batch"] = job.globalBatch;
    out["micro_batch"] = file.plan.microBatch;
    out["seq"] = job.sequence;
    out["precision"] = toString(job.precision);
    out["max_micro_batch"] = job.maxMicroBatch;
    out["flash_attention"] = job.flashAttention;
    out["sequence_parallel"] = job.sequenceParallel;
    if (job.model.layers > 0)
        out["model"] = writeModelShape(job.model);
    return out;
}

/// Per kind of traffic: every link direction that it took, with its bytes and its share of the kind's bytes.
ordered_json writeRoutes(const Schedule &schedule, const Cluster &cluster)
{
    ordered_json routes = ordered_json::object();
    for (TaskRole role : {TaskRole::TensorTraffic, TaskRole::PipelineTraffic, TaskRole::GradientTraffic}) {
        std::vector<double> bytes(cluster.links().size() * 2);
        double total = 0;
        for (const SimTask &task : schedule.graph->tasks) {
            if (task.role != role)
                continue;
            for (const LinkUse &use : task.uses) {
                bytes[use.link.index() * 2 + static_cast<std::size_t>(use.direction)] += use.bytes;
                total += use.bytes;
            }
        }
        ordered_json list = ordered_json::array();
        for (std::size_t side = 0; side < bytes.size(); ++side) {
            if (bytes[side] <= 0)
                continue;
            ordered_json item;
            item["link"] = cluster.links()[side / 2].id;
            item["direction"] = toString(static_cast<Direction>(side % 2));
            item["bytes"] = std::llround(bytes[side]);
            item["share"] = bytes[side] / total;
            list.push_back(std::move(item));
        }
        routes[toString(role)] = std::move(list);
    }
    return routes;
}

Result<nlohmann::json> parsePlan(std::string_view text)
{
    Result<nlohmann::json> root = parseJson(text);
    if (!root)
        return root;
    if (Result<void> ok = checkFormat(*root, "polyrail-plan", 1); !ok)
        return fail(ok.error());
    return root;
}

} // namespace

Result<PlanFile> readPlan(std::string_view text, const Cluster &cluster)
{
    const Result<nlohmann::json> parsed = parsePlan(text);
    if (!parsed)
        return fail(parsed.error());
    std::optional<Error> error;
    const JsonCursor root(*parsed, error);
    PlanFile file;
    if (root.has("cluster")) {
        const JsonCursor place = root["cluster"];
        if (place.has("name"))
            file.clusterName = place["name"].string();
        if (place.has("digest"))
            file.clusterDigest = place["digest"].string();
    }
    const JsonCursor workload = root["workload"];
    file.job = readJob(workload);
    readCount(workload, "micro_batch", 1, file.plan.microBatch);
    readWord(root, "sharding", std::array{Sharding::None, Sharding::Zero1, Sharding::Zero2, Sharding::Zero3},
             file.job.sharding);
    readWord(root, "status",
             std::array{SearchStatus::Optimal, SearchStatus::Stopped, SearchStatus::TimeLimit, SearchStatus::NodeLimit,
                        SearchStatus::MemoryLimit, SearchStatus::Infeasible, SearchStatus::Failed, SearchStatus::Running,
                        SearchStatus::Paused, SearchStatus::Idle},
             file.status);
    readFigure(root, "objective_s", file.objectiveSeconds);
    readFigure(root, "bound_s", file.boundSeconds);
    readFigure(root, "gap", file.gap);
    readWord(root, "schedule", std::array{PipelineSchedule::OneFOneB, PipelineSchedule::GPipe}, file.plan.schedule);
    readWord(root, "recompute", std::array{Recompute::None, Recompute::Selective, Recompute::Full}, file.plan.recompute);
    if (root.has("micro_batches"))
        readCount(root, "micro_batches", 1, file.plan.microBatches);
    else // written by another program: what makes the global batch
        file.plan.microBatches = std::max(1, file.job.globalBatch / file.plan.microBatch);
    const JsonCursor stages = root["stages"];
    file.plan.stages = readStages(stages, cluster, file.plan.microBatch);
    if (error)
        return fail(*error);
    return file;
}

Result<Cluster> readPlanCluster(std::string_view text, const Catalogue &catalogue)
{
    const Result<nlohmann::json> parsed = parsePlan(text);
    if (!parsed)
        return fail(parsed.error());
    const auto cluster = parsed->find("cluster");
    if (cluster == parsed->end() || !cluster->is_object() || !cluster->contains("file"))
        return inputError("/cluster/file", "nothing", "the cluster that the plan was made for",
                          "Give the cluster file beside the plan.");
    // A document of its own, so that its reader sees what it sees in a cluster file.
    Result<Cluster> read = readCluster((*cluster)["file"].dump(), catalogue);
    if (!read) {
        Error inner = read.error();
        inner.where = "/cluster/file" + inner.where;
        return fail(std::move(inner));
    }
    return read;
}

std::string writePlan(const PlanFile &file, const Cluster &cluster, const Schedule *schedule)
{
    ordered_json out;
    out["format"] = "polyrail-plan";
    out["version"] = 1;
    out["cluster"]["name"] = file.clusterName.empty() ? cluster.name() : file.clusterName;
    out["cluster"]["digest"] = file.clusterDigest.empty() ? cluster.digest() : file.clusterDigest;
    out["cluster"]["file"] = ordered_json::parse(writeCluster(cluster));
    out["workload"] = writeJob(file);
    out["status"] = toString(file.status);
    out["objective_s"] = finite(file.objectiveSeconds);
    out["bound_s"] = finite(file.boundSeconds);
    out["gap"] = finite(file.gap);
    out["schedule"] = toString(file.plan.schedule);
    out["recompute"] = toString(file.plan.recompute);
    out["sharding"] = toString(file.job.sharding);
    out["micro_batches"] = file.plan.microBatches;
    out["stages"] = writeStages(file.plan, cluster);
    if (schedule && schedule->graph)
        out["routes"] = writeRoutes(*schedule, cluster);
    return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace polyrail
