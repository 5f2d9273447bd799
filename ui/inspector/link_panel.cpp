// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/link_panel.hpp"

#include "core/base/quantity.hpp"
#include "ui/document/cluster_text.hpp"
#include "ui/document/cluster_edits.hpp"
#include "ui/inspector/log_slider.hpp"
#include "ui/inspector/quantity_field.hpp"
#include "ui/inspector/rows.hpp"
#include "ui/theme/theme.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace polyrail {

namespace {

constexpr std::array kinds{LinkKind::NvLink, LinkKind::Pcie, LinkKind::Network, LinkKind::HostBus, LinkKind::Other};
constexpr LogRange factorRange{0.1, 10};

QString figure(BytesPerSecond bandwidth, bool bits)
{
    return QString::fromStdString(bits ? formatBandwidthBits(bandwidth) : formatBandwidth(bandwidth));
}

/// Bits or bytes, as typed: a lower-case b is a bit.
bool saysBits(const QString &text) { return text.contains(QLatin1Char('b')); }

Result<void> checkBandwidth(const std::string &text)
{
    if (const auto parsed = parseBandwidth(text); !parsed)
        return fail(parsed.error());
    return {};
}

Result<void> checkDuration(const std::string &text)
{
    const auto parsed = parseDuration(text);
    if (!parsed)
        return fail(parsed.error());
    if (parsed->value > 1000)
        return inputError("", text, "a latency up to 1000 s");
    return {};
}

QToolButton *iconButton(const QString &icon, const QString &tip)
{
    auto *button = new QToolButton;
    button->setIcon(themedIcon(icon));
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    return button;
}

} // namespace

LinkPanel::LinkPanel(Document &document, SelectionModel &selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(selection)
{
    build();
    connect(&m_document, &Document::clusterChanged, this, &LinkPanel::rememberBandwidths);
    connect(&m_document, &Document::documentReset, this, [this] {
        m_opened.clear();
        m_ids.clear();
        rememberBandwidths();
    });
    rememberBandwidths();
}

void LinkPanel::build()
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(12, 12, 12, 12);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(8);
    grid->setColumnStretch(1, 1);
    int row = 0;

    m_bandwidth = new QuantityField(checkBandwidth);
    m_bandwidth->edit().setObjectName(QStringLiteral("bandwidthField"));
    m_bandwidth->edit().setAccessibleName(tr("Bandwidth"));
    m_bandwidth->edit().setToolTip(tr("Per direction, with its unit: 25 GB/s or 200 Gb/s"));
    QFont bold = uiFont(TextRole::Body);
    bold.setBold(true);
    m_bandwidth->edit().setFont(bold);
    m_otherUnit = new QLabel;
    m_otherUnit->setProperty("role", QStringLiteral("muted"));
    m_otherUnit->setMinimumHeight(28);
    m_reset = iconButton(QStringLiteral("rotate-ccw"), tr("Back to the bandwidth of the file"));
    m_reset->setObjectName(QStringLiteral("resetBandwidth"));
    auto *line = new QHBoxLayout;
    line->setSpacing(6);
    line->addWidget(m_bandwidth, 1, Qt::AlignTop);
    line->addWidget(m_otherUnit, 0, Qt::AlignTop);
    line->addWidget(m_reset, 0, Qt::AlignTop);
    addLabel(*grid, row, tr("Bandwidth"), &m_bandwidth->edit());
    grid->addLayout(line, row++, 1);
    grid->addWidget(m_bandwidth->takeReason(), row++, 0, 1, 2);

    m_slider = new LogSlider;
    m_slider->setObjectName(QStringLiteral("bandwidthSlider"));
    m_slider->setAccessibleName(tr("Bandwidth slider"));
    grid->addWidget(m_slider, row++, 0, 1, 2);

    m_latency = new QuantityField(checkDuration);
    m_latency->edit().setObjectName(QStringLiteral("latencyField"));
    m_latency->edit().setAccessibleName(tr("Latency"));
    m_latency->edit().setToolTip(tr("One way, with its unit: 1.5 us"));
    auto *oneWay = new QLabel(tr("one way"));
    oneWay->setProperty("role", QStringLiteral("muted"));
    oneWay->setMinimumHeight(28);
    auto *latency = new QHBoxLayout;
    latency->setSpacing(6);
    latency->addWidget(m_latency, 1, Qt::AlignTop);
    latency->addWidget(oneWay, 1, Qt::AlignTop);
    addLabel(*grid, row, tr("Latency"), &m_latency->edit());
    grid->addLayout(latency, row++, 1);
    grid->addWidget(m_latency->takeReason(), row++, 0, 1, 2);

    m_duplex = new QComboBox;
    m_duplex->setObjectName(QStringLiteral("duplex"));
    m_duplex->addItem(tr("Full duplex"), int(Duplex::Full));
    m_duplex->addItem(tr("Half duplex"), int(Duplex::Half));
    m_duplex->setAccessibleName(tr("Direction"));
    m_duplex->setToolTip(tr("Half duplex: both directions share the bandwidth"));
    m_up = new QCheckBox(tr("Link up"));
    m_up->setObjectName(QStringLiteral("linkUp"));
    auto *direction = new QHBoxLayout;
    direction->setSpacing(8);
    m_duplex->setMinimumWidth(80);
    direction->addWidget(m_duplex, 1);
    direction->addWidget(m_up);
    addLabel(*grid, row, tr("Direction"), m_duplex);
    grid->addLayout(direction, row++, 1);

    auto *conflicts = new QWidget;
    m_conflicts = new QVBoxLayout(conflicts);
    m_conflicts->setContentsMargins(0, 2, 0, 2);
    m_conflicts->setSpacing(4);
    addLabel(*grid, row, tr("Conflicts"), conflicts);
    grid->addWidget(conflicts, row++, 1);

    m_kind = new QComboBox;
    m_kind->setObjectName(QStringLiteral("linkKind"));
    for (LinkKind kind : kinds)
        m_kind->addItem(kindName(kind), int(kind));
    m_kind->setAccessibleName(tr("Kind"));
    addLabel(*grid, row, tr("Kind"), m_kind);
    grid->addWidget(m_kind, row++, 1);

    m_name = new QuantityField([this](const std::string &text) -> Result<void> {
        if (m_ids.size() != 1)
            return {};
        if (auto ok = renamed(m_document.cluster(), m_ids.front(), text); !ok)
            return fail(ok.error());
        return {};
    });
    m_name->edit().setObjectName(QStringLiteral("nameField"));
    m_name->edit().setAccessibleName(tr("Name"));
    addLabel(*grid, row, tr("Name"), &m_name->edit());
    grid->addWidget(m_name, row++, 1);
    grid->setRowStretch(row, 1);

    connect(m_bandwidth, &QuantityField::committed, this, &LinkPanel::setBandwidth);
    connect(m_reset, &QToolButton::clicked, this, &LinkPanel::resetBandwidth);
    connect(m_slider, &LogSlider::valueChanged, this, &LinkPanel::slide);
    connect(m_slider, &LogSlider::gestureFinished, this, [this] {
        m_document.endGesture();
        m_slideFrom.clear();
        if (m_scales)
            m_slider->setValue(1);
    });
    connect(m_latency, &QuantityField::committed, this, [this](const QString &text) {
        const Seconds seconds = *parseDuration(text.toStdString());
        changeAll(tr("Latency of %1 to %2").arg(nameOf(), durationText(seconds)), {},
                  [seconds](Link &link) { link.latency = seconds; });
    });
    connect(m_duplex, &QComboBox::activated, this, [this](int index) {
        const auto duplex = Duplex(m_duplex->itemData(index).toInt());
        changeAll(tr("%1: %2").arg(nameOf(), m_duplex->itemText(index)), {},
                  [duplex](Link &link) { link.duplex = duplex; });
    });
    connect(m_up, &QCheckBox::clicked, this, [this](bool up) {
        m_up->setTristate(false);
        changeAll(up ? tr("Bring %1 up").arg(nameOf()) : tr("Take %1 down").arg(nameOf()), {},
                  [up](Link &link) { link.state = up ? LinkState::Up : LinkState::Down; });
    });
    connect(m_kind, &QComboBox::activated, this, [this](int index) {
        const auto kind = LinkKind(m_kind->itemData(index).toInt());
        changeAll(tr("%1: %2").arg(nameOf(), m_kind->itemText(index)), {}, [kind](Link &link) { link.kind = kind; });
    });
    connect(m_name, &QuantityField::committed, this, [this](const QString &name) {
        if (m_ids.size() != 1)
            return;
        const QString old = QString::fromStdString(m_ids.front());
        if (auto parts = renamed(m_document.cluster(), m_ids.front(), name.toStdString()))
            if (auto made = Cluster::make(std::move(*parts))) {
                if (const auto it = m_opened.find(m_ids.front()); it != m_opened.end())
                    m_opened[name.toStdString()] = it->second;
                m_document.setCluster(std::move(*made), tr("Rename %1 to %2").arg(old, name));
                m_selection.select({name});
            }
    });
}

void LinkPanel::rememberBandwidths()
{
    for (const Link &link : m_document.cluster().links())
        m_opened.try_emplace(link.id, link.bandwidth.value);
}

std::vector<Link> LinkPanel::current() const
{
    std::vector<Link> links;
    for (LinkId l : m_links)
        links.push_back(m_document.cluster().link(l));
    return links;
}

QString LinkPanel::nameOf() const
{
    return m_ids.size() == 1 ? QString::fromStdString(m_ids.front()) : tr("%n links", nullptr, int(m_ids.size()));
}

void LinkPanel::setLinks(const std::vector<LinkId> &links)
{
    m_links = links;
    std::vector<std::string> ids;
    for (LinkId l : links)
        ids.push_back(m_document.cluster().link(l).id);
    const bool other = ids != m_ids;
    if (other) {
        m_document.endGesture();
        m_slideFrom.clear();
    }
    m_ids = std::move(ids);
    if (m_links.empty())
        return;
    const std::vector<Link> all = current();
    m_filling = true;

    const double bandwidth = common(all, [](const Link &l) { return l.bandwidth.value; }, -1.0);
    m_inBits = all.front().enteredInBits;
    const bool mixed = bandwidth < 0;
    const auto fill = [&](QuantityField *field, const QString &text) {
        other ? field->reset(text, tr("mixed")) : field->setFigure(text, tr("mixed"));
    };
    fill(m_bandwidth, mixed ? QString() : figure(BytesPerSecond(bandwidth), m_inBits));
    m_otherUnit->setText(mixed ? tr("%n links", nullptr, int(all.size()))
                               : tr("= %1").arg(figure(BytesPerSecond(bandwidth), !m_inBits)));
    if (!m_slideFrom.empty() && m_scales) {
        // A drag that scales is under way: it keeps its scale.
    } else if (mixed) {
        m_scales = true;
        m_slider->setScale(factorRange, {{0.1, "0.1 ×"}, {1, "1 ×"}, {10, "10 ×"}}, {});
        m_slider->setFormatter([](double v) { return tr("times %1").arg(v, 0, 'g', 3); });
        m_slider->setValue(1);
        m_slider->setReference(1.0);
    } else {
        m_scales = false;
        const LogRange range = bandwidthRange(bandwidth, m_inBits);
        m_slider->setScale(range, decades(range, m_inBits), presets(m_inBits));
        m_slider->setFormatter([bits = m_inBits](double v) { return figure(BytesPerSecond(v), bits); });
        m_slider->setValue(bandwidth);
        const double opened = common(all, [this](const Link &l) { return m_opened[l.id]; }, -1.0);
        m_slider->setReference(opened > 0 ? std::optional(opened) : std::nullopt);
    }
    m_reset->setEnabled(std::any_of(all.begin(), all.end(), [this](const Link &l) {
        return m_opened[l.id] != l.bandwidth.value;
    }));

    const double latency = common(all, [](const Link &l) { return l.latency.value; }, -1.0);
    fill(m_latency, latency < 0 ? QString() : durationText(Seconds(latency)));
    const int duplex = common(all, [](const Link &l) { return int(l.duplex); }, -1);
    m_duplex->setCurrentIndex(duplex < 0 ? -1 : m_duplex->findData(duplex));
    m_duplex->setPlaceholderText(tr("mixed"));
    const int state = common(all, [](const Link &l) { return int(l.state); }, -1);
    m_up->setTristate(state < 0);
    m_up->setCheckState(state < 0 ? Qt::PartiallyChecked : state == int(LinkState::Up) ? Qt::Checked : Qt::Unchecked);
    const int kind = common(all, [](const Link &l) { return int(l.kind); }, -1);
    m_kind->setCurrentIndex(kind < 0 ? -1 : m_kind->findData(kind));
    m_kind->setPlaceholderText(tr("mixed"));
    m_name->setEnabled(all.size() == 1);
    fill(m_name, all.size() == 1 ? QString::fromStdString(all.front().id) : QString());
    rebuildConflicts();
    m_filling = false;
}

void LinkPanel::rebuildConflicts()
{
    // Only when something changed: a field of a row may have the focus, and a slider moves often.
    QString now = nameOf();
    for (LinkId l : m_links)
        now += QStringLiteral("/%1").arg(l.value);
    for (const ConflictGroup &group : m_document.cluster().conflicts()) {
        now += QStringLiteral("/%1:%2:%3").arg(QString::fromStdString(group.id)).arg(int(group.kind)).arg(group.capacity.value);
        for (LinkId l : group.links)
            now += QStringLiteral(",%1").arg(QString::fromStdString(m_document.cluster().link(l).id));
    }
    if (m_conflicts->count() > 0 && std::exchange(m_conflictsShown, now) == now)
        return;
    m_conflictsShown = now;
    while (QLayoutItem *item = m_conflicts->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide(); // it may be the sender of the signal that led here
            item->widget()->deleteLater();
        }
        delete item;
    }
    const Cluster &cluster = m_document.cluster();
    for (std::size_t g = 0; g < cluster.conflicts().size(); ++g) {
        const ConflictGroup &group = cluster.conflicts()[g];
        if (std::none_of(m_links.begin(), m_links.end(), [&](LinkId l) {
                return std::find(group.links.begin(), group.links.end(), l) != group.links.end();
            }))
            continue;
        QStringList others;
        QStringList members;
        for (LinkId l : group.links) {
            members.append(QString::fromStdString(cluster.link(l).id));
            if (std::find(m_links.begin(), m_links.end(), l) == m_links.end())
                others.append(members.last());
        }

        const QString with = others.size() <= 2 ? others.join(QStringLiteral(", "))
                                                : tr("%1 and %n more", nullptr, int(others.size()) - 1).arg(others.first());
        auto *row = new QWidget;
        auto *line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(4);
        QString words = group.kind == ConflictKind::Exclusive ? tr("exclusive with %1").arg(with)
                                                               : tr("shared with %1").arg(with);
        if (others.isEmpty()) // all of its links are selected
            words = group.kind == ConflictKind::Exclusive ? tr("exclusive") : tr("shared");
        auto *chip = new QPushButton;
        chip->setAccessibleName(words);
        chip->setText(chip->fontMetrics().elidedText(words, Qt::ElideRight,
                                                     scaled(group.kind == ConflictKind::Exclusive ? 140 : 80)));
        chip->setProperty("chip", QStringLiteral("band"));
        chip->setToolTip(tr("%1, %2. Click to select its links.").arg(QString::fromStdString(group.id), words));
        connect(chip, &QPushButton::clicked, this, [this, members] { m_selection.select(members); });
        line->addWidget(chip);
        if (group.kind == ConflictKind::Capacity) {
            auto *capacity = new QuantityField(checkBandwidth);
            const bool bits = std::all_of(group.links.begin(), group.links.end(),
                                          [&](LinkId l) { return cluster.link(l).enteredInBits; });
            capacity->reset(figure(group.capacity, bits));
            capacity->edit().setAccessibleName(tr("Capacity of %1").arg(QString::fromStdString(group.id)));
            connect(capacity, &QuantityField::committed, this, [this, g](const QString &text) {
                ClusterParts parts = m_document.cluster().parts();
                parts.conflicts[g].capacity = *parseBandwidth(text.toStdString());
                if (auto made = Cluster::make(std::move(parts)))
                    m_document.setCluster(std::move(*made), tr("Capacity to %1").arg(text));
            });
            line->addWidget(capacity);
        }
        line->addStretch();
        QToolButton *remove = iconButton(QStringLiteral("x"), tr("Remove conflict %1").arg(QString::fromStdString(group.id)));
        connect(remove, &QToolButton::clicked, this, [this, g] {
            if (auto made = Cluster::make(withoutConflicts(m_document.cluster(), {g})))
                m_document.setCluster(std::move(*made), tr("Remove conflict"));
        });
        line->addWidget(remove);
        m_conflicts->addWidget(row);
    }
    if (m_conflicts->count() == 0) {
        auto *none = new QLabel(tr("none"));
        none->setProperty("role", QStringLiteral("muted"));
        none->setMinimumHeight(24);
        m_conflicts->addWidget(none);
    }
}

void LinkPanel::changeAll(const QString &text, const QString &mergeKey, const std::function<void(Link &)> &change)
{
    if (m_filling || m_links.empty())
        return;
    if (m_links.size() == 1) {
        Link link = m_document.cluster().link(m_links.front());
        change(link);
        m_document.setLink(m_links.front(), link, text, mergeKey);
        return;
    }
    ClusterParts parts = m_document.cluster().parts();
    for (LinkId l : m_links)
        change(parts.links[l.index()]);
    if (auto made = Cluster::make(std::move(parts)))
        m_document.setCluster(std::move(*made), text, mergeKey);
}

void LinkPanel::setBandwidth(const QString &text)
{
    const BytesPerSecond bandwidth = *parseBandwidth(text.toStdString());
    const bool bits = saysBits(text);
    changeAll(tr("%1 to %2").arg(nameOf(), figure(bandwidth, bits)), {}, [&](Link &link) {
        link.bandwidth = bandwidth;
        link.enteredInBits = bits;
    });
}

void LinkPanel::slide(double value)
{
    // One key per set of links: a drag over several is one step, and another selection begins a new one.
    QString key = QStringLiteral("slide");
    for (const std::string &id : m_ids)
        key += QLatin1Char('\n') + QString::fromStdString(id);
    if (!m_scales) {
        changeAll(tr("%1 to %2").arg(nameOf(), figure(BytesPerSecond(value), m_inBits)), key,
                  [value](Link &link) { link.bandwidth = BytesPerSecond(value); });
        return;
    }
    if (m_slideFrom.empty())
        for (const Link &link : current())
            m_slideFrom.push_back(link.bandwidth.value);
    std::size_t next = 0;
    changeAll(tr("Scale %1 by %2").arg(nameOf()).arg(value, 0, 'g', 3), key, [&](Link &link) {
        link.bandwidth = BytesPerSecond(std::clamp(roundedTo(m_slideFrom[next++] * value, 4), 1.0, 1e18));
    });
}

void LinkPanel::resetBandwidth()
{
    changeAll(tr("Reset bandwidth of %1").arg(nameOf()), {},
              [this](Link &link) { link.bandwidth = BytesPerSecond(m_opened[link.id]); });
}

} // namespace polyrail
