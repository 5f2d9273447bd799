// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_paint.hpp"

#include <QString>
#include <QWidget>

class QToolButton;

namespace polyrail {

/// Title, one-line summary and legend in a strip; the same on the screen and in exported files.
void paintGanttHeader(QPainter &painter, const QRectF &rect, const Theme &theme, const PaintDevice &device,
                      const QString &title, const QString &summary);

/// The strip above a Gantt.
class GanttHeader : public QWidget
{
    Q_OBJECT
public:
    explicit GanttHeader(QWidget *parent = nullptr);
    void setText(const QString &title, const QString &summary);
    const QString &title() const { return m_title; }
    const QString &summary() const { return m_summary; }
    QToolButton *followButton() const { return m_follow; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_title;
    QString m_summary;
    QToolButton *m_follow = nullptr;
};

} // namespace polyrail
