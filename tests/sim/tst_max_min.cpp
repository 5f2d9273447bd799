// SPDX-License-Identifier: GPL-3.0-or-later
// The rates against a second, simple solver: real-valued time, dense matrices, everything solved anew at
// every event. Written from the definition of max-min fairness, not from the simulator.
#include "random_system.hpp"

#include <QtTest>
#include <cmath>

using namespace small;

namespace {

struct Moving
{
    double readyAt = 0;
    double left = 0;             ///< bytes on the reference row
    double ceiling = 0;          ///< of the rate on it
    std::vector<double> weight;  ///< by row
    double end = -1;
};

/// Progressive filling in small print: raise all that can rise to the lowest level at which a row is full
/// or a ceiling is met.
std::vector<double> maxMin(const std::vector<Moving> &all, const std::vector<std::size_t> &active,
                           const std::vector<double> &capacity)
{
    std::vector<double> rate(all.size(), -1);
    for (std::size_t open = active.size(); open > 0;) {
        double level = 1e300;
        std::vector<double> rowLevel(capacity.size(), 1e300);
        for (std::size_t r = 0; r < capacity.size(); ++r) {
            double given = 0;
            double rising = 0;
            for (std::size_t f : active)
                (rate[f] >= 0 ? given : rising) += all[f].weight[r] * (rate[f] >= 0 ? rate[f] : 1);
            if (rising > 0)
                rowLevel[r] = (capacity[r] - given) / rising;
            level = std::min(level, rowLevel[r]);
        }
        for (std::size_t f : active) {
            if (rate[f] < 0)
                level = std::min(level, all[f].ceiling);
        }
        for (std::size_t f : active) {
            bool full = all[f].ceiling <= level * (1 + 1e-10);
            for (std::size_t r = 0; r < capacity.size(); ++r)
                full = full || (all[f].weight[r] > 0 && rowLevel[r] <= level * (1 + 1e-10));
            if (rate[f] < 0 && full) {
                rate[f] = level;
                --open;
            }
        }
    }
    return rate;
}

void runAll(std::vector<Moving> &all, const std::vector<double> &capacity)
{
    double now = 0;
    while (true) {
        std::vector<std::size_t> active;
        double next = 1e300;
        for (std::size_t f = 0; f < all.size(); ++f) {
            if (all[f].end >= 0)
                continue;
            if (all[f].readyAt <= now)
                active.push_back(f);
            else
                next = std::min(next, all[f].readyAt);
        }
        if (active.empty() && next == 1e300)
            return;
        const std::vector<double> rate = maxMin(all, active, capacity);
        std::size_t ends = all.size();
        for (std::size_t f : active) {
            if (now + all[f].left / rate[f] <= next) {
                next = now + all[f].left / rate[f];
                ends = f;
            }
        }
        for (std::size_t f : active) {
            all[f].left = std::max(0.0, all[f].left - rate[f] * (next - now));
            if (f == ends || all[f].left < 1e-9 * rate[f])
                all[f].end = next;
        }
        now = next;
    }
}

} // namespace

class TestMaxMin : public QObject
{
    Q_OBJECT

private slots:
    void agreesWithASimpleSolver();
};

void TestMaxMin::agreesWithASimpleSolver()
{
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Dice dice(seed * 7919);
        const int devices = dice.between(2, 5);
        Net net(devices);
        const int links = dice.between(1, 6);
        for (int l = 0; l < links; ++l)
            net.link(0, 1 + dice.below(devices - 1), dice.between(1, 20), dice.oneIn(3) ? Duplex::Half : Duplex::Full);
        if (links >= 2 && dice.oneIn(2))
            net.capacity({0, 1}, dice.between(1, 25), dice.oneIn(2));
        const Cluster cluster = net.cluster();
        const Network network(cluster);
        std::vector<double> capacity;
        for (double c : network.capacities())
            capacity.push_back(c * 1e-9);

        Graph g;
        std::vector<Moving> all;
        std::vector<int> ids;
        for (int f = dice.between(1, 12); f > 0; --f) {
            SimTask task = randomTransfer(dice, cluster, network);
            task.latency = Nanoseconds(dice.below(3000)); // the time at which its body is ready
            for (LinkUse &use : task.uses)
                use.bytes *= 100;
            if (network.aloneTime(task.uses).value == 0)
                continue;
            Moving m;
            m.readyAt = double(task.latency.value);
            m.weight.assign(capacity.size(), 0);
            for (const Network::Term &t : network.terms(task.uses))
                m.weight[std::size_t(t.row)] = t.bytes;
            std::size_t own = 0;
            for (std::size_t r = 0; r < capacity.size(); ++r) {
                const double here = m.weight[r] / capacity[r];
                const double best = m.weight[own] / capacity[own];
                if (here > best * (1 + 1e-9) || (here > best * (1 - 1e-9) && m.weight[r] > m.weight[own]))
                    own = r;
            }
            m.left = m.weight[own];
            m.ceiling = task.duration.value > 0 ? m.left / double(task.duration.value) : 1e300;
            for (double &w : m.weight)
                w /= m.left;
            all.push_back(m);
            TaskGraph &graph = g.graph();
            ids.push_back(int(graph.tasks.size()));
            graph.tasks.push_back(task);
        }
        if (all.empty())
            continue;
        const std::size_t rounding = 2 * all.size() + 2; // less than 1 ns at every begin and end
        runAll(all, capacity);
        const Schedule s = run(g, cluster);
        for (std::size_t f = 0; f < all.size(); ++f) {
            const double difference = double(end(s, ids[f])) - all[f].end;
            QVERIFY2(std::abs(difference) <= double(rounding),
                     qPrintable(QString("seed %1, flow %2: %3 instead of %4").arg(seed).arg(f).arg(end(s, ids[f])).arg(all[f].end)));
            ++compared;
        }
    }
    QVERIFY(compared > 1500);
}

QTEST_GUILESS_MAIN(TestMaxMin)
#include "tst_max_min.moc"
