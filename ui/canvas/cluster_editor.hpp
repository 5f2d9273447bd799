// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/canvas/canvas_model.hpp"
#include "ui/document/cluster_edits.hpp"
#include "ui/document/document.hpp"
#include "ui/document/selection.hpp"

#include <QObject>

namespace polyrail {

/// The canvas' edits of the document: each is one undo step with a name that people can read, and selects what it
/// made. Knows no widget. Edits for which nothing suitable is selected do nothing and return false.
class ClusterEditor : public QObject
{
    Q_OBJECT
public:
    enum class Edge { Left, Centre, Right, Top, Middle, Bottom };

    ClusterEditor(Document &document, SelectionModel &selection, const CanvasModel &model, QObject *parent = nullptr);

    bool addDevice(const GpuType &type, const QPointF &at);
    bool addHub(HubKind kind, const QPointF &at);
    bool connectVertices(VertexId a, VertexId b);
    bool connectSelected(); ///< exactly two devices or hubs
    bool remove();
    bool duplicate();
    bool copy() const; ///< to the clipboard, as a cluster file
    bool cut();
    bool paste(const QPointF *at = nullptr); ///< centred there, else beside the place it was copied from
    static bool canPaste();
    bool move(const std::vector<VertexId> &vertices, const QPointF &by, const QString &mergeKey = {});
    bool align(Edge edge);
    bool distribute(bool horizontally);
    bool arrange(); ///< the automatic layout, for all
    bool group();
    bool ungroup();
    bool makeConflict(ConflictKind kind, BytesPerSecond capacity);
    bool removeConflicts(); ///< those of the selected links
    bool setLinksUp(bool up);
    void selectAll();
    void selectAllLinks();

    std::vector<LinkId> selectedLinks() const;
    std::vector<VertexId> selectedVertices() const; ///< members of selected hosts included
    std::vector<std::size_t> conflictsOfSelection() const;
    BytesPerSecond suggestedCapacity() const; ///< of the fastest selected link
    const QString &lastError() const { return m_error; }

signals:
    void failed(const QString &message);

private:
    Ids selectedIds() const;
    ClusterParts withPlaces(ClusterParts parts) const; ///< what the canvas shows becomes the cluster's own layout
    bool commit(ClusterParts parts, const QString &text, const QString &mergeKey = {});
    bool commit(Edited edited, const QString &text);
    bool place(const std::vector<std::pair<VertexId, QPointF>> &centres, const QString &text);
    HostId hostAt(const QPointF &point) const;

    Document &m_document;
    SelectionModel &m_selection;
    const CanvasModel &m_model;
    QString m_error;
    mutable int m_pastes = 0; ///< each paste of one copy stands further off
};

} // namespace polyrail
