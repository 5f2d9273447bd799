// SPDX-License-Identifier: GPL-3.0-or-later
// Link rows of the Gantt model: which links get a row of their own and which are shown as a bundle.
#include "ui/charts/chart_text.hpp"
#include "ui/charts/gantt_model.hpp"

#include <algorithm>
#include <map>

namespace polyrail {

namespace {

/// Networks first: they bind most often. The same order as in the legend of the canvas otherwise.
int orderOf(LinkKind kind)
{
    switch (kind) {
    case LinkKind::Network: return 0;
    case LinkKind::Pcie: return 1;
    case LinkKind::HostBus: return 2;
    case LinkKind::NvLink: return 3;
    case LinkKind::Other: break;
    }
    return 4;
}

/// Equal links of one place beyond this many are one row until it is opened; rails stay apart longest.
std::size_t mostRows(LinkKind kind)
{
    return kind == LinkKind::Network ? 8 : 4;
}

struct Usages
{
    std::array<const LinkUsage *, 2> byDirection{};
    bool any() const { return byDirection[0] || byDirection[1]; }
};

QString placeOf(const Cluster &cluster, const Link &link)
{
    std::array<QString, 2> names;
    for (std::size_t e = 0; e < 2; ++e) {
        const HostId host = cluster.hostOf(link.ends[e]);
        names[e] = host.valid() ? QString::fromStdString(cluster.hosts()[host.index()].id) : QString();
    }
    if (names[1] < names[0])
        std::swap(names[0], names[1]);
    return names[0] == names[1] ? names[0] : names[0] + QStringLiteral("\n") + names[1];
}

LinkRow rowOf(const Cluster &cluster, const std::vector<Usages> &usages, std::vector<LinkId> links)
{
    LinkRow row;
    const Link &first = cluster.link(links.front());
    row.kind = first.kind;
    row.capacity = first.bandwidth.value;
    row.figure = capacityText(first);
    row.name = QString::fromStdString(first.id);
    std::vector<const LinkUsage *> all;
    for (const LinkId l : links) {
        for (const LinkUsage *usage : usages[l.index()].byDirection) {
            if (usage) {
                all.push_back(usage);
                row.bytes += usage->bytes;
            }
        }
    }
    const std::size_t count = links.size();
    if (count == 1) {
        const Usages &use = usages[links.front().index()];
        if (first.duplex == Duplex::Half) {
            // Both directions share the wire, so their rates may be added.
            if (!all.empty()) {
                RateSeries sum = RateSeries::ofLinks(all, 1);
                std::vector<RateSeries::Piece> pieces(sum.pieces().begin(), sum.pieces().end());
                for (auto &piece : pieces)
                    piece.peak = piece.mean;
                row.series[0] = RateSeries(std::move(pieces));
            }
        } else {
            for (std::size_t d = 0; d < 2; ++d) {
                if (use.byDirection[d])
                    row.series[d] = RateSeries::ofLink(use.byDirection[d]->segments);
            }
        }
        for (const LinkUsage *usage : all)
            row.contended.insert(row.contended.end(), usage->contended.begin(), usage->contended.end());
        std::sort(row.contended.begin(), row.contended.end(),
                  [](const RateSegment &a, const RateSegment &b) { return a.start < b.start; });
    } else if (!all.empty()) {
        const std::size_t ways = first.duplex == Duplex::Half ? 1 : 2;
        row.series[0] = RateSeries::ofLinks(all, count * ways);
    }
    row.links = std::move(links);
    return row;
}

} // namespace

std::vector<LinkRow> makeLinkRows(const ShownPlan &shown, const std::set<QString> &openBundles)
{
    const Cluster &cluster = shown.cluster;
    std::vector<Usages> usages(cluster.links().size());
    for (const LinkUsage &usage : shown.schedule->links) {
        if (usage.link.valid() && usage.link.index() < usages.size() && !usage.segments.empty())
            usages[usage.link.index()].byDirection[usage.direction == Direction::Forward ? 0 : 1] = &usage;
    }

    // Bundles in the order of their first link, within the order of kinds; idle ones after all others.
    struct Bundle
    {
        QString key;
        QString place;
        bool idle = false;
        std::vector<LinkId> links;
    };
    std::vector<Bundle> bundles;
    std::map<QString, std::size_t> byKey;
    for (std::size_t l = 0; l < cluster.links().size(); ++l) {
        const Link &link = cluster.links()[l];
        const bool idle = !usages[l].any();
        const QString place = idle ? QString() : placeOf(cluster, link);
        const QString kind = QString::fromLatin1(toString(link.kind));
        const QString key = idle ? QStringLiteral("idle/") + kind
                                 : QStringLiteral("%1/%2/%3/%4").arg(kind).arg(link.bandwidth.value, 0, 'g', 9)
                                       .arg(link.duplex == Duplex::Half).arg(place);
        const auto [entry, added] = byKey.try_emplace(key, bundles.size());
        if (added)
            bundles.push_back({key, place, idle, {}});
        bundles[entry->second].links.push_back(LinkId(l));
    }
    std::stable_sort(bundles.begin(), bundles.end(), [&](const Bundle &a, const Bundle &b) {
        if (a.idle != b.idle)
            return b.idle;
        return orderOf(cluster.link(a.links.front()).kind) < orderOf(cluster.link(b.links.front()).kind);
    });
    std::map<LinkKind, int> bundlesOfKind;
    for (const Bundle &b : bundles) {
        const LinkKind kind = cluster.link(b.links.front()).kind;
        if (!b.idle && b.links.size() > mostRows(kind))
            ++bundlesOfKind[kind];
    }

    std::vector<LinkRow> rows;
    for (const Bundle &bundle : bundles) {
        const LinkKind kind = cluster.link(bundle.links.front()).kind;
        const std::size_t count = bundle.links.size();
        const bool together = bundle.idle ? count > 1 : count > mostRows(kind);
        if (together) {
            LinkRow row = rowOf(cluster, usages, bundle.links);
            row.key = bundle.key;
            if (bundle.idle) {
                row.name = ChartText::tr("%1, %2 idle links").arg(kindText(kind)).arg(count);
                row.figure.clear();
            } else {
                row.name = ChartText::tr("%1, %2 links").arg(kindText(kind)).arg(count);
                if (bundlesOfKind[kind] > 1 && !bundle.place.isEmpty())
                    row.name = QString(bundle.place).replace(u'\n', QStringLiteral(" – ")) + QStringLiteral(": ") + row.name;
                row.figure = ChartText::tr("%1 each").arg(row.figure);
            }
            rows.push_back(std::move(row));
        }
        if (!together || openBundles.count(bundle.key)) {
            for (const LinkId l : bundle.links) {
                rows.push_back(rowOf(cluster, usages, {l}));
                rows.back().member = together;
            }
        }
    }
    return rows;
}

} // namespace polyrail
