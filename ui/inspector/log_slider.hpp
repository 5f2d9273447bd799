// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/inspector/log_scale.hpp"

#include <QWidget>

#include <functional>
#include <optional>

namespace polyrail {

/// A logarithmic slider with marked presets and a mark at the value it started from. Left and right change by 1 %
/// (with Shift by 10 %), page up and down go from preset to preset, home and end to the ends. A drag snaps to presets
/// unless Alt is held.
class LogSlider : public QWidget
{
    Q_OBJECT
public:
    explicit LogSlider(QWidget *parent = nullptr);

    double value() const { return m_value; }
    const LogRange &range() const { return m_range; }

    /// Presets outside the range are not shown. Does not emit.
    void setScale(const LogRange &range, std::vector<Tick> ticks, std::vector<Preset> presets);
    void setValue(double value);                     ///< does not emit
    void setReference(std::optional<double> value);  ///< the dashed mark
    /// Says a value to people, for screen readers and the tool tip.
    void setFormatter(std::function<QString(double)> text) { m_text = std::move(text); }
    QString valueText() const { return m_text ? m_text(m_value) : QString::number(m_value); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// Where a value stands, in pixels from the left.
    double xOf(double value) const;
    /// Sets and emits, as a user would: for keys and accessibility.
    void change(double value);

signals:
    void valueChanged(double value); ///< by the user; may come at every pixel of a drag
    void gestureFinished();          ///< mouse released, key released, wheel step done

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    bool event(QEvent *event) override;

private:
    double grooveLeft() const;
    double grooveWidth() const;
    double grooveY() const;
    void dragTo(const QPointF &at, Qt::KeyboardModifiers modifiers);
    void finish();

    LogRange m_range;
    std::vector<Tick> m_ticks;
    std::vector<Preset> m_presets;
    double m_value = 1;
    std::optional<double> m_reference;
    std::function<QString(double)> m_text;
    bool m_dragging = false;
    bool m_changing = false;
};

} // namespace polyrail
