// SPDX-License-Identifier: GPL-3.0-or-later
#include "small_problem.hpp"

#include "core/plan/evaluate.hpp"
#include "ui/search/change_note.hpp"
#include "ui/search/search_controller.hpp"
#include "ui/search/words.hpp"

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <mutex>
#include <thread>

using namespace polyrail;
using namespace polyrail::test;

namespace {

/// What the fake searches of one test have in common.
struct Desk
{
    std::mutex mutex;
    std::vector<SearchOptions> started;
    std::vector<class FakeSearch *> running;
    std::atomic<int> alive = 0;
    std::atomic<int> destroyedOnUiThread = 0;
    std::thread::id uiThread = std::this_thread::get_id();
    std::string failure; ///< not empty: the next start throws it

    int starts()
    {
        const std::lock_guard lock(mutex);
        return static_cast<int>(started.size());
    }
    SearchOptions lastOptions()
    {
        const std::lock_guard lock(mutex);
        return started.back();
    }
    class FakeSearch *newest()
    {
        const std::lock_guard lock(mutex);
        return running.empty() ? nullptr : running.back();
    }
};

/// A search whose snapshots the test writes.
class FakeSearch : public Search
{
public:
    FakeSearch(Desk &desk, SearchOptions options) : m_desk(desk), m_options(std::move(options))
    {
        ++m_desk.alive;
        const std::lock_guard lock(m_desk.mutex);
        m_desk.started.push_back(m_options);
        m_desk.running.push_back(this);
    }
    ~FakeSearch() override
    {
        if (std::this_thread::get_id() == m_desk.uiThread)
            ++m_desk.destroyedOnUiThread;
        const std::lock_guard lock(m_desk.mutex);
        std::erase(m_desk.running, this);
        --m_desk.alive;
    }
    std::shared_ptr<const SearchSnapshot> latest() const override
    {
        const std::lock_guard lock(m_mutex);
        return m_latest;
    }
    std::vector<SearchEvent> events(std::uint64_t) const override { return {}; }
    void pause() override { publish([](SearchSnapshot &s) { s.status = SearchStatus::Paused; }); }
    void resume() override { publish([](SearchSnapshot &s) { s.status = SearchStatus::Running; }); }
    void stop() override { publish([](SearchSnapshot &s) { s.status = SearchStatus::Stopped; }); }
    void wait() override {}

    template<class Change>
    void publish(Change change)
    {
        const std::lock_guard lock(m_mutex);
        auto next = std::make_shared<SearchSnapshot>(m_latest ? *m_latest : SearchSnapshot{});
        next->request = m_options.request;
        if (!m_latest)
            next->status = SearchStatus::Running;
        if (isFinal(next->status))
            return;
        change(*next);
        ++next->sequence;
        m_latest = std::move(next);
    }
    void find(const Plan &plan, Nanoseconds step, Nanoseconds bound)
    {
        publish([&](SearchSnapshot &s) {
            s.best = Candidate{std::make_shared<const Plan>(plan), step, 0.1};
            s.top = {*s.best};
            s.bound = bound;
            s.gap = static_cast<double>((step - bound).value) / static_cast<double>(step.value);
        });
    }

private:
    Desk &m_desk;
    SearchOptions m_options;
    mutable std::mutex m_mutex;
    std::shared_ptr<const SearchSnapshot> m_latest;
};

Nanoseconds stepOf(const Document &document, const Plan &plan)
{
    const CostContext context(Problem{document.cluster(), document.job()});
    const auto schedule = evaluate(context, plan);
    if (!schedule)
        throw std::runtime_error(schedule.error().message());
    return schedule->makespan;
}

} // namespace

class tst_SearchController : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Desk> m_desk;
    std::unique_ptr<Document> m_document;
    std::unique_ptr<SearchController> m_search;

    void setBandwidth(const char *link, double gigabits, const QString &mergeKey = {})
    {
        const Cluster &cluster = m_document->cluster();
        m_document->setLink(cluster.findLink(link), withBandwidth(cluster, link, gigabits), QStringLiteral("bandwidth"),
                            mergeKey);
    }
    /// Starts, and lets the fake find smallPlan().
    void startAndFind()
    {
        m_search->start();
        QTRY_VERIFY(m_desk->newest());
        const Nanoseconds step = stepOf(*m_document, smallPlan());
        m_desk->newest()->find(smallPlan(), step, Nanoseconds(step.value / 10 * 9));
        QTRY_VERIFY(m_search->isShownCurrent());
        QCOMPARE(m_search->shown().schedule->makespan.value, step.value);
    }

private slots:
    void init()
    {
        QLocale::setDefault(QLocale::c());
        m_desk = std::make_unique<Desk>();
        m_document = std::make_unique<Document>();
        m_document->reset(smallCluster(), smallJob(), {});
        m_search = std::make_unique<SearchController>(*m_document);
        m_search->setStarter([desk = m_desk.get()](std::shared_ptr<const CostContext>, SearchOptions options) {
            if (!desk->failure.empty())
                throw std::runtime_error(desk->failure);
            return std::make_unique<FakeSearch>(*desk, std::move(options));
        });
    }
    void cleanup()
    {
        m_search.reset();
        m_document.reset();
        m_desk.reset();
    }

    void beginsIdle()
    {
        QCOMPARE(m_search->status(), SearchStatus::Idle);
        QVERIFY(m_search->canStart());
        QVERIFY(!m_search->canPause() && !m_search->canStop() && !m_search->canResume());
        QVERIFY(!m_search->shown().schedule);
    }

    void startSearchesTheDocument()
    {
        QSignalSpy shown(m_search.get(), &SearchController::shownChanged);
        QSignalSpy snapshots(m_search.get(), &SearchController::snapshotChanged);
        startAndFind();
        QCOMPARE(m_desk->lastOptions().request, m_document->revision());
        QVERIFY(m_desk->lastOptions().threads >= 1);
        QCOMPARE(m_search->snapshot()->request, m_document->revision());
        QCOMPARE(m_search->status(), SearchStatus::Running);
        QVERIFY(!m_search->shown().stale);
        QVERIFY(*m_search->shown().plan == smallPlan());
        QVERIFY(!shown.isEmpty());
        QVERIFY(!snapshots.isEmpty());
        QVERIFY(!m_search->canStart() && m_search->canPause() && m_search->canStop());
    }

    void sliderSimulatesTheShownPlanAgain()
    {
        startAndFind();
        const auto before = m_search->shown().schedule->makespan;
        const int starts = m_desk->starts();
        for (double rate = 10; rate >= 0.5; rate -= 0.5) // no event loop in between: a burst of mouse moves
            setBandwidth("rail-0", rate, QStringLiteral("rail-0"));
        setBandwidth("rail-1", 0.5);
        QVERIFY(!m_search->isShownCurrent());
        QTRY_VERIFY(m_search->isShownCurrent());
        QCOMPARE(m_search->shownRequest(), m_document->revision());
        QVERIFY(*m_search->shown().plan == smallPlan());
        QCOMPARE(m_search->shown().schedule->makespan.value, stepOf(*m_document, smallPlan()).value);
        QVERIFY(m_search->shown().schedule->makespan > before);
        QVERIFY(!m_search->shown().stale);
        // The old search ends, and one new one begins, from the plan that is known.
        QTRY_COMPARE(m_desk->starts(), starts + 1);
        QTRY_COMPARE(m_desk->alive.load(), 1);
        QCOMPARE(m_desk->lastOptions().request, m_document->revision());
        QCOMPARE(m_desk->lastOptions().warmStart.size(), std::size_t(1));
        QVERIFY(m_desk->lastOptions().warmStart.front() == smallPlan());
        QCOMPARE(m_desk->destroyedOnUiThread.load(), 0);
    }

    void bestSoFarIsThePlanOnTheNewNetwork()
    {
        startAndFind();
        setBandwidth("rail-0", 1);
        setBandwidth("rail-1", 1);
        QTRY_VERIFY(m_search->isShownCurrent());
        QVERIFY(!m_search->isSnapshotStale());
        QCOMPARE(m_search->status(), SearchStatus::Running);
        QVERIFY(m_search->snapshot()->best.has_value());
        QCOMPARE(m_search->snapshot()->best->step.value, stepOf(*m_document, smallPlan()).value);
        QCOMPARE(m_search->snapshot()->bound.value, 0); // nothing is claimed about the new network yet
    }

    void answersToOldQuestionsAreDropped()
    {
        startAndFind();
        setBandwidth("rail-0", 5);
        QTRY_COMPARE(m_desk->starts(), 2);
        QTRY_VERIFY(m_desk->newest());
        QTRY_VERIFY(m_search->isShownCurrent());
        const auto shown = m_search->shown().plan;
        const int dropped = m_search->droppedAnswers();
        m_desk->newest()->publish([this](SearchSnapshot &s) {
            s.request = m_document->revision() - 1;
            s.best = Candidate{std::make_shared<const Plan>(otherPlan()), Nanoseconds(1), 0};
        });
        QTRY_VERIFY(m_search->droppedAnswers() > dropped);
        QVERIFY(m_search->snapshot()->request == m_document->revision());
        QVERIFY(!m_search->snapshot()->best || m_search->snapshot()->best->step.value != 1);
        QVERIFY(*m_search->shown().plan == *shown);
    }

    void betterPlansAreShownUnlessHeld()
    {
        startAndFind();
        const Nanoseconds step = stepOf(*m_document, otherPlan());
        m_search->setFollowBest(false);
        m_desk->newest()->find(otherPlan(), step, Nanoseconds(1));
        QTRY_VERIFY(*m_search->snapshot()->best->plan == otherPlan());
        QVERIFY(*m_search->shown().plan == smallPlan());
        m_search->setFollowBest(true);
        if (step < m_search->shown().schedule->makespan)
            QTRY_VERIFY(*m_search->shown().plan == otherPlan());
        m_search->showPlan(std::make_shared<const Plan>(otherPlan()));
        QVERIFY(!m_search->followsBest());
        QTRY_VERIFY(*m_search->shown().plan == otherPlan());
        QCOMPARE(m_search->shown().schedule->makespan.value, step.value);
    }

    void searchThatPreparesIsRunning()
    {
        m_search->start();
        QTRY_VERIFY(m_desk->newest());
        m_desk->newest()->publish([](SearchSnapshot &s) {
            s.status = SearchStatus::Idle;
            s.best = Candidate{std::make_shared<const Plan>(smallPlan()), Nanoseconds(1000000), 0};
        });
        QTRY_VERIFY(m_search->snapshot()->best.has_value());
        QCOMPARE(m_search->status(), SearchStatus::Running);
        QVERIFY(m_search->canPause());
    }

    void pauseResumeStop()
    {
        startAndFind();
        m_search->pause();
        QTRY_COMPARE(m_search->status(), SearchStatus::Paused);
        QVERIFY(m_search->canResume() && m_search->canStop() && !m_search->canPause());
        m_search->resume();
        QTRY_COMPARE(m_search->status(), SearchStatus::Running);
        m_search->stop();
        QTRY_COMPARE(m_search->status(), SearchStatus::Stopped);
        QVERIFY(m_search->canStart() && !m_search->canStop());
        QVERIFY(m_search->snapshot()->best.has_value()); // stopping keeps the best plan
        QTRY_COMPARE(m_desk->alive.load(), 0);
        QCOMPARE(m_desk->destroyedOnUiThread.load(), 0);
    }

    void stoppedSearchDoesNotComeBackByItself()
    {
        startAndFind();
        m_search->stop();
        QTRY_COMPARE(m_search->status(), SearchStatus::Stopped);
        const int starts = m_desk->starts();
        setBandwidth("rail-0", 1);
        QTRY_VERIFY(m_search->isShownCurrent()); // simulated all the same
        QTest::qWait(250);                       // more than the restart delay
        QCOMPARE(m_desk->starts(), starts);
        QCOMPARE(m_search->status(), SearchStatus::Stopped);
        QVERIFY(!m_search->isSnapshotStale());
        m_search->start();
        QTRY_COMPARE(m_desk->starts(), starts + 1);
    }

    void pausedSearchWaitsForResumeAfterAnEdit()
    {
        startAndFind();
        m_search->pause();
        QTRY_COMPARE(m_search->status(), SearchStatus::Paused);
        const int starts = m_desk->starts();
        setBandwidth("rail-0", 1);
        QTRY_VERIFY(m_search->isShownCurrent());
        QTest::qWait(250);
        QCOMPARE(m_desk->starts(), starts);
        QCOMPARE(m_search->status(), SearchStatus::Paused);
        m_search->resume();
        QTRY_COMPARE(m_desk->starts(), starts + 1);
        QCOMPARE(m_desk->lastOptions().request, m_document->revision());
    }

    void proofEndsTheSearchAndAnEditBeginsAnother()
    {
        startAndFind();
        m_desk->newest()->publish([](SearchSnapshot &s) { s.status = SearchStatus::Optimal; });
        QTRY_COMPARE(m_search->status(), SearchStatus::Optimal);
        QTRY_COMPARE(m_desk->alive.load(), 0);
        QVERIFY(m_search->canStart() && !m_search->canPause());
        setBandwidth("rail-0", 1);
        QVERIFY(m_search->isSnapshotStale()); // the proof was of another network
        QTRY_COMPARE(m_desk->starts(), 2);
        QVERIFY(m_search->status() != SearchStatus::Optimal);
    }

    void failureKeepsTheDocument()
    {
        const auto digest = m_document->cluster().digest();
        QSignalSpy failed(m_search.get(), &SearchController::failed);
        m_desk->failure = "out of cheese";
        m_search->start();
        QTRY_COMPARE(m_search->status(), SearchStatus::Failed);
        QCOMPARE(failed.size(), 1);
        QVERIFY(failed.first().first().toString().contains(QLatin1String("out of cheese")));
        QVERIFY(m_document->cluster().digest() == digest);
        m_desk->failure.clear();
        startAndFind();
        m_desk->newest()->publish([](SearchSnapshot &s) {
            s.status = SearchStatus::Failed;
            s.message = "a bound above its completion";
        });
        QTRY_COMPARE(failed.size(), 2);
        QVERIFY(m_search->canStart());
    }

    void missingDeviceLeavesTheOldPlanMarked()
    {
        startAndFind();
        ClusterParts parts = m_document->cluster().parts();
        parts.devices[3].id = "renamed";
        m_document->setCluster(*Cluster::make(parts), QStringLiteral("rename"));
        QVERIFY(!m_search->shownError().isEmpty());
        QTRY_VERIFY(m_search->shown().stale);
        QVERIFY(m_search->shown().schedule);
        m_document->undoStack().undo();
        QTRY_VERIFY(m_search->isShownCurrent()); // the plan is back before any search says so
        QVERIFY(*m_search->shown().plan == smallPlan());
        QVERIFY(!m_search->shown().stale);
    }

    void movingOnTheCanvasChangesNothing()
    {
        startAndFind();
        const auto request = m_search->request();
        ClusterParts parts = m_document->cluster().parts();
        parts.layout["gpu-0"] = {100, 50};
        m_document->setCluster(*Cluster::make(parts), QStringLiteral("move"));
        QCOMPARE(m_search->request(), request);
        QVERIFY(m_search->isShownCurrent());
        QTest::qWait(250);
        QCOMPARE(m_desk->starts(), 1);
    }

    void destroyedWhileSearching()
    {
        startAndFind();
        setBandwidth("rail-0", 3); // a simulation and a restart are on their way
        m_search.reset();
        QCOMPARE(m_desk->alive.load(), 0);
        m_search = std::make_unique<SearchController>(*m_document);
        m_search->setStarter([desk = m_desk.get()](std::shared_ptr<const CostContext>, SearchOptions options) {
            return std::make_unique<FakeSearch>(*desk, std::move(options));
        });
        m_search->start();
        m_search.reset(); // before the search has even begun
        QCoreApplication::processEvents();
        QCOMPARE(m_desk->alive.load(), 0);
    }

    void clearForgetsThePlan()
    {
        startAndFind();
        m_search->clear();
        m_document->reset(smallCluster(), smallJob(), {});
        QVERIFY(!m_search->shown().schedule);
        QCOMPARE(m_search->status(), SearchStatus::Idle);
        QVERIFY(m_search->change().isEmpty());
        QTRY_COMPARE(m_desk->alive.load(), 0);
    }

    void startWithoutDevicesWaitsForThem()
    {
        m_search->clear();
        m_document->reset(Cluster(), smallJob(), {});
        m_search->start();
        QCOMPARE(m_search->status(), SearchStatus::Idle);
        QCOMPARE(m_desk->starts(), 0);
        m_document->setCluster(smallCluster(), QStringLiteral("add"));
        QTRY_COMPARE(m_desk->starts(), 1);
    }

    // ---- Words ---------------------------------------------------------------------------------------------------

    void changeIsToldFromWhereTheDragBegan()
    {
        startAndFind();
        const Nanoseconds before = m_search->shown().schedule->makespan;
        for (const double rate : {8.0, 4.0, 2.0}) {
            setBandwidth("rail-0", rate, QStringLiteral("rail-0"));
            QTRY_VERIFY(m_search->isShownCurrent()); // each step of the drag is worked out on its own
        }
        m_document->endGesture();
        const Nanoseconds after = m_search->shown().schedule->makespan;
        QTRY_VERIFY(m_search->change().headline.startsWith(QLatin1String("Rail-0 from 10 to 2 Gb/s: ")));
        QVERIFY2(m_search->change().headline.contains(describeEffect(before, after)),
                 qPrintable(m_search->change().headline));
        m_document->undoStack().undo();
        QTRY_VERIFY(m_search->change().headline.startsWith(QLatin1String("Rail-0 from 2 to 10 Gb/s: ")));
    }

    void uselessLinkSaysWhy()
    {
        startAndFind();
        setBandwidth("mgmt", 0.05);
        QTRY_VERIFY(m_search->isShownCurrent());
        QTRY_VERIFY2(m_search->change().detail.contains(QLatin1String("mgmt is not used")),
                     qPrintable(m_search->change().detail));
        QVERIFY(m_search->change().headline.contains(QStringLiteral("(0.0\u00A0%)")));
    }

    void figures()
    {
        QCOMPARE(stepFigure(Nanoseconds(3709000000)).text(), QStringLiteral("3.709\u00A0s"));
        QCOMPARE(stepFigure(Nanoseconds(49000000)).text(), QStringLiteral("49.0\u00A0ms"));
        QCOMPARE(percent(0.021), QStringLiteral("2.1\u00A0%"));
        QCOMPARE(percent(0.006, true), QStringLiteral("+0.6\u00A0%"));
        QCOMPARE(percent(-0.006, true), QStringLiteral("\u22120.6\u00A0%"));
        QCOMPARE(percent(-0.0001, true), QStringLiteral("0.0\u00A0%"));
        QCOMPARE(describeEffect(Nanoseconds(3685000000), Nanoseconds(3709000000)),
                 QStringLiteral("3.685 to 3.709\u00A0s (+0.7\u00A0%)"));
        QCOMPARE(elapsedText(14.6), QStringLiteral("14.6\u00A0s"));
        QCOMPARE(elapsedText(125), QStringLiteral("2:05"));
    }

    void onlyAProofIsCalledOptimal()
    {
        for (int s = static_cast<int>(SearchStatus::Idle); s <= static_cast<int>(SearchStatus::Failed); ++s) {
            SearchSnapshot snapshot;
            snapshot.status = static_cast<SearchStatus>(s);
            snapshot.best = Candidate{std::make_shared<const Plan>(), Nanoseconds(1), 0};
            const QString all = statusWord(snapshot.status) + statusSentence(snapshot);
            QCOMPARE(all.contains(QLatin1String("optimal"), Qt::CaseInsensitive),
                     snapshot.status == SearchStatus::Optimal);
            QVERIFY(!statusWord(snapshot.status).isEmpty());
            QVERIFY(statusSentence(snapshot).endsWith(QLatin1Char('.')));
        }
    }

    // ---- The real engine -----------------------------------------------------------------------------------------

    void realSearchFollowsASlider()
    {
        SearchController search(*m_document);
        search.start();
        QTRY_VERIFY_WITH_TIMEOUT(search.isShownCurrent(), 20000);
        const auto revision = m_document->revision();
        setBandwidth("rail-0", 1);
        QVERIFY(m_document->revision() > revision);
        QTRY_VERIFY_WITH_TIMEOUT(search.isShownCurrent() && search.snapshot()->request == m_document->revision(), 20000);
        QTRY_VERIFY_WITH_TIMEOUT(search.snapshot()->sequence > 0 && search.snapshot()->best, 20000);
        const CostContext context(Problem{m_document->cluster(), m_document->job()});
        QVERIFY(checkPlan(context, *search.snapshot()->best->plan).has_value());
        search.stop();
        QTRY_VERIFY_WITH_TIMEOUT(isFinal(search.status()), 20000);
    }
};

QTEST_GUILESS_MAIN(tst_SearchController)
#include "tst_search_controller.moc"
