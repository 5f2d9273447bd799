// SPDX-License-Identifier: GPL-3.0-or-later
// Convergence, baselines and export.
#include "tests/ui/chart_fixture.hpp"
#include "ui/charts/baseline_view.hpp"
#include "ui/charts/chart_export.hpp"
#include "ui/charts/convergence_view.hpp"
#include "ui/charts/gantt_canvas.hpp"
#include "ui/charts/gantt_view.hpp"

#include <QApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <qcustomplot.h>

#include <cmath>

using namespace polyrail;

namespace {

Nanoseconds seconds(double s)
{
    return Nanoseconds(static_cast<std::int64_t>(std::llround(s * 1e9)));
}

std::shared_ptr<SearchSnapshot> snapshot()
{
    auto s = std::make_shared<SearchSnapshot>();
    s->status = SearchStatus::Running;
    const auto point = [&](double at, double best, double bound) {
        HistoryPoint p;
        p.seconds = at;
        if (best > 0)
            p.incumbent = seconds(best);
        p.bound = seconds(bound);
        s->history.push_back(p);
    };
    point(0.0, 0, 3.0);
    point(0.1, 4.09, 3.0);
    point(0.5, 4.09, 3.4);
    point(1.2, 3.90, 3.4);
    point(5.8, 3.709, 3.6);
    s->best = Candidate{nullptr, seconds(3.709), 5.8};
    s->bound = seconds(3.631);
    s->gap = (3.709 - 3.631) / 3.709;
    s->elapsedSeconds = 14.6;
    s->baselines = {{"equal split", nullptr, seconds(4.0799), ""},
                    {"best uniform grid", nullptr, std::nullopt, "4090D 2 needs 26.1 of 24 GB"}};
    return s;
}

QByteArray read(const QString &path)
{
    QFile file(path);
    file.open(QIODevice::ReadOnly);
    return file.readAll();
}

/// Right and bottom edge of every rectangle, line and path point of an SVG stays inside; returns the number of shapes.
int shapesInside(const QByteArray &svg, const QRectF &area, QString &outside)
{
    QXmlStreamReader xml(svg);
    int shapes = 0;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement || xml.name() != QLatin1String("rect"))
            continue;
        const auto value = [&](const char *name) { return xml.attributes().value(QLatin1String(name)).toDouble(); };
        const QRectF rect(value("x"), value("y"), value("width"), value("height"));
        ++shapes;
        if (rect.left() < area.left() - 1 || rect.right() > area.right() + 1 || rect.top() < area.top() - 1
            || rect.bottom() > area.bottom() + 1)
            outside += QStringLiteral("%1,%2 %3x%4 ").arg(rect.x()).arg(rect.y()).arg(rect.width()).arg(rect.height());
    }
    return xml.hasError() ? -1 : shapes;
}

} // namespace

class TestCharts : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void curveOfASearch();
    void curveWithoutAPlan();
    void weakFirstBoundDoesNotFlatten();
    void convergenceDraws_data();
    void convergenceDraws();
    void convergencePointsAreClicked();
    void logTime();
    void proofClosesTheGap();
    void baselineLinesAndFactors();
    void baselineBarsAreProportional();
    void baselineClicks();
    void exportsEachFormat_data();
    void exportsEachFormat();
    void exportRefuses();
    void exportKeepsTheOldFile();
    void exportLeavesTheViewAlone();
    void svgStaysInside();
    void lightColors();
    void renderWithoutAWindow();
    void renderRefusesNothing();

private:
    QTemporaryDir m_dir;
    QString path(const char *name) { return m_dir.filePath(QLatin1String(name)); }
};

void TestCharts::initTestCase()
{
    QLocale::setDefault(QLocale::c());
    Theme::apply(*qApp, Theme::light());
    QVERIFY(m_dir.isValid());
}

void TestCharts::curveOfASearch()
{
    const ConvergenceCurve curve = ConvergenceCurve::of(*snapshot());
    QCOMPARE(curve.best.size(), std::size_t(3)); // repeated values are one point
    QCOMPARE(curve.bound.size(), std::size_t(4));
    QCOMPARE(curve.end, 14.6);
    QVERIFY(std::isnan(curve.bestAt(0.05)));
    QCOMPARE(curve.bestAt(0.1), 4.09);
    QCOMPARE(curve.bestAt(1.0), 4.09);
    QCOMPARE(curve.bestAt(100), 3.709);
    QCOMPARE(curve.boundAt(0.6), 3.4);
    QCOMPARE(curve.boundAt(14.6), 3.631); // the snapshot's own, newer than the history
    QCOMPARE(curve.highest, 4.09);
    QVERIFY(curve.lowest <= 3.631);
}

void TestCharts::curveWithoutAPlan()
{
    auto s = snapshot();
    s->best.reset();
    for (HistoryPoint &p : s->history)
        p.incumbent.reset();
    const ConvergenceCurve curve = ConvergenceCurve::of(*s);
    QVERIFY(curve.best.empty());
    QVERIFY(curve.highest > curve.lowest);
    const ConvergenceCurve nothing = ConvergenceCurve::of(SearchSnapshot());
    QVERIFY(nothing.best.empty() && nothing.bound.empty());
    QVERIFY(nothing.highest > nothing.lowest);
}

void TestCharts::weakFirstBoundDoesNotFlatten()
{
    auto s = snapshot();
    s->history.front().bound = seconds(0.001);
    const ConvergenceCurve curve = ConvergenceCurve::of(*s);
    QVERIFY(curve.lowest > 2.5);
    QVERIFY(curve.lowest <= 3.631);
}

void TestCharts::convergenceDraws_data()
{
    QTest::addColumn<bool>("strip");
    QTest::newRow("full") << false;
    QTest::newRow("strip") << true;
}

void TestCharts::convergenceDraws()
{
    QFETCH(bool, strip);
    ConvergenceView view(strip ? ConvergenceView::Form::Strip : ConvergenceView::Form::Full);
    view.resize(strip ? QSize(290, 54) : QSize(480, 280));
    const auto count = [&](const QColor &color) {
        QCoreApplication::processEvents();
        const QImage image = view.grab().toImage().convertToFormat(QImage::Format_RGB32);
        int pixels = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                pixels += image.pixel(x, y) == color.rgb();
        }
        return pixels;
    };
    view.show();
    QCOMPARE(count(Theme::light().accent), 0);
    view.setSnapshot(snapshot());
    QVERIFY(count(Theme::light().accent) > view.width() / 3); // the line of the best plan
    QVERIFY(count(mix(Theme::light().base, Theme::light().selection, 0.9)) > 200); // the shaded gap
    QVERIFY(!view.accessibleDescription().isEmpty());
    view.setStale(true);
    QCOMPARE(count(Theme::light().accent), 0);
}

void TestCharts::convergencePointsAreClicked()
{
    ConvergenceView view;
    view.resize(480, 280);
    view.setSnapshot(snapshot());
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QSignalSpy spy(&view, &ConvergenceView::improvementActivated);
    auto *plot = view.findChild<QCustomPlot *>();
    const QPoint place(int(plot->xAxis->coordToPixel(1.2)), int(plot->yAxis->coordToPixel(3.90)));
    QCOMPARE(view.pointAt(place), std::optional<std::size_t>(1));
    QTest::mouseClick(plot, Qt::LeftButton, {}, place);
    QCOMPARE(spy.count(), 1);
    QVERIFY(std::abs(spy.first()[0].toDouble() - 3.90) < 1e-9);
    QTest::mouseClick(plot, Qt::LeftButton, {}, QPoint(place.x(), plot->height() - 30));
    QCOMPARE(spy.count(), 1);
}

void TestCharts::logTime()
{
    ConvergenceView view;
    view.resize(480, 280);
    view.setSnapshot(snapshot());
    QSignalSpy spy(&view, &ConvergenceView::logTimeChanged);
    view.setLogTime(true);
    auto *plot = view.findChild<QCustomPlot *>();
    QCOMPARE(plot->xAxis->scaleType(), QCPAxis::stLogarithmic);
    QVERIFY(plot->xAxis->range().lower > 0 && plot->xAxis->range().lower < 0.1);
    QCOMPARE(plot->xAxis->range().upper, 14.6);
    QCOMPARE(spy.count(), 1);
    view.setSnapshot(snapshot()); // stays
    QCOMPARE(plot->xAxis->scaleType(), QCPAxis::stLogarithmic);
    view.setLogTime(false);
    QCOMPARE(plot->xAxis->range().lower, 0.0);
}

void TestCharts::proofClosesTheGap()
{
    auto s = snapshot();
    s->bound = s->best->step;
    s->gap = 0;
    s->status = SearchStatus::Optimal;
    const ConvergenceCurve curve = ConvergenceCurve::of(*s);
    QCOMPARE(curve.boundAt(20), curve.bestAt(20));
    QVERIFY(curve.lowest < 3.709);
}

void TestCharts::baselineLinesAndFactors()
{
    const auto lines = baselineLines(*snapshot());
    QCOMPARE(lines.size(), std::size_t(4));
    QCOMPARE(lines[0].kind, BaselineLine::Kind::Best);
    QVERIFY(!lines[0].factor);
    QCOMPARE(lines[1].kind, BaselineLine::Kind::Bound);
    QCOMPARE(lines[2].name, QStringLiteral("Equal split"));
    QVERIFY(std::abs(*lines[2].factor - 1.1) < 1e-9);
    QVERIFY(!lines[3].seconds);
    QCOMPARE(lines[3].reason, QStringLiteral("4090D 2 needs 26.1 of 24 GB"));
    auto s = snapshot();
    s->best.reset();
    QVERIFY(!baselineLines(*s)[1].factor); // nothing to compare with
}

void TestCharts::baselineBarsAreProportional()
{
    BaselineView view;
    view.resize(480, 150);
    view.setSnapshot(snapshot());
    const QRectF all = view.rect();
    const double longest = view.barRect(2, all).width();
    QVERIFY(std::abs(view.barRect(0, all).width() / longest - 3.709 / 4.0799) < 1e-9);
    QVERIFY(std::abs(view.barRect(1, all).width() / longest - 3.631 / 4.0799) < 1e-9);
    QCOMPARE(view.barRect(3, all).width(), 0.0);
    // And so they are on the screen.
    const QImage image = view.grab().toImage().convertToFormat(QImage::Format_RGB32);
    const QRectF bar = view.barRect(0, all);
    int pixels = 0;
    for (int x = 0; x < image.width(); ++x)
        pixels += image.pixel(x, int(bar.center().y())) == Theme::light().accent.rgb();
    QVERIFY(std::abs(pixels - bar.width()) <= 3); // the dashed line of the bound runs through it
    QVERIFY(view.accessibleDescription().contains(QStringLiteral("does not fit")));
}

void TestCharts::baselineClicks()
{
    BaselineView view;
    view.resize(480, 150);
    view.setSnapshot(snapshot());
    QSignalSpy spy(&view, &BaselineView::baselineActivated);
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.barRect(2, view.rect()).center().toPoint());
    QCOMPARE(spy.count(), 1);
    QCOMPARE(spy.first()[0].value<std::size_t>(), std::size_t(0));
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.barRect(0, view.rect()).center().toPoint());
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.barRect(3, view.rect()).center().toPoint()); // does not fit
    QCOMPARE(spy.count(), 1);
}

void TestCharts::exportsEachFormat_data()
{
    QTest::addColumn<QString>("chart");
    QTest::addColumn<QString>("suffix");
    for (const char *chart : {"gantt", "convergence", "baselines", "plot"}) {
        for (const char *suffix : {"png", "svg", "pdf", "PNG"})
            QTest::addRow("%s.%s", chart, suffix) << QString(chart) << QString(suffix);
    }
}

void TestCharts::exportsEachFormat()
{
    QFETCH(QString, chart);
    QFETCH(QString, suffix);
    const QString file = m_dir.filePath(chart + u'.' + suffix);
    const QSize size(900, 400);
    Result<void> done;
    if (chart == QLatin1String("gantt")) {
        SelectionModel selection;
        TimeAxis axis;
        GanttView view(selection, axis);
        view.setShown(chart_fixture::pipeline());
        done = exportChart(view, file, size);
    } else if (chart == QLatin1String("convergence")) {
        ConvergenceView view;
        view.setSnapshot(snapshot());
        done = exportChart(view, file, size);
    } else if (chart == QLatin1String("baselines")) {
        BaselineView view;
        view.setSnapshot(snapshot());
        done = exportChart(view, file, size);
    } else {
        QCustomPlot plot;
        plot.addGraph()->setData({1, 2, 3}, {2, 1, 3});
        plot.rescaleAxes();
        done = exportChart(plot, file, size, ExportColors::Light);
    }
    QVERIFY2(done.has_value(), done ? "" : done.error().message().c_str());
    const QByteArray bytes = read(file);
    if (suffix.toLower() == QLatin1String("png")) {
        const QImage image = QImage::fromData(bytes, "PNG");
        QCOMPARE(image.size(), size * 2);
        QCOMPARE(image.pixelColor(2, image.height() - 3).alpha(), 255); // no transparent rest
        QSet<QRgb> colors;
        for (int x = 0; x < image.width(); x += 3) {
            for (int y = 0; y < image.height(); y += 3)
                colors.insert(image.pixel(x, y));
        }
        QVERIFY(colors.size() > 4);
    } else if (suffix == QLatin1String("svg")) {
        QVERIFY(bytes.contains("viewBox=\"0 0 900 400\""));
        QVERIFY(bytes.contains("<text"));
        QVERIFY(!bytes.contains("<image")); // vectors all through
    } else {
        QVERIFY(bytes.startsWith("%PDF-"));
        QVERIFY(bytes.contains("/MediaBox [0 0 675.000000 300.000000]"));
        QVERIFY(!bytes.contains("/Subtype /Image"));
    }
}

void TestCharts::exportRefuses()
{
    SelectionModel selection;
    TimeAxis axis;
    GanttView view(selection, axis);
    const auto empty = exportChart(view, path("a.png"), {800, 400});
    QVERIFY(!empty && empty.error().kind == ErrorKind::Input && !empty.error().remedy.empty());
    view.setShown(chart_fixture::pipeline());
    const auto suffix = exportChart(view, path("a.bmp"), {800, 400});
    QVERIFY(!suffix);
    QCOMPARE(suffix.error().kind, ErrorKind::Input);
    QCOMPARE(QString::fromStdString(suffix.error().found), QStringLiteral("the suffix .bmp"));
    QVERIFY(QString::fromStdString(suffix.error().expected).contains(QStringLiteral(".svg")));
    QVERIFY(!exportChart(view, path("a"), {800, 400}));
    QVERIFY(!exportChart(view, path("a.png"), {0, 400}));
    QVERIFY(!exportChart(view, path("a.png"), {100000, 400}));
    QVERIFY(!exportChart(view, path("a.png"), {800, 20}));
    const auto folder = exportChart(view, path("no/such/folder/a.svg"), {800, 400});
    QVERIFY(!folder);
    QCOMPARE(folder.error().kind, ErrorKind::Io);
    QVERIFY(!folder.error().remedy.empty());
    QVERIFY(!QFile::exists(path("a.png")));
}

void TestCharts::exportKeepsTheOldFile()
{
    const QString file = path("old.svg");
    QFile old(file);
    QVERIFY(old.open(QIODevice::WriteOnly));
    old.write("keep");
    old.close();
    SelectionModel selection;
    TimeAxis axis;
    GanttView view(selection, axis);
    QVERIFY(!exportChart(view, file, {800, 400})); // nothing to draw
    QCOMPARE(read(file), QByteArray("keep"));
}

void TestCharts::exportLeavesTheViewAlone()
{
    SelectionModel selection;
    TimeAxis axis;
    GanttView view(selection, axis);
    view.resize(1000, 220);
    view.setShown(chart_fixture::pipeline());
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.canvas().setScroll(40);
    QCoreApplication::processEvents();
    const QImage before = view.grab().toImage();
    QVERIFY(exportChart(view, path("b.svg"), {1600, 900}, ExportColors::Light));
    QCoreApplication::processEvents();
    QCOMPARE(view.canvas().scroll(), 40.0);
    QCOMPARE(view.grab().toImage(), before);
}

void TestCharts::svgStaysInside()
{
    SelectionModel selection;
    TimeAxis axis;
    GanttView view(selection, axis);
    view.setShown(chart_fixture::pipeline());
    axis.setRange(1.21, 1.34); // bars reach out on both sides
    const QString file = path("zoomed.svg");
    QVERIFY(exportChart(view, file, {800, 160})); // and rows below
    QString outside;
    QVERIFY(shapesInside(read(file), QRectF(0, 0, 800, 160), outside) > 20);
    QVERIFY2(outside.isEmpty(), qPrintable(outside));
}

void TestCharts::lightColors()
{
    Theme::apply(*qApp, Theme::darkTheme());
    SelectionModel selection;
    TimeAxis axis;
    GanttView view(selection, axis);
    view.setShown(chart_fixture::pipeline());
    QVERIFY(exportChart(view, path("light.png"), {800, 300}, ExportColors::Light));
    QVERIFY(exportChart(view, path("dark.png"), {800, 300}, ExportColors::AsShown));
    Theme::apply(*qApp, Theme::light());
    QCOMPARE(QImage(path("light.png")).pixelColor(4, 100).rgb(), Theme::light().base.rgb());
    QCOMPARE(QImage(path("dark.png")).pixelColor(4, 100).rgb(), Theme::darkTheme().base.rgb());
}

void TestCharts::renderWithoutAWindow()
{
    const auto shown = chart_fixture::pipeline();
    const QString file = path("render.png");
    const auto done = renderGantt(shown, Theme::light(), {1280, 0}, file);
    QVERIFY2(done.has_value(), done ? "" : done.error().message().c_str());
    const QImage image(file);
    QCOMPARE(image.width(), 2560);
    QVERIFY(image.height() > 2 * (8 * 15 + 6 * 23 + 8 * 23)); // every row
    QVERIFY(renderConvergence(*snapshot(), Theme::darkTheme(), {600, 300}, path("render.pdf")));
    QVERIFY(read(path("render.pdf")).startsWith("%PDF-"));
}

void TestCharts::renderRefusesNothing()
{
    QVERIFY(!renderGantt(ShownPlan(), Theme::light(), {800, 400}, path("c.png")));
    QVERIFY(!renderConvergence(SearchSnapshot(), Theme::light(), {800, 400}, path("c.png")));
    QVERIFY(!QFile::exists(path("c.png")));
}

QTEST_MAIN(TestCharts)
#include "tst_charts.moc"
