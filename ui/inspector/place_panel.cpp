// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/place_panel.hpp"

#include "ui/document/cluster_text.hpp"
#include "ui/document/cluster_edits.hpp"
#include "ui/inspector/quantity_field.hpp"
#include "ui/inspector/rows.hpp"

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>

#include <array>

namespace polyrail {

namespace {

constexpr std::array kinds{HubKind::PcieSwitch, HubKind::NvSwitch, HubKind::Cpu,
                           HubKind::Nic, HubKind::Switch, HubKind::Other};

} // namespace

PlacePanel::PlacePanel(Document &document, SelectionModel &selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(selection)
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(12, 12, 12, 12);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(8);
    grid->setColumnStretch(1, 1);
    m_name = new QuantityField([this](const std::string &text) -> Result<void> {
        if (auto ok = renamed(m_document.cluster(), m_id.toStdString(), text); !ok)
            return fail(ok.error());
        return {};
    });
    m_name->edit().setObjectName(QStringLiteral("nameField"));
    m_name->edit().setAccessibleName(tr("Name"));
    addLabel(*grid, 0, tr("Name"), &m_name->edit());
    grid->addWidget(m_name, 0, 1);
    m_kind = new QComboBox;
    m_kind->setObjectName(QStringLiteral("hubKind"));
    m_kind->setAccessibleName(tr("Kind"));
    for (HubKind kind : kinds)
        m_kind->addItem(kindName(kind), int(kind));
    m_kindLabel = addLabel(*grid, 1, tr("Kind"), m_kind);
    grid->addWidget(m_kind, 1, 1);
    m_holds = new QLabel;
    m_holds->setWordWrap(true);
    m_holds->setProperty("role", QStringLiteral("muted"));
    grid->addWidget(m_holds, 2, 0, 1, 2);
    grid->setRowStretch(3, 1);

    connect(m_name, &QuantityField::committed, this, [this](const QString &name) {
        const QString old = m_id;
        const bool host = findHost(m_document.cluster(), m_id.toStdString()).valid();
        if (auto parts = renamed(m_document.cluster(), m_id.toStdString(), name.toStdString()))
            if (auto made = Cluster::make(std::move(*parts))) {
                m_document.setCluster(std::move(*made), tr("Rename to %1").arg(name));
                if (!host) // a host keeps its id
                    m_selection.select({name});
            }
    });
    connect(m_kind, &QComboBox::activated, this, [this](int index) {
        ClusterParts parts = m_document.cluster().parts();
        for (Hub &hub : parts.hubs)
            if (hub.id == m_id.toStdString())
                hub.kind = HubKind(m_kind->itemData(index).toInt());
        if (auto made = Cluster::make(std::move(parts)))
            m_document.setCluster(std::move(*made), tr("%1: %2").arg(m_id, m_kind->itemText(index)));
    });
}

void PlacePanel::setPlace(const QString &id)
{
    const bool other = id != m_id;
    m_id = id;
    const Cluster &cluster = m_document.cluster();
    const auto fill = [&](const std::string &name) {
        other ? m_name->reset(QString::fromStdString(name)) : m_name->setFigure(QString::fromStdString(name));
    };
    const HostId host = findHost(cluster, id.toStdString());
    m_kind->setVisible(!host.valid());
    m_kindLabel->setVisible(!host.valid());
    if (host.valid()) {
        fill(cluster.hosts()[host.index()].name);
        int devices = 0;
        int hubs = 0;
        for (std::size_t i = 0; i < cluster.vertexCount(); ++i)
            if (cluster.hostOf(VertexId(i)) == host)
                ++(cluster.isDevice(VertexId(i)) ? devices : hubs);
        m_holds->setText(tr("Holds %1 and %2. Drag its title to move it.")
                             .arg(devices == 1 ? tr("1 device") : tr("%n devices", nullptr, devices),
                                  hubs == 1 ? tr("1 hub") : tr("%n hubs", nullptr, hubs)));
        return;
    }
    const VertexId v = cluster.findVertex(id.toStdString());
    if (!v.valid() || cluster.isDevice(v))
        return;
    const Hub &hub = cluster.hubs()[v.index() - cluster.devices().size()];
    fill(hub.id);
    m_kind->setCurrentIndex(m_kind->findData(int(hub.kind)));
    QStringList joined;
    for (LinkId l : cluster.linksAt(v)) {
        const Link &link = cluster.link(l);
        const QString end = QString::fromStdString(cluster.vertexName(link.ends[0] == v ? link.ends[1] : link.ends[0]));
        if (!joined.contains(end))
            joined.append(end);
    }
    m_holds->setText(joined.isEmpty() ? tr("Joined to nothing.")
                                      : tr("Joined to %1.").arg(joined.join(QStringLiteral(", "))));
}

} // namespace polyrail
