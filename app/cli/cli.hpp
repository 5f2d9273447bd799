// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/cluster/cluster.hpp"
#include "core/formats/json_files.hpp"
#include "core/workload/training_job.hpp"

#include <QCommandLineParser>
#include <QStringList>

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace polyrail::cli {

/// Exit codes, the same for every command.
enum ExitCode { Success = 0, CheckFailed = 1, BadInput = 2, NoPlan = 3 };

/// One verb of polyrail-cli.
struct Command
{
    const char *name;
    const char *synopsis; ///< positional arguments
    const char *summary;  ///< one line
    std::function<void(QCommandLineParser &)> addOptions;
    std::function<int(const QCommandLineParser &, const QStringList &)> run;
    int leastArguments = 0;
    int mostArguments = 0;
};
const std::vector<Command> &commands();

Command planCommand();
Command simulateCommand();
Command checkCommand();
Command exportCommand();
Command importCommand();
Command modelCommand();
Command predictCommand();

// Shared by the commands.

/// Prints the error (as JSON on standard output too, if asked) and returns the exit code for its kind.
int report(const Error &error, bool json);
/// Text of a file, or of standard input for "-".
Result<std::string> readInput(const QString &path);
/// A file in Polyrail's format, or the name of a sample ("4090d-v100").
Result<Cluster> loadCluster(const QString &argument);
/// A preset name, or a Hugging Face config.json.
Result<ModelShape> loadModel(const QString &argument);

void addJobOptions(QCommandLineParser &parser);
Result<TrainingJob> jobFrom(const QCommandLineParser &parser, ModelShape shape);
void addJsonOption(QCommandLineParser &parser);

Result<int> intOption(const QCommandLineParser &parser, const QString &name, int fallback, int least, int most);

/// Plan file contents for a finished or stopped search.
PlanFile planFileOf(const CostContext &context, const SearchSnapshot &snapshot);

} // namespace polyrail::cli
