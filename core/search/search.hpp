// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/cost_context.hpp"
#include "core/plan/plan.hpp"
#include "core/sim/schedule.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace polyrail {

enum class SearchStatus {
    Idle, Running, Paused,
    Optimal,    ///< the gap is closed: no plan of the stated space is faster
    Infeasible, ///< proven: the space holds no plan
    Stopped,    ///< by the user
    TimeLimit, NodeLimit, MemoryLimit,
    Failed,     ///< a broken invariant; `message` says which. The problem is untouched.
};
const char *toString(SearchStatus s); ///< "optimal" | "stopped" | "time-limit" | "infeasible" ...
bool isFinal(SearchStatus s);

struct SearchOptions
{
    std::chrono::duration<double> timeLimit{0}; ///< 0 = none
    std::int64_t nodeLimit = 0;                 ///< 0 = none
    int threads = 0;                            ///< 0 = all cores
    std::uint64_t seed = 1;                     ///< one thread, same seed and limits: same log
    std::uint64_t request = 0;                  ///< stamped on every snapshot ("latest wins")
    int maxStages = 16;
    std::vector<Plan> warmStart;                ///< kept plans; those that do not fit are ignored
    bool baselines = true;                      ///< evaluate equal split and best uniform grid first
};

/// Why nodes were cut, counted.
struct CutCounts
{
    std::int64_t bound = 0;
    std::int64_t memory = 0;
    std::int64_t symmetry = 0;
    std::int64_t dominance = 0;
    std::int64_t infeasible = 0;
};

struct HistoryPoint
{
    double seconds = 0;                    ///< since the start of the search (pauses left out)
    std::int64_t nodes = 0;
    std::optional<Nanoseconds> incumbent;
    Nanoseconds bound;
};

struct BaselineResult
{
    std::string name;                      ///< "equal split", "best uniform grid"
    std::shared_ptr<const Plan> plan;      ///< null when it does not fit
    std::optional<Nanoseconds> step;
    std::string reason;                    ///< why not, when it does not fit
};

/// One line of the search's log. No times in it: one thread, same seed and limits give the same log.
struct SearchEvent
{
    enum class Kind : std::uint8_t { Expanded, Cut, Incumbent };
    std::uint64_t sequence = 0;
    Kind kind = Kind::Expanded;
    std::int64_t node = 0;                 ///< number of expanded nodes when it happened
    int depth = 0;
    Nanoseconds value;                     ///< the node's bound, or the incumbent's step time
    bool operator==(const SearchEvent &) const = default;
};

/// One found plan.
struct Candidate
{
    std::shared_ptr<const Plan> plan;
    Nanoseconds step;
    double foundAtSeconds = 0;
};

/// The state of a search at one moment. Immutable; newer ones have a higher sequence number.
struct SearchSnapshot
{
    std::uint64_t sequence = 0;
    std::uint64_t request = 0;
    SearchStatus status = SearchStatus::Idle;
    std::string message;                   ///< infeasible: which limit binds; failed: why
    std::optional<Candidate> best;
    std::vector<Candidate> top;            ///< best distinct plans, best first, at most 8
    Nanoseconds bound;                     ///< no plan of the space is faster than this
    double gap = 1;                        ///< (best - bound) / best; 1 while there is no plan
    std::int64_t nodes = 0;
    std::int64_t open = 0;
    std::int64_t simulations = 0;
    CutCounts cuts;
    double elapsedSeconds = 0;
    double nodesPerSecond = 0;
    std::vector<HistoryPoint> history;     ///< changes only, thinned to at most 512 points
    std::vector<BaselineResult> baselines;
    std::string space;                     ///< what "optimal" covers, in words
};

/// A running search in the background. All members are thread-safe. The destructor stops and joins.
class Search
{
public:
    static std::unique_ptr<Search> start(std::shared_ptr<const CostContext> context, SearchOptions options);
    virtual ~Search() = default;

    virtual std::shared_ptr<const SearchSnapshot> latest() const = 0;
    /// Events with sequence >= from that are still kept (the newest 4096).
    virtual std::vector<SearchEvent> events(std::uint64_t from) const = 0;
    virtual void pause() = 0;
    virtual void resume() = 0;
    /// Asks to stop; returns at once. The search ends within 0.2 s.
    virtual void stop() = 0;
    /// Blocks until the status is final.
    virtual void wait() = 0;
};

} // namespace polyrail
