// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/gpu_type_dialog.hpp"

#include "core/base/quantity.hpp"
#include "ui/theme/theme.hpp"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace polyrail {

GpuTypeDialog::GpuTypeDialog(const Catalogue &catalogue, const QString &recognised, QWidget *parent)
    : QDialog(parent), m_filter(new QLineEdit), m_list(new QListWidget)
{
    setWindowTitle(tr("Which GPU is it?"));
    auto *text = new QLabel(tr("The output of nvidia-smi topo names the connections, not the GPU.") + QLatin1Char('\n')
                            + (recognised.isEmpty() ? QString() : tr("Recognised: %1.").arg(recognised)));
    text->setWordWrap(true);
    text->setTextFormat(Qt::PlainText);
    m_filter->setPlaceholderText(tr("Find a type"));
    m_filter->setAccessibleName(tr("Find a type"));
    m_filter->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("GPU types"));
    m_list->setUniformItemSizes(true);
    for (const GpuType &type : catalogue.types()) {
        const QString name = QString::fromStdString(type.name);
        auto *item = new QListWidgetItem(tr("%1, %2").arg(name, QString::fromStdString(formatBytes(type.memory))));
        item->setData(Qt::UserRole, name);
        QString aliases;
        for (const std::string &alias : type.aliases)
            aliases += QString::fromStdString(alias) + QLatin1Char(' ');
        item->setData(Qt::UserRole + 1, aliases);
        m_list->addItem(item);
    }
    if (m_list->count() > 0)
        m_list->setCurrentRow(0);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Import"));
    connect(buttons, &QDialogButtonBox::accepted, this, &GpuTypeDialog::choose);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_list, &QListWidget::itemActivated, this, &GpuTypeDialog::choose);
    connect(m_filter, &QLineEdit::textChanged, this, &GpuTypeDialog::filter);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(text);
    layout->addWidget(m_filter);
    layout->addWidget(m_list, 1);
    layout->addWidget(buttons);
    resize(scaled(420), scaled(460));
    m_filter->setFocus();
}

void GpuTypeDialog::filter(const QString &text)
{
    QListWidgetItem *first = nullptr;
    for (int i = 0; i < m_list->count(); ++i) {
        QListWidgetItem *item = m_list->item(i);
        const bool match = item->text().contains(text, Qt::CaseInsensitive)
            || item->data(Qt::UserRole + 1).toString().contains(text, Qt::CaseInsensitive);
        item->setHidden(!match);
        if (match && !first)
            first = item;
    }
    if (first && m_list->currentItem() && m_list->currentItem()->isHidden())
        m_list->setCurrentItem(first);
}

void GpuTypeDialog::choose()
{
    const QListWidgetItem *item = m_list->currentItem();
    if (!item || item->isHidden())
        return;
    emit chosen(item->data(Qt::UserRole).toString());
    accept();
}

} // namespace polyrail
