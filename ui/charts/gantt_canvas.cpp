// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/gantt_canvas.hpp"

#include "ui/charts/chart_text.hpp"
#include "ui/charts/gantt_decor.hpp"
#include "ui/charts/gantt_plottable.hpp"

#include <QFontMetricsF>

#include <algorithm>
#include <utility>

namespace polyrail {

namespace {

constexpr std::size_t mostRelatives = 64; ///< outlined around the selected task
constexpr std::size_t mostViews = 64;     ///< kept for "back"

} // namespace

GanttCanvas::GanttCanvas(SelectionModel &selection, TimeAxis &axis, QWidget *parent)
    : QCustomPlot(parent), m_selection(selection), m_axis(axis)
{
    m_scene.theme = &Theme::current();
    m_scene.selection = &m_selection;
    m_scene.cursor = m_axis.cursor();

    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(scaled(320), scaled(80));
    setAccessibleName(ChartText::tr("Schedule of one step"));
    setAccessibleDescription(ChartText::tr("Devices and links over time. Left and right arrow step through tasks, "
                                         "square brackets follow the critical path."));
    setNotAntialiasedElements(QCP::aeAll);
    setNoAntialiasingOnDrag(false);
    axisRect()->setAutoMargins(QCP::msNone);
    axisRect()->setMinimumMargins(QMargins());
    plotLayout()->setMargins(QMargins());
    for (QCPAxis *a : axisRect()->axes()) {
        a->setVisible(false);
        a->grid()->setVisible(false);
    }
    addLayer(QStringLiteral("labels"), layer(QStringLiteral("main")), limAbove);
    addLayer(QStringLiteral("cursor"), layer(QStringLiteral("overlay")), limAbove);
    layer(QStringLiteral("cursor"))->setMode(QCPLayer::lmBuffered);
    layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmLogical); // nothing is on it: one buffer less to compose
    setAutoAddPlottableToLegend(false);
    new GanttBackground(this, QStringLiteral("grid"), m_scene);
    (new GanttRates(xAxis, yAxis, m_scene))->setLayer(QStringLiteral("main"));
    (new GanttBars(xAxis, yAxis, m_scene))->setLayer(QStringLiteral("main"));
    new GanttLabels(this, QStringLiteral("labels"), m_scene);
    new GanttRuler(this, QStringLiteral("labels"), m_scene);
    new GanttCursor(this, QStringLiteral("cursor"), m_scene);

    connect(&m_selection, &SelectionModel::changed, this, &GanttCanvas::redraw);
    connect(&m_selection, &SelectionModel::taskChanged, this, &GanttCanvas::onTaskChanged);
    connect(&m_axis, &TimeAxis::rangeChanged, this, &GanttCanvas::onRangeChanged);
    connect(&m_axis, &TimeAxis::cursorChanged, this, [this] {
        m_scene.cursor = m_axis.cursor();
        redrawCursor();
    });
    applyTheme();
    xAxis->setRange(m_axis.lower(), m_axis.upper());
}

GanttCanvas::~GanttCanvas() = default;

void GanttCanvas::applyTheme()
{
    m_scene.theme = &Theme::current();
    m_scene.metrics.scale = uiScale();
    styleChart(*this, *m_scene.theme);
    m_scene.layout = GanttLayout::make(m_scene.model, m_scene.metrics);
    setGeometryFor(size());
    setScroll(m_scene.scroll);
    emit scrolled();
    redraw();
}

void GanttCanvas::setShown(const ShownPlan &shown)
{
    // The same schedule again (only stale changed, say) needs no new rows.
    const bool same = shown.schedule && shown.schedule == m_scene.model.shown.schedule && shown.plan == m_scene.model.shown.plan;
    if (same) {
        m_scene.model.shown.stale = shown.stale;
        redraw();
        return;
    }
    // Task numbers mean the same tasks only in the same plan.
    const auto &before = m_scene.model.shown.plan;
    const bool samePlan = before && shown.plan && (before == shown.plan || *before == *shown.plan);
    m_scene.model.shown = shown;
    m_scene.hover = {};
    m_row.reset();
    rebuild();
    if (shown.schedule) {
        // A little room after the last bar, so that the end is seen to be the end.
        m_axis.setFull(toSeconds(shown.schedule->makespan).value * 1.0115);
    }
    if (!shown.schedule || !samePlan || (m_selection.task().valid() && m_selection.task().index() >= shown.schedule->times.size()))
        m_selection.selectTask({});
    onTaskChanged();
}

void GanttCanvas::setOptions(const GanttModel::Options &options)
{
    m_options = options;
    rebuild();
}

void GanttCanvas::setComfortable(bool comfortable)
{
    m_scene.metrics.comfortable = comfortable;
    rebuild();
}

void GanttCanvas::setRightMargin(double pixels)
{
    if (m_scene.metrics.rightMargin == pixels)
        return;
    m_scene.metrics.rightMargin = pixels;
    setGeometryFor(size());
    redraw();
}

void GanttCanvas::rebuild()
{
    m_scene.model = GanttModel::build(m_scene.model.shown, m_options);
    m_scene.layout = GanttLayout::make(m_scene.model, m_scene.metrics);
    m_scene.hover = {};
    m_scene.selectedBars.clear();
    m_scene.relatives.clear();
    setGeometryFor(size());
    setScroll(m_scene.scroll);
    emit scrolled();
    redraw();
}

double GanttCanvas::scrollRange() const
{
    return std::max(0.0, m_scene.layout.height - m_scene.rows.height());
}

void GanttCanvas::setScroll(double pixels)
{
    const double value = std::clamp(pixels, 0.0, scrollRange());
    if (value == m_scene.scroll)
        return;
    m_scene.scroll = value;
    emit scrolled();
    redraw();
}

double GanttCanvas::fullHeight() const
{
    return m_scene.metrics.ruler() + m_scene.layout.height;
}

void GanttCanvas::setGeometryFor(const QSize &size)
{
    const GanttMetrics &metrics = m_scene.metrics;
    // The names give way before the chart does.
    const double left = std::round(std::min(metrics.labels(), size.width() * 0.35));
    const double top = std::round(metrics.ruler());
    m_scene.width = size.width();
    m_scene.rows = QRectF(left, top, std::max(1.0, size.width() - left - std::round(metrics.right())),
                          std::max(1.0, size.height() - top));
    m_scene.density = bufferDevicePixelRatio();
    ++m_scene.revision;
    const QFontMetricsF nameMetrics(uiFont(TextRole::Small));
    double names = metrics.px(24);
    for (const DeviceRow &row : m_scene.model.devices)
        names = std::max(names, nameMetrics.horizontalAdvance(row.name) + 1);
    m_scene.names = std::min(names, left * 0.55);
    axisRect()->setMargins(QMargins(static_cast<int>(left), static_cast<int>(top), static_cast<int>(metrics.right()), 0));
}

void GanttCanvas::resizeEvent(QResizeEvent *event)
{
    setGeometryFor(event->size());
    setScroll(m_scene.scroll);
    emit scrolled();
    QCustomPlot::resizeEvent(event);
}

void GanttCanvas::paintEvent(QPaintEvent *event)
{
    // QCustomPlot reads the pixel ratio once; the window may have moved to another screen.
    if (bufferDevicePixelRatio() != devicePixelRatioF()) {
        setBufferDevicePixelRatio(devicePixelRatioF());
        m_scene.density = bufferDevicePixelRatio();
        ++m_scene.revision;
        replot(QCustomPlot::rpRefreshHint);
    }
    QCustomPlot::paintEvent(event);
}

void GanttCanvas::redraw()
{
    ++m_scene.revision;
    replot(QCustomPlot::rpQueuedReplot);
}

void GanttCanvas::redrawCursor()
{
    layer(QStringLiteral("cursor"))->replot();
}

void GanttCanvas::onRangeChanged()
{
    xAxis->setRange(m_axis.lower(), m_axis.upper());
    replot(QCustomPlot::rpQueuedReplot); // the labels stay as they are
}

void GanttCanvas::onTaskChanged()
{
    m_scene.selectedBars.clear();
    m_scene.relatives.clear();
    const TaskId task = m_selection.task();
    const auto &schedule = m_scene.model.shown.schedule;
    if (schedule && task.valid() && task.index() < schedule->graph->tasks.size()) {
        m_scene.selectedBars = m_scene.model.barsOf(task);
        const auto &tasks = schedule->graph->tasks;
        m_scene.relatives = tasks[task.index()].preds;
        for (std::size_t t = 0; t < tasks.size() && m_scene.relatives.size() < mostRelatives; ++t) {
            const auto &preds = tasks[t].preds;
            if (std::find(preds.begin(), preds.end(), task) != preds.end())
                m_scene.relatives.push_back(TaskId(t));
        }
        m_scene.relatives.resize(std::min(m_scene.relatives.size(), mostRelatives));
        setAccessibleDescription(describeTask(m_scene.model, task));
    }
    redraw();
}

void GanttCanvas::renderTo(QCPPainter &painter, const QSize &size, const Theme &theme, double density)
{
    const Theme *const themeBefore = std::exchange(m_scene.theme, &theme);
    const BarRef hoverBefore = std::exchange(m_scene.hover, {});
    const double scrollBefore = std::exchange(m_scene.scroll, 0);
    const double marginBefore = std::exchange(m_scene.metrics.rightMargin, 16); // no scroll bar on paper
    setGeometryFor(size);
    m_scene.density = density;
    // The plot's own background would be the theme in use.
    setBackground(QBrush(theme.base));
    toPainter(&painter, size.width(), size.height());
    m_scene.theme = themeBefore;
    m_scene.hover = hoverBefore;
    m_scene.scroll = scrollBefore;
    m_scene.metrics.rightMargin = marginBefore;
    setGeometryFor(this->size());
    setBackground(QBrush(m_scene.theme->base));
}

// Views that were looked at

void GanttCanvas::rememberView()
{
    if (m_restoringView)
        return;
    const std::pair view(m_axis.lower(), m_axis.upper());
    // One gesture of the wheel is one step back.
    const bool sameGesture = m_viewTime.isValid() && m_viewTime.elapsed() < 600;
    m_viewTime.start();
    if (sameGesture)
        return;
    m_views.resize(std::min(m_view, m_views.size()));
    if (m_views.empty() || m_views.back() != view)
        m_views.push_back(view);
    if (m_views.size() > mostViews)
        m_views.erase(m_views.begin());
    m_view = m_views.size();
}

void GanttCanvas::previousView()
{
    if (m_view == 0)
        return;
    if (m_view == m_views.size())
        m_views.emplace_back(m_axis.lower(), m_axis.upper());
    --m_view;
    m_viewTime.invalidate();
    m_axis.setRange(m_views[m_view].first, m_views[m_view].second);
}

void GanttCanvas::nextView()
{
    if (m_view + 1 >= m_views.size())
        return;
    ++m_view;
    m_viewTime.invalidate();
    m_axis.setRange(m_views[m_view].first, m_views[m_view].second);
    if (m_view + 1 == m_views.size())
        m_views.pop_back();
}

} // namespace polyrail
