// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QKeySequence>

#include <vector>

class QLineEdit;
class QTreeWidget;

namespace polyrail {

/// One line of the list: what happens, and the keys or gesture.
struct ShortcutEntry
{
    QString group;
    QString what;
    QString keys;
};

/// All shortcuts in one list that can be searched. Stays open beside the window.
class ShortcutsDialog : public QDialog
{
    Q_OBJECT
public:
    ShortcutsDialog(const std::vector<ShortcutEntry> &entries, QWidget *parent = nullptr);

private:
    void filter(const QString &text);

    QLineEdit *m_filter;
    QTreeWidget *m_list;
};

} // namespace polyrail
