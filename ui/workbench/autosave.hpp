// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.hpp"

#include <QDateTime>
#include <QLockFile>
#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

namespace polyrail {

class ModelLibrary;

/// Unsaved work of a window that did not close properly.
struct RecoveredWork
{
    QString file;     ///< the side file
    QString original; ///< the user's file; empty if it never had one
    QDateTime saved;
    Cluster cluster;
    TrainingJob job;
};

/// Keeps a copy of unsaved work in a side file of its own folder, never over the user's file. The side file goes when
/// the work is saved or given up, so one that is left tells of a crash.
class Autosave : public QObject
{
    Q_OBJECT
public:
    Autosave(Document &document, const ModelLibrary &library, QString folder, QObject *parent = nullptr);
    ~Autosave() override;

    /// Side files whose window is gone, newest first. Broken ones are left where they are and not listed.
    std::vector<RecoveredWork> leftovers() const;
    static void discard(const RecoveredWork &work);

    QString file() const { return m_file; }
    /// Writes at once if there is unsaved work. Errors are reported once.
    void writeNow();
    /// Removes the side file: the work is saved or given up.
    void forget();

signals:
    void failed(const QString &message);

private:
    void schedule();

    Document &m_document;
    const ModelLibrary &m_library;
    QString m_folder;
    QString m_file;
    std::unique_ptr<QLockFile> m_lock;
    QTimer m_timer;
    bool m_reported = false;
};

} // namespace polyrail
