// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/gantt_scene.hpp"

#include <algorithm>

namespace polyrail {

GanttLayout GanttLayout::make(const GanttModel &model, const GanttMetrics &metrics)
{
    GanttLayout layout;
    double y = metrics.px(3);
    const auto add = [&](RowKind kind, std::size_t index, double height) {
        layout.places.push_back({kind, index, y, height});
        y += height;
    };
    for (std::size_t s = 0; s < model.stages.size(); ++s) {
        if (s > 0)
            y += metrics.stageGap();
        const StageGroup &stage = model.stages[s];
        for (std::size_t r = 0; r < stage.rowCount; ++r)
            add(RowKind::Device, stage.firstRow + r, metrics.deviceRow());
    }
    if (!model.idleDevices.empty()) {
        y += metrics.stageGap();
        add(RowKind::IdleDevices, 0, metrics.deviceRow());
    }
    const auto separate = [&] {
        y += metrics.px(6);
        layout.separators.push_back(y);
        y += metrics.px(5);
    };
    if (!model.links.empty()) {
        separate();
        for (std::size_t l = 0; l < model.links.size(); ++l)
            add(RowKind::Link, l, metrics.linkRow());
    }
    if (!model.memory.empty()) {
        separate();
        for (std::size_t m = 0; m < model.memory.size(); ++m)
            add(RowKind::Memory, m, metrics.linkRow());
    }
    layout.height = y + metrics.px(4);
    return layout;
}

std::optional<std::size_t> GanttLayout::placeAt(double y) const
{
    const auto it = std::upper_bound(places.begin(), places.end(), y, [](double v, const RowPlace &s) { return v < s.top; });
    if (it == places.begin() || y >= (it - 1)->top + (it - 1)->height)
        return std::nullopt;
    return static_cast<std::size_t>(it - places.begin()) - 1;
}

std::optional<std::size_t> GanttLayout::placeOf(RowKind kind, std::size_t index) const
{
    const auto it = std::find_if(places.begin(), places.end(),
                                 [&](const RowPlace &s) { return s.kind == kind && s.index == index; });
    if (it == places.end())
        return std::nullopt;
    return static_cast<std::size_t>(it - places.begin());
}

QRectF GanttScene::barRect(const RowPlace &place) const
{
    const double inset = (place.height - metrics.deviceBar()) / 2;
    return {rows.left(), y(place.top + inset), rows.width(), metrics.deviceBar()};
}

std::pair<std::size_t, std::size_t> GanttScene::visible() const
{
    const auto &places = layout.places;
    const auto first = std::upper_bound(places.begin(), places.end(), scroll,
                                        [](double v, const RowPlace &s) { return v < s.top + s.height; });
    const auto last = std::lower_bound(first, places.end(), scroll + rows.height(),
                                       [](const RowPlace &s, double v) { return s.top < v; });
    return {static_cast<std::size_t>(first - places.begin()), static_cast<std::size_t>(last - places.begin())};
}

bool GanttScene::isSelected(const RowPlace &place) const
{
    if (!selection || selection->ids().isEmpty())
        return false;
    const Cluster &cluster = model.shown.cluster;
    const auto has = [&](const std::string &id) { return selection->contains(QString::fromStdString(id)); };
    switch (place.kind) {
    case RowKind::Device:
        for (const DeviceId d : model.devices[place.index].members) {
            if (has(cluster.device(d).id))
                return true;
        }
        return false;
    case RowKind::Memory: return has(cluster.device(model.memory[place.index].device).id);
    case RowKind::Link:
        for (const LinkId l : model.links[place.index].links) {
            if (has(cluster.link(l).id))
                return true;
        }
        return false;
    case RowKind::IdleDevices: break;
    }
    return false;
}

} // namespace polyrail
