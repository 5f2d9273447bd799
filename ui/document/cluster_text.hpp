// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"

#include <QString>

namespace polyrail {

// The parts of a cluster in the user's words, the same on the canvas and in the inspector.

QString kindName(LinkKind kind); ///< "NVLink"
QString kindName(HubKind kind);
QString gibText(double bytes);   ///< "18.9"
QString durationText(Seconds s); ///< "12 µs"

} // namespace polyrail
