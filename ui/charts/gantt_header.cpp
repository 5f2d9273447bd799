// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/gantt_header.hpp"

#include "ui/charts/chart_text.hpp"

#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QToolButton>

#include <algorithm>
#include <vector>

namespace polyrail {

namespace {

enum class Sample { Forward, Backward, Communication, Optimiser, Idle, Critical, Capacity };

struct LegendEntry
{
    Sample sample;
    QString text;
};

std::vector<LegendEntry> legendEntries()
{
    return {{Sample::Forward, ChartText::tr("forward")},
            {Sample::Backward, ChartText::tr("backward")},
            {Sample::Communication, ChartText::tr("communication")},
            {Sample::Optimiser, ChartText::tr("optimiser")},
            {Sample::Idle, ChartText::tr("idle")},
            {Sample::Critical, ChartText::tr("critical path")},
            {Sample::Capacity, ChartText::tr("capacity")}};
}

void paintSample(QPainter &p, const PaintDevice &device, const ChartColors &colors, Sample sample, const QRectF &box)
{
    const auto bar = [&](BarKind kind) {
        const auto k = static_cast<std::size_t>(kind);
        p.setRenderHint(QPainter::Antialiasing, device.vectorized);
        paintBar(p, device, box, colors.fill[k], colors.line[k]);
        p.setRenderHint(QPainter::Antialiasing, true);
    };
    switch (sample) {
    case Sample::Forward: bar(BarKind::Forward); break;
    case Sample::Backward: bar(BarKind::Backward); break;
    case Sample::Optimiser: bar(BarKind::Optimiser); break;
    case Sample::Communication: {
        bar(BarKind::Communication);
        p.setRenderHint(QPainter::Antialiasing, device.vectorized);
        const double inset = colors.line[static_cast<std::size_t>(BarKind::Communication)].isValid() ? 1 : 0;
        paintHatch(p, device, box.adjusted(inset, inset, -inset, -inset), colors.hatch);
        p.setRenderHint(QPainter::Antialiasing, true);
        break;
    }
    case Sample::Idle:
        p.setPen(QPen(colors.theme.border, 1));
        p.setBrush(colors.track);
        p.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 1.5, 1.5);
        break;
    case Sample::Critical:
        p.setPen(QPen(colors.mark, 1.8));
        p.setBrush(Qt::NoBrush);
        p.drawRoundedRect(box.adjusted(0.9, 0.9, -0.9, -0.9), 1.5, 1.5);
        break;
    case Sample::Capacity: {
        const double y = device.snap(box.center().y()) + 0.5;
        paintDashes(p, box.left(), box.right(), y, colors.limit);
        break;
    }
    }
}

} // namespace

void paintGanttHeader(QPainter &p, const QRectF &rect, const Theme &theme, const PaintDevice &device, const QString &title,
                      const QString &summary)
{
    const ChartColors colors(theme, false);
    p.save();
    p.setRenderHint(QPainter::Antialiasing, true);
    p.fillRect(rect, theme.alt);
    p.fillRect(QRectF(rect.left(), rect.bottom() - 1, rect.width(), 1), theme.border);

    const double edge = scaled(12);
    const double gap = scaled(10);
    const double swatch = scaled(15), swatchHeight = scaled(11), between = scaled(5);
    const QFont bold = uiFont(TextRole::PanelTitle);
    const QFont small = uiFont(TextRole::Small);
    const QFont body = uiFont(TextRole::Body);
    const QFontMetricsF smallMetrics(small, p.device());
    const double titleWidth = QFontMetricsF(bold, p.device()).horizontalAdvance(title);
    const double summaryWidth = QFontMetricsF(body, p.device()).horizontalAdvance(summary);

    // The legend stands at the right; what does not fit beside title and summary is left out from its end.
    const auto entries = legendEntries();
    std::vector<double> widths;
    double total = 0;
    std::size_t shown = 0;
    const double room = rect.width() - 2 * edge - titleWidth - gap - std::min(summaryWidth, rect.width() * 0.25) - 2 * gap;
    for (const LegendEntry &entry : entries) {
        const double width = swatch + between + smallMetrics.horizontalAdvance(entry.text) + scaled(14);
        if (total + width - scaled(14) > room)
            break;
        total += width;
        widths.push_back(width);
        ++shown;
    }
    double x = rect.right() - edge - std::max(0.0, total - scaled(14));
    const double right = x - 2 * gap;
    for (std::size_t i = 0; i < shown; ++i) {
        const QRectF box(device.snap(x), device.snap(rect.center().y() - swatchHeight / 2), swatch, swatchHeight);
        paintSample(p, device, colors, entries[i].sample, box);
        p.setFont(small);
        p.setPen(entries[i].sample == Sample::Capacity ? theme.limit : theme.text);
        p.drawText(QRectF(x + swatch + between, rect.top(), widths[i], rect.height()), Qt::AlignVCenter | Qt::AlignLeft,
                   entries[i].text);
        x += widths[i];
    }

    p.setFont(bold);
    p.setPen(theme.text);
    paintElided(p, QRectF(rect.left() + edge, rect.top(), right - edge - rect.left(), rect.height()),
                Qt::AlignVCenter | Qt::AlignLeft, title);
    p.setFont(body);
    p.setPen(theme.muted);
    const double from = rect.left() + edge + titleWidth + gap;
    if (right - from > scaled(24))
        paintElided(p, QRectF(from, rect.top(), right - from, rect.height()), Qt::AlignVCenter | Qt::AlignLeft, summary);
    p.restore();
}

GanttHeader::GanttHeader(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_follow = new QToolButton(this);
    m_follow->setText(tr("Follow best"));
    m_follow->setIcon(themedIcon(QStringLiteral("eye")));
    m_follow->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_follow->setToolTip(tr("Show each better plan as soon as it is found. The zoom stays as it is."));
    m_follow->setAccessibleName(tr("Follow best plan"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 1, scaled(12), 2);
    layout->addStretch(1);
    layout->addWidget(m_follow);
}

void GanttHeader::setText(const QString &title, const QString &summary)
{
    m_title = title;
    m_summary = summary;
    setAccessibleName(title);
    setAccessibleDescription(summary);
    update();
}

QSize GanttHeader::sizeHint() const
{
    return {scaled(400), scaled(30)};
}

void GanttHeader::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = Theme::current();
    painter.fillRect(rect(), theme.alt);
    const PaintDevice device{false, devicePixelRatioF()};
    double right = width();
    if (!m_follow->isHidden()) {
        right = m_follow->x() - scaled(12);
        painter.fillRect(QRectF(right + scaled(2), height() / 2.0 - scaled(8), 1, scaled(16)), theme.border);
    }
    paintGanttHeader(painter, QRectF(0, 0, right, height()), theme, device, m_title, m_summary);
    painter.fillRect(QRectF(0, height() - 1, width(), 1), theme.border);
}

} // namespace polyrail
