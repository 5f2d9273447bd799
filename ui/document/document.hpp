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

namespace polyrail {

/// What the user works on: a cluster, a training job, and the plan that is shown. Changes only through undo commands;
/// every change makes a new revision, and results of older revisions are stale. UI thread only.
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
    void setJob(TrainingJob job, const QString &text);
    void endGesture();

    /// Atomic save of the cluster; the path becomes the document's and the undo stack clean.
    Result<void> saveAs(const QString &path);

signals:
    /// structure: devices, hubs, links or conflicts came or went (otherwise only figures or positions changed).
    void clusterChanged(bool structure);
    void jobChanged();
    void pathChanged();
    void modifiedChanged(bool modified);

private:
    friend class DocumentCommand;
    void restore(const Cluster &cluster, const TrainingJob &job);

    Cluster m_cluster;
    TrainingJob m_job;
    QString m_path;
    quint64 m_revision = 0;
    int m_gesture = 0;
    QUndoStack m_undo;
};

} // namespace polyrail
