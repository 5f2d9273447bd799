// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/style_sheet.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFontMetricsF>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace polyrail;

namespace {

/// WCAG 2.1 relative luminance.
double luminance(const QColor &c)
{
    const auto channel = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * channel(c.redF()) + 0.7152 * channel(c.greenF()) + 0.0722 * channel(c.blueF());
}

double contrast(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

struct Pair
{
    const char *name;
    QColor front;
    QColor back;
    double least;
};

QList<Pair> pairsOf(const Theme &t)
{
    QList<Pair> pairs;
    for (const auto &[name, back] : {std::pair{"window", t.window}, {"base", t.base}, {"alt", t.alt},
                                     {"canvas", t.canvas}, {"host", t.host}, {"chip", t.chip}, {"track", t.track}}) {
        pairs.append({name, t.text, back, 4.5});
        pairs.append({name, t.muted, back, 4.5});
    }
    for (const QColor &back : {t.window, t.base, t.alt, t.canvas, t.host}) {
        pairs.append({"accent text", t.accent, back, 4.5});
        pairs.append({"limit text", t.limit, back, 4.5});
        pairs.append({"control outline", t.control, back, 3.0});
    }
    pairs.append({"on accent", t.onAccent, t.accent, 4.5});
    pairs.append({"selection", t.selectionText, t.selection, 4.5});
    pairs.append({"muted in selection", t.muted, t.selection, 4.5});
    pairs.append({"warning", t.warningText, t.warning, 4.5});
    pairs.append({"proven", t.provenText, t.proven, 4.5});
    pairs.append({"stopped", t.text, t.stopped, 4.5});
    pairs.append({"band", t.bandText, t.band, 4.5});
    pairs.append({"band words beside the band", t.bandText, t.host, 4.5});
    for (LinkKind kind : {LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network, LinkKind::HostBus, LinkKind::Other})
        for (const QColor &back : {t.canvas, t.host, t.base})
            pairs.append({"link line", t.linkColor(kind), back, 3.0});
    for (TaskRole role : {TaskRole::Forward, TaskRole::Backward, TaskRole::Recompute, TaskRole::Optimiser,
                          TaskRole::TensorTraffic}) {
        pairs.append({"operator text", t.operatorText, t.roleFill(role), 4.5});
        // A fill is told from its background by itself or by its outline.
        const QColor edge = t.roleLine(role).isValid() ? t.roleLine(role) : t.roleFill(role);
        pairs.append({"operator edge", edge, t.base, 3.0});
        pairs.append({"operator edge on a Gantt row", edge, t.track, 3.0});
    }
    return pairs;
}

} // namespace

class TestTheme : public QObject
{
    Q_OBJECT
private slots:
    void contrastOfEveryPair_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void contrastOfEveryPair()
    {
        QFETCH(bool, dark);
        const Theme &theme = dark ? Theme::darkTheme() : Theme::light();
        QCOMPARE(theme.dark, dark);
        for (const Pair &pair : pairsOf(theme)) {
            const double found = contrast(pair.front, pair.back);
            QVERIFY2(found >= pair.least,
                     qPrintable(QStringLiteral("%1: %2 on %3 is %4 : 1, at least %5 : 1 is needed")
                                    .arg(QLatin1String(pair.name), pair.front.name(), pair.back.name())
                                    .arg(found, 0, 'f', 2).arg(pair.least)));
        }
    }

    void linksAndOperatorsShareNoColour()
    {
        for (const Theme *theme : {&Theme::light(), &Theme::darkTheme()})
            for (LinkKind kind : {LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network, LinkKind::HostBus,
                                  LinkKind::Other})
                for (TaskRole role : {TaskRole::Forward, TaskRole::Backward, TaskRole::Optimiser,
                                      TaskRole::TensorTraffic})
                    QVERIFY(theme->linkColor(kind) != theme->roleFill(role));
    }

    void styleSheetHasNoOpenPlaceholder()
    {
        for (double scale : {0.8, 1.0, 2.0})
            for (const Theme *theme : {&Theme::light(), &Theme::darkTheme()}) {
                const QString sheet = styleSheet(*theme, scale);
                QVERIFY(sheet.size() > 1000);
                QVERIFY2(!sheet.contains(QLatin1Char('@')),
                         qPrintable(sheet.mid(std::max<qsizetype>(0, sheet.indexOf(QLatin1Char('@')) - 40), 100)));
            }
        QVERIFY(styleSheet(Theme::light(), 1).contains(Theme::light().accent.name()));
        QVERIFY(styleSheet(Theme::darkTheme(), 1).contains(Theme::darkTheme().accent.name()));
        QVERIFY(styleSheet(Theme::light(), 2).contains(QStringLiteral("min-height: 52px")));
    }

    void filesNamedByTheStyleSheetExist()
    {
        static const QRegularExpression url(QStringLiteral("url\\(([^)]*)\\)"));
        int seen = 0;
        for (auto it = url.globalMatch(styleSheet(Theme::darkTheme(), 1)); it.hasNext(); ++seen) {
            const QString path = it.next().captured(1);
            QVERIFY2(!QIcon(path).pixmap(16, 16).isNull(), qPrintable(path));
        }
        QVERIFY(seen > 5);
    }

    void applyChangesThePalette()
    {
        Theme::apply(*qApp, Theme::darkTheme());
        QVERIFY(&Theme::current() == &Theme::darkTheme());
        QCOMPARE(qApp->palette().color(QPalette::Window), Theme::darkTheme().window);
        Theme::apply(*qApp, Theme::light(), 1.5);
        QVERIFY(&Theme::current() == &Theme::light());
        QCOMPARE(qApp->palette().color(QPalette::Window), Theme::light().window);
        QCOMPARE(qApp->font().pointSizeF(), 13.5);
        QCOMPARE(scaled(28), 42);
        Theme::apply(*qApp, Theme::light());
        QCOMPARE(scaled(28), 28);
        QVERIFY(&resolve(ThemeChoice::Dark) == &Theme::darkTheme());
        QVERIFY(&resolve(ThemeChoice::Light) == &Theme::light());
    }

    void everyIconDrawsInTheThemesColour()
    {
        Theme::apply(*qApp, Theme::darkTheme());
        const QStringList files = QDir(QStringLiteral(":/icons")).entryList({QStringLiteral("*.svg")});
        QVERIFY(files.size() >= 34); // the icons that docs/visual-style.md names
        for (const QString &file : files) {
            const QIcon icon = themedIcon(file.chopped(4));
            const QImage image = icon.pixmap(QSize(32, 32)).toImage().convertToFormat(QImage::Format_ARGB32);
            int opaque = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) {
                    const QColor c = image.pixelColor(x, y);
                    if (c.alpha() < 255)
                        continue;
                    ++opaque;
                    const QColor want = Theme::darkTheme().text; // but for rounding where smoothed edges meet
                    const int off = std::max({std::abs(c.red() - want.red()), std::abs(c.green() - want.green()),
                                              std::abs(c.blue() - want.blue())});
                    QVERIFY2(off <= 2, qPrintable(file + QLatin1Char(' ') + c.name()));
                }
            QVERIFY2(opaque > 2, qPrintable(file));
        }
        QVERIFY(themedIcon(QStringLiteral("no-such-icon")).isNull());
        Theme::apply(*qApp, Theme::light());
    }

    void figuresAreEquallyWide()
    {
        for (TextRole role : {TextRole::Body, TextRole::Small, TextRole::Tick, TextRole::BarLabel, TextRole::KeyFigure}) {
            const QFontMetricsF metrics(uiFont(role));
            for (char c = '1'; c <= '9'; ++c)
                QCOMPARE(metrics.horizontalAdvance(QLatin1Char(c)), metrics.horizontalAdvance(QLatin1Char('0')));
        }
    }

    void marksDifferByForm()
    {
        QList<QImage> images;
        for (LinkKind kind : {LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network, LinkKind::HostBus,
                              LinkKind::Other}) {
            QImage image(20, 20, QImage::Format_ARGB32);
            image.fill(Qt::transparent);
            QPainter painter(&image);
            paintLinkMark(painter, kind, {10, 10}, 14, Theme::light().text);
            painter.end();
            for (const QImage &other : images)
                QVERIFY(other != image);
            images.append(image);
        }
    }

    /// Colours are named in ui/theme and nowhere else.
    void noColourLiteralOutsideTheTheme()
    {
        static const QRegularExpression literal(
            QStringLiteral("\"#[0-9a-fA-F]{3,8}\"|#[0-9a-fA-F]{6}\\b|\\bQColor\\s*[({]|\\bqRgba?\\s*\\(|\\bQt::(red|green|"
                           "blue|yellow|cyan|magenta|black|white|gray|dark(Red|Green|Blue|Yellow|Cyan|Magenta|Gray)|"
                           "lightGray)\\b"));
        int seen = 0;
        QStringList found;
        QDirIterator it(QStringLiteral(POLYRAIL_SOURCE_DIR "/ui"), {QStringLiteral("*.cpp"), QStringLiteral("*.hpp")},
                        QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QString path = it.next();
            if (path.contains(QLatin1String("/ui/theme/")))
                continue;
            ++seen;
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            int line = 0;
            while (!file.atEnd()) {
                ++line;
                QString text = QString::fromUtf8(file.readLine());
                text.remove(QRegularExpression(QStringLiteral("\\bQColor\\(\\)"))); // "no colour" names none
                if (literal.match(text).hasMatch())
                    found.append(QStringLiteral("%1:%2: %3").arg(path).arg(line).arg(text.trimmed()));
            }
        }
        QVERIFY(seen >= 4);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
