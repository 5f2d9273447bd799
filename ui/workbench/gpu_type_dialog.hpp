// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/gpu_type.hpp"

#include <QDialog>

class QLineEdit;
class QListWidget;

namespace polyrail {

/// Asks which GPU an imported machine has: a list of the catalogue that can be searched.
class GpuTypeDialog : public QDialog
{
    Q_OBJECT
public:
    /// `recognised`: what the text did say, shown above the list.
    GpuTypeDialog(const Catalogue &catalogue, const QString &recognised, QWidget *parent = nullptr);

signals:
    void chosen(const QString &type);

private:
    void filter(const QString &text);
    void choose();

    QLineEdit *m_filter;
    QListWidget *m_list;
};

} // namespace polyrail
