// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/translations.hpp"

#include <QApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace polyrail {

void installTranslations(QApplication &application, const QLocale &locale)
{
    const auto install = [&](const QLocale &language, const QString &name, const QString &folder) {
        auto *translator = new QTranslator(&application);
        if (translator->load(language, name, QStringLiteral("_"), folder))
            QCoreApplication::installTranslator(translator); // the one installed last is asked first
        else
            delete translator;
    };
    const QString own = QStringLiteral("polyrail");
    const QString folder = QStringLiteral(":/i18n");
    install(QLocale(QLocale::English), own, folder);
    if (locale.language() == QLocale::English)
        return;
    install(locale, QStringLiteral("qtbase"), QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    install(locale, own, folder);
}

} // namespace polyrail
