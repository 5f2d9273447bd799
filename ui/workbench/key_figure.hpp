// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

namespace polyrail {

/// A label over a large number with its unit. The width is that of the widest number expected, so a live figure never
/// moves its neighbours.
class KeyFigure : public QWidget
{
    Q_OBJECT
public:
    /// `widest`: a number of the greatest width that will be shown, e.g. "88.888".
    KeyFigure(QString label, QString widest, QWidget *parent = nullptr);

    /// An empty number shows a dash. `muted`: not the figure of the network on screen.
    void setFigure(const QString &number, const QString &unit, bool muted = false);
    QString text() const { return m_number.isEmpty() ? QString() : m_number + QLatin1Char(' ') + m_unit; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QString m_label;
    QString m_widest;
    QString m_number;
    QString m_unit;
    bool m_muted = false;
};

} // namespace polyrail
