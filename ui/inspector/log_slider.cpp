// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/log_slider.hpp"

#include "ui/theme/theme.hpp"

#include <QAccessibleWidget>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

constexpr double handle = 7.5;    ///< radius
constexpr double snapPixels = 4;

class AccessibleLogSlider : public QAccessibleWidget, public QAccessibleValueInterface
{
public:
    explicit AccessibleLogSlider(LogSlider *slider) : QAccessibleWidget(slider, QAccessible::Slider), m_slider(slider) {}

    void *interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::ValueInterface)
            return static_cast<QAccessibleValueInterface *>(this);
        return QAccessibleWidget::interface_cast(type);
    }

    QString text(QAccessible::Text what) const override
    {
        return what == QAccessible::Value ? m_slider->valueText() : QAccessibleWidget::text(what);
    }

    QVariant currentValue() const override { return m_slider->value(); }
    void setCurrentValue(const QVariant &value) override
    {
        m_slider->change(value.toDouble());
        emit m_slider->gestureFinished();
    }
    QVariant maximumValue() const override { return m_slider->range().high; }
    QVariant minimumValue() const override { return m_slider->range().low; }
    QVariant minimumStepSize() const override { return m_slider->value() * 0.01; }

private:
    LogSlider *m_slider;
};

QAccessibleInterface *makeAccessible(const QString &, QObject *object)
{
    if (auto *slider = qobject_cast<LogSlider *>(object))
        return new AccessibleLogSlider(slider);
    return nullptr;
}

} // namespace

LogSlider::LogSlider(QWidget *parent)
    : QWidget(parent)
{
    static const bool once = [] {
        QAccessible::installFactory(makeAccessible);
        return true;
    }();
    static_cast<void>(once);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
}

QSize LogSlider::sizeHint() const { return {scaled(264), scaled(58)}; }

QSize LogSlider::minimumSizeHint() const { return {scaled(160), scaled(58)}; }

double LogSlider::grooveLeft() const { return scaled(9); }
double LogSlider::grooveWidth() const { return std::max(1.0, double(width()) - 2 * grooveLeft()); }
double LogSlider::grooveY() const { return scaled(29); }

double LogSlider::xOf(double value) const { return grooveLeft() + fractionOf(value, m_range) * grooveWidth(); }

void LogSlider::setScale(const LogRange &range, std::vector<Tick> ticks, std::vector<Preset> presets)
{
    m_range = range;
    m_ticks = std::move(ticks);
    m_presets = std::move(presets);
    std::erase_if(m_presets, [&](const Preset &p) {
        return p.bytesPerSecond < range.low || p.bytesPerSecond > range.high;
    });
    update();
}

void LogSlider::setValue(double value)
{
    if (value == m_value)
        return;
    m_value = value;
    update();
    if (QAccessible::isActive()) {
        QAccessibleValueChangeEvent event(this, m_value);
        QAccessible::updateAccessibility(&event);
    }
}

void LogSlider::setReference(std::optional<double> value)
{
    m_reference = value;
    update();
}

void LogSlider::change(double value)
{
    value = std::clamp(value, m_range.low, m_range.high);
    if (value == m_value)
        return;
    setValue(value);
    m_changing = true;
    emit valueChanged(value);
}

void LogSlider::finish()
{
    m_dragging = false;
    if (std::exchange(m_changing, false))
        emit gestureFinished();
}

void LogSlider::dragTo(const QPointF &at, Qt::KeyboardModifiers modifiers)
{
    const double fraction = std::clamp((at.x() - grooveLeft()) / grooveWidth(), 0.0, 1.0);
    const double tolerance = modifiers.testFlag(Qt::AltModifier) ? -1 : scaled(snapPixels) / grooveWidth();
    std::vector<Preset> marks = m_presets;
    if (m_reference) // back to where it was is worth a snap as well
        marks.push_back({"", *m_reference, false, ""});
    change(snappedValue(fraction, m_range, marks, tolerance));
}

void LogSlider::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton) {
        event->ignore();
        return;
    }
    setFocus(Qt::MouseFocusReason);
    m_dragging = true;
    if (std::abs(event->position().x() - xOf(m_value)) > scaled(handle)) // a press on the handle does not move it
        dragTo(event->position(), event->modifiers());
}

void LogSlider::mouseMoveEvent(QMouseEvent *event)
{
    if (m_dragging)
        dragTo(event->position(), event->modifiers());
}

void LogSlider::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        finish();
}

void LogSlider::keyPressEvent(QKeyEvent *event)
{
    const double step = event->modifiers().testFlag(Qt::ShiftModifier) ? 1.1 : 1.01;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Down: change(roundedIn(m_range, m_value / step, 4)); break;
    case Qt::Key_Right:
    case Qt::Key_Up: change(roundedIn(m_range, m_value * step, 4)); break;
    case Qt::Key_PageUp: change(nextPreset(m_value, m_presets, true)); break;
    case Qt::Key_PageDown: change(nextPreset(m_value, m_presets, false)); break;
    case Qt::Key_Home: change(m_range.low); break;
    case Qt::Key_End: change(m_range.high); break;
    default: QWidget::keyPressEvent(event); return;
    }
    event->accept();
}

void LogSlider::keyReleaseEvent(QKeyEvent *event)
{
    if (!event->isAutoRepeat()) // a held key is one step of undo
        finish();
    QWidget::keyReleaseEvent(event);
}

void LogSlider::wheelEvent(QWheelEvent *event)
{
    if (!hasFocus()) { // scrolling the panel past it must not change a figure
        event->ignore();
        return;
    }
    change(roundedIn(m_range, m_value * std::pow(1.05, event->angleDelta().y() / 120.0), 3));
    finish();
    event->accept();
}

void LogSlider::focusOutEvent(QFocusEvent *event)
{
    finish();
    QWidget::focusOutEvent(event);
}

bool LogSlider::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        for (const Preset &preset : m_presets)
            if (std::abs(help->pos().x() - xOf(preset.bytesPerSecond)) < scaled(6) && help->pos().y() < grooveY()) {
                QToolTip::showText(help->globalPos(), QString::fromUtf8(preset.note), this);
                return true;
            }
        QToolTip::showText(help->globalPos(),
                           tr("%1\nArrows: 1 %, with Shift 10 %. Page up and down: presets. Alt: no snapping.").arg(valueText()),
                           this);
        return true;
    }
    return QWidget::event(event);
}

void LogSlider::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double left = grooveLeft();
    const double right = left + grooveWidth();
    const double y = grooveY();
    const double x = xOf(m_value);
    const bool enabled = isEnabled();

    // Presets above: a triangle each, names as far as they fit.
    painter.setFont(uiFont(TextRole::Tick));
    const QFontMetricsF metrics(painter.font());
    double free = 0;
    for (const Preset &preset : m_presets) {
        const double at = xOf(preset.bytesPerSecond);
        const double half = scaled(3.5);
        QPainterPath mark;
        mark.moveTo(at - half, y - scaled(12));
        mark.lineTo(at + half, y - scaled(12));
        mark.lineTo(at, y - scaled(12) + half * 1.2);
        mark.closeSubpath();
        painter.fillPath(mark, theme.muted);
        const QString name = QString::fromUtf8(preset.name);
        const double text = metrics.horizontalAdvance(name);
        const double from = std::clamp(at - text / 2, 0.0, width() - text);
        if (from < free || std::abs(from + text / 2 - at) > half * 2)
            continue;
        painter.setPen(theme.muted);
        painter.drawText(QPointF(from, metrics.ascent()), name);
        free = from + text + scaled(6);
    }

    // Groove, filled up to the value.
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.border);
    painter.drawRoundedRect(QRectF(left, y - scaled(2), right - left, scaled(4)), 2, 2);
    painter.setBrush(enabled ? theme.accent : theme.control);
    painter.drawRoundedRect(QRectF(left, y - scaled(2), x - left, scaled(4)), 2, 2);

    // Decades below, with nine small steps each.
    painter.setPen(QPen(theme.control, 1));
    for (double decade = m_range.low; decade < m_range.high * 0.999; decade *= 10)
        for (int k = 1; k < 10; ++k)
            if (const double at = xOf(decade * k); decade * k <= m_range.high)
                painter.drawLine(QPointF(at, y + scaled(7)), QPointF(at, y + scaled(k == 1 ? 11 : 8.5)));
    painter.drawLine(QPointF(right, y + scaled(7)), QPointF(right, y + scaled(11)));
    painter.setPen(theme.muted);
    double used = -1e9;
    for (std::size_t i = 0; i < m_ticks.size(); ++i) {
        const QString text = QString::fromStdString(m_ticks[i].text);
        const double w = metrics.horizontalAdvance(text);
        const double from = std::clamp(xOf(m_ticks[i].value) - w / 2, 0.0, width() - w);
        if (from < used)
            continue;
        used = from + w + scaled(4);
        painter.drawText(QPointF(from, y + scaled(13) + metrics.ascent()), text);
    }

    if (m_reference && std::abs(xOf(*m_reference) - x) > 0.5) { // where it stood before
        QPen pen(theme.text, 1.3, Qt::CustomDashLine);
        pen.setDashPattern({2, 1.6});
        painter.setPen(pen);
        painter.setBrush(theme.base);
        painter.drawEllipse(QPointF(xOf(*m_reference), y), scaled(5.5), scaled(5.5));
    }
    painter.setBrush(theme.base);
    if (hasFocus()) {
        painter.setPen(QPen(withAlpha(theme.accent, 0.42), 2));
        painter.drawEllipse(QPointF(x, y), scaled(handle) + 3, scaled(handle) + 3);
    }
    painter.setPen(QPen(enabled ? theme.accent : theme.control, scaled(2.5)));
    painter.drawEllipse(QPointF(x, y), scaled(handle), scaled(handle));
}

} // namespace polyrail
