// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/main_window.hpp"

#include "core/formats/builtin.hpp"
#include "ui/canvas/cluster_view.hpp"
#include "ui/charts/convergence_view.hpp"
#include "ui/charts/gantt_view.hpp"
#include "ui/workbench/gpu_type_dialog.hpp"

#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>

namespace polyrail {

namespace {

bool hasLocalFile(const QMimeData &data)
{
    for (const QUrl &url : data.urls())
        if (url.isLocalFile())
            return true;
    return false;
}

} // namespace

QString MainWindow::folder() const
{
    if (!m_document.path().isEmpty())
        return QFileInfo(m_document.path()).path();
    return m_settings->value(QStringLiteral("folder")).toString();
}

void MainWindow::rememberFolder(const QString &path)
{
    m_settings->setValue(QStringLiteral("folder"), QFileInfo(path).absolutePath());
}

bool MainWindow::maybeSave()
{
    if (!m_document.isModified())
        return true;
    QMessageBox box(QMessageBox::Warning, tr("Unsaved changes"), tr("Save your changes to the cluster?"),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setInformativeText(tr("They are lost otherwise."));
    box.setDefaultButton(QMessageBox::Save);
    switch (box.exec()) {
    case QMessageBox::Save: return save();
    case QMessageBox::Discard: return true;
    default: return false;
    }
}

bool MainWindow::save() { return m_document.path().isEmpty() ? saveAs() : m_io->save(m_document.path()); }

bool MainWindow::saveAs()
{
    const QString suggested
        = m_document.path().isEmpty() ? m_io->suggestedPath(QStringLiteral(".cluster.json")) : m_document.path();
    const QString path = QFileDialog::getSaveFileName(this, tr("Save cluster"), suggested,
                                                      tr("Polyrail clusters (*.cluster.json *.json);;All files (*)"));
    if (path.isEmpty())
        return false;
    rememberFolder(path);
    return m_io->save(path);
}

void MainWindow::openDialog()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open"), folder(),
        tr("Clusters, plans, config.json, nvidia-smi output (*.json *.txt *.log);;All files (*)"));
    if (path.isEmpty())
        return;
    rememberFolder(path);
    openPath(path);
}

void MainWindow::openPath(const QString &path)
{
    if (maybeSave() && !m_io->open(path) && !QFileInfo::exists(path))
        m_io->recent().remove(path);
}

void MainWindow::openPastedText(const QByteArray &text, const QString &name)
{
    if (maybeSave())
        m_io->openText(text, name);
}

void MainWindow::importTopologyDialog()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Import the output of nvidia-smi topo -m"), folder(),
                                                      tr("Text (*.txt *.log);;All files (*)"));
    if (path.isEmpty())
        return;
    rememberFolder(path);
    openPath(path);
}

void MainWindow::importModelDialog()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Import a model's config.json"), folder(),
                                                      tr("Hugging Face configurations (*.json);;All files (*)"));
    if (path.isEmpty())
        return;
    rememberFolder(path);
    m_io->importModel(path);
}

void MainWindow::askGpuType(const QByteArray &text, const QString &name, const QString &recognised)
{
    auto *dialog = new GpuTypeDialog(builtinCatalogue(), recognised, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &GpuTypeDialog::chosen, this,
            [this, text, name](const QString &type) { m_io->importTopology(text, name, type); });
    dialog->open();
}

void MainWindow::exportDialog(ExportKind kind)
{
    const ExportFormat format = exportFormat(kind);
    const QString path
        = QFileDialog::getSaveFileName(this, format.title, m_io->suggestedPath(format.suffix), format.filter);
    if (path.isEmpty())
        return;
    rememberFolder(path);
    exportTo(kind, path);
}

bool MainWindow::exportTo(ExportKind kind, const QString &path)
{
    ExportSource source;
    source.shown = &m_search->shown();
    source.snapshot = m_search->isSnapshotStale() ? nullptr : m_search->snapshot().get();
    source.canvas = m_canvas;
    source.gantt = m_gantt;
    source.convergence = m_convergence;
    const auto written = exportFile(kind, path, source);
    const QString native = QDir::toNativeSeparators(path);
    if (!written) {
        m_messages->post(MessageKind::Error, QString::fromStdString(written.error().message()));
        return false;
    }
    m_messages->post(MessageKind::Note, tr("Written: %1").arg(native), {}, QStringLiteral("exported"));
    return true;
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (hasLocalFile(*event->mimeData()) || event->mimeData()->hasText())
        event->acceptProposedAction();
}

void MainWindow::dragMoveEvent(QDragMoveEvent *event)
{
    if (hasLocalFile(*event->mimeData()) || event->mimeData()->hasText())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    event->acceptProposedAction();
    for (const QUrl &url : event->mimeData()->urls())
        if (url.isLocalFile()) {
            openPath(url.toLocalFile());
            return; // one document per window
        }
    if (event->mimeData()->hasText())
        openPastedText(event->mimeData()->text().toUtf8(), tr("dropped text"));
}

} // namespace polyrail
