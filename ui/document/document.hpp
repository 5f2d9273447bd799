// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"
#include "core/cluster/cluster.hpp"
#include "core/plan/plan.hpp"
#include "core/workload/training_job.hpp"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <memory>
#include <string>

namespace polyrail {

/// What the user works on: a cluster and a training job. Changes only through undo commands; every change that can
/// affect a plan makes a new revision, and results of older revisions are stale. Moving things about on the canvas or
/// renaming the cluster keeps the revision. UI thread only.
class Document : public QObject
{
    Q_OBJECT
public:
    explicit Document(QObject *parent = nullptr);

    const Cluster &cluster() const { return m_cluster; }
    const TrainingJob &job() const { return m_job; }
    quint64 revision() const { return m_revision; }
    QUndoStack &undoStack() { return m_undo; }
    const QString &path() const { return m_path; } ///< empty: never saved
    bool isModified() const { return !m_undo.isClean(); }

    /// Starts afresh (open, sample, new): clears undo.
    void reset(Cluster cluster, TrainingJob job, QString path);

    /// One undo step "text". Steps with the same mergeKey that follow each other within one gesture become one
    /// (a slider drag); an empty key never merges. endGesture() closes the merge.
    void setCluster(Cluster cluster, const QString &text, const QString &mergeKey = {});
    void setLink(LinkId id, const Link &link, const QString &text, const QString &mergeKey = {});
    void setJob(TrainingJob job, const QString &text, const QString &mergeKey = {});
    void endGesture();

    /// Atomic save of the cluster; the path becomes the document's and the undo stack clean.
    Result<void> saveAs(const QString &path);

signals:
    /// structure: hosts, devices, hubs, links or conflicts came or went or changed their names or ends (otherwise only
    /// figures or positions changed). Comes after revision() has its new value.
    void clusterChanged(bool structure);
    void jobChanged();
    /// Another cluster and job were opened or begun (reset()); comes last.
    void documentReset();
    void pathChanged();
    void modifiedChanged(bool modified);

private:
    friend class DocumentCommand;
    void push(Cluster cluster, TrainingJob job, bool jobChanges, const QString &text, const QString &mergeKey);
    void restore(const Cluster &cluster);
    void restore(const TrainingJob &job);

    Cluster m_cluster;
    TrainingJob m_job;
    QString m_path;
    std::string m_digest; ///< of m_cluster and m_job
    quint64 m_revision = 0;
    int m_gesture = 0;
    QUndoStack m_undo;
};

} // namespace polyrail
