// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/stage_option.hpp"

#include <bit>
#include <cmath>
#include <functional>

namespace polyrail {

namespace {

constexpr std::size_t recomputeCount = 3;
constexpr std::size_t tensorSizeCount = 16; // 2^0 .. 2^15

std::size_t tensorIndex(int tensor)
{
    return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(tensor)));
}

/// The table at one recomputation: what the share rule asks.
struct LayerTimes
{
    const LayerTimeTable &table;
    Recompute recompute;
    double layer(std::size_t c, int tensor, int samples) const { return table.at(c, tensor, samples, recompute); }
};

/// Most samples in 0..most whose layer time is <= limit; layer times grow with samples up to small steps of the kernel
/// model, and the rule is defined by this search.
int samplesWithin(const LayerTimes &times, const ClassPart &part, double limit, int most)
{
    int low = 0;
    int high = most;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (times.layer(part.deviceClass, part.tensor, middle) <= limit)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/// Sets the parts' shares by the threshold rule; false when some replica would get nothing or the cap forbids it.
bool setShares(const LayerTimes &times, std::vector<ClassPart> &parts, int microBatch, int cap)
{
    if (parts.size() == 1) {
        ClassPart &p = parts.front();
        p.samples = microBatch / p.replicas;
        p.larger = microBatch % p.replicas;
        return p.samples >= 1 && p.samples + (p.larger > 0 ? 1 : 0) <= cap;
    }
    const int most = std::min(microBatch, cap);
    const auto total = [&](double limit) {
        long sum = 0;
        for (const ClassPart &p : parts)
            sum += static_cast<long>(p.replicas) * samplesWithin(times, p, limit, most);
        return sum;
    };
    // The least limit is the layer time of some part at some share: try each part's least sufficient share.
    double best = std::numeric_limits<double>::infinity();
    for (const ClassPart &p : parts) {
        int low = 1;
        int high = most;
        if (total(times.layer(p.deviceClass, p.tensor, most)) < microBatch)
            continue;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (total(times.layer(p.deviceClass, p.tensor, middle)) >= microBatch)
                high = middle;
            else
                low = middle + 1;
        }
        best = std::min(best, times.layer(p.deviceClass, p.tensor, low));
    }
    if (!std::isfinite(best))
        return false;
    long surplus = -microBatch;
    std::vector<long> given;
    for (const ClassPart &p : parts) {
        given.push_back(static_cast<long>(p.replicas) * samplesWithin(times, p, best, most));
        surplus += given.back();
    }
    for (std::size_t i = 0; i < parts.size() && surplus > 0; ++i) {
        // Never below one sample for each replica of the part.
        const long take = std::min(surplus, given[i] - parts[i].replicas);
        if (take > 0) {
            given[i] -= take;
            surplus -= take;
        }
    }
    if (surplus != 0)
        return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].samples = static_cast<int>(given[i] / parts[i].replicas);
        parts[i].larger = static_cast<int>(given[i] % parts[i].replicas);
        if (parts[i].samples < 1)
            return false;
    }
    return true;
}

void addKinds(const CostContext &context, const DeviceClasses &classes, StageOption &option, int microBatch,
              Recompute recompute)
{
    const TrainingJob &job = context.job();
    const double bytesPerSample = static_cast<double>(job.sequence) * job.model.hidden * activationBytes(job.precision);
    const StateBytes state = stateBytes(job.precision);
    const TensorCollectives traffic = tensorCollectives(job, microBatch, recompute);
    option.forwardReduces = traffic.forwardPerLayer;
    option.backwardReduces = traffic.backwardPerLayer;
    for (const ClassPart &p : option.parts)
        option.replicas += p.replicas;
    for (const ClassPart &p : option.parts) {
        const DeviceClass &c = classes.classes()[p.deviceClass];
        for (int extra = p.larger > 0 ? 1 : 0; extra >= 0; --extra) {
            if (extra == 0 && p.larger == p.replicas)
                continue;
            StageOption::Kind kind;
            kind.deviceClass = p.deviceClass;
            kind.tensor = p.tensor;
            kind.samples = p.samples + extra;
            kind.times = context.times(c.kernelClass, p.tensor, kind.samples, recompute);
            kind.reduce = classes.tensorAllReduce(
                p.deviceClass, p.tensor, tensorCollectives(job, kind.samples, recompute).bytes);
            kind.memory = memoryModel(job, p.tensor, kind.samples, option.replicas, recompute);
            kind.sliceEgress = c.deviceBandwidth;
            const double sharded = job.sharding == Sharding::None ? 1 : option.replicas;
            // The optimiser's time for one parameter of the stage, as a slope: the launch is left out.
            constexpr double many = 1e9;
            const KernelModel &kernels = context.kernels(c.hosts.front().front());
            kind.optimiserPerParameter = (kernels.optimiserStep(2 * many, job.precision).value
                                          - kernels.optimiserStep(many, job.precision).value)
                / many / (p.tensor * sharded);
            option.boundary
                = std::max(option.boundary, kind.samples * bytesPerSample / p.tensor / c.deviceBandwidth);
            option.kinds.push_back(std::move(kind));
        }
        const int inHost = std::min(p.replicas, c.hostSize / p.tensor);
        const bool wholeHosts = p.replicas * p.tensor % c.hostSize == 0;
        if (wholeHosts && std::isfinite(c.hostBandwidth)) // every neighbour stage is then outside these hosts
            option.boundary = std::max(option.boundary, inHost * p.samples * bytesPerSample / c.hostBandwidth);
        if (inHost < option.replicas && wholeHosts && std::isfinite(c.hostBandwidth)) {
            const double out = static_cast<double>(option.replicas - inHost) / option.replicas;
            const double bytes = state.gradient + (job.sharding == Sharding::None ? 0 : state.weight);
            option.gradientHostBytes = std::max(option.gradientHostBytes, out * bytes / c.hostBandwidth);
        }
    }
    const std::size_t usual = job.model.experts > 0 ? 1 : 0;
    for (const StageOption::Kind &k : option.kinds) {
        double t = k.times.forward[usual] + k.times.backward[usual];
        if (job.model.experts > 0 && job.model.firstDenseLayers > 0)
            t = std::min(t, k.times.forward[0] + k.times.backward[0]);
        option.fastestLayer
            = std::max(option.fastestLayer, t + (option.forwardReduces + option.backwardReduces) * k.reduce);
    }
}

} // namespace

LayerTimeTable::LayerTimeTable(const CostContext &context, const DeviceClasses &classes, int mostSamples)
    : m_context(context), m_classes(classes), m_samples(static_cast<std::size_t>(mostSamples) + 1),
      m_times(recomputeCount * classes.classes().size() * tensorSizeCount * m_samples)
{
    for (std::atomic<double> &t : m_times)
        t.store(std::numeric_limits<double>::quiet_NaN(), std::memory_order_relaxed);
}

double LayerTimeTable::at(std::size_t deviceClass, int tensor, int samples, Recompute recompute) const
{
    const std::size_t row = (static_cast<std::size_t>(recompute) * m_classes.classes().size() + deviceClass)
            * tensorSizeCount
        + tensorIndex(tensor);
    std::atomic<double> &slot = m_times[row * m_samples + static_cast<std::size_t>(samples)];
    double time = slot.load(std::memory_order_relaxed);
    if (std::isnan(time)) {
        time = compute(deviceClass, tensor, samples, recompute);
        slot.store(time, std::memory_order_relaxed);
    }
    return time;
}

double LayerTimeTable::compute(std::size_t deviceClass, int tensor, int samples, Recompute recompute) const
{
    const ReplicaTimes t
        = m_context.times(m_classes.classes()[deviceClass].kernelClass, tensor, samples, recompute);
    const std::size_t kind = m_context.job().model.experts > 0 ? 1 : 0;
    const TensorCollectives traffic = tensorCollectives(m_context.job(), samples, recompute);
    return t.forward[kind] + t.backward[kind]
        + (traffic.forwardPerLayer + traffic.backwardPerLayer)
        * m_classes.tensorAllReduce(deviceClass, tensor, traffic.bytes);
}

OptionSet makeOptions(const CostContext &context, const DeviceClasses &classes, const LayerTimeTable &table,
                      int microBatch, Recompute recompute, const std::atomic<bool> *cancel)
{
    OptionSet set;
    set.microBatch = microBatch;
    set.microBatches = context.job().globalBatch / microBatch;
    set.recompute = recompute;
    const LayerTimes times {table, recompute};
    const int cap = context.job().maxMicroBatch > 0 ? context.job().maxMicroBatch : microBatch;
    std::vector<ClassPart> parts;
    const std::function<void(std::size_t)> choose = [&](std::size_t c) {
        if (cancel && cancel->load(std::memory_order_relaxed))
            return;
        if (c == classes.classes().size()) {
            if (parts.empty())
                return;
            StageOption option;
            option.parts = parts;
            if (!setShares(times, option.parts, microBatch, cap))
                return;
            for (const ClassPart &p : option.parts)
                option.counts[p.deviceClass] = p.replicas * p.tensor;
            addKinds(context, classes, option, microBatch, recompute);
            if (std::isfinite(option.fastestLayer) && option.kinds.size() <= std::tuple_size_v<decltype(StageTimes::kinds)>)
                set.options.push_back(std::move(option));
            return;
        }
        choose(c + 1);
        if (static_cast<int>(parts.size()) >= classes.mostMixed())
            return;
        const DeviceClass &deviceClass = classes.classes()[c];
        int already = 0;
        for (const ClassPart &p : parts)
            already += p.replicas;
        for (int n = deviceClass.unit; n <= deviceClass.devices; n += deviceClass.unit)
            for (int tensor : deviceClass.tensorSizes) {
                if (n % tensor != 0 || already + n / tensor > microBatch)
                    continue;
                // Blocks of an odd-sized host: a host holds hostSize / tensor of them.
                if (n / tensor > deviceClass.hostSize / tensor * static_cast<int>(deviceClass.hosts.size()))
                    continue;
                parts.push_back({c, tensor, n / tensor, 0, 0});
                choose(c + 1);
                parts.pop_back();
            }
    };
    choose(0);
    return set;
}

StageTimes stageTimes(const CostContext &context, const StageOption &option, LayerMix mix, bool first, bool last)
{
    StageTimes stage;
    const int layers = mix.dense + mix.expert;
    for (const StageOption::Kind &kind : option.kinds) {
        PassTimes &p = stage.kinds[static_cast<std::size_t>(stage.kindCount++)];
        p.forward = kind.times.forwardOf(mix.dense, mix.expert, first, last);
        p.backward = kind.times.backwardOf(mix.dense, mix.expert, first, last);
        if (kind.tensor > 1) {
            p.forward += kind.reduce * (option.forwardReduces * layers + (first ? 1 : 0));
            p.backward += kind.reduce * (option.backwardReduces * layers + (last ? 1 : 0));
        }
    }
    stage.boundary = option.boundary;
    const TrainingJob &job = context.job();
    const ModelShape &shape = job.model;
    const int firstLayer = last ? shape.layers - layers : (first ? 0 : -1);
    double parameters = 0;
    if (firstLayer >= 0)
        parameters = stageParameters(shape, context.parameters(), firstLayer, firstLayer + layers - 1);
    else // in the middle: layers only, and their kinds are all that counts
        parameters = static_cast<double>(mix.dense * context.parameters().denseLayer + mix.expert * context.parameters().expertLayer);
    double reduce = 0;
    double optimiser = 0;
    if (option.replicas > 1) {
        const StateBytes state = stateBytes(job.precision);
        const double out = static_cast<double>(option.replicas - 1) / option.replicas;
        const double bytes = state.gradient + (job.sharding == Sharding::None ? 0 : state.weight);
        for (const StageOption::Kind &kind : option.kinds)
            reduce = std::max(reduce, parameters / kind.tensor * out * bytes / kind.sliceEgress);
        reduce = std::max(reduce, parameters * option.gradientHostBytes);
    }
    for (const StageOption::Kind &kind : option.kinds)
        optimiser = std::max(optimiser, parameters * kind.optimiserPerParameter);
    stage.after = reduce + optimiser;
    return stage;
}

bool fits(const DeviceClasses &classes, const StageOption &option, LayerMix mix, bool first, bool last, int inFlight)
{
    for (const StageOption::Kind &kind : option.kinds)
        if (kind.memory.need(mix.dense, mix.expert, first, last, inFlight)
            > static_cast<double>(classes.classes()[kind.deviceClass].memoryBytes))
            return false;
    return true;
}

} // namespace polyrail
