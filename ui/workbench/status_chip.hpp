// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/search.hpp"

#include <QWidget>

namespace polyrail {

/// The pill that says how far the search is. Driven by the engine's status and by staleness, and by nothing else.
class StatusChip : public QWidget
{
    Q_OBJECT
public:
    explicit StatusChip(QWidget *parent = nullptr);

    /// `stale`: the figures are for an older network, whatever the status.
    void setStatus(SearchStatus status, bool stale);
    SearchStatus status() const { return m_status; }
    bool isStale() const { return m_stale; }
    QString text() const;

    /// Width of the widest chip there is: what stands beside it need not move.
    static int widest();
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QString iconName() const;
    static int widthOf(const QString &text);

    SearchStatus m_status = SearchStatus::Idle;
    bool m_stale = false;
};

} // namespace polyrail
