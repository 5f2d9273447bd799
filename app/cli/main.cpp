// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cstdio>

using namespace polyrail;

namespace {

int usage(std::FILE *to)
{
    std::fputs("Usage: polyrail-cli COMMAND [arguments] [options]\n\nCommands:\n", to);
    for (const cli::Command &command : cli::commands())
        std::fprintf(to, "  %-9s %-24s %s\n", command.name, command.synopsis, command.summary);
    std::fputs("\npolyrail-cli COMMAND --help lists the options of a command.\n"
               "Exit codes: 0 done, 1 a check failed, 2 wrong input or usage, 3 no feasible plan.\n",
               to);
    return to == stderr ? cli::BadInput : cli::Success;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("polyrail-cli"));
    QCoreApplication::setApplicationVersion(QStringLiteral(POLYRAIL_VERSION));
    QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() < 2)
        return usage(stderr);
    const QString verb = arguments.takeAt(1);
    if (verb == u"--help" || verb == u"-h" || verb == u"help")
        return usage(stdout);
    if (verb == u"--version" || verb == u"-v") {
        std::puts("polyrail-cli " POLYRAIL_VERSION);
        return cli::Success;
    }
    const auto &all = cli::commands();
    const auto command = std::find_if(all.begin(), all.end(),
                                      [&](const cli::Command &c) { return verb == QLatin1String(c.name); });
    if (command == all.end()) {
        std::fprintf(stderr, "polyrail-cli: unknown command \"%s\"\n\n", qUtf8Printable(verb));
        return usage(stderr);
    }
    QCommandLineParser parser;
    parser.setApplicationDescription(QString::fromUtf8(command->summary));
    const QCommandLineOption help = parser.addHelpOption();
    parser.addPositionalArgument(QString::fromLatin1(command->name), QString(), QString::fromLatin1(command->name)
                                     + QLatin1Char(' ') + QString::fromLatin1(command->synopsis));
    command->addOptions(parser);
    if (!parser.parse(arguments)) {
        std::fprintf(stderr, "polyrail-cli %s: %s\n", command->name, qUtf8Printable(parser.errorText()));
        return cli::BadInput;
    }
    if (parser.isSet(help)) {
        std::fputs(qUtf8Printable(parser.helpText()), stdout);
        return cli::Success;
    }
    const QStringList positional = parser.positionalArguments();
    if (positional.size() < command->leastArguments || positional.size() > command->mostArguments) {
        std::fprintf(stderr, "polyrail-cli %s: %lld arguments given, expected: %s\n", command->name,
                     static_cast<long long>(positional.size()), command->synopsis);
        return cli::BadInput;
    }
    return command->run(parser, positional);
}
