// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QString>

namespace polyrail {

/// A muted label in the left column of a panel's grid, belonging to `field` for screen readers and mnemonics.
inline QLabel *addLabel(QGridLayout &grid, int row, const QString &text, QWidget *field)
{
    auto *label = new QLabel(text);
    label->setProperty("role", QStringLiteral("muted"));
    label->setBuddy(field);
    grid.addWidget(label, row, 0, Qt::AlignLeft | Qt::AlignTop);
    label->setMinimumHeight(28);
    label->setAlignment(Qt::AlignVCenter | Qt::AlignLeft);
    return label;
}

/// The value that all share, or `otherwise`.
template<class List, class F, class T>
T common(const List &list, F value, T otherwise)
{
    if (list.empty())
        return otherwise;
    const T first = value(list.front());
    for (const auto &item : list)
        if (!(value(item) == first))
            return otherwise;
    return first;
}

} // namespace polyrail
