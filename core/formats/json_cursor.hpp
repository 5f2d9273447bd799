// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polyrail {

// Strict reading of JSON that people and other programs wrote. Internal to core/formats.

struct JsonLimits
{
    std::size_t maxBytes = std::size_t(256) << 20;
    int maxDepth = 32;
    bool refuseRepeatedKeys = true; ///< a repeated key is otherwise silently the last one
};

/// Parses UTF-8 JSON (a byte order mark is skipped). Errors carry "line 3, column 7", or the JSON pointer of
/// a repeated key. Never recurses deeper than the limit.
Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits &limits = {});

/// Checks "format" and "version" of a Polyrail file.
Result<void> checkFormat(const nlohmann::json &root, const std::string &format, int version);

/// "a", "b" or "c"
std::string oneOf(const std::vector<std::string> &names);
/// The word of `known` that differs from `word` by at most two letters; empty if none.
std::string nearest(std::string_view word, const std::vector<std::string> &known);

/// A place in a parsed document. Accessors check the type; the first mistake of a document is kept in the
/// error slot that all cursors share, and what comes after it reads as empty, so a reader is written
/// straight down and asks once at the end. A child must not outlive its parent (pointers are built from
/// the chain only when there is something to report).
class JsonCursor
{
public:
    JsonCursor(const nlohmann::json &root, std::optional<Error> &error) : m_value(&root), m_error(&error) { }

    bool ok() const { return !m_error->has_value(); }
    std::string pointer() const;

    /// Records an error here (the first one of the document is kept).
    void refuse(std::string found, std::string expected, std::string remedy = {}) const;
    void refuse(Error error) const; ///< `error.where` is replaced by this place
    /// Reports keys of an object that look like a misspelling of a known one; `strict`: any other key.
    void checkKeys(const std::vector<std::string> &known, bool strict = false) const;

    bool isObject() const { return m_value && m_value->is_object(); }
    bool isArray() const { return m_value && m_value->is_array(); }
    bool isString() const { return m_value && m_value->is_string(); }
    bool isNull() const { return m_value && m_value->is_null(); }
    bool has(const std::string &key) const { return isObject() && m_value->contains(key); }

    /// A field of an object; missing fields are reported when they are read (use has() for optional ones).
    JsonCursor operator[](const char *key) const;
    /// Items of an array, at most `limit`.
    std::size_t size(std::size_t limit) const;
    JsonCursor item(std::size_t index) const;
    /// Keys of an object, sorted.
    std::vector<std::string> keys() const;
    JsonCursor field(const std::string &key) const; ///< `key` must outlive the cursor

    std::string string() const;
    bool boolean() const;
    double number() const; ///< finite
    std::int64_t integer(std::int64_t least, std::int64_t most) const;

    /// A quantity written as text, e.g. quantity(parseBandwidth).
    template<class T>
    T quantity(Result<T> (*parse)(std::string_view)) const
    {
        if (!m_value || m_value->is_number()) {
            // Let parse() say what is expected; a bare number lacks its unit.
            Error error = parse(m_value ? m_value->dump() : std::string()).error();
            if (!m_value)
                error.found = "nothing";
            refuse(std::move(error));
            return T();
        }
        const std::string text = string();
        if (!ok())
            return T();
        auto value = parse(text);
        if (value)
            return *value;
        refuse(value.error());
        return T();
    }

private:
    JsonCursor(const JsonCursor &parent, const nlohmann::json *value, std::string_view key, std::size_t index)
        : m_value(value), m_error(parent.m_error), m_parent(&parent), m_key(key), m_index(index)
    {
    }
    void wrongType(const char *expected) const;

    const nlohmann::json *m_value; ///< null: missing
    std::optional<Error> *m_error;
    const JsonCursor *m_parent = nullptr;
    std::string_view m_key; ///< of the parent object; empty data: item m_index of the parent array
    std::size_t m_index = 0;
};

} // namespace polyrail
