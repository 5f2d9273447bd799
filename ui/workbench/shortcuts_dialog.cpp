// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/shortcuts_dialog.hpp"

#include "ui/theme/theme.hpp"

#include <QDialogButtonBox>
#include <QHash>
#include <QHeaderView>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace polyrail {

ShortcutsDialog::ShortcutsDialog(const std::vector<ShortcutEntry> &entries, QWidget *parent)
    : QDialog(parent), m_filter(new QLineEdit), m_list(new QTreeWidget)
{
    setWindowTitle(tr("Keyboard shortcuts"));
    m_filter->setPlaceholderText(tr("Find a shortcut"));
    m_filter->setAccessibleName(tr("Find a shortcut"));
    m_filter->setClearButtonEnabled(true);
    m_list->setColumnCount(2);
    m_list->setHeaderLabels({tr("What"), tr("Keys")});
    m_list->setAccessibleName(windowTitle());
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setIndentation(scaled(12));
    QHash<QString, QTreeWidgetItem *> groups;
    for (const ShortcutEntry &entry : entries) {
        QTreeWidgetItem *&group = groups[entry.group];
        if (!group) {
            group = new QTreeWidgetItem(m_list, {entry.group});
            group->setFirstColumnSpanned(true);
            group->setFlags(Qt::ItemIsEnabled);
            group->setFont(0, uiFont(TextRole::PanelTitle));
        }
        new QTreeWidgetItem(group, {entry.what, entry.keys});
    }
    m_list->expandAll();
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_list->header()->setStretchLastSection(false);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_filter, &QLineEdit::textChanged, this, &ShortcutsDialog::filter);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_filter);
    layout->addWidget(m_list, 1);
    layout->addWidget(buttons);
    resize(scaled(560), scaled(620));
}

void ShortcutsDialog::filter(const QString &text)
{
    for (int g = 0; g < m_list->topLevelItemCount(); ++g) {
        QTreeWidgetItem *group = m_list->topLevelItem(g);
        bool any = false;
        for (int i = 0; i < group->childCount(); ++i) {
            QTreeWidgetItem *item = group->child(i);
            const bool match = text.isEmpty() || item->text(0).contains(text, Qt::CaseInsensitive)
                || item->text(1).contains(text, Qt::CaseInsensitive);
            item->setHidden(!match);
            any = any || match;
        }
        group->setHidden(!any);
    }
}

} // namespace polyrail
