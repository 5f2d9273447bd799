// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_chrome.hpp"

#include "ui/canvas/canvas_actions.hpp"
#include "ui/canvas/paint.hpp"
#include "ui/theme/theme.hpp"

#include <QApplication>
#include <QCompleter>
#include <QDrag>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QStringListModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace polyrail {

namespace {

constexpr int edge = 12;
constexpr int sample = 38; ///< length of the line in a legend entry

} // namespace

// Legend --------------------------------------------------------------------------------------------------------

CanvasLegend::CanvasLegend(ClusterView &view)
    : QWidget(&view), m_view(view)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(tr("Legend"));
}

void CanvasLegend::rebuild()
{
    m_entries.clear();
    const CanvasModel &model = m_view.model();
    const QFontMetrics metrics(uiFont(TextRole::Small));
    const auto add = [&](Entry entry, int picture) {
        entry.width = scaled(picture) + metrics.horizontalAdvance(entry.text);
        m_entries.append(entry);
    };
    for (LinkKind kind : {LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network, LinkKind::HostBus, LinkKind::Other}) {
        const auto links = model.cluster().links();
        if (std::any_of(links.begin(), links.end(), [&](const Link &l) { return l.kind == kind; })
            && !model.hiddenKinds().count(kind))
            add({Entry::Kind, kind, kindName(kind), 0}, 14 + sample);
    }
    if (!m_entries.isEmpty()) {
        if (model.overlay().valid)
            add({Entry::Use, LinkKind::Pcie, model.overlay().atCursor ? tr("fill = use at cursor")
                                                                       : tr("fill = mean use"), 0},
                sample + 6);
        if (!model.cluster().conflicts().empty())
            add({Entry::Band, LinkKind::Other, tr("conflict group"), 0}, 34);
        add({Entry::Width, LinkKind::Other, tr("width = log bandwidth"), 0}, 32);
    }
    QStringList words;
    for (const Entry &entry : std::as_const(m_entries))
        words.append(entry.text);
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    updateGeometry();
    QWidget::update();
}

QSize CanvasLegend::sizeHint() const
{
    double width = scaled(12);
    for (const Entry &entry : m_entries)
        width += entry.width + scaled(14);
    return {int(width), scaled(28)};
}

void CanvasLegend::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.base);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    painter.setFont(uiFont(TextRole::Small));
    double x = scaled(12);
    const double y = height() / 2.0;
    for (const Entry &entry : std::as_const(m_entries)) {
        if (x + entry.width > width() - scaled(6))
            break;
        double at = x;
        switch (entry.what) {
        case Entry::Kind:
            paintLinkMark(painter, entry.kind, {at + 4, y}, 8, theme.linkColor(entry.kind));
            at += scaled(14);
            paintLinkSample(painter, theme, entry.kind, QLineF(at, y, at + scaled(sample - 6), y), 5, 0, theme.base);
            at += scaled(sample);
            break;
        case Entry::Use:
            paintLinkSample(painter, theme, entry.kind, QLineF(at, y, at + scaled(sample), y), 5, 0.5, theme.base);
            at += scaled(sample + 6);
            break;
        case Entry::Width:
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.muted);
            for (double w : {2.0, 4.5, 8.0}) {
                painter.drawRect(QRectF(at, y - 6, w, 12));
                at += w + 4;
            }
            at = x + scaled(32);
            break;
        case Entry::Band:
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.band);
            painter.drawRoundedRect(QRectF(at, y - 7, scaled(26), 14), 7, 7);
            at += scaled(34);
            break;
        }
        painter.setPen(theme.text);
        painter.drawText(QRectF(at, 0, entry.width, height()), Qt::AlignLeft | Qt::AlignVCenter, entry.text);
        x += entry.width + scaled(14);
    }
}

// The rest ------------------------------------------------------------------------------------------------------

CanvasChrome::CanvasChrome(ClusterView &view, CanvasActions &actions)
    : QObject(&view), m_view(view), m_actions(actions)
{
    m_legend = new CanvasLegend(view);
    makeTools();
    makeZoomBox();
    makeFind();
    makeEmptyState();
}

void CanvasChrome::makeTools()
{
    m_tools = new QFrame(&m_view);
    m_tools->setObjectName(QStringLiteral("canvasTools"));
    m_tools->setProperty("panel", QStringLiteral("overlay"));
    m_tools->setAccessibleName(tr("Canvas tools"));
    auto *column = new QVBoxLayout(m_tools);
    column->setContentsMargins(4, 4, 4, 4);
    column->setSpacing(2);
    const auto button = [&](QAction *action, const QString &name) {
        auto *b = new QToolButton(m_tools);
        b->setDefaultAction(action);
        b->setObjectName(name);
        b->setAccessibleName(action->toolTip());
        b->setFocusPolicy(Qt::TabFocus);
        column->addWidget(b);
        return b;
    };
    using Tool = ClusterView::Tool;
    button(m_actions.toolAction(Tool::Select), QStringLiteral("toolSelect"));
    button(m_actions.toolAction(Tool::Pan), QStringLiteral("toolPan"));
    QToolButton *gpu = button(m_actions.toolAction(Tool::AddDevice), QStringLiteral("toolGpu"));
    QToolButton *hub = button(m_actions.toolAction(Tool::AddHub), QStringLiteral("toolHub"));
    button(m_actions.toolAction(Tool::Connect), QStringLiteral("toolLink"));
    for (QAction *action : m_actions.editActions())
        if (action->shortcut() == QKeySequence(Qt::CTRL | Qt::Key_G))
            button(action, QStringLiteral("toolGroup"));
    button(m_actions.findAction(), QStringLiteral("toolFind"));
    // The two that add can be dragged onto the canvas, and a right click chooses what they add.
    for (QToolButton *b : {gpu, hub}) {
        b->installEventFilter(this);
        b->setContextMenuPolicy(Qt::CustomContextMenu);
        b->setAccessibleDescription(tr("Drag onto the canvas, or click and then click the canvas. "
                                       "The context menu chooses what is added."));
    }
    connect(gpu, &QWidget::customContextMenuRequested, this, [this, gpu](const QPoint &at) {
        QMenu *menu = m_actions.deviceTypeMenu(gpu, [this](const GpuType &) { m_view.setTool(Tool::AddDevice); });
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->popup(gpu->mapToGlobal(at));
    });
    connect(hub, &QWidget::customContextMenuRequested, this, [this, hub](const QPoint &at) {
        QMenu *menu = m_actions.hubKindMenu(hub, [this](HubKind) { m_view.setTool(Tool::AddHub); });
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->popup(hub->mapToGlobal(at));
    });
}

void CanvasChrome::makeZoomBox()
{
    m_zoomBox = new QFrame(&m_view);
    m_zoomBox->setProperty("panel", QStringLiteral("overlay"));
    auto *row = new QHBoxLayout(m_zoomBox);
    row->setContentsMargins(4, 1, 4, 1);
    row->setSpacing(2);
    m_filter = new QToolButton(m_zoomBox);
    m_filter->setObjectName(QStringLiteral("linkFilter"));
    m_filter->setIcon(themedIcon(QStringLiteral("funnel")));
    m_filter->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_filter->setPopupMode(QToolButton::InstantPopup);
    m_filter->setToolTip(tr("Kinds of links that are shown"));
    m_filter->setAccessibleName(tr("Kinds of links that are shown"));
    auto *kinds = new QMenu(m_filter);
    kinds->addActions(m_actions.kindActions());
    m_filter->setMenu(kinds);
    m_zoom = new QToolButton(m_zoomBox);
    m_zoom->setObjectName(QStringLiteral("zoomFigure"));
    m_zoom->setToolTip(tr("Zoom; click for 100 % (%1)").arg(QKeySequence(Qt::CTRL | Qt::Key_0).toString(
        QKeySequence::NativeText)));
    connect(m_zoom, &QToolButton::clicked, &m_view, &ClusterView::resetZoom);
    auto *fit = new QToolButton(m_zoomBox);
    fit->setDefaultAction(m_actions.fitAction());
    fit->setAccessibleName(m_actions.fitAction()->toolTip());
    for (QWidget *widget : std::initializer_list<QWidget *>{m_filter, m_zoom, fit}) {
        widget->setFocusPolicy(Qt::TabFocus);
        row->addWidget(widget);
    }
}

void CanvasChrome::makeFind()
{
    m_find = new QLineEdit(&m_view);
    m_find->setObjectName(QStringLiteral("findField"));
    m_find->setPlaceholderText(tr("Name of a device, hub or link"));
    m_find->setAccessibleName(tr("Find device or link"));
    m_find->setClearButtonEnabled(true);
    m_find->hide();
    auto *completer = new QCompleter(m_find);
    completer->setModel(new QStringListModel(completer));
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    m_find->setCompleter(completer);
    const auto go = [this](const QString &text) {
        const QStringList names = m_view.tabOrder();
        QString found;
        for (const QString &name : names) // exact, then beginning, then anywhere
            if (name.compare(text, Qt::CaseInsensitive) == 0)
                found = name;
        for (const QString &name : names)
            if (found.isEmpty() && name.startsWith(text, Qt::CaseInsensitive))
                found = name;
        for (const QString &name : names)
            if (found.isEmpty() && name.contains(text, Qt::CaseInsensitive))
                found = name;
        if (found.isEmpty() || text.isEmpty()) {
            emit m_view.message(tr("Nothing here is named %1.").arg(text));
            return;
        }
        m_view.selectionModel().select({found});
        m_view.centreOn(found);
        m_find->hide();
        m_view.setFocus();
    };
    connect(m_find, &QLineEdit::returnPressed, this, [this, go] { go(m_find->text().trimmed()); });
    connect(completer, qOverload<const QString &>(&QCompleter::activated), this, go);
    connect(&m_actions, &CanvasActions::findRequested, this, &CanvasChrome::showFind);
    m_find->installEventFilter(this);
}

void CanvasChrome::makeEmptyState()
{
    m_empty = new QWidget(&m_view);
    m_empty->setObjectName(QStringLiteral("emptyCanvas"));
    auto *column = new QVBoxLayout(m_empty);
    column->setSpacing(4);
    auto *icon = new QToolButton(m_empty);
    icon->setIcon(themedIcon(QStringLiteral("network"), &Theme::muted));
    icon->setIconSize(QSize(24, 24));
    icon->setAttribute(Qt::WA_TransparentForMouseEvents);
    icon->setFocusPolicy(Qt::NoFocus);
    auto *title = new QLabel(tr("No devices yet"), m_empty);
    title->setProperty("role", QStringLiteral("title"));
    auto *text = new QLabel(tr("Drag a GPU from the left, or import a machine."), m_empty);
    text->setProperty("role", QStringLiteral("muted"));
    auto *open = new QPushButton(tr("Open a sample"), m_empty);
    open->setProperty("link", true);
    connect(open, &QPushButton::clicked, &m_view, &ClusterView::sampleRequested);
    for (QWidget *widget : std::initializer_list<QWidget *>{icon, title, text, open})
        column->addWidget(widget, 0, Qt::AlignHCenter);
    m_empty->hide();
}

void CanvasChrome::showFind()
{
    static_cast<QStringListModel *>(m_find->completer()->model())->setStringList(m_view.tabOrder());
    m_find->clear();
    m_find->show();
    m_find->raise();
    arrange();
    m_find->setFocus(Qt::ShortcutFocusReason);
}

void CanvasChrome::startDrag(QToolButton &button, const QByteArray &what)
{
    auto *data = new QMimeData;
    data->setData(CanvasActions::toolMime(), what);
    auto *drag = new QDrag(&button);
    drag->setMimeData(data);
    drag->setPixmap(button.icon().pixmap(24, 24));
    drag->exec(Qt::CopyAction);
    button.setDown(false);
}

bool CanvasChrome::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_find) {
        if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
            m_find->hide();
            m_view.setFocus();
            return true;
        }
        if (event->type() == QEvent::FocusOut
            && static_cast<QFocusEvent *>(event)->reason() != Qt::PopupFocusReason)
            m_find->hide();
        return false;
    }
    auto *button = qobject_cast<QToolButton *>(watched);
    if (button && event->type() == QEvent::MouseButtonPress)
        m_pressed = static_cast<QMouseEvent *>(event)->pos();
    if (button && event->type() == QEvent::MouseMove) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        if (mouse->buttons().testFlag(Qt::LeftButton)
            && (mouse->pos() - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
            startDrag(*button, button->objectName() == QLatin1String("toolHub") ? "hub" : "gpu");
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

QMargins CanvasChrome::insets() const
{
    return {m_tools->sizeHint().width() + 2 * edge, 0, 0, m_legend->sizeHint().height() + 2 * edge};
}

void CanvasChrome::arrange()
{
    const QSize view = m_view.size();
    m_tools->adjustSize();
    m_tools->move(edge, edge);
    m_zoomBox->adjustSize();
    const int bottom = view.height() - edge;
    m_zoomBox->move(view.width() - edge - m_zoomBox->width(), bottom - m_zoomBox->height());
    const int left = m_tools->geometry().right() + edge;
    const int room = m_zoomBox->x() - 8 - left;
    const QSize wanted = m_legend->sizeHint();
    m_legend->setGeometry(left, bottom - m_zoomBox->height(), std::clamp(room, 0, wanted.width()), m_zoomBox->height());
    m_find->setFixedWidth(scaled(260));
    m_find->adjustSize();
    m_find->move(left, edge);
    m_empty->adjustSize();
    m_empty->move((view.width() - m_empty->width()) / 2, (view.height() - m_empty->height()) / 2);
}

void CanvasChrome::update()
{
    const QString zoom = tr("%1 %").arg(QLocale().toString(m_view.zoom() * 100, 'f', 0));
    if (m_zoom->text() != zoom)
        m_zoom->setText(zoom);
    m_zoom->setMinimumWidth(QFontMetrics(m_zoom->font()).horizontalAdvance(tr("%1 %").arg(1000)) + scaled(8));
    m_zoom->setAccessibleName(tr("Zoom %1").arg(zoom));
    m_legend->rebuild();
    m_filter->setText(m_view.model().hiddenKinds().empty()
                          ? tr(" All links")
                          : tr(" %n hidden", "kinds of links", int(m_view.model().hiddenKinds().size())));
    arrange();
}

void CanvasChrome::clusterChanged()
{
    const Cluster &cluster = m_view.document().cluster();
    m_empty->setVisible(cluster.vertexCount() == 0);
    m_legend->setVisible(!cluster.links().empty());
    const std::array kinds{LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network, LinkKind::HostBus, LinkKind::Other};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const auto links = cluster.links();
        m_actions.kindActions()[qsizetype(i)]->setVisible(
            std::any_of(links.begin(), links.end(), [&](const Link &l) { return l.kind == kinds[i]; }));
    }
    update();
}

} // namespace polyrail
