// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document.hpp"

#include "core/formats/json_files.hpp"

#include <QUndoCommand>

#include <algorithm>
#include <utility>

namespace polyrail {

namespace {

bool sameStructure(const Cluster &a, const Cluster &b)
{
    const auto equal = [](const auto &x, const auto &y, auto same) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
    };
    return equal(a.hosts(), b.hosts(),
                 [](const Host &x, const Host &y) { return x.id == y.id && x.name == y.name; })
        && equal(a.devices(), b.devices(),
                 [](const Device &x, const Device &y) { return x.id == y.id && x.host == y.host; })
        && equal(a.hubs(), b.hubs(),
                 [](const Hub &x, const Hub &y) { return x.id == y.id && x.kind == y.kind && x.host == y.host; })
        && equal(a.links(), b.links(),
                 [](const Link &x, const Link &y) { return x.id == y.id && x.ends == y.ends && x.kind == y.kind; })
        && equal(a.conflicts(), b.conflicts(), [](const ConflictGroup &x, const ConflictGroup &y) {
               return x.id == y.id && x.kind == y.kind && x.links == y.links;
           });
}

} // namespace

/// Keeps whole values: a Cluster shares its storage, so a step costs one pointer per untouched part, and undo gives
/// back exactly what was there before.
class DocumentCommand : public QUndoCommand
{
public:
    DocumentCommand(Document &document, Cluster cluster, TrainingJob job, bool jobChanges, const QString &text,
                    QString mergeKey)
        : QUndoCommand(text), m_document(document), m_clusterBefore(document.m_cluster), m_clusterAfter(std::move(cluster)),
          m_jobBefore(document.m_job), m_jobAfter(std::move(job)), m_jobChanges(jobChanges),
          m_mergeKey(std::move(mergeKey)), m_gesture(document.m_gesture)
    {
    }

    int id() const override { return m_mergeKey.isEmpty() ? -1 : 1; }

    bool mergeWith(const QUndoCommand *other) override
    {
        const auto *next = static_cast<const DocumentCommand *>(other);
        if (next->m_mergeKey != m_mergeKey || next->m_gesture != m_gesture || next->m_jobChanges != m_jobChanges)
            return false;
        m_clusterAfter = next->m_clusterAfter;
        m_jobAfter = next->m_jobAfter;
        setText(next->text());
        return true;
    }

    void undo() override { restore(m_clusterBefore, m_jobBefore); }
    void redo() override { restore(m_clusterAfter, m_jobAfter); }

private:
    void restore(const Cluster &cluster, const TrainingJob &job)
    {
        if (m_jobChanges)
            m_document.restore(job);
        else
            m_document.restore(cluster);
    }

    Document &m_document;
    Cluster m_clusterBefore;
    Cluster m_clusterAfter;
    TrainingJob m_jobBefore;
    TrainingJob m_jobAfter;
    bool m_jobChanges;
    QString m_mergeKey;
    int m_gesture;
};

Document::Document(QObject *parent)
    : QObject(parent), m_digest(m_cluster.digest() + m_job.digest())
{
    connect(&m_undo, &QUndoStack::cleanChanged, this, [this](bool clean) { emit modifiedChanged(!clean); });
}

void Document::reset(Cluster cluster, TrainingJob job, QString path)
{
    m_cluster = std::move(cluster);
    m_job = std::move(job);
    m_path = std::move(path);
    m_digest = m_cluster.digest() + m_job.digest();
    ++m_revision;
    ++m_gesture;
    m_undo.clear();
    emit pathChanged();
    emit clusterChanged(true);
    emit jobChanged();
    emit documentReset();
}

void Document::setCluster(Cluster cluster, const QString &text, const QString &mergeKey)
{
    push(std::move(cluster), m_job, false, text, mergeKey);
}

void Document::setLink(LinkId id, const Link &link, const QString &text, const QString &mergeKey)
{
    push(m_cluster.withLink(id, link), m_job, false, text, mergeKey);
}

void Document::setJob(TrainingJob job, const QString &text, const QString &mergeKey)
{
    push(m_cluster, std::move(job), true, text, mergeKey);
}

void Document::endGesture() { ++m_gesture; }

void Document::push(Cluster cluster, TrainingJob job, bool jobChanges, const QString &text, const QString &mergeKey)
{
    m_undo.push(new DocumentCommand(*this, std::move(cluster), std::move(job), jobChanges, text, mergeKey));
}

void Document::restore(const Cluster &cluster)
{
    const bool structure = !sameStructure(m_cluster, cluster);
    m_cluster = cluster;
    const std::string digest = m_cluster.digest() + m_job.digest();
    if (std::exchange(m_digest, digest) != digest || structure)
        ++m_revision;
    emit clusterChanged(structure);
}

void Document::restore(const TrainingJob &job)
{
    m_job = job;
    const std::string digest = m_cluster.digest() + m_job.digest();
    if (std::exchange(m_digest, digest) != digest)
        ++m_revision;
    emit jobChanged();
}

Result<void> Document::saveAs(const QString &path)
{
    const Result<void> written = writeTextFile(path.toStdString(), writeCluster(m_cluster));
    if (!written)
        return written;
    m_path = path;
    endGesture();
    m_undo.setClean();
    emit pathChanged();
    return {};
}

} // namespace polyrail
