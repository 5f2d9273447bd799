// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_paint.hpp"

#include "core/search/search.hpp"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace polyrail {

/// What the baseline chart says, line by line. Pure: no widget.
struct BaselineLine
{
    enum class Kind { Best, Bound, Baseline };
    Kind kind = Kind::Baseline;
    QString name;
    std::optional<double> seconds;  ///< none: it does not fit
    std::optional<double> factor;   ///< of the best plan's time
    QString reason;                 ///< why it does not fit
    std::size_t baseline = 0;       ///< index into the snapshot's baselines
};
std::vector<BaselineLine> baselineLines(const SearchSnapshot &snapshot);

/// Step time of the best plan, its bound and each baseline as bars from zero, with factors. UI thread only.
class BaselineView : public QWidget
{
    Q_OBJECT
public:
    explicit BaselineView(QWidget *parent = nullptr);
    void setSnapshot(std::shared_ptr<const SearchSnapshot> snapshot);
    const std::vector<BaselineLine> &lines() const { return m_lines; }
    void setStale(bool stale);
    /// Paints all lines into a box; also for export.
    void paint(QPainter &painter, const QRectF &rect, const Theme &theme, const PaintDevice &device) const;
    /// The box that a line's bar fills at most (seconds = the longest), and its own bar.
    QRectF barRect(std::size_t line, const QRectF &rect) const;
    std::optional<std::size_t> lineAt(const QPointF &place) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void baselineActivated(std::size_t index); ///< into the snapshot's baselines

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool event(QEvent *event) override;

private:
    double longest() const;

    std::vector<BaselineLine> m_lines;
    bool m_stale = false;
};

} // namespace polyrail
