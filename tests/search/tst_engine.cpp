// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/search/permutation_space.hpp"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <thread>

using namespace polyrail;
using testing::PermutationSpace;

class TestEngine : public QObject
{
    Q_OBJECT

private slots:
    void findsTheOptimum_data()
    {
        QTest::addColumn<int>("threads");
        QTest::newRow("one thread") << 1;
        QTest::newRow("two threads") << 2;
        QTest::newRow("eight threads") << 8;
    }
    void findsTheOptimum()
    {
        QFETCH(int, threads);
        for (unsigned seed = 1; seed <= 20; ++seed) {
            const PermutationSpace space(7, seed);
            Engine engine(space, {threads, {}, 0});
            engine.run();
            const Engine::State state = engine.state();
            QCOMPARE(state.status, SearchStatus::Optimal);
            QCOMPARE(state.top.front().step.value, space.bruteForce());
            QCOMPARE(state.bound.value, space.bruteForce());
            QVERIFY(state.nodes > 0);
            QCOMPARE(state.open, 0);
            QVERIFY(std::is_sorted(state.top.begin(), state.top.end(),
                                   [](const Candidate &a, const Candidate &b) { return a.step < b.step; }));
        }
    }

    void oneThreadIsDeterministic()
    {
        const PermutationSpace space(9, 3);
        const auto run = [&] {
            Engine engine(space, {1, {}, 200});
            engine.run();
            return std::make_pair(engine.events(0), engine.state().bound);
        };
        const auto a = run();
        const auto b = run();
        QVERIFY(a.first.size() > 100);
        QVERIFY(a.first == b.first);
        QCOMPARE(a.second.value, b.second.value);
    }

    void nodeLimitStops()
    {
        const PermutationSpace space(10, 5);
        Engine engine(space, {1, {}, 100});
        engine.run();
        const Engine::State state = engine.state();
        QCOMPARE(state.status, SearchStatus::NodeLimit);
        QVERIFY(state.nodes >= 100 && state.nodes < 200);
        QVERIFY(state.bound.value <= space.bruteForce());
    }

    void boundNeverPassesTheOptimumWhileRunning()
    {
        const PermutationSpace space(9, 11);
        const std::int64_t optimum = space.bruteForce();
        Engine engine(space, {2, {}, 0});
        std::thread runner([&] { engine.run(); });
        std::int64_t last = 0;
        bool fine = true;
        while (!isFinal(engine.state().status)) {
            const Engine::State s = engine.state();
            fine = fine && s.bound.value <= optimum && s.bound.value >= last;
            if (!s.top.empty())
                fine = fine && s.top.front().step.value >= optimum;
            last = s.bound.value;
        }
        runner.join();
        QVERIFY(fine);
        QCOMPARE(engine.state().bound.value, optimum);
    }

    void infeasibleIsProven()
    {
        PermutationSpace space(6, 1);
        space.noLeaves = true;
        Engine engine(space, {2, {}, 0});
        engine.run();
        QCOMPARE(engine.state().status, SearchStatus::Infeasible);
        QVERIFY(engine.state().top.empty());
    }

    void offeredSolutionCutsAndCounts()
    {
        const PermutationSpace space(8, 2);
        Engine engine(space, {1, {}, 0});
        engine.offer({Nanoseconds(space.bruteForce()), std::make_shared<const Plan>(), "given"});
        engine.run();
        const Engine::State state = engine.state();
        QCOMPARE(state.status, SearchStatus::Optimal);
        QCOMPARE(state.top.front().step.value, space.bruteForce());
        QVERIFY(state.cuts.bound > 0);
    }

    void pauseHoldsAndResumeFinishes()
    {
        const PermutationSpace space(10, 4);
        Engine engine(space, {2, {}, 0});
        engine.pause();
        std::thread runner([&] { engine.run(); });
        QTest::qWait(50);
        QCOMPARE(engine.state().status, SearchStatus::Paused);
        QCOMPARE(engine.state().nodes, 0);
        engine.resume();
        runner.join();
        QCOMPARE(engine.state().status, SearchStatus::Optimal);
    }

    void stopEndsWhilePaused()
    {
        const PermutationSpace space(10, 4);
        Engine engine(space, {2, {}, 0});
        engine.pause();
        std::thread runner([&] { engine.run(); });
        QTest::qWait(20);
        engine.stop();
        runner.join();
        QCOMPARE(engine.state().status, SearchStatus::Stopped);
    }

    void aBrokenSpaceFailsWithItsReason()
    {
        PermutationSpace space(6, 1);
        space.throws = true;
        Engine engine(space, {2, {}, 0});
        engine.run();
        QCOMPARE(engine.state().status, SearchStatus::Failed);
        QVERIFY(engine.state().message.find("on purpose") != std::string::npos);
    }

    void historyMovesOneWay()
    {
        const PermutationSpace space(9, 6);
        Engine engine(space, {1, {}, 0});
        engine.run();
        const Engine::State state = engine.state();
        QVERIFY(state.history.size() >= 2);
        for (std::size_t i = 1; i < state.history.size(); ++i) {
            QVERIFY(state.history[i].bound >= state.history[i - 1].bound);
            if (state.history[i - 1].incumbent)
                QVERIFY(*state.history[i].incumbent <= *state.history[i - 1].incumbent);
        }
    }
};

QTEST_GUILESS_MAIN(TestEngine)
#include "tst_engine.moc"
