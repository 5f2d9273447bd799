// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/search.hpp"

#include "core/base/quantity.hpp"
#include "core/plan/evaluate.hpp"
#include "core/search/baselines.hpp"
#include "core/search/training_space.hpp"

#include <atomic>
#include <mutex>
#include <thread>

namespace polyrail {

const char *toString(SearchStatus s)
{
    switch (s) {
    case SearchStatus::Idle: return "idle";
    case SearchStatus::Running: return "running";
    case SearchStatus::Paused: return "paused";
    case SearchStatus::Optimal: return "optimal";
    case SearchStatus::Infeasible: return "infeasible";
    case SearchStatus::Stopped: return "stopped";
    case SearchStatus::TimeLimit: return "time-limit";
    case SearchStatus::NodeLimit: return "node-limit";
    case SearchStatus::MemoryLimit: return "memory-limit";
    case SearchStatus::Failed: return "failed";
    }
    return "failed";
}

bool isFinal(SearchStatus s)
{
    return s != SearchStatus::Idle && s != SearchStatus::Running && s != SearchStatus::Paused;
}

namespace {

/// Which limit binds when the space holds no plan.
std::string whyInfeasible(const CostContext &context)
{
    const TrainingJob &job = context.job();
    if (context.cluster().devices().empty())
        return "The cluster has no devices. Add a GPU.";
    std::int64_t memory = 0;
    for (const Device &device : context.cluster().devices())
        memory += device.type.memory.value;
    const StateBytes state = stateBytes(job.precision);
    const double least = static_cast<double>(context.parameters().total) * (state.weight + state.gradient
                                                                             + state.optimiser);
    std::string text = "No plan fits: memory binds. Weights, gradients and optimiser state of " + job.model.name + " take "
        + formatBytes(Bytes(static_cast<std::int64_t>(least))) + " without activations; all devices together have "
        + formatBytes(Bytes(memory)) + ".";
    if (least < static_cast<double>(memory))
        text = "No plan fits: memory binds on single devices. State of " + job.model.name + " takes "
            + formatBytes(Bytes(static_cast<std::int64_t>(least))) + " of "
            + formatBytes(Bytes(memory)) + " in all, but no split leaves room for activations at " + std::to_string(job.sequence)
            + " tokens on every device, or devices that would have to work together are not connected.";
    return text + " Use devices with more memory, a smaller model, shorter sequences, or more devices.";
}

class TrainingSearch final : public Search
{
public:
    TrainingSearch(std::shared_ptr<const CostContext> context, SearchOptions options)
        : m_context(std::move(context)), m_options(std::move(options)), m_space(m_context, m_options.maxStages),
          m_description(m_space.description()), m_engine(m_space, limits(m_options))
    {
        m_thread = std::jthread([this] { run(); });
    }
    ~TrainingSearch() override
    {
        stop();
        m_thread.join();
    }

    std::shared_ptr<const SearchSnapshot> latest() const override;
    std::vector<SearchEvent> events(std::uint64_t from) const override { return m_engine.events(from); }
    void pause() override { m_engine.pause(); }
    void resume() override { m_engine.resume(); }
    void stop() override
    {
        m_stopping.store(true);
        m_engine.stop();
    }
    void wait() override
    {
        std::unique_lock lock(m_mutex);
        m_done.wait(lock, [this] { return m_finished; });
    }

private:
    static EngineLimits limits(const SearchOptions &options)
    {
        EngineLimits l;
        l.threads = options.threads > 0 ? options.threads
                                        : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        l.timeLimit = options.timeLimit;
        l.nodeLimit = options.nodeLimit;
        return l;
    }
    void run();
    void offer(const Plan &plan, Nanoseconds step)
    {
        m_engine.offer({step, std::make_shared<const Plan>(plan), planKey(plan)});
    }
    void addBaseline(BaselineResult result)
    {
        if (result.plan)
            offer(*result.plan, *result.step);
        const std::lock_guard lock(m_mutex);
        m_baselines.push_back(std::move(result));
    }

    const std::shared_ptr<const CostContext> m_context;
    const SearchOptions m_options;
    TrainingSpace m_space;
    const std::string m_description;
    Engine m_engine;

    mutable std::mutex m_mutex;
    std::condition_variable m_done;
    bool m_finished = false;
    std::vector<BaselineResult> m_baselines;
    std::string m_failure;
    mutable std::shared_ptr<const SearchSnapshot> m_latest;
    mutable std::uint64_t m_latestVersion = ~std::uint64_t(0);
    mutable std::size_t m_latestBaselines = 0;
    std::atomic<bool> m_stopping {false};
    std::jthread m_thread; ///< last: joins before the rest goes
};

void TrainingSearch::run()
{
    try {
        for (const Plan &plan : m_options.warmStart)
            if (const auto schedule = evaluate(*m_context, plan, SimDetail::MakespanOnly))
                offer(plan, schedule->makespan);
        if (m_options.baselines && !m_context->cluster().devices().empty()) {
            addBaseline(equalSplit(*m_context));
            addBaseline(bestUniformGrid(*m_context, &m_stopping));
        }
        m_engine.run();
    } catch (const std::exception &e) {
        const std::lock_guard lock(m_mutex);
        m_failure = e.what();
        m_engine.stop();
    }
    const std::lock_guard lock(m_mutex);
    m_finished = true;
    m_done.notify_all();
}

std::shared_ptr<const SearchSnapshot> TrainingSearch::latest() const
{
    const Engine::State state = m_engine.state();
    const std::lock_guard lock(m_mutex);
    const bool moving = state.status == SearchStatus::Running;
    if (m_latest && state.version == m_latestVersion && m_baselines.size() == m_latestBaselines && !moving)
        return m_latest;
    auto s = std::make_shared<SearchSnapshot>();
    s->sequence = m_latest ? m_latest->sequence + 1 : 1;
    s->request = m_options.request;
    s->status = m_failure.empty() ? state.status : SearchStatus::Failed;
    s->message = m_failure.empty() ? state.message : m_failure;
    if (s->status == SearchStatus::Infeasible)
        s->message = whyInfeasible(*m_context);
    s->top = state.top;
    s->bound = state.bound;
    if (!s->top.empty()) {
        s->best = s->top.front();
        s->gap = s->best->step.value > 0 ? static_cast<double>(s->best->step.value - s->bound.value)
                / static_cast<double>(s->best->step.value)
                                         : 0;
    }
    s->nodes = state.nodes;
    s->open = state.open;
    s->simulations = state.simulations;
    s->cuts = state.cuts;
    s->elapsedSeconds = state.elapsedSeconds;
    s->nodesPerSecond = state.elapsedSeconds > 0 ? static_cast<double>(state.nodes) / state.elapsedSeconds : 0;
    s->history = state.history;
    s->baselines = m_baselines;
    s->space = m_description;
    m_latest = s;
    m_latestVersion = state.version;
    m_latestBaselines = m_baselines.size();
    return m_latest;
}

/// A search that could not begin: final from the start, with its reason.
class RefusedSearch final : public Search
{
public:
    RefusedSearch(std::uint64_t request, const char *reason)
    {
        auto s = std::make_shared<SearchSnapshot>();
        s->sequence = 1;
        s->request = request;
        s->status = SearchStatus::Failed;
        s->message = reason;
        m_snapshot = std::move(s);
    }
    std::shared_ptr<const SearchSnapshot> latest() const override { return m_snapshot; }
    std::vector<SearchEvent> events(std::uint64_t) const override { return {}; }
    void pause() override {}
    void resume() override {}
    void stop() override {}
    void wait() override {}

private:
    std::shared_ptr<const SearchSnapshot> m_snapshot;
};

} // namespace

std::unique_ptr<Search> Search::start(std::shared_ptr<const CostContext> context, SearchOptions options)
{
    const std::uint64_t request = options.request;
    try {
        return std::make_unique<TrainingSearch>(std::move(context), std::move(options));
    } catch (const std::exception &e) {
        return std::make_unique<RefusedSearch>(request, e.what());
    }
}

} // namespace polyrail
