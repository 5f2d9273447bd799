// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QColor>
#include <QString>

namespace polyrail {

struct Theme;

/// ui/theme/polyrail.qss with its placeholders filled in: @name@ is a colour of the theme, @px:12@ a length of the
/// 100 % design at `scale`, @icon:check:onAccent@ a file with that icon in that colour.
QString styleSheet(const Theme &theme, double scale);

/// The bundled icon as SVG text with its lines in `colour` (stroke 1.75); empty if there is none of that name.
QByteArray iconSvg(const QString &name, const QColor &colour);

/// A colour of the theme by its field's name; invalid if there is none.
QColor themeColor(const Theme &theme, const QString &name);

} // namespace polyrail
