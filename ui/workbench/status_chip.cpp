// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/status_chip.hpp"

#include "ui/search/words.hpp"
#include "ui/theme/theme.hpp"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace polyrail {

namespace {

struct ChipColors
{
    QColor Theme::*fill;
    QColor Theme::*text;
};

ChipColors colorsOf(SearchStatus status)
{
    switch (status) {
    case SearchStatus::Running: return {&Theme::selection, &Theme::selectionText};
    case SearchStatus::Optimal: return {&Theme::proven, &Theme::provenText};
    case SearchStatus::Infeasible:
    case SearchStatus::Failed: return {&Theme::warning, &Theme::warningText};
    case SearchStatus::Idle: return {&Theme::chip, &Theme::text};
    default: return {&Theme::stopped, &Theme::text};
    }
}

QString iconOf(SearchStatus status)
{
    switch (status) {
    case SearchStatus::Idle: return QStringLiteral("circle");
    case SearchStatus::Running: return QStringLiteral("zap");
    case SearchStatus::Paused: return QStringLiteral("pause");
    case SearchStatus::Optimal: return QStringLiteral("circle-check");
    case SearchStatus::Infeasible:
    case SearchStatus::Failed: return QStringLiteral("triangle-alert");
    default: return QStringLiteral("square");
    }
}

} // namespace

StatusChip::StatusChip(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setFont(uiFont(TextRole::Small));
    setStatus(m_status, m_stale);
}

void StatusChip::setStatus(SearchStatus status, bool stale)
{
    const bool changed = status != m_status || stale != m_stale;
    m_status = status;
    m_stale = stale;
    setAccessibleName(tr("Search status: %1").arg(text()));
    if (changed) {
        updateGeometry();
        update();
    }
}

QString StatusChip::text() const { return m_stale ? tr("Stale") : statusWord(m_status); }

QString StatusChip::iconName() const { return m_stale ? QStringLiteral("history") : iconOf(m_status); }

int StatusChip::widthOf(const QString &text)
{
    return scaled(8 + 14 + 5 + 10) + QFontMetrics(uiFont(TextRole::Small)).horizontalAdvance(text);
}

int StatusChip::widest()
{
    int width = widthOf(tr("Stale"));
    for (int s = static_cast<int>(SearchStatus::Idle); s <= static_cast<int>(SearchStatus::Failed); ++s)
        width = std::max(width, widthOf(statusWord(static_cast<SearchStatus>(s))));
    return width;
}

QSize StatusChip::sizeHint() const
{
    return {widthOf(text()), std::max(scaled(20), QFontMetrics(uiFont(TextRole::Small)).height() + 4)};
}

void StatusChip::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    const ChipColors colors = colorsOf(m_status);
    QColor Theme::*ink = m_stale ? &Theme::text : colors.text;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const double radius = box.height() / 2;
    if (m_stale) {
        QPen pen(theme.control, 1, Qt::DashLine);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
    } else {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.*colors.fill);
    }
    painter.drawRoundedRect(box, radius, radius);
    const int side = scaled(14);
    const QRect icon(scaled(8), (height() - side) / 2, side, side);
    themedIcon(iconName(), ink).paint(&painter, icon);
    painter.setFont(uiFont(TextRole::Small));
    painter.setPen(theme.*ink);
    painter.drawText(QRect(icon.right() + scaled(5), 0, width() - icon.right(), height()),
                     Qt::AlignVCenter | Qt::AlignLeft, text());
}

void StatusChip::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        updateGeometry();
    QWidget::changeEvent(event);
}

} // namespace polyrail
