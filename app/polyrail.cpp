// SPDX-License-Identifier: GPL-3.0-or-later
// The window, and the same window drawn without a display (--render).
#include "core/base/quantity.hpp"
#include "ui/workbench/main_window.hpp"
#include "ui/workbench/render.hpp"
#include "ui/workbench/translations.hpp"

#include <QApplication>
#include <QCommandLineParser>
#include <QFile>
#include <QIcon>
#include <QLocale>
#include <QTemporaryDir>
#include <QTextStream>

#include <algorithm>
#include <string_view>

namespace {

bool asked(int argc, char **argv, std::string_view option)
{
    return std::any_of(argv + 1, argv + argc, [&](std::string_view a) {
        return a == option || (a.starts_with(option) && a.substr(option.size()).starts_with('='));
    });
}

bool hasDisplay()
{
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")
        || !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

/// Qt's offscreen platform has a screen of 800 x 800 unless it is told otherwise.
void useOffscreenPlatform(const QTemporaryDir &scratch)
{
    const QString path = scratch.filePath(QStringLiteral("screen.json"));
    QFile file(path);
    if (file.open(QIODevice::WriteOnly))
        file.write(R"({"synchronousWindowSystemEvents":false,"windowFrameMargins":false,"screens":[{"name":"offscreen",)"
                   R"("x":0,"y":0,"width":1920,"height":1080,"logicalDpi":96,"logicalBaseDpi":96,"dpr":1}]})");
    qputenv("QT_QPA_PLATFORM", "offscreen:configfile=" + QFile::encodeName(path));
}

/// The offscreen platform complains about window managers that it does not have.
void dropPlatformNoise(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (text.startsWith(QLatin1String("This plugin does not support")))
        return;
    QTextStream(stderr) << qFormatLogMessage(type, context, text) << '\n';
}

int fail(const QString &text)
{
    QTextStream(stderr) << "polyrail: " << text << '\n';
    return 2;
}

} // namespace

int main(int argc, char **argv)
{
    using namespace polyrail;
    const bool rendering = asked(argc, argv, "--render");
    const bool onlyText = asked(argc, argv, "--help") || asked(argc, argv, "-h") || asked(argc, argv, "--version")
        || asked(argc, argv, "-v");
    QTemporaryDir scratch;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && (rendering || (onlyText && !hasDisplay()))) {
        useOffscreenPlatform(scratch);
        qInstallMessageHandler(dropPlatformNoise);
    } else if (!hasDisplay()) {
        return fail(QStringLiteral("there is no display. Use --render DIR CLUSTER MODEL, or polyrail-cli."));
    }

    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("Polyrail"));
    QApplication::setApplicationVersion(QStringLiteral(POLYRAIL_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("polyrail"));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/app/polyrail.svg")));
    installTranslations(application, QLocale::system());

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QApplication::translate("main", "Plans the training of large models on unlike GPUs and unlike links."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("FILE"),
                                 QApplication::translate("main", "A cluster, plan, config.json or the output of "
                                                                 "nvidia-smi topo -m; - for standard input."),
                                 QStringLiteral("[FILE | -]"));
    parser.addOptions({
        {QStringLiteral("model"), QApplication::translate("main", "The model to train: a preset or a config.json."),
         QStringLiteral("NAME")},
        {QStringLiteral("render"),
         QApplication::translate("main", "No window: search, and write plan, schedule and pictures into DIR. Takes "
                                         "CLUSTER and MODEL."),
         QStringLiteral("DIR")},
        {QStringLiteral("time-limit"), QApplication::translate("main", "With --render: stop after this time, e.g. 5s."),
         QStringLiteral("TIME"), QStringLiteral("10s")},
        {QStringLiteral("threads"), QApplication::translate("main", "With --render: threads of the search."),
         QStringLiteral("N"), QStringLiteral("0")},
        {QStringLiteral("batch"), QApplication::translate("main", "With --render: samples per step."),
         QStringLiteral("N")},
        {QStringLiteral("seq"), QApplication::translate("main", "With --render: tokens per sample."),
         QStringLiteral("N")},
        {QStringLiteral("theme"), QApplication::translate("main", "With --render: light or dark."),
         QStringLiteral("NAME"), QStringLiteral("light")},
    });
    if (!parser.parse(QApplication::arguments()))
        return fail(parser.errorText() + QStringLiteral(". Use --help for what there is."));
    if (parser.isSet(QStringLiteral("help")))
        parser.showHelp();
    if (parser.isSet(QStringLiteral("version")))
        parser.showVersion();
    const QStringList arguments = parser.positionalArguments();

    if (rendering) {
        RenderRequest request;
        request.folder = parser.value(QStringLiteral("render"));
        request.model = parser.value(QStringLiteral("model"));
        if (arguments.size() == 2)
            request.model = arguments[1];
        if (arguments.isEmpty() || arguments.size() > 2 || request.model.isEmpty())
            return fail(QStringLiteral("--render takes DIR CLUSTER MODEL."));
        request.cluster = arguments[0];
        const auto limit = parseDuration(parser.value(QStringLiteral("time-limit")).toStdString());
        if (!limit)
            return fail(QString::fromStdString(limit.error().at("--time-limit").message()));
        request.timeLimitSeconds = limit->value;
        request.theme = parser.value(QStringLiteral("theme"));
        if (request.theme != QLatin1String("light") && request.theme != QLatin1String("dark"))
            return fail(QStringLiteral("--theme: found %1, expected light or dark.").arg(request.theme));
        const auto number = [&](const char *option, int least, auto take) {
            if (!parser.isSet(QLatin1String(option)))
                return true;
            bool ok = false;
            const int n = parser.value(QLatin1String(option)).toInt(&ok);
            if (ok && n >= least)
                take(n);
            return ok && n >= least;
        };
        if (!number("threads", 0, [&](int n) { request.threads = n; })
            || !number("batch", 1, [&](int n) { request.batch = n; })
            || !number("seq", 1, [&](int n) { request.sequence = n; }))
            return fail(QStringLiteral("--threads, --batch and --seq take whole numbers."));
        QTextStream out(stdout);
        QTextStream err(stderr);
        return render(request, out, err);
    }

    if (arguments.size() > 1)
        return fail(QStringLiteral("one file at a time."));
    MainWindow window({});
    QString error;
    if (arguments.isEmpty())
        window.openFirst();
    else if (!openInto(window, arguments.first(), error))
        return fail(error);
    if (parser.isSet(QStringLiteral("model")) && !chooseModel(window, parser.value(QStringLiteral("model")), error))
        return fail(error);
    window.show();
    return QApplication::exec();
}
