// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.hpp"

#include "core/base/quantity.hpp"
#include "core/formats/builtin.hpp"
#include "core/formats/exporters.hpp"
#include "core/formats/importers.hpp"
#include "core/plan/evaluate.hpp"
#include "core/sim/validator.hpp"
#include "core/workload/transformer.hpp"

#include <cstdio>
#include <optional>

namespace polyrail::cli {

namespace {

/// Writes to FILE of -o, or to standard output.
int deliver(const QCommandLineParser &parser, const std::string &text)
{
    if (!parser.isSet(QStringLiteral("o")) || parser.value(QStringLiteral("o")) == u"-") {
        std::fwrite(text.data(), 1, text.size(), stdout);
        return Success;
    }
    if (auto ok = writeTextFile(parser.value(QStringLiteral("o")).toStdString(), text); !ok)
        return report(ok.error(), false);
    return Success;
}

void addOutputOption(QCommandLineParser &parser)
{
    parser.addOption({QStringLiteral("o"), QStringLiteral("Write to this file (default: standard output)."),
                      QStringLiteral("FILE")});
}

int simulateRun(const QCommandLineParser &parser, const QStringList &arguments)
{
    const bool json = parser.isSet(QStringLiteral("json"));
    const auto cluster = loadCluster(arguments.at(0));
    if (!cluster)
        return report(cluster.error(), json);
    const auto shape = loadModel(arguments.at(1));
    if (!shape)
        return report(shape.error(), json);
    const auto text = readInput(arguments.at(2));
    if (!text)
        return report(text.error(), json);
    const auto file = readPlan(*text, *cluster);
    if (!file)
        return report(file.error().at(arguments.at(2).toStdString()), json);
    TrainingJob job = file->job;
    job.model = *shape;
    if (file->clusterDigest != cluster->digest())
        std::fprintf(stderr, "polyrail-cli: the plan was made for another state of the cluster; simulated on this one\n");
    const CostContext context({*cluster, job});
    const auto schedule = evaluate(context, file->plan);
    if (!schedule)
        return report(schedule.error(), json);
    if (parser.isSet(QStringLiteral("schedule")))
        if (auto ok = writeTextFile(parser.value(QStringLiteral("schedule")).toStdString(),
                                    writeSchedule(*schedule, *cluster));
            !ok)
            return report(ok.error(), json);
    const StepShares shares = shareOfStep(*schedule);
    if (json) {
        const nlohmann::ordered_json out {{"status", "simulated"},
                                          {"objective_s", toSeconds(schedule->makespan).value},
                                          {"tasks", schedule->graph->tasks.size()},
                                          {"shares",
                                           {{"compute", shares.compute},
                                            {"tensor_traffic", shares.tensorTraffic},
                                            {"pipeline_traffic", shares.pipelineTraffic},
                                            {"gradient_traffic", shares.gradientTraffic},
                                            {"optimiser", shares.optimiser},
                                            {"idle", shares.idle}}}};
        std::puts(out.dump(2).c_str());
    } else {
        std::printf("%s per step: compute %.1f %%, tensor traffic %.1f %%, pipeline traffic %.1f %%, gradient traffic "
                    "%.1f %%, optimiser %.1f %%, idle %.1f %% of the devices' time\n",
                    formatDuration(toSeconds(schedule->makespan)).c_str(), shares.compute * 100,
                    shares.tensorTraffic * 100, shares.pipelineTraffic * 100, shares.gradientTraffic * 100,
                    shares.optimiser * 100, shares.idle * 100);
    }
    return Success;
}

int checkRun(const QCommandLineParser &parser, const QStringList &arguments)
{
    const bool json = parser.isSet(QStringLiteral("json"));
    const auto text = readInput(arguments.at(0));
    if (!text)
        return report(text.error(), json);
    const auto file = readSchedule(*text);
    if (!file)
        return report(file.error().at(arguments.at(0).toStdString()), json);
    const std::vector<Violation> violations = validate(file->schedule, file->cluster);
    if (json) {
        nlohmann::ordered_json out {{"status", violations.empty() ? "valid" : "invalid"},
                                    {"tasks", file->schedule.graph->tasks.size()},
                                    {"makespan_s", toSeconds(file->schedule.makespan).value},
                                    {"violations", nlohmann::ordered_json::array()}};
        for (const Violation &v : violations)
            out["violations"].push_back({{"rule", v.rule}, {"detail", v.detail}});
        std::puts(out.dump(2).c_str());
    } else {
        for (const Violation &v : violations)
            std::printf("%s: %s\n", v.rule.c_str(), v.detail.c_str());
        std::printf("%s: %zu tasks, %zu violations\n", violations.empty() ? "valid" : "invalid",
                    file->schedule.graph->tasks.size(), violations.size());
    }
    return violations.empty() ? Success : CheckFailed;
}

int exportRun(const QCommandLineParser &parser, const QStringList &arguments)
{
    const QString format = parser.value(QStringLiteral("format"));
    if (format != u"chrome-trace" && format != u"csv" && format != u"json")
        return report({ErrorKind::Input, "--format", '"' + format.toStdString() + '"', "chrome-trace, csv or json", {}},
                      false);
    const auto text = readInput(arguments.at(0));
    if (!text)
        return report(text.error(), false);
    const std::string where = arguments.at(0).toStdString();
    Cluster cluster;
    Schedule schedule;
    if (recognise(*text) == ForeignFormat::PolyrailPlan) {
        std::optional<Cluster> given;
        if (parser.isSet(QStringLiteral("cluster"))) {
            auto loaded = loadCluster(parser.value(QStringLiteral("cluster")));
            if (!loaded)
                return report(loaded.error(), false);
            given = std::move(*loaded);
        }
        // A plan file carries its cluster and its model, so it can be exported alone.
        auto embedded = given ? Result<Cluster>(*given) : readPlanCluster(*text, builtinCatalogue());
        if (!embedded)
            return report(embedded.error().at(where), false);
        cluster = std::move(*embedded);
        const auto file = readPlan(*text, cluster);
        if (!file)
            return report(file.error().at(where), false);
        const CostContext context({cluster, file->job});
        auto evaluated = evaluate(context, file->plan);
        if (!evaluated)
            return report(evaluated.error(), false);
        schedule = std::move(*evaluated);
    } else {
        auto file = readSchedule(*text);
        if (!file)
            return report(file.error().at(where), false);
        cluster = std::move(file->cluster);
        schedule = std::move(file->schedule);
    }
    if (format == u"chrome-trace")
        return deliver(parser, exportChromeTrace(schedule, cluster));
    if (format == u"csv")
        return deliver(parser, exportCsv(schedule, cluster));
    return deliver(parser, writeSchedule(schedule, cluster));
}

int importRun(const QCommandLineParser &parser, const QStringList &arguments)
{
    const auto text = readInput(arguments.at(0));
    if (!text)
        return report(text.error(), false);
    std::optional<std::string> gpu;
    if (parser.isSet(QStringLiteral("gpu")))
        gpu = parser.value(QStringLiteral("gpu")).toStdString();
    const auto imported = importNvidiaSmiTopo(*text, builtinCatalogue(), gpu);
    if (!imported)
        return report(imported.error().at(arguments.at(0).toStdString()), false);
    for (const std::string &warning : imported->warnings)
        std::fprintf(stderr, "polyrail-cli: %s\n", warning.c_str());
    return deliver(parser, writeCluster(imported->cluster));
}

int modelRun(const QCommandLineParser &parser, const QStringList &arguments)
{
    const bool json = parser.isSet(QStringLiteral("json"));
    const auto shape = loadModel(arguments.at(0));
    if (!shape)
        return report(shape.error(), json);
    const ParameterCount count = countParameters(*shape);
    const double flops = flopsPerToken(*shape, shape->defaultSequence);
    if (!json) {
        std::printf("%s: %d layers, hidden %d, %d heads (%d kv), ffn %d, vocab %d; %.3f billion parameters", shape->name.c_str(),
                    shape->layers, shape->hidden, shape->heads, shape->kvHeads, shape->ffn, shape->vocab,
                    static_cast<double>(count.total) * 1e-9);
        if (shape->experts > 0)
            std::printf(", %.3f billion active, %d experts, %d per token", static_cast<double>(count.active) * 1e-9,
                        shape->experts, shape->topK);
        std::printf("; %.1f GFLOP per token at %d tokens\n", flops * 1e-9, shape->defaultSequence);
        return Success;
    }
    nlohmann::ordered_json out {{"name", shape->name},
                                {"layers", shape->layers},
                                {"hidden", shape->hidden},
                                {"heads", shape->heads},
                                {"kv_heads", shape->kvHeads},
                                {"head_dim", shape->headDim},
                                {"ffn", shape->ffn},
                                {"gated_mlp", shape->gatedMlp},
                                {"vocab", shape->vocab},
                                {"tied_embeddings", shape->tiedEmbeddings},
                                {"experts", shape->experts},
                                {"top_k", shape->topK},
                                {"expert_ffn", shape->expertFfn},
                                {"shared_experts", shape->sharedExperts},
                                {"first_dense_layers", shape->firstDenseLayers},
                                {"parameters",
                                 {{"total", count.total},
                                  {"active", count.active},
                                  {"embedding", count.embedding},
                                  {"head", count.head},
                                  {"dense_layer", count.denseLayer},
                                  {"expert_layer", count.expertLayer}}},
                                {"flops_per_token", flops},
                                {"sequence", shape->defaultSequence},
                                {"source", shape->source},
                                {"warnings", shape->warnings}};
    std::puts(out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return Success;
}

} // namespace

Command simulateCommand()
{
    return {"simulate", "CLUSTER MODEL PLAN", "Simulate a plan on a cluster.",
            [](QCommandLineParser &parser) {
                parser.addOption({QStringLiteral("schedule"), QStringLiteral("Write the schedule."), QStringLiteral("FILE")});
                addJsonOption(parser);
            },
            simulateRun, 3, 3};
}

Command checkCommand()
{
    return {"check", "SCHEDULE", "Check a schedule independently of the simulator.", addJsonOption, checkRun, 1, 1};
}

Command exportCommand()
{
    return {"export", "PLAN", "Turn a plan or schedule into a Chrome trace, CSV or schedule JSON.",
            [](QCommandLineParser &parser) {
                parser.addOption({QStringLiteral("format"), QStringLiteral("chrome-trace, csv or json (default)."),
                                  QStringLiteral("FORMAT"), QStringLiteral("json")});
                parser.addOption({QStringLiteral("cluster"),
                                  QStringLiteral("Simulate the plan on this cluster instead of its own."),
                                  QStringLiteral("CLUSTER")});
                addOutputOption(parser);
            },
            exportRun, 1, 1};
}

Command importCommand()
{
    return {"import", "FILE", "Turn the text of nvidia-smi topo -m into a cluster.",
            [](QCommandLineParser &parser) {
                parser.addOption({QStringLiteral("gpu"), QStringLiteral("GPU type; the text does not name it."),
                                  QStringLiteral("TYPE")});
                addOutputOption(parser);
            },
            importRun, 1, 1};
}

Command modelCommand()
{
    return {"model", "MODEL", "Show a model's shape, parameters and FLOPs.", addJsonOption, modelRun, 1, 1};
}

} // namespace polyrail::cli
