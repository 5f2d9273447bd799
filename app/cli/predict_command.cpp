// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.hpp"

#include "core/formats/case_files.hpp"

#include <cstdio>
#include <thread>

namespace polyrail::cli {

namespace {

int run(const QCommandLineParser &parser, const QStringList &)
{
    for (const char *required : {"cases", "out"})
        if (!parser.isSet(QLatin1String(required)))
            return report({ErrorKind::Input, std::string("--") + required, "nothing", "a file, or - for a standard stream", {}},
                          false);
    const auto threads = intOption(parser, QStringLiteral("threads"),
                                   static_cast<int>(std::max(1U, std::thread::hardware_concurrency())), 1, 1024);
    if (!threads)
        return report(threads.error(), false);
    const QString cases = parser.value(QStringLiteral("cases"));
    const auto text = readInput(cases);
    if (!text)
        return report(text.error(), false);
    const auto predicted = predictCases(*text, *threads);
    if (!predicted)
        return report(predicted.error().at(cases.toStdString()), false);
    const QString out = parser.value(QStringLiteral("out"));
    if (out == u"-") {
        std::fwrite(predicted->data(), 1, predicted->size(), stdout);
        return Success;
    }
    if (auto ok = writeTextFile(out.toStdString(), *predicted); !ok)
        return report(ok.error(), false);
    return Success;
}

} // namespace

Command predictCommand()
{
    return {"predict", "--cases FILE --out FILE", "Predict published measurements (zcat FILE.gz | ... --cases -).",
            [](QCommandLineParser &parser) {
                parser.addOptions({
                    {QStringLiteral("cases"), QStringLiteral("CSV of training, collective, GEMM or layer cases; - reads stdin."),
                     QStringLiteral("FILE")},
                    {QStringLiteral("out"), QStringLiteral("CSV to write: id and predictions; - writes stdout."),
                     QStringLiteral("FILE")},
                    {QStringLiteral("threads"), QStringLiteral("Worker threads (default: all cores)."), QStringLiteral("N")},
                });
            },
            run, 0, 0};
}

} // namespace polyrail::cli
