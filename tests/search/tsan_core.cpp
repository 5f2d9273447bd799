// SPDX-License-Identifier: GPL-3.0-or-later
// The threads of core without Qt, for the thread sanitizer: engine and training search under eight threads, with storms of
// pause, resume, stop and restart while snapshots are pulled. Exit code 1 on a wrong result.
#include "tests/search/permutation_space.hpp"
#include "tests/search/random_problem.hpp"

#include "core/search/search.hpp"

#include <cstdio>
#include <thread>

using namespace polyrail;

namespace {

int failures = 0;

void expect(bool ok, const char *what)
{
    if (!ok) {
        std::fprintf(stderr, "FAILED: %s\n", what);
        ++failures;
    }
}

void enginesAgree()
{
    for (unsigned seed = 1; seed <= 6; ++seed) {
        const testing::PermutationSpace space(8, seed);
        Engine engine(space, {8, {}, 0});
        std::thread watcher([&] {
            while (!isFinal(engine.state().status))
                (void)engine.events(0);
        });
        engine.run();
        watcher.join();
        expect(engine.state().status == SearchStatus::Optimal, "status of an engine run");
        expect(engine.state().top.front().step.value == space.bruteForce(), "optimum of an engine run");
    }
}

void storm()
{
    const testing::PermutationSpace space(11, 99);
    for (int round = 0; round < 12; ++round) {
        Engine engine(space, {8, {}, 0});
        std::thread runner([&] { engine.run(); });
        for (int i = 0; i < 20; ++i) {
            engine.pause();
            (void)engine.state();
            engine.resume();
        }
        engine.stop();
        runner.join();
        expect(isFinal(engine.state().status), "final after a storm");
    }
}

void searchesRestart()
{
    const auto context = std::make_shared<const CostContext>(testing::randomProblem(7));
    Nanoseconds optimum;
    for (int round = 0; round < 10; ++round) {
        SearchOptions options;
        options.threads = 8;
        options.request = static_cast<std::uint64_t>(round);
        const auto search = Search::start(context, options);
        if (round % 2 == 1) {
            search->stop();
            continue; // destroyed while it winds down
        }
        while (!isFinal(search->latest()->status))
            std::this_thread::yield();
        search->wait();
        const auto snapshot = search->latest();
        expect(snapshot->status == SearchStatus::Optimal, "status of a search");
        if (round == 0)
            optimum = snapshot->best->step;
        expect(snapshot->best->step == optimum, "same optimum every time");
    }
}

} // namespace

int main()
{
    enginesAgree();
    storm();
    searchesRestart();
    std::printf("%s\n", failures == 0 ? "all good" : "failures");
    return failures == 0 ? 0 : 1;
}
