// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.hpp"
#include "ui/document/selection.hpp"

#include <QWidget>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace polyrail {

class DevicePanel;
class LinkPanel;
class PlacePanel;

/// The figures of what is selected, to see and to change; several links or devices at once. Every change is an undo
/// step of the document; a drag of the slider is one step.
class Inspector : public QWidget
{
    Q_OBJECT
public:
    Inspector(Document &document, SelectionModel &selection, QWidget *parent = nullptr);

    QSize sizeHint() const override;

protected:
    void changeEvent(QEvent *event) override;

private:
    void refresh();
    void stepInBundle();
    QWidget *makeHeader();
    QWidget *makeEmpty();

    Document &m_document;
    SelectionModel &m_selection;
    QWidget *m_header = nullptr;
    QLabel *m_mark = nullptr;
    QLabel *m_name = nullptr;
    QLabel *m_detail = nullptr;
    QLabel *m_position = nullptr;
    QToolButton *m_next = nullptr;
    QStackedWidget *m_stack = nullptr;
    QWidget *m_empty = nullptr;
    LinkPanel *m_links = nullptr;
    DevicePanel *m_devices = nullptr;
    PlacePanel *m_place = nullptr;
};

} // namespace polyrail
