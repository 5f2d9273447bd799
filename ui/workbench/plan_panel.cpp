// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/plan_panel.hpp"

#include "core/plan/evaluate.hpp"
#include "ui/search/words.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace polyrail {

namespace {

QString devicesText(const Replica &replica, const Cluster &cluster)
{
    QStringList names;
    for (const DeviceId d : replica.devices)
        names << QString::fromStdString(cluster.device(d).id);
    return names.join(QStringLiteral(", "));
}

/// "4 × 2": two replicas of four devices each; unlike ones one by one.
QString splitText(const Stage &stage)
{
    std::vector<std::size_t> sizes;
    for (const Replica &replica : stage.replicas)
        sizes.push_back(replica.devices.size());
    const bool alike = std::ranges::all_of(sizes, [&](std::size_t n) { return n == sizes.front(); });
    QStringList parts;
    if (alike) {
        if (sizes.front() > 1)
            parts << PlanPanel::tr("tensor %1").arg(sizes.front());
        if (sizes.size() > 1)
            parts << PlanPanel::tr("data %1").arg(sizes.size());
    } else {
        QStringList each;
        for (const std::size_t n : sizes)
            each << QString::number(n);
        parts << PlanPanel::tr("tensor %1").arg(each.join(QStringLiteral(" / ")))
              << PlanPanel::tr("data %1").arg(sizes.size());
    }
    return parts.isEmpty() ? PlanPanel::tr("none") : parts.join(QStringLiteral(", "));
}

QString gibText(std::int64_t bytes)
{
    return QLocale().toString(static_cast<double>(bytes) / 1073741824.0, 'f', 1);
}

/// Computation of the stage's busiest device over the step.
Nanoseconds busyTime(const Schedule &schedule, const Stage &stage)
{
    std::map<DeviceId, std::int64_t> busy;
    for (const Replica &replica : stage.replicas)
        for (const DeviceId d : replica.devices)
            busy[d] = 0;
    for (std::size_t i = 0; i < schedule.times.size(); ++i) {
        const SimTask &task = schedule.graph->tasks[i];
        if (task.kind != TaskKind::Compute)
            continue;
        for (const DeviceId d : task.devices)
            if (const auto found = busy.find(d); found != busy.end())
                found->second += (schedule.times[i].end - schedule.times[i].start).value;
    }
    std::int64_t most = 0;
    for (const auto &[device, time] : busy)
        most = std::max(most, time);
    return Nanoseconds(most);
}

void prepare(CopyTable &table, const QString &name)
{
    table.setAccessibleName(name);
    table.verticalHeader()->hide();
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setTabKeyNavigation(false); // Tab leaves the table
    table.setWordWrap(false);
    table.verticalHeader()->setDefaultSectionSize(scaled(24));
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table.horizontalHeader()->setStretchLastSection(true);
    table.horizontalHeader()->setHighlightSections(false);
}

/// A table whose text stands as far from the edge as that of other panels.
QWidget *indented(QTableView *table)
{
    auto *frame = new QWidget;
    frame->setAutoFillBackground(true);
    frame->setBackgroundRole(QPalette::Base);
    auto *layout = new QVBoxLayout(frame);
    layout->setContentsMargins(scaled(8), 0, 0, 0);
    layout->addWidget(table);
    return frame;
}

} // namespace

// ---- CopyTable --------------------------------------------------------------------------------------------------

CopyTable::CopyTable(QWidget *parent) : QTableView(parent) {}

QString CopyTable::textOf(bool selectedOnly) const
{
    if (!model())
        return {};
    std::set<int> rows;
    if (selectedOnly)
        for (const QModelIndex &index : selectionModel()->selectedIndexes())
            rows.insert(index.row());
    else
        for (int row = 0; row < model()->rowCount(); ++row)
            rows.insert(row);
    QStringList lines;
    QStringList cells;
    for (int column = 0; column < model()->columnCount(); ++column)
        cells << model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    lines << cells.join(QLatin1Char('\t'));
    for (const int row : rows) {
        cells.clear();
        for (int column = 0; column < model()->columnCount(); ++column)
            cells << model()->index(row, column).data().toString();
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void CopyTable::copy(bool selectedOnly) const { QApplication::clipboard()->setText(textOf(selectedOnly)); }

void CopyTable::contextMenuEvent(QContextMenuEvent *event)
{
    QMenu menu(this);
    QAction *rows = menu.addAction(tr("Copy selected rows"), this, [this] { copy(true); });
    rows->setEnabled(selectionModel() && selectionModel()->hasSelection());
    rows->setShortcut(QKeySequence::Copy);
    menu.addAction(tr("Copy table"), this, [this] { copy(false); });
    menu.exec(event->globalPos());
}

void CopyTable::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy))
        copy(selectionModel()->hasSelection());
    else
        QTableView::keyPressEvent(event);
}

// ---- StageModel -------------------------------------------------------------------------------------------------

void StageModel::setShown(const ShownPlan &shown)
{
    beginResetModel();
    m_rows.clear();
    m_stale = shown.stale;
    if (shown.plan && shown.schedule) {
        const auto memoryOf = [&](DeviceId d) {
            return std::ranges::find(shown.schedule->memory, d, &MemoryTrack::device);
        };
        int number = 0;
        for (const Stage &stage : shown.plan->stages) {
            Row row;
            QStringList groups;
            QStringList shares;
            const MemoryTrack *fullest = nullptr;
            for (const Replica &replica : stage.replicas) {
                groups << devicesText(replica, shown.cluster);
                shares << QString::number(replica.samples);
                for (const DeviceId d : replica.devices) {
                    row.devices << QString::fromStdString(shown.cluster.device(d).id);
                    const auto track = memoryOf(d);
                    if (track == shown.schedule->memory.end())
                        continue;
                    const auto share = [](const MemoryTrack &t) {
                        return static_cast<double>(t.peakBytes) / static_cast<double>(std::max<std::int64_t>(t.capacityBytes, 1));
                    };
                    if (!fullest || share(*track) > share(*fullest))
                        fullest = &*track;
                }
            }
            row.cells[StageNumber] = QString::number(++number);
            row.cells[Devices] = groups.join(QStringLiteral(" | "));
            row.cells[Layers] = stage.layers() == 1
                ? QString::number(stage.firstLayer + 1)
                : QStringLiteral("%1–%2").arg(stage.firstLayer + 1).arg(stage.lastLayer + 1);
            row.cells[Split] = splitText(stage);
            row.cells[Shares] = shares.join(QStringLiteral(" : "));
            if (fullest) {
                row.cells[Memory] = tr("%1 of %2 GiB").arg(gibText(fullest->peakBytes), gibText(fullest->capacityBytes));
                row.full = static_cast<double>(fullest->peakBytes) > 0.95 * static_cast<double>(fullest->capacityBytes);
            }
            const Nanoseconds busy = busyTime(*shown.schedule, stage);
            row.cells[Busy] = tr("%1 (%2 of the step)")
                                  .arg(stepFigure(busy).text(),
                                       percent(static_cast<double>(busy.value)
                                               / static_cast<double>(std::max<std::int64_t>(
                                                   shown.schedule->makespan.value, 1))));
            m_rows.push_back(std::move(row));
        }
    }
    endResetModel();
}

int StageModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int StageModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant StageModel::data(const QModelIndex &index, int role) const
{
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    switch (role) {
    case Qt::DisplayRole: return row.cells[column];
    case Qt::ToolTipRole:
        if (index.column() == Memory && row.full)
            return tr("Less than 5 % of the memory of the fullest device is left.");
        return row.cells[column];
    case Qt::DecorationRole:
        if (index.column() == Memory && row.full)
            return themedIcon(QStringLiteral("triangle-alert"), &Theme::warningText);
        return {};
    case Qt::ForegroundRole: return m_stale ? QVariant(Theme::current().muted) : QVariant();
    default: return {};
    }
}

QVariant StageModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case StageNumber: return tr("Stage");
    case Devices: return tr("Devices");
    case Layers: return tr("Layers");
    case Split: return tr("Split");
    case Shares: return tr("Samples");
    case Memory: return tr("Fullest memory");
    case Busy: return tr("Computing");
    default: return {};
    }
}

QStringList StageModel::devicesOf(int row) const { return m_rows[static_cast<std::size_t>(row)].devices; }

// ---- KnownPlansModel --------------------------------------------------------------------------------------------

void KnownPlansModel::setSnapshot(const SearchSnapshot &snapshot)
{
    std::vector<Row> rows;
    const auto add = [&](const QString &name, std::shared_ptr<const Plan> plan, std::optional<Nanoseconds> step,
                         const QString &summary) {
        Row row;
        row.cells[Name] = name;
        row.cells[Step] = step ? stepFigure(*step).text() : QStringLiteral("–");
        if (step && snapshot.best && *step != snapshot.best->step)
            row.cells[Difference] = percent(static_cast<double>((*step - snapshot.best->step).value)
                                                / static_cast<double>(snapshot.best->step.value),
                                            true);
        row.cells[Summary] = summary;
        row.plan = std::move(plan);
        rows.push_back(std::move(row));
    };
    if (snapshot.best)
        add(snapshot.status == SearchStatus::Optimal ? tr("Proven optimal") : tr("Best so far"), snapshot.best->plan,
            snapshot.best->step, QString::fromStdString(snapshot.best->plan->summary()));
    int number = 1;
    for (const Candidate &candidate : snapshot.top) {
        const auto isCandidate = [&](const BaselineResult &b) { return b.plan && *b.plan == *candidate.plan; };
        if ((snapshot.best && *candidate.plan == *snapshot.best->plan)
            || std::ranges::any_of(snapshot.baselines, isCandidate))
            continue;
        add(tr("Alternative %1").arg(number++), candidate.plan, candidate.step,
            QString::fromStdString(candidate.plan->summary()));
    }
    for (const BaselineResult &baseline : snapshot.baselines)
        add(sentenceCase(QString::fromStdString(baseline.name)), baseline.plan, baseline.step,
            baseline.plan ? QString::fromStdString(baseline.plan->summary()) : QString::fromStdString(baseline.reason));
    if (rows == m_rows)
        return; // keeps the selection
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

std::shared_ptr<const Plan> KnownPlansModel::planAt(int row) const
{
    return row >= 0 && row < rowCount() ? m_rows[static_cast<std::size_t>(row)].plan : nullptr;
}

int KnownPlansModel::rowOf(const Plan &plan) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].plan && *m_rows[i].plan == plan)
            return static_cast<int>(i);
    return -1;
}

int KnownPlansModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int KnownPlansModel::columnCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant KnownPlansModel::data(const QModelIndex &index, int role) const
{
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
        return row.cells[column];
    if (role == Qt::TextAlignmentRole && (index.column() == Step || index.column() == Difference))
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant KnownPlansModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole && (section == Step || section == Difference))
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name: return tr("Plan");
    case Step: return tr("Step time");
    case Difference: return tr("To best");
    case Summary: return tr("What it is");
    default: return {};
    }
}

// ---- PlanPanel --------------------------------------------------------------------------------------------------

PlanPanel::PlanPanel(SearchController &search, SelectionModel &selection, QWidget *parent)
    : QWidget(parent)
    , m_search(search)
    , m_selection(selection)
    , m_stages(new CopyTable)
    , m_plans(new CopyTable)
    , m_summary(new QLabel)
{
    m_stages->setModel(&m_stageModel);
    m_plans->setModel(&m_planModel);
    prepare(*m_stages, tr("Stages of the shown plan"));
    prepare(*m_plans, tr("Known plans"));
    m_plans->setSelectionMode(QAbstractItemView::SingleSelection);
    m_plans->setToolTip(tr("Enter or double-click shows a plan"));
    m_summary->setProperty("panel", QStringLiteral("header"));
    m_summary->setContentsMargins(scaled(12), scaled(6), scaled(12), scaled(6));
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);

    auto *right = new QWidget;
    auto *rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(0, 0, 0, 0);
    rightLayout->setSpacing(0);
    rightLayout->addWidget(m_summary);
    rightLayout->addWidget(indented(m_stages), 1);
    setFocusProxy(m_plans);
    auto *splitter = new QSplitter(Qt::Horizontal);
    splitter->addWidget(indented(m_plans));
    splitter->addWidget(right);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    splitter->setChildrenCollapsible(false);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);

    connect(m_plans, &QTableView::activated, this, [this](const QModelIndex &index) {
        if (auto plan = m_planModel.planAt(index.row()))
            m_search.showPlan(std::move(plan));
    });
    connect(m_stages->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        QStringList ids;
        for (const QModelIndex &index : m_stages->selectionModel()->selectedRows())
            ids << m_stageModel.devicesOf(index.row());
        if (!ids.isEmpty())
            m_selection.select(ids);
    });
    connect(&m_search, &SearchController::shownChanged, this, &PlanPanel::onShown);
    connect(&m_search, &SearchController::snapshotChanged, this, &PlanPanel::onSnapshot);
}

void PlanPanel::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    onSnapshot();
    onShown();
}

void PlanPanel::onShown()
{
    if (!isVisible())
        return;
    const ShownPlan &shown = m_search.shown();
    m_stageModel.setShown(shown);
    if (!shown.plan || !shown.schedule) {
        m_summary->setText(tr("No plan yet. Pick a model and press Start."));
        return;
    }
    const double tokens = static_cast<double>(shown.job.globalBatch) * shown.job.sequence
        / std::max(toSeconds(shown.schedule->makespan).value, 1e-12);
    m_summary->setText(tr("%1. %2 per step, %3 tokens/s.")
                           .arg(QString::fromStdString(shown.plan->summary()),
                                stepFigure(shown.schedule->makespan).text(), QLocale().toString(tokens, 'f', 0)));
    m_stages->resizeColumnsToContents();
    markShownPlan();
}

void PlanPanel::markShownPlan()
{
    const ShownPlan &shown = m_search.shown();
    const int row = shown.plan ? m_planModel.rowOf(*shown.plan) : -1;
    if (row >= 0 && !m_plans->hasFocus())
        m_plans->selectRow(row);
}

void PlanPanel::onSnapshot()
{
    if (!isVisible())
        return;
    const bool firstRows = m_planModel.rowCount() == 0;
    m_planModel.setSnapshot(*m_search.snapshot());
    if (firstRows && m_planModel.rowCount() > 0)
        m_plans->resizeColumnsToContents();
    markShownPlan();
}

} // namespace polyrail
