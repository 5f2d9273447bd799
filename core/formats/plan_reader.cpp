// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/plan_reader.hpp"

#include "core/formats/json_text.hpp"

#include <algorithm>

namespace polyrail {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t mostStages = 100000;
constexpr int mostLayers = 1000000;
constexpr int mostSamples = 1 << 30;
constexpr std::int64_t mostSize = std::int64_t(1) << 31;

constexpr const char *layerNorm = "layer-norm";
constexpr const char *rmsNorm = "rms-norm";

/// One list of fields for both ways: a reader and a writer walk it with their own `field`.
template<class Shape, class Field>
void forEachSize(Shape &s, Field &&field)
{
    field("layers", s.layers);
    field("hidden", s.hidden);
    field("heads", s.heads);
    field("kv_heads", s.kvHeads);
    field("head_dim", s.headDim);
    field("ffn", s.ffn);
    field("vocab", s.vocab);
    field("max_positions", s.maxPositions);
    field("embedding_width", s.embeddingWidth);
    field("norms_per_layer", s.normsPerLayer);
    field("experts", s.experts);
    field("top_k", s.topK);
    field("expert_ffn", s.expertFfn);
    field("shared_experts", s.sharedExperts);
    field("first_dense_layers", s.firstDenseLayers);
    field("extra_parameters_per_layer", s.extraParametersPerLayer);
    field("default_sequence", s.defaultSequence);
}

template<class Shape, class Field>
void forEachSwitch(Shape &s, Field &&field)
{
    field("gated_mlp", s.gatedMlp);
    field("tied_embeddings", s.tiedEmbeddings);
    field("qkv_bias", s.qkvBias);
    field("output_bias", s.outputBias);
    field("mlp_bias", s.mlpBias);
    field("head_bias", s.headBias);
    field("has_head", s.hasHead);
    field("parallel_residual", s.parallelResidual);
    field("norm_bias", s.normBias);
    field("query_key_norm", s.queryKeyNorm);
    field("final_norm", s.finalNorm);
    field("embedding_norm", s.embeddingNorm);
    field("dropout", s.dropout);
    field("router_bias", s.routerBias);
}

template<class Latent, class Field>
void forEachLatentSize(Latent &l, Field &&field)
{
    field("query_rank", l.queryRank);
    field("key_value_rank", l.keyValueRank);
    field("nope_dim", l.nopeDim);
    field("rope_dim", l.ropeDim);
    field("value_dim", l.valueDim);
}

const char *positionName(PositionKind p)
{
    switch (p) {
    case PositionKind::Rotary: return "rotary";
    case PositionKind::Learned: return "learned";
    case PositionKind::None: break;
    }
    return "none";
}

DeviceId deviceAt(const JsonCursor &place, const Cluster &cluster)
{
    const std::string id = place.string();
    if (!place.ok())
        return {};
    const DeviceId found = cluster.findDevice(id);
    if (!found.valid())
        place.refuse(jsonQuoted(id.substr(0, 60)), "the id of a device of the cluster",
                     "Open the plan with the cluster that it was made for.");
    return found;
}

std::vector<DeviceId> devicesAt(const JsonCursor &list, const Cluster &cluster)
{
    std::vector<DeviceId> devices;
    const std::size_t count = list.size(mostSize);
    for (std::size_t i = 0; i < count && list.ok(); ++i)
        devices.push_back(deviceAt(list.item(i), cluster));
    return devices;
}

/// This program knows no other value of a field that the format has.
void expectOne(const JsonCursor &stage, const char *key)
{
    if (!stage.has(key))
        return;
    const JsonCursor place = stage[key];
    const std::int64_t value = place.integer(1, mostSize);
    if (value != 1)
        place.refuse(std::to_string(value), "1", std::string("This version plans no ") + key + " parallelism.");
}

/// Two lists of one thing: who edits one of them has to hear of the other.
void checkDevices(const JsonCursor &item, const Cluster &cluster, const Stage &stage)
{
    if (!item.has("devices"))
        return;
    const JsonCursor place = item["devices"];
    std::vector<DeviceId> listed = devicesAt(place, cluster);
    std::vector<DeviceId> grouped;
    for (const Replica &replica : stage.replicas)
        grouped.insert(grouped.end(), replica.devices.begin(), replica.devices.end());
    std::sort(listed.begin(), listed.end());
    std::sort(grouped.begin(), grouped.end());
    if (listed != grouped)
        place.refuse("other devices than in \"tensor_groups\"", "the devices of the groups", "Correct one of them.");
}

void readReplicas(const JsonCursor &item, const Cluster &cluster, int microBatch, Stage &stage)
{
    if (item.has("tensor_groups")) {
        const JsonCursor groups = item["tensor_groups"];
        const std::size_t count = groups.size(mostStages);
        for (std::size_t g = 0; g < count && groups.ok(); ++g)
            stage.replicas.push_back({devicesAt(groups.item(g), cluster), 0});
        checkDevices(item, cluster, stage);
    } else {
        // Written by another program: equal groups of neighbours.
        const JsonCursor devicesPlace = item["devices"];
        const std::vector<DeviceId> devices = devicesAt(devicesPlace, cluster);
        const std::size_t tensor
            = item.has("tensor") ? static_cast<std::size_t>(item["tensor"].integer(1, mostSize)) : devices.size();
        if (!item.ok())
            return;
        if (devices.empty() || devices.size() % tensor != 0) {
            devicesPlace.refuse(std::to_string(devices.size()) + " devices",
                                "a multiple of the " + std::to_string(tensor) + " of a tensor group",
                                "Give the groups as \"tensor_groups\" when they are unequal.");
            return;
        }
        for (std::size_t d = 0; d < devices.size(); d += tensor) {
            const auto begin = devices.begin() + static_cast<std::ptrdiff_t>(d);
            stage.replicas.push_back({std::vector<DeviceId>(begin, begin + static_cast<std::ptrdiff_t>(tensor)), 0});
        }
    }
    const std::size_t data = stage.replicas.size();
    if (item.has("data") && item.ok()) {
        const JsonCursor place = item["data"];
        const std::int64_t said = place.integer(1, mostSize);
        if (static_cast<std::size_t>(said) != data)
            place.refuse(std::to_string(said), std::to_string(data) + ", the number of tensor groups", "Correct one of them.");
    }
    if (item.has("batch_shares")) {
        const JsonCursor shares = item["batch_shares"];
        const std::size_t count = shares.size(mostStages);
        if (shares.ok() && count != data)
            shares.refuse(std::to_string(count) + " shares", std::to_string(data) + ", one per tensor group", "Correct the list.");
        for (std::size_t r = 0; r < count && shares.ok(); ++r)
            stage.replicas[r].samples = static_cast<int>(shares.item(r).integer(0, mostSamples));
        return;
    }
    for (std::size_t r = 0; r < data; ++r) // the first ones take what does not divide
        stage.replicas[r].samples = static_cast<int>((static_cast<std::size_t>(microBatch) + data - 1 - r) / data);
}

} // namespace

ordered_json writeModelShape(const ModelShape &shape)
{
    ordered_json out;
    out["name"] = shape.name;
    const auto put = [&out](const char *key, auto value) { out[key] = value; };
    forEachSize(shape, put);
    forEachSwitch(shape, put);
    out["norm"] = shape.norm == NormKind::LayerNorm ? layerNorm : rmsNorm;
    out["position"] = positionName(shape.position);
    if (shape.latent) {
        ordered_json &latent = out["latent"];
        forEachLatentSize(*shape.latent, [&latent](const char *key, int value) { latent[key] = value; });
    }
    if (!shape.source.empty())
        out["source"] = shape.source;
    if (!shape.warnings.empty())
        out["warnings"] = shape.warnings;
    return out;
}

ModelShape readModelShape(const JsonCursor &place)
{
    ModelShape shape;
    shape.name = place["name"].string();
    forEachSize(shape, [&place](const char *key, auto &value) {
        constexpr bool wide = sizeof value > sizeof(int);
        if (place.has(key))
            value = static_cast<std::remove_reference_t<decltype(value)>>(
                place[key].integer(0, wide ? std::int64_t(1) << 50 : mostSize - 1));
    });
    forEachSwitch(shape, [&place](const char *key, bool &value) {
        if (place.has(key))
            value = place[key].boolean();
    });
    if (place.has("norm")) {
        const JsonCursor norm = place["norm"];
        const std::string text = norm.string();
        shape.norm = text == layerNorm ? NormKind::LayerNorm : NormKind::RmsNorm;
        if (text != layerNorm && text != rmsNorm)
            norm.refuse(jsonQuoted(text.substr(0, 60)), oneOf({layerNorm, rmsNorm}), "Use one of these words.");
    }
    if (place.has("position")) {
        const JsonCursor position = place["position"];
        const std::string text = position.string();
        bool known = false;
        for (PositionKind p : {PositionKind::Rotary, PositionKind::Learned, PositionKind::None}) {
            if (text == positionName(p)) {
                shape.position = p;
                known = true;
            }
        }
        if (!known)
            position.refuse(jsonQuoted(text.substr(0, 60)), oneOf({"rotary", "learned", "none"}), "Use one of these words.");
    }
    if (place.has("latent")) {
        const JsonCursor latent = place["latent"];
        shape.latent.emplace();
        forEachLatentSize(*shape.latent, [&latent](const char *key, int &value) {
            value = static_cast<int>(latent[key].integer(0, mostSize - 1));
        });
    }
    if (place.has("source"))
        shape.source = place["source"].string();
    if (place.has("warnings")) {
        const JsonCursor warnings = place["warnings"];
        const std::size_t count = warnings.size(1000);
        for (std::size_t i = 0; i < count && warnings.ok(); ++i)
            shape.warnings.push_back(warnings.item(i).string());
    }
    if (!place.ok())
        return shape;
    Result<ModelShape> checked = checkShape(shape);
    if (!checked)
        place.refuse(checked.error());
    return shape;
}

ordered_json writeStages(const Plan &plan, const Cluster &cluster)
{
    ordered_json stages = ordered_json::array();
    for (const Stage &stage : plan.stages) {
        ordered_json devices = ordered_json::array();
        ordered_json groups = ordered_json::array();
        ordered_json shares = ordered_json::array();
        for (const Replica &replica : stage.replicas) {
            ordered_json group = ordered_json::array();
            for (DeviceId d : replica.devices) {
                group.push_back(cluster.device(d).id);
                devices.push_back(cluster.device(d).id);
            }
            groups.push_back(std::move(group));
            shares.push_back(replica.samples);
        }
        ordered_json out;
        out["layers"] = {stage.firstLayer, stage.lastLayer};
        out["devices"] = std::move(devices);
        out["tensor"] = stage.replicas.empty() ? 0 : stage.replicas.front().devices.size();
        out["data"] = stage.replicas.size();
        out["context"] = 1;
        out["expert"] = 1;
        out["tensor_groups"] = std::move(groups);
        out["batch_shares"] = std::move(shares);
        stages.push_back(std::move(out));
    }
    return stages;
}

std::vector<Stage> readStages(const JsonCursor &place, const Cluster &cluster, int microBatch)
{
    std::vector<Stage> stages;
    const std::size_t count = place.size(mostStages);
    for (std::size_t i = 0; i < count && place.ok(); ++i) {
        const JsonCursor item = place.item(i);
        Stage stage;
        const JsonCursor layers = item["layers"];
        if (layers.size(mostStages) != 2)
            layers.refuse("not two numbers", "[first, last]", "Give the first and the last layer of the stage.");
        stage.firstLayer = static_cast<int>(layers.item(0).integer(0, mostLayers));
        stage.lastLayer = static_cast<int>(layers.item(1).integer(stage.firstLayer, mostLayers));
        expectOne(item, "context");
        expectOne(item, "expert");
        if (item.ok())
            readReplicas(item, cluster, microBatch, stage);
        stages.push_back(std::move(stage));
    }
    return stages;
}

} // namespace polyrail
