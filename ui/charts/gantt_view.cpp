// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/gantt_view.hpp"

#include "ui/charts/gantt_canvas.hpp"
#include "ui/charts/gantt_header.hpp"

#include <QEvent>
#include <QGridLayout>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace polyrail {

GanttView::GanttView(SelectionModel &selection, TimeAxis &axis, QWidget *parent) : QWidget(parent)
{
    m_title = tr("Best plan, one step");
    m_header = new GanttHeader(this);
    m_canvas = new GanttCanvas(selection, axis, this);
    m_scrollBar = new QScrollBar(Qt::Vertical, this);
    m_scrollBar->setAccessibleName(tr("Rows of the schedule"));
    m_scrollBar->hide();
    auto *layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->setColumnStretch(0, 1); // else a hidden scroll bar's column takes half of the header's width
    layout->addWidget(m_header, 0, 0, 1, 2);
    layout->addWidget(m_canvas, 1, 0);
    layout->addWidget(m_scrollBar, 1, 1);
    setFocusProxy(m_canvas);

    connect(m_canvas, &GanttCanvas::scrolled, this, &GanttView::updateScrollBar);
    connect(m_scrollBar, &QScrollBar::valueChanged, m_canvas, [this](int value) { m_canvas->setScroll(value); });
    connect(m_header->followButton(), &QToolButton::toggled, this, &GanttView::followsBestChanged);
    updateHeader();
}

GanttView::~GanttView() = default;

void GanttView::setShown(const ShownPlan &shown)
{
    m_canvas->setShown(shown);
    updateHeader();
}

const ShownPlan &GanttView::shown() const
{
    return m_canvas->scene().model.shown;
}

void GanttView::setTitle(const QString &title)
{
    m_title = title;
    updateHeader();
}

QString GanttView::title() const
{
    return m_title;
}

void GanttView::setSections(bool links, bool memory)
{
    GanttModel::Options options = m_canvas->options();
    options.links = links;
    options.memory = memory;
    m_canvas->setOptions(options);
}

bool GanttView::linksShown() const
{
    return m_canvas->options().links;
}

bool GanttView::memoryShown() const
{
    return m_canvas->options().memory;
}

void GanttView::setComfortable(bool comfortable)
{
    m_canvas->setComfortable(comfortable);
}

void GanttView::setFolded(std::optional<bool> folded)
{
    GanttModel::Options options = m_canvas->options();
    options.fold = !folded ? GanttModel::Fold::Auto : *folded ? GanttModel::Fold::Always : GanttModel::Fold::Never;
    m_canvas->setOptions(options);
}

bool GanttView::folded() const
{
    const auto &rows = m_canvas->scene().model.devices;
    return std::any_of(rows.begin(), rows.end(), [](const DeviceRow &row) { return row.members.size() > 1; });
}

void GanttView::setFollowVisible(bool visible)
{
    m_header->followButton()->setVisible(visible);
}

bool GanttView::followsBest() const
{
    return m_header->followButton()->isChecked();
}

void GanttView::setFollowsBest(bool follows)
{
    m_header->followButton()->setChecked(follows);
}

void GanttView::zoomIn()
{
    m_canvas->zoomBy(1.5);
}

void GanttView::zoomOut()
{
    m_canvas->zoomBy(1 / 1.5);
}

void GanttView::showAll()
{
    m_canvas->showAll();
}

void GanttView::fitSelected()
{
    m_canvas->fitSelected();
}

QSize GanttView::sizeHint() const
{
    return {900, m_header->sizeHint().height() + static_cast<int>(std::min(600.0, m_canvas->fullHeight()))};
}

void GanttView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange
        || event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        m_canvas->applyTheme();
        m_header->updateGeometry();
        m_header->update();
    }
}

void GanttView::updateScrollBar()
{
    const QSignalBlocker quiet(m_scrollBar);
    const int range = static_cast<int>(std::ceil(m_canvas->scrollRange()));
    m_scrollBar->setRange(0, range);
    m_scrollBar->setPageStep(std::max(1, static_cast<int>(m_canvas->scene().rows.height())));
    m_scrollBar->setSingleStep(static_cast<int>(m_canvas->scene().metrics.linkRow()));
    m_scrollBar->setValue(static_cast<int>(std::lround(m_canvas->scroll())));
    m_scrollBar->setVisible(range > 0);
    // The bar stands in the margin, so that the chart keeps its width.
    m_canvas->setRightMargin(range > 0 ? 4 : 16);
}

void GanttView::updateHeader()
{
    m_header->setText(m_title, shown().schedule ? planSummary(shown()) : tr("No plan yet. Pick a model and press Start."));
}

} // namespace polyrail
