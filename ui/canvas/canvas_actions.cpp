// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_actions.hpp"

#include "core/base/quantity.hpp"
#include "core/formats/builtin.hpp"
#include "ui/theme/theme.hpp"

#include <QActionGroup>
#include <QInputDialog>
#include <QMenu>

#include <algorithm>
#include <array>

namespace polyrail {

namespace {

constexpr std::array hubKinds{HubKind::PcieSwitch, HubKind::NvSwitch, HubKind::Cpu,
                              HubKind::Nic, HubKind::Switch, HubKind::Other};
constexpr std::array linkKinds{LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network, LinkKind::HostBus, LinkKind::Other};

} // namespace

CanvasActions::CanvasActions(ClusterView &view)
    : QObject(&view), m_view(view)
{
    makeTools();
    makeEdits();
    makeArranging();
    makeConflicts();
    makeViewing();
}

QString CanvasActions::toolMime() { return QStringLiteral("application/x-polyrail-tool"); }

QAction *CanvasActions::add(QList<QAction *> &list, const QString &text, const QKeySequence &key, const QString &icon,
                            std::function<void()> does)
{
    auto *action = new QAction(text, this);
    if (!icon.isEmpty())
        action->setIcon(themedIcon(icon));
    if (!key.isEmpty()) {
        action->setShortcut(key);
        // Single letters must not fire while another panel has the focus.
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    }
    QString tip = action->text();
    tip.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
    action->setToolTip(key.isEmpty() ? tip : tr("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, [does = std::move(does)] { does(); });
    m_view.addAction(action);
    list.append(action);
    return action;
}

void CanvasActions::addSeparator(QList<QAction *> &list)
{
    auto *line = new QAction(this);
    line->setSeparator(true);
    list.append(line);
}

void CanvasActions::makeTools()
{
    auto *group = new QActionGroup(this);
    const auto tool = [&](ClusterView::Tool which, const QString &text, const QKeySequence &key, const QString &icon) {
        QAction *action = add(m_edit, text, key, icon, [this, which] { m_view.setTool(which); });
        action->setCheckable(true);
        action->setChecked(which == ClusterView::Tool::Select);
        group->addAction(action);
        m_tools.insert(int(which), action);
    };
    tool(ClusterView::Tool::Select, tr("&Select"), QKeySequence(Qt::Key_V), QStringLiteral("mouse-pointer-2"));
    tool(ClusterView::Tool::Pan, tr("&Pan"), QKeySequence(Qt::Key_H), QStringLiteral("hand"));
    tool(ClusterView::Tool::AddDevice, tr("Add &GPU"), QKeySequence(Qt::Key_G), QStringLiteral("cpu"));
    tool(ClusterView::Tool::AddHub, tr("Add h&ub"), QKeySequence(Qt::Key_U), QStringLiteral("network"));
    tool(ClusterView::Tool::Connect, tr("Draw &link"), QKeySequence(Qt::Key_K), QStringLiteral("cable"));
    addSeparator(m_edit);
}

void CanvasActions::makeEdits()
{
    ClusterEditor &editor = m_view.editor();
    const auto any = [this] { return !m_view.selectionModel().ids().isEmpty(); };
    const auto vertices = [&editor] { return !editor.selectedVertices().empty(); };
    const auto needs = [this](QAction *action, std::function<bool()> when) { m_needs.append({action, std::move(when)}); };

    needs(add(m_edit, tr("&Connect the two selected"), QKeySequence(Qt::Key_L), QStringLiteral("link"),
              [&editor] { editor.connectSelected(); }),
          [&editor] { return editor.selectedVertices().size() == 2; });
    addSeparator(m_edit);
    needs(add(m_edit, tr("Cu&t"), QKeySequence::Cut, QStringLiteral("scissors"), [&editor] { editor.cut(); }), vertices);
    needs(add(m_edit, tr("&Copy"), QKeySequence::Copy, QStringLiteral("copy"), [&editor] { editor.copy(); }), vertices);
    m_paste = add(m_edit, tr("&Paste"), QKeySequence::Paste, QStringLiteral("clipboard-paste"), [&editor] {
        if (ClusterEditor::canPaste())
            editor.paste();
    });
    needs(add(m_edit, tr("Du&plicate"), QKeySequence(Qt::CTRL | Qt::Key_D), QStringLiteral("plus"),
              [&editor] { editor.duplicate(); }),
          any);
    QAction *remove = add(m_edit, tr("&Delete"), QKeySequence::Delete, QStringLiteral("trash-2"),
                          [&editor] { editor.remove(); });
    remove->setShortcuts({QKeySequence(QKeySequence::Delete), QKeySequence(Qt::Key_Backspace)});
    needs(remove, any);
    addSeparator(m_edit);
    add(m_edit, tr("Select &all"), QKeySequence::SelectAll, {}, [&editor] { editor.selectAll(); });
    add(m_edit, tr("Select all lin&ks"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A), {},
        [&editor] { editor.selectAllLinks(); });
    addSeparator(m_edit);
}

void CanvasActions::makeArranging()
{
    ClusterEditor &editor = m_view.editor();
    const auto atLeast = [&editor](std::size_t n) {
        return [&editor, n] { return editor.selectedVertices().size() >= n; };
    };
    const auto needs = [this](QAction *action, std::function<bool()> when) { m_needs.append({action, std::move(when)}); };
    needs(add(m_edit, tr("&Group into a host"), QKeySequence(Qt::CTRL | Qt::Key_G), QStringLiteral("group"),
              [&editor] { editor.group(); }),
          atLeast(1));
    needs(add(m_edit, tr("U&ngroup"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G), {}, [&editor] { editor.ungroup(); }),
          [this, &editor] {
              for (VertexId v : editor.selectedVertices())
                  if (m_view.document().cluster().hostOf(v).valid())
                      return true;
              return std::any_of(m_view.selectionModel().ids().begin(), m_view.selectionModel().ids().end(),
                                 [](const QString &id) { return id.startsWith(QLatin1String("host:")); });
          });

    auto *alignMenu = new QMenu(tr("Al&ign"), &m_view);
    QList<QAction *> aligns;
    using Edge = ClusterEditor::Edge;
    const auto align = [&](const QString &text, const QString &icon, Edge edge) {
        needs(add(aligns, text, {}, icon, [&editor, edge] { editor.align(edge); }), atLeast(2));
    };
    align(tr("Left"), QStringLiteral("align-start-vertical"), Edge::Left);
    align(tr("Centre"), QStringLiteral("align-center-vertical"), Edge::Centre);
    align(tr("Right"), QStringLiteral("align-end-vertical"), Edge::Right);
    addSeparator(aligns);
    align(tr("Top"), QStringLiteral("align-start-horizontal"), Edge::Top);
    align(tr("Middle"), QStringLiteral("align-center-horizontal"), Edge::Middle);
    align(tr("Bottom"), QStringLiteral("align-end-horizontal"), Edge::Bottom);
    addSeparator(aligns);
    needs(add(aligns, tr("Distribute horizontally"), {}, {}, [&editor] { editor.distribute(true); }), atLeast(3));
    needs(add(aligns, tr("Distribute vertically"), {}, {}, [&editor] { editor.distribute(false); }), atLeast(3));
    alignMenu->addActions(aligns);
    m_edit.append(alignMenu->menuAction());
    add(m_edit, tr("Arrange auto&matically"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L), QStringLiteral("layout-grid"),
        [this, &editor] {
            if (editor.arrange())
                m_view.fitAll();
        });
    m_snap = add(m_edit, tr("Snap to &grid (Alt ignores it)"), {}, {}, [] {});
    m_snap->setCheckable(true);
    m_snap->setChecked(true);
    addSeparator(m_edit);
}

void CanvasActions::makeConflicts()
{
    ClusterEditor &editor = m_view.editor();
    const auto needs = [this](QAction *action, std::function<bool()> when) { m_needs.append({action, std::move(when)}); };
    const auto two = [&editor] { return editor.selectedLinks().size() >= 2; };
    needs(add(m_edit, tr("S&hare capacity…"), {}, QStringLiteral("combine"), [this] { shareCapacity(); }), two);
    needs(add(m_edit, tr("E&xclusive"), {}, QStringLiteral("lock"),
              [&editor] { editor.makeConflict(ConflictKind::Exclusive, {}); }),
          two);
    needs(add(m_edit, tr("&Remove conflict"), {}, QStringLiteral("lock-open"), [&editor] { editor.removeConflicts(); }),
          [&editor] { return !editor.conflictsOfSelection().empty(); });
    addSeparator(m_edit);
    const auto linksIn = [this, &editor](LinkState state) {
        const auto links = editor.selectedLinks();
        return std::any_of(links.begin(), links.end(),
                           [&](LinkId l) { return m_view.document().cluster().link(l).state == state; });
    };
    needs(add(m_edit, tr("Take link &down"), {}, QStringLiteral("unplug"), [&editor] { editor.setLinksUp(false); }),
          [linksIn] { return linksIn(LinkState::Up); });
    needs(add(m_edit, tr("Bring link u&p"), {}, QStringLiteral("cable"), [&editor] { editor.setLinksUp(true); }),
          [linksIn] { return linksIn(LinkState::Down); });
}

void CanvasActions::makeViewing()
{
    m_fit = add(m_viewing, tr("&Fit"), QKeySequence(Qt::Key_F), QStringLiteral("maximize"), [this] { m_view.fitAll(); });
    m_needs.append({add(m_viewing, tr("Fit &selection"), QKeySequence(Qt::SHIFT | Qt::Key_F), {},
                        [this] { m_view.fitSelection(); }),
                    [this] { return !m_view.selectionModel().ids().isEmpty(); }});
    QAction *in = add(m_viewing, tr("Zoom &in"), QKeySequence::ZoomIn, QStringLiteral("zoom-in"),
                      [this] { m_view.zoomBy(1.25); });
    in->setShortcuts({QKeySequence(QKeySequence::ZoomIn), QKeySequence(Qt::Key_Plus), QKeySequence(Qt::Key_Equal)});
    QAction *out = add(m_viewing, tr("Zoom &out"), QKeySequence::ZoomOut, QStringLiteral("zoom-out"),
                       [this] { m_view.zoomBy(1 / 1.25); });
    out->setShortcuts({QKeySequence(QKeySequence::ZoomOut), QKeySequence(Qt::Key_Minus)});
    add(m_viewing, tr("&100 %"), QKeySequence(Qt::CTRL | Qt::Key_0), {}, [this] { m_view.resetZoom(); });
    addSeparator(m_viewing);
    m_find = add(m_viewing, tr("Fin&d device or link…"), QKeySequence::Find, QStringLiteral("search"),
                 [this] { emit findRequested(); });
    addSeparator(m_viewing);
    for (LinkKind kind : linkKinds) {
        QAction *action = add(m_viewing, tr("Show %1").arg(kindName(kind)), {}, {}, [this] {
            std::set<LinkKind> hidden;
            for (std::size_t i = 0; i < linkKinds.size(); ++i)
                if (!m_kinds[qsizetype(i)]->isChecked())
                    hidden.insert(linkKinds[i]);
            m_view.setHiddenKinds(hidden);
        });
        action->setCheckable(true);
        action->setChecked(true);
        m_kinds.append(action);
    }
}

void CanvasActions::update()
{
    for (const auto &[action, when] : m_needs)
        action->setEnabled(when());
    if (QAction *tool = toolAction(m_view.tool()))
        tool->setChecked(true);
}

const GpuType *CanvasActions::deviceType() const
{
    const Catalogue &catalogue = builtinCatalogue();
    if (const GpuType *type = catalogue.find(m_typeName.toStdString()))
        return type;
    const auto devices = m_view.document().cluster().devices();
    if (!devices.empty()) // one more of what stands there
        return &devices.back().type;
    return catalogue.types().empty() ? nullptr : &catalogue.types().front();
}

void CanvasActions::place(ClusterView::Tool tool, const QPointF &at)
{
    if (tool == ClusterView::Tool::AddHub) {
        m_view.editor().addHub(m_hubKind, at);
    } else if (const GpuType *type = deviceType()) {
        const GpuType chosen = *type; // the edit replaces the cluster that it may lie in
        m_view.editor().addDevice(chosen, at);
    }
}

QMenu *CanvasActions::deviceTypeMenu(QWidget *parent, std::function<void(const GpuType &)> chosen)
{
    auto *menu = new QMenu(tr("Add GPU here"), parent);
    menu->setStyleSheet(QStringLiteral("QMenu { menu-scrollable: 1; }"));
    for (const GpuType &type : builtinCatalogue().types())
        menu->addAction(QString::fromStdString(type.name), menu, [this, &type, chosen] {
            m_typeName = QString::fromStdString(type.name);
            chosen(type);
        });
    return menu;
}

QMenu *CanvasActions::hubKindMenu(QWidget *parent, std::function<void(HubKind)> chosen)
{
    auto *menu = new QMenu(tr("Add hub here"), parent);
    for (HubKind kind : hubKinds)
        menu->addAction(kindName(kind), menu, [this, kind, chosen] {
            m_hubKind = kind;
            chosen(kind);
        });
    return menu;
}

QMenu *CanvasActions::contextMenu(const QPointF &at)
{
    auto *menu = new QMenu(&m_view);
    const CanvasHit hit = m_view.model().hit(at);
    if (hit.kind == CanvasHit::Nothing || hit.kind == CanvasHit::HostBody || hit.kind == CanvasHit::HostHeader) {
        menu->addMenu(deviceTypeMenu(menu, [this, at](const GpuType &type) { m_view.editor().addDevice(type, at); }));
        menu->addMenu(hubKindMenu(menu, [this, at](HubKind kind) { m_view.editor().addHub(kind, at); }));
        QAction *paste = menu->addAction(m_paste->icon(), tr("Paste here"), menu,
                                         [this, at] { m_view.editor().paste(&at); });
        paste->setEnabled(ClusterEditor::canPaste());
        menu->addSeparator();
    }
    const bool linksOnly = hit.kind == CanvasHit::Link;
    for (QAction *action : std::as_const(m_edit)) {
        if (m_tools.values().contains(action) || action == m_paste)
            continue;
        // What cannot be used here is left out, so that the menu stays short; all of it is in the menu bar.
        if (!action->isSeparator() && !action->menu() && !action->isEnabled())
            continue;
        if (action->menu() && (linksOnly || m_view.editor().selectedVertices().size() < 2))
            continue;
        menu->addAction(action);
    }
    menu->addSeparator();
    menu->addAction(m_fit);
    return menu;
}

void CanvasActions::shareCapacity()
{
    const BytesPerSecond suggested = m_view.editor().suggestedCapacity();
    QString text = QString::fromStdString(formatBandwidth(suggested));
    QString label = tr("All selected links together carry at most (per direction):");
    for (;;) {
        bool ok = false;
        text = QInputDialog::getText(&m_view, tr("Share capacity"), label, QLineEdit::Normal, text, &ok);
        if (!ok)
            return;
        if (const auto parsed = parseBandwidth(text.toStdString())) {
            m_view.editor().makeConflict(ConflictKind::Capacity, *parsed);
            return;
        } else {
            label = tr("Found %1, expected %2.")
                        .arg(QString::fromStdString(parsed.error().found), QString::fromStdString(parsed.error().expected));
        }
    }
}

} // namespace polyrail
