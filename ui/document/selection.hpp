// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.hpp"
#include "core/sim/schedule.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace polyrail {

/// The one selection of the window: ids of devices, hubs and links (ids are unique over all three), plus the task under
/// study. Canvas, charts, tables and inspector all read and write it. UI thread only.
class SelectionModel : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    const QStringList &ids() const { return m_ids; }
    QString current() const { return m_ids.isEmpty() ? QString() : m_ids.last(); }
    bool contains(const QString &id) const { return m_ids.contains(id); }
    TaskId task() const { return m_task; }

public slots:
    void select(const QStringList &ids);
    void toggle(const QString &id);
    void clear() { select({}); }
    void selectTask(polyrail::TaskId task);

signals:
    void changed();
    void taskChanged();

private:
    QStringList m_ids;
    TaskId m_task;
};

/// The one time axis: visible range and cursor, shared by Gantt, link rows and memory. Seconds.
class TimeAxis : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    double lower() const { return m_lower; }
    double upper() const { return m_upper; }
    double fullUpper() const { return m_fullUpper; }
    std::optional<double> cursor() const { return m_cursor; }

public slots:
    void setRange(double lower, double upper); ///< clamped to [0, full], at least 1 us wide
    void setFull(double upper);                ///< new schedule: keeps a zoom, else shows all
    void showAll() { setRange(0, m_fullUpper); }
    void setCursor(std::optional<double> seconds);

signals:
    void rangeChanged();
    void cursorChanged();

private:
    double m_lower = 0;
    double m_upper = 1;
    double m_fullUpper = 1;
    std::optional<double> m_cursor;
};

/// What the views show: a plan's schedule and whether it is older than the document.
struct ShownPlan
{
    std::shared_ptr<const Plan> plan;
    std::shared_ptr<const Schedule> schedule;
    Cluster cluster;      ///< the cluster that the schedule was made on
    TrainingJob job;
    bool stale = false;   ///< made for an older revision: drawn at 40 %
};

} // namespace polyrail
