// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/workload/training_job.hpp"

#include <QString>
#include <QVariantMap>

#include <optional>
#include <vector>

class QSettings;

namespace polyrail {

/// The models that can be picked: those that come with Polyrail, and those that the user imported (kept in the
/// settings as the text they came from).
class ModelLibrary
{
public:
    explicit ModelLibrary(QSettings &settings);

    const std::vector<ModelShape> &presets() const;
    const std::vector<ModelShape> &imported() const { return m_imported; }
    /// By name, case-insensitively, imported ones first; null if unknown.
    const ModelShape *find(const QString &name) const;

    /// A Hugging Face config.json. Kept for next time.
    Result<ModelShape> import(const QByteArray &json, const QString &name);

    /// The job as settings hold it, and back; nothing if the model is not known (any more).
    QVariantMap toMap(const TrainingJob &job) const;
    std::optional<TrainingJob> fromMap(const QVariantMap &map) const;

    /// Llama 2 13B, 128 samples of 4096 tokens.
    TrainingJob defaultJob() const;

private:
    QSettings &m_settings;
    std::vector<ModelShape> m_imported;
};

} // namespace polyrail
