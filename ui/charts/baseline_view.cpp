// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/baseline_view.hpp"

#include "ui/charts/chart_text.hpp"

#include <QHelpEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

double rowHeight() { return scaled(30); }
double nameWidth() { return scaled(150); }
double figureWidth() { return scaled(132); }
double edge() { return scaled(12); }

QString secondsText(double seconds)
{
    // Step times to 1 ms, finer where the step is short.
    const double ns = seconds * 1e9;
    return timeText(ns, seconds >= 1 ? 1e6 : std::max(1.0, std::pow(10, std::floor(std::log10(ns)) - 3)), ns);
}

/// Baseline names come from the engine in English; known ones are shown in the user's language.
QString baselineName(const std::string &name)
{
    if (name == "equal split")
        return ChartText::tr("Equal split");
    if (name == "best uniform grid")
        return ChartText::tr("Best uniform grid");
    return QString::fromStdString(name);
}

} // namespace

std::vector<BaselineLine> baselineLines(const SearchSnapshot &snapshot)
{
    std::vector<BaselineLine> lines;
    std::optional<double> best;
    if (snapshot.best)
        best = toSeconds(snapshot.best->step).value;
    const auto factorOf = [&](double seconds) {
        return best && *best > 0 ? std::optional(seconds / *best) : std::nullopt;
    };
    if (best)
        lines.push_back({BaselineLine::Kind::Best, 
                         snapshot.status == SearchStatus::Optimal ? ChartText::tr("Proven optimal") : ChartText::tr("Best so far"), best, std::nullopt, {}, 0});
    if (snapshot.bound.value > 0) {
        const double bound = toSeconds(snapshot.bound).value;
        lines.push_back({BaselineLine::Kind::Bound, ChartText::tr("Bound"), bound, factorOf(bound), {}, 0});
    }
    for (std::size_t i = 0; i < snapshot.baselines.size(); ++i) {
        const BaselineResult &result = snapshot.baselines[i];
        BaselineLine line{BaselineLine::Kind::Baseline, baselineName(result.name), std::nullopt, std::nullopt,
                          QString::fromStdString(result.reason), i};
        if (result.step) {
            line.seconds = toSeconds(*result.step).value;
            line.factor = factorOf(*line.seconds);
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

BaselineView::BaselineView(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setAccessibleName(tr("Best plan against baselines"));
}

void BaselineView::setSnapshot(std::shared_ptr<const SearchSnapshot> snapshot)
{
    m_lines = snapshot ? baselineLines(*snapshot) : std::vector<BaselineLine>();
    QStringList words;
    for (const BaselineLine &line : m_lines) {
        words << tr("%1: %2").arg(line.name, line.seconds ? secondsText(*line.seconds) : tr("does not fit"));
    }
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

void BaselineView::setStale(bool stale)
{
    m_stale = stale;
    update();
}

double BaselineView::longest() const
{
    double most = 0;
    for (const BaselineLine &line : m_lines)
        most = std::max(most, line.seconds.value_or(0));
    return most;
}

QRectF BaselineView::barRect(std::size_t line, const QRectF &rect) const
{
    const double left = rect.left() + edge() + nameWidth();
    const double room = std::max(1.0, rect.right() - edge() - figureWidth() - left);
    const double most = longest();
    const double share = most > 0 ? m_lines[line].seconds.value_or(0) / most : 0;
    const double top = rect.top() + scaled(8) + rowHeight() * static_cast<double>(line);
    return {left, top + scaled(8), room * share, rowHeight() - scaled(16)};
}

std::optional<std::size_t> BaselineView::lineAt(const QPointF &place) const
{
    const double index = std::floor((place.y() - scaled(8)) / rowHeight());
    if (index < 0 || index >= static_cast<double>(m_lines.size()))
        return std::nullopt;
    return static_cast<std::size_t>(index);
}

void BaselineView::paint(QPainter &p, const QRectF &rect, const Theme &theme, const PaintDevice &device) const
{
    const ChartColors colors(theme, m_stale);
    p.save();
    p.fillRect(rect, theme.base);
    p.setRenderHint(QPainter::Antialiasing, true);
    if (m_lines.empty()) {
        p.setFont(uiFont(TextRole::Body));
        p.setPen(theme.muted);
        p.drawText(rect, Qt::AlignCenter, tr("No plan yet. Pick a model and press Start."));
        p.restore();
        return;
    }
    std::optional<double> boundX;
    double boundBottom = rect.top();
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const BaselineLine &line = m_lines[i];
        QRectF bar = barRect(i, rect);
        bar.setTop(device.snap(bar.top()));
        bar.setBottom(device.snap(bar.bottom()));
        const QRectF row(rect.left() + edge(), bar.top() - scaled(8), rect.width() - 2 * edge(), rowHeight());
        p.setPen(line.kind == BaselineLine::Kind::Bound ? theme.muted : theme.text);
        p.setFont(line.kind == BaselineLine::Kind::Best ? boldFont(TextRole::Body) : uiFont(TextRole::Body));
        paintElided(p, QRectF(row.left(), row.top(), nameWidth() - scaled(8), row.height()), Qt::AlignVCenter | Qt::AlignLeft,
                    line.name);
        if (!line.seconds) {
            p.setPen(theme.muted);
            p.setFont(uiFont(TextRole::Small));
            paintElided(p, QRectF(bar.left(), row.top(), row.right() - bar.left(), row.height()),
                        Qt::AlignVCenter | Qt::AlignLeft,
                        line.reason.isEmpty() ? tr("does not fit") : tr("does not fit: %1").arg(line.reason));
            continue;
        }
        boundBottom = row.bottom();
        switch (line.kind) {
        case BaselineLine::Kind::Best:
            p.setPen(Qt::NoPen);
            p.setBrush(colors.fade(theme.accent));
            p.drawRoundedRect(bar, 1.5, 1.5);
            break;
        case BaselineLine::Kind::Bound: {
            QPen pen(colors.fade(theme.muted), 1, Qt::CustomDashLine, Qt::FlatCap);
            pen.setDashPattern({4, 3});
            p.setPen(pen);
            p.setBrush(colors.track);
            p.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 1.5, 1.5);
            boundX = bar.right();
            break;
        }
        case BaselineLine::Kind::Baseline:
            p.setPen(Qt::NoPen);
            p.setBrush(colors.fade(theme.control));
            p.drawRoundedRect(bar, 1.5, 1.5);
            break;
        }
        p.setPen(theme.text);
        p.setFont(line.kind == BaselineLine::Kind::Best ? boldFont(TextRole::Body) : uiFont(TextRole::Body));
        const double half = figureWidth() * 0.58;
        p.drawText(QRectF(row.right() - figureWidth(), row.top(), half, row.height()), Qt::AlignVCenter | Qt::AlignRight,
                   secondsText(*line.seconds));
        if (line.factor) {
            p.setPen(theme.muted);
            p.setFont(uiFont(TextRole::Body));
            p.drawText(QRectF(row.right() - figureWidth() + half, row.top(), figureWidth() - half, row.height()),
                       Qt::AlignVCenter | Qt::AlignRight,
                       QLocale().toString(*line.factor, 'f', 2) + QStringLiteral(" \u00d7"));
        }
    }
    // The bound runs through every bar: what is left of it is what no plan can save.
    if (boundX) {
        QPen pen(colors.fade(theme.text), 1, Qt::CustomDashLine, Qt::FlatCap);
        pen.setDashPattern({3, 3});
        p.setPen(pen);
        const double x = device.snap(*boundX) + 0.5;
        p.drawLine(QPointF(x, rect.top() + scaled(8)), QPointF(x, boundBottom));
    }
    p.restore();
}

QSize BaselineView::sizeHint() const
{
    return {scaled(480), scaled(16) + static_cast<int>(rowHeight() * static_cast<double>(std::max<std::size_t>(3, m_lines.size())))};
}

QSize BaselineView::minimumSizeHint() const
{
    return {scaled(340), scaled(16) + static_cast<int>(rowHeight() * 2)};
}

void BaselineView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paint(painter, rect(), Theme::current(), {false, devicePixelRatioF()});
}

void BaselineView::mousePressEvent(QMouseEvent *event)
{
    const auto line = lineAt(event->position());
    if (event->button() == Qt::LeftButton && line && m_lines[*line].kind == BaselineLine::Kind::Baseline && m_lines[*line].seconds)
        emit baselineActivated(m_lines[*line].baseline);
}

void BaselineView::mouseMoveEvent(QMouseEvent *event)
{
    const auto line = lineAt(event->position());
    const bool active = line && m_lines[*line].kind == BaselineLine::Kind::Baseline && m_lines[*line].seconds;
    setCursor(active ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void BaselineView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        update();
}

bool BaselineView::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const auto line = lineAt(help->pos());
    if (!line) {
        QToolTip::hideText();
        return true;
    }
    const BaselineLine &l = m_lines[*line];
    QString text = l.name;
    if (!l.seconds)
        text += u'\n' + (l.reason.isEmpty() ? tr("does not fit") : l.reason);
    else if (l.kind == BaselineLine::Kind::Baseline && l.factor)
        text += u'\n' + tr("%1, %2 of the best plan's time").arg(secondsText(*l.seconds), shareText(*l.factor));
    else
        text += u'\n' + secondsText(*l.seconds);
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

} // namespace polyrail
