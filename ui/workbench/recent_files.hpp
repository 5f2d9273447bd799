// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QSettings;

namespace polyrail {

/// The files opened and saved last, newest first, in the settings.
class RecentFiles
{
public:
    static constexpr int most = 12;

    explicit RecentFiles(QSettings &settings) : m_settings(settings) {}
    QStringList paths() const;
    void add(const QString &path);
    void remove(const QString &path);
    void clear();

private:
    QSettings &m_settings;
};

} // namespace polyrail
