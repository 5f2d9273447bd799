// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/gantt_scene.hpp"

#include <QFontMetricsF>

#include <qcustomplot.h>

namespace polyrail {

/// What both plottables of the Gantt share: the key axis is time in seconds, the vertical place of a row comes from
/// the scene (its axis has no meaning), nothing is selectable through QCustomPlot.
class GanttPlottable : public QCPAbstractPlottable
{
public:
    GanttPlottable(QCPAxis *keyAxis, QCPAxis *valueAxis, const GanttScene &scene);
    double selectTest(const QPointF &pos, bool onlySelectable, QVariant *details = nullptr) const override;
    QCPRange getKeyRange(bool &foundRange, QCP::SignDomain inSignDomain = QCP::sdBoth) const override;
    QCPRange getValueRange(bool &foundRange, QCP::SignDomain inSignDomain = QCP::sdBoth,
                           const QCPRange &inKeyRange = QCPRange()) const override;

protected:
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override { painter->setAntialiasing(false); }
    void drawLegendIcon(QCPPainter *painter, const QRectF &rect) const override;
    TimeScale timeScale() const;
    PaintDevice deviceOf(const QCPPainter &painter) const;

    const GanttScene &m_scene;
};

/// Bars of the device rows, with letters, hatch, outlines and the critical path. Draws what is in sight and no more:
/// blocks of at least 3 px by themselves, the rest as one image row per device with the busy share as its strength.
class GanttBars final : public GanttPlottable
{
public:
    using GanttPlottable::GanttPlottable;

protected:
    void draw(QCPPainter *painter) override;

private:
    struct Label
    {
        QPointF place;
        std::int32_t task;
    };
    void drawRow(QPainter &painter, const PaintDevice &device, const ChartColors &colors, const TimeScale &scale,
                 const RowPlace &place);
    void prepare(QPainter &painter, const ChartColors &colors);
    void drawCells(QPainter &painter, const PaintDevice &device, const TimeScale &scale, const QRectF &track);
    void drawHidden(QPainter &painter, const PaintDevice &device, const ChartColors &colors, const TimeScale &scale,
                    const DeviceRow &row, const QRectF &track);
    void paintStrip(QPainter &painter, const PaintDevice &device, const ChartColors &colors, const QRectF &strip);
    void flushVector(QPainter &painter, const PaintDevice &device, const ChartColors &colors);
    void drawLabels(QPainter &painter, const PaintDevice &device, const ChartColors &colors);
    void drawCritical(QPainter &painter, const PaintDevice &device, const ChartColors &colors, const TimeScale &scale);
    void drawSelection(QPainter &painter, const PaintDevice &device, const TimeScale &scale);

    static constexpr int cellShades = 128;

    RowShapes m_shapes;
    std::array<std::array<QRgb, cellShades + 1>, barKindCount> m_cellColors{}; ///< track to fill, of this drawing
    QFontMetricsF m_labelMetrics{QFont()};
    std::vector<Label> m_labels;
    QFont m_labelFont;
    /// Vector files grow with each change of colour: boxes are kept back and painted kind by kind.
    struct VectorBoxes
    {
        std::array<std::vector<QRectF>, barKindCount> bars;
        std::vector<QRectF> strips;
    } m_vector;
    QImage m_cells; ///< one pixel row, reused
};

/// Rates of the link rows and bytes of the memory rows against their capacity.
class GanttRates final : public GanttPlottable
{
public:
    using GanttPlottable::GanttPlottable;

protected:
    void draw(QCPPainter *painter) override;

private:
    struct Area
    {
        double base;    ///< y of zero
        double full;    ///< pixels that the capacity takes
        double upward;  ///< 1: grows up, -1: grows down
    };
    void drawSeries(QPainter &painter, const PaintDevice &device, const TimeScale &scale, const RateSeries &series,
                    double capacity, const Area &area, const QColor &fill, bool peakOnly);
    void drawLink(QPainter &painter, const PaintDevice &device, const ChartColors &colors, const TimeScale &scale,
                  const RowPlace &place);
    void drawMemory(QPainter &painter, const PaintDevice &device, const ChartColors &colors, const TimeScale &scale,
                    const RowPlace &place);
};

} // namespace polyrail
