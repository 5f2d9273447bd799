// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/cluster_text.hpp"

#include "core/base/quantity.hpp"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace polyrail {

QString kindName(LinkKind kind)
{
    switch (kind) {
    case LinkKind::NvLink: return QCoreApplication::translate("polyrail::ClusterText", "NVLink");
    case LinkKind::Pcie: return QCoreApplication::translate("polyrail::ClusterText", "PCIe");
    case LinkKind::Network: return QCoreApplication::translate("polyrail::ClusterText", "NIC rail");
    case LinkKind::HostBus: return QCoreApplication::translate("polyrail::ClusterText", "Host bus");
    case LinkKind::Other: return QCoreApplication::translate("polyrail::ClusterText", "Other");
    }
    return QCoreApplication::translate("polyrail::ClusterText", "Other");
}

QString kindName(HubKind kind)
{
    switch (kind) {
    case HubKind::NvSwitch: return QCoreApplication::translate("polyrail::ClusterText", "NVSwitch");
    case HubKind::PcieSwitch: return QCoreApplication::translate("polyrail::ClusterText", "PCIe switch");
    case HubKind::Cpu: return QCoreApplication::translate("polyrail::ClusterText", "CPU");
    case HubKind::Nic: return QCoreApplication::translate("polyrail::ClusterText", "NIC");
    case HubKind::Switch: return QCoreApplication::translate("polyrail::ClusterText", "Network switch");
    case HubKind::Other: return QCoreApplication::translate("polyrail::ClusterText", "Hub");
    }
    return QCoreApplication::translate("polyrail::ClusterText", "Hub");
}

QString gibText(double bytes)
{
    const double gib = bytes / 1073741824.0;
    const bool whole = std::abs(gib - std::round(gib)) < 0.05;
    return QLocale().toString(gib, 'f', whole ? 0 : 1);
}

QString durationText(Seconds s)
{
    QString words = QString::fromStdString(formatDuration(s));
    if (words.endsWith(QLatin1String(" us")))
        words.replace(words.size() - 2, 1, QStringLiteral("µ"));
    return words;
}

} // namespace polyrail
