// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.hpp"

#include "core/formats/builtin.hpp"
#include "core/formats/importers.hpp"

#include <QFileInfo>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>

namespace polyrail::cli {

const std::vector<Command> &commands()
{
    static const std::vector<Command> all {planCommand(), simulateCommand(), checkCommand(), exportCommand(),
                                           importCommand(), modelCommand(), predictCommand()};
    return all;
}

int report(const Error &error, bool json)
{
    std::fprintf(stderr, "polyrail-cli: %s\n", error.message().c_str());
    const bool infeasible = error.kind == ErrorKind::Infeasible;
    if (json) {
        const nlohmann::ordered_json out {{"status", infeasible ? "infeasible" : "error"},
                                          {"error",
                                           {{"where", error.where},
                                            {"found", error.found},
                                            {"expected", error.expected},
                                            {"remedy", error.remedy}}}};
        std::puts(out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    }
    return infeasible ? NoPlan : BadInput;
}

Result<std::string> readInput(const QString &path)
{
    if (path == u"-")
        return std::string(std::istreambuf_iterator<char>(std::cin), {});
    return readTextFile(path.toStdString());
}

Result<Cluster> loadCluster(const QString &argument)
{
    const std::string name = argument.toStdString();
    if (argument != u"-" && !QFileInfo::exists(argument))
        for (const SampleCluster &sample : sampleClusters())
            if (sample.file == name || sample.file == name + ".json")
                return readCluster(sample.text, builtinCatalogue());
    const auto text = readInput(argument);
    if (!text)
        return fail(text.error());
    auto cluster = readCluster(*text, builtinCatalogue());
    if (!cluster)
        return fail(cluster.error().at(name));
    return cluster;
}

Result<ModelShape> loadModel(const QString &argument)
{
    const std::string name = argument.toStdString();
    if (const ModelShape *preset = findPreset(name))
        return *preset;
    if (argument != u"-" && !QFileInfo::exists(argument)) {
        std::string known;
        for (const ModelShape &shape : modelPresets())
            known += (known.empty() ? "" : ", ") + shape.name;
        return inputError("MODEL", '"' + name + '"', "a model preset or the path of a config.json",
                          "Presets: " + known + ".");
    }
    const auto text = readInput(argument);
    if (!text)
        return fail(text.error());
    auto shape = importHuggingFaceConfig(*text, QFileInfo(argument).completeBaseName().toStdString());
    if (!shape)
        return fail(shape.error().at(name));
    for (const std::string &warning : shape->warnings)
        std::fprintf(stderr, "polyrail-cli: %s: %s\n", name.c_str(), warning.c_str());
    return shape;
}

void addJsonOption(QCommandLineParser &parser)
{
    parser.addOption({QStringLiteral("json"), QStringLiteral("Print one JSON object.")});
}

void addJobOptions(QCommandLineParser &parser)
{
    parser.addOptions({
        {QStringLiteral("global-batch"), QStringLiteral("Samples per optimiser step (default 128)."), QStringLiteral("N")},
        {QStringLiteral("micro-batch"),
         QStringLiteral("Most samples that one replica takes at a time (default: the search decides)."), QStringLiteral("N")},
        {QStringLiteral("seq"), QStringLiteral("Tokens per sample (default: the model's)."), QStringLiteral("N")},
        {QStringLiteral("precision"), QStringLiteral("fp32, tf32, fp16, bf16 or fp8 (default bf16)."),
         QStringLiteral("FORMAT")},
        {QStringLiteral("sharding"), QStringLiteral("Optimiser sharding: none or zero1 (default zero1)."),
         QStringLiteral("LEVEL")},
        {QStringLiteral("no-flash-attention"), QStringLiteral("Attention that stores its scores.")},
    });
}

Result<int> intOption(const QCommandLineParser &parser, const QString &name, int fallback, int least, int most)
{
    if (!parser.isSet(name))
        return fallback;
    bool ok = false;
    const int value = parser.value(name).toInt(&ok);
    if (!ok || value < least || value > most)
        return inputError("--" + name.toStdString(), '"' + parser.value(name).toStdString() + '"',
                          "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return value;
}

Result<TrainingJob> jobFrom(const QCommandLineParser &parser, ModelShape shape)
{
    TrainingJob job;
    const auto batch = intOption(parser, QStringLiteral("global-batch"), 128, 1, 1 << 20);
    const auto micro = intOption(parser, QStringLiteral("micro-batch"), 0, 1, 1 << 16);
    const auto seq = intOption(parser, QStringLiteral("seq"), shape.defaultSequence, 1, 1 << 22);
    for (const auto *value : {&batch, &micro, &seq})
        if (!*value)
            return fail(value->error());
    job.globalBatch = *batch;
    job.maxMicroBatch = *micro;
    job.sequence = *seq;
    if (parser.isSet(QStringLiteral("precision"))) {
        const std::string text = parser.value(QStringLiteral("precision")).toStdString();
        const auto precision = precisionFromString(text);
        if (!precision)
            return inputError("--precision", '"' + text + '"', "fp32, tf32, fp16, bf16 or fp8");
        job.precision = *precision;
    }
    if (parser.isSet(QStringLiteral("sharding"))) {
        const QString text = parser.value(QStringLiteral("sharding"));
        if (text != u"none" && text != u"zero1")
            return inputError("--sharding", '"' + text.toStdString() + '"', "none or zero1");
        job.sharding = text == u"none" ? Sharding::None : Sharding::Zero1;
    }
    job.flashAttention = !parser.isSet(QStringLiteral("no-flash-attention"));
    job.model = std::move(shape);
    return job;
}

PlanFile planFileOf(const CostContext &context, const SearchSnapshot &snapshot)
{
    PlanFile file;
    file.clusterName = context.cluster().name();
    file.clusterDigest = context.cluster().digest();
    file.job = context.job();
    file.status = snapshot.status;
    file.boundSeconds = toSeconds(snapshot.bound).value;
    file.gap = snapshot.gap;
    if (snapshot.best) {
        file.objectiveSeconds = toSeconds(snapshot.best->step).value;
        file.plan = *snapshot.best->plan;
    }
    return file;
}

} // namespace polyrail::cli
