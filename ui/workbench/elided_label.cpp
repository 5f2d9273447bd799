// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/elided_label.hpp"

#include "ui/theme/theme.hpp"

#include <QPainter>

namespace polyrail {

ElidedLabel::ElidedLabel(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString &text)
{
    if (text == m_text)
        return;
    m_text = text;
    setToolTip(text);
    setAccessibleName(text);
    update();
}

QSize ElidedLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_text) + scaled(16), fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const { return {scaled(40), fontMetrics().height()}; }

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(Theme::current().muted);
    const QRect room = rect().adjusted(scaled(8), 0, -scaled(8), 0);
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_text, Qt::ElideRight, room.width()));
}

} // namespace polyrail
