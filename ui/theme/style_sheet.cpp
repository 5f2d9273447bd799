// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/style_sheet.hpp"

#include "ui/theme/theme.hpp"

#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <cmath>

// A static library's resources are dropped by the linker unless something names them; the macro must stand
// outside any namespace.
static void loadResources()
{
    Q_INIT_RESOURCE(icons);
    Q_INIT_RESOURCE(theme);
}

namespace polyrail {

namespace {

const QHash<QString, QColor Theme::*> &roles()
{
    static const QHash<QString, QColor Theme::*> map{
        {QStringLiteral("window"), &Theme::window},
        {QStringLiteral("base"), &Theme::base},
        {QStringLiteral("alt"), &Theme::alt},
        {QStringLiteral("canvas"), &Theme::canvas},
        {QStringLiteral("host"), &Theme::host},
        {QStringLiteral("border"), &Theme::border},
        {QStringLiteral("control"), &Theme::control},
        {QStringLiteral("track"), &Theme::track},
        {QStringLiteral("chip"), &Theme::chip},
        {QStringLiteral("text"), &Theme::text},
        {QStringLiteral("muted"), &Theme::muted},
        {QStringLiteral("accent"), &Theme::accent},
        {QStringLiteral("onAccent"), &Theme::onAccent},
        {QStringLiteral("selection"), &Theme::selection},
        {QStringLiteral("selectionText"), &Theme::selectionText},
        {QStringLiteral("warning"), &Theme::warning},
        {QStringLiteral("warningText"), &Theme::warningText},
        {QStringLiteral("proven"), &Theme::proven},
        {QStringLiteral("provenText"), &Theme::provenText},
        {QStringLiteral("stopped"), &Theme::stopped},
        {QStringLiteral("limit"), &Theme::limit},
        {QStringLiteral("band"), &Theme::band},
        {QStringLiteral("bandText"), &Theme::bandText},
    };
    return map;
}

/// Style sheets can only name image files, and an SVG file has no palette: the few glyphs inside controls are
/// written out in the theme's colours. Without a temporary folder they fall back to the untinted icon.
QString iconFile(const Theme &theme, const QString &name, const QString &role)
{
    static const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("%1-%2-%3.svg").arg(name, role, theme.dark ? u"d" : u"l"));
    if (!QFile::exists(path)) {
        QFile file(path);
        if (!folder.isValid() || !file.open(QIODevice::WriteOnly))
            return QStringLiteral(":/icons/%1.svg").arg(name);
        file.write(iconSvg(name, themeColor(theme, role)));
    }
    return path;
}

} // namespace

QColor themeColor(const Theme &theme, const QString &name)
{
    const auto role = roles().value(name, nullptr);
    return role ? theme.*role : QColor();
}

QByteArray iconSvg(const QString &name, const QColor &colour)
{
    loadResources();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QByteArray svg = file.readAll();
    svg.replace("currentColor", colour.name().toLatin1());
    svg.replace("stroke-width=\"2\"", "stroke-width=\"1.75\"");
    return svg;
}

QString styleSheet(const Theme &theme, double scale)
{
    loadResources();
    QFile file(QStringLiteral(":/theme/polyrail.qss"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QString sheet = QString::fromUtf8(file.readAll());
    static const QRegularExpression placeholder(QStringLiteral("@([a-zA-Z0-9.:-]+)@"));
    QString out;
    qsizetype end = 0;
    for (auto it = placeholder.globalMatch(sheet); it.hasNext();) {
        const auto match = it.next();
        out += QStringView(sheet).mid(end, match.capturedStart() - end);
        end = match.capturedEnd();
        const QStringList words = match.captured(1).split(QLatin1Char(':'));
        if (words.size() == 2 && words[0] == QLatin1String("px"))
            out += QStringLiteral("%1px").arg(std::lround(words[1].toDouble() * scale));
        else if (words.size() == 2 && words[0] == QLatin1String("pt"))
            out += QStringLiteral("%1pt").arg(words[1].toDouble() * scale);
        else if (words.size() == 3 && words[0] == QLatin1String("icon"))
            out += iconFile(theme, words[1], words[2]);
        else if (const QColor colour = themeColor(theme, words[0]); colour.isValid())
            out += colour.name();
        else
            out += match.captured(0); // left to be seen: the theme test refuses any '@' in the result
    }
    out += QStringView(sheet).mid(end);
    return out;
}

} // namespace polyrail
