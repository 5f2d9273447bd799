// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/gpu_type.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace polyrail {

namespace {

constexpr std::array<const char *, precisionCount> precisionNames{"fp32", "tf32", "fp16", "bf16", "fp8"};

/// What a format falls back to, widest last: the rule that peakFor documents.
constexpr std::array<Precision, precisionCount> wideningOrder{
    Precision::Fp8, Precision::Bf16, Precision::Fp16, Precision::Tf32, Precision::Fp32};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Case, blanks, '-' and '_' do not matter.
std::string keyOf(std::string_view name)
{
    std::string key;
    key.reserve(name.size());
    for (char c : name) {
        if (c != ' ' && c != '-' && c != '_' && c != '\t')
            key += lower(c);
    }
    return key;
}

/// Brand words that vendors' tools put in front of the model.
std::string withoutBrand(std::string key)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (std::string_view brand :
            {"nvidia", "geforce", "tesla", "quadro", "amd", "instinct", "intel", "habana", "huawei", "google"}) {
            if (key.size() > brand.size() && key.starts_with(brand)) {
                key.erase(0, brand.size());
                changed = true;
            }
        }
    }
    return key;
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

/// 0 = the same; above 1 = nothing in common worth mentioning.
double dissimilarity(const std::string &wanted, const std::string &known)
{
    if (wanted.empty() || known.empty())
        return 2;
    const double longest = static_cast<double>(std::max(wanted.size(), known.size()));
    const double edits = static_cast<double>(editDistance(wanted, known)) / longest;
    const bool contained = known.find(wanted) != std::string::npos || wanted.find(known) != std::string::npos;
    const double shortest = static_cast<double>(std::min(wanted.size(), known.size()));
    return contained && shortest >= 2 ? std::min(edits, 0.45 * (1 - shortest / longest)) : edits;
}

} // namespace

const char *toString(Precision p) { return precisionNames[static_cast<std::size_t>(p)]; }

std::optional<Precision> precisionFromString(const std::string &text)
{
    const std::string key = keyOf(text);
    for (std::size_t i = 0; i < precisionNames.size(); ++i) {
        if (key == precisionNames[i])
            return static_cast<Precision>(i);
    }
    return std::nullopt;
}

FlopsPerSecond GpuType::peakFor(Precision p) const
{
    const auto self = std::find(wideningOrder.begin(), wideningOrder.end(), p);
    for (auto it = self; it != wideningOrder.end(); ++it) {
        if (const auto &figure = peak[static_cast<std::size_t>(*it)])
            return *figure;
    }
    // Nothing wider: the nearest narrower one (a chip that lists bf16 only also runs fp32 somehow).
    for (auto it = self; it != wideningOrder.begin();) {
        --it;
        if (const auto &figure = peak[static_cast<std::size_t>(*it)])
            return *figure;
    }
    return FlopsPerSecond(0);
}

Catalogue::Catalogue(std::vector<GpuType> types) : m_types(std::move(types))
{
    // Names win over aliases, earlier entries over later ones.
    for (std::size_t i = 0; i < m_types.size(); ++i)
        m_byKey.emplace(keyOf(m_types[i].name), i);
    for (std::size_t i = 0; i < m_types.size(); ++i) {
        for (const std::string &alias : m_types[i].aliases)
            m_byKey.emplace(keyOf(alias), i);
    }
}

const GpuType *Catalogue::find(const std::string &nameOrAlias) const
{
    const std::string key = keyOf(nameOrAlias);
    auto it = m_byKey.find(key);
    if (it == m_byKey.end())
        it = m_byKey.find(withoutBrand(key));
    return it == m_byKey.end() ? nullptr : &m_types[it->second];
}

std::vector<std::string> Catalogue::similar(const std::string &name) const
{
    const std::string wanted = withoutBrand(keyOf(name)).substr(0, 64);
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t i = 0; i < m_types.size(); ++i) {
        double best = dissimilarity(wanted, keyOf(m_types[i].name));
        for (const std::string &alias : m_types[i].aliases)
            best = std::min(best, dissimilarity(wanted, withoutBrand(keyOf(alias))));
        if (best <= 0.5)
            ranked.emplace_back(best, i);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < ranked.size() && i < 3; ++i)
        names.push_back(m_types[ranked[i].second].name);
    return names;
}

} // namespace polyrail
