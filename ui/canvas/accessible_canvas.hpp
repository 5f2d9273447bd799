// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace polyrail {

class ClusterView;

/// Screen readers see the canvas as a list of its devices, hubs and links, with what their tool tips say.
void installAccessibleCanvas(); ///< once; further calls do nothing
/// Tells them what the keyboard has moved to.
void announceFocus(ClusterView &view);

} // namespace polyrail
