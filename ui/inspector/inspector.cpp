// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/inspector.hpp"

#include "ui/document/cluster_text.hpp"
#include "ui/document/cluster_edits.hpp"
#include "ui/inspector/device_panel.hpp"
#include "ui/inspector/link_panel.hpp"
#include "ui/inspector/place_panel.hpp"
#include "ui/theme/theme.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace polyrail {

namespace {

/// The links that join the same two vertices, in the order of the canvas.
std::vector<LinkId> bundleOf(const Cluster &cluster, LinkId id)
{
    const auto ends = std::minmax(cluster.link(id).ends[0], cluster.link(id).ends[1]);
    const std::pair<VertexId, VertexId> wanted(ends.first, ends.second);
    std::vector<LinkId> bundle;
    for (LinkId l : cluster.linksAt(wanted.first)) {
        const auto other = std::minmax(cluster.link(l).ends[0], cluster.link(l).ends[1]);
        if (other.first == wanted.first && other.second == wanted.second)
            bundle.push_back(l);
    }
    std::sort(bundle.begin(), bundle.end(), [&](LinkId x, LinkId y) {
        const Link &a = cluster.link(x);
        const Link &b = cluster.link(y);
        return std::tie(a.kind, b.bandwidth, a.id) < std::tie(b.kind, a.bandwidth, b.id);
    });
    return bundle;
}

QScrollArea *scrolling(QWidget *panel)
{
    auto *area = new QScrollArea;
    area->setWidget(panel);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->viewport()->setAutoFillBackground(false);
    return area;
}

} // namespace

Inspector::Inspector(Document &document, SelectionModel &selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(selection)
{
    setObjectName(QStringLiteral("inspectorPanel"));
    setAccessibleName(tr("Inspector"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_links = new LinkPanel(document, selection);
    m_devices = new DevicePanel(document, selection);
    m_place = new PlacePanel(document, selection);
    m_stack = new QStackedWidget;
    m_empty = makeEmpty();
    m_stack->addWidget(m_empty);
    m_stack->addWidget(scrolling(m_links));
    m_stack->addWidget(scrolling(m_devices));
    m_stack->addWidget(scrolling(m_place));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(m_stack, 1);
    connect(&m_document, &Document::clusterChanged, this, &Inspector::refresh);
    connect(&m_document, &Document::documentReset, this, &Inspector::refresh);
    connect(&m_selection, &SelectionModel::changed, this, &Inspector::refresh);
    refresh();
}

QSize Inspector::sizeHint() const { return {scaled(300), scaled(420)}; }

QWidget *Inspector::makeHeader()
{
    m_header = new QWidget;
    m_header->setProperty("panel", QStringLiteral("header"));
    m_header->setAttribute(Qt::WA_StyledBackground);
    m_header->setFixedHeight(scaled(32));
    auto *row = new QHBoxLayout(m_header);
    row->setContentsMargins(12, 0, 8, 0);
    row->setSpacing(6);
    m_mark = new QLabel;
    m_name = new QLabel;
    m_name->setProperty("role", QStringLiteral("title"));
    m_detail = new QLabel;
    m_detail->setProperty("role", QStringLiteral("muted"));
    m_detail->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_position = new QLabel;
    m_position->setProperty("role", QStringLiteral("muted"));
    m_next = new QToolButton;
    m_next->setIcon(themedIcon(QStringLiteral("chevron-right")));
    m_next->setObjectName(QStringLiteral("nextInBundle"));
    m_next->setToolTip(tr("Next link between the same two"));
    m_next->setAccessibleName(m_next->toolTip());
    connect(m_next, &QToolButton::clicked, this, &Inspector::stepInBundle);
    row->addWidget(m_mark);
    row->addWidget(m_name);
    row->addWidget(m_detail, 1);
    row->addWidget(m_position);
    row->addWidget(m_next);
    return m_header;
}

QWidget *Inspector::makeEmpty()
{
    auto *empty = new QWidget;
    auto *column = new QVBoxLayout(empty);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(6);
    auto *icon = new QLabel;
    icon->setObjectName(QStringLiteral("emptyIcon"));
    icon->setAlignment(Qt::AlignCenter);
    auto *title = new QLabel(tr("Nothing selected"));
    title->setProperty("role", QStringLiteral("title"));
    title->setAlignment(Qt::AlignCenter);
    auto *text = new QLabel(tr("Select a device or link to see and change its figures."));
    text->setObjectName(QStringLiteral("emptySentence"));
    text->setProperty("role", QStringLiteral("muted"));
    text->setWordWrap(true);
    text->setAlignment(Qt::AlignCenter);
    column->addStretch(1);
    column->addWidget(icon);
    column->addWidget(title);
    column->addWidget(text);
    column->addStretch(2);
    return empty;
}

void Inspector::refresh()
{
    const Cluster &cluster = m_document.cluster();
    std::vector<LinkId> links;
    std::vector<DeviceId> devices;
    for (const QString &id : m_selection.ids()) {
        const std::string name = id.toStdString();
        if (const LinkId link = cluster.findLink(name); link.valid())
            links.push_back(link);
        else if (const DeviceId device = cluster.findDevice(name); device.valid())
            devices.push_back(device);
    }
    const std::string current = m_selection.current().toStdString();
    const bool onDevice = cluster.findDevice(current).valid();
    const bool onPlace = !onDevice && (cluster.findVertex(current).valid() || findHost(cluster, current).valid());

    QString name;
    QString detail;
    QString position;
    QColor mark;
    LinkKind kind = LinkKind::Other;
    int page = 0;
    bool hasNext = false;
    // What was selected last decides; the others of its sort are changed along with it.
    if (!current.empty() && cluster.findLink(current).valid()) {
        page = 1;
        const LinkId id = cluster.findLink(current);
        const Link &link = cluster.link(id);
        kind = link.kind;
        mark = Theme::current().linkColor(kind);
        if (links.size() == 1) {
            name = m_selection.current();
            detail = tr("%1 to %2").arg(QString::fromStdString(cluster.vertexName(link.ends[0])),
                                        QString::fromStdString(cluster.vertexName(link.ends[1])));
            const std::vector<LinkId> bundle = bundleOf(cluster, id);
            hasNext = bundle.size() > 1;
            if (hasNext)
                position = tr("%1 of %2").arg(std::find(bundle.begin(), bundle.end(), id) - bundle.begin() + 1)
                               .arg(bundle.size());
        } else {
            name = tr("%n links", nullptr, int(links.size()));
        }
        m_links->setLinks(links);
    } else if (onDevice) {
        page = 2;
        const HostId host = cluster.device(cluster.findDevice(current)).host;
        name = devices.size() == 1 ? m_selection.current() : tr("%n devices", nullptr, int(devices.size()));
        if (devices.size() == 1 && host.valid())
            detail = tr("in %1").arg(QString::fromStdString(cluster.hosts()[host.index()].name));
        m_devices->setDevices(devices);
    } else if (onPlace) {
        page = 3;
        const HostId host = findHost(cluster, current);
        name = host.valid() ? QString::fromStdString(cluster.hosts()[host.index()].name) : m_selection.current();
        detail = host.valid() ? tr("host")
                              : kindName(cluster.hubs()[cluster.findVertex(current).index() - cluster.devices().size()].kind);
        m_place->setPlace(m_selection.current());
    }
    if (page != 1)
        m_links->setLinks({});
    m_header->setVisible(page != 0);
    m_name->setText(m_name->fontMetrics().elidedText(name, Qt::ElideRight, scaled(150)));
    m_name->setToolTip(name);
    m_detail->setText(detail);
    m_detail->setToolTip(detail);
    m_position->setText(position);
    m_next->setVisible(hasNext);
    m_mark->setVisible(mark.isValid());
    if (mark.isValid()) {
        const double ratio = devicePixelRatioF();
        QPixmap pixmap(QSize(scaled(12), scaled(12)) * ratio);
        pixmap.setDevicePixelRatio(ratio);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paintLinkMark(painter, kind, QPointF(scaled(6), scaled(6)), scaled(9), mark);
        painter.end();
        m_mark->setPixmap(pixmap);
    }
    if (page == 0)
        if (auto *icon = m_empty->findChild<QLabel *>(QStringLiteral("emptyIcon")))
            icon->setPixmap(themedIcon(QStringLiteral("cable"), &Theme::muted).pixmap(QSize(scaled(22), scaled(22)),
                                                                                      devicePixelRatioF()));
    m_stack->setCurrentIndex(page);
}

void Inspector::stepInBundle()
{
    const Cluster &cluster = m_document.cluster();
    const LinkId id = cluster.findLink(m_selection.current().toStdString());
    if (!id.valid())
        return;
    const std::vector<LinkId> bundle = bundleOf(cluster, id);
    const auto at = std::size_t(std::find(bundle.begin(), bundle.end(), id) - bundle.begin());
    m_selection.select({QString::fromStdString(cluster.link(bundle[(at + 1) % bundle.size()]).id)});
}

void Inspector::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange && m_stack)
        refresh();
}

} // namespace polyrail
