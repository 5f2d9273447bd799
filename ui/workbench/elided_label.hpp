// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace polyrail {

/// One line of text that gives way: cut with an ellipsis when there is no room, whole in the tooltip.
class ElidedLabel : public QWidget
{
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget *parent = nullptr);
    void setText(const QString &text);
    const QString &text() const { return m_text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
};

} // namespace polyrail
