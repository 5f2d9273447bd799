// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/sim/validator.hpp"

#include <map>

namespace polyrail {

/// Collects violations; a rule that is broken everywhere is cut off after its first ones and counted.
/// Internal to the validator.
class Violations
{
public:
    void add(const char *rule, std::string detail)
    {
        if (++m_count[rule] <= mostPerRule)
            m_found.push_back({rule, std::move(detail)});
    }
    std::vector<Violation> take()
    {
        for (const auto &[rule, count] : m_count) {
            if (count > mostPerRule)
                m_found.push_back({rule, "and " + std::to_string(count - mostPerRule) + " more"});
        }
        return std::move(m_found);
    }

private:
    static constexpr int mostPerRule = 50;

    std::vector<Violation> m_found;
    std::map<std::string, int> m_count;
};

/// Rates, bytes, conflicts and down links.
void validateLinks(const Schedule &schedule, const Cluster &cluster, Violations &violations);
/// Steps against the capacity and, where the graph says what tasks hold, against the graph.
void validateMemory(const Schedule &schedule, const Cluster &cluster, Violations &violations);

} // namespace polyrail
