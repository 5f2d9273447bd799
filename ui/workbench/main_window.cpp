// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/main_window.hpp"

#include "core/formats/builtin.hpp"
#include "ui/canvas/cluster_view.hpp"
#include "ui/charts/baseline_view.hpp"
#include "ui/charts/convergence_view.hpp"
#include "ui/charts/gantt_view.hpp"
#include "ui/inspector/inspector.hpp"
#include "ui/search/words.hpp"
#include "ui/workbench/autosave.hpp"
#include "ui/workbench/elided_label.hpp"
#include "ui/workbench/model_bar.hpp"
#include "ui/workbench/plan_panel.hpp"
#include "ui/workbench/search_strip.hpp"
#include "ui/workbench/shortcuts_dialog.hpp"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QStandardPaths>
#include <QStatusBar>
#include <QVBoxLayout>

#include <algorithm>

namespace polyrail {

namespace {

constexpr int stateVersion = 1; // of saveState(): raise when panels change, so that old layouts are not forced on new ones

/// Takes the place of a dock's title where the content has its own.
class NoTitleBar : public QWidget
{
public:
    using QWidget::QWidget;
    QSize sizeHint() const override { return {0, 0}; }
    QSize minimumSizeHint() const override { return {0, 0}; }
};

std::unique_ptr<QSettings> makeSettings(const QString &file)
{
    if (file.isEmpty())
        return std::make_unique<QSettings>(QStringLiteral("Polyrail"), QStringLiteral("Polyrail"));
    return std::make_unique<QSettings>(file, QSettings::IniFormat);
}

QString autosaveFolder(const MainWindow::Options &options)
{
    if (!options.autosaveFolder.isEmpty())
        return options.autosaveFolder;
    if (!options.settingsFile.isEmpty())
        return QFileInfo(options.settingsFile).absolutePath() + QStringLiteral("/unsaved");
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/polyrail/unsaved");
}

} // namespace

MainWindow::MainWindow(const Options &options, QWidget *parent)
    : QMainWindow(parent)
    , m_settings(makeSettings(options.settingsFile))
    , m_searchAtOnce(options.searchAtOnce)
    , m_library(*m_settings)
    , m_search(std::make_unique<SearchController>(m_document))
    , m_io(std::make_unique<DocumentIo>(m_document, *m_search, m_library, *m_settings))
    , m_autosave(std::make_unique<Autosave>(m_document, m_library, autosaveFolder(options)))
{
    applyTheme();
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::South);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);

    SearchLimits limits;
    limits.timeLimit = std::chrono::duration<double>(m_settings->value(QStringLiteral("search/timeLimit"), 0).toDouble());
    limits.threads = m_settings->value(QStringLiteral("search/threads"), 0).toInt();
    m_search->setLimits(limits);

    buildPanels();
    buildActions();
    connectModels();
    resize(scaled(1280), scaled(800));
    resetLayout();
    restoreLayout();
    updateTitle();
    updateStatusBar();
    updateSearchActions();
}

MainWindow::~MainWindow()
{
    // Views first: they hold references to the models and the controller, which are members.
    m_search->disconnect();
    m_document.disconnect();
    m_document.undoStack().disconnect();
    m_selection.disconnect();
    m_axis.disconnect();
    delete takeCentralWidget();
    for (QDockWidget *dock : findChildren<QDockWidget *>())
        delete dock;
    delete m_modelBar;
}

void MainWindow::buildPanels()
{
    m_messages = new MessageArea;
    m_canvas = new ClusterView(m_document, m_selection);
    auto *centre = new QWidget;
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_messages);
    layout->addWidget(m_canvas, 1);
    setCentralWidget(centre);

    m_inspector = new Inspector(m_document, m_selection);
    m_strip = new SearchStrip(*m_search);
    m_gantt = new GanttView(m_selection, m_axis);
    m_planPanel = new PlanPanel(*m_search, m_selection);
    m_baselines = new BaselineView;
    m_convergence = new ConvergenceView;
    m_inspectorDock = addPanel(QStringLiteral("inspector"), tr("Inspector"), m_inspector, Qt::RightDockWidgetArea, true);
    m_stripDock = addPanel(QStringLiteral("search"), tr("Search"), m_strip, Qt::BottomDockWidgetArea, true);
    m_stripDock->setFeatures(QDockWidget::DockWidgetClosable);
    m_ganttDock = addPanel(QStringLiteral("gantt"), tr("Gantt"), m_gantt, Qt::BottomDockWidgetArea, true);
    m_planDock = addPanel(QStringLiteral("plan"), tr("Plans"), m_planPanel, Qt::BottomDockWidgetArea, true);
    m_baselineDock = addPanel(QStringLiteral("baselines"), tr("Baselines"), m_baselines, Qt::BottomDockWidgetArea, true);
    m_convergenceDock
        = addPanel(QStringLiteral("convergence"), tr("Convergence"), m_convergence, Qt::BottomDockWidgetArea, true);

    m_selectionLabel = new QLabel;
    m_clusterLabel = new QLabel;
    m_spaceLabel = new ElidedLabel;
    m_savedLabel = new QLabel;
    for (QLabel *label : {m_selectionLabel, m_clusterLabel, m_savedLabel})
        label->setContentsMargins(scaled(8), 0, scaled(8), 0);
    statusBar()->addWidget(m_selectionLabel);
    statusBar()->addWidget(m_clusterLabel);
    statusBar()->addPermanentWidget(m_spaceLabel, 1);
    statusBar()->addPermanentWidget(m_savedLabel);
    statusBar()->setSizeGripEnabled(false);
}

QDockWidget *MainWindow::addPanel(const QString &name, const QString &title, QWidget *content, Qt::DockWidgetArea area,
                                  bool ownHeader)
{
    auto *dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(content);
    if (ownHeader) // a bar of no height: the content says itself what it is
        dock->setTitleBarWidget(new NoTitleBar(dock));
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::connectModels()
{
    connect(m_search.get(), &SearchController::shownChanged, this, [this](const ShownPlan &shown) {
        m_gantt->setTitle(titleOf(shown));
        m_gantt->setShown(shown);
        m_canvas->setShown(shown);
        updateSearchActions();
    });
    m_canvas->setTimeAxis(&m_axis);
    connect(m_canvas, &ClusterView::message, this,
            [this](const QString &text) { statusBar()->showMessage(text, 8000); });
    connect(m_canvas, &ClusterView::propertiesRequested, this, [this] { action(QStringLiteral("go.inspector"))->trigger(); });
    connect(m_canvas, &ClusterView::sampleRequested, this, [this] {
        if (maybeSave())
            m_io->openSample(QStringLiteral("4090d-v100.json"));
    });
    connect(m_search.get(), &SearchController::snapshotChanged, this, [this] {
        const auto &snapshot = m_search->snapshot();
        if (snapshot->sequence > 0 || snapshot->status == SearchStatus::Idle) {
            m_convergence->setSnapshot(snapshot);
            m_baselines->setSnapshot(snapshot);
        }
        const bool stale = m_search->looksStale() || m_convergence->snapshot() != snapshot;
        m_convergence->setStale(stale);
        m_baselines->setStale(stale);
        m_spaceLabel->setText(snapshot->space.empty()
                                  ? QString()
                                  : tr("Search space: %1").arg(QString::fromStdString(snapshot->space)));
        updateSearchActions();
    });
    connect(m_search.get(), &SearchController::failed, this, [this](const QString &message) {
        m_messages->post(MessageKind::Error,
                         tr("The search failed: %1. Your cluster is unchanged. Press Start to try again.").arg(message));
    });
    connect(m_search.get(), &SearchController::followBestChanged, m_gantt, &GanttView::setFollowsBest);
    connect(m_gantt, &GanttView::followsBestChanged, m_search.get(), &SearchController::setFollowBest);
    connect(m_baselines, &BaselineView::baselineActivated, this, &MainWindow::showBaseline);
    connect(m_strip, &SearchStrip::convergenceRequested, this, [this] {
        m_convergenceDock->show();
        m_convergenceDock->raise();
    });
    connect(m_convergence, &ConvergenceView::improvementActivated, this, [this](double stepSeconds, double) {
        for (const Candidate &candidate : m_search->snapshot()->top)
            if (std::abs(toSeconds(candidate.step).value - stepSeconds) < 1e-9) {
                m_search->showPlan(candidate.plan);
                return;
            }
        m_messages->post(MessageKind::Note, tr("That plan is no longer kept: the eight best are."), {},
                         QStringLiteral("improvement"));
    });
    connect(&m_document, &Document::clusterChanged, this, [this] { updateStatusBar(); });
    connect(&m_document, &Document::pathChanged, this, &MainWindow::updateTitle);
    connect(&m_document, &Document::modifiedChanged, this, &MainWindow::updateTitle);
    connect(&m_selection, &SelectionModel::changed, this, &MainWindow::updateStatusBar);
    connect(m_io.get(), &DocumentIo::message, this,
            [this](MessageKind kind, const QString &text) { m_messages->post(kind, text); });
    connect(m_io.get(), &DocumentIo::gpuTypeNeeded, this, &MainWindow::askGpuType);
    connect(m_io.get(), &DocumentIo::modelsChanged, m_modelBar, &ModelBar::reloadModels);
    connect(m_io.get(), &DocumentIo::opened, this, [this] {
        m_selection.clear();
        m_selection.selectTask({});
        m_axis.setCursor(std::nullopt);
        m_axis.showAll();
        m_autosave->forget();
        updateTitle();
        updateStatusBar();
        if (m_searchAtOnce)
            m_search->start();
    });
    connect(m_autosave.get(), &Autosave::failed, this,
            [this](const QString &message) { m_messages->post(MessageKind::Warning, message); });
}

void MainWindow::openFirst()
{
    if (m_io->openSample(QStringLiteral("4090d-v100.json"))) {
        TrainingJob job = m_library.defaultJob();
        if (job.digest() != m_document.job().digest())
            m_io->adopt(m_document.cluster(), job, {});
    }
    offerRecovery();
}

void MainWindow::offerRecovery()
{
    for (const RecoveredWork &work : m_autosave->leftovers()) {
        const QString name
            = work.original.isEmpty() ? tr("a cluster that was never saved") : QFileInfo(work.original).fileName();
        const QString when = QLocale().toString(work.saved, QLocale::ShortFormat);
        m_messages->post(MessageKind::Warning, tr("Unsaved work from %1 was found: %2.").arg(when, name),
                         {{tr("Recover"),
                           [this, work] {
                               if (!maybeSave())
                                   return;
                               m_io->adopt(Cluster(), work.job, work.original);
                               m_document.setCluster(work.cluster, tr("Recover unsaved work"));
                               Autosave::discard(work);
                           }},
                          {tr("Discard"), [work] { Autosave::discard(work); }}},
                         work.file);
        return; // one at a time: the next is offered at the next start
    }
}

// ---- Look and layout --------------------------------------------------------------------------------------------

void MainWindow::resetLayout()
{
    for (QDockWidget *dock :
         {m_inspectorDock, m_stripDock, m_ganttDock, m_planDock, m_baselineDock, m_convergenceDock}) {
        dock->setFloating(false);
        removeDockWidget(dock);
    }
    addDockWidget(Qt::RightDockWidgetArea, m_inspectorDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_stripDock);
    splitDockWidget(m_stripDock, m_ganttDock, Qt::Vertical);
    tabifyDockWidget(m_ganttDock, m_planDock);
    tabifyDockWidget(m_planDock, m_baselineDock);
    tabifyDockWidget(m_baselineDock, m_convergenceDock);
    for (QDockWidget *dock :
         {m_inspectorDock, m_stripDock, m_ganttDock, m_planDock, m_baselineDock, m_convergenceDock})
        dock->show();
    m_ganttDock->raise();
    resizeDocks({m_inspectorDock}, {scaled(300)}, Qt::Horizontal);
    resizeDocks({m_ganttDock}, {std::max(scaled(240), height() * 34 / 100)}, Qt::Vertical);
}

void MainWindow::restoreLayout()
{
    const QByteArray geometry = m_settings->value(QStringLiteral("window/geometry")).toByteArray();
    if (!geometry.isEmpty())
        restoreGeometry(geometry);
    restoreState(m_settings->value(QStringLiteral("window/state")).toByteArray(), stateVersion);
    m_stripDock->show();
}

void MainWindow::saveLayout()
{
    m_settings->setValue(QStringLiteral("window/geometry"), saveGeometry());
    m_settings->setValue(QStringLiteral("window/state"), saveState(stateVersion));
}

void MainWindow::applyTheme()
{
    const auto choice = static_cast<ThemeChoice>(
        std::clamp(m_settings->value(QStringLiteral("view/theme"), 0).toInt(), 0, static_cast<int>(ThemeChoice::Dark)));
    const double scale = std::clamp(m_settings->value(QStringLiteral("view/scale"), 1.0).toDouble(), 0.8, 2.0);
    Theme::apply(*qobject_cast<QApplication *>(QCoreApplication::instance()), resolve(choice), scale);
}

void MainWindow::setThemeChoice(ThemeChoice choice)
{
    m_settings->setValue(QStringLiteral("view/theme"), static_cast<int>(choice));
    applyTheme();
}

void MainWindow::setTextScale(double scale)
{
    m_settings->setValue(QStringLiteral("view/scale"), scale);
    applyTheme();
}

// ---- What the frame says ----------------------------------------------------------------------------------------

void MainWindow::updateTitle()
{
    const QString name = m_document.path().isEmpty()
        ? (m_document.cluster().name().empty() ? tr("Untitled") : QString::fromStdString(m_document.cluster().name()))
        : QFileInfo(m_document.path()).fileName();
    setWindowTitle(tr("%1[*] – Polyrail").arg(name));
    setWindowFilePath(m_document.path());
    setWindowModified(m_document.isModified());
    m_savedLabel->setText(m_document.isModified()       ? tr("Edited")
                              : m_document.path().isEmpty() ? tr("Not saved yet")
                                                            : tr("Saved"));
}

QString MainWindow::titleOf(const ShownPlan &shown) const
{
    const SearchSnapshot &snapshot = *m_search->snapshot();
    if (!shown.plan || m_search->followsBest() || (snapshot.best && *snapshot.best->plan == *shown.plan))
        return tr("Best plan, one step");
    for (const BaselineResult &baseline : snapshot.baselines)
        if (baseline.plan && *baseline.plan == *shown.plan)
            return tr("%1, one step").arg(sentenceCase(QString::fromStdString(baseline.name)));
    return tr("Chosen plan, one step");
}

void MainWindow::updateStatusBar()
{
    const QStringList &ids = m_selection.ids();
    m_selectionLabel->setText(ids.isEmpty() ? tr("Nothing selected")
                                  : ids.size() == 1 ? tr("%1 selected").arg(ids.first())
                                                    : tr("%n selected", nullptr, static_cast<int>(ids.size())));
    const Cluster &cluster = m_document.cluster();
    const auto count = [](auto range) { return static_cast<int>(range.size()); };
    QStringList parts{tr("%n GPU(s)", nullptr, count(cluster.devices())), tr("%n hub(s)", nullptr, count(cluster.hubs())),
                      tr("%n link(s)", nullptr, count(cluster.links()))};
    if (!cluster.conflicts().empty())
        parts << tr("%n conflict group(s)", nullptr, count(cluster.conflicts()));
    m_clusterLabel->setText(parts.join(QStringLiteral(", ")));
}

void MainWindow::updateSearchActions()
{
    const bool shown = m_search->shown().schedule != nullptr;
    m_startButton->setEnabled(m_search->canStart());
    m_stopButton->setEnabled(m_search->canStop());
    const bool resume = m_search->canResume();
    m_pauseButton->setEnabled(resume || m_search->canPause());
    m_pauseButton->setText(resume ? tr("Resume") : tr("Pause"));
    m_pauseButton->setIcon(themedIcon(resume ? QStringLiteral("play") : QStringLiteral("pause")));
    action(QStringLiteral("search.start"))->setEnabled(m_search->canStart());
    action(QStringLiteral("search.pause"))->setEnabled(resume || m_search->canPause());
    action(QStringLiteral("search.pause"))->setText(resume ? tr("&Resume") : tr("&Pause"));
    action(QStringLiteral("search.stop"))->setEnabled(m_search->canStop());
    for (auto it = m_actions.cbegin(); it != m_actions.cend(); ++it)
        if (it.key().startsWith(QLatin1String("export.")) && it.key() != QLatin1String("export.canvas"))
            it.value()->setEnabled(shown);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!maybeSave()) {
        event->ignore();
        return;
    }
    saveLayout();
    m_search->stop();
    m_autosave->forget();
    event->accept();
}

} // namespace polyrail
