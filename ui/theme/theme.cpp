// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.hpp"

#include "ui/theme/style_sheet.hpp"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>
#include <QStyleFactory>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

const Theme *s_current = nullptr;
double s_scale = 1.0;

Theme makeShared()
{
    Theme t;
    t.forward = QColor(0x56B4E9);
    t.backward = QColor(0xE69F00);
    t.communication = QColor(0xCC79A7);
    t.optimiser = QColor(0xF0E442);
    t.recompute = QColor(0xA6D8F5); // a second forward pass: the same hue, lighter; letter R
    t.operatorText = QColor(0x10161D);
    t.heat = {QColor(0xF8E97F), QColor(0xCFC06F), QColor(0x7C7B78), QColor(0x46567C)};
    return t;
}

Theme makeLight()
{
    Theme t = makeShared();
    t.window = QColor(0xF3F5F7);
    t.base = QColor(0xFFFFFF);
    t.alt = QColor(0xF8FAFB);
    t.canvas = QColor(0xFBFCFD);
    t.canvasDots = QColor(0xDDE3E9);
    t.host = QColor(0xF3F6F9);
    t.border = QColor(0xD5DBE1);
    t.control = QColor(0x7F8995);
    t.track = QColor(0xEDF0F3);
    t.chip = QColor(0xEDF1F4);
    t.text = QColor(0x18202A);
    t.muted = QColor(0x525E6B);
    t.accent = QColor(0x0067A8);
    t.onAccent = QColor(0xFFFFFF);
    t.selection = QColor(0xDCEBF7);
    t.selectionText = QColor(0x0A2A43);
    t.warning = QColor(0xFFF0D9);
    t.warningText = QColor(0x7A4100);
    t.proven = QColor(0xDDF3EA);
    t.provenText = QColor(0x00593F);
    t.stopped = QColor(0xE6EAEE);
    t.limit = QColor(0x9A3412);
    t.band = QColor(0xECE1F4);
    t.bandText = QColor(0x6A3A86);
    t.nvlink = QColor(0x008F68);
    t.pcie = QColor(0x0072B2);
    t.network = QColor(0xD55E00);
    t.hostBus = QColor(0x66717D);
    t.otherLink = QColor(0x8A5A2B);
    t.forwardLine = QColor(0x1C6C99);
    t.backwardLine = QColor(0x8F5E00);
    t.communicationLine = QColor(0x8A3F6C);
    t.optimiserLine = QColor(0x7A7000);
    t.recomputeLine = QColor(0x1C6C99);
    t.hatch = QColor(0x6B2450);
    return t;
}

Theme makeDark()
{
    Theme t = makeShared();
    t.dark = true;
    t.window = QColor(0x1B1F24);
    t.base = QColor(0x22272D);
    t.alt = QColor(0x262C33);
    t.canvas = QColor(0x1D2126);
    t.canvasDots = QColor(0x333A42);
    t.host = QColor(0x23282F);
    t.border = QColor(0x3A424B);
    t.control = QColor(0x7C8895);
    t.track = QColor(0x2A3037);
    t.chip = QColor(0x2D343C);
    t.text = QColor(0xE6EAEF);
    t.muted = QColor(0xA6B1BD);
    t.accent = QColor(0x5BB5F0);
    t.onAccent = QColor(0x0A1722);
    t.selection = QColor(0x24435B);
    t.selectionText = QColor(0xEAF5FD);
    t.warning = QColor(0x43320F);
    t.warningText = QColor(0xFFCB70);
    t.proven = QColor(0x173D31);
    t.provenText = QColor(0x6FDDB7);
    t.stopped = QColor(0x2F363E);
    t.limit = QColor(0xFF9A6B);
    t.band = QColor(0x46365A);
    t.bandText = QColor(0xD9BDEE);
    t.nvlink = QColor(0x2CC295);
    t.pcie = QColor(0x5A9BE8);
    t.network = QColor(0xF07C3A);
    t.hostBus = QColor(0x95A0AC);
    t.otherLink = QColor(0xC79A6B);
    t.hatch = QColor(0x5A1F43);
    return t;
}

/// Taken once, before our own palette hides what the platform gave.
bool platformIsDark()
{
    static const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    return dark;
}

/// The platform's own font, before the presentation scale changes it.
const QFont &platformFont()
{
    static const QFont font = QApplication::font();
    return font;
}

bool digitsAreTabular(const QFont &font)
{
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(QLatin1Char('0'));
    for (char c = '1'; c <= '9'; ++c)
        if (std::abs(metrics.horizontalAdvance(QLatin1Char(c)) - width) > 0.01)
            return false;
    return true;
}

/// Font features need Qt 6.7, so a font with proportional figures is replaced where DejaVu Sans exists.
QFont baseFont()
{
    static const QFont font = [] {
        QFont f = platformFont();
        if (!digitsAreTabular(f) && QFontDatabase::families().contains(QStringLiteral("DejaVu Sans")))
            f.setFamilies({QStringLiteral("DejaVu Sans")});
        return f;
    }();
    return font;
}

} // namespace

const Theme &Theme::light()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme &Theme::darkTheme()
{
    static const Theme theme = makeDark();
    return theme;
}

const Theme &Theme::current() { return s_current ? *s_current : light(); }

QColor Theme::linkColor(LinkKind kind) const
{
    switch (kind) {
    case LinkKind::NvLink: return nvlink;
    case LinkKind::Pcie: return pcie;
    case LinkKind::Network: return network;
    case LinkKind::HostBus: return hostBus;
    case LinkKind::Other: return otherLink;
    }
    return otherLink;
}

QColor Theme::roleFill(TaskRole role) const
{
    switch (role) {
    case TaskRole::Forward: return forward;
    case TaskRole::Backward: return backward;
    case TaskRole::Recompute: return recompute;
    case TaskRole::Optimiser: return optimiser;
    case TaskRole::TensorTraffic:
    case TaskRole::PipelineTraffic:
    case TaskRole::GradientTraffic: return communication;
    case TaskRole::Other: return chip;
    }
    return chip;
}

QColor Theme::roleLine(TaskRole role) const
{
    switch (role) {
    case TaskRole::Forward: return forwardLine;
    case TaskRole::Backward: return backwardLine;
    case TaskRole::Recompute: return recomputeLine;
    case TaskRole::Optimiser: return optimiserLine;
    case TaskRole::TensorTraffic:
    case TaskRole::PipelineTraffic:
    case TaskRole::GradientTraffic: return communicationLine;
    case TaskRole::Other: return control;
    }
    return control;
}

QPalette Theme::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, alt);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, limit);
    p.setColor(QPalette::PlaceholderText, muted);
    p.setColor(QPalette::Button, base);
    p.setColor(QPalette::Light, base);
    p.setColor(QPalette::Midlight, alt);
    p.setColor(QPalette::Dark, control);
    p.setColor(QPalette::Mid, border);
    p.setColor(QPalette::Shadow, control);
    p.setColor(QPalette::Highlight, selection);
    p.setColor(QPalette::HighlightedText, selectionText);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::ToolTipBase, base);
    p.setColor(QPalette::ToolTipText, text);
    for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, muted);
    return p;
}

void Theme::apply(QApplication &application, const Theme &theme, double scale)
{
    platformIsDark();
    const QFont base = baseFont();
    const bool first = s_current == nullptr;
    s_current = &theme;
    s_scale = std::clamp(scale, 0.8, 2.0);
    if (first)
        application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QFont font = base;
    font.setPointSizeF(9 * s_scale);
    application.setFont(font);
    application.setPalette(theme.palette());
    application.setStyleSheet(styleSheet(theme, s_scale));
}

void restyle(QWidget &widget)
{
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
    widget.update();
}

double uiScale() { return s_scale; }

int scaled(double designPixels) { return int(std::lround(designPixels * s_scale)); }

QFont uiFont(TextRole role)
{
    QFont font = baseFont();
    double points = 9; // 12 px at 96 dpi
    switch (role) {
    case TextRole::Body: break;
    case TextRole::Small: points = 8.25; break;
    case TextRole::Tick: points = 7.5; break;
    case TextRole::BarLabel: points = 7.125; break;
    case TextRole::PanelTitle: font.setBold(true); break;
    case TextRole::Heading: points = 11.25; font.setBold(true); break;
    case TextRole::PageHeading: points = 12; font.setBold(true); break;
    case TextRole::KeyFigure: points = 15; font.setBold(true); break;
    case TextRole::Product: points = 21; font.setBold(true); break;
    }
    font.setPointSizeF(points * s_scale);
    return font;
}

const Theme &resolve(ThemeChoice choice)
{
    switch (choice) {
    case ThemeChoice::Light: return Theme::light();
    case ThemeChoice::Dark: return Theme::darkTheme();
    case ThemeChoice::System: break;
    }
    return platformIsDark() ? Theme::darkTheme() : Theme::light();
}

void paintLinkMark(QPainter &painter, LinkKind kind, const QPointF &centre, double size, const QColor &colour)
{
    const double r = size / 2;
    QPainterPath path;
    switch (kind) {
    case LinkKind::NvLink: path.addRect(centre.x() - 0.85 * r, centre.y() - 0.85 * r, 1.7 * r, 1.7 * r); break;
    case LinkKind::Pcie:
        path.moveTo(centre + QPointF(0, -r));
        path.lineTo(centre + QPointF(r, 0.85 * r));
        path.lineTo(centre + QPointF(-r, 0.85 * r));
        path.closeSubpath();
        break;
    case LinkKind::Network:
        path.moveTo(centre + QPointF(0, -r));
        path.lineTo(centre + QPointF(r, 0));
        path.lineTo(centre + QPointF(0, r));
        path.lineTo(centre + QPointF(-r, 0));
        path.closeSubpath();
        break;
    case LinkKind::HostBus: path.addEllipse(centre, 0.85 * r, 0.85 * r); break;
    case LinkKind::Other:
        path.addEllipse(centre, 0.95 * r, 0.95 * r);
        path.addEllipse(centre, 0.45 * r, 0.45 * r); // odd-even fill: a ring
        break;
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPath(path);
    painter.restore();
}

QColor mix(const QColor &a, const QColor &b, double t)
{
    const auto f = float(t);
    return QColor::fromRgbF(a.redF() + (b.redF() - a.redF()) * f, a.greenF() + (b.greenF() - a.greenF()) * f,
                            a.blueF() + (b.blueF() - a.blueF()) * f, a.alphaF() + (b.alphaF() - a.alphaF()) * f);
}

QColor withAlpha(QColor colour, double alpha)
{
    colour.setAlphaF(float(alpha));
    return colour;
}

} // namespace polyrail
