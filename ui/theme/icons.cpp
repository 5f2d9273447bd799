// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/style_sheet.hpp"
#include "ui/theme/theme.hpp"

#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace polyrail {

namespace {

/// Renders at the size and pixel ratio asked for, in the colour that the theme has at that moment.
class LineIconEngine : public QIconEngine
{
public:
    LineIconEngine(QString name, QColor Theme::*role) : m_name(std::move(name)), m_role(role) {}

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        const Theme &theme = Theme::current();
        QColor colour = theme.*m_role;
        if (mode == QIcon::Disabled)
            colour = theme.control;
        else if (mode == QIcon::Selected)
            colour = theme.selectionText;
        QSvgRenderer renderer(iconSvg(m_name, colour));
        if (renderer.isValid())
            renderer.render(painter, QRectF(rect));
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1.0);
    }

    QPixmap scaledPixmap(const QSize &size, QIcon::Mode mode, QIcon::State state, qreal) override
    {
        // Qt hands sizes in device pixels here and sets the ratio itself.
        const QString key = QStringLiteral("polyrail-icon/%1/%2x%3/%4/%5/%6")
                                .arg(m_name).arg(size.width()).arg(size.height()).arg(int(mode))
                                .arg((Theme::current().*m_role).rgba()).arg(Theme::current().dark);
        QPixmap pixmap;
        if (!QPixmapCache::find(key, &pixmap)) {
            pixmap = QPixmap(size);
            pixmap.fill(Qt::transparent);
            QPainter painter(&pixmap);
            painter.setRenderHint(QPainter::Antialiasing);
            paint(&painter, QRect(QPoint(0, 0), size), mode, state);
            painter.end();
            QPixmapCache::insert(key, pixmap);
        }
        return pixmap;
    }

    QIconEngine *clone() const override { return new LineIconEngine(*this); }
    QString key() const override { return QStringLiteral("polyrail-line-icon"); }
    QString iconName() override { return m_name; }
    bool isNull() override { return iconSvg(m_name, QColor(Qt::black)).isEmpty(); }

private:
    QString m_name;
    QColor Theme::*m_role;
};

} // namespace

QIcon themedIcon(const QString &name) { return themedIcon(name, &Theme::text); }

QIcon themedIcon(const QString &name, QColor Theme::*role) { return QIcon(new LineIconEngine(name, role)); }

} // namespace polyrail
