// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/lenient_json.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace polyrail {

/// Reads one object of a configuration whose keys differ by family. Several names may mean one thing; null counts as
/// absent. The first wrong value is remembered with its JSON pointer, and everything after it is moot, so that a caller
/// reads all it needs and asks once at the end. Refers to the object: must not outlive it.
class ConfigReader
{
public:
    using Names = std::initializer_list<const char *>;

    /// Anything but an object reads as an empty one.
    ConfigReader(const nlohmann::json &object, std::string pointer) : m_object(object), m_pointer(std::move(pointer)) {}
    ConfigReader(nlohmann::json &&, std::string) = delete; // a temporary would dangle

    const std::string &pointer() const { return m_pointer; }
    std::string at(const std::string &key) const { return m_pointer + "/" + pointerPart(key); }

    bool has(const char *name) const { return find({name}) != nullptr; }
    bool hasAny(Names names) const { return find(names) != nullptr; }
    /// The first of the names that is there and not null.
    const nlohmann::json *find(Names names, std::string *which = nullptr) const;

    std::optional<int> integer(Names names); ///< whole numbers only; 4096.0 is one
    std::optional<double> number(Names names);
    std::optional<bool> boolean(Names names);
    std::optional<std::string> text(Names names);
    /// The object under `name`, or an empty one.
    ConfigReader child(const char *name);

    int integerOr(Names names, int fallback) { return integer(names).value_or(fallback); }
    bool booleanOr(Names names, bool fallback) { return boolean(names).value_or(fallback); }

    void fail(Error e);
    /// Takes over what went wrong in a child.
    void adopt(const ConfigReader &child)
    {
        if (child.error())
            fail(*child.error());
    }
    const std::optional<Error> &error() const { return m_error; }

private:
    const nlohmann::json &m_object;
    std::string m_pointer;
    std::optional<Error> m_error;
};

} // namespace polyrail
