// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"
#include "ui/canvas/label_placement.hpp"
#include "ui/canvas/link_geometry.hpp"
#include "ui/canvas/plan_overlay.hpp"
#include "ui/document/cluster_text.hpp"

#include <QCoreApplication>
#include <QFont>
#include <QHash>
#include <QSet>
#include <QString>

#include <set>
#include <vector>

namespace polyrail {

/// How much the canvas shows at a zoom; docs/visual-style.md section 5.
enum class Detail {
    Trunks,   ///< under 0.35: host boxes, one line per pair with a count
    Plain,    ///< under 0.6: no link labels, no memory text
    Brief,    ///< under 0.85: figures only
    Full,
    Rich,     ///< from 1.5: latency and both directions
};
Detail detailAt(double zoom, bool hasHosts);

struct CanvasHit
{
    enum Kind { Nothing, Vertex, Link, HostHeader, HostBody };
    Kind kind = Nothing;
    VertexId vertex;
    LinkId link;
    HostId host;
    QString id; ///< as the selection names it; empty for Nothing
};

/// Everything that is drawn, laid out: shapes, curves, boxes, labels, words. No widget; scene units.
class CanvasModel
{
    Q_DECLARE_TR_FUNCTIONS(CanvasModel)
public:
    const Cluster &cluster() const { return m_cluster; }
    const std::vector<NodeShape> &shapes() const { return m_shapes; }
    const LinkGeometry &links() const { return m_links; }
    const std::vector<QRectF> &hostBoxes() const { return m_hostBoxes; }
    const PlanOverlay &overlay() const { return m_overlay; }
    const std::vector<bool> &shown() const { return m_show; } ///< by link

    void setCluster(const Cluster &cluster);
    void setOverlay(PlanOverlay overlay);
    void setHiddenKinds(std::set<LinkKind> kinds);
    const std::set<LinkKind> &hiddenKinds() const { return m_hidden; }
    void setSelection(const QStringList &ids);
    bool isSelected(const QString &id) const { return m_selected.contains(id); }
    const QSet<QString> &selection() const { return m_selected; }
    void setHovered(const QString &id) { m_hovered = id; }
    const QString &hovered() const { return m_hovered; }
    /// `zoom` (1 = 100 %) only matters to text that keeps its size on the screen when the canvas is small.
    void setDetail(Detail detail, double zoom = 1);
    Detail detail() const { return m_detail; }
    double zoom() const { return m_zoom; }

    /// Moves vertices without touching the cluster (a drag that is under way); setCluster() ends it.
    void moveVertices(const std::vector<VertexId> &vertices, const QPointF &by);
    /// By link: dragged, or changed by a slider; drawn over the picture of the others. Empty: none.
    const std::vector<bool> &moving() const { return m_moving; }

    /// Counts up whenever curves, widths, boxes or kinds change: what a picture of the idle links depends on.
    int generation() const { return m_generation; }

    CanvasHit hit(const QPointF &point) const;
    QRectF rectOf(const QString &id) const; ///< null if unknown
    QRectF contents() const;
    QString idOf(VertexId v) const { return QString::fromStdString(m_cluster.vertexName(v)); }
    QString idOf(LinkId l) const { return QString::fromStdString(m_cluster.link(l).id); }
    bool isDown(LinkId l) const { return m_cluster.link(l).state == LinkState::Down; }

    struct Label
    {
        LinkId link;
        QRectF rect;
        QString text;
    };
    const std::vector<Label> &labels() const;

    /// A conflict's rule in words and where it stands.
    struct Words
    {
        std::size_t group = 0;
        QRectF rect;
        QString text;
    };
    const std::vector<Words> &words() const;

    QString hostCaption(HostId host) const;   ///< "4 × V100-SXM2 32 GiB"
    QString deviceCaption(DeviceId d) const;  ///< "18.9 of 24 GiB", or the type and its memory when no plan is shown
    QString linkFigure(LinkId l) const;       ///< in the unit it was entered in
    QString ruleOf(const ConflictGroup &group) const;
    QString toolTip(const CanvasHit &hit) const;
    QString accessibleName(const QString &id) const;

private:
    static bool onlyFiguresDiffer(const Cluster &a, const Cluster &b);
    void followFigures(const Cluster &before);
    void relay(const std::vector<bool> &redo); ///< whole bundles
    void layOut();
    void layOutHosts();
    void placeText() const;
    void placeWords(RectIndex &taken) const;
    bool placeWordsOf(std::size_t group, const std::vector<LinkId> &members, const QString &text, const QSizeF &size,
                      RectIndex &taken) const;
    void placeLinkLabels(RectIndex &taken) const;
    QString useText(const PlanOverlay::Use &use) const;
    std::size_t bundleSize(LinkId l) const;
    /// Links of the same pair, kind and figure that one label can stand for: not the selected ones.
    std::vector<LinkId> equalLinks(LinkId l) const;

    Cluster m_cluster;
    std::vector<NodeShape> m_shapes;
    LinkGeometry m_links;
    std::vector<QRectF> m_hostBoxes;
    PlanOverlay m_overlay;
    std::set<LinkKind> m_hidden;
    std::vector<bool> m_show;
    std::vector<bool> m_moving;
    QSet<QString> m_selected;
    QString m_hovered;
    Detail m_detail = Detail::Full;
    double m_zoom = 1;
    bool m_dragging = false;
    int m_generation = 0;
    mutable bool m_textPlaced = false;
    mutable std::vector<Label> m_labels;
    mutable std::vector<Words> m_words;
};

/// Canvas text: pixel sizes in scene units, so that pictures and prints look as the screen does.
QFont canvasFont(int pixels, bool bold = false);
double canvasTextWidth(const QString &text, int pixels, bool bold = false);
QString hubLabel(const Hub &hub);

} // namespace polyrail
