// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/operator_graph.hpp"

#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace polyrail {

namespace {

constexpr std::size_t mostNamesInCycle = 12;

bool isSize(double v)
{
    return std::isfinite(v) && v >= 0;
}

std::string numberText(double v)
{
    if (std::isnan(v))
        return "NaN";
    if (std::isinf(v))
        return v > 0 ? "infinity" : "-infinity";
    std::string text = std::to_string(v);
    while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
        const bool dot = text.back() == '.';
        text.pop_back();
        if (dot)
            break;
    }
    return text;
}

Result<void> checkModels(const OperatorGraph &graph, std::unordered_set<std::string_view> &names)
{
    for (std::size_t i = 0; i < graph.models.size(); ++i) {
        const auto &m = graph.models[i];
        const std::string where = "/models/" + std::to_string(i);
        if (m.id.empty())
            return inputError(where + "/id", "an empty name", "a name", "");
        if (!names.insert(m.id).second)
            return inputError(where + "/id", "\"" + m.id + "\" a second time", "ids that differ",
                              "Rename one of the two models.");
        if (!std::isfinite(m.weight) || m.weight <= 0)
            return inputError(where + "/weight", numberText(m.weight), "a number > 0",
                              "The objective is the weighted sum of completion times.");
    }
    return {};
}

Result<void> checkOperator(const Operator &op, const std::string &where)
{
    const std::pair<const char *, double> sizes[] = {{"flops", op.flops},
                                                     {"bytes", op.bytes},
                                                     {"parameter_bytes", op.parameterBytes},
                                                     {"output_bytes", op.outputBytes}};
    for (const auto &[name, value] : sizes)
        if (!isSize(value))
            return inputError(where + "/" + name, numberText(value), "a finite number >= 0", "");
    for (const auto &[name, size] : op.dims)
        if (size < 1)
            return inputError(where + "/dims/" + name, std::to_string(size), "a whole number >= 1", "");
    for (const auto &[type, seconds] : op.timesSeconds)
        if (!isSize(seconds))
            return inputError(where + "/times/" + type, numberText(seconds), "a finite time >= 0", "");
    if (op.kind == OperatorKind::Custom && op.timesSeconds.empty() && op.flops == 0 && op.bytes == 0)
        return inputError(where + "/times", "nothing", "times by device type, or flops, or bytes",
                          "A custom operator has no shape from which its time could be worked out.");
    for (std::size_t k = 0; k < op.splits.size(); ++k) {
        const SplitRule &rule = op.splits[k];
        const std::string at = where + "/splits/" + std::to_string(k);
        const auto dim = op.dims.find(rule.dimension);
        if (dim == op.dims.end())
            return inputError(at + "/dimension", "\"" + rule.dimension + "\"", "one of the operator's dims",
                              "Add the dimension with its size to dims, or remove the split.");
        if (rule.granule < 1 || rule.granule > dim->second)
            return inputError(at + "/granule", std::to_string(rule.granule),
                              "a whole number from 1 to " + std::to_string(dim->second), "");
    }
    return {};
}

/// A cycle among the operators that a topological sort could not place: each of them has a predecessor among them,
/// so walking backwards must meet itself.
std::string cycleText(const OperatorGraph &graph, const std::vector<int> &open)
{
    std::vector<int> before(graph.operators.size(), -1);
    for (const Tensor &t : graph.tensors)
        if (open[static_cast<std::size_t>(t.from)] > 0 && open[static_cast<std::size_t>(t.to)] > 0)
            before[static_cast<std::size_t>(t.to)] = t.from;
    std::size_t at = 0;
    while (open[at] == 0)
        ++at;
    std::vector<char> seen(graph.operators.size(), 0);
    while (!seen[at]) {
        seen[at] = 1;
        at = static_cast<std::size_t>(before[at]);
    }
    std::vector<std::size_t> loop{at};
    for (auto i = static_cast<std::size_t>(before[at]); i != at; i = static_cast<std::size_t>(before[i]))
        loop.push_back(i);
    std::string text = graph.operators[at].id;
    std::size_t shown = 0;
    for (std::size_t k = loop.size(); k-- > 0;) {
        if (++shown > mostNamesInCycle && k > 0) {
            text += " -> ... (" + std::to_string(loop.size()) + " operators)";
            break;
        }
        text += " -> " + graph.operators[loop[k]].id;
    }
    return text;
}

} // namespace

const char *toString(OperatorKind k)
{
    switch (k) {
    case OperatorKind::Matmul: return "matmul";
    case OperatorKind::Attention: return "attention";
    case OperatorKind::Elementwise: return "elementwise";
    case OperatorKind::Norm: return "norm";
    case OperatorKind::Embedding: return "embedding";
    case OperatorKind::Custom: return "custom";
    }
    return "custom";
}

const char *toString(Recombination r)
{
    switch (r) {
    case Recombination::None: return "none";
    case Recombination::Concat: return "concat";
    case Recombination::AllReduce: return "all-reduce";
    case Recombination::AllToAll: return "all-to-all";
    }
    return "none";
}

Result<OperatorGraph> checkGraph(OperatorGraph graph)
{
    if (graph.operators.empty())
        return inputError("/operators", "nothing", "at least one operator", "");
    std::unordered_set<std::string_view> models;
    if (auto r = checkModels(graph, models); !r)
        return fail(r.error());

    std::unordered_map<std::string_view, std::size_t> ids;
    ids.reserve(graph.operators.size());
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        const Operator &op = graph.operators[i];
        const std::string where = "/operators/" + std::to_string(i);
        if (op.id.empty())
            return inputError(where + "/id", "an empty name", "a name", "");
        const auto [first, isNew] = ids.emplace(op.id, i);
        if (!isNew)
            return inputError(where + "/id", "\"" + op.id + "\", which /operators/" + std::to_string(first->second) +
                                                 " has too", "ids that differ", "Rename one of the two operators.");
        if (models.count(op.model) == 0 && !(graph.models.empty() && op.model.empty()))
            return inputError(where + "/model", "\"" + op.model + "\"", "the id of one of /models",
                              "Add the model, or correct the name.");
        if (auto r = checkOperator(op, where); !r)
            return fail(r.error());
    }

    const auto count = static_cast<int>(graph.operators.size());
    std::vector<int> open(graph.operators.size(), 0); // predecessors not yet placed
    std::vector<int> first(graph.operators.size() + 1, 0);
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const Tensor &t = graph.tensors[i];
        const std::string where = "/tensors/" + std::to_string(i);
        if (t.from < 0 || t.from >= count)
            return inputError(where + "/from", std::to_string(t.from), "an operator of this graph", "");
        if (t.to < 0 || t.to >= count)
            return inputError(where + "/to", std::to_string(t.to), "an operator of this graph", "");
        if (t.from == t.to)
            return inputError(where, "a tensor from \"" + graph.operators[static_cast<std::size_t>(t.from)].id +
                                         "\" to itself", "two different ends", "An operator cannot wait for itself.");
        if (!isSize(t.bytes))
            return inputError(where + "/bytes", numberText(t.bytes), "a finite number >= 0", "");
        ++open[static_cast<std::size_t>(t.to)];
        ++first[static_cast<std::size_t>(t.from) + 1];
    }

    // Kahn's algorithm over successors laid out in one array.
    for (std::size_t i = 1; i < first.size(); ++i)
        first[i] += first[i - 1];
    std::vector<int> next(graph.tensors.size());
    std::vector<int> fill(first.begin(), first.end() - 1);
    for (const Tensor &t : graph.tensors)
        next[static_cast<std::size_t>(fill[static_cast<std::size_t>(t.from)]++)] = t.to;
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < open.size(); ++i)
        if (open[i] == 0)
            ready.push_back(i);
    for (std::size_t done = 0; done < ready.size(); ++done)
        for (int k = first[ready[done]]; k < first[ready[done] + 1]; ++k)
            if (--open[static_cast<std::size_t>(next[static_cast<std::size_t>(k)])] == 0)
                ready.push_back(static_cast<std::size_t>(next[static_cast<std::size_t>(k)]));
    if (ready.size() != graph.operators.size())
        return inputError("/tensors", "a cycle: " + cycleText(graph, open), "a graph without cycles",
                          "An operator cannot wait for its own result; remove one of these tensors.");
    return graph;
}

} // namespace polyrail
