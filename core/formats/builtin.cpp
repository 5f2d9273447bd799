// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/builtin.hpp"

#include "core/formats/embedded.hpp"
#include "core/formats/gpu_type_json.hpp"

#include <deque>
#include <stdexcept>
#include <string>

namespace polyrail {

std::string_view builtinText(std::string_view file)
{
    for (const EmbeddedFile &embedded : embeddedFiles()) {
        const std::string_view path = embedded.path;
        if (path == file || path.substr(path.rfind('/') + 1) == file)
            return {embedded.begin, static_cast<std::size_t>(embedded.end - embedded.begin)};
    }
    return {};
}

const Catalogue &builtinCatalogue()
{
    static const Catalogue catalogue = [] {
        auto read = readCatalogue(builtinText("resources/gpus.json"));
        if (!read) // the tests read it too, so this is a build that nobody tested
            throw std::logic_error("resources/gpus.json: " + read.error().message());
        return *read;
    }();
    return catalogue;
}

const std::vector<SampleCluster> &sampleClusters()
{
    static std::deque<std::string> titles; // stable addresses
    static const std::vector<SampleCluster> samples = [] {
        std::vector<SampleCluster> list;
        constexpr std::string_view folder = "sample_clusters/";
        for (const EmbeddedFile &embedded : embeddedFiles()) {
            if (!embedded.path.starts_with(folder))
                continue;
            const std::string_view text(embedded.begin, static_cast<std::size_t>(embedded.end - embedded.begin));
            const std::string_view file = embedded.path.substr(folder.size());
            const auto root = parseJson(text);
            const bool named = root && root->is_object() && root->contains("name") && (*root)["name"].is_string();
            titles.push_back(named ? (*root)["name"].get<std::string>() : std::string(file));
            list.push_back({file, titles.back(), text});
        }
        return list;
    }();
    return samples;
}

} // namespace polyrail
