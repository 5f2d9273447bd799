// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workload/transformer.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace polyrail {

namespace {

using Rules = std::vector<SplitRule>;

/// Columns or rows that belong together: one key/value group, one head, one gated column. One where nothing does.
int granuleOf(const ModelShape &s, const std::string &part, const char *dimension)
{
    const std::string dim = dimension;
    if (part == "qkv" && dim == "n")
        return s.headDim * (s.heads / s.kvHeads + 2);
    if (part == "proj" && dim == "k")
        return s.latent ? s.latent->valueDim : s.headDim;
    if (s.latent && (part == "q_up" || part == "q") && dim == "n")
        return s.latent->nopeDim + s.latent->ropeDim;
    if (s.latent && part == "kv_up" && dim == "n")
        return s.latent->nopeDim + s.latent->valueDim;
    if (part == "attention" && dim == "heads")
        return s.latent ? 1 : s.heads / s.kvHeads;
    if (s.gatedMlp && dim == "n" && (part == "mlp_up" || part == "experts_up" || part == "shared_up"))
        return 2;
    return 1;
}

/// How a forward operator may be split. Splitting columns leaves partial sums in the input's gradient, splitting rows
/// leaves them in the output (Shoeybi et al., arXiv 1909.08053).
Rules forwardRules(const ModelShape &s, const Operator &op, const std::string &part)
{
    Rules rules;
    const auto add = [&](const char *dim, Recombination forward, Recombination backward) {
        rules.push_back({dim, granuleOf(s, part, dim), forward, backward});
    };
    switch (op.kind) {
    case OperatorKind::Matmul:
        if (op.dims.at("batch") > 1) // experts: tokens travel to them and back
            add("batch", Recombination::AllToAll, Recombination::AllToAll);
        add("m", Recombination::Concat, Recombination::Concat);
        add("n", Recombination::Concat, Recombination::AllReduce);
        add("k", Recombination::AllReduce, Recombination::Concat);
        break;
    case OperatorKind::Attention:
        add("batch", Recombination::Concat, Recombination::Concat);
        add("heads", Recombination::Concat, Recombination::Concat);
        add("seq", Recombination::Concat, Recombination::AllReduce); // all keys and values are needed everywhere
        break;
    case OperatorKind::Embedding:
        add("tokens", Recombination::Concat, Recombination::None);
        add("vocab", Recombination::AllReduce, Recombination::None);
        break;
    case OperatorKind::Norm:
    case OperatorKind::Elementwise:
        add("tokens", Recombination::Concat, Recombination::Concat);
        break;
    case OperatorKind::Custom:
        break;
    }
    return rules;
}

/// Of a backward operator: its output is a gradient, and nothing comes after it.
Rules backwardRules(const Operator &op)
{
    Rules rules;
    const auto add = [&](const char *dim, Recombination forward) {
        rules.push_back({dim, 1, forward, Recombination::None});
    };
    switch (op.kind) {
    case OperatorKind::Matmul:
        if (op.dims.at("batch") > 1)
            add("batch", Recombination::AllToAll);
        add("m", Recombination::Concat);
        add("n", Recombination::Concat);
        add("k", Recombination::AllReduce);
        break;
    case OperatorKind::Attention:
        add("batch", Recombination::Concat);
        add("heads", Recombination::Concat);
        break;
    case OperatorKind::Embedding:
        add("tokens", Recombination::AllReduce); // each share holds a part of the table's gradient
        add("vocab", Recombination::Concat);
        break;
    case OperatorKind::Norm:
    case OperatorKind::Elementwise:
        add("tokens", Recombination::Concat);
        break;
    case OperatorKind::Custom:
        break;
    }
    return rules;
}

/// Lays one run of forward operators after another and remembers where each part is.
class GraphBuilder
{
public:
    GraphBuilder(const TrainingJob &job, OperatorGraph &graph, std::int64_t tokens)
        : m_job(job), m_graph(graph), m_tokens(tokens)
    {
    }

    /// Appends operators under a prefix; their parts are found by name until the next call.
    void append(const std::vector<Operator> &ops, const std::string &prefix)
    {
        m_parts.clear();
        for (const Operator &source : ops) {
            Operator op = source;
            if (op.kind == OperatorKind::Norm || op.kind == OperatorKind::Elementwise) {
                const double elements = op.id == "loss" ? 1 : op.outputBytes / activationBytes(m_job.precision);
                const auto width = static_cast<std::int64_t>(elements / static_cast<double>(m_tokens));
                op.dims = {{"tokens", m_tokens}, {"width", std::max<std::int64_t>(1, width)}};
            }
            op.splits = forwardRules(m_job.model, op, source.id);
            op.model = m_graph.models.front().id;
            op.id = prefix + source.id;
            m_parts[source.id] = static_cast<int>(m_graph.operators.size());
            m_graph.operators.push_back(std::move(op));
        }
    }

    bool has(const std::string &part) const { return m_parts.count(part) > 0; }
    int index(const std::string &part) const { return m_parts.at(part); }

    /// A tensor between two operators; by default all that `from` puts out.
    void connect(int from, int to, double bytes = -1)
    {
        if (bytes < 0)
            bytes = m_graph.operators[static_cast<std::size_t>(from)].outputBytes;
        m_graph.tensors.push_back({from, to, bytes});
    }
    /// Connects if both parts are there, and says where the data is now.
    int step(int from, const std::string &part)
    {
        if (!has(part))
            return from;
        if (from >= 0)
            connect(from, index(part));
        return index(part);
    }

private:
    const TrainingJob &m_job;
    OperatorGraph &m_graph;
    std::int64_t m_tokens;
    std::unordered_map<std::string, int> m_parts;
};

/// q, k and v from the normed input to the core of attention. Returns its output projection.
int connectAttention(GraphBuilder &b, const TrainingJob &job, int in, double tokens)
{
    const ModelShape &s = job.model;
    const double element = activationBytes(job.precision);
    const int attention = b.index("attention");
    if (s.latent) {
        const int q = b.step(b.step(b.step(b.step(in, "q_down"), "q_norm"), "q_up"), "q");
        const int down = b.step(in, "kv_down");
        b.connect(b.step(b.step(down, "kv_norm"), "kv_up"), attention);
        if (b.has("rotary")) {
            b.connect(q, b.index("rotary"));
            b.connect(down, b.index("rotary"), element * tokens * s.latent->ropeDim);
            b.connect(b.index("rotary"), attention);
        } else {
            b.connect(q, attention);
        }
    } else {
        const int qkv = b.step(in, "qkv");
        // v goes straight to the product; q and k may pass a norm and the rotation.
        const double values = element * tokens * s.kvHeads * s.headDim;
        const double queriesAndKeys = element * tokens * (double(s.heads) + s.kvHeads) * s.headDim;
        int at = qkv;
        for (const char *part : {"qk_norm", "rotary"})
            if (b.has(part)) {
                b.connect(at, b.index(part), queriesAndKeys);
                at = b.index(part);
            }
        if (at == qkv) {
            b.connect(qkv, attention);
        } else {
            b.connect(at, attention);
            b.connect(qkv, attention, values);
        }
    }
    if (b.has("extra"))
        b.connect(b.step(in, "extra"), attention, 0); // it chooses keys; what it passes on is small
    return b.step(attention, "proj");
}

int connectMlp(GraphBuilder &b, int in, int sum)
{
    if (!b.has("router"))
        return b.step(b.step(b.step(in, "mlp_up"), "mlp_act"), "mlp_down");
    const int router = b.step(in, "router"), dispatch = b.step(in, "dispatch");
    b.connect(router, dispatch);
    const int combine = b.step(b.step(b.step(b.step(dispatch, "experts_up"), "experts_act"), "experts_down"),
                               "combine");
    b.connect(router, combine);
    if (b.has("shared_up"))
        b.connect(b.step(b.step(b.step(in, "shared_up"), "shared_act"), "shared_down"), sum);
    return combine;
}

/// One layer; returns the operator that holds its output.
int connectLayer(GraphBuilder &b, const TrainingJob &job, int in, double tokens)
{
    const int sum = b.index("residual2");
    const int normed = b.step(in, "norm1");
    int attended = connectAttention(b, job, normed, tokens);
    attended = b.step(attended, "norm_after_attention");
    int middle = in;
    if (b.has("residual1")) {
        b.connect(in, b.index("residual1"));
        middle = b.step(attended, "residual1");
    } else {
        b.connect(attended, sum);
    }
    int mlpIn = b.step(middle, "norm2");
    if (!b.has("norm2") && !b.has("residual1"))
        mlpIn = normed; // both branches read the one norm
    const int mlpOut = b.step(connectMlp(b, mlpIn, sum), "norm_after_mlp");
    b.connect(mlpOut, sum);
    b.connect(middle, sum);
    return sum;
}

/// Gradients run against the tensors; products and norms also need what they read on the way forward.
void addBackward(OperatorGraph &graph, bool flash)
{
    const std::size_t forwardCount = graph.operators.size();
    const std::size_t tensorCount = graph.tensors.size();
    std::vector<int> inputGradient(forwardCount, -1), weightGradient(forwardCount, -1);
    std::unordered_map<std::string, std::size_t> byId;
    for (std::size_t i = 0; i < forwardCount; ++i)
        byId.emplace(graph.operators[i].id, i);
    for (Operator &op : backwardOf(graph.operators, flash)) {
        const std::size_t dot = op.id.rfind('.');
        const std::size_t source = byId.at(op.id.substr(0, dot));
        (op.id.compare(dot, std::string::npos, ".dw") == 0 ? weightGradient : inputGradient)[source] =
            static_cast<int>(graph.operators.size());
        op.splits = backwardRules(op);
        graph.operators.push_back(std::move(op));
    }
    const auto isSum = [&](int i) {
        const std::string &id = graph.operators[static_cast<std::size_t>(i)].id;
        return id.find("residual") != std::string::npos || id.find("positions") != std::string::npos;
    };
    for (std::size_t i = 0; i < tensorCount; ++i) {
        const Tensor t = graph.tensors[i];
        const auto from = static_cast<std::size_t>(t.from), to = static_cast<std::size_t>(t.to);
        // The gradient of this tensor, to whatever needs it.
        graph.tensors.push_back({inputGradient[to], inputGradient[from], t.bytes});
        if (weightGradient[from] >= 0)
            graph.tensors.push_back({inputGradient[to], weightGradient[from], t.bytes});
        // The tensor itself, kept since the forward pass.
        const int needs = weightGradient[to] >= 0 ? weightGradient[to] : inputGradient[to];
        if (!isSum(t.to))
            graph.tensors.push_back({t.from, needs, t.bytes});
    }
}

} // namespace

OperatorGraph buildOperatorGraph(const TrainingJob &job)
{
    const ModelShape &s = job.model;
    Slice slice;
    slice.samples = std::max(1, job.maxMicroBatch);
    const auto tokens = static_cast<std::int64_t>(slice.samples) * job.sequence;

    OperatorGraph graph;
    graph.name = s.name.empty() ? "model" : s.name;
    graph.models.push_back({graph.name, 1});
    GraphBuilder b(job, graph, tokens);

    b.append(embeddingForward(job, slice), "");
    int at = b.index("embedding");
    for (const char *part : {"project_in", "positions", "embedding_norm"})
        at = b.step(at, part);
    const auto dense = layerForward(job, LayerKind::Dense, slice);
    const auto expert = s.experts > 0 ? layerForward(job, LayerKind::Expert, slice) : dense;
    for (int layer = 0; layer < s.layers; ++layer) {
        b.append(s.isExpertLayer(layer) ? expert : dense, "layer" + std::to_string(layer) + ".");
        at = connectLayer(b, job, at, static_cast<double>(tokens));
    }
    const auto head = headForward(job, slice);
    b.append(head, "");
    for (const char *part : {"final_norm", "project_out", "logits", "loss"})
        at = b.step(at, part);
    addBackward(graph, job.flashAttention);
    // The first gradient follows the last forward operator.
    const auto last = static_cast<std::size_t>(at);
    const std::string first = graph.operators[last].id;
    for (std::size_t i = last + 1; i < graph.operators.size(); ++i)
        if (graph.operators[i].backward && graph.operators[i].id.rfind(first + ".d", 0) == 0)
            graph.tensors.push_back({at, static_cast<int>(i), graph.operators[last].outputBytes});
    return graph;
}

} // namespace polyrail
