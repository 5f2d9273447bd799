// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/kernel_model.hpp"

#include "core/cost/architecture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace polyrail {

namespace {

struct Tile
{
    int m;
    int n;
};
constexpr std::array<Tile, 10> tensorTiles = {{{256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 128},
                                               {64, 64}, {32, 64}, {64, 32}, {16, 64}, {16, 128}}};
constexpr std::array<Tile, 9> vectorTiles = {{{128, 128}, {128, 64}, {64, 128}, {64, 64}, {128, 32},
                                              {32, 128}, {64, 32}, {32, 64}, {32, 32}}};
constexpr double tensorArea = 128.0 * 128.0;
constexpr double vectorArea = 128.0 * 128.0;
constexpr std::int64_t leastSplitColumns = 256;
/// Share of the memory bandwidth that copy-like kernels reach (STREAM on A100 and V100: 0.85 to 0.92).
constexpr double streamEfficiency = 0.85;

/// A working set well inside the L2 cache is read from there when a product is repeated, one well beyond it
/// not at all: streaming evicts what comes next.
double warmShare(double bytes, double cache)
{
    return cache <= 0 ? 0 : std::clamp((1.5 * cache - bytes) / (0.7 * cache), 0.0, 1.0);
}

double inputBytes(Precision p)
{
    switch (p) {
    case Precision::Fp32:
    case Precision::Tf32: return 4;
    case Precision::Fp16:
    case Precision::Bf16: return 2;
    case Precision::Fp8: return 1;
    }
    return 2;
}

double outputBytes(Precision p) { return p == Precision::Fp8 ? 2 : inputBytes(p); }

std::int64_t ceilShift(std::int64_t value, int shift) { return (value + (std::int64_t(1) << shift) - 1) >> shift; }

int log2Of(int powerOfTwo) { return std::countr_zero(static_cast<unsigned>(powerOfTwo)); }

std::int64_t dimension(const Operator &op, const char *name)
{
    const auto at = op.dims.find(name);
    return at == op.dims.end() ? 1 : std::max<std::int64_t>(1, at->second);
}

} // namespace

KernelModel::KernelModel(const GpuType &gpu) : m_gpu(gpu)
{
    m_memoryRate = std::max(1.0, gpu.memoryBandwidth.value) * streamEfficiency;
    m_warmSpeedup = warmCacheSpeedup(gpu);
    const double multiprocessors = std::max(1, gpu.multiprocessors);
    for (int i = 0; i < precisionCount; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const auto p = static_cast<Precision>(i);
        const Precision units = effectivePrecision(gpu, p);
        auto own = gpu.matmul.find(units);
        // fp16 and bf16 products run the same kernels on the same units.
        if (own == gpu.matmul.end() && units == Precision::Bf16)
            own = gpu.matmul.find(Precision::Fp16);
        else if (own == gpu.matmul.end() && units == Precision::Fp16)
            own = gpu.matmul.find(Precision::Bf16);
        m_own[at] = own != gpu.matmul.end();
        m_constants[at] = m_own[at] ? own->second : defaultMatmulConstants(gpu, p);
        const auto &peak = gpu.peak[static_cast<std::size_t>(units)];
        m_peak[at] = peak ? std::max(1.0, peak->value) : 1.0;

        const bool vectorUnits = runsOnVectorUnits(gpu, p);
        const MatmulConstants &c = m_constants[at];
        Tiles &tiles = m_tiles[at];
        tiles.count = vectorUnits ? static_cast<int>(vectorTiles.size()) : static_cast<int>(tensorTiles.size());
        tiles.kShift = vectorUnits ? 3 : 5;
        for (int t = 0; t < tiles.count; ++t) {
            const auto k = static_cast<std::size_t>(t);
            const Tile tile = vectorUnits ? vectorTiles[k] : tensorTiles[k];
            const double area = double(tile.m) * tile.n;
            const double shrink = std::min(1.0, area / (vectorUnits ? vectorArea : tensorArea));
            tiles.mShift[k] = log2Of(tile.m);
            tiles.nShift[k] = log2Of(tile.n);
            tiles.perColumn[k] = 2 * area
                / (m_peak[at] / multiprocessors * c.maxEfficiency * std::pow(shrink, c.tileExponent));
        }
    }
}

Seconds KernelModel::matmul(const MatmulShape &shape, Precision p, Cache cache) const
{
    const auto at = static_cast<std::size_t>(p);
    const MatmulConstants &c = m_constants[at];
    const Tiles &tiles = m_tiles[at];
    const double mn = double(shape.m) * double(shape.n);
    const double reads = inputBytes(p) * (double(shape.m) + double(shape.n)) * double(shape.k);
    const double batch = double(shape.batch);
    const double perMultiprocessor = batch / std::max(1, m_gpu.multiprocessors);
    const double memoryRate = std::max(1.0, m_gpu.memoryBandwidth.value) * c.memoryEfficiency;

    std::array<double, maxTiles> waves{};
    for (int t = 0; t < tiles.count; ++t) {
        const auto k = static_cast<std::size_t>(t);
        waves[k] = perMultiprocessor
            * double(ceilShift(shape.m, tiles.mShift[k]) * ceilShift(shape.n, tiles.nShift[k]));
    }
    double best = std::numeric_limits<double>::infinity();
    for (int split = 1; split <= 8; split *= 2) {
        if (split > 1 && shape.k < leastSplitColumns * split)
            break;
        const std::int64_t part = (shape.k + split - 1) / split;
        const double columns = double(ceilShift(part, tiles.kShift) << tiles.kShift) + c.pipelineFill;
        double compute = std::numeric_limits<double>::infinity();
        for (int t = 0; t < tiles.count; ++t) {
            const auto k = static_cast<std::size_t>(t);
            const double w = waves[k] * split;
            const double cost = w <= 1 ? 1 : w + c.tailWeight * (std::ceil(w) - w);
            compute = std::min(compute, cost * tiles.perColumn[k]);
        }
        compute *= columns;
        const double bytes = batch * (reads + outputBytes(p) * mn + (split > 1 ? 8.0 * split * mn : 0.0));
        double memory = bytes / memoryRate;
        if (cache == Cache::Warm)
            memory *= 1 + warmShare(bytes, double(m_gpu.l2Cache.value)) * (1 / m_warmSpeedup - 1);
        const double c2 = compute * compute;
        const double m2 = memory * memory;
        best = std::min(best, c2 * c2 + m2 * m2); // compared before the root: it keeps the order
    }
    return Seconds(c.launchSeconds + std::sqrt(std::sqrt(best)));
}

Seconds KernelModel::memoryBound(double bytes) const
{
    return Seconds(m_constants[static_cast<std::size_t>(Precision::Bf16)].launchSeconds + bytes / m_memoryRate);
}

Seconds KernelModel::optimiserStep(double parameters, Precision p) const
{
    const double copy = p == Precision::Fp32 || p == Precision::Tf32 ? 0 : 2;
    return memoryBound(parameters * (4 * 4 + 3 * 4 + copy));
}

Seconds KernelModel::flashAttention(const AttentionShape &s, Precision p, bool backward) const
{
    // Two products forward; five backward, because the scores are computed again.
    const Precision units = p == Precision::Fp8 ? Precision::Bf16 : p;
    const double pairs = s.queries * s.keys * (s.causal ? 0.5 : 1.0);
    const double flops = (backward ? 10.0 : 4.0) * s.batch * s.heads * pairs * s.headDim;
    const double element = inputBytes(units);
    const double once = s.batch * s.headDim * (2 * s.heads * s.queries + 2 * s.kvHeads * s.keys) * element;
    const double width = std::min(1.0, 0.55 + 0.45 * s.headDim / 128);
    const double rate = m_peak[static_cast<std::size_t>(units)] * attentionEfficiency(m_gpu, backward) * width;
    const double bytes = backward ? 2.5 * once : once;
    return Seconds(m_constants[static_cast<std::size_t>(units)].launchSeconds
                   + std::max(flops / rate, bytes / m_memoryRate));
}

double KernelModel::roofline(double flops, double bytes, Precision p) const
{
    const auto at = static_cast<std::size_t>(p);
    return m_constants[at].launchSeconds
        + std::max(flops / (m_peak[at] * m_constants[at].maxEfficiency), bytes / m_memoryRate);
}

Seconds KernelModel::attention(const Operator &op, Precision p) const
{
    const Precision units = p == Precision::Fp8 ? Precision::Bf16 : p; // scores are never kept in fp8
    if (op.dims.find("seq") == op.dims.end()) {
        // A user's own operator with FLOPs and bytes only: the products, then what the scores move.
        const auto at = static_cast<std::size_t>(units);
        return Seconds(m_constants[at].launchSeconds + op.bytes / m_memoryRate
                       + op.flops / (m_peak[at] * attentionEfficiency(m_gpu, op.backward)));
    }
    const std::int64_t batch = dimension(op, "batch");
    const std::int64_t heads = dimension(op, "heads");
    const std::int64_t queries = dimension(op, "seq");
    const std::int64_t keys = dimension(op, "context");
    const std::int64_t width = dimension(op, "head_dim");
    const auto value = op.dims.find("value_dim");
    const std::int64_t valueWidth = value == op.dims.end() ? width : std::max<std::int64_t>(1, value->second);
    const auto flash = op.dims.find("flash");
    if (flash != op.dims.end() && flash->second != 0) {
        AttentionShape shape;
        shape.batch = double(batch);
        shape.heads = double(heads);
        shape.kvHeads = double(dimension(op, "kv_heads"));
        shape.headDim = 0.5 * double(width + valueWidth);
        shape.queries = double(queries);
        shape.keys = double(keys);
        return flashAttention(shape, units, op.backward);
    }
    // Materialised: scores = q k^T, softmax, result = scores v; backward has two products for each.
    const std::int64_t products = batch * heads;
    const double scores = double(products) * double(queries) * double(keys);
    const double element = inputBytes(units);
    if (!op.backward)
        return matmul({products, queries, keys, width}, units) + memoryBound(2 * element * scores)
            + matmul({products, queries, valueWidth, keys}, units);
    return matmul({products, queries, keys, valueWidth}, units) + matmul({products, keys, valueWidth, queries}, units)
        + memoryBound(3 * element * scores) + matmul({products, queries, width, keys}, units)
        + matmul({products, keys, width, queries}, units);
}

Seconds KernelModel::time(const Operator &op, Precision p) const
{
    switch (op.kind) {
    case OperatorKind::Matmul: {
        const MatmulShape shape{dimension(op, "batch"), dimension(op, "m"), dimension(op, "n"), dimension(op, "k")};
        return matmul(shape, p);
    }
    case OperatorKind::Attention:
        return attention(op, p);
    case OperatorKind::Elementwise:
    case OperatorKind::Norm:
    case OperatorKind::Embedding:
        return memoryBound(op.bytes);
    case OperatorKind::Custom: {
        auto given = op.timesSeconds.find(m_gpu.name);
        for (const std::string &alias : m_gpu.aliases)
            if (given == op.timesSeconds.end())
                given = op.timesSeconds.find(alias);
        if (given != op.timesSeconds.end())
            return Seconds(given->second);
        if (op.flops <= 0 && op.bytes <= 0 && !op.timesSeconds.empty()) {
            double longest = 0;
            for (const auto &entry : op.timesSeconds)
                longest = std::max(longest, entry.second);
            return Seconds(longest);
        }
        return Seconds(roofline(op.flops, op.bytes, p));
    }
    }
    return Seconds(0);
}

Seconds KernelModel::timeOf(const std::vector<Operator> &ops, Precision p) const
{
    Seconds sum(0);
    for (const Operator &op : ops)
        sum += time(op, p);
    return sum;
}

} // namespace polyrail
