// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/case_files.hpp"

#include "core/formats/builtin.hpp"
#include "core/formats/csv_table.hpp"
#include "core/plan/predict.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace polyrail {

namespace {

/// One row with typed access; the first field that does not read keeps its complaint.
class Row
{
public:
    Row(const CsvTable &table, std::size_t row) : m_table(table), m_row(row)
    {
        if (!table.complete(row))
            m_problem = "number of fields differs from the header";
    }

    const std::string &text(const char *column) const { return m_table.field(m_row, column); }
    double number(const char *column, double fallback = 0)
    {
        const std::string &field = text(column);
        if (field.empty())
            return fallback;
        double value = 0;
        const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
        if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
            complain(column, field, "a number");
        return value;
    }
    int integer(const char *column, int fallback = 0)
    {
        const double value = number(column, fallback);
        if (value != std::floor(value) || std::abs(value) > 2e9) {
            complain(column, text(column), "a whole number");
            return fallback;
        }
        return static_cast<int>(value);
    }
    std::int64_t count(const char *column)
    {
        const double value = number(column, 0);
        if (value != std::floor(value) || std::abs(value) > 1e15) {
            complain(column, text(column), "a whole number");
            return 0;
        }
        return static_cast<std::int64_t>(value);
    }
    std::vector<std::string> list(const char *column) const
    {
        std::vector<std::string> parts;
        std::string part;
        for (const char ch : text(column) + ";") {
            if (ch != ';')
                part += ch;
            else if (!part.empty())
                parts.push_back(std::exchange(part, {}));
        }
        return parts;
    }
    void complain(const char *column, const std::string &found, const char *expected)
    {
        if (m_problem.empty())
            m_problem = std::string(column) + ": '" + found + "' is not " + expected;
    }
    const std::string &problem() const { return m_problem; }

private:
    const CsvTable &m_table;
    std::size_t m_row;
    std::string m_problem;
};

Sharding sharding(Row &row)
{
    const std::string &text = row.text("sharding");
    for (const Sharding s : {Sharding::None, Sharding::Zero1, Sharding::Zero2, Sharding::Zero3})
        if (text == toString(s))
            return s;
    if (!text.empty())
        row.complain("sharding", text, "none, zero1, zero2 or zero3");
    return Sharding::None;
}

Recompute recompute(Row &row)
{
    const std::string &text = row.text("recompute");
    for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full})
        if (text == toString(r))
            return r;
    if (!text.empty())
        row.complain("recompute", text, "none, selective or full");
    return Recompute::None;
}

Precision precision(Row &row)
{
    const std::string &text = row.text("precision");
    for (int i = 0; i < precisionCount; ++i)
        if (text == toString(static_cast<Precision>(i)))
            return static_cast<Precision>(i);
    row.complain("precision", text, "fp32, tf32, fp16, bf16 or fp8");
    return Precision::Bf16;
}

TrainingCase trainingCase(Row &row)
{
    TrainingCase c;
    c.gpu = row.text("gpu");
    c.gpus = row.integer("gpus");
    c.gpusPerNode = row.integer("gpus_per_node", 1);
    c.intraFabric = row.text("intra_fabric");
    c.networkRate = row.number("inter_gbps_per_node") * 1e9;
    c.networkNote = row.text("inter_note");
    c.nodes = row.text("nodes");
    c.hidden = row.integer("hidden");
    c.layers = row.integer("layers");
    c.heads = row.integer("heads");
    c.kvHeads = row.integer("kv_heads");
    c.headDim = row.integer("head_dim");
    c.ffn = row.integer("ffn");
    c.gatedMlp = row.integer("gated_mlp") != 0;
    c.vocab = row.integer("vocab");
    c.sequence = row.integer("seq");
    c.experts = row.integer("experts");
    c.topK = row.integer("top_k");
    c.tiedEmbeddings = row.integer("tied_embeddings") != 0;
    c.tensor = row.integer("tp", 1);
    c.pipeline = row.integer("pp", 1);
    c.context = row.integer("cp", 1);
    c.data = row.integer("dp", 1);
    c.expert = row.integer("ep", 1);
    c.virtualStages = row.integer("vpp");
    c.sharding = sharding(row);
    c.microBatch = row.integer("micro_batch");
    c.globalBatch = row.integer("global_batch");
    c.precision = precision(row);
    c.recompute = recompute(row);
    c.sequenceParallel = row.integer("sequence_parallel") != 0;
    c.flashAttention = row.integer("flash_attention") != 0;
    for (const std::string &part : row.list("layer_partition")) {
        int layers = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), layers);
        if (error != std::errc() || end != part.data() + part.size() || layers < 0)
            row.complain("layer_partition", row.text("layer_partition"), "layer counts with ';' between");
        c.layerPartition.push_back(layers);
    }
    c.placement = row.text("placement");
    c.framework = row.text("framework");
    c.options = row.list("options");
    return c;
}

CollectiveCase collectiveCase(Row &row)
{
    CollectiveCase c;
    c.gpu = row.text("gpu");
    c.nodes = row.integer("nodes", 1);
    c.gpusPerNode = row.integer("gpus_per_node", 1);
    c.ranks = row.integer("ranks");
    c.intraFabric = row.text("intra_fabric");
    c.interFabric = row.text("inter_fabric");
    c.networkRate = row.number("inter_gbps_per_node") * 1e9;
    c.collective = row.text("collective");
    c.algorithmNote = row.text("algorithm_note");
    c.bytes = row.number("bytes");
    return c;
}

MatmulCase matmulCase(Row &row)
{
    MatmulCase c;
    c.gpu = row.text("gpu");
    c.precision = row.text("dtype");
    c.source = row.text("source");
    c.batch = row.count("batch");
    c.m = row.count("m");
    c.n = row.count("n");
    c.k = row.count("k");
    return c;
}

LayerCase layerCase(Row &row)
{
    LayerCase c;
    c.gpu = row.text("gpu");
    c.hidden = row.integer("hidden");
    c.heads = row.integer("heads");
    c.ffn = row.integer("ffn");
    c.gatedMlp = row.integer("gated_mlp") != 0;
    c.vocab = row.integer("vocab");
    c.sequence = row.integer("seq");
    c.microBatch = row.integer("micro_batch", 1);
    c.tensor = row.integer("tp", 1);
    c.kind = row.text("layer_kind");
    return c;
}

void appendNumber(std::string &out, const std::optional<double> &value)
{
    out += ',';
    if (!value)
        return;
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.6g", *value);
    out += buffer;
}

void appendRange(std::string &out, const Prediction &p)
{
    const bool known = p.value && p.high > 0;
    appendNumber(out, known ? std::optional<double>(p.low) : std::nullopt);
    appendNumber(out, known ? std::optional<double>(p.high) : std::nullopt);
}

enum class Kind { Training, Collective, Matmul, Layer };

std::string answer(Kind kind, const CsvTable &table, std::size_t at)
{
    const Catalogue &catalogue = builtinCatalogue();
    Row row(table, at);
    std::string out;
    appendCsvField(out, row.text("id"));
    std::string note;
    if (kind == Kind::Layer) {
        const LayerCase c = layerCase(row);
        const LayerPrediction p = row.problem().empty() ? predictLayer(c, catalogue) : LayerPrediction();
        appendNumber(out, p.forward.value);
        appendNumber(out, p.backward.value);
        appendNumber(out, p.update.value);
        note = p.forward.note;
    } else {
        Prediction p;
        if (kind == Kind::Training) {
            const TrainingCase c = trainingCase(row);
            if (row.problem().empty())
                p = predictTraining(c, catalogue);
        } else if (kind == Kind::Collective) {
            const CollectiveCase c = collectiveCase(row);
            if (row.problem().empty())
                p = predictCollective(c, catalogue);
        } else {
            const MatmulCase c = matmulCase(row);
            if (row.problem().empty())
                p = predictMatmul(c, catalogue);
        }
        appendNumber(out, p.value);
        if (kind == Kind::Training)
            appendNumber(out, p.value ? std::optional<double>(p.peakMemoryGib) : std::nullopt);
        appendRange(out, p);
        note = p.note;
    }
    out += ',';
    appendCsvField(out, row.problem().empty() ? note : row.problem());
    out += '\n';
    return out;
}

} // namespace

Result<std::string> predictCases(std::string_view csv, int threads)
{
    auto table = CsvTable::parse(csv);
    if (!table)
        return fail(table.error());
    if (!table->hasColumn("id"))
        return inputError("line 1", "no column 'id'", "a column 'id' that names each row");
    Kind kind = Kind::Training;
    std::string out;
    if (table->hasColumn("global_batch")) {
        out = "id,step_time_s,peak_mem_gib,step_low_s,step_high_s,note\n";
    } else if (table->hasColumn("collective")) {
        kind = Kind::Collective;
        out = "id,time_us,time_low_us,time_high_us,note\n";
    } else if (table->hasColumn("layer_kind")) {
        kind = Kind::Layer;
        out = "id,fwd_s,bwd_s,update_s,note\n";
    } else if (table->hasColumn("dtype") && table->hasColumn("m")) {
        kind = Kind::Matmul;
        out = "id,time_us,time_low_us,time_high_us,note\n";
    } else {
        return inputError("line 1", "columns of no known kind of case",
                          "global_batch (training), collective, dtype with m, n, k (products) or layer_kind");
    }
    std::vector<std::string> lines(table->rowCount());
    builtinCatalogue(); // parsed before the threads need it
    const auto allowed = static_cast<int>(oneapi::tbb::global_control::active_value(
        oneapi::tbb::global_control::max_allowed_parallelism));
    oneapi::tbb::task_arena arena(threads > 0 ? std::min(threads, allowed) : allowed);
    arena.execute([&] {
        oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, lines.size()),
                                  [&](const oneapi::tbb::blocked_range<std::size_t> &range) {
                                      for (std::size_t i = range.begin(); i != range.end(); ++i)
                                          lines[i] = answer(kind, *table, i);
                                  });
    });
    for (const std::string &line : lines)
        out += line;
    return out;
}

} // namespace polyrail
