// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, wheel and keys of the Gantt canvas.
#include "ui/charts/chart_text.hpp"
#include "ui/charts/gantt_canvas.hpp"

#include <QApplication>
#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

/// Letters that mean a place on the keyboard: W A S D form the same cross on every layout (evdev codes + 8, as X11 and
/// Wayland report them). Elsewhere the letter itself counts.
int placedKey(const QKeyEvent &event)
{
    switch (event.nativeScanCode()) {
    case 25: return Qt::Key_W;
    case 38: return Qt::Key_A;
    case 39: return Qt::Key_S;
    case 40: return Qt::Key_D;
    default: break;
    }
    return event.key();
}

} // namespace

TimeScale GanttCanvas::timeScale() const
{
    return TimeScale::over(m_axis.lower() * 1e9, m_axis.upper() * 1e9, m_scene.rows.left(), m_scene.rows.width());
}

GanttCanvas::Hit GanttCanvas::hitTest(const QPointF &place) const
{
    Hit hit;
    const QRectF &rows = m_scene.rows;
    const TimeScale scale = timeScale();
    hit.time = scale.time(std::clamp(place.x(), rows.left(), rows.right()));
    if (place.y() < rows.top()) {
        hit.part = place.x() >= rows.left() - 4 ? Part::Ruler : Part::Nothing;
        return hit;
    }
    const double y = place.y() - rows.top() + m_scene.scroll;
    hit.place = m_scene.layout.placeAt(y);
    hit.part = place.x() < rows.left() ? Part::Label : place.x() <= rows.right() ? Part::Track : Part::Nothing;
    if (!hit.place)
        return hit;
    const RowPlace &row = m_scene.layout.places[*hit.place];
    if (row.kind != RowKind::Device)
        return hit;
    if (hit.part == Part::Label && place.x() < rows.left() - m_scene.names - m_scene.metrics.px(14)) {
        for (std::size_t s = 0; s < m_scene.model.stages.size(); ++s) {
            const StageGroup &stage = m_scene.model.stages[s];
            if (row.index >= stage.firstRow && row.index < stage.firstRow + stage.rowCount)
                hit.stage = static_cast<int>(s);
        }
    }
    if (hit.part == Part::Track) {
        // The strip at the bottom is communication under computation.
        const QRectF bar = m_scene.barRect(row);
        if (place.y() >= bar.bottom() - m_scene.metrics.px(3))
            hit.bar = m_scene.model.hiddenAt(row.index, hit.time);
        if (!hit.bar.valid())
            hit.bar = m_scene.model.barNear(row.index, hit.time, 2 / scale.pixelsPerNs);
    }
    return hit;
}

QString GanttCanvas::tipAt(const QPoint &point) const
{
    const Hit hit = hitTest(point);
    if (!hit.place)
        return {};
    const RowPlace &row = m_scene.layout.places[*hit.place];
    const GanttModel &model = m_scene.model;
    switch (row.kind) {
    case RowKind::Device:
        if (hit.bar.valid())
            return describeTask(model, TaskId(model.bar(hit.bar).task));
        if (hit.stage >= 0) {
            const StageGroup &stage = model.stages[static_cast<std::size_t>(hit.stage)];
            QStringList lines{stage.name, stage.layers, stage.split};
            lines.removeAll(QString());
            return lines.join(u'\n');
        }
        if (hit.part == Part::Label) {
            const DeviceRow &device = model.devices[row.index];
            QStringList lines{device.name, QString::fromStdString(model.shown.cluster.device(device.device).type.name)};
            if (device.members.size() > 1)
                lines << ChartText::tr("%1 devices that do the same").arg(device.members.size());
            return lines.join(u'\n');
        }
        return {};
    case RowKind::IdleDevices: {
        QStringList names;
        for (std::size_t i = 0; i < model.idleDevices.size() && i < 8; ++i)
            names << QString::fromStdString(model.shown.cluster.device(model.idleDevices[i]).id);
        if (model.idleDevices.size() > 8)
            names << ChartText::tr("and %1 more").arg(model.idleDevices.size() - 8);
        return names.join(u'\n');
    }
    case RowKind::Link: return describeLink(model, model.links[row.index], hit.time);
    case RowKind::Memory: return describeMemory(model.memory[row.index], hit.time);
    }
    return {};
}

bool GanttCanvas::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const QString text = tipAt(help->pos());
        if (text.isEmpty()) {
            QToolTip::hideText();
        } else {
            QStringList lines = text.toHtmlEscaped().split(u'\n');
            lines.first() = QStringLiteral("<b>%1</b>").arg(lines.first());
            QToolTip::showText(help->globalPos(),
                               QStringLiteral("<p style='white-space:pre'>%1</p>").arg(lines.join(QStringLiteral("<br>"))), this);
        }
        return true;
    }
    // Keys that the window would take as shortcuts of its own belong to the chart while it has the focus.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        static constexpr int own[] = {Qt::Key_W, Qt::Key_A, Qt::Key_S, Qt::Key_D, Qt::Key_F, Qt::Key_Home,
                                      Qt::Key_BracketLeft, Qt::Key_BracketRight, Qt::Key_Comma, Qt::Key_Period};
        if (key->modifiers() == Qt::NoModifier && std::find(std::begin(own), std::end(own), key->key()) != std::end(own)) {
            event->accept();
            return true;
        }
    }
    return QCustomPlot::event(event);
}

void GanttCanvas::mousePressEvent(QMouseEvent *event)
{
    setFocus(Qt::MouseFocusReason);
    m_pressed = m_last = event->position();
    const Hit hit = hitTest(m_pressed);
    if (event->button() == Qt::MiddleButton) {
        rememberView();
        m_gesture = Gesture::Pan;
        setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton && hit.part == Part::Ruler) {
        m_gesture = Gesture::Cursor;
        m_axis.setCursor(hit.time * 1e-9);
    } else if (event->button() == Qt::LeftButton && hit.part == Part::Track && event->modifiers() & Qt::ShiftModifier) {
        m_gesture = Gesture::Measure;
        m_scene.measure = std::pair(hit.time * 1e-9, hit.time * 1e-9);
    } else if (event->button() == Qt::LeftButton) {
        m_gesture = Gesture::Press;
    } else {
        event->ignore(); // context menus are the window's
        return;
    }
    event->accept();
}

void GanttCanvas::mouseMoveEvent(QMouseEvent *event)
{
    const QPointF place = event->position();
    if (m_gesture == Gesture::Press && (place - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
        rememberView();
        m_gesture = Gesture::Pan;
        m_last = m_pressed;
        setCursor(Qt::ClosedHandCursor);
    }
    switch (m_gesture) {
    case Gesture::Pan: {
        const double seconds = (m_last.x() - place.x()) / timeScale().pixelsPerNs * 1e-9;
        m_axis.setRange(m_axis.lower() + seconds, m_axis.upper() + seconds);
        setScroll(m_scene.scroll + m_last.y() - place.y());
        m_last = place;
        break;
    }
    case Gesture::Cursor: m_axis.setCursor(hitTest(place).time * 1e-9); break;
    case Gesture::Measure: {
        const double from = timeScale().time(m_pressed.x()) * 1e-9;
        const double to = hitTest(place).time * 1e-9;
        m_scene.measure = std::pair(std::min(from, to), std::max(from, to));
        redrawCursor();
        QToolTip::showText(event->globalPosition().toPoint(), measureText(), this);
        break;
    }
    case Gesture::Press: break;
    case Gesture::None: {
        const Hit hit = hitTest(place);
        setCursor(hit.part == Part::Ruler ? Qt::SplitHCursor : hit.bar.valid() ? Qt::PointingHandCursor : Qt::ArrowCursor);
        const BarRef hover = hit.bar.hidden ? BarRef() : hit.bar;
        if (!(hover == m_scene.hover)) {
            m_scene.hover = hover;
            redrawCursor();
        }
        break;
    }
    }
    event->accept();
}

void GanttCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    const Gesture gesture = std::exchange(m_gesture, Gesture::None);
    setCursor(Qt::ArrowCursor);
    if (gesture == Gesture::Press)
        click(hitTest(event->position()), event->modifiers());
    if (gesture == Gesture::Measure && m_scene.measure && m_scene.measure->first == m_scene.measure->second) {
        m_scene.measure.reset();
        redrawCursor();
    }
    event->accept();
}

void GanttCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    const Hit hit = hitTest(event->position());
    if (hit.bar.valid()) {
        selectBar(hit.bar);
        fitSelected();
    } else if (hit.part == Part::Track || hit.part == Part::Ruler) {
        showAll();
    }
    event->accept();
}

void GanttCanvas::leaveEvent(QEvent *event)
{
    if (m_scene.hover.valid()) {
        m_scene.hover = {};
        redrawCursor();
    }
    QCustomPlot::leaveEvent(event);
}

void GanttCanvas::wheelEvent(QWheelEvent *event)
{
    const QPoint turn = event->angleDelta();
    if (event->modifiers() & Qt::ShiftModifier) {
        setScroll(m_scene.scroll - (turn.y() != 0 ? turn.y() : turn.x()) / 120.0 * 3 * m_scene.metrics.deviceRow());
    } else {
        if (turn.y() != 0)
            zoomBy(std::pow(1.2, turn.y() / 120.0), hitTest(event->position()).time * 1e-9);
        if (turn.x() != 0)
            panBy(-turn.x() / 120.0 * 0.1);
    }
    event->accept();
}

void GanttCanvas::keyPressEvent(QKeyEvent *event)
{
    const bool alt = event->modifiers() & Qt::AltModifier;
    if (event->modifiers() & (Qt::ControlModifier | Qt::MetaModifier)) {
        event->ignore();
        return;
    }
    switch (placedKey(*event)) {
    case Qt::Key_W: zoomBy(1.5, m_axis.cursor()); break;
    case Qt::Key_S: zoomBy(1 / 1.5, m_axis.cursor()); break;
    case Qt::Key_A: panBy(-0.15); break;
    case Qt::Key_D: panBy(0.15); break;
    case Qt::Key_Home: showAll(); break;
    case Qt::Key_F: fitSelected(); break;
    case Qt::Key_Left: alt ? previousView() : stepTask(-1); break;
    case Qt::Key_Right: alt ? nextView() : stepTask(1); break;
    case Qt::Key_Comma: stepTask(-1); break;
    case Qt::Key_Period: stepTask(1); break;
    case Qt::Key_Up: stepRow(-1); break;
    case Qt::Key_Down: stepRow(1); break;
    case Qt::Key_BracketLeft: stepCritical(-1); break;
    case Qt::Key_BracketRight: stepCritical(1); break;
    case Qt::Key_PageUp: setScroll(m_scene.scroll - m_scene.rows.height() * 0.9); break;
    case Qt::Key_PageDown: setScroll(m_scene.scroll + m_scene.rows.height() * 0.9); break;
    case Qt::Key_Escape:
        m_scene.measure.reset();
        m_selection.clear();
        m_selection.selectTask({});
        m_axis.setCursor(std::nullopt);
        redrawCursor();
        break;
    default: QCustomPlot::keyPressEvent(event); return;
    }
    event->accept();
}

void GanttCanvas::click(const Hit &hit, Qt::KeyboardModifiers modifiers)
{
    if (m_scene.measure) {
        m_scene.measure.reset();
        redrawCursor();
    }
    const bool add = modifiers & Qt::ControlModifier;
    const auto choose = [&](const QStringList &ids) {
        if (!add)
            m_selection.select(ids);
        else
            for (const QString &id : ids)
                m_selection.toggle(id);
    };
    if (!hit.place) {
        if (!add && hit.part != Part::Nothing) {
            m_selection.clear();
            m_selection.selectTask({});
        }
        return;
    }
    const RowPlace &row = m_scene.layout.places[*hit.place];
    const Cluster &cluster = m_scene.model.shown.cluster;
    const auto idOf = [&](DeviceId d) { return QString::fromStdString(cluster.device(d).id); };
    const auto idsOf = [&](const DeviceRow &device) {
        QStringList ids;
        for (const DeviceId d : device.members)
            ids << idOf(d);
        return ids;
    };
    switch (row.kind) {
    case RowKind::Device:
        m_row = row.index;
        if (hit.bar.valid() && !add) {
            selectBar(hit.bar);
        } else if (hit.stage >= 0) {
            const StageGroup &stage = m_scene.model.stages[static_cast<std::size_t>(hit.stage)];
            QStringList ids;
            for (std::size_t r = stage.firstRow; r < stage.firstRow + stage.rowCount; ++r)
                ids << idsOf(m_scene.model.devices[r]);
            choose(ids);
        } else {
            choose(idsOf(m_scene.model.devices[row.index]));
            if (!hit.bar.valid())
                m_selection.selectTask({});
        }
        break;
    case RowKind::Memory: choose({idOf(m_scene.model.memory[row.index].device)}); break;
    case RowKind::IdleDevices: {
        QStringList ids;
        for (const DeviceId d : m_scene.model.idleDevices)
            ids << idOf(d);
        choose(ids);
        break;
    }
    case RowKind::Link: {
        const LinkRow link = m_scene.model.links[row.index]; // opening a bundle makes new rows
        QStringList ids;
        for (const LinkId l : link.links)
            ids << QString::fromStdString(cluster.link(l).id);
        choose(ids);
        if (link.bundle() && hit.part == Part::Label)
            toggleBundle(link);
        break;
    }
    }
}

void GanttCanvas::toggleBundle(const LinkRow &row)
{
    if (m_options.openBundles.erase(row.key) == 0)
        m_options.openBundles.insert(row.key);
    rebuild();
    onTaskChanged();
    emit bundleToggled();
}

void GanttCanvas::selectBar(BarRef ref)
{
    const TaskId task(m_scene.model.bar(ref).task);
    selectTaskById(task, static_cast<std::size_t>(ref.row));
}

void GanttCanvas::selectTaskById(TaskId task, std::optional<std::size_t> row)
{
    const GanttModel &model = m_scene.model;
    const SimTask &sim = model.shown.schedule->graph->tasks[task.index()];
    if (row)
        m_row = row;
    QStringList ids;
    // A transfer is chosen with the links that carry it, computation with its device.
    if (sim.kind == TaskKind::Transfer) {
        for (const LinkUse &use : sim.uses)
            ids << QString::fromStdString(model.shown.cluster.link(use.link).id);
    }
    if (ids.isEmpty() && row) {
        for (const DeviceId d : model.devices[*row].members)
            ids << QString::fromStdString(model.shown.cluster.device(d).id);
    }
    m_selection.select(ids);
    m_selection.selectTask(task);
}

} // namespace polyrail
