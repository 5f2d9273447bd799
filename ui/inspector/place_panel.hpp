// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.hpp"
#include "ui/document/selection.hpp"

#include <QWidget>

class QComboBox;
class QLabel;

namespace polyrail {

class QuantityField;

/// A hub or a host: its name, its kind, what it holds or what it is joined to.
class PlacePanel : public QWidget
{
    Q_OBJECT
public:
    PlacePanel(Document &document, SelectionModel &selection, QWidget *parent = nullptr);

    void setPlace(const QString &id); ///< a hub, or a host by its key

private:
    Document &m_document;
    SelectionModel &m_selection;
    QString m_id;
    QuantityField *m_name = nullptr;
    QLabel *m_kindLabel = nullptr;
    QComboBox *m_kind = nullptr;
    QLabel *m_holds = nullptr;
};

} // namespace polyrail
