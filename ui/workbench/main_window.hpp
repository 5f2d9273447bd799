// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.hpp"
#include "ui/document/selection.hpp"
#include "ui/search/search_controller.hpp"
#include "ui/theme/theme.hpp"
#include "ui/workbench/document_io.hpp"
#include "ui/workbench/exports.hpp"
#include "ui/workbench/message_area.hpp"
#include "ui/workbench/model_library.hpp"

#include <QHash>
#include <QMainWindow>
#include <QPointer>
#include <QSettings>

#include <functional>
#include <memory>

class QActionGroup;
class QDockWidget;
class QLabel;
class QMenu;
class QPushButton;

namespace polyrail {

class Autosave;
class BaselineView;
class ClusterView;
class ConvergenceView;
class ElidedLabel;
class GanttView;
class Inspector;
class ModelBar;
class PlanPanel;
class SearchStrip;
class ShortcutsDialog;

/// The window: canvas and inspector above, the search strip and the charts of the plan below, all over one document.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    struct Options
    {
        QString settingsFile;   ///< empty: the user's own settings
        QString autosaveFolder; ///< empty: the user's data folder, or beside settingsFile when that is given
        bool searchAtOnce = true; ///< what is opened is searched without pressing Start
    };

    explicit MainWindow(const Options &options, QWidget *parent = nullptr);
    ~MainWindow() override;

    Document &document() { return m_document; }
    SearchController &search() { return *m_search; }
    DocumentIo &io() { return *m_io; }
    ModelLibrary &library() { return m_library; }
    MessageArea &messages() { return *m_messages; }
    SelectionModel &selection() { return m_selection; }
    TimeAxis &timeAxis() { return m_axis; }
    ClusterView &canvas() { return *m_canvas; }
    GanttView &gantt() { return *m_gantt; }
    ConvergenceView &convergence() { return *m_convergence; }
    Inspector &inspector() { return *m_inspector; }
    SearchStrip &strip() { return *m_strip; }
    ModelBar &modelBar() { return *m_modelBar; }
    PlanPanel &planPanel() { return *m_planPanel; }
    Autosave &autosave() { return *m_autosave; }
    /// By object name ("file.open", "search.pause"); null if there is none.
    QAction *action(const QString &name) const { return m_actions.value(name); }

    /// What a window without a file begins with: a sample, and what is left of a crashed one.
    void openFirst();
    /// Writes one of the exports; errors go to the messages.
    bool exportTo(ExportKind kind, const QString &path);
    void setThemeChoice(ThemeChoice choice);
    void setTextScale(double scale);
    void resetLayout();

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragMoveEvent(QDragMoveEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    using Slot = std::function<void()>;

    // main_window.cpp
    void buildPanels();
    QDockWidget *addPanel(const QString &name, const QString &title, QWidget *content, Qt::DockWidgetArea area,
                          bool ownHeader);
    void connectModels();
    void restoreLayout();
    void saveLayout();
    void updateTitle();
    QString titleOf(const ShownPlan &shown) const; ///< of the Gantt
    void updateStatusBar();
    void updateSearchActions();
    void offerRecovery();
    void applyTheme();

    // main_window_actions.cpp
    void buildActions();
    void buildFileMenu();
    void buildEditMenu();
    void buildViewMenu();
    void buildClusterMenu();
    void buildModelMenu();
    void buildSearchMenu();
    void buildPlanMenu();
    void buildHelpMenu();
    void buildToolBar();
    QAction *add(QMenu *menu, const QString &name, const QString &text, const QString &icon,
                 const QKeySequence &shortcut, Slot slot);
    void addChoices(QMenu *menu, const QString &name, const std::vector<std::pair<QString, QVariant>> &choices,
                    const QVariant &current, std::function<void(const QVariant &)> chosen);
    void updateModelMenu();
    void updateRecentMenu();
    void showBaseline(std::size_t index); ///< of the snapshot's baselines
    void showShortcuts();
    void showAbout();

    // main_window_files.cpp
    /// False: the user wants to keep working on the unsaved document.
    bool maybeSave();
    bool save();
    bool saveAs();
    void openDialog();
    void openPath(const QString &path);
    void openPastedText(const QByteArray &text, const QString &name);
    void importTopologyDialog();
    void importModelDialog();
    void askGpuType(const QByteArray &text, const QString &name, const QString &recognised);
    void exportDialog(ExportKind kind);
    QString folder() const;
    void rememberFolder(const QString &path);

    std::unique_ptr<QSettings> m_settings;
    bool m_searchAtOnce;
    ModelLibrary m_library;
    Document m_document;
    SelectionModel m_selection;
    TimeAxis m_axis;
    std::unique_ptr<SearchController> m_search;
    std::unique_ptr<DocumentIo> m_io;
    std::unique_ptr<Autosave> m_autosave;

    MessageArea *m_messages = nullptr;
    ClusterView *m_canvas = nullptr;
    Inspector *m_inspector = nullptr;
    SearchStrip *m_strip = nullptr;
    GanttView *m_gantt = nullptr;
    PlanPanel *m_planPanel = nullptr;
    BaselineView *m_baselines = nullptr;
    ConvergenceView *m_convergence = nullptr;
    ModelBar *m_modelBar = nullptr;
    QPointer<ShortcutsDialog> m_shortcuts;

    QDockWidget *m_ganttDock = nullptr;
    QDockWidget *m_planDock = nullptr;
    QDockWidget *m_baselineDock = nullptr;
    QDockWidget *m_convergenceDock = nullptr;
    QDockWidget *m_inspectorDock = nullptr;
    QDockWidget *m_stripDock = nullptr;

    QHash<QString, QAction *> m_actions;
    QMenu *m_recentMenu = nullptr;
    QPushButton *m_startButton = nullptr;
    QPushButton *m_pauseButton = nullptr;
    QPushButton *m_stopButton = nullptr;
    QLabel *m_selectionLabel = nullptr;
    QLabel *m_clusterLabel = nullptr;
    ElidedLabel *m_spaceLabel = nullptr;
    QLabel *m_savedLabel = nullptr;
};

} // namespace polyrail
