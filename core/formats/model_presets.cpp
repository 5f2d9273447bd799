// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/model_presets.hpp"

#include "core/formats/builtin.hpp"
#include "core/formats/config_reader.hpp"
#include "core/formats/importers.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace polyrail {

namespace {

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

Result<ModelPreset> readPreset(const nlohmann::json &entry, const std::string &where)
{
    if (!entry.is_object())
        return inputError(where, describeJson(entry), "an object", "");
    ConfigReader keys(entry, where);
    const std::string name = keys.text({"name"}).value_or("");
    const std::string source = keys.text({"source"}).value_or("");
    const int sequence = keys.integerOr({"sequence"}, 0);
    const double parameters = keys.number({"parameters"}).value_or(0);
    const nlohmann::json *config = keys.find({"config"});
    if (keys.error())
        return fail(*keys.error());
    if (name.empty() || source.empty() || !config)
        return inputError(where, describeJson(entry), "name, source and config", "");
    if (!(parameters >= 1 && parameters < 9e18))
        return inputError(where + "/parameters", describeJson(parameters), "the published total", "");
    auto shape = importHuggingFaceConfig(config->dump(), name);
    if (!shape)
        return fail({ErrorKind::Input, where + "/config" + shape.error().where, shape.error().found,
                     shape.error().expected, shape.error().remedy});
    shape->source = source;
    shape->warnings.clear(); // the totals are tested, so nothing is left to doubt
    if (sequence > 0)
        shape->defaultSequence = sequence;
    return ModelPreset{std::move(*shape), static_cast<std::int64_t>(parameters)};
}

} // namespace

Result<std::vector<ModelPreset>> readModelPresets(std::string_view text)
{
    auto parsed = parseLenientJson(text);
    if (!parsed)
        return fail(parsed.error());
    const nlohmann::json &root = parsed->value;
    ConfigReader keys(root, "");
    if (keys.text({"format"}).value_or("") != "polyrail-models" || keys.integerOr({"version"}, 0) != 1)
        return inputError("/format", describeJson(root), "an object of format polyrail-models, version 1", "");
    const auto models = root.find("models");
    if (models == root.end() || !models->is_array() || models->empty())
        return inputError("/models", "nothing", "a list of models", "");
    std::vector<ModelPreset> presets;
    for (std::size_t i = 0; i < models->size(); ++i) {
        const std::string where = "/models/" + std::to_string(i);
        auto preset = readPreset((*models)[i], where);
        if (!preset)
            return fail(preset.error());
        for (const ModelPreset &other : presets)
            if (lowered(other.shape.name) == lowered(preset->shape.name))
                return inputError(where + "/name", preset->shape.name + " a second time", "names that differ", "");
        presets.push_back(std::move(*preset));
    }
    return presets;
}

const std::vector<ModelShape> &modelPresets()
{
    static const std::vector<ModelShape> shapes = [] {
        auto presets = readModelPresets(builtinText("resources/models.json"));
        if (!presets) // the text is compiled in and tested
            throw std::logic_error("resources/models.json: " + presets.error().message());
        std::vector<ModelShape> out;
        for (ModelPreset &preset : *presets)
            out.push_back(std::move(preset.shape));
        return out;
    }();
    return shapes;
}

const ModelShape *findPreset(std::string_view name)
{
    const std::string wanted = lowered(name);
    for (const ModelShape &shape : modelPresets())
        if (lowered(shape.name) == wanted)
            return &shape;
    return nullptr;
}

} // namespace polyrail
