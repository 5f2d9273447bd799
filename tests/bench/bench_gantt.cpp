// SPDX-License-Identifier: GPL-3.0-or-later
// Time to draw the Gantt at 1200 x 800 on 64 devices: the whole step, and zoomed to about 650 bars.
// Aims for 1,000,000 bars: 20 ms and 5 ms.
#include "tests/ui/chart_fixture.hpp"
#include "ui/charts/gantt_canvas.hpp"
#include "ui/charts/gantt_view.hpp"

#include <QApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

using namespace polyrail;

namespace {

double leastMilliseconds(int repeats, const std::function<void()> &work)
{
    double least = 1e18;
    for (int i = 0; i < repeats; ++i) {
        QElapsedTimer timer;
        timer.start();
        work();
        least = std::min(least, double(timer.nsecsElapsed()) * 1e-6);
    }
    return least;
}

} // namespace

int main(int argc, char **argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    Theme::apply(application, Theme::light());
    std::printf("%10s %12s %12s %12s %12s\n", "bars", "build, ms", "full, ms", "zoomed, ms", "cursor, ms");
    for (const std::size_t bars : {10000, 100000, 1000000}) {
        const ShownPlan shown = chart_fixture::crowd(bars, 64);
        SelectionModel selection;
        TimeAxis axis;
        GanttView view(selection, axis);
        view.resize(1200, 800 + 30);
        view.show();
        const double build = leastMilliseconds(2, [&] {
            view.setShown(ShownPlan());
            view.setShown(shown);
        });
        QCoreApplication::processEvents();
        GanttCanvas &canvas = view.canvas();
        const double full = leastMilliseconds(15, [&] { canvas.replot(QCustomPlot::rpImmediateRefresh); });
        const double share = 650.0 / double(bars);
        axis.setRange(axis.fullUpper() * 0.4, axis.fullUpper() * (0.4 + share));
        QCoreApplication::processEvents();
        const double zoomed = leastMilliseconds(15, [&] { canvas.replot(QCustomPlot::rpImmediateRefresh); });
        double at = axis.lower();
        const double cursor = leastMilliseconds(15, [&] { axis.setCursor(at += (axis.upper() - axis.lower()) / 40); });
        std::printf("%10zu %12.1f %12.2f %12.2f %12.2f\n", bars, build, full, zoomed, cursor);
        std::fflush(stdout);
    }
    return 0;
}
