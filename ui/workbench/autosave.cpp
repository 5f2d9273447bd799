// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/autosave.hpp"

#include "core/formats/builtin.hpp"
#include "core/formats/json_files.hpp"
#include "ui/workbench/model_library.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QUuid>

#include <algorithm>

namespace polyrail {

namespace {

constexpr int delay = 2000; // ms after the last change
const QString suffix = QStringLiteral(".unsaved.json");

QString lockOf(const QString &file) { return file + QStringLiteral(".lock"); }

std::optional<RecoveredWork> read(const QString &path, const ModelLibrary &library)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QJsonObject object = QJsonDocument::fromJson(file.readAll()).object();
    const std::string text = object.value(QLatin1String("cluster")).toString().toStdString();
    auto cluster = readCluster(text, builtinCatalogue());
    if (!cluster)
        return std::nullopt;
    RecoveredWork work;
    work.file = path;
    work.original = object.value(QLatin1String("path")).toString();
    work.saved = QDateTime::fromString(object.value(QLatin1String("saved")).toString(), Qt::ISODate);
    work.cluster = std::move(*cluster);
    const auto job = library.fromMap(object.value(QLatin1String("job")).toObject().toVariantMap());
    work.job = job ? *job : library.defaultJob();
    return work;
}

} // namespace

Autosave::Autosave(Document &document, const ModelLibrary &library, QString folder, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_library(library)
    , m_folder(std::move(folder))
    , m_file(m_folder + QLatin1Char('/') + QUuid::createUuid().toString(QUuid::WithoutBraces) + suffix)
{
    QDir().mkpath(m_folder);
    m_lock = std::make_unique<QLockFile>(lockOf(m_file));
    m_lock->setStaleLockTime(0); // held until this process is gone
    m_lock->tryLock();
    m_timer.setSingleShot(true);
    m_timer.setInterval(delay);
    connect(&m_timer, &QTimer::timeout, this, &Autosave::writeNow);
    connect(&document, &Document::clusterChanged, this, &Autosave::schedule);
    connect(&document, &Document::jobChanged, this, &Autosave::schedule);
    connect(&document, &Document::modifiedChanged, this, [this](bool modified) {
        if (modified)
            schedule();
        else
            forget();
    });
}

Autosave::~Autosave()
{
    disconnect(&m_document, nullptr, this, nullptr);
    m_lock->unlock();
}

void Autosave::schedule()
{
    if (m_document.isModified() && !m_timer.isActive())
        m_timer.start();
}

void Autosave::writeNow()
{
    m_timer.stop();
    if (!m_document.isModified())
        return;
    const QJsonObject object{
        {QStringLiteral("path"), m_document.path()},
        {QStringLiteral("saved"), QDateTime::currentDateTime().toString(Qt::ISODate)},
        {QStringLiteral("job"), QJsonObject::fromVariantMap(m_library.toMap(m_document.job()))},
        {QStringLiteral("cluster"), QString::fromStdString(writeCluster(m_document.cluster()))},
    };
    QSaveFile file(m_file);
    const QByteArray bytes = QJsonDocument(object).toJson();
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return;
    if (!std::exchange(m_reported, true))
        emit failed(tr("Unsaved work cannot be kept safe in %1: %2. Save often, or free some space.")
                        .arg(QDir::toNativeSeparators(m_folder), file.errorString()));
}

void Autosave::forget()
{
    m_timer.stop();
    QFile::remove(m_file);
}

std::vector<RecoveredWork> Autosave::leftovers() const
{
    std::vector<RecoveredWork> all;
    const QDir folder(m_folder);
    for (const QString &name : folder.entryList({QLatin1Char('*') + suffix}, QDir::Files)) {
        const QString path = folder.filePath(name);
        if (path == m_file)
            continue;
        QLockFile lock(lockOf(path));
        lock.setStaleLockTime(0);
        if (!lock.tryLock(0)) // another window works on it
            continue;
        lock.unlock();
        if (auto work = read(path, m_library))
            all.push_back(std::move(*work));
    }
    std::ranges::sort(all, [](const RecoveredWork &a, const RecoveredWork &b) { return a.saved > b.saved; });
    return all;
}

void Autosave::discard(const RecoveredWork &work)
{
    QFile::remove(work.file);
    QFile::remove(lockOf(work.file));
}

} // namespace polyrail
