// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/canvas_model.hpp"

#include <QGraphicsItem>
#include <QGraphicsScene>
#include <QPixmap>
#include <QTimer>

#include <functional>

class QGraphicsView;

namespace polyrail {

/// All links in one item. What is idle is kept in a pixmap of the visible part, so that moving the time cursor or the
/// pointer repaints only use fills, selection and hover.
class LinkLayer : public QGraphicsItem
{
public:
    /// `later` is called when a stretched picture was shown for the moment: it shall call sharpen() soon.
    LinkLayer(const CanvasModel &model, std::function<void()> later) : m_model(model), m_later(std::move(later)) {}
    void sharpen();
    void setBounds(const QRectF &bounds);
    QRectF boundingRect() const override { return m_bounds; }
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;
    int repaints() const { return m_repaints; } ///< of the pixmap, for tests

private:
    void refresh(const QRect &visible, double zoom, double pixelRatio);

    const CanvasModel &m_model;
    std::function<void()> m_later;
    bool m_sharp = true;   ///< no stretching this time
    QRectF m_bounds;
    QPixmap m_pixmap;
    QRect m_region;        ///< of the pixmap, in view pixels counted from the scene's origin
    double m_zoom = 0;
    double m_pixelRatio = 0;
    int m_generation = -1;
    bool m_dark = false;
    int m_repaints = 0;
};

/// Devices, hubs, labels: painted as they are, over the links.
class NodeLayer : public QGraphicsItem
{
public:
    explicit NodeLayer(const CanvasModel &model) : m_model(model) {}
    void setBounds(const QRectF &bounds);
    QRectF boundingRect() const override { return m_bounds; }
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

private:
    const CanvasModel &m_model;
    QRectF m_bounds;
};

/// The cluster as a scene: background, hosts, links, devices. Changes go through the model, then refresh().
class ClusterScene : public QGraphicsScene
{
    Q_OBJECT
public:
    explicit ClusterScene(QObject *parent = nullptr);
    ~ClusterScene() override;

    CanvasModel &model() { return m_model; }
    const CanvasModel &model() const { return m_model; }
    const LinkLayer &linkLayer() const { return *m_links; }
    /// After a change of the model: bounds and repaint. `room` (scene units) is added on all sides to pan into.
    void refresh(double room);

protected:
    void drawBackground(QPainter *painter, const QRectF &rect) override;

private:
    CanvasModel m_model;
    QTimer m_sharpen;
    LinkLayer *m_links;
    NodeLayer *m_nodes;
};

} // namespace polyrail
