// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_cursor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace polyrail {

namespace {

using nlohmann::json;

std::string escaped(std::string_view key)
{
    std::string out;
    for (char c : key) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

std::string place(std::string_view text, std::size_t offset)
{
    offset = std::min(offset, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    const std::size_t column = newline == std::string_view::npos ? offset + 1 : offset - newline;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Deepest nesting of brackets outside strings; stops as soon as it exceeds `limit` (offset of that bracket).
std::optional<std::size_t> tooDeep(std::string_view text, int limit)
{
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '{' || c == '[') {
            if (++depth > limit)
                return i;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return std::nullopt;
}

/// Walks a text and remembers the first key that an object gives twice. An event handler of its own and not
/// a callback of json::parse, which looks at all items of an array again after each of them.
class RepeatedKeys
{
public:
    bool null() { return next(); }
    bool boolean(bool) { return next(); }
    bool number_integer(json::number_integer_t) { return next(); }
    bool number_unsigned(json::number_unsigned_t) { return next(); }
    bool number_float(json::number_float_t, const std::string &) { return next(); }
    bool string(std::string &) { return next(); }
    bool binary(json::binary_t &) { return next(); }
    bool start_object(std::size_t) { return start(false); }
    bool start_array(std::size_t) { return start(true); }
    bool end_object() { return end(); }
    bool end_array() { return end(); }
    bool parse_error(std::size_t, const std::string &, const json::exception &) { return false; } // json::parse says it
    bool key(std::string &key)
    {
        Frame &frame = m_frames[m_depth - 1];
        const auto mine = m_keys.begin() + static_cast<std::ptrdiff_t>(frame.firstKey);
        bool isNew = true;
        if (!frame.seen.empty()) {
            isNew = frame.seen.insert(key).second;
        } else {
            isNew = std::find(mine, m_keys.end(), key) == m_keys.end();
            if (m_keys.size() - frame.firstKey >= fewKeys) { // too many to look through
                frame.seen.insert(mine, m_keys.end());
                frame.seen.insert(key);
            }
        }
        m_keys.push_back(key);
        if (!isNew)
            m_pointer = pointer();
        return isNew;
    }
    const std::string &pointerOfRepeated() const { return m_pointer; }

private:
    static constexpr std::size_t fewKeys = 16;
    struct Frame
    {
        bool isArray = false;
        std::size_t index = 0;
        std::size_t firstKey = 0; ///< in m_keys; the last of them is the current one
        std::unordered_set<std::string> seen;
    };
    bool start(bool isArray)
    {
        if (m_depth == m_frames.size())
            m_frames.emplace_back();
        Frame &frame = m_frames[m_depth++];
        frame.isArray = isArray;
        frame.index = 0;
        frame.firstKey = m_keys.size();
        if (!frame.seen.empty()) // clear() would keep and sweep all its buckets
            frame.seen = {};
        return true;
    }
    bool end()
    {
        m_keys.resize(m_frames[--m_depth].firstKey);
        return next();
    }
    bool next()
    {
        if (m_depth > 0)
            ++m_frames[m_depth - 1].index;
        return true;
    }
    std::string pointer() const
    {
        std::string text;
        for (std::size_t d = 0; d < m_depth; ++d) {
            const Frame &frame = m_frames[d];
            const std::size_t lastKey = (d + 1 < m_depth ? m_frames[d + 1].firstKey : m_keys.size()) - 1;
            text += '/' + (frame.isArray ? std::to_string(frame.index) : escaped(m_keys[lastKey]));
        }
        return text;
    }

    std::vector<Frame> m_frames; ///< the first m_depth are open
    std::size_t m_depth = 0;
    std::vector<std::string> m_keys; ///< of the open objects
    std::string m_pointer;
};

/// nlohmann's message without its own prefix: "[json.exception.parse_error.101] parse error at ...: syntax ..."
std::string reason(const std::string &what)
{
    const std::size_t at = what.find("syntax error");
    const std::size_t from = at == std::string::npos ? what.find("] ") : at;
    std::string text = from == std::string::npos ? what : what.substr(at == std::string::npos ? from + 2 : from);
    constexpr std::size_t longest = 240;
    if (text.size() > longest)
        text = text.substr(0, longest) + "...";
    // The message quotes what it last read, which need not be text.
    for (char &c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
            c = '?';
    }
    return text;
}

const char *typeName(const json &value)
{
    switch (value.type()) {
    case json::value_t::null: return "null";
    case json::value_t::object: return "an object";
    case json::value_t::array: return "an array";
    case json::value_t::string: return "a text";
    case json::value_t::boolean: return "a truth value";
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
    case json::value_t::number_float: return "a number";
    default: return "something else";
    }
}

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t(0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

} // namespace

Result<json> parseJson(std::string_view text, const JsonLimits &limits)
{
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    if (text.size() > limits.maxBytes)
        return inputError("", std::to_string(text.size()) + " bytes",
                          "at most " + std::to_string(limits.maxBytes) + " bytes", "Split the file.");
    if (const auto offset = tooDeep(text, limits.maxDepth))
        return inputError(place(text, *offset), "values nested more than " + std::to_string(limits.maxDepth) + " deep",
                          "the layout of docs/formats", "Check that the file is of the right kind.");
    try {
        json parsed = json::parse(text.begin(), text.end());
        if (!limits.refuseRepeatedKeys)
            return parsed;
        RepeatedKeys repeated;
        if (!json::sax_parse(text.begin(), text.end(), &repeated))
            return inputError(repeated.pointerOfRepeated(), "the same key twice in one object", "each key once",
                              "Remove one of the two.");
        return parsed;
    } catch (const json::parse_error &e) {
        const std::size_t offset = e.byte > 0 ? e.byte - 1 : 0;
        const bool cut = offset >= text.size();
        return inputError(place(text, offset), cut ? "the end of the text inside a value" : reason(e.what()),
                          "well-formed JSON",
                          cut ? "The file looks cut off; get a complete copy." : "Correct the file at this place.");
    } catch (const json::exception &e) {
        return inputError("", reason(e.what()), "well-formed JSON", "Correct the file.");
    }
}

Result<void> checkFormat(const json &root, const std::string &format, int version)
{
    std::optional<Error> error;
    const JsonCursor cursor(root, error);
    if (!root.is_object()) {
        cursor.refuse(
            typeName(root), "an object with \"format\": \"" + format + '"', "Check that this is the right file.");
        return fail(*error);
    }
    const JsonCursor found = cursor["format"];
    const std::string name = found.string();
    if (error)
        return fail(*error);
    if (name != format) {
        found.refuse('"' + name.substr(0, 60) + '"', '"' + format + '"', "Check that this is the right file.");
        return fail(*error);
    }
    const JsonCursor foundVersion = cursor["version"];
    const std::int64_t number = foundVersion.integer(0, 1000000);
    if (!error && number != version)
        foundVersion.refuse(std::to_string(number), std::to_string(version),
                            number > version ? "The file is newer than this program; update the program."
                                             : "The file is older than any version that was published.");
    if (error)
        return fail(*error);
    return {};
}

std::string oneOf(const std::vector<std::string> &names)
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + ('"' + names[i] + '"');
    return text;
}

std::string nearest(std::string_view word, const std::vector<std::string> &known)
{
    std::string best;
    std::size_t distance = 3;
    for (const std::string &candidate : known) {
        if (word.size() > candidate.size() + 2 || candidate.size() < 3)
            continue;
        const std::size_t d = editDistance(word, candidate);
        if (d < distance) {
            distance = d;
            best = candidate;
        }
    }
    return best;
}

std::string JsonCursor::pointer() const
{
    if (!m_parent)
        return {};
    return m_parent->pointer() + '/' + (m_key.data() ? escaped(m_key) : std::to_string(m_index));
}

void JsonCursor::refuse(std::string found, std::string expected, std::string remedy) const
{
    if (ok())
        *m_error = Error {ErrorKind::Input, pointer(), std::move(found), std::move(expected), std::move(remedy)};
}

void JsonCursor::refuse(Error error) const
{
    if (!ok())
        return;
    error.where = pointer();
    *m_error = std::move(error);
}

void JsonCursor::wrongType(const char *expected) const
{
    if (m_value)
        refuse(typeName(*m_value), expected, "Correct the value.");
    else
        refuse("nothing", expected, "Add the field.");
}

void JsonCursor::checkKeys(const std::vector<std::string> &known, bool strict) const
{
    if (!isObject() || !ok())
        return;
    for (const auto &entry : m_value->items()) {
        if (std::find(known.begin(), known.end(), entry.key()) != known.end())
            continue;
        const std::string meant = nearest(entry.key(), known);
        if (meant.empty() && !strict)
            continue;
        const std::string key = entry.key().substr(0, 60);
        JsonCursor(*this, &entry.value(), entry.key(), 0)
            .refuse("the unknown key \"" + key + '"', meant.empty() ? oneOf(known) : '"' + meant + '"',
                    meant.empty() ? "Remove it." : "Correct the spelling, or remove the key.");
        return;
    }
}

JsonCursor JsonCursor::operator[](const char *key) const
{
    if (m_value && !m_value->is_object())
        wrongType("an object");
    const bool present = has(key);
    return {*this, present ? &(*m_value)[key] : nullptr, key, 0};
}

JsonCursor JsonCursor::field(const std::string &key) const
{
    return {*this, has(key) ? &(*m_value)[key] : nullptr, key, 0};
}

std::size_t JsonCursor::size(std::size_t limit) const
{
    if (!isArray()) {
        wrongType("an array");
        return 0;
    }
    if (m_value->size() > limit) {
        refuse(
            std::to_string(m_value->size()) + " items", "at most " + std::to_string(limit), "Make the file smaller.");
        return 0;
    }
    return m_value->size();
}

JsonCursor JsonCursor::item(std::size_t index) const
{
    const bool present = isArray() && index < m_value->size();
    return {*this, present ? &(*m_value)[index] : nullptr, {}, index};
}

std::vector<std::string> JsonCursor::keys() const
{
    std::vector<std::string> names;
    if (!isObject()) {
        wrongType("an object");
        return names;
    }
    for (const auto &entry : m_value->items())
        names.push_back(entry.key());
    return names;
}

std::string JsonCursor::string() const
{
    if (isString())
        return m_value->get<std::string>();
    wrongType("a text");
    return {};
}

bool JsonCursor::boolean() const
{
    if (m_value && m_value->is_boolean())
        return m_value->get<bool>();
    wrongType("true or false");
    return false;
}

double JsonCursor::number() const
{
    if (m_value && m_value->is_number()) {
        const double value = m_value->get<double>();
        if (std::isfinite(value))
            return value;
    }
    wrongType("a number");
    return 0;
}

std::int64_t JsonCursor::integer(std::int64_t least, std::int64_t most) const
{
    const auto range = [=] { return "a whole number from " + std::to_string(least) + " to " + std::to_string(most); };
    if (!m_value || !m_value->is_number_integer()) {
        wrongType(range().c_str());
        return least;
    }
    const bool fits = !m_value->is_number_unsigned() || m_value->get<std::uint64_t>() <= std::uint64_t(INT64_MAX);
    const std::int64_t value = fits ? m_value->get<std::int64_t>() : 0;
    if (fits && value >= least && value <= most)
        return value;
    refuse(m_value->dump(), range(), "Correct the number.");
    return least;
}

} // namespace polyrail
