// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/gantt_scene.hpp"

#include <qcustomplot.h>

namespace polyrail {

/// A part of the Gantt that is not data: drawn where it likes, on the layer it is given.
class GanttDecor : public QCPLayerable
{
public:
    GanttDecor(QCustomPlot *plot, const QString &layer, const GanttScene &scene)
        : QCPLayerable(plot, layer), m_scene(scene)
    {
    }

protected:
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override { painter->setAntialiasing(false); }
    TimeScale timeScale() const;
    PaintDevice deviceOf(const QCPPainter &painter) const;

    const GanttScene &m_scene;
};

/// Bars behind selected rows and the lines between sections.
class GanttBackground final : public GanttDecor
{
public:
    using GanttDecor::GanttDecor;

protected:
    void draw(QCPPainter *painter) override;
};

/// Stages, device names, link names and figures, left of the rows.
class GanttLabels final : public GanttDecor
{
public:
    using GanttDecor::GanttDecor;

protected:
    void draw(QCPPainter *painter) override;

private:
    void drawAll(QPainter &painter, bool clip);
    void drawStage(QPainter &painter, const ChartColors &colors, const StageGroup &stage);
    void drawRow(QPainter &painter, const ChartColors &colors, const RowPlace &place);

    QPixmap m_cache; ///< of the column: zooming does not change it, and text is dear
    std::uint64_t m_cached = 0;
};

/// The time ruler above the rows.
class GanttRuler final : public GanttDecor
{
public:
    using GanttDecor::GanttDecor;

protected:
    void draw(QCPPainter *painter) override;
};

/// Time cursor, hover outline and the span that is measured: on a buffered layer of their own, so that moving them
/// does not draw the bars again.
class GanttCursor final : public GanttDecor
{
public:
    using GanttDecor::GanttDecor;

protected:
    void draw(QCPPainter *painter) override;
};

} // namespace polyrail
