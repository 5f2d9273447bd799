// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/search/search_controller.hpp"

#include <QAbstractTableModel>
#include <QTableView>
#include <QWidget>

#include <vector>

class QLabel;

namespace polyrail {

/// A table that copies: Ctrl+C takes the selected cells, the context menu the whole table, as text with tabs.
class CopyTable : public QTableView
{
    Q_OBJECT
public:
    explicit CopyTable(QWidget *parent = nullptr);
    QString textOf(bool selectedOnly) const;

protected:
    void contextMenuEvent(QContextMenuEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void copy(bool selectedOnly) const;
};

/// One row per stage of the shown plan: devices, layers, split, shares, memory, time.
class StageModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { StageNumber, Devices, Layers, Split, Shares, Memory, Busy, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setShown(const ShownPlan &shown);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QStringList devicesOf(int row) const;

private:
    struct Row
    {
        std::array<QString, ColumnCount> cells;
        QStringList devices;
        bool full = false; ///< more than 95 % of the memory of one device
    };
    std::vector<Row> m_rows;
    bool m_stale = false;
};

/// The plans that are known, best first: found ones and baselines.
class KnownPlansModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Step, Difference, Summary, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setSnapshot(const SearchSnapshot &snapshot);
    std::shared_ptr<const Plan> planAt(int row) const;
    int rowOf(const Plan &plan) const; ///< -1: none

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row
    {
        std::shared_ptr<const Plan> plan;
        std::array<QString, ColumnCount> cells;
        bool operator==(const Row &) const = default;
    };
    std::vector<Row> m_rows;
};

/// Known plans at the left, the shown plan's stages at the right.
class PlanPanel : public QWidget
{
    Q_OBJECT
public:
    PlanPanel(SearchController &search, SelectionModel &selection, QWidget *parent = nullptr);
    const CopyTable &stages() const { return *m_stages; }
    const CopyTable &plans() const { return *m_plans; }

protected:
    void showEvent(QShowEvent *event) override;

private:
    // Both wait until the panel is seen: a slider drag must not fill tables behind a tab.
    void onShown();
    void onSnapshot();
    void markShownPlan();

    SearchController &m_search;
    SelectionModel &m_selection;
    StageModel m_stageModel;
    KnownPlansModel m_planModel;
    CopyTable *m_stages;
    CopyTable *m_plans;
    QLabel *m_summary;
};

} // namespace polyrail
