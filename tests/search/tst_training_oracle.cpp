// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/search/enumerate.hpp"
#include "tests/search/random_problem.hpp"

#include "core/search/search.hpp"

#include <QTest>

using namespace polyrail;

/// The search must return exactly the value that trying every plan gives, on one and on two threads.
class TestTrainingOracle : public QObject
{
    Q_OBJECT

private slots:
    void agreesWithEnumeration()
    {
        int feasible = 0;
        int infeasible = 0;
        long plans = 0;
        for (std::uint64_t seed = 1; seed <= 70; ++seed) {
            const auto context = std::make_shared<const CostContext>(testing::randomProblem(seed));
            const TrainingSpace space(context, 16);
            testing::Enumerator enumerator(context, space);
            const std::optional<Nanoseconds> expected = enumerator.best();
            plans += enumerator.plans();
            for (int threads : {1, 2}) {
                SearchOptions options;
                options.threads = threads;
                options.baselines = false;
                const auto search = Search::start(context, options);
                search->wait();
                const auto result = search->latest();
                const QByteArray where = "seed " + QByteArray::number(qulonglong(seed)) + ", threads "
                    + QByteArray::number(threads) + ": " + toString(result->status) + ' '
                    + result->message.c_str();
                if (!expected) {
                    QVERIFY2(result->status == SearchStatus::Infeasible, where.constData());
                    continue;
                }
                QVERIFY2(result->status == SearchStatus::Optimal, where.constData());
                QVERIFY2(result->best->step == *expected,
                         (where + " found " + QByteArray::number(qlonglong(result->best->step.value)) + " expected "
                          + QByteArray::number(qlonglong(expected->value)))
                             .constData());
                QCOMPARE(result->bound.value, expected->value);
                QCOMPARE(result->gap, 0.0);
            }
            ++(expected ? feasible : infeasible);
        }
        qInfo("%d feasible, %d infeasible, %ld plans enumerated", feasible, infeasible, plans);
        QVERIFY(feasible >= 50);
        QVERIFY(infeasible >= 1);
    }

    void sameSeedSameLog()
    {
        const auto context = std::make_shared<const CostContext>(testing::randomProblem(7));
        const auto log = [&] {
            SearchOptions options;
            options.threads = 1;
            options.nodeLimit = 60;
            const auto search = Search::start(context, options);
            search->wait();
            return std::make_pair(search->events(0), search->latest()->best->step);
        };
        const auto first = log();
        QVERIFY(first.first.size() > 3);
        QVERIFY(first == log());
    }
};

QTEST_GUILESS_MAIN(TestTrainingOracle)
#include "tst_training_oracle.moc"
