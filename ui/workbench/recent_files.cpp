// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/recent_files.hpp"

#include <QFileInfo>
#include <QSettings>

namespace polyrail {

namespace {

const QString key = QStringLiteral("recent/files");

} // namespace

QStringList RecentFiles::paths() const { return m_settings.value(key).toStringList(); }

void RecentFiles::add(const QString &path)
{
    QStringList all = paths();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    all.removeAll(absolute);
    all.prepend(absolute);
    while (all.size() > most)
        all.removeLast();
    m_settings.setValue(key, all);
}

void RecentFiles::remove(const QString &path)
{
    QStringList all = paths();
    all.removeAll(path);
    m_settings.setValue(key, all);
}

void RecentFiles::clear() { m_settings.remove(key); }

} // namespace polyrail
