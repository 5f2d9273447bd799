// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/key_figure.hpp"

#include "ui/theme/theme.hpp"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace polyrail {

KeyFigure::KeyFigure(QString label, QString widest, QWidget *parent)
    : QWidget(parent), m_label(std::move(label)), m_widest(std::move(widest))
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setFigure({}, {});
}

void KeyFigure::setFigure(const QString &number, const QString &unit, bool muted)
{
    const bool wider = unit.size() > m_unit.size() || number.size() > m_widest.size();
    const bool changed = number != m_number || unit != m_unit || muted != m_muted;
    m_number = number;
    m_unit = unit;
    m_muted = muted;
    setAccessibleName(number.isEmpty() ? tr("%1: none").arg(m_label)
                                       : QStringLiteral("%1: %2 %3").arg(m_label, number, unit));
    if (number.size() > m_widest.size())
        m_widest = number;
    if (wider)
        updateGeometry();
    if (changed)
        update();
}

QSize KeyFigure::sizeHint() const
{
    const QFontMetrics label(uiFont(TextRole::Small));
    const QFontMetrics number(uiFont(TextRole::KeyFigure));
    const int unit = m_unit.isEmpty() ? 0 : scaled(6) + label.horizontalAdvance(m_unit);
    return {std::max(label.horizontalAdvance(m_label), number.horizontalAdvance(m_widest) + unit) + 1,
            label.height() + number.height()};
}

void KeyFigure::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    const QFont small = uiFont(TextRole::Small);
    const QFont large = uiFont(TextRole::KeyFigure);
    const QFontMetrics label(small);
    const QFontMetrics figure(large);
    QPainter painter(this);
    painter.setFont(small);
    painter.setPen(theme.muted);
    painter.drawText(0, label.ascent(), m_label);
    const int baseline = label.height() + figure.ascent();
    const QString number = m_number.isEmpty() ? QStringLiteral("–") : m_number;
    painter.setFont(large);
    painter.setPen(m_muted || m_number.isEmpty() ? theme.muted : theme.text);
    painter.drawText(0, baseline, number);
    if (m_unit.isEmpty() || m_number.isEmpty())
        return;
    painter.setFont(small);
    painter.setPen(theme.muted);
    painter.drawText(figure.horizontalAdvance(number) + scaled(6), baseline, m_unit);
}

void KeyFigure::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        updateGeometry();
    QWidget::changeEvent(event);
}

} // namespace polyrail
