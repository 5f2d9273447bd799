// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.hpp"
#include "core/formats/json_cursor.hpp"
#include "core/formats/json_files.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace polyrail {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t mostModels = 1000;
constexpr std::size_t mostOperators = 1000000;
constexpr std::size_t mostTensors = 10000000;
constexpr std::size_t mostSplits = 16;
constexpr std::int64_t largestDim = std::int64_t(1) << 53; ///< a double holds it exactly
constexpr double halfPrecision = 2;                        ///< bytes per element where a file does not say

const std::vector<std::string> graphKeys{"format", "version", "name", "notes", "models", "operators", "tensors"};
const std::vector<std::string> modelKeys{"id", "weight", "name", "notes"};
const std::vector<std::string> operatorKeys{"id",     "model",  "kind",  "dims",  "flops", "bytes", "parameter_bytes",
                                            "output_bytes", "backward", "splits", "times", "name", "notes"};
const std::vector<std::string> splitKeys{"dimension", "granule", "forward", "backward"};
const std::vector<std::string> tensorKeys{"from", "to", "bytes", "name", "notes"};

template<class Enum>
std::vector<std::string> namesOf(std::initializer_list<Enum> values)
{
    std::vector<std::string> names;
    for (const Enum value : values)
        names.emplace_back(toString(value));
    return names;
}

constexpr auto kinds = {OperatorKind::Matmul, OperatorKind::Attention, OperatorKind::Elementwise,
                        OperatorKind::Norm,   OperatorKind::Embedding, OperatorKind::Custom};
constexpr auto recombinations = {Recombination::None, Recombination::Concat, Recombination::AllReduce,
                                 Recombination::AllToAll};

/// The value whose name is written at the cursor; the first one, with an error, if there is none.
template<class Enum>
Enum readName(const JsonCursor &at, std::initializer_list<Enum> values)
{
    const std::string name = at.string();
    for (const Enum value : values)
        if (name == toString(value))
            return value;
    if (at.ok())
        at.refuse('"' + name.substr(0, 60) + '"', oneOf(namesOf(values)), "Correct the word.");
    return *values.begin();
}

/// What a split owes by the algebra of its operator, where the file names the dimension alone.
SplitRule usualRule(OperatorKind kind, std::string dimension)
{
    SplitRule rule{std::move(dimension), 1, Recombination::Concat, Recombination::Concat};
    if (kind == OperatorKind::Matmul && rule.dimension == "k")
        rule.forward = Recombination::AllReduce;
    else if (kind == OperatorKind::Matmul && rule.dimension == "n")
        rule.backward = Recombination::AllReduce;
    else if (kind == OperatorKind::Embedding && rule.dimension == "vocab")
        rule.forward = Recombination::AllReduce;
    return rule;
}

SplitRule readSplit(const JsonCursor &at, OperatorKind kind)
{
    if (at.isString())
        return usualRule(kind, at.string());
    at.checkKeys(splitKeys);
    SplitRule rule = usualRule(kind, at["dimension"].string());
    if (at.has("granule"))
        rule.granule = static_cast<int>(at["granule"].integer(1, INT32_MAX));
    if (at.has("forward"))
        rule.forward = readName(at["forward"], recombinations);
    if (at.has("backward"))
        rule.backward = readName(at["backward"], recombinations);
    return rule;
}

double size(const JsonCursor &object, const char *key)
{
    return object.has(key) ? object[key].number() : 0;
}

/// FLOPs and bytes that follow from the dims where the file leaves them out, in half precision.
void deriveCosts(const JsonCursor &at, Operator &op)
{
    const auto dim = [&op](const char *name) {
        const auto found = op.dims.find(name);
        return found == op.dims.end() ? 1.0 : static_cast<double>(found->second);
    };
    const auto needs = [&](std::initializer_list<const char *> names, const char *remedy) {
        for (const char *name : names)
            if (op.dims.count(name) == 0 && at.ok())
                at["dims"][name].refuse("nothing", "the size of dimension " + std::string(name), remedy);
    };
    switch (op.kind) {
    case OperatorKind::Matmul:
        needs({"m", "n", "k"}, "A product is timed by its shape; use kind custom for one that is given by its FLOPs.");
        if (op.flops == 0)
            op.flops = 2 * dim("batch") * dim("m") * dim("n") * dim("k");
        if (op.bytes == 0)
            op.bytes = halfPrecision * dim("batch")
                * (dim("m") * dim("k") + dim("k") * dim("n") + dim("m") * dim("n"));
        break;
    case OperatorKind::Attention: {
        if (op.flops == 0)
            needs({"heads", "head_dim", "seq"}, "Give these dims, or flops and bytes.");
        const double keys = op.dims.count("context") > 0 ? dim("context") : dim("seq");
        const double kvHeads = op.dims.count("kv_heads") > 0 ? dim("kv_heads") : dim("heads");
        if (op.flops == 0)
            op.flops = 4 * dim("batch") * dim("heads") * dim("seq") * keys * dim("head_dim");
        if (op.bytes == 0)
            op.bytes = 2 * halfPrecision * dim("batch") * dim("head_dim")
                * (dim("heads") * dim("seq") + kvHeads * keys);
        break;
    }
    case OperatorKind::Elementwise:
    case OperatorKind::Norm:
    case OperatorKind::Embedding:
        if (op.bytes == 0 && op.outputBytes > 0)
            op.bytes = 2 * op.outputBytes; // one in, one out
        else if (op.bytes == 0 && !op.dims.empty()) {
            op.bytes = 2 * halfPrecision;
            for (const auto &entry : op.dims)
                op.bytes *= static_cast<double>(entry.second);
        } else if (op.bytes == 0 && op.flops == 0 && at.ok()) {
            at["bytes"].refuse("nothing", "bytes, output_bytes, flops or dims", "Nothing says how long it takes.");
        }
        break;
    case OperatorKind::Custom:
        break;
    }
}

Operator readOperator(const JsonCursor &at, const std::vector<OperatorGraph::Model> &models)
{
    at.checkKeys(operatorKeys);
    Operator op;
    op.id = at["id"].string();
    op.kind = readName(at["kind"], kinds);
    if (at.has("model"))
        op.model = at["model"].string();
    else if (models.size() == 1)
        op.model = models.front().id;
    if (at.has("dims")) {
        const JsonCursor dims = at["dims"];
        for (const std::string &name : dims.keys())
            op.dims[name] = dims.field(name).integer(1, largestDim);
    }
    op.flops = size(at, "flops");
    op.bytes = size(at, "bytes");
    op.parameterBytes = size(at, "parameter_bytes");
    op.outputBytes = size(at, "output_bytes");
    if (at.has("backward"))
        op.backward = at["backward"].boolean();
    if (at.has("splits")) {
        const JsonCursor splits = at["splits"];
        const std::size_t count = splits.size(mostSplits);
        for (std::size_t i = 0; i < count; ++i)
            op.splits.push_back(readSplit(splits.item(i), op.kind));
    }
    if (at.has("times")) {
        const JsonCursor times = at["times"];
        for (const std::string &type : times.keys())
            op.timesSeconds[type] = times.field(type).quantity(parseDuration).value;
    }
    if (at.ok())
        deriveCosts(at, op);
    return op;
}

/// Whole numbers without ".0".
ordered_json numberJson(double value)
{
    if (value == std::floor(value) && std::abs(value) < static_cast<double>(largestDim))
        return static_cast<std::int64_t>(value);
    return value;
}

std::string secondsText(double seconds)
{
    std::array<char, 64> buffer{};
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), seconds);
    return std::string(buffer.data(), written.ptr) + " s";
}

ordered_json operatorJson(const Operator &op)
{
    ordered_json out{{"id", op.id}};
    if (!op.model.empty())
        out["model"] = op.model;
    out["kind"] = toString(op.kind);
    if (!op.dims.empty())
        out["dims"] = op.dims;
    const std::pair<const char *, double> sizes[] = {{"flops", op.flops},
                                                     {"bytes", op.bytes},
                                                     {"parameter_bytes", op.parameterBytes},
                                                     {"output_bytes", op.outputBytes}};
    for (const auto &[key, value] : sizes)
        if (value != 0)
            out[key] = numberJson(value);
    if (op.backward)
        out["backward"] = true;
    for (const SplitRule &rule : op.splits)
        out["splits"].push_back(ordered_json{{"dimension", rule.dimension},
                                             {"granule", rule.granule},
                                             {"forward", toString(rule.forward)},
                                             {"backward", toString(rule.backward)}});
    for (const auto &[type, seconds] : op.timesSeconds)
        out["times"][type] = secondsText(seconds);
    return out;
}

/// One operator or tensor per line: files of thousands of operators stay readable and small.
void appendRows(std::string &text, const char *key, const std::vector<ordered_json> &rows, bool last)
{
    text += "  \"" + std::string(key) + "\": [";
    for (std::size_t i = 0; i < rows.size(); ++i)
        text += (i == 0 ? "\n    " : ",\n    ")
            + rows[i].dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    text += rows.empty() ? "]" : "\n  ]";
    text += last ? "\n" : ",\n";
}

} // namespace

Result<OperatorGraph> readOperatorGraph(std::string_view text)
{
    auto parsed = parseJson(text);
    if (!parsed)
        return fail(parsed.error());
    if (auto format = checkFormat(*parsed, "polyrail-graph", 1); !format)
        return fail(format.error());

    std::optional<Error> error;
    const JsonCursor root(*parsed, error);
    root.checkKeys(graphKeys);
    OperatorGraph graph;
    if (root.has("name"))
        graph.name = root["name"].string();
    if (root.has("models")) {
        const JsonCursor models = root["models"];
        const std::size_t count = models.size(mostModels);
        for (std::size_t i = 0; i < count && !error; ++i) {
            const JsonCursor model = models.item(i);
            model.checkKeys(modelKeys);
            graph.models.push_back({model["id"].string(), model.has("weight") ? model["weight"].number() : 1});
        }
    }

    const JsonCursor operators = root["operators"];
    const std::size_t operatorCount = operators.size(mostOperators);
    std::unordered_map<std::string, int> index;
    index.reserve(operatorCount);
    graph.operators.reserve(operatorCount);
    for (std::size_t i = 0; i < operatorCount && !error; ++i) {
        graph.operators.push_back(readOperator(operators.item(i), graph.models));
        index.emplace(graph.operators.back().id, static_cast<int>(i)); // checkGraph reports a second one
    }

    if (root.has("tensors")) {
        const JsonCursor tensors = root["tensors"];
        const std::size_t count = tensors.size(mostTensors);
        graph.tensors.reserve(count);
        std::vector<std::string> names;
        for (std::size_t i = 0; i < count && !error; ++i) {
            const JsonCursor at = tensors.item(i);
            at.checkKeys(tensorKeys);
            const auto end = [&](const char *key) {
                const JsonCursor place = at[key];
                const std::string id = place.string();
                const auto found = index.find(id);
                if (found != index.end() || error)
                    return found == index.end() ? 0 : found->second;
                if (names.empty())
                    for (const Operator &op : graph.operators)
                        names.push_back(op.id);
                const std::string meant = nearest(id, names);
                place.refuse('"' + id.substr(0, 60) + '"', "the id of an operator",
                             meant.empty() ? "Add the operator, or correct the name."
                                           : "Did you mean \"" + meant + "\"?");
                return 0;
            };
            Tensor tensor;
            tensor.from = end("from");
            tensor.to = end("to");
            if (at.has("bytes") || error)
                tensor.bytes = at["bytes"].number();
            else if (const double bytes = graph.operators[static_cast<std::size_t>(tensor.from)].outputBytes; bytes > 0)
                tensor.bytes = bytes;
            else
                at["bytes"].refuse("nothing", "the size of the tensor", "Add it, or output_bytes at its operator.");
            graph.tensors.push_back(tensor);
        }
    }
    if (error)
        return fail(*error);
    return checkGraph(std::move(graph));
}

std::string writeOperatorGraph(const OperatorGraph &graph)
{
    std::string text = "{\n  \"format\": \"polyrail-graph\",\n  \"version\": 1,\n";
    text += "  \"name\": " + ordered_json(graph.name).dump(-1, ' ', false, ordered_json::error_handler_t::replace)
        + ",\n";
    std::vector<ordered_json> rows;
    for (const OperatorGraph::Model &model : graph.models)
        rows.push_back({{"id", model.id}, {"weight", numberJson(model.weight)}});
    appendRows(text, "models", rows, false);
    rows.clear();
    for (const Operator &op : graph.operators)
        rows.push_back(operatorJson(op));
    appendRows(text, "operators", rows, false);
    rows.clear();
    for (const Tensor &tensor : graph.tensors)
        rows.push_back({{"from", graph.operators[static_cast<std::size_t>(tensor.from)].id},
                        {"to", graph.operators[static_cast<std::size_t>(tensor.to)].id},
                        {"bytes", numberJson(tensor.bytes)}});
    appendRows(text, "tensors", rows, true);
    return text + "}\n";
}

} // namespace polyrail
