// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/convergence_view.hpp"

#include "ui/charts/chart_paint.hpp"
#include "ui/charts/chart_text.hpp"

#include <QHelpEvent>
#include <QMenu>
#include <QPainterPath>
#include <QToolTip>
#include <QVBoxLayout>

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyrail {

namespace {

double valueAt(const std::vector<ConvergenceCurve::Point> &points, double seconds)
{
    const auto it = std::upper_bound(points.begin(), points.end(), seconds,
                                     [](double t, const ConvergenceCurve::Point &p) { return t < p.at; });
    return it == points.begin() ? std::numeric_limits<double>::quiet_NaN() : (it - 1)->value;
}

} // namespace

ConvergenceCurve ConvergenceCurve::of(const SearchSnapshot &snapshot)
{
    ConvergenceCurve curve;
    const auto add = [](std::vector<Point> &points, double at, Nanoseconds value) {
        const double seconds = toSeconds(value).value;
        if (seconds > 0 && (points.empty() || points.back().value != seconds))
            points.push_back({at, seconds});
    };
    for (const HistoryPoint &point : snapshot.history) {
        if (point.incumbent)
            add(curve.best, point.seconds, *point.incumbent);
        add(curve.bound, point.seconds, point.bound);
        curve.end = std::max(curve.end, point.seconds);
    }
    // The snapshot itself is newer than its thinned history.
    if (snapshot.best)
        add(curve.best, snapshot.elapsedSeconds, snapshot.best->step);
    add(curve.bound, snapshot.elapsedSeconds, snapshot.bound);
    curve.end = std::max(curve.end, snapshot.elapsedSeconds);

    if (!curve.best.empty()) {
        const double best = curve.best.back().value;
        curve.highest = curve.best.front().value;
        double low = curve.bound.empty() ? best : curve.bound.front().value;
        const double last = curve.bound.empty() ? best : curve.bound.back().value;
        // The gap that is left must stay visible: at least a sixth of the height.
        const double most = std::max({(best - last) * 6, (curve.highest - best) * 3, best * 0.002});
        low = std::max(low, curve.highest - most);
        curve.lowest = std::min(low, last);
    } else if (!curve.bound.empty()) {
        curve.lowest = curve.bound.front().value;
        curve.highest = curve.bound.back().value;
    }
    if (curve.highest - curve.lowest < 1e-3 * curve.highest) {
        const double middle = (curve.highest + curve.lowest) / 2;
        curve.lowest = middle * 0.999;
        curve.highest = middle * 1.001;
    }
    return curve;
}

double ConvergenceCurve::bestAt(double seconds) const
{
    return valueAt(best, seconds);
}

double ConvergenceCurve::boundAt(double seconds) const
{
    return valueAt(bound, seconds);
}

/// Both step curves and the shade between them.
class ConvergenceView::Curves final : public QCPAbstractPlottable
{
public:
    Curves(QCPAxis *key, QCPAxis *value, const ConvergenceView &view) : QCPAbstractPlottable(key, value), m_view(view)
    {
        setSelectable(QCP::stNone);
    }
    const Theme *theme = nullptr;

    QPointF place(double seconds, double value) const
    {
        // Left of the first point of a logarithmic axis nothing can be drawn.
        const double at = std::max(seconds, mKeyAxis->range().lower);
        return {mKeyAxis->coordToPixel(at),
                mValueAxis->coordToPixel(std::clamp(value, mValueAxis->range().lower, mValueAxis->range().upper))};
    }
    double selectTest(const QPointF &, bool, QVariant *) const override { return -1; }
    QCPRange getKeyRange(bool &found, QCP::SignDomain) const override
    {
        found = m_view.m_curve.end > 0;
        return {0, m_view.m_curve.end};
    }
    QCPRange getValueRange(bool &found, QCP::SignDomain, const QCPRange &) const override
    {
        found = !m_view.m_curve.best.empty();
        return {m_view.m_curve.lowest, m_view.m_curve.highest};
    }

protected:
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override { painter->setAntialiasing(false); }
    void drawLegendIcon(QCPPainter *painter, const QRectF &rect) const override { painter->fillRect(rect, theme->accent); }
    void draw(QCPPainter *painter) override;
    /// Points on the axes are drawn whole.
    QRect clipRect() const override { return QCPAbstractPlottable::clipRect().adjusted(-4, -4, 4, 4); }

private:
    QPolygonF steps(const std::vector<ConvergenceCurve::Point> &points) const
    {
        QPolygonF line;
        for (const auto &point : points) {
            QPointF to = place(point.at, point.value);
            to.setY(std::floor(to.y()) + 0.5); // crisp: both lines are level nearly everywhere
            if (!line.isEmpty())
                line << QPointF(to.x(), line.last().y());
            line << to;
        }
        if (!line.isEmpty())
            line << QPointF(place(m_view.m_curve.end, points.back().value).x(), line.last().y());
        return line;
    }

    const ConvergenceView &m_view;
};

void ConvergenceView::Curves::draw(QCPPainter *painter)
{
    const ConvergenceCurve &curve = m_view.m_curve;
    QPainter &p = *painter;
    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);
    const ChartColors colors(*theme, m_view.m_stale);
    const QColor accent = colors.fade(theme->accent);
    const QPolygonF best = steps(curve.best);
    const QPolygonF bound = steps(curve.bound);
    if (!best.isEmpty() && !bound.isEmpty()) {
        QPolygonF gap;
        const double from = std::max(best.first().x(), bound.first().x());
        const auto between = [from](const QPolygonF &line) {
            QPolygonF part;
            double y = line.first().y();
            for (const QPointF &point : line) {
                if (point.x() < from)
                    y = point.y();
                else
                    part << point;
            }
            part.prepend(QPointF(from, part.isEmpty() || line.first().x() < from ? y : part.first().y()));
            return part;
        };
        gap = between(best);
        const QPolygonF lower = between(bound);
        for (auto it = lower.crbegin(); it != lower.crend(); ++it)
            gap << *it;
        p.setPen(Qt::NoPen);
        p.setBrush(mix(theme->base, colors.fade(theme->selection), 0.9));
        p.drawPolygon(gap);
    }
    p.setBrush(Qt::NoBrush);
    QPen dashed(colors.fade(theme->muted), 1.4, Qt::CustomDashLine, Qt::FlatCap);
    dashed.setDashPattern({2.5, 1.5});
    p.setPen(dashed);
    p.drawPolyline(bound);
    p.setPen(QPen(accent, 1.6, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    p.drawPolyline(best);
    // Points that people can click; thinned where they would touch.
    p.setPen(QPen(accent, 1.4));
    p.setBrush(theme->base);
    const double radius = m_view.m_form == Form::Strip ? 2.6 : 3.2;
    QPointF last(-100, -100);
    for (const auto &point : curve.best) {
        const QPointF at = place(point.at, point.value);
        if ((at - last).manhattanLength() < radius * 2)
            continue;
        p.drawEllipse(at, radius, radius);
        last = at;
    }
    const QRect area = QCPAbstractPlottable::clipRect();
    const bool proven = m_view.m_snapshot && m_view.m_snapshot->status == SearchStatus::Optimal;
    const QString bestName = proven ? tr("proven optimal") : tr("best so far");
    p.setFont(uiFont(TextRole::Tick));
    const QFontMetricsF metrics(p.font(), p.device());
    QRectF bestLabel;
    if (!best.isEmpty()) {
        p.setPen(accent);
        const double y = best.last().y();
        // Above the line, or under it where there is no room above.
        const double above = y - 4 - metrics.ascent() > area.top() ? y - 5 : y + metrics.ascent() + 4;
        bestLabel = QRectF(area.right() - 4 - metrics.horizontalAdvance(bestName), above - metrics.ascent(),
                           metrics.horizontalAdvance(bestName), metrics.height());
        p.drawText(QPointF(bestLabel.left(), above), bestName);
    }
    if (!bound.isEmpty()) {
        p.setPen(colors.fade(theme->muted));
        const double y = bound.last().y();
        const double below = y + metrics.ascent() + 5 < area.bottom() ? y + metrics.ascent() + 3 : y - 5;
        QRectF label(area.right() - 4 - metrics.horizontalAdvance(tr("bound")), below - metrics.ascent(),
                     metrics.horizontalAdvance(tr("bound")), metrics.height());
        if (label.intersects(bestLabel)) // the gap is nearly closed
            label.moveRight(bestLabel.left() - 8);
        p.drawText(QPointF(label.left(), below), tr("bound"));
    }
    p.restore();
}

ConvergenceView::ConvergenceView(Form form, QWidget *parent) : QWidget(parent), m_form(form)
{
    m_plot = new QCustomPlot(this);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setMouseTracking(true);
    m_plot->installEventFilter(this);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_plot);
    m_curves = new Curves(m_plot->xAxis, m_plot->yAxis, *this);
    setAccessibleName(tr("Best plan and bound over time"));
    if (form == Form::Strip) {
        m_plot->axisRect()->setAutoMargins(QCP::msNone);
        m_plot->plotLayout()->setMargins(QMargins());
        const int edge = scaled(6);
        m_plot->axisRect()->setMargins(QMargins(edge, edge, edge, edge));
        for (QCPAxis *a : m_plot->axisRect()->axes()) {
            a->setVisible(false);
            a->grid()->setVisible(false);
        }
        m_plot->setMinimumSize(scaled(120), scaled(40));
    } else {
        m_plot->axisRect()->setupFullAxesBox();
        m_plot->xAxis2->setVisible(false);
        m_plot->yAxis2->setVisible(false);
        m_plot->xAxis->setLabel(tr("time of the search, s"));
        m_plot->yAxis->setLabel(tr("step time, s"));
        m_plot->xAxis->grid()->setVisible(false);
        m_plot->setMinimumSize(scaled(200), scaled(120));
    }
    applyTheme(Theme::current());
    updateRanges();
}

ConvergenceView::~ConvergenceView() = default;

void ConvergenceView::setSnapshot(std::shared_ptr<const SearchSnapshot> snapshot)
{
    m_snapshot = std::move(snapshot);
    m_curve = m_snapshot ? ConvergenceCurve::of(*m_snapshot) : ConvergenceCurve();
    if (!m_curve.best.empty()) {
        setAccessibleDescription(tr("Best so far %1, bound %2, gap %3")
                                     .arg(timeText(m_curve.best.back().value * 1e9),
                                          timeText(m_curve.bound.empty() ? 0 : m_curve.bound.back().value * 1e9),
                                          shareText(m_snapshot->gap)));
    }
    updateRanges();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void ConvergenceView::setStale(bool stale)
{
    if (stale == m_stale)
        return;
    m_stale = stale;
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void ConvergenceView::setLogTime(bool log)
{
    if (log == m_log)
        return;
    m_log = log;
    updateRanges();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
    emit logTimeChanged(log);
}

void ConvergenceView::updateRanges()
{
    const double end = std::max(m_curve.end, 1e-3);
    double first = end;
    for (const auto &point : m_curve.best) {
        if (point.at > 0)
            first = std::min(first, point.at);
    }
    for (const auto &point : m_curve.bound) {
        if (point.at > 0)
            first = std::min(first, point.at);
    }
    if (m_log) {
        m_plot->xAxis->setScaleType(QCPAxis::stLogarithmic);
        m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
        m_plot->xAxis->setNumberFormat(QStringLiteral("gb"));
        m_plot->xAxis->setRange(std::max(std::min(first, end / 10) * 0.8, 1e-4), end);
    } else {
        m_plot->xAxis->setScaleType(QCPAxis::stLinear);
        m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>::create());
        m_plot->xAxis->setRange(0, end);
    }
    double low = m_curve.lowest, high = m_curve.highest;
    // Without figures on its axis the strip may leave out how bad the first plan was: what counts is the end.
    if (m_form == Form::Strip && !m_curve.best.empty()) {
        const double best = m_curve.best.back().value;
        high = std::min(high, best * 1.2);
        low = std::max(low, std::min(best * 0.8, m_curve.bound.empty() ? best : m_curve.bound.back().value));
    }
    const double room = (high - low) * (m_form == Form::Strip ? 0.12 : 0.08);
    m_plot->yAxis->setRange(low - room, high + room);
}

std::optional<std::size_t> ConvergenceView::pointAt(const QPoint &place) const
{
    std::optional<std::size_t> best;
    double nearest = scaled(12); // half of the least hit area
    for (std::size_t i = 0; i < m_curve.best.size(); ++i) {
        const QPointF at = m_curves->place(m_curve.best[i].at, m_curve.best[i].value);
        const double distance = std::hypot(at.x() - place.x(), at.y() - place.y());
        if (distance <= nearest) {
            nearest = distance;
            best = i;
        }
    }
    return best;
}

void ConvergenceView::renderTo(QCPPainter &painter, const QSize &size, const Theme &theme)
{
    applyTheme(theme);
    m_plot->toPainter(&painter, size.width(), size.height());
    applyTheme(Theme::current());
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void ConvergenceView::applyTheme(const Theme &theme)
{
    styleChart(*m_plot, theme);
    m_curves->theme = &theme;
}

QSize ConvergenceView::sizeHint() const
{
    return m_form == Form::Strip ? QSize(scaled(290), scaled(54)) : QSize(scaled(480), scaled(280));
}

QSize ConvergenceView::minimumSizeHint() const
{
    return m_plot->minimumSize();
}

void ConvergenceView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange
        || event->type() == QEvent::FontChange) {
        applyTheme(Theme::current());
        m_plot->replot(QCustomPlot::rpQueuedReplot);
    }
}

bool ConvergenceView::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_plot)
        return QWidget::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::ToolTip: {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const auto point = pointAt(help->pos())) {
            const auto &found = m_curve.best[*point];
            QToolTip::showText(help->globalPos(), tr("%1, found after %2")
                                                      .arg(timeText(found.value * 1e9), timeText(found.at * 1e9)), m_plot);
        } else {
            const double at = m_plot->xAxis->pixelToCoord(help->pos().x());
            const double best = m_curve.bestAt(at), bound = m_curve.boundAt(at);
            if (std::isnan(best) || std::isnan(bound))
                QToolTip::hideText();
            else
                QToolTip::showText(help->globalPos(), tr("Best %1, bound %2, gap %3")
                                                          .arg(timeText(best * 1e9), timeText(bound * 1e9),
                                                               shareText((best - bound) / best)), m_plot);
        }
        return true;
    }
    case QEvent::MouseButtonPress: {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        if (mouse->button() != Qt::LeftButton)
            break;
        if (const auto point = pointAt(mouse->pos())) {
            emit improvementActivated(m_curve.best[*point].value, m_curve.best[*point].at);
            return true;
        }
        break;
    }
    case QEvent::MouseMove: {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        m_plot->setCursor(pointAt(mouse->pos()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
        break;
    }
    case QEvent::ContextMenu: {
        QMenu menu(this);
        QAction *log = menu.addAction(tr("Logarithmic Time"));
        log->setCheckable(true);
        log->setChecked(m_log);
        connect(log, &QAction::toggled, this, &ConvergenceView::setLogTime);
        menu.exec(static_cast<QContextMenuEvent *>(event)->globalPos());
        return true;
    }
    case QEvent::Paint:
        break;
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace polyrail
