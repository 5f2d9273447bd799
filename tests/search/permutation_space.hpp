// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/engine.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

namespace polyrail::testing {

/// Assignment of n jobs to n machines with random costs: small, with a weak bound, and easy to try out by brute force.
class PermutationSpace : public SearchSpace
{
public:
    PermutationSpace(int n, unsigned seed) : m_n(n), m_cost(static_cast<std::size_t>(n * n))
    {
        std::mt19937 random(seed);
        for (std::int64_t &c : m_cost)
            c = 1 + static_cast<std::int64_t>(random() % 1000);
    }
    bool noLeaves = false;
    bool throws = false;

    struct Node : SearchNode
    {
        std::vector<int> chosen;
        std::int64_t cost = 0;
    };

    NodePtr root() const override { return std::make_unique<Node>(); }

    void expand(const SearchNode &base, Expansion &out) const override
    {
        const auto &node = static_cast<const Node &>(base);
        if (throws && node.depth == 3)
            throw std::logic_error("broken on purpose");
        for (int machine = 0; machine < m_n; ++machine) {
            if (std::find(node.chosen.begin(), node.chosen.end(), machine) != node.chosen.end())
                continue;
            auto child = std::make_unique<Node>(node);
            child->depth = node.depth + 1;
            child->cost += cost(node.depth, machine);
            child->chosen.push_back(machine);
            if (child->depth == m_n) {
                ++out.simulations;
                if (!noLeaves && Nanoseconds(child->cost) < out.cutoff)
                    out.solutions.push_back({Nanoseconds(child->cost), std::make_shared<const Plan>(), key(*child)});
                continue;
            }
            child->bound = Nanoseconds(child->cost + restBound(child->depth));
            if (child->bound < out.cutoff)
                out.children.push_back(std::move(child));
            else
                ++out.cuts.bound;
        }
    }

    std::int64_t bruteForce() const
    {
        std::vector<int> order(static_cast<std::size_t>(m_n));
        std::iota(order.begin(), order.end(), 0);
        std::int64_t best = std::numeric_limits<std::int64_t>::max();
        do {
            std::int64_t sum = 0;
            for (int job = 0; job < m_n; ++job)
                sum += cost(job, order[static_cast<std::size_t>(job)]);
            best = std::min(best, sum);
        } while (std::next_permutation(order.begin(), order.end()));
        return best;
    }

private:
    std::int64_t cost(int job, int machine) const { return m_cost[static_cast<std::size_t>(job * m_n + machine)]; }
    std::int64_t restBound(int from) const
    {
        std::int64_t sum = 0;
        for (int job = from; job < m_n; ++job) {
            std::int64_t least = std::numeric_limits<std::int64_t>::max();
            for (int machine = 0; machine < m_n; ++machine)
                least = std::min(least, cost(job, machine));
            sum += least;
        }
        return sum;
    }
    static std::string key(const Node &node)
    {
        std::string text;
        for (int machine : node.chosen)
            text += static_cast<char>('a' + machine);
        return text;
    }

    int m_n;
    std::vector<std::int64_t> m_cost;
};

} // namespace polyrail::testing
