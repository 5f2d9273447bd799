// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.hpp"

#include "core/base/quantity.hpp"
#include "core/plan/evaluate.hpp"
#include "core/search/search.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>
#include <unistd.h>

namespace polyrail::cli {

namespace {

std::atomic<bool> interrupted {false};

Result<SearchOptions> searchOptionsFrom(const QCommandLineParser &parser)
{
    SearchOptions options;
    if (parser.isSet(QStringLiteral("time-limit"))) {
        const auto limit = parseDuration(parser.value(QStringLiteral("time-limit")).toStdString());
        if (!limit)
            return fail(limit.error().at("--time-limit"));
        options.timeLimit = std::chrono::duration<double>(limit->value);
    }
    const auto nodes = intOption(parser, QStringLiteral("node-limit"), 0, 1, 2000000000);
    const auto threads = intOption(parser, QStringLiteral("threads"), 0, 1, 1024);
    const auto seed = intOption(parser, QStringLiteral("seed"), 1, 0, 2000000000);
    for (const auto *value : {&nodes, &threads, &seed})
        if (!*value)
            return fail(value->error());
    options.nodeLimit = *nodes;
    options.threads = *threads;
    options.seed = static_cast<std::uint64_t>(*seed);
    return options;
}

/// Lets the search run; a line of progress a second on a terminal, Ctrl+C stops it with what it has.
std::shared_ptr<const SearchSnapshot> finish(Search &search)
{
    interrupted = false;
    std::signal(SIGINT, [](int) { interrupted = true; });
    const bool terminal = isatty(STDERR_FILENO) != 0;
    auto shown = std::chrono::steady_clock::now();
    auto snapshot = search.latest();
    while (!isFinal(snapshot->status)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(snapshot->elapsedSeconds < 0.1 ? 1 : 10));
        if (interrupted.exchange(false))
            search.stop();
        snapshot = search.latest();
        const auto now = std::chrono::steady_clock::now();
        if (terminal && now - shown > std::chrono::seconds(1)) {
            shown = now;
            std::fprintf(stderr, "\r%6.1f s  best %s  bound %s  gap %.1f %%  %lld nodes   ", snapshot->elapsedSeconds,
                         snapshot->best ? formatDuration(toSeconds(snapshot->best->step)).c_str() : "none yet",
                         formatDuration(toSeconds(snapshot->bound)).c_str(), snapshot->gap * 100,
                         static_cast<long long>(snapshot->nodes));
        }
    }
    if (terminal)
        std::fputs("\n", stderr);
    search.wait();
    std::signal(SIGINT, SIG_DFL);
    return search.latest();
}

nlohmann::ordered_json jsonOf(const SearchSnapshot &s, const std::string &plan)
{
    using nlohmann::ordered_json;
    ordered_json out;
    out["status"] = toString(s.status);
    out["objective_s"] = s.best ? ordered_json(toSeconds(s.best->step).value) : ordered_json(nullptr);
    out["bound_s"] = toSeconds(s.bound).value;
    out["gap"] = s.gap;
    out["nodes"] = s.nodes;
    out["nodes_per_s"] = s.nodesPerSecond;
    out["simulations"] = s.simulations;
    out["elapsed_s"] = s.elapsedSeconds;
    out["cut"] = {{"bound", s.cuts.bound},
                  {"memory", s.cuts.memory},
                  {"symmetry", s.cuts.symmetry},
                  {"dominance", s.cuts.dominance},
                  {"infeasible", s.cuts.infeasible}};
    out["space"] = s.space;
    if (!s.message.empty())
        out["message"] = s.message;
    out["baselines"] = ordered_json::object();
    for (const BaselineResult &b : s.baselines)
        out["baselines"][b.name] = b.step ? ordered_json(toSeconds(*b.step).value) : ordered_json(nullptr);
    out["plan"] = plan.empty() ? ordered_json(nullptr) : ordered_json::parse(plan);
    return out;
}

void printSummary(const SearchSnapshot &s)
{
    if (!s.best) {
        std::printf("%s: no plan. %s\n", toString(s.status), s.message.c_str());
        return;
    }
    std::printf("%s\n", s.best->plan->summary().c_str());
    const std::string step = formatDuration(toSeconds(s.best->step));
    if (s.status == SearchStatus::Optimal)
        std::printf("%s per step, proven optimal in its space after %.2f s, %lld nodes\n", step.c_str(), s.elapsedSeconds,
                    static_cast<long long>(s.nodes));
    else
        std::printf("%s per step, %s with gap %.1f %% (bound %s) after %.2f s, %lld nodes\n", step.c_str(),
                    toString(s.status), s.gap * 100, formatDuration(toSeconds(s.bound)).c_str(), s.elapsedSeconds,
                    static_cast<long long>(s.nodes));
    for (const BaselineResult &b : s.baselines)
        if (b.step)
            std::printf("%-18s %s (%.2fx)\n", b.name.c_str(), formatDuration(toSeconds(*b.step)).c_str(),
                        static_cast<double>(b.step->value) / static_cast<double>(s.best->step.value));
        else
            std::printf("%-18s does not fit: %s\n", b.name.c_str(), b.reason.c_str());
    std::printf("space: %s\n", s.space.c_str());
}

int run(const QCommandLineParser &parser, const QStringList &arguments)
{
    const bool json = parser.isSet(QStringLiteral("json"));
    auto cluster = loadCluster(arguments.at(0));
    if (!cluster)
        return report(cluster.error(), json);
    auto shape = loadModel(arguments.at(1));
    if (!shape)
        return report(shape.error(), json);
    auto job = jobFrom(parser, std::move(*shape));
    if (!job)
        return report(job.error(), json);
    auto options = searchOptionsFrom(parser);
    if (!options)
        return report(options.error(), json);
    const auto context = std::make_shared<const CostContext>(Problem {std::move(*cluster), std::move(*job)});
    const auto search = Search::start(context, std::move(*options));
    const auto snapshot = finish(*search);

    std::string plan;
    if (snapshot->best) {
        const auto schedule = evaluate(*context, *snapshot->best->plan);
        if (!schedule)
            return report(schedule.error(), json);
        plan = writePlan(planFileOf(*context, *snapshot), context->cluster(), &*schedule);
        if (parser.isSet(QStringLiteral("o")))
            if (auto ok = writeTextFile(parser.value(QStringLiteral("o")).toStdString(), plan); !ok)
                return report(ok.error(), json);
        if (parser.isSet(QStringLiteral("schedule")))
            if (auto ok = writeTextFile(parser.value(QStringLiteral("schedule")).toStdString(),
                                        writeSchedule(*schedule, context->cluster()));
                !ok)
                return report(ok.error(), json);
    }
    if (json)
        std::puts(jsonOf(*snapshot, plan).dump(2).c_str());
    else
        printSummary(*snapshot);
    if (snapshot->status == SearchStatus::Failed) {
        std::fprintf(stderr, "polyrail-cli: the search failed: %s\n", snapshot->message.c_str());
        return CheckFailed;
    }
    if (!snapshot->best)
        std::fprintf(stderr, "polyrail-cli: no plan: %s\n",
                     snapshot->message.empty() ? "the limit came before the first one" : snapshot->message.c_str());
    return snapshot->best ? Success : NoPlan;
}

} // namespace

Command planCommand()
{
    return {"plan", "CLUSTER MODEL", "Search for the fastest plan of one training step.",
            [](QCommandLineParser &parser) {
                addJobOptions(parser);
                parser.addOptions({
                    {QStringLiteral("time-limit"), QStringLiteral("Stop after this time, e.g. 10s (default: none)."),
                     QStringLiteral("TIME")},
                    {QStringLiteral("node-limit"), QStringLiteral("Stop after this many nodes."), QStringLiteral("N")},
                    {QStringLiteral("threads"), QStringLiteral("Worker threads (default: all cores)."), QStringLiteral("N")},
                    {QStringLiteral("seed"), QStringLiteral("Seed of the search (default 1)."), QStringLiteral("N")},
                    {QStringLiteral("o"), QStringLiteral("Write the plan."), QStringLiteral("FILE")},
                    {QStringLiteral("schedule"), QStringLiteral("Write the schedule."), QStringLiteral("FILE")},
                });
                addJsonOption(parser);
            },
            run, 2, 2};
}

} // namespace polyrail::cli
