// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/search.hpp"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QCPPainter;
class QCustomPlot;

namespace polyrail {

struct Theme;

/// What a convergence chart draws, in seconds; made from a snapshot's history. Pure: no widget.
struct ConvergenceCurve
{
    struct Point
    {
        double at = 0;    ///< seconds since the search began
        double value = 0; ///< seconds per step
    };
    std::vector<Point> best;  ///< one point per improvement
    std::vector<Point> bound; ///< one point per rise
    double end = 0;           ///< both curves hold their last value until here
    double lowest = 0;        ///< of what is worth showing: a weak first bound does not flatten the rest
    double highest = 1;

    static ConvergenceCurve of(const SearchSnapshot &snapshot);
    double bestAt(double seconds) const;  ///< NaN before the first plan
    double boundAt(double seconds) const; ///< NaN before the first bound
};

/// Best plan and bound over the time of the search, with the gap between them shaded. Compact: the strip beside the
/// figures, without axes. UI thread only.
class ConvergenceView : public QWidget
{
    Q_OBJECT
public:
    enum class Form { Full, Strip };
    explicit ConvergenceView(Form form = Form::Full, QWidget *parent = nullptr);
    ~ConvergenceView() override;

    void setSnapshot(std::shared_ptr<const SearchSnapshot> snapshot);
    const std::shared_ptr<const SearchSnapshot> &snapshot() const { return m_snapshot; }
    void setStale(bool stale);
    void setLogTime(bool log);
    bool logTime() const { return m_log; }
    const ConvergenceCurve &curve() const { return m_curve; }
    /// The improvement under a place of the widget: index into curve().best.
    std::optional<std::size_t> pointAt(const QPoint &place) const;
    void renderTo(QCPPainter &painter, const QSize &size, const Theme &theme);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// An improvement was clicked: its step time in seconds and when it was found.
    void improvementActivated(double stepSeconds, double atSeconds);
    void logTimeChanged(bool log);

protected:
    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    class Curves;
    void applyTheme(const Theme &theme);
    void updateRanges();

    Form m_form;
    bool m_log = false;
    bool m_stale = false;
    std::shared_ptr<const SearchSnapshot> m_snapshot;
    ConvergenceCurve m_curve;
    QCustomPlot *m_plot = nullptr;
    Curves *m_curves = nullptr;
};

} // namespace polyrail
