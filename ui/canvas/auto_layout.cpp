// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/auto_layout.hpp"

#include <QRectF>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace polyrail {

namespace {

constexpr double grid = 20;
constexpr double cardPitch = 80;
constexpr double pillPitch = 48;
constexpr double columnGap = 60;
constexpr double hostGap = 100;   ///< between the contents of hosts above each other: boxes add padding and a title
constexpr double hostAside = 170; ///< the same side by side: arcs may bow out beyond the cards
constexpr double aisle = 240;     ///< between the two stacks of hosts: room for the labels of the rails
constexpr int cardsPerColumn = 8;
constexpr std::size_t stackedHosts = 8; ///< more than this many stand in a grid

/// Column of a vertex inside its host, from the far side (NV switches) to the side of the network.
int tierOf(const Cluster &cluster, VertexId v)
{
    if (cluster.isDevice(v))
        return 1;
    switch (cluster.hubs()[v.index() - cluster.devices().size()].kind) {
    case HubKind::NvSwitch: return 0;
    case HubKind::PcieSwitch: return 2;
    case HubKind::Cpu: return 3;
    case HubKind::Nic: return 4;
    case HubKind::Switch:
    case HubKind::Other: return 5;
    }
    return 5;
}

/// What stands together: a host's vertices, or one vertex without a host. Positions relative to the block's centre.
struct Block
{
    std::vector<VertexId> vertices;
    std::vector<Point> places;
    double width = 0;
    double height = 0;
};

class Layout
{
public:
    Layout(const Cluster &cluster, const std::vector<QSizeF> &sizes)
        : m_cluster(cluster), m_sizes(sizes), m_places(cluster.vertexCount())
    {
    }

    std::vector<Point> run()
    {
        collect();
        if (m_blocks.size() <= stackedHosts)
            placeStacks();
        else
            placeGrid();
        placeUpperHubs();
        return m_places;
    }

private:
    double wanted(VertexId v, const std::vector<double> &y, const std::vector<bool> &known) const
    {
        double sum = 0;
        int count = 0;
        for (LinkId l : m_cluster.linksAt(v)) {
            const Link &link = m_cluster.link(l);
            const VertexId other = link.ends[0] == v ? link.ends[1] : link.ends[0];
            if (known[other.index()]) {
                sum += y[other.index()];
                ++count;
            }
        }
        return count > 0 ? sum / count : 0;
    }

    /// One column: each as near to its neighbours' height as the ones above leave room for.
    static void spread(std::vector<std::pair<double, VertexId>> &column, double pitch, std::vector<double> &y)
    {
        std::stable_sort(column.begin(), column.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
        double sum = 0;
        double last = -std::numeric_limits<double>::infinity();
        for (const auto &[want, v] : column) {
            last = std::max(want, last + pitch);
            y[v.index()] = last;
            sum += last - want;
        }
        for (const auto &[want, v] : column)
            y[v.index()] -= sum / double(column.size());
    }

    Block makeBlock(const std::vector<VertexId> &vertices, bool mirrored) const
    {
        std::vector<double> y(m_cluster.vertexCount());
        std::vector<bool> known(m_cluster.vertexCount());
        std::vector<std::vector<VertexId>> columns(6);
        for (VertexId v : vertices)
            columns[std::size_t(tierOf(m_cluster, v))].push_back(v);

        std::vector<std::vector<VertexId>> placed; // columns in drawing order
        const std::vector<VertexId> devices = columns[1];
        std::vector<std::vector<VertexId>> deviceColumns;
        for (std::size_t i = 0; i < devices.size(); i += cardsPerColumn)
            deviceColumns.emplace_back(devices.begin() + std::ptrdiff_t(i),
                                       devices.begin() + std::ptrdiff_t(std::min(devices.size(), i + cardsPerColumn)));
        for (const auto &column : deviceColumns)
            for (std::size_t i = 0; i < column.size(); ++i) {
                y[column[i].index()] = (double(i) - (double(column.size()) - 1) / 2) * cardPitch;
                known[column[i].index()] = true;
            }
        for (std::size_t tier : {2, 3, 4, 5, 0}) {
            std::vector<std::pair<double, VertexId>> column;
            for (VertexId v : columns[tier])
                column.emplace_back(wanted(v, y, known), v);
            if (column.empty())
                continue;
            spread(column, pillPitch, y);
            for (VertexId v : columns[tier])
                known[v.index()] = true;
        }

        if (!columns[0].empty())
            placed.push_back(columns[0]);
        for (const auto &column : deviceColumns)
            placed.push_back(column);
        for (std::size_t tier : {2, 3, 4, 5})
            if (!columns[tier].empty())
                placed.push_back(columns[tier]);
        if (mirrored)
            std::reverse(placed.begin(), placed.end());

        Block block;
        double x = 0;
        double top = std::numeric_limits<double>::infinity();
        double bottom = -top;
        std::vector<double> centres;
        for (const auto &column : placed) {
            double width = 0;
            for (VertexId v : column)
                width = std::max(width, m_sizes[v.index()].width());
            centres.push_back(x + width / 2);
            x += width + columnGap;
        }
        block.width = std::max(0.0, x - columnGap);
        for (std::size_t c = 0; c < placed.size(); ++c)
            for (VertexId v : placed[c]) {
                const double half = m_sizes[v.index()].height() / 2;
                top = std::min(top, y[v.index()] - half);
                bottom = std::max(bottom, y[v.index()] + half);
                block.vertices.push_back(v);
                block.places.push_back({centres[c] - block.width / 2, y[v.index()]});
            }
        block.height = bottom - top;
        for (Point &p : block.places)
            p.y -= (top + bottom) / 2;
        return block;
    }

    void collect()
    {
        std::vector<std::vector<VertexId>> members(m_cluster.hosts().size());
        std::vector<std::vector<VertexId>> groups;
        std::vector<VertexId> alone;
        for (std::size_t i = 0; i < m_cluster.vertexCount(); ++i) {
            const VertexId v(i);
            const HostId host = m_cluster.hostOf(v);
            if (host.valid())
                members[host.index()].push_back(v);
            else if (m_cluster.isDevice(v))
                alone.push_back(v);
            else
                m_freeHubs.push_back(v);
        }
        for (const auto &host : members)
            if (!host.empty())
                groups.push_back(host);
        for (VertexId v : alone)
            groups.push_back({v});
        const bool facing = groups.size() > 1 && groups.size() <= stackedHosts;
        for (std::size_t i = 0; i < groups.size(); ++i)
            m_blocks.push_back(makeBlock(groups[i], facing && i % 2 == 1));
    }

    void put(const Block &block, double x, double y)
    {
        for (std::size_t i = 0; i < block.vertices.size(); ++i)
            m_places[block.vertices[i].index()] = {std::round((x + block.places[i].x) / grid * 2) * grid / 2,
                                                   std::round((y + block.places[i].y) / grid * 2) * grid / 2};
        m_top = std::min(m_top, y - block.height / 2);
        m_left = std::min(m_left, x - block.width / 2);
        m_right = std::max(m_right, x + block.width / 2);
    }

    void placeStacks()
    {
        // Hubs next to a host stand in the aisle; hubs behind them go above (placeUpperHubs).
        std::vector<VertexId> inAisle;
        double hubWidth = 0;
        for (VertexId hub : m_freeHubs) {
            const auto links = m_cluster.linksAt(hub);
            const bool near = std::any_of(links.begin(), links.end(), [&](LinkId l) {
                const Link &link = m_cluster.link(l);
                const VertexId other = link.ends[0] == hub ? link.ends[1] : link.ends[0];
                return m_cluster.isDevice(other) || m_cluster.hostOf(other).valid();
            });
            if (near) {
                inAisle.push_back(hub);
                hubWidth = std::max(hubWidth, m_sizes[hub.index()].width());
            } else {
                m_upper.push_back(hub);
            }
        }
        const double gap = inAisle.empty() ? aisle : 2 * 150 + hubWidth;
        const std::size_t rows = (m_blocks.size() + 1) / 2;
        double total = 0;
        std::vector<double> heights(rows);
        for (std::size_t r = 0; r < rows; ++r) {
            heights[r] = m_blocks[2 * r].height;
            if (2 * r + 1 < m_blocks.size())
                heights[r] = std::max(heights[r], m_blocks[2 * r + 1].height);
            total += heights[r] + (r > 0 ? hostGap : 0);
        }
        double y = -total / 2;
        for (std::size_t r = 0; r < rows; ++r) {
            const Block &left = m_blocks[2 * r];
            const double centre = y + heights[r] / 2;
            if (m_blocks.size() == 1) {
                put(left, 0, 0);
            } else {
                put(left, -gap / 2 - left.width / 2, centre);
                if (2 * r + 1 < m_blocks.size())
                    put(m_blocks[2 * r + 1], gap / 2 + m_blocks[2 * r + 1].width / 2, centre);
            }
            y += heights[r] + hostGap;
        }
        const double x = m_blocks.size() == 1 ? m_blocks[0].width / 2 + 150 + hubWidth / 2 : 0;
        for (std::size_t i = 0; i < inAisle.size(); ++i) {
            const double pitch = std::clamp(total / double(inAisle.size()), 80.0, 160.0);
            m_places[inAisle[i].index()] = {x, (double(i) - (double(inAisle.size()) - 1) / 2) * pitch};
        }
        if (m_blocks.empty())
            m_top = 0;
    }

    void placeGrid()
    {
        m_upper = m_freeHubs;
        double width = 0;
        double height = 0;
        for (const Block &block : m_blocks) {
            width = std::max(width, block.width);
            height = std::max(height, block.height);
        }
        const double n = double(m_blocks.size());
        const auto columns = std::size_t(
            std::clamp(std::ceil(std::sqrt(n * 1.6 * (height + hostGap) / (width + hostAside))), 1.0, n));
        const std::size_t rows = (m_blocks.size() + columns - 1) / columns;
        for (std::size_t i = 0; i < m_blocks.size(); ++i) {
            const double column = double(i % columns) - (double(columns) - 1) / 2;
            const double row = double(i / columns) - (double(rows) - 1) / 2;
            put(m_blocks[i], column * (width + hostAside), row * (height + hostGap));
        }
    }

    /// Hubs that no host holds, in rows above the hosts by their distance from them.
    void placeUpperHubs()
    {
        if (m_upper.empty())
            return;
        std::vector<int> distance(m_cluster.vertexCount(), -1);
        std::vector<VertexId> queue;
        std::vector<bool> upper(m_cluster.vertexCount());
        for (VertexId v : m_upper)
            upper[v.index()] = true;
        for (std::size_t i = 0; i < m_cluster.vertexCount(); ++i)
            if (!upper[i]) {
                distance[i] = 0;
                queue.push_back(VertexId(i));
            }
        int last = 1;
        for (std::size_t i = 0; i < queue.size(); ++i)
            for (LinkId l : m_cluster.linksAt(queue[i])) {
                const Link &link = m_cluster.link(l);
                const VertexId other = link.ends[0] == queue[i] ? link.ends[1] : link.ends[0];
                if (distance[other.index()] >= 0)
                    continue;
                distance[other.index()] = distance[queue[i].index()] + 1;
                last = std::max(last, distance[other.index()]);
                queue.push_back(other);
            }
        double y = m_top - 140;
        for (int tier = 1; tier <= last + 1; ++tier) {
            std::vector<std::pair<double, VertexId>> row;
            double widest = 0;
            for (VertexId v : m_upper) {
                const int d = distance[v.index()] < 0 ? last + 1 : distance[v.index()];
                if (d != tier)
                    continue;
                double sum = 0;
                int count = 0;
                for (LinkId l : m_cluster.linksAt(v)) {
                    const Link &link = m_cluster.link(l);
                    const VertexId other = link.ends[0] == v ? link.ends[1] : link.ends[0];
                    if (distance[other.index()] >= 0 && distance[other.index()] < tier) {
                        sum += m_places[other.index()].x;
                        ++count;
                    }
                }
                row.emplace_back(count > 0 ? sum / count : 0, v);
                widest = std::max(widest, m_sizes[v.index()].width());
            }
            if (row.empty())
                continue;
            std::stable_sort(row.begin(), row.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
            const double pitch = std::max(widest + 40, (m_right - m_left) / double(row.size() + 1));
            const double middle = m_right > m_left ? (m_left + m_right) / 2 : 0;
            for (std::size_t i = 0; i < row.size(); ++i)
                m_places[row[i].second.index()] = {middle + (double(i) - (double(row.size()) - 1) / 2) * pitch, y};
            y -= 140;
        }
    }

    const Cluster &m_cluster;
    const std::vector<QSizeF> &m_sizes;
    std::vector<Point> m_places;
    std::vector<Block> m_blocks;
    std::vector<VertexId> m_freeHubs;
    std::vector<VertexId> m_upper;
    double m_top = 0;
    double m_left = 0;
    double m_right = 0;
};

} // namespace

std::map<std::string, Point> tierLayout(const Cluster &cluster, const std::vector<QSizeF> &sizes)
{
    const std::vector<Point> places = Layout(cluster, sizes).run();
    std::map<std::string, Point> out;
    for (std::size_t i = 0; i < places.size(); ++i)
        out[cluster.vertexName(VertexId(i))] = places[i];
    return out;
}

std::vector<Point> vertexPositions(const Cluster &cluster, const std::vector<QSizeF> &sizes)
{
    std::vector<Point> places(cluster.vertexCount());
    std::vector<std::size_t> missing;
    double bottom = -std::numeric_limits<double>::infinity();
    double left = std::numeric_limits<double>::infinity();
    const auto &layout = cluster.parts().layout;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto it = layout.find(cluster.vertexName(VertexId(i)));
        if (it == layout.end() || !std::isfinite(it->second.x) || !std::isfinite(it->second.y)) {
            missing.push_back(i);
            continue;
        }
        places[i] = it->second;
        bottom = std::max(bottom, it->second.y + sizes[i].height() / 2);
        left = std::min(left, it->second.x - sizes[i].width() / 2);
    }
    if (missing.empty())
        return places;
    const std::vector<Point> computed = Layout(cluster, sizes).run();
    double dx = 0;
    double dy = 0;
    if (missing.size() < places.size()) {
        double top = std::numeric_limits<double>::infinity();
        double first = std::numeric_limits<double>::infinity();
        for (std::size_t i : missing) {
            top = std::min(top, computed[i].y - sizes[i].height() / 2);
            first = std::min(first, computed[i].x - sizes[i].width() / 2);
        }
        dx = left - first;
        dy = bottom + 60 - top;
    }
    for (std::size_t i : missing)
        places[i] = {computed[i].x + dx, computed[i].y + dy};
    return places;
}

} // namespace polyrail
