// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/topo_tree.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace polyrail {

namespace {

using Group = std::vector<std::size_t>;

class TreeBuilder
{
public:
    explicit TreeBuilder(const TopoMatrix &matrix) : m_matrix(matrix), m_n(matrix.vertexCount()) { }

    TopoTree build()
    {
        m_tree.parentOf.assign(m_n, 0);
        std::vector<Group> cpus = groupsWithin(all(), TopoRelation::Node);
        mergeByNuma(cpus);
        mergeHidden(cpus);
        nameCpus(cpus);
        for (std::size_t c = 0; c < cpus.size(); ++c)
            placeUnderCpu(cpus[c], c);
        reportCards();
        return std::move(m_tree);
    }

private:
    Group all() const
    {
        Group group(m_n);
        std::iota(group.begin(), group.end(), std::size_t(0));
        return group;
    }

    /// The PCIe relation of two vertices; Unknown when NVLink hides it.
    TopoRelation pcie(std::size_t a, std::size_t b) const
    {
        const TopoRelation shown = m_matrix.at(a, b).relation;
        if (shown != TopoRelation::NvLink && shown != TopoRelation::Unknown)
            return shown;
        if (m_matrix.pcie.empty())
            return TopoRelation::Unknown;
        const TopoRelation other = m_matrix.pcie[a * m_n + b].relation;
        return other == TopoRelation::NvLink ? TopoRelation::Unknown : other;
    }

    /// Splits a group into parts whose members are joined by relations of at most `level`.
    std::vector<Group> groupsWithin(const Group &group, TopoRelation level) const
    {
        std::vector<Group> parts;
        std::vector<bool> taken(m_n);
        for (std::size_t seed : group) {
            if (taken[seed])
                continue;
            Group part{seed};
            taken[seed] = true;
            for (std::size_t i = 0; i < part.size(); ++i) {
                for (std::size_t other : group) {
                    if (!taken[other] && pcie(part[i], other) <= level) {
                        taken[other] = true;
                        part.push_back(other);
                    }
                }
            }
            std::sort(part.begin(), part.end());
            parts.push_back(std::move(part));
        }
        return parts;
    }

    /// True when nothing printed puts the two groups under different CPUs.
    bool nothingAgainst(const Group &a, const Group &b) const
    {
        for (std::size_t x : a) {
            for (std::size_t y : b) {
                if (pcie(x, y) == TopoRelation::Sys)
                    return false;
            }
        }
        return true;
    }

    std::set<std::string> numaOf(const Group &group) const
    {
        std::set<std::string> values;
        for (std::size_t v : group) {
            if (v < m_matrix.gpus.size() && !m_matrix.numaAffinity[v].empty())
                values.insert(m_matrix.numaAffinity[v]);
        }
        return values;
    }

    std::set<std::string> affinityOf(const Group &group) const
    {
        std::set<std::string> values;
        for (std::size_t v : group) {
            if (v < m_matrix.gpus.size() && !m_matrix.cpuAffinity[v].empty())
                values.insert(m_matrix.cpuAffinity[v]);
        }
        return values;
    }

    template<class May>
    static void mergeWhere(std::vector<Group> &groups, May may)
    {
        for (std::size_t a = 0; a < groups.size(); ++a) {
            for (std::size_t b = a + 1; b < groups.size();) {
                if (!may(groups[a], groups[b])) {
                    ++b;
                    continue;
                }
                groups[a].insert(groups[a].end(), groups[b].begin(), groups[b].end());
                std::sort(groups[a].begin(), groups[a].end());
                groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
            }
        }
    }

    void mergeByNuma(std::vector<Group> &groups)
    {
        bool contradiction = false;
        mergeWhere(groups, [&](const Group &a, const Group &b) {
            const auto x = numaOf(a);
            if (x.empty() || x != numaOf(b))
                return false;
            if (nothingAgainst(a, b))
                return true;
            contradiction = true;
            return false;
        });
        if (contradiction)
            m_tree.warnings.push_back("GPUs of one NUMA node are SYS to each other (as in some virtual machines and "
                                      "boards): they were drawn under CPUs of their own, as the matrix says.");
    }

    /// What is left undecided: joined where no cell and no affinity speaks against it.
    void mergeHidden(std::vector<Group> &groups) const
    {
        mergeWhere(groups, [&](const Group &a, const Group &b) {
            const auto numaA = numaOf(a);
            const auto numaB = numaOf(b);
            const auto cpuA = affinityOf(a);
            const auto cpuB = affinityOf(b);
            const bool differ = (!numaA.empty() && !numaB.empty() && numaA != numaB)
                || (numaA.empty() && numaB.empty() && !cpuA.empty() && !cpuB.empty() && cpuA != cpuB);
            return !differ && nothingAgainst(a, b);
        });
    }

    void nameCpus(const std::vector<Group> &groups)
    {
        // Named by NUMA node where that is one plain number, else by the next free number.
        std::set<std::string> used;
        std::vector<std::string> names(groups.size());
        for (std::size_t c = 0; c < groups.size(); ++c) {
            const auto numa = numaOf(groups[c]);
            if (numa.size() != 1 || numa.begin()->find_first_not_of("0123456789") != std::string::npos)
                continue;
            if (used.insert("cpu" + *numa.begin()).second)
                names[c] = "cpu" + *numa.begin();
        }
        std::size_t next = 0;
        for (std::string &name : names) {
            while (name.empty()) {
                const std::string candidate = "cpu" + std::to_string(next++);
                if (used.insert(candidate).second)
                    name = candidate;
            }
            m_tree.hubs.push_back({name, HubKind::Cpu, std::nullopt});
        }
    }

    std::size_t addHub(const char *kind, HubKind hubKind, std::size_t parent)
    {
        const std::string name = kind + std::to_string(m_counters[kind]++);
        m_tree.hubs.push_back({name, hubKind, parent});
        return m_tree.hubs.size() - 1;
    }

    void placeUnderCpu(const Group &group, std::size_t cpu)
    {
        const auto bridges = groupsWithin(group, TopoRelation::Phb);
        for (const Group &bridge : bridges) {
            // One host bridge, or a bridge with one member, is the CPU's own.
            const auto switches = groupsWithin(bridge, TopoRelation::Pxb);
            const bool own = bridges.size() == 1 || switches.size() == 1;
            const std::size_t parent = own ? cpu : addHub("bridge", HubKind::Other, cpu);
            for (const Group &members : switches)
                placeUnderSwitch(members, parent);
        }
    }

    void placeUnderSwitch(const Group &members, std::size_t parent)
    {
        if (members.size() == 1) {
            m_tree.parentOf[members.front()] = parent;
            return;
        }
        const std::size_t hub = addHub("switch", HubKind::PcieSwitch, parent);
        const auto inner = groupsWithin(members, TopoRelation::Pix);
        for (const Group &part : inner) {
            const std::size_t place
                = part.size() > 1 && inner.size() > 1 ? addHub("switch", HubKind::PcieSwitch, hub) : hub;
            for (std::size_t v : part)
                m_tree.parentOf[v] = place;
        }
    }

    /// NICs that are PIX to each other and to no GPU are most likely functions of one card.
    void reportCards()
    {
        std::map<std::size_t, Group> byHub;
        for (std::size_t v = 0; v < m_n; ++v)
            byHub[m_tree.parentOf[v]].push_back(v);
        for (const auto &[hub, members] : byHub) {
            const bool nicsOnly = members.front() >= m_matrix.gpus.size();
            if (m_tree.hubs[hub].kind != HubKind::PcieSwitch || !nicsOnly || members.size() < 2)
                continue;
            m_tree.warnings.push_back(m_matrix.name(members.front()) + " to " + m_matrix.name(members.back()) + " ("
                + std::to_string(members.size())
                + " NICs) are behind one bridge, as functions of one card are: they share its "
                  "PCIe link and perhaps its ports, and are not rails of their own.");
        }
    }

    const TopoMatrix &m_matrix;
    std::size_t m_n;
    TopoTree m_tree;
    std::map<std::string, std::size_t> m_counters;
};

} // namespace

TopoTree inferTopoTree(const TopoMatrix &matrix) { return TreeBuilder(matrix).build(); }

} // namespace polyrail
