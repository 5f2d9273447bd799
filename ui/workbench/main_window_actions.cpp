// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/main_window.hpp"

#include "core/formats/builtin.hpp"
#include "ui/canvas/cluster_view.hpp"
#include "ui/charts/gantt_view.hpp"
#include "ui/workbench/model_bar.hpp"
#include "ui/workbench/plan_panel.hpp"
#include "ui/workbench/shortcuts_dialog.hpp"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QToolBar>
#include <QToolButton>

#include <thread>

namespace polyrail {

namespace {

QString plain(QString text) { return text.remove(QLatin1Char('&')); }

/// Shortcuts that are typed often enough to be worth showing in a tooltip.
QString tipOf(const QAction &action)
{
    const QString text = plain(action.text()).remove(QChar(0x2026));
    return action.shortcut().isEmpty()
        ? text
        : QStringLiteral("%1 (%2)").arg(text, action.shortcut().toString(QKeySequence::NativeText));
}

/// What people look for under Edit; the rest of the canvas' actions are under Cluster.
bool isPlainEdit(const QAction &action)
{
    static const QList<QKeySequence> keys{QKeySequence::Cut,
                                          QKeySequence::Copy,
                                          QKeySequence::Paste,
                                          QKeySequence::Delete,
                                          QKeySequence::SelectAll,
                                          QKeySequence(Qt::CTRL | Qt::Key_D),
                                          QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A)};
    return keys.contains(action.shortcut());
}

} // namespace

QAction *MainWindow::add(QMenu *menu, const QString &name, const QString &text, const QString &icon,
                         const QKeySequence &shortcut, Slot slot)
{
    auto *action = new QAction(text, this);
    action->setObjectName(name);
    if (!icon.isEmpty())
        action->setIcon(themedIcon(icon));
    action->setShortcut(shortcut);
    action->setToolTip(tipOf(*action));
    connect(action, &QAction::triggered, this, [slot = std::move(slot)] { slot(); });
    menu->addAction(action);
    m_actions.insert(name, action);
    return action;
}

void MainWindow::addChoices(QMenu *menu, const QString &name,
                            const std::vector<std::pair<QString, QVariant>> &choices, const QVariant &current,
                            std::function<void(const QVariant &)> chosen)
{
    auto *group = new QActionGroup(this);
    for (const auto &[text, value] : choices) {
        QAction *action = menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(value == current);
        action->setData(value);
        group->addAction(action);
        m_actions.insert(name + QLatin1Char('.') + value.toString(), action);
    }
    connect(group, &QActionGroup::triggered, this, [chosen = std::move(chosen)](QAction *a) { chosen(a->data()); });
}

void MainWindow::buildActions()
{
    buildFileMenu();
    buildEditMenu();
    buildViewMenu();
    buildClusterMenu();
    buildModelMenu();
    buildSearchMenu();
    buildPlanMenu();
    QMenu *window = menuBar()->addMenu(tr("&Window"));
    for (QDockWidget *dock : {m_inspectorDock, m_ganttDock, m_planDock, m_baselineDock, m_convergenceDock}) {
        QAction *action = dock->toggleViewAction();
        action->setObjectName(QStringLiteral("panel.") + dock->objectName());
        m_actions.insert(action->objectName(), action);
        window->addAction(action);
    }
    window->addSeparator();
    const std::vector<std::pair<QDockWidget *, QString>> fronts{{m_ganttDock, tr("Go to &Gantt")},
                                                                {m_planDock, tr("Go to &plans")},
                                                                {m_baselineDock, tr("Go to &baselines")},
                                                                {m_convergenceDock, tr("Go to &convergence")}};
    int key = 1;
    for (const auto &[dock, text] : fronts) {
        QDockWidget *front = dock;
        add(window, QStringLiteral("go.") + dock->objectName(), text, {}, QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + key++)),
            [front] {
                front->show();
                front->raise();
                front->widget()->setFocus(Qt::ShortcutFocusReason);
            });
    }
    add(window, QStringLiteral("go.canvas"), tr("Go to c&anvas"), {}, QKeySequence(Qt::CTRL | Qt::Key_5),
        [this] { m_canvas->setFocus(Qt::ShortcutFocusReason); });
    add(window, QStringLiteral("go.inspector"), tr("Go to &inspector"), {}, QKeySequence(Qt::CTRL | Qt::Key_6), [this] {
        m_inspectorDock->show();
        m_inspectorDock->widget()->setFocus(Qt::ShortcutFocusReason);
        m_inspectorDock->widget()->nextInFocusChain()->setFocus(Qt::ShortcutFocusReason);
    });
    window->addSeparator();
    add(window, QStringLiteral("view.reset"), tr("&Reset layout"), QStringLiteral("rotate-ccw"), {},
        [this] { resetLayout(); });
    buildHelpMenu();
    buildToolBar();
}

void MainWindow::buildFileMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&File"));
    add(menu, QStringLiteral("file.new"), tr("&New cluster"), QStringLiteral("file-plus"), QKeySequence::New, [this] {
        if (maybeSave())
            m_io->newDocument();
    });
    add(menu, QStringLiteral("file.open"), tr("&Open…"), QStringLiteral("folder-open"), QKeySequence::Open,
        [this] { openDialog(); });
    m_recentMenu = menu->addMenu(themedIcon(QStringLiteral("history")), tr("Open &recent"));
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::updateRecentMenu);
    updateRecentMenu();
    QMenu *samples = menu->addMenu(themedIcon(QStringLiteral("network")), tr("&Samples"));
    for (const SampleCluster &sample : sampleClusters()) {
        const auto file = QString::fromUtf8(sample.file.data(), static_cast<qsizetype>(sample.file.size()));
        const auto title = QString::fromUtf8(sample.title.data(), static_cast<qsizetype>(sample.title.size()));
        add(samples, QStringLiteral("sample.") + file, title.isEmpty() ? file : title, {}, {}, [this, file] {
            if (maybeSave())
                m_io->openSample(file);
        });
    }
    menu->addSeparator();
    add(menu, QStringLiteral("file.importTopology"), tr("&Import nvidia-smi topology…"), QStringLiteral("import"),
        QKeySequence(Qt::CTRL | Qt::Key_I), [this] { importTopologyDialog(); });
    add(menu, QStringLiteral("file.importText"), tr("Import from &clipboard"), QStringLiteral("clipboard-paste"),
        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_V),
        [this] { openPastedText(QApplication::clipboard()->text().toUtf8(), tr("clipboard")); });
    menu->addSeparator();
    add(menu, QStringLiteral("file.save"), tr("&Save"), QStringLiteral("save"), QKeySequence::Save, [this] { save(); });
    add(menu, QStringLiteral("file.saveAs"), tr("Save &as…"), {}, QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
        [this] { saveAs(); });
    QMenu *exports = menu->addMenu(themedIcon(QStringLiteral("download")), tr("&Export"));
    exports->setObjectName(QStringLiteral("exportMenu"));
    for (const ExportKind kind : allExports()) {
        const ExportFormat format = exportFormat(kind);
        add(exports, QStringLiteral("export.") + format.name, format.label, {},
            kind == ExportKind::Gantt ? QKeySequence(Qt::CTRL | Qt::Key_E) : QKeySequence(),
            [this, kind] { exportDialog(kind); });
    }
    menu->addSeparator();
    add(menu, QStringLiteral("file.quit"), tr("&Quit"), QStringLiteral("log-out"), QKeySequence::Quit,
        [this] { close(); });
}

void MainWindow::updateRecentMenu()
{
    m_recentMenu->clear();
    const QStringList paths = m_io->recent().paths();
    int number = 1;
    for (const QString &path : paths) {
        const QFileInfo info(path);
        QString label = info.fileName();
        if (number <= 9)
            label.prepend(QStringLiteral("&%1 ").arg(number));
        if (!info.exists())
            label = tr("%1 (missing)").arg(label);
        QAction *action = m_recentMenu->addAction(label, this, [this, path] { openPath(path); });
        action->setEnabled(info.exists());
        action->setStatusTip(path);
        action->setToolTip(path);
        ++number;
    }
    if (!paths.isEmpty())
        m_recentMenu->addSeparator();
    QAction *clear = m_recentMenu->addAction(tr("&Clear list"), this, [this] { m_io->recent().clear(); });
    clear->setEnabled(!paths.isEmpty());
}

void MainWindow::buildEditMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Edit"));
    QUndoStack &stack = m_document.undoStack();
    const auto addStackAction = [&](QAction *action, const QString &name, const QString &icon,
                                    QKeySequence::StandardKey key) {
        action->setObjectName(name);
        action->setIcon(themedIcon(icon));
        action->setShortcuts(key);
        m_actions.insert(name, action);
        menu->addAction(action);
    };
    addStackAction(stack.createUndoAction(this, tr("&Undo")), QStringLiteral("edit.undo"), QStringLiteral("undo-2"),
                   QKeySequence::Undo);
    addStackAction(stack.createRedoAction(this, tr("&Redo")), QStringLiteral("edit.redo"), QStringLiteral("redo-2"),
                   QKeySequence::Redo);
    menu->addSeparator();
    for (QAction *action : m_canvas->editActions())
        if (isPlainEdit(*action))
            menu->addAction(action);
}

void MainWindow::buildClusterMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Cluster"));
    for (QAction *action : m_canvas->editActions()) // separators at the ends and next to each other are not drawn
        if (!isPlainEdit(*action))
            menu->addAction(action);
}

void MainWindow::buildViewMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&View"));
    QMenu *theme = menu->addMenu(themedIcon(QStringLiteral("sun")), tr("&Theme"));
    addChoices(theme, QStringLiteral("theme"),
               {{tr("As the &system"), static_cast<int>(ThemeChoice::System)},
                {tr("&Light"), static_cast<int>(ThemeChoice::Light)},
                {tr("&Dark"), static_cast<int>(ThemeChoice::Dark)}},
               m_settings->value(QStringLiteral("view/theme"), 0).toInt(),
               [this](const QVariant &choice) { setThemeChoice(static_cast<ThemeChoice>(choice.toInt())); });
    QMenu *scale = menu->addMenu(themedIcon(QStringLiteral("zoom-in")), tr("Text si&ze"));
    std::vector<std::pair<QString, QVariant>> sizes;
    for (const int percent : {80, 90, 100, 110, 125, 150, 175, 200})
        sizes.emplace_back(tr("%1 %").arg(percent), percent);
    addChoices(scale, QStringLiteral("scale"), sizes,
               qRound(m_settings->value(QStringLiteral("view/scale"), 1.0).toDouble() * 100),
               [this](const QVariant &percent) { setTextScale(percent.toInt() / 100.0); });
    menu->addSeparator();
    for (QAction *action : m_canvas->viewActions())
        menu->addAction(action);
    menu->addSeparator();
    const auto addToggle = [&](const QString &name, const QString &text, bool on, std::function<void(bool)> toggled) {
        QAction *action = menu->addAction(text);
        action->setObjectName(name);
        action->setCheckable(true);
        action->setChecked(on);
        connect(action, &QAction::toggled, this, std::move(toggled));
        m_actions.insert(name, action);
    };
    addToggle(QStringLiteral("view.links"), tr("Show &links in the Gantt"), m_gantt->linksShown(),
              [this](bool on) { m_gantt->setSections(on, m_gantt->memoryShown()); });
    addToggle(QStringLiteral("view.memory"), tr("Show &memory in the Gantt"), m_gantt->memoryShown(),
              [this](bool on) { m_gantt->setSections(m_gantt->linksShown(), on); });
    addToggle(QStringLiteral("view.comfortable"), tr("&Tall rows in the Gantt"), false,
              [this](bool on) { m_gantt->setComfortable(on); });
    menu->addSeparator();
    add(menu, QStringLiteral("view.wholeStep"), tr("Show the &whole step"), QStringLiteral("maximize"), {},
        [this] { m_gantt->showAll(); });
}

void MainWindow::buildModelMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Model"));
    add(menu, QStringLiteral("model.choose"), tr("&Choose a model"), QStringLiteral("box"),
        QKeySequence(Qt::CTRL | Qt::Key_M), [this] { m_modelBar->focusModel(); });
    add(menu, QStringLiteral("model.import"), tr("&Import config.json…"), QStringLiteral("import"),
        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M), [this] { importModelDialog(); });
    menu->addSeparator();
    QMenu *sharding = menu->addMenu(tr("&Optimiser sharding"));
    addChoices(sharding, QStringLiteral("sharding"),
               {{tr("&None"), static_cast<int>(Sharding::None)},
                {tr("ZeRO &1: optimiser state"), static_cast<int>(Sharding::Zero1)},
                {tr("ZeRO &2: and gradients"), static_cast<int>(Sharding::Zero2)},
                {tr("ZeRO &3: and parameters"), static_cast<int>(Sharding::Zero3)}},
               static_cast<int>(m_document.job().sharding), [this](const QVariant &choice) {
                   TrainingJob job = m_document.job();
                   job.sharding = static_cast<Sharding>(choice.toInt());
                   m_document.setJob(job, tr("Optimiser sharding"));
               });
    const auto addSwitch = [&](const QString &name, const QString &text, bool TrainingJob::*field) {
        QAction *action = menu->addAction(text);
        action->setCheckable(true);
        action->setObjectName(name);
        m_actions.insert(name, action);
        connect(action, &QAction::triggered, this, [this, field, text](bool on) {
            TrainingJob job = m_document.job();
            job.*field = on;
            m_document.setJob(job, plain(text));
        });
    };
    addSwitch(QStringLiteral("model.flash"), tr("&Flash attention"), &TrainingJob::flashAttention);
    addSwitch(QStringLiteral("model.sequenceParallel"), tr("&Sequence parallelism"), &TrainingJob::sequenceParallel);
    connect(&m_document, &Document::jobChanged, this, &MainWindow::updateModelMenu);
    updateModelMenu();
}

void MainWindow::updateModelMenu()
{
    const TrainingJob &job = m_document.job();
    if (QAction *a = action(QStringLiteral("sharding.%1").arg(static_cast<int>(job.sharding))))
        a->setChecked(true);
    action(QStringLiteral("model.flash"))->setChecked(job.flashAttention);
    action(QStringLiteral("model.sequenceParallel"))->setChecked(job.sequenceParallel);
}

void MainWindow::buildSearchMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Search"));
    add(menu, QStringLiteral("search.start"), tr("&Start"), QStringLiteral("play"), QKeySequence(Qt::Key_F5),
        [this] { m_search->start(); });
    add(menu, QStringLiteral("search.pause"), tr("&Pause"), QStringLiteral("pause"), QKeySequence(Qt::Key_F6), [this] {
        if (m_search->canResume())
            m_search->resume();
        else
            m_search->pause();
    });
    add(menu, QStringLiteral("search.stop"), tr("S&top"), QStringLiteral("square"),
        QKeySequence(Qt::SHIFT | Qt::Key_F5), [this] { m_search->stop(); });
    menu->addSeparator();
    QMenu *time = menu->addMenu(themedIcon(QStringLiteral("clock")), tr("Time &limit"));
    addChoices(time, QStringLiteral("timeLimit"),
               {{tr("&None"), 0}, {tr("&5 s"), 5}, {tr("&30 s"), 30}, {tr("&2 minutes"), 120}, {tr("&10 minutes"), 600}},
               static_cast<int>(m_search->limits().timeLimit.count()), [this](const QVariant &seconds) {
                   SearchLimits limits = m_search->limits();
                   limits.timeLimit = std::chrono::duration<double>(seconds.toInt());
                   m_search->setLimits(limits);
                   m_settings->setValue(QStringLiteral("search/timeLimit"), seconds);
                   if (m_search->canPause())
                       m_search->start();
               });
    QMenu *threads = menu->addMenu(themedIcon(QStringLiteral("cpu")), tr("T&hreads"));
    std::vector<std::pair<QString, QVariant>> counts{{tr("&All but one core"), 0}};
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    for (int n = 1; n < cores; n *= 2)
        counts.emplace_back(QString::number(n), n);
    counts.emplace_back(tr("%1 (all cores)").arg(cores), cores);
    addChoices(threads, QStringLiteral("threads"), counts, m_search->limits().threads, [this](const QVariant &count) {
        SearchLimits limits = m_search->limits();
        limits.threads = count.toInt();
        m_search->setLimits(limits);
        m_settings->setValue(QStringLiteral("search/threads"), count);
        if (m_search->canPause())
            m_search->start();
    });
}

void MainWindow::buildPlanMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Plan"));
    QAction *follow = menu->addAction(themedIcon(QStringLiteral("eye")), tr("&Follow best"));
    follow->setObjectName(QStringLiteral("plan.follow"));
    follow->setCheckable(true);
    follow->setChecked(true);
    m_actions.insert(follow->objectName(), follow);
    connect(follow, &QAction::toggled, m_search.get(), &SearchController::setFollowBest);
    connect(m_search.get(), &SearchController::followBestChanged, follow, &QAction::setChecked);
    add(menu, QStringLiteral("plan.equalSplit"), tr("Show the &equal split"), {}, {}, [this] { showBaseline(0); });
    add(menu, QStringLiteral("plan.uniformGrid"), tr("Show the best &uniform grid"), {}, {},
        [this] { showBaseline(1); });
    menu->addSeparator();
    add(menu, QStringLiteral("plan.copyStages"), tr("&Copy the stages as a table"), QStringLiteral("copy"),
        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), [this] {
            StageModel model;
            model.setShown(m_search->shown());
            CopyTable table;
            table.setModel(&model);
            QApplication::clipboard()->setText(table.textOf(false));
        });
}

void MainWindow::showBaseline(std::size_t index)
{
    const auto &baselines = m_search->snapshot()->baselines;
    if (index >= baselines.size() || m_search->isSnapshotStale()) {
        m_messages->post(MessageKind::Note, tr("The baselines are not worked out yet."), {}, QStringLiteral("baseline"));
        return;
    }
    const BaselineResult &baseline = baselines[index];
    if (baseline.plan)
        m_search->showPlan(baseline.plan);
    else
        m_messages->post(MessageKind::Note,
                         tr("%1 does not fit: %2")
                             .arg(QString::fromStdString(baseline.name), QString::fromStdString(baseline.reason)),
                         {}, QStringLiteral("baseline"));
}

void MainWindow::buildHelpMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Help"));
    QAction *shortcuts = add(menu, QStringLiteral("help.shortcuts"), tr("&Keyboard shortcuts"),
                             QStringLiteral("keyboard"), QKeySequence(Qt::Key_Question), [this] { showShortcuts(); });
    shortcuts->setShortcuts({QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)});
    add(menu, QStringLiteral("help.about"), tr("&About Polyrail"), QStringLiteral("info"), {}, [this] { showAbout(); });
}

void MainWindow::buildToolBar()
{
    auto *bar = addToolBar(tr("Main toolbar"));
    bar->setObjectName(QStringLiteral("mainToolBar"));
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->setIconSize(QSize(scaled(18), scaled(18)));
    for (const QString &name : {QStringLiteral("file.open"), QStringLiteral("file.save"), QString(),
                                QStringLiteral("edit.undo"), QStringLiteral("edit.redo"), QString()}) {
        if (name.isEmpty()) {
            bar->addSeparator();
            continue;
        }
        QAction *action = m_actions.value(name);
        bar->addAction(action);
        if (auto *button = qobject_cast<QToolButton *>(bar->widgetForAction(action)))
            button->setAccessibleName(plain(action->text()).remove(QChar(0x2026)));
    }
    m_modelBar = new ModelBar(m_document, m_library);
    connect(m_modelBar, &ModelBar::importRequested, this, &MainWindow::importModelDialog);
    bar->addWidget(m_modelBar);
    bar->addSeparator();
    const auto addButton = [&](const QString &name) {
        QAction *action = m_actions.value(name);
        auto *button = new QPushButton(action->icon(), plain(action->text()));
        button->setObjectName(name + QStringLiteral(".button"));
        button->setToolTip(tipOf(*action));
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        auto *frame = new QWidget; // keeps a gap between neighbours
        auto *layout = new QHBoxLayout(frame);
        layout->setContentsMargins(scaled(2), 0, scaled(2), 0);
        layout->addWidget(button);
        bar->addWidget(frame);
        return button;
    };
    m_startButton = addButton(QStringLiteral("search.start"));
    m_pauseButton = addButton(QStringLiteral("search.pause"));
    m_stopButton = addButton(QStringLiteral("search.stop"));
    // Its text changes between Pause and Resume: the wider one sets the width.
    m_pauseButton->setText(tr("Resume"));
    m_pauseButton->setMinimumWidth(m_pauseButton->sizeHint().width());
    auto *stretch = new QWidget;
    stretch->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(stretch);
    auto *exports = new QToolButton;
    exports->setIcon(themedIcon(QStringLiteral("download")));
    exports->setToolTip(tr("Export"));
    exports->setAccessibleName(tr("Export"));
    exports->setPopupMode(QToolButton::InstantPopup);
    exports->setMenu(menuBar()->findChild<QMenu *>(QStringLiteral("exportMenu")));
    bar->addWidget(exports);
}

void MainWindow::showShortcuts()
{
    if (m_shortcuts) {
        m_shortcuts->raise();
        m_shortcuts->activateWindow();
        return;
    }
    std::vector<ShortcutEntry> entries;
    const std::function<void(const QString &, const QMenu &)> collect = [&](const QString &group, const QMenu &menu) {
        for (const QAction *action : menu.actions()) {
            if (action->menu())
                collect(group, *action->menu());
            else if (!action->shortcuts().isEmpty())
                entries.push_back({group, plain(action->text()),
                                   QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText)});
        }
    };
    for (const QAction *top : menuBar()->actions())
        if (top->menu())
            collect(plain(top->text()), *top->menu());
    const QString gantt = tr("Gantt");
    entries.push_back({gantt, tr("Zoom and move along the time axis"), tr("W S A D, or wheel and drag")});
    entries.push_back({gantt, tr("Show the whole step"), tr("Home, or double-click")});
    entries.push_back({gantt, tr("Fit the selected block"), QStringLiteral("F")});
    entries.push_back({gantt, tr("Next and previous block, row"), tr("Arrow keys")});
    entries.push_back({gantt, tr("Along the critical path"), QStringLiteral("[ ]")});
    entries.push_back({gantt, tr("Back and forward through views"), tr("Alt and arrow keys")});
    entries.push_back({gantt, tr("Measure a span"), tr("Shift and drag")});
    entries.push_back({gantt, tr("Set the time cursor"), tr("Click on the ruler")});
    entries.push_back({gantt, tr("Let go of everything"), QStringLiteral("Esc")});
    const QString toolbar = tr("Toolbar");
    entries.push_back({toolbar, tr("Double or halve batch and sequence"), tr("Arrow up and down in the field")});
    m_shortcuts = new ShortcutsDialog(entries, this);
    m_shortcuts->setAttribute(Qt::WA_DeleteOnClose);
    m_shortcuts->show();
}

void MainWindow::showAbout()
{
    auto *box = new QMessageBox(QMessageBox::NoIcon, tr("About Polyrail"),
                                QStringLiteral("<b>Polyrail %1</b>").arg(QApplication::applicationVersion().toHtmlEscaped()),
                                QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("Plans the training of large models on unlike GPUs joined by several unlike links.\n\n"
                               "Free software under the GNU General Public License, version 3 or later. Uses Qt, "
                               "QCustomPlot, oneTBB, nlohmann_json and Lucide icons."));
    box->open();
}

} // namespace polyrail
