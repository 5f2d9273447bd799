// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/cost_context.hpp"
#include "core/search/search.hpp"
#include "ui/document/document.hpp"
#include "ui/document/selection.hpp"
#include "ui/search/background_lane.hpp"
#include "ui/search/change_note.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace polyrail {

/// Limits that hold for every search of a window.
struct SearchLimits
{
    std::chrono::duration<double> timeLimit{0}; ///< 0 = none
    std::int64_t nodeLimit = 0;                 ///< 0 = none
    int threads = 0;                            ///< 0 = all cores but the one that the window needs
    std::uint64_t seed = 1;
};

/// Keeps the plan on screen up to date with the document: runs the search, re-simulates the shown plan as soon as the
/// network changes, and drops every answer to an older question.
///
/// A request number is the document's revision: it counts the changes that matter to a plan. On such a change the shown
/// plan is first simulated on the new network; then, when the changes pause for a tenth of a second, the search starts
/// again from the plans that are known. Neither blocks the window: searches start, stop and join on one background
/// thread, simulations run on another, and in both the newest request wins.
///
/// UI thread only. Destroying the controller stops and joins everything.
class SearchController : public QObject
{
    Q_OBJECT
public:
    /// What starts a search; tests put their own in.
    using Starter = std::function<std::unique_ptr<Search>(std::shared_ptr<const CostContext>, SearchOptions)>;

    explicit SearchController(Document &document, QObject *parent = nullptr);
    ~SearchController() override;

    void setStarter(Starter starter) { m_starter = std::move(starter); }
    void setLimits(const SearchLimits &limits) { m_limits = limits; }
    const SearchLimits &limits() const { return m_limits; }

    /// Never null. Idle before the first search.
    const std::shared_ptr<const SearchSnapshot> &snapshot() const { return m_snapshot; }
    /// The snapshot answers an older network than the document's.
    bool isSnapshotStale() const;
    /// The same for the eye: not before the document has been ahead for longer than a picture may lag.
    bool looksStale() const { return isSnapshotStale() && (!m_shown.schedule || m_shown.stale); }
    SearchStatus status() const { return m_snapshot->status; }
    /// Threads that a search of these limits uses.
    int threads() const;

    /// What the charts draw; plan and schedule are null before the first one. `stale` is set once the document has been
    /// ahead of it for longer than a picture may lag (0.15 s), so that a drag does not flicker.
    const ShownPlan &shown() const { return m_shown; }
    /// The shown schedule is that of the document as it is now.
    bool isShownCurrent() const { return m_shown.schedule && m_shownRequest == m_request && m_shownError.isEmpty(); }
    quint64 request() const { return m_request; }
    quint64 shownRequest() const { return m_shownRequest; }
    /// Why the shown plan could not be worked out for the document as it is now; empty when it could.
    const QString &shownError() const { return m_shownError; }
    const ChangeNote &change() const { return m_change; }
    bool followsBest() const { return m_followBest; }

    /// A search runs, starts, or is about to.
    bool isBusy() const { return m_search || m_launching || m_restartTimer.isActive(); }
    bool hasProblem() const; ///< there are devices and a model to plan for
    bool canStart() const { return hasProblem() && !isBusy() && m_intent != Intent::Pause; }
    bool canPause() const { return m_intent == Intent::Run && isBusy(); }
    bool canResume() const { return m_intent == Intent::Pause; }
    bool canStop() const { return m_intent == Intent::Pause || (m_intent == Intent::Run && isBusy()); }

    /// Answers that were thrown away because the document had moved on.
    int droppedAnswers() const { return m_dropped; }

public slots:
    /// Starts, or starts again, for the document as it is.
    void start();
    void pause();
    void resume();
    /// Keeps the best plan found. The status says stopped, never optimal.
    void stop();
    /// Show the best plan as it is found. Off: the shown plan stays.
    void setFollowBest(bool follow);
    /// Shows one plan (of the document's cluster) and stops following the best.
    void showPlan(std::shared_ptr<const polyrail::Plan> plan);
    /// Forgets plan, snapshot and history: another document is about to come.
    void clear();

signals:
    void snapshotChanged();
    void shownChanged(const polyrail::ShownPlan &shown);
    /// The sentence about the last change has new words.
    void changeNoted();
    void followBestChanged(bool follow);
    /// A search failed from the inside. The document is as it was.
    void failed(const QString &message);

private:
    /// What the user wants, whatever the search at hand does.
    enum class Intent { Rest, Run, Pause };
    struct Simulated;
    struct Superseded
    {
        quint64 request;
        std::chrono::steady_clock::time_point at;
    };

    void onDocumentChanged();
    void settleChangeBase();
    void simulate(std::shared_ptr<const Plan> plan);
    void onSimulated(const Simulated &result);
    void launch();
    void adopt(quint64 epoch, quint64 request, std::shared_ptr<Search> search,
               std::shared_ptr<const CostContext> context);
    void onLaunchFailed(quint64 epoch, quint64 request, const std::string &message);
    void retire(std::shared_ptr<Search> search);
    void poll();
    void takeSnapshot(std::shared_ptr<const SearchSnapshot> snapshot);
    void showBest();
    void showOwnStatus(SearchStatus status, std::string message = {});
    void announceSnapshot();
    void emitShown();
    void updateChange();
    std::vector<Plan> keptPlans() const;

    Document &m_document;
    Starter m_starter;
    SearchLimits m_limits;
    Intent m_intent = Intent::Rest;

    quint64 m_epoch = 0; ///< counts clear(): answers from before it are not for this document
    quint64 m_request = 0;
    std::deque<Superseded> m_superseded; ///< when the shown request and younger ones were replaced

    std::shared_ptr<const SearchSnapshot> m_snapshot;
    std::shared_ptr<const SearchSnapshot> m_kept; ///< the last one with plans; the next search starts from them
    Cluster m_keptCluster;
    std::shared_ptr<Search> m_search;
    std::shared_ptr<const CostContext> m_context; ///< of m_contextRequest; saves making it twice
    quint64 m_contextRequest = 0;
    bool m_launching = false;
    std::uint64_t m_seenSequence = 0;
    int m_dropped = 0;

    ShownPlan m_shown;
    quint64 m_shownRequest = 0;
    QString m_shownError;
    std::shared_ptr<const Plan> m_target; ///< what is, or is about to be, shown
    Cluster m_targetCluster;
    quint64 m_targetRequest = 0;
    bool m_followBest = true;

    std::optional<ChangeBase> m_base;
    std::optional<ChangeBase> m_beforeChange; ///< becomes m_base if the change turns out to begin an undo step
    int m_baseUndoIndex = -1;
    ChangeNote m_change;

    QTimer m_pollTimer;
    QTimer m_restartTimer;
    QTimer m_staleTimer;
    QTimer m_settleTimer;
    QElapsedTimer m_sinceAnnounced;
    bool m_unsaid = false; ///< a snapshot that has not been announced yet

    std::unique_ptr<BackgroundLane> m_searchLane;
    std::unique_ptr<BackgroundLane> m_simulationLane;
};

} // namespace polyrail
