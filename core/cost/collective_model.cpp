// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/collective_model.hpp"

#include "core/cost/patterns.hpp"
#include "core/cost/route_chooser.hpp"
#include "core/cost/use_sum.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <unordered_map>

namespace polyrail {

const char *toString(Collective c)
{
    switch (c) {
    case Collective::AllReduce: return "all-reduce";
    case Collective::ReduceScatter: return "reduce-scatter";
    case Collective::AllGather: return "all-gather";
    case Collective::AllToAll: return "all-to-all";
    case Collective::Broadcast: return "broadcast";
    }
    return "";
}

namespace {

struct Key
{
    Collective kind;
    std::vector<DeviceId> members;
    bool operator==(const Key &) const = default;
};

struct KeyHash
{
    std::size_t operator()(const Key &key) const noexcept
    {
        std::uint64_t h = 1469598103934665603ull + static_cast<std::uint64_t>(key.kind);
        for (const DeviceId d : key.members)
            h = (h ^ static_cast<std::uint32_t>(d.value)) * 1099511628211ull;
        return static_cast<std::size_t>(h ^ (h >> 29));
    }
};

using Answer = Result<std::vector<Pattern>>;
constexpr std::size_t shardCount = 16;
/// A shard forgets everything when it holds this many link uses (16 bytes each): about 16 MB.
constexpr std::size_t mostUsesPerShard = 1 << 20;

} // namespace

struct CollectiveModel::Store
{
    struct Shard
    {
        std::mutex mutex;
        std::unordered_map<Key, std::shared_ptr<const Answer>, KeyHash> answers;
        std::size_t uses = 0;
    };
    std::array<Shard, shardCount> shards;
};

CollectiveModel::CollectiveModel(const RouteTable &routes, const Network &network, InSwitch inSwitch)
    : m_routes(&routes), m_network(&network), m_inSwitch(inSwitch), m_store(std::make_shared<Store>())
{
}

Result<Transfer> CollectiveModel::collective(Collective kind, std::span<const DeviceId> members, double bytes) const
{
    if (members.size() < 2 || bytes <= 0)
        return Transfer{};
    const Key key{kind, {members.begin(), members.end()}};
    Store::Shard &shard = m_store->shards[KeyHash()(key) % shardCount];
    std::shared_ptr<const Answer> answer;
    {
        const std::lock_guard<std::mutex> lock(shard.mutex);
        const auto known = shard.answers.find(key);
        if (known != shard.answers.end())
            answer = known->second;
    }
    if (answer == nullptr) {
        // Outside the lock: two threads may work out the same answer, and get the same.
        answer = std::make_shared<const Answer>(collectivePatterns(*m_routes, *m_network, kind, members,
                                                                           m_inSwitch == InSwitch::Yes));
        std::size_t uses = members.size();
        if (answer->has_value())
            for (const Pattern &pattern : **answer)
                uses += pattern.uses.size();
        const std::lock_guard<std::mutex> lock(shard.mutex);
        if (shard.uses + uses > mostUsesPerShard) {
            shard.answers.clear();
            shard.uses = 0;
        }
        if (shard.answers.emplace(key, answer).second)
            shard.uses += uses;
    }
    if (!answer->has_value())
        return fail(answer->error());

    const Pattern *best = nullptr;
    double bestSeconds = std::numeric_limits<double>::infinity();
    for (const Pattern &pattern : **answer) {
        const double seconds = pattern.seconds(bytes);
        if (seconds < bestSeconds) {
            bestSeconds = seconds;
            best = &pattern;
        }
    }
    Transfer transfer;
    transfer.algorithm = best->algorithm;
    transfer.latency = Seconds(best->latency);
    transfer.ownTime = Seconds(best->body(bytes));
    transfer.uses = best->uses;
    for (LinkUse &use : transfer.uses)
        use.bytes *= bytes;
    return transfer;
}

Result<Transfer> CollectiveModel::send(DeviceId from, DeviceId to, double bytes) const
{
    const std::array<Flow, 1> one = {{{from, to, bytes}}};
    return sendAll(one);
}

Result<Transfer> CollectiveModel::sendAll(std::span<const Flow> flows) const
{
    Transfer transfer;
    Error error;
    const bool routed = RouteChooser::routeAll(*m_routes, [&](RouteChooser &chooser) {
        UseSum sum(m_routes->cluster().links().size());
        double before = 0;
        bool any = false;
        for (const Flow &flow : flows) {
            if (flow.from == flow.to || flow.bytes <= 0)
                continue;
            const std::vector<Stripe> *stripes = chooser.between(flow.from, flow.to);
            if (stripes == nullptr) {
                error = m_routes->between(flow.from, flow.to).empty()
                    ? notConnected(m_routes->cluster(), flow.from, flow.to)
                    : exclusiveClash(m_routes->cluster());
                return false;
            }
            any = true;
            sum.add(*stripes, flow.bytes);
            const HostId host = m_routes->cluster().device(flow.from).host;
            const bool inside = host.valid() && host == m_routes->cluster().device(flow.to).host;
            for (const Stripe &stripe : *stripes)
                before = std::max(before, stripe.route.latency.value + sendOverhead(inside));
        }
        if (!any)
            return true;
        transfer.uses = sum.uses();
        if (!m_network->possible(transfer.uses)) {
            error = exclusiveClash(m_routes->cluster());
            return false;
        }
        transfer.algorithm = "p2p";
        transfer.latency = Seconds(before);
        transfer.ownTime = Seconds(reachableSeconds(m_routes->cluster(), *m_network, transfer.uses));
        return true;
    });
    if (!routed)
        return fail(error);
    return transfer;
}

} // namespace polyrail
