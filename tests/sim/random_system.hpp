// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "small_net.hpp"

#include <algorithm>
#include <random>

/// Random clusters and task graphs, the same on every machine for a seed.
namespace small {

class Dice
{
public:
    explicit Dice(std::uint64_t seed) : m_engine(seed) {}
    int below(int n) { return static_cast<int>(m_engine() % static_cast<std::uint64_t>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool oneIn(int n) { return below(n) == 0; }

private:
    std::mt19937_64 m_engine;
};

struct System
{
    Cluster cluster;
    std::shared_ptr<const TaskGraph> graph;
};

inline Cluster randomCluster(Dice &dice)
{
    const int devices = dice.between(2, 6);
    Net net(devices, std::int64_t(1) << 40);
    const int links = dice.between(1, 10);
    for (int l = 0; l < links; ++l) {
        const int a = dice.below(devices);
        const int b = (a + 1 + dice.below(devices - 1)) % devices;
        net.link(a, b, dice.between(1, 40) * (dice.oneIn(3) ? 0.37 : 1.0), dice.oneIn(4) ? Duplex::Half : Duplex::Full);
    }
    for (int c = dice.below(3); c > 0 && links >= 2; --c) {
        const int first = dice.below(links);
        const int second = (first + 1 + dice.below(links - 1)) % links;
        if (dice.oneIn(2))
            net.exclusive({first, second});
        else
            net.capacity({first, second}, dice.between(1, 30), dice.oneIn(2));
    }
    return net.cluster();
}

inline SimTask randomTransfer(Dice &dice, const Cluster &cluster, const Network &network)
{
    SimTask task;
    task.kind = TaskKind::Transfer;
    task.latency = Nanoseconds(dice.oneIn(2) ? dice.below(50) : 0);
    task.duration = Nanoseconds(dice.oneIn(3) ? dice.below(400) : 0);
    for (int u = dice.between(1, 4); u > 0; --u) {
        const LinkId link(dice.below(static_cast<int>(cluster.links().size())));
        task.uses.push_back({link, dice.oneIn(2) ? fwd : bwd, double(dice.oneIn(8) ? 0 : dice.between(1, 5000))});
        if (!network.possible(task.uses))
            task.uses.pop_back();
    }
    return task;
}

inline System randomSystem(std::uint64_t seed)
{
    Dice dice(seed);
    System system;
    system.cluster = randomCluster(dice);
    const Network network(system.cluster);
    const int devices = static_cast<int>(system.cluster.devices().size());
    TaskGraph graph;
    const int count = dice.between(3, 80);
    // Preds point down in a shuffled order, so that vector order and time order differ.
    std::vector<int> order(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        order[static_cast<std::size_t>(i)] = i;
    if (dice.oneIn(2)) {
        for (int i = count - 1; i > 0; --i)
            std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(dice.below(i + 1))]);
    }
    graph.tasks.resize(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) {
        SimTask task;
        if (dice.oneIn(2)) {
            task = randomTransfer(dice, system.cluster, network);
        } else {
            task.duration = Nanoseconds(dice.oneIn(6) ? 0 : dice.between(1, 300));
            task.stream = static_cast<std::uint8_t>(dice.oneIn(4));
            for (int d = dice.oneIn(3) ? dice.between(0, 3) : 1; d > 0; --d)
                task.devices.push_back(DeviceId(dice.below(devices)));
        }
        for (int p = k == 0 ? 0 : dice.below(4); p > 0; --p)
            task.preds.push_back(TaskId(order[static_cast<std::size_t>(dice.below(k))]));
        graph.tasks[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = std::move(task);
    }
    for (int m = dice.below(20); m > 0; --m) {
        const TaskId task(dice.below(count));
        const DeviceId device(dice.below(devices));
        const int bytes = dice.between(1, 1000);
        graph.memory.push_back({task, false, device, bytes});
        if (dice.oneIn(2))
            graph.memory.push_back({task, true, device, -bytes});
    }
    if (dice.oneIn(2))
        graph.baseMemory.assign(static_cast<std::size_t>(devices), dice.below(100));
    system.graph = std::make_shared<const TaskGraph>(std::move(graph));
    return system;
}

} // namespace small
