// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/device_panel.hpp"

#include "core/base/quantity.hpp"
#include "core/formats/builtin.hpp"
#include "ui/document/cluster_edits.hpp"
#include "ui/inspector/quantity_field.hpp"
#include "ui/inspector/rows.hpp"
#include "ui/theme/theme.hpp"

#include <QComboBox>
#include <QCompleter>
#include <QGridLayout>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

namespace polyrail {

namespace {

Result<void> checkBytes(const std::string &text)
{
    const auto parsed = parseBytes(text);
    if (!parsed)
        return fail(parsed.error());
    if (parsed->value <= 0)
        return inputError("", text, "a size above zero");
    return {};
}

Result<void> checkRate(const std::string &text)
{
    if (const auto parsed = parseBandwidth(text); !parsed)
        return fail(parsed.error());
    return {};
}

Result<void> checkFlops(const std::string &text)
{
    if (const auto parsed = parseFlops(text); !parsed)
        return fail(parsed.error());
    return {};
}

Result<void> checkCount(const std::string &text)
{
    bool ok = false;
    const int count = QString::fromStdString(text).toInt(&ok);
    if (!ok || count < 1 || count > 100000)
        return inputError("", text.empty() ? "nothing" : text, "a whole number from 1 to 100000");
    return {};
}

QString catalogueName(const Device &device)
{
    const GpuType *type = builtinCatalogue().find(device.typeName);
    return QString::fromStdString(type ? type->name : device.typeName);
}

} // namespace

DevicePanel::DevicePanel(Document &document, SelectionModel &selection, QWidget *parent)
    : QWidget(parent), m_document(document), m_selection(selection)
{
    build();
}

void DevicePanel::build()
{
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(12, 12, 12, 12);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(8);
    grid->setColumnStretch(1, 1);
    int row = 0;

    m_type = new QComboBox;
    m_type->setObjectName(QStringLiteral("deviceType"));
    m_type->setAccessibleName(tr("Type"));
    m_type->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_type->setMinimumContentsLength(8);
    m_type->setPlaceholderText(tr("mixed"));
    for (const GpuType &type : builtinCatalogue().types())
        m_type->addItem(QString::fromStdString(type.name));
    addLabel(*grid, row, tr("Type"), m_type);
    grid->addWidget(m_type, row++, 1, 1, 2);
    connect(m_type, &QComboBox::activated, this, [this](int index) { setType(m_type->itemText(index)); });

    addFigure(*grid, row++, tr("Memory"),
              {"memory", [](const GpuType &t) { return QString::fromStdString(formatBytes(t.memory)); },
               [](GpuType &t, const std::string &s) { t.memory = *parseBytes(s); },
               [](GpuType &t, const GpuType &from) { t.memory = from.memory; }},
              checkBytes);
    addFigure(*grid, row++, tr("Mem. bandwidth"),
              {"memory_bandwidth",
               [](const GpuType &t) { return QString::fromStdString(formatBandwidth(t.memoryBandwidth)); },
               [](GpuType &t, const std::string &s) { t.memoryBandwidth = *parseBandwidth(s); },
               [](GpuType &t, const GpuType &from) { t.memoryBandwidth = from.memoryBandwidth; }},
              checkRate);
    for (Precision p : {Precision::Bf16, Precision::Fp16, Precision::Fp8, Precision::Tf32, Precision::Fp32}) {
        const std::size_t i = std::size_t(p);
        addFigure(*grid, row++, tr("Peak %1").arg(QString::fromLatin1(toString(p))),
                  {std::string("peak.") + toString(p),
                   [i](const GpuType &t) {
                       return t.peak[i] ? QString::fromStdString(formatFlops(*t.peak[i])) : QString();
                   },
                   [i](GpuType &t, const std::string &s) { t.peak[i] = *parseFlops(s); },
                   [i](GpuType &t, const GpuType &from) { t.peak[i] = from.peak[i]; }},
                  checkFlops);
    }
    addFigure(*grid, row++, tr("Multiprocessors"),
              {"multiprocessors", [](const GpuType &t) { return QString::number(t.multiprocessors); },
               [](GpuType &t, const std::string &s) { t.multiprocessors = QString::fromStdString(s).toInt(); },
               [](GpuType &t, const GpuType &from) { t.multiprocessors = from.multiprocessors; }},
              checkCount);

    m_source = new QLabel;
    m_source->setProperty("role", QStringLiteral("muted"));
    m_source->setWordWrap(true);
    m_source->setFont(uiFont(TextRole::Small));
    grid->addWidget(m_source, row++, 0, 1, 3);

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
    grid->addWidget(m_name, row++, 1, 1, 2);
    grid->setRowStretch(row, 1);
    connect(m_name, &QuantityField::committed, this, [this](const QString &name) {
        if (m_ids.size() != 1)
            return;
        const QString old = QString::fromStdString(m_ids.front());
        if (auto parts = renamed(m_document.cluster(), m_ids.front(), name.toStdString()))
            if (auto made = Cluster::make(std::move(*parts))) {
                m_document.setCluster(std::move(*made), tr("Rename %1 to %2").arg(old, name));
                m_selection.select({name});
            }
    });
}

void DevicePanel::addFigure(QGridLayout &grid, int row, const QString &label, Figure figure,
                            std::function<Result<void>(const std::string &)> parse)
{
    figure.field = new QuantityField(std::move(parse));
    figure.field->edit().setObjectName(QString::fromStdString(figure.key));
    figure.field->edit().setAccessibleName(label);
    figure.back = new QToolButton;
    figure.back->setIcon(themedIcon(QStringLiteral("rotate-ccw")));
    figure.back->setObjectName(QStringLiteral("back.") + QString::fromStdString(figure.key));
    figure.back->setToolTip(tr("Back to the catalogue"));
    figure.back->setAccessibleName(tr("%1: back to the catalogue").arg(label));
    QSizePolicy keep = figure.back->sizePolicy();
    keep.setRetainSizeWhenHidden(true);
    figure.back->setSizePolicy(keep);
    addLabel(grid, row, label, &figure.field->edit());
    grid.addWidget(figure.field, row, 1);
    grid.addWidget(figure.back, row, 2, Qt::AlignTop);

    const QString what = label.toLower();
    connect(figure.field, &QuantityField::committed, this,
            [this, key = figure.key, write = figure.write, what](const QString &text) {
                changeAll(tr("%1: %2 %3").arg(nameOf(), what, text), [&](Device &device) {
                    write(device.type, text.toStdString());
                    if (std::find(device.overridden.begin(), device.overridden.end(), key) == device.overridden.end())
                        device.overridden.push_back(key);
                });
            });
    connect(figure.back, &QToolButton::clicked, this, [this, key = figure.key, copy = figure.copy, what] {
        changeAll(tr("%1: %2 back to the catalogue").arg(nameOf(), what), [&](Device &device) {
            if (const GpuType *type = builtinCatalogue().find(device.typeName)) {
                copy(device.type, *type);
                std::erase(device.overridden, key);
            }
        });
    });
    m_figures.push_back(std::move(figure));
}

QString DevicePanel::nameOf() const
{
    return m_ids.size() == 1 ? QString::fromStdString(m_ids.front()) : tr("%n devices", nullptr, int(m_ids.size()));
}

void DevicePanel::setDevices(const std::vector<DeviceId> &devices)
{
    m_devices = devices;
    std::vector<std::string> ids;
    std::vector<Device> all;
    for (DeviceId d : devices) {
        all.push_back(m_document.cluster().device(d));
        ids.push_back(all.back().id);
    }
    const bool other = ids != m_ids;
    m_ids = std::move(ids);
    if (all.empty())
        return;

    const QString type = common(all, catalogueName, QString());
    int index = m_type->findText(type);
    if (index < 0 && !type.isEmpty()) { // of a file's own
        m_type->addItem(type);
        index = m_type->count() - 1;
    }
    m_type->setCurrentIndex(type.isEmpty() ? -1 : index);
    for (Figure &figure : m_figures) {
        const QString none = QStringLiteral("\n"); // no figure reads like this
        const QString text = common(all, [&](const Device &d) { return figure.read(d.type); }, none);
        const QString shown = text == none ? QString() : text;
        const QString placeholder = text == none ? tr("mixed") : tr("none");
        other ? figure.field->reset(shown, placeholder) : figure.field->setFigure(shown, placeholder);
        const bool overridden = std::any_of(all.begin(), all.end(), [&](const Device &d) {
            return std::find(d.overridden.begin(), d.overridden.end(), figure.key) != d.overridden.end()
                && builtinCatalogue().find(d.typeName);
        });
        figure.back->setVisible(overridden);
        QFont font = uiFont(TextRole::Body);
        font.setBold(overridden);
        figure.field->edit().setFont(font);
    }
    const GpuType *entry = builtinCatalogue().find(all.front().typeName);
    if (all.size() == 1 && entry) {
        QString source = tr("Source: %1").arg(QString::fromStdString(entry->source));
        if (!entry->unverified.empty())
            source += QLatin1Char('\n') + tr("Not from a vendor's sheet: %1")
                                              .arg(QString::fromStdString([&] {
                                                  std::string list;
                                                  for (const std::string &name : entry->unverified)
                                                      list += (list.empty() ? "" : ", ") + name;
                                                  return list;
                                              }()));
        m_source->setText(source);
    }
    m_source->setVisible(all.size() == 1 && entry);
    m_name->setEnabled(all.size() == 1);
    const QString name = all.size() == 1 ? QString::fromStdString(all.front().id) : QString();
    other ? m_name->reset(name, tr("mixed")) : m_name->setFigure(name, tr("mixed"));
}

void DevicePanel::changeAll(const QString &text, const std::function<void(Device &)> &change)
{
    ClusterParts parts = m_document.cluster().parts();
    for (DeviceId d : m_devices)
        change(parts.devices[d.index()]);
    if (auto made = Cluster::make(std::move(parts)))
        m_document.setCluster(std::move(*made), text);
}

void DevicePanel::setType(const QString &name)
{
    const GpuType *type = builtinCatalogue().find(name.toStdString());
    if (!type)
        return;
    changeAll(tr("%1: %2").arg(nameOf(), name), [&](Device &device) {
        device.typeName = type->name;
        device.type = *type;
        device.overridden.clear();
    });
}

} // namespace polyrail
