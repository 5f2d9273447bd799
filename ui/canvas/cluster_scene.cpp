// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/cluster_scene.hpp"

#include "ui/canvas/paint.hpp"
#include "ui/theme/theme.hpp"

#include <QGraphicsView>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include <cmath>

namespace polyrail {

namespace {

constexpr std::size_t quickLinks = 300; ///< up to here a repaint is fast enough for every step of the wheel

double zoomOf(const QPainter &painter) { return painter.worldTransform().m11(); }

} // namespace

void LinkLayer::sharpen()
{
    m_sharp = true;
    update();
}

void LinkLayer::setBounds(const QRectF &bounds)
{
    prepareGeometryChange();
    m_bounds = bounds;
}

void LinkLayer::refresh(const QRect &visible, double zoom, double pixelRatio)
{
    const bool dark = Theme::current().dark;
    const bool same = m_generation == m_model.generation() && m_pixelRatio == pixelRatio && m_dark == dark;
    if (same && m_zoom == zoom && m_region.contains(visible))
        return;
    if (same && !m_sharp && !m_pixmap.isNull() && m_model.cluster().links().size() > quickLinks) {
        m_later(); // the wheel turns on: the old picture will do for these 80 ms
        return;
    }
    m_sharp = false;
    m_generation = m_model.generation();
    m_zoom = zoom;
    m_pixelRatio = pixelRatio;
    m_dark = dark;
    ++m_repaints;
    const int spare = std::min(visible.width(), visible.height()) / 4; // to pan into without a repaint
    m_region = visible.adjusted(-spare, -spare, spare, spare);
    m_pixmap = QPixmap(m_region.size() * pixelRatio);
    m_pixmap.setDevicePixelRatio(pixelRatio);
    m_pixmap.fill(Qt::transparent);
    QPainter painter(&m_pixmap);
    painter.translate(-m_region.topLeft());
    painter.scale(zoom, zoom);
    paintIdleLinks(painter, m_model, Theme::current(),
                   QRectF(QPointF(m_region.topLeft()) / zoom, QSizeF(m_region.size()) / zoom), m_model.moving());
}

void LinkLayer::paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget)
{
    const Theme &theme = Theme::current();
    const double zoom = zoomOf(*painter);
    if (m_model.detail() == Detail::Trunks) {
        paintTrunks(*painter, m_model, theme, option->exposedRect, zoom);
        return;
    }
    const auto *view = widget ? qobject_cast<const QGraphicsView *>(widget->parentWidget()) : nullptr;
    if (!view) {
        paintIdleLinks(*painter, m_model, theme, option->exposedRect);
        paintLiveLinks(*painter, m_model, theme, option->exposedRect);
        return;
    }
    // The view scrolls by whole pixels, so a pixmap on the same grid shows its pixels unchanged.
    const QTransform toView = view->viewportTransform();
    const QPoint origin(int(std::lround(toView.dx())), int(std::lround(toView.dy())));
    refresh(widget->rect().translated(-origin), zoom, widget->devicePixelRatioF());
    painter->save();
    painter->setWorldTransform(QTransform::fromTranslate(toView.dx(), toView.dy()));
    if (m_zoom != zoom)
        painter->scale(zoom / m_zoom, zoom / m_zoom);
    painter->drawPixmap(m_region.topLeft(), m_pixmap);
    painter->restore();
    paintLiveLinks(*painter, m_model, theme, option->exposedRect);
}

void NodeLayer::setBounds(const QRectF &bounds)
{
    prepareGeometryChange();
    m_bounds = bounds;
}

void NodeLayer::paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *)
{
    if (m_model.detail() == Detail::Trunks)
        return;
    paintNodes(*painter, m_model, Theme::current(), option->exposedRect);
    paintLabels(*painter, m_model, Theme::current(), option->exposedRect);
}

ClusterScene::ClusterScene(QObject *parent)
    : QGraphicsScene(parent), m_links(new LinkLayer(m_model, [this] { m_sharpen.start(); })),
      m_nodes(new NodeLayer(m_model))
{
    m_sharpen.setSingleShot(true);
    m_sharpen.setInterval(80);
    connect(&m_sharpen, &QTimer::timeout, this, [this] { m_links->sharpen(); });
    setItemIndexMethod(NoIndex); // two items
    m_links->setFlag(QGraphicsItem::ItemUsesExtendedStyleOption);
    m_nodes->setFlag(QGraphicsItem::ItemUsesExtendedStyleOption);
    m_links->setZValue(1);
    m_nodes->setZValue(2);
    addItem(m_links);
    addItem(m_nodes);
}

ClusterScene::~ClusterScene()
{
    // The layers look at the model, which goes before the scene's own members do.
    clear();
}

void ClusterScene::refresh(double room)
{
    const QRectF all = m_model.contents().adjusted(-room, -room, room, room);
    if (sceneRect() != all) {
        setSceneRect(all);
        m_links->setBounds(all);
        m_nodes->setBounds(all);
    }
    update();
}

void ClusterScene::drawBackground(QPainter *painter, const QRectF &rect)
{
    const Theme &theme = Theme::current();
    paintBackground(*painter, theme, rect, zoomOf(*painter) >= 0.5);
    if (m_model.detail() != Detail::Trunks)
        paintHosts(*painter, m_model, theme, rect);
}

} // namespace polyrail
