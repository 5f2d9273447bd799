// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/document_io.hpp"

#include "core/formats/builtin.hpp"
#include "core/formats/importers.hpp"
#include "core/formats/json_files.hpp"
#include "ui/search/search_controller.hpp"
#include "ui/workbench/model_library.hpp"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSettings>

#include <algorithm>

namespace polyrail {

namespace {

constexpr std::size_t largestFile = std::size_t(64) << 20; // a cluster of thousands of links is some MB

QString jobKey(const QString &path)
{
    const QByteArray hash
        = QCryptographicHash::hash(QFileInfo(path).absoluteFilePath().toUtf8(), QCryptographicHash::Sha1).toHex();
    return QStringLiteral("jobs/") + QString::fromLatin1(hash.left(16));
}

std::string_view view(const QByteArray &bytes) { return {bytes.data(), static_cast<std::size_t>(bytes.size())}; }

} // namespace

DocumentIo::DocumentIo(Document &document, SearchController &search, ModelLibrary &library, QSettings &settings,
                       QObject *parent)
    : QObject(parent), m_document(document), m_search(search), m_library(library), m_settings(settings), m_recent(settings)
{
}

void DocumentIo::adopt(Cluster cluster, TrainingJob job, const QString &path)
{
    m_search.clear();
    m_document.reset(std::move(cluster), std::move(job), path);
    emit opened();
}

void DocumentIo::newDocument()
{
    const TrainingJob &job = m_document.job();
    adopt(Cluster(), job.model.layers > 0 ? job : m_library.defaultJob(), {});
}

bool DocumentIo::open(const QString &path)
{
    const QString name = QDir::toNativeSeparators(path);
    const auto text = readTextFile(path.toStdString(), largestFile);
    if (!text)
        return report(text.error(), name);
    const bool ok = openText(QByteArray::fromStdString(*text), name, path);
    if (ok)
        m_recent.add(path);
    return ok;
}

bool DocumentIo::openText(const QByteArray &text, const QString &name, const QString &path)
{
    if (static_cast<std::size_t>(text.size()) > largestFile)
        return report({ErrorKind::Input, {}, tr("more than 64 MB").toStdString(),
                       tr("a file people write by hand or print from a tool").toStdString(), {}},
                      name);
    switch (recognise(view(text))) {
    case ForeignFormat::PolyrailCluster: return openCluster(text.toStdString(), name, path);
    case ForeignFormat::PolyrailPlan: return openPlan(text.toStdString(), name);
    case ForeignFormat::HuggingFaceConfig: return openModel(text, name);
    case ForeignFormat::NvidiaSmiTopo: {
        const auto probe = importNvidiaSmiTopo(view(text), builtinCatalogue(), std::nullopt);
        if (!probe) {
            // Without a type it cannot succeed; anything else than the missing type would fail with one, too.
            const auto &types = builtinCatalogue().types();
            if (types.empty() || !importNvidiaSmiTopo(view(text), builtinCatalogue(), types.front().name))
                return report(probe.error(), name);
        }
        emit gpuTypeNeeded(text, name, probe ? QString() : QString::fromStdString(probe.error().found));
        return true;
    }
    case ForeignFormat::PolyrailGraph:
        return report({ErrorKind::Input, {}, tr("an operator graph").toStdString(),
                       tr("a cluster, a plan, a config.json or nvidia-smi output").toStdString(),
                       tr("The window plans the training of transformers; pick a model instead.").toStdString()},
                      name);
    case ForeignFormat::Unknown: break;
    }
    return report(
        {ErrorKind::Input, {},
         (text.trimmed().isEmpty() ? tr("nothing") : tr("text in no format that is known")).toStdString(),
         tr("a Polyrail cluster or plan (JSON), a Hugging Face config.json, or the output of nvidia-smi topo -m")
             .toStdString(),
         tr("Samples of clusters are in the File menu.").toStdString()},
        name);
}

bool DocumentIo::openCluster(const std::string &text, const QString &name, const QString &path)
{
    auto cluster = readCluster(text, builtinCatalogue());
    if (!cluster)
        return report(cluster.error(), name);
    adopt(std::move(*cluster), jobFor(path), path);
    return true;
}

bool DocumentIo::openPlan(const std::string &text, const QString &name)
{
    auto cluster = readPlanCluster(text, builtinCatalogue());
    if (!cluster)
        return report(cluster.error(), name);
    auto file = readPlan(text, *cluster);
    if (!file)
        return report(file.error(), name);
    TrainingJob job = file->job;
    if (job.model.layers == 0) { // written by another program: only the model's name is there
        const QString model = QString::fromStdString(job.model.name);
        const ModelShape *shape = m_library.find(model);
        if (!shape)
            return report({ErrorKind::Input, "/workload/name", "\"" + job.model.name + "\"",
                           tr("a model that comes with Polyrail").toStdString(),
                           tr("Import the model's config.json first.").toStdString()},
                          name);
        job.model = *shape;
    }
    adopt(std::move(*cluster), std::move(job), {});
    m_search.showPlan(std::make_shared<const Plan>(std::move(file->plan)));
    return true;
}

bool DocumentIo::openModel(const QByteArray &text, const QString &name)
{
    // config.json is what they are all called: the folder says which model it is.
    QFileInfo info(name);
    QString model = info.completeBaseName();
    if (model == QLatin1String("config") && !info.dir().dirName().isEmpty() && info.dir().dirName() != QLatin1String("."))
        model = info.dir().dirName();
    auto shape = m_library.import(text, model);
    if (!shape)
        return report(shape.error(), name);
    emit modelsChanged();
    TrainingJob job = m_document.job();
    job.model = *shape;
    if (shape->defaultSequence > 0)
        job.sequence = shape->defaultSequence;
    m_document.setJob(std::move(job), tr("Import model %1").arg(model));
    QStringList notes;
    for (const std::string &warning : shape->warnings)
        notes << QString::fromStdString(warning);
    emit message(notes.isEmpty() ? MessageKind::Note : MessageKind::Warning,
                 tr("Model %1 imported.").arg(QString::fromStdString(shape->name))
                     + (notes.isEmpty() ? QString() : QLatin1Char(' ') + notes.join(QLatin1Char(' '))));
    return true;
}

bool DocumentIo::importModel(const QString &path)
{
    const QString name = QDir::toNativeSeparators(path);
    const auto text = readTextFile(path.toStdString(), largestFile);
    return text ? openModel(QByteArray::fromStdString(*text), name) : report(text.error(), name);
}

bool DocumentIo::importTopology(const QByteArray &text, const QString &name, const QString &gpuType)
{
    auto imported = importNvidiaSmiTopo(view(text), builtinCatalogue(), gpuType.toStdString());
    if (!imported)
        return report(imported.error(), name);
    adopt(std::move(imported->cluster), jobFor({}), {});
    QStringList notes;
    for (const std::string &warning : imported->warnings)
        notes << QString::fromStdString(warning);
    if (!notes.isEmpty())
        emit message(MessageKind::Warning, tr("Imported with assumptions: %1").arg(notes.join(QLatin1Char(' '))));
    return true;
}

bool DocumentIo::openSample(const QString &file)
{
    for (const SampleCluster &sample : sampleClusters())
        if (file.compare(QString::fromUtf8(sample.file.data(), static_cast<qsizetype>(sample.file.size())),
                         Qt::CaseInsensitive)
            == 0)
            return openCluster(std::string(sample.text), file, {});
    return report({ErrorKind::Input, {}, tr("no sample of that name").toStdString(), {},
                   tr("File, Samples lists them.").toStdString()},
                  file);
}

bool DocumentIo::save(const QString &path)
{
    const auto saved = m_document.saveAs(path);
    if (!saved)
        return report(saved.error(), QDir::toNativeSeparators(path));
    rememberJob(path);
    m_recent.add(path);
    return true;
}

QString DocumentIo::suggestedPath(const QString &suffix) const
{
    QString folder = m_settings.value(QStringLiteral("folder")).toString();
    QString base = QString::fromStdString(m_document.cluster().name());
    if (!m_document.path().isEmpty()) {
        folder = QFileInfo(m_document.path()).path();
        base = QFileInfo(m_document.path()).fileName().section(QLatin1Char('.'), 0, 0);
    }
    static const QRegularExpression awkward(QStringLiteral("[^\\w.-]+"));
    base.replace(awkward, QStringLiteral("-"));
    while (base.startsWith(QLatin1Char('-')) || base.startsWith(QLatin1Char('.')))
        base.remove(0, 1);
    if (base.isEmpty())
        base = QStringLiteral("cluster");
    return (folder.isEmpty() ? QDir::currentPath() : folder) + QLatin1Char('/') + base + suffix;
}

void DocumentIo::rememberJob(const QString &path)
{
    m_settings.setValue(jobKey(path), m_library.toMap(m_document.job()));
}

TrainingJob DocumentIo::jobFor(const QString &path) const
{
    if (!path.isEmpty())
        if (auto job = m_library.fromMap(m_settings.value(jobKey(path)).toMap()))
            return *job;
    return m_document.job().model.layers > 0 ? m_document.job() : m_library.defaultJob();
}

bool DocumentIo::report(const Error &error, const QString &name)
{
    const std::string outer = name.toStdString();
    const bool named = error.where.rfind(outer, 0) == 0;
    emit message(MessageKind::Error, QString::fromStdString((named ? error : error.at(outer)).message()));
    return false;
}

} // namespace polyrail
