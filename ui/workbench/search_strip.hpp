// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/search/search_controller.hpp"

#include <QWidget>

class QLabel;

namespace polyrail {

class ConvergenceView;
class KeyFigure;
class StatusChip;

/// Two texts, the first in bold, wrapped into the space there is; what does not fit ends in an ellipsis and is in
/// the tooltip.
class SentenceView : public QWidget
{
    Q_OBJECT
public:
    explicit SentenceView(QWidget *parent = nullptr);
    void setText(const QString &headline, const QString &detail);
    QString text() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_headline;
    QString m_detail;
};

/// The search in one line: status, best so far, bound, gap, counts, convergence, and the last change in words.
class SearchStrip : public QWidget
{
    Q_OBJECT
public:
    explicit SearchStrip(SearchController &search, QWidget *parent = nullptr);

    const StatusChip &chip() const { return *m_chip; }
    QString sentence() const { return m_sentence->text(); }
    QString bestText() const;

signals:
    void convergenceRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void refresh();
    void applyFonts();

    SearchController &m_search;
    StatusChip *m_chip;
    QLabel *m_effort;
    KeyFigure *m_best;
    KeyFigure *m_bound;
    KeyFigure *m_gap;
    QLabel *m_explored;
    QLabel *m_open;
    QLabel *m_speed;
    ConvergenceView *m_sparkline;
    SentenceView *m_sentence;
};

} // namespace polyrail
