// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.hpp"
#include "ui/workbench/message_area.hpp"
#include "ui/workbench/recent_files.hpp"

#include <QObject>

class QSettings;

namespace polyrail {

class ModelLibrary;
class SearchController;

/// Brings files into the document and out again. Nothing here asks: dialogs are the window's. On any error the document
/// stays as it was, and message() says what was found and what to do.
class DocumentIo : public QObject
{
    Q_OBJECT
public:
    DocumentIo(Document &document, SearchController &search, ModelLibrary &library, QSettings &settings,
               QObject *parent = nullptr);

    void newDocument();
    /// Any file that is understood, by its content: cluster, plan, config.json, nvidia-smi topo -m.
    bool open(const QString &path);
    /// `path`: where the text came from, empty for the clipboard or stdin; `name` is what messages call it.
    bool openText(const QByteArray &text, const QString &name, const QString &path = {});
    bool openSample(const QString &file);
    /// A config.json becomes the document's model (one undo step).
    bool importModel(const QString &path);
    bool importTopology(const QByteArray &text, const QString &name, const QString &gpuType);
    /// Puts a cluster and job in place of what is there, as opened from `path`.
    void adopt(Cluster cluster, TrainingJob job, const QString &path);

    bool save(const QString &path);

    RecentFiles &recent() { return m_recent; }
    /// Suggested file name: the path, or one made from the cluster's name.
    QString suggestedPath(const QString &suffix) const;

signals:
    void message(polyrail::MessageKind kind, const QString &text);
    /// The text never names the GPU: ask, then call importTopology(). `recognised` says what was found.
    void gpuTypeNeeded(const QByteArray &text, const QString &name, const QString &recognised);
    /// Another document is in place.
    void opened();
    void modelsChanged();

private:
    bool openCluster(const std::string &text, const QString &name, const QString &path);
    bool openPlan(const std::string &text, const QString &name);
    bool openModel(const QByteArray &text, const QString &name);
    bool report(const Error &error, const QString &name);
    void rememberJob(const QString &path);
    TrainingJob jobFor(const QString &path) const;

    Document &m_document;
    SearchController &m_search;
    ModelLibrary &m_library;
    QSettings &m_settings;
    RecentFiles m_recent;
};

} // namespace polyrail
