// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/model_library.hpp"

#include "core/formats/builtin.hpp"
#include "core/formats/importers.hpp"

#include <QSettings>

#include <algorithm>

namespace polyrail {

namespace {

constexpr int mostImported = 20;

const QString groupName = QStringLiteral("models");

} // namespace

ModelLibrary::ModelLibrary(QSettings &settings) : m_settings(settings)
{
    const int count = m_settings.beginReadArray(groupName);
    for (int i = 0; i < count; ++i) {
        m_settings.setArrayIndex(i);
        const QByteArray text = m_settings.value(QStringLiteral("config")).toByteArray();
        auto shape = importHuggingFaceConfig({text.data(), static_cast<std::size_t>(text.size())},
                                             m_settings.value(QStringLiteral("name")).toString().toStdString());
        if (shape) // an entry that this version cannot read is left out, not fatal
            m_imported.push_back(std::move(*shape));
    }
    m_settings.endArray();
}

const std::vector<ModelShape> &ModelLibrary::presets() const { return modelPresets(); }

const ModelShape *ModelLibrary::find(const QString &name) const
{
    for (const ModelShape &shape : m_imported)
        if (name.compare(QString::fromStdString(shape.name), Qt::CaseInsensitive) == 0)
            return &shape;
    return findPreset(name.toStdString());
}

Result<ModelShape> ModelLibrary::import(const QByteArray &json, const QString &name)
{
    auto shape = importHuggingFaceConfig({json.data(), static_cast<std::size_t>(json.size())}, name.toStdString());
    if (!shape)
        return shape;
    struct Entry
    {
        QString name;
        QByteArray text;
    };
    std::vector<Entry> entries{{QString::fromStdString(shape->name), json}};
    const int count = m_settings.beginReadArray(groupName);
    for (int i = 0; i < count && static_cast<int>(entries.size()) < mostImported; ++i) {
        m_settings.setArrayIndex(i);
        Entry entry{m_settings.value(QStringLiteral("name")).toString(),
                    m_settings.value(QStringLiteral("config")).toByteArray()};
        if (entry.name != entries.front().name)
            entries.push_back(std::move(entry));
    }
    m_settings.endArray();
    m_settings.beginWriteArray(groupName, static_cast<int>(entries.size()));
    for (std::size_t i = 0; i < entries.size(); ++i) {
        m_settings.setArrayIndex(static_cast<int>(i));
        m_settings.setValue(QStringLiteral("name"), entries[i].name);
        m_settings.setValue(QStringLiteral("config"), entries[i].text);
    }
    m_settings.endArray();
    std::erase_if(m_imported, [&](const ModelShape &old) { return old.name == shape->name; });
    m_imported.insert(m_imported.begin(), *shape);
    return shape;
}

QVariantMap ModelLibrary::toMap(const TrainingJob &job) const
{
    return {{QStringLiteral("model"), QString::fromStdString(job.model.name)},
            {QStringLiteral("batch"), job.globalBatch},
            {QStringLiteral("microBatch"), job.maxMicroBatch},
            {QStringLiteral("sequence"), job.sequence},
            {QStringLiteral("precision"), QString::fromLatin1(toString(job.precision))},
            {QStringLiteral("sharding"), static_cast<int>(job.sharding)},
            {QStringLiteral("flashAttention"), job.flashAttention},
            {QStringLiteral("sequenceParallel"), job.sequenceParallel}};
}

std::optional<TrainingJob> ModelLibrary::fromMap(const QVariantMap &map) const
{
    const ModelShape *shape = find(map.value(QStringLiteral("model")).toString());
    if (!shape)
        return std::nullopt;
    TrainingJob job = defaultJob();
    job.model = *shape;
    job.globalBatch = std::max(1, map.value(QStringLiteral("batch"), job.globalBatch).toInt());
    job.maxMicroBatch = std::max(0, map.value(QStringLiteral("microBatch"), job.maxMicroBatch).toInt());
    job.sequence = std::max(1, map.value(QStringLiteral("sequence"), job.sequence).toInt());
    if (const auto p = precisionFromString(map.value(QStringLiteral("precision")).toString().toStdString()))
        job.precision = *p;
    job.sharding = static_cast<Sharding>(
        std::clamp(map.value(QStringLiteral("sharding"), static_cast<int>(job.sharding)).toInt(), 0, 3));
    job.flashAttention = map.value(QStringLiteral("flashAttention"), job.flashAttention).toBool();
    job.sequenceParallel = map.value(QStringLiteral("sequenceParallel"), job.sequenceParallel).toBool();
    return job;
}

TrainingJob ModelLibrary::defaultJob() const
{
    TrainingJob job;
    job.globalBatch = 128;
    job.sequence = 4096;
    if (const ModelShape *shape = findPreset("llama-2-13b"))
        job.model = *shape;
    return job;
}

} // namespace polyrail
