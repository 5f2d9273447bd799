// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QApplication;
class QLocale;

namespace polyrail {

/// Installs the words of a language; English plural forms lie below any language. Before the first widget.
void installTranslations(QApplication &application, const QLocale &locale);

} // namespace polyrail
