// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <optional>
#include <string>
#include <vector>

/// The published schemas, applied by a validator that is not ours.
namespace schema {

/// One complaint per document, empty when there is none; nothing at all when python3 with the jsonschema
/// module is not here.
inline std::optional<QStringList> complaints(const QString &schemaFile, const std::vector<std::string> &documents)
{
    QProcess probe;
    probe.start("python3", {"-c", "import jsonschema; jsonschema.Draft202012Validator"});
    if (!probe.waitForFinished(60000) || probe.exitCode() != 0)
        return std::nullopt;
    QTemporaryDir folder;
    QStringList arguments = {"-c",
                             "import json, sys, jsonschema\n"
                             "schema = json.load(open(sys.argv[1]))\n"
                             "jsonschema.Draft202012Validator.check_schema(schema)\n"
                             "validator = jsonschema.Draft202012Validator(schema)\n"
                             "for name in sys.argv[2:]:\n"
                             "    errors = sorted(validator.iter_errors(json.load(open(name))), key=str)\n"
                             "    print('; '.join('/' + '/'.join(map(str, e.absolute_path)) + ': '\n"
                             "          + e.message[:200].replace('\\n', ' ') for e in errors[:5]))\n",
                             QStringLiteral(POLYRAIL_SOURCE_DIR "/docs/formats/") + schemaFile};
    for (const std::string &document : documents) {
        arguments << folder.filePath(QString::number(arguments.size()) + ".json");
        QFile file(arguments.back());
        if (!file.open(QIODevice::WriteOnly) || file.write(document.data(), qint64(document.size())) < 0)
            return QStringList(qsizetype(documents.size()), QStringLiteral("cannot write a temporary file"));
    }
    QProcess python;
    python.start("python3", arguments);
    if (!python.waitForFinished(100000) || python.exitCode() != 0)
        return QStringList(qsizetype(documents.size()), QString::fromUtf8(python.readAllStandardError()));
    QStringList lines = QString::fromUtf8(python.readAllStandardOutput()).split('\n');
    lines.removeLast();
    return lines;
}

} // namespace schema
