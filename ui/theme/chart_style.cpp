// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.hpp"

#include <qcustomplot.h>

namespace polyrail {

namespace {

void styleAxis(QCPAxis &axis, const Theme &theme)
{
    axis.setBasePen(QPen(theme.control, 1));
    axis.setTickPen(QPen(theme.control, 1));
    axis.setSubTickPen(QPen(theme.border, 1));
    axis.setTickLabelColor(theme.muted);
    axis.setLabelColor(theme.muted);
    axis.setTickLabelFont(uiFont(TextRole::Tick));
    axis.setLabelFont(uiFont(TextRole::Small));
    axis.setSelectedBasePen(QPen(theme.accent, 2));
    axis.setSelectedTickPen(QPen(theme.accent, 2));
    axis.setSelectedSubTickPen(QPen(theme.accent, 1));
    axis.setSelectedTickLabelColor(theme.text);
    axis.setSelectedLabelColor(theme.text);
    axis.grid()->setPen(QPen(theme.border, 1));
    axis.grid()->setSubGridPen(QPen(theme.border, 1, Qt::DotLine));
    axis.grid()->setZeroLinePen(QPen(theme.border, 1));
}

} // namespace

void styleChart(QCustomPlot &plot, const Theme &theme)
{
    plot.setBackground(QBrush(theme.base));
    plot.setFont(uiFont(TextRole::Small));
    for (QCPAxisRect *rect : plot.axisRects()) {
        rect->setBackground(QBrush(Qt::NoBrush));
        for (QCPAxis *axis : rect->axes())
            styleAxis(*axis, theme);
    }
    if (QCPLegend *legend = plot.legend) {
        legend->setBrush(QBrush(theme.base));
        legend->setBorderPen(QPen(theme.border, 1));
        legend->setTextColor(theme.text);
        legend->setFont(uiFont(TextRole::Small));
        legend->setSelectedBrush(QBrush(theme.selection));
        legend->setSelectedTextColor(theme.selectionText);
        legend->setSelectedBorderPen(QPen(theme.accent, 2));
    }
    if (QCPSelectionRect *rect = plot.selectionRect()) {
        rect->setPen(QPen(theme.accent, 1));
        rect->setBrush(QBrush(withAlpha(theme.accent, 0.15)));
    }
}

} // namespace polyrail
