// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/config_reader.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace polyrail {

const nlohmann::json *ConfigReader::find(Names names, std::string *which) const
{
    for (const char *name : names) {
        const auto it = m_object.find(name);
        if (it != m_object.end() && !it->is_null()) {
            if (which)
                *which = name;
            return &*it;
        }
    }
    return nullptr;
}

void ConfigReader::fail(Error e)
{
    if (!m_error)
        m_error = std::move(e);
}

std::optional<int> ConfigReader::integer(Names names)
{
    std::string which;
    const nlohmann::json *value = find(names, &which);
    if (!value)
        return std::nullopt;
    if (value->is_array()) {
        fail({ErrorKind::Input, at(which), describeJson(*value) + ", one for each layer", "one whole number",
              "Models whose layers differ in size are not supported."});
        return std::nullopt;
    }
    const double number = value->is_number() ? value->get<double>() : 0.5;
    if (number != std::floor(number) || std::abs(number) > std::numeric_limits<int>::max()) {
        fail({ErrorKind::Input, at(which), describeJson(*value), "a whole number below 2^31", ""});
        return std::nullopt;
    }
    return static_cast<int>(number);
}

std::optional<double> ConfigReader::number(Names names)
{
    std::string which;
    const nlohmann::json *value = find(names, &which);
    if (!value)
        return std::nullopt;
    if (!value->is_number()) {
        fail({ErrorKind::Input, at(which), describeJson(*value), "a number", ""});
        return std::nullopt;
    }
    return value->get<double>();
}

std::optional<bool> ConfigReader::boolean(Names names)
{
    std::string which;
    const nlohmann::json *value = find(names, &which);
    if (!value)
        return std::nullopt;
    if (!value->is_boolean()) {
        fail({ErrorKind::Input, at(which), describeJson(*value), "true or false", ""});
        return std::nullopt;
    }
    return value->get<bool>();
}

std::optional<std::string> ConfigReader::text(Names names)
{
    std::string which;
    const nlohmann::json *value = find(names, &which);
    if (!value)
        return std::nullopt;
    if (!value->is_string()) {
        fail({ErrorKind::Input, at(which), describeJson(*value), "a text", ""});
        return std::nullopt;
    }
    return value->get<std::string>();
}

ConfigReader ConfigReader::child(const char *name)
{
    static const nlohmann::json empty = nlohmann::json::object();
    const nlohmann::json *value = find({name});
    if (value && !value->is_object()) {
        fail({ErrorKind::Input, at(name), describeJson(*value), "an object", ""});
        value = nullptr;
    }
    return {value ? *value : empty, at(name)};
}

} // namespace polyrail
