// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/gpu_type_json.hpp"

#include "core/base/quantity.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace polyrail {

namespace {

using nlohmann::json;

const std::vector<std::string> &precisionKeys()
{
    static const std::vector<std::string> keys{"fp32", "tf32", "fp16", "bf16", "fp8"};
    return keys;
}

const std::vector<std::string> &matmulKeys()
{
    static const std::vector<std::string> keys{"max_efficiency", "pipeline_fill", "tile_exponent", "memory_efficiency",
        "launch_us", "tail_weight", "source", "fit_error_percent"};
    return keys;
}

/// A number between two limits; `fallback` when the key is absent.
double numberIn(const JsonCursor &object, const char *key, double fallback, double least, double most)
{
    if (!object.has(key))
        return fallback;
    const JsonCursor place = object[key];
    const double value = place.number();
    if (place.ok() && !(value >= least && value <= most))
        place.refuse(json(value).dump(), "a number from " + json(least).dump() + " to " + json(most).dump(),
            "Correct the number.");
    return value;
}

MatmulConstants readMatmul(const JsonCursor &object)
{
    object.checkKeys(matmulKeys(), true);
    MatmulConstants c;
    c.maxEfficiency = numberIn(object, "max_efficiency", c.maxEfficiency, 0.01, 1.5);
    c.pipelineFill = numberIn(object, "pipeline_fill", c.pipelineFill, 0, 1e5);
    c.tileExponent = numberIn(object, "tile_exponent", c.tileExponent, 0, 2);
    c.memoryEfficiency = numberIn(object, "memory_efficiency", c.memoryEfficiency, 0.01, 3);
    c.launchSeconds = numberIn(object, "launch_us", c.launchSeconds * 1e6, 0, 1e4) * 1e-6;
    c.tailWeight = numberIn(object, "tail_weight", c.tailWeight, 0, 1);
    if (object.has("source"))
        c.source = object["source"].string();
    c.fitErrorPercent = numberIn(object, "fit_error_percent", 0, 0, 1000);
    return c;
}

std::string writeMatmul(const MatmulConstants &c)
{
    json object = {{"max_efficiency", c.maxEfficiency}, {"pipeline_fill", c.pipelineFill},
        {"tile_exponent", c.tileExponent}, {"memory_efficiency", c.memoryEfficiency},
        {"launch_us", c.launchSeconds * 1e6}, {"tail_weight", c.tailWeight}};
    if (!c.source.empty())
        object["source"] = c.source;
    if (c.fitErrorPercent > 0)
        object["fit_error_percent"] = c.fitErrorPercent;
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string quoted(const std::string &text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

void readPeaks(const JsonCursor &object, GpuType &type, std::vector<std::string> &names)
{
    object.checkKeys(precisionKeys(), true);
    for (const std::string &key : object.keys()) {
        const auto precision = precisionFromString(key);
        if (!precision)
            continue;
        const JsonCursor place = object.field(key);
        auto &peak = type.peak[static_cast<std::size_t>(*precision)];
        peak.reset(); // null: the chip has no units for it
        if (!place.isNull())
            peak = place.quantity(parseFlops);
        names.push_back("peak." + std::string(toString(*precision)));
    }
}

void readMatmuls(const JsonCursor &object, GpuType &type, std::vector<std::string> &names)
{
    object.checkKeys(precisionKeys(), true);
    for (const std::string &key : object.keys()) {
        const auto precision = precisionFromString(key);
        if (!precision)
            continue;
        type.matmul[*precision] = readMatmul(object.field(key));
        names.push_back("matmul." + std::string(toString(*precision)));
    }
}

std::vector<std::string> readStrings(const JsonCursor &array)
{
    std::vector<std::string> texts;
    const std::size_t count = array.size(1000);
    for (std::size_t i = 0; i < count; ++i)
        texts.push_back(array.item(i).string());
    return texts;
}

GpuType readEntry(const JsonCursor &entry)
{
    static const std::vector<std::string> known = [] {
        std::vector<std::string> keys{"name", "aliases", "architecture", "scale_up", "source", "unverified", "note"};
        keys.insert(keys.end(), gpuFigureKeys().begin(), gpuFigureKeys().end());
        return keys;
    }();
    entry.checkKeys(known, true);
    GpuType type;
    type.name = entry["name"].string();
    if (entry.has("aliases"))
        type.aliases = readStrings(entry["aliases"]);
    type.architecture = entry["architecture"].string();
    if (entry.has("scale_up"))
        type.scaleUp = entry["scale_up"].string();
    type.source = entry["source"].string();
    if (entry.has("unverified"))
        type.unverified = readStrings(entry["unverified"]);
    if (entry.has("note"))
        type.note = entry["note"].string();
    readGpuFigures(entry, type);
    for (const char *needed : {"memory", "memory_bandwidth", "multiprocessors", "peak"}) {
        if (entry.ok() && !entry.has(needed))
            entry.refuse("no \"" + std::string(needed) + '"', "the figure",
                "Add it, and name it under \"unverified\" if it is a guess.");
    }
    const bool anyPeak = std::any_of(type.peak.begin(), type.peak.end(), [](const auto &p) { return p.has_value(); });
    if (entry.ok() && !anyPeak)
        entry["peak"].refuse("no rate", "at least one number format", "Add the rates that are known.");
    return type;
}

} // namespace

const std::vector<std::string> &gpuFigureKeys()
{
    static const std::vector<std::string> keys{"memory", "memory_bandwidth", "l2_cache", "multiprocessors", "peak",
        "scale_up_bandwidth", "pcie_generation", "pcie_bandwidth", "matmul"};
    return keys;
}

std::vector<std::string> readGpuFigures(const JsonCursor &object, GpuType &type)
{
    std::vector<std::string> names;
    const auto given = [&](const char *key) {
        if (!object.has(key))
            return false;
        names.emplace_back(key);
        return true;
    };
    if (given("memory")) {
        const JsonCursor place = object["memory"];
        type.memory = place.quantity(parseBytes);
        if (place.ok() && type.memory.value == 0)
            place.refuse("no memory", "a size above zero", "Correct the figure.");
    }
    if (given("memory_bandwidth"))
        type.memoryBandwidth = object["memory_bandwidth"].quantity(parseBandwidth);
    if (given("l2_cache"))
        type.l2Cache = object["l2_cache"].quantity(parseBytes);
    if (given("multiprocessors"))
        type.multiprocessors = static_cast<int>(object["multiprocessors"].integer(1, 100000));
    if (given("scale_up_bandwidth"))
        type.scaleUpBandwidth = object["scale_up_bandwidth"].quantity(parseBandwidth);
    if (given("pcie_generation"))
        type.pcieGeneration = static_cast<int>(object["pcie_generation"].integer(1, 10));
    if (given("pcie_bandwidth"))
        type.pcieBandwidth = object["pcie_bandwidth"].quantity(parseBandwidth);
    if (object.has("peak"))
        readPeaks(object["peak"], type, names);
    if (object.has("matmul"))
        readMatmuls(object["matmul"], type, names);
    return names;
}

std::string writeGpuFigures(const GpuType &type, const std::vector<std::string> &names)
{
    std::map<std::string, std::string> fields;
    std::map<std::string, std::string> peaks;
    std::map<std::string, std::string> matmuls;
    for (const std::string &name : names) {
        const std::size_t dot = name.find('.');
        const auto precision = precisionFromString(dot == std::string::npos ? std::string() : name.substr(dot + 1));
        if (name == "memory")
            fields[name] = quoted(exactBytes(type.memory));
        else if (name == "memory_bandwidth")
            fields[name] = quoted(exactBandwidth(type.memoryBandwidth));
        else if (name == "l2_cache")
            fields[name] = quoted(exactBytes(type.l2Cache));
        else if (name == "multiprocessors")
            fields[name] = std::to_string(type.multiprocessors);
        else if (name == "scale_up_bandwidth")
            fields[name] = quoted(exactBandwidth(type.scaleUpBandwidth));
        else if (name == "pcie_generation")
            fields[name] = std::to_string(type.pcieGeneration);
        else if (name == "pcie_bandwidth")
            fields[name] = quoted(exactBandwidth(type.pcieBandwidth));
        else if (precision && name.starts_with("peak.")) {
            const auto &peak = type.peak[static_cast<std::size_t>(*precision)];
            peaks[toString(*precision)] = peak ? quoted(exactFlops(*peak)) : "null";
        } else if (precision && name.starts_with("matmul.")) {
            if (const auto it = type.matmul.find(*precision); it != type.matmul.end())
                matmuls[toString(*precision)] = writeMatmul(it->second);
        }
    }
    const auto object = [](const std::map<std::string, std::string> &entries) {
        std::string text = "{";
        for (const auto &[key, value] : entries)
            text += (text.size() > 1 ? ", " : "") + ('"' + key + "\": " + value);
        return text + '}';
    };
    if (!peaks.empty())
        fields["peak"] = object(peaks);
    if (!matmuls.empty())
        fields["matmul"] = object(matmuls);
    return object(fields);
}

Result<Catalogue> readCatalogue(std::string_view text)
{
    const auto root = parseJson(text);
    if (!root)
        return fail(root.error());
    if (auto ok = checkFormat(*root, "polyrail-gpus", 1); !ok)
        return fail(ok.error());
    std::optional<Error> error;
    const JsonCursor cursor(*root, error);
    const JsonCursor list = cursor["gpus"];
    std::vector<GpuType> types;
    const std::size_t count = list.size(10000);
    for (std::size_t i = 0; i < count && list.ok(); ++i)
        types.push_back(readEntry(list.item(i)));
    if (error)
        return fail(*error);
    Catalogue catalogue(std::move(types));
    for (std::size_t i = 0; i < catalogue.types().size(); ++i) {
        const GpuType &type = catalogue.types()[i];
        std::vector<std::string> spellings = type.aliases;
        spellings.push_back(type.name);
        for (const std::string &spelling : spellings) {
            if (catalogue.find(spelling) != &type) {
                list.item(i).refuse('"' + spelling + "\", which also leads to another entry", "names that are unique",
                    "Remove it from one of the two.");
                return fail(*error);
            }
        }
    }
    return catalogue;
}

} // namespace polyrail
