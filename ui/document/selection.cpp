// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/selection.hpp"

#include <algorithm>

namespace polyrail {

namespace {

constexpr double minRange = 1e-6; // seconds

} // namespace

void SelectionModel::select(const QStringList &ids)
{
    QStringList unique = ids;
    unique.removeDuplicates();
    if (unique == m_ids)
        return;
    m_ids = std::move(unique);
    emit changed();
}

void SelectionModel::toggle(const QString &id)
{
    QStringList ids = m_ids;
    if (ids.removeAll(id) == 0)
        ids.append(id);
    select(ids);
}

void SelectionModel::selectTask(TaskId task)
{
    if (task == m_task)
        return;
    m_task = task;
    emit taskChanged();
}

void TimeAxis::setRange(double lower, double upper)
{
    const double full = std::max(m_fullUpper, minRange);
    const double width = std::clamp(upper - lower, minRange, full);
    lower = std::clamp(lower, 0.0, full - width);
    if (lower == m_lower && lower + width == m_upper)
        return;
    m_lower = lower;
    m_upper = lower + width;
    emit rangeChanged();
}

void TimeAxis::setFull(double upper)
{
    const bool showedAll = m_lower <= 0 && m_upper >= m_fullUpper;
    m_fullUpper = std::max(upper, minRange);
    if (showedAll)
        setRange(0, m_fullUpper);
    else
        setRange(m_lower, m_upper);
    if (m_cursor && *m_cursor > m_fullUpper)
        setCursor(m_fullUpper);
}

void TimeAxis::setCursor(std::optional<double> seconds)
{
    if (seconds)
        seconds = std::clamp(*seconds, 0.0, m_fullUpper);
    if (seconds == m_cursor)
        return;
    m_cursor = seconds;
    emit cursorChanged();
}

} // namespace polyrail
