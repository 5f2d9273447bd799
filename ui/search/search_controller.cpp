// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/search/search_controller.hpp"

#include "core/plan/evaluate.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

namespace polyrail {

namespace {

constexpr int pollInterval = 33;      // ms
constexpr int announceInterval = 100; // ms: figures change at most ten times a second
constexpr int restartDelay = 100;     // ms without a change before the search starts again
constexpr std::chrono::milliseconds toleratedLag(150);

} // namespace

struct SearchController::Simulated
{
    quint64 epoch = 0;
    quint64 request = 0;
    std::shared_ptr<const Plan> plan;
    Cluster cluster;
    TrainingJob job;
    std::shared_ptr<const CostContext> context;
    std::shared_ptr<const Schedule> schedule; ///< null: see error
    QString error;
};

SearchController::SearchController(Document &document, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_starter(&Search::start)
    , m_request(document.revision())
    , m_snapshot(std::make_shared<const SearchSnapshot>())
    , m_searchLane(std::make_unique<BackgroundLane>())
    , m_simulationLane(std::make_unique<BackgroundLane>())
{
    m_pollTimer.setInterval(pollInterval);
    connect(&m_pollTimer, &QTimer::timeout, this, &SearchController::poll);
    m_restartTimer.setSingleShot(true);
    m_restartTimer.setInterval(restartDelay);
    connect(&m_restartTimer, &QTimer::timeout, this, &SearchController::launch);
    m_staleTimer.setSingleShot(true);
    m_staleTimer.setInterval(toleratedLag);
    connect(&m_staleTimer, &QTimer::timeout, this, &SearchController::emitShown);
    m_settleTimer.setSingleShot(true);
    connect(&m_settleTimer, &QTimer::timeout, this, &SearchController::settleChangeBase);
    connect(&document, &Document::clusterChanged, this, &SearchController::onDocumentChanged);
    connect(&document, &Document::jobChanged, this, &SearchController::onDocumentChanged);
}

SearchController::~SearchController()
{
    disconnect(&m_document, nullptr, this, nullptr);
    m_pollTimer.stop();
    if (m_search)
        m_search->stop();
    // Joined before anything else goes: their jobs speak to this object. Answers that they have posted die with it.
    m_simulationLane.reset();
    m_searchLane.reset();
    m_search.reset();
}

bool SearchController::isSnapshotStale() const
{
    return m_snapshot->status != SearchStatus::Idle && m_snapshot->request != m_request;
}

int SearchController::threads() const
{
    if (m_limits.threads > 0)
        return m_limits.threads;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1);
}

bool SearchController::hasProblem() const
{
    return !m_document.cluster().devices().empty() && m_document.job().model.layers > 0;
}

// ---- The document -----------------------------------------------------------------------------------------------

void SearchController::onDocumentChanged()
{
    if (m_document.revision() == m_request) { // only moved on the canvas: the answers stand
        if (isShownCurrent())
            m_shown.cluster = m_document.cluster();
        return;
    }
    if (!m_beforeChange && isShownCurrent())
        m_beforeChange = ChangeBase{m_shown.cluster, m_shown.job, m_shown.plan, m_shown.schedule->makespan};
    m_settleTimer.start(0);
    m_superseded.push_back({m_request, std::chrono::steady_clock::now()});
    m_request = m_document.revision();
    m_shownError.clear();

    retire(std::exchange(m_search, nullptr)); // frees the cores for the simulation
    m_searchLane->forgetLatest();
    m_launching = false;
    if (m_target) {
        if (auto plan = remapPlan(*m_target, m_targetCluster, m_document.cluster())) {
            simulate(std::make_shared<const Plan>(std::move(*plan)));
        } else { // the target stays: undoing brings it back
            m_simulationLane->forgetLatest();
            m_shownError = tr("A device of the shown plan is gone.");
        }
        if (!m_staleTimer.isActive())
            m_staleTimer.start();
    }
    if (m_intent == Intent::Run && hasProblem())
        m_restartTimer.start();
    else
        m_restartTimer.stop();
    announceSnapshot();
}

void SearchController::settleChangeBase()
{
    // Steps that merge into one undo step (a slider drag) are told as one change, from where the drag began.
    const int index = m_document.undoStack().index();
    if (index != m_baseUndoIndex && m_beforeChange)
        m_base = std::move(m_beforeChange);
    m_baseUndoIndex = index;
    m_beforeChange.reset();
    updateChange();
}

void SearchController::clear()
{
    ++m_epoch;
    m_intent = Intent::Rest;
    m_restartTimer.stop();
    m_staleTimer.stop();
    retire(std::exchange(m_search, nullptr));
    m_searchLane->forgetLatest();
    m_simulationLane->forgetLatest();
    m_launching = false;
    m_superseded.clear();
    m_snapshot = std::make_shared<const SearchSnapshot>();
    m_kept.reset();
    m_context.reset();
    m_contextRequest = 0;
    m_shown = {};
    m_shownRequest = 0;
    m_shownError.clear();
    m_target.reset();
    m_base.reset();
    m_beforeChange.reset();
    m_baseUndoIndex = -1;
    setFollowBest(true);
    announceSnapshot();
    emit shownChanged(m_shown);
    updateChange();
}

// ---- What the user asks for -------------------------------------------------------------------------------------

void SearchController::start()
{
    if (!hasProblem()) {
        m_intent = Intent::Run; // as soon as there is something to plan
        showOwnStatus(SearchStatus::Idle,
                      (m_document.cluster().devices().empty() ? tr("No devices yet. Add a GPU, or import a machine.")
                                                              : tr("No model yet. Pick a model."))
                          .toStdString());
        return;
    }
    m_intent = Intent::Run;
    launch();
}

void SearchController::pause()
{
    if (!canPause())
        return;
    m_intent = Intent::Pause;
    m_restartTimer.stop();
    if (m_search)
        m_search->pause();
    else
        showOwnStatus(SearchStatus::Paused);
    announceSnapshot();
}

void SearchController::resume()
{
    if (m_intent != Intent::Pause)
        return;
    m_intent = Intent::Run;
    if (m_search)
        m_search->resume();
    else if (!m_launching)
        launch();
    announceSnapshot();
}

void SearchController::stop()
{
    if (!canStop())
        return;
    m_intent = Intent::Rest;
    m_restartTimer.stop();
    m_searchLane->forgetLatest();
    if (m_search)
        m_search->stop(); // its last snapshot says stopped, or optimal if it got there first
    else
        showOwnStatus(SearchStatus::Stopped);
    m_launching = false;
    announceSnapshot();
}

void SearchController::setFollowBest(bool follow)
{
    if (m_followBest == follow)
        return;
    m_followBest = follow;
    emit followBestChanged(follow);
    if (follow)
        showBest();
}

void SearchController::showPlan(std::shared_ptr<const Plan> plan)
{
    if (!plan || !hasProblem())
        return;
    setFollowBest(false);
    simulate(std::move(plan));
}

// ---- Simulation of the shown plan -------------------------------------------------------------------------------

void SearchController::simulate(std::shared_ptr<const Plan> plan)
{
    m_target = plan;
    m_targetCluster = m_document.cluster();
    m_targetRequest = m_request;
    Simulated work;
    work.epoch = m_epoch;
    work.request = m_request;
    work.plan = std::move(plan);
    work.cluster = m_document.cluster();
    work.job = m_document.job();
    if (m_contextRequest == m_request)
        work.context = m_context;
    m_simulationLane->postLatest([this, work]() mutable {
        try {
            if (!work.context)
                work.context = std::make_shared<const CostContext>(Problem{work.cluster, work.job});
            auto schedule = evaluate(*work.context, *work.plan);
            if (schedule)
                work.schedule = std::make_shared<const Schedule>(std::move(*schedule));
            else
                work.error = QString::fromStdString(schedule.error().message());
        } catch (const std::exception &e) {
            work.error = QString::fromUtf8(e.what());
        }
        QMetaObject::invokeMethod(
            this, [this, work] { onSimulated(work); }, Qt::QueuedConnection);
    });
}

void SearchController::onSimulated(const Simulated &result)
{
    const bool current = result.request == m_request;
    if (result.epoch != m_epoch || result.request < m_shownRequest) {
        ++m_dropped;
        return;
    }
    if (current && result.context) {
        m_context = result.context;
        m_contextRequest = m_request;
    }
    if (!result.schedule) {
        if (!current) {
            ++m_dropped;
            return;
        }
        m_shownError = result.error;
        emitShown();
        updateChange();
        return;
    }
    if (current)
        m_shownError.clear();
    m_shown.plan = result.plan;
    m_shown.schedule = result.schedule;
    m_shown.cluster = current ? m_document.cluster() : result.cluster;
    m_shown.job = result.job;
    m_shownRequest = result.request;
    while (!m_superseded.empty() && m_superseded.front().request < m_shownRequest)
        m_superseded.pop_front();
    emitShown();
    if (!current)
        return;
    m_staleTimer.stop();
    if (isSnapshotStale()) { // until the new search has something to say
        if (m_intent == Intent::Run)
            showOwnStatus(SearchStatus::Running);
        else
            showOwnStatus(m_intent == Intent::Pause ? SearchStatus::Paused : SearchStatus::Stopped,
                          tr("This plan on the new network. It has not been searched.").toStdString());
    }
    updateChange();
    showBest();
}

void SearchController::emitShown()
{
    const bool wasStale = m_shown.stale;
    m_shown.stale = false;
    if (m_shown.schedule && !isShownCurrent()) {
        const auto replaced = std::ranges::find(m_superseded, m_shownRequest, &Superseded::request);
        m_shown.stale = !m_shownError.isEmpty() || replaced == m_superseded.end()
            || std::chrono::steady_clock::now() - replaced->at >= toleratedLag;
        if (!m_shown.stale)
            m_staleTimer.start();
    }
    if (sender() == &m_staleTimer && m_shown.stale == wasStale)
        return;
    emit shownChanged(m_shown);
}

void SearchController::updateChange()
{
    const bool answered = m_snapshot->request == m_request && m_snapshot->sequence > 0;
    ChangeNote note;
    if (m_base) {
        if (isShownCurrent())
            note = describeChangeNote(*m_base, m_shown, answered ? m_snapshot.get() : nullptr);
        else
            note = describePending(*m_base, m_document.cluster(), m_document.job(),
                                   m_shownError.isEmpty() ? tr("Working it out again.") : m_shownError);
    }
    if (note == m_change)
        return;
    m_change = std::move(note);
    emit changeNoted();
}

// ---- The search -------------------------------------------------------------------------------------------------

std::vector<Plan> SearchController::keptPlans() const
{
    std::vector<Plan> plans;
    const auto keep = [&](const Plan &plan, const Cluster &from) {
        auto mapped = remapPlan(plan, from, m_document.cluster());
        if (mapped && std::ranges::find(plans, *mapped) == plans.end())
            plans.push_back(std::move(*mapped));
    };
    if (m_target)
        keep(*m_target, m_targetCluster);
    if (m_kept) {
        if (m_kept->best)
            keep(*m_kept->best->plan, m_keptCluster);
        for (const Candidate &candidate : m_kept->top)
            keep(*candidate.plan, m_keptCluster);
    }
    return plans;
}

void SearchController::launch()
{
    m_restartTimer.stop();
    retire(std::exchange(m_search, nullptr));
    if (!hasProblem())
        return;
    SearchOptions options;
    options.timeLimit = m_limits.timeLimit;
    options.nodeLimit = m_limits.nodeLimit;
    options.threads = threads();
    options.seed = m_limits.seed;
    options.request = m_request;
    options.warmStart = keptPlans();
    m_launching = true;
    if (m_snapshot->request != m_request || m_snapshot->status != SearchStatus::Running) {
        if (!isSnapshotStale())
            showOwnStatus(SearchStatus::Running);
    }
    auto context = m_contextRequest == m_request ? m_context : nullptr;
    m_searchLane->postLatest([this, epoch = m_epoch, request = m_request, starter = m_starter,
                              problem = Problem{m_document.cluster(), m_document.job()},
                              options = std::move(options), context = std::move(context)]() mutable {
        std::string failure;
        try {
            if (!context)
                context = std::make_shared<const CostContext>(problem);
            std::shared_ptr<Search> search = starter(context, options);
            QMetaObject::invokeMethod(
                this,
                [this, epoch, request, search = std::move(search), context]() mutable {
                    adopt(epoch, request, std::move(search), std::move(context));
                },
                Qt::QueuedConnection);
            return;
        } catch (const std::exception &e) {
            failure = e.what();
        }
        QMetaObject::invokeMethod(
            this, [this, epoch, request, failure] { onLaunchFailed(epoch, request, failure); }, Qt::QueuedConnection);
    });
}

void SearchController::adopt(quint64 epoch, quint64 request, std::shared_ptr<Search> search,
                             std::shared_ptr<const CostContext> context)
{
    if (epoch != m_epoch || request != m_request || m_intent == Intent::Rest) {
        ++m_dropped;
        retire(std::move(search));
        return;
    }
    m_launching = false;
    retire(std::exchange(m_search, std::move(search)));
    m_context = std::move(context);
    m_contextRequest = request;
    m_seenSequence = 0;
    if (m_intent == Intent::Pause)
        m_search->pause();
    m_pollTimer.start();
    poll();
}

void SearchController::onLaunchFailed(quint64 epoch, quint64 request, const std::string &message)
{
    if (epoch != m_epoch || request != m_request)
        return;
    m_launching = false;
    m_intent = Intent::Rest;
    showOwnStatus(SearchStatus::Failed, message);
    emit failed(QString::fromStdString(message));
}

void SearchController::retire(std::shared_ptr<Search> search)
{
    if (!search)
        return;
    search->stop();
    // The last reference goes on the background thread, where its join holds up nobody.
    m_searchLane->post([search = std::move(search)]() mutable { search.reset(); });
}

void SearchController::poll()
{
    if (m_search) {
        auto snapshot = m_search->latest();
        if (snapshot && snapshot->sequence > m_seenSequence) {
            m_seenSequence = snapshot->sequence;
            takeSnapshot(std::move(snapshot));
        }
    }
    if (m_unsaid && (!m_sinceAnnounced.isValid() || m_sinceAnnounced.elapsed() >= announceInterval))
        announceSnapshot();
    if (!m_search && !m_unsaid)
        m_pollTimer.stop();
}

void SearchController::takeSnapshot(std::shared_ptr<const SearchSnapshot> snapshot)
{
    if (snapshot->request != m_request) {
        ++m_dropped;
        return;
    }
    if (snapshot->status == SearchStatus::Idle) { // still works out its baselines: to the user it runs
        auto running = std::make_shared<SearchSnapshot>(*snapshot);
        running->status = m_intent == Intent::Pause ? SearchStatus::Paused : SearchStatus::Running;
        snapshot = std::move(running);
    }
    // An engine that has not got to the kept plans yet has no best; the one on screen is still the best known.
    if (!snapshot->best && m_snapshot->request == m_request && m_snapshot->best
        && snapshot->status == m_snapshot->status)
        return;
    const bool statusChanged = snapshot->status != m_snapshot->status || m_snapshot->request != m_request;
    m_snapshot = std::move(snapshot);
    m_unsaid = true;
    if (m_snapshot->best) {
        m_kept = m_snapshot;
        m_keptCluster = m_document.cluster();
    }
    if (isFinal(m_snapshot->status)) {
        retire(std::exchange(m_search, nullptr));
        if (m_snapshot->status == SearchStatus::Failed) {
            m_intent = Intent::Rest;
            emit failed(QString::fromStdString(m_snapshot->message));
        }
    }
    showBest();
    updateChange();
    if (statusChanged)
        announceSnapshot();
}

void SearchController::showBest()
{
    if (!m_followBest || m_snapshot->request != m_request || !m_snapshot->best)
        return;
    const Candidate &best = *m_snapshot->best;
    if (m_target && m_targetRequest == m_request && *m_target == *best.plan)
        return;
    if (isShownCurrent() && m_shown.schedule->makespan <= best.step && m_shown.plan == m_target)
        return;
    simulate(best.plan);
}

void SearchController::showOwnStatus(SearchStatus status, std::string message)
{
    auto snapshot = std::make_shared<SearchSnapshot>();
    snapshot->request = m_request;
    snapshot->status = status;
    snapshot->message = std::move(message);
    if (isShownCurrent() && m_followBest)
        snapshot->best = Candidate{m_shown.plan, m_shown.schedule->makespan, 0};
    m_snapshot = std::move(snapshot);
    announceSnapshot();
}

void SearchController::announceSnapshot()
{
    m_unsaid = false;
    m_sinceAnnounced.start();
    emit snapshotChanged();
}

} // namespace polyrail
