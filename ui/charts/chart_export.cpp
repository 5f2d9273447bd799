// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_export.hpp"

#include "ui/charts/baseline_view.hpp"
#include "ui/charts/chart_text.hpp"
#include "ui/charts/convergence_view.hpp"
#include "ui/charts/gantt_canvas.hpp"
#include "ui/charts/gantt_header.hpp"
#include "ui/charts/gantt_view.hpp"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <cmath>

namespace polyrail {

namespace {

constexpr int resolution = 96; // dots per inch of svg and pdf: point sizes then come out as on the screen
constexpr double pngDensity = 2;
constexpr int largest = 16000; // pixels on a side; beyond it the png would not fit QImage

const Theme &themeFor(ExportColors colors)
{
    return colors == ExportColors::Light ? Theme::light() : Theme::current();
}

Result<QByteArray> paintPng(QSize size, const std::function<void(QCPPainter &, double)> &paint)
{
    QImage image(size * pngDensity, QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        return inputError({}, "a picture too large for memory", "a smaller size", "Choose a smaller size, or svg.");
    image.setDevicePixelRatio(pngDensity);
    image.setDotsPerMeterX(static_cast<int>(std::lround(resolution / 0.0254)));
    image.setDotsPerMeterY(static_cast<int>(std::lround(resolution / 0.0254)));
    image.fill(Qt::transparent);
    QCPPainter painter;
    painter.begin(&image);
    painter.setMode(QCPPainter::pmNoCaching);
    paint(painter, pngDensity);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

QByteArray paintSvg(QSize size, const std::function<void(QCPPainter &, double)> &paint)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setResolution(resolution);
    generator.setTitle(QStringLiteral("Polyrail"));
    QCPPainter painter;
    painter.begin(&generator);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    paint(painter, 1);
    painter.end();
    return bytes;
}

QByteArray paintPdf(QSize size, const std::function<void(QCPPainter &, double)> &paint)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(resolution);
    writer.setPageSize(QPageSize(QSizeF(size) * 72.0 / resolution, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    writer.setTitle(QStringLiteral("Polyrail"));
    QCPPainter painter;
    painter.begin(&writer);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    paint(painter, 1);
    painter.end();
    return bytes;
}

Result<void> writeGantt(GanttView &view, const Theme &theme, const QString &path, QSize size)
{
    if (!view.shown().schedule)
        return inputError(path.toStdString(), "no plan", "a plan to draw", "Start a search first, or open a plan file.");
    const int header = scaled(30);
    if (size.height() <= 0)
        size.setHeight(header + static_cast<int>(std::ceil(view.canvas().fullHeight())));
    if (size.height() <= header + 20)
        return inputError(path.toStdString(), "a height of " + std::to_string(size.height()),
                          "more than " + std::to_string(header + 20), "Choose a larger height, or 0 for all rows.");
    return exportPicture(path, size, [&](QCPPainter &painter, double density) {
        const PaintDevice device{painter.modes().testFlag(QCPPainter::pmVectorized), density};
        paintGanttHeader(painter, QRectF(0, 0, size.width(), header), theme, device, view.title(), view.header().summary());
        painter.save();
        painter.translate(0, header);
        view.canvas().renderTo(painter, QSize(size.width(), size.height() - header), theme, density);
        painter.restore();
    });
}

} // namespace

Result<void> exportPicture(const QString &path, QSize size, const std::function<void(QCPPainter &, double)> &paint)
{
    const std::string where = path.toStdString();
    if (size.width() < 1 || size.height() < 1 || size.width() > largest || size.height() > largest)
        return inputError(where, std::to_string(size.width()) + " x " + std::to_string(size.height()) + " pixels",
                          "1 to " + std::to_string(largest) + " pixels on each side", "Choose another size.");
    const QString suffix = QFileInfo(path).suffix().toLower();
    QByteArray bytes;
    if (suffix == QLatin1String("png")) {
        Result<QByteArray> png = paintPng(size, paint);
        if (!png)
            return fail(png.error().at(where));
        bytes = std::move(*png);
    } else if (suffix == QLatin1String("svg")) {
        bytes = paintSvg(size, paint);
    } else if (suffix == QLatin1String("pdf")) {
        bytes = paintPdf(size, paint);
    } else {
        return inputError(where, suffix.isEmpty() ? std::string("a name without a suffix") : "the suffix ." + suffix.toStdString(),
                          ".png, .svg or .pdf", "End the name with one of them: it chooses the format.");
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return fail({ErrorKind::Io, where, file.errorString().toStdString(), "a file that can be written",
                     "Check that the folder exists and is writable, and that the disk is not full."});
    return {};
}

Result<void> exportChart(GanttView &view, const QString &path, QSize size, ExportColors colors)
{
    return writeGantt(view, themeFor(colors), path, size);
}

Result<void> exportChart(ConvergenceView &view, const QString &path, QSize size, ExportColors colors)
{
    if (size.height() <= 0)
        size.setHeight(view.sizeHint().height());
    return exportPicture(path, size, [&](QCPPainter &painter, double) { view.renderTo(painter, size, themeFor(colors)); });
}

Result<void> exportChart(BaselineView &view, const QString &path, QSize size, ExportColors colors)
{
    if (size.height() <= 0)
        size.setHeight(view.sizeHint().height());
    return exportPicture(path, size, [&](QCPPainter &painter, double density) {
        const PaintDevice device{painter.modes().testFlag(QCPPainter::pmVectorized), density};
        view.paint(painter, QRectF(QPointF(), QSizeF(size)), themeFor(colors), device);
    });
}

Result<void> exportChart(QCustomPlot &plot, const QString &path, QSize size, ExportColors colors)
{
    if (size.height() <= 0)
        size.setHeight(plot.height());
    return exportPicture(path, size, [&](QCPPainter &painter, double) {
        if (colors == ExportColors::Light)
            styleChart(plot, Theme::light());
        plot.toPainter(&painter, size.width(), size.height());
        if (colors == ExportColors::Light)
            styleChart(plot, Theme::current());
    });
}

Result<void> renderGantt(const ShownPlan &shown, const Theme &theme, QSize size, const QString &path)
{
    SelectionModel selection;
    TimeAxis axis;
    GanttView view(selection, axis);
    if (shown.plan && shown.schedule)
        view.setTitle(ChartText::tr("One step"));
    view.setShown(shown);
    return writeGantt(view, theme, path, size);
}

Result<void> renderConvergence(const SearchSnapshot &snapshot, const Theme &theme, QSize size, const QString &path)
{
    ConvergenceView view;
    view.setSnapshot(std::make_shared<const SearchSnapshot>(snapshot));
    if (view.curve().best.empty() && view.curve().bound.empty())
        return inputError(path.toStdString(), "a search without a plan or a bound", "at least one of them",
                          "Let the search run longer.");
    if (size.height() <= 0)
        size.setHeight(view.sizeHint().height());
    return exportPicture(path, size, [&](QCPPainter &painter, double) { view.renderTo(painter, size, theme); });
}

} // namespace polyrail
