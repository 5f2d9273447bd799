// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QTest>

// The floors of docs/architecture.md: a room includes only rooms below it.
class TestFloors : public QObject
{
    Q_OBJECT

    static const QMap<QString, QStringList> &allowed()
    {
        static const QMap<QString, QStringList> rooms = [] {
            QMap<QString, QStringList> r;
            r["core/base"] = {};
            r["core/cluster"] = {"core/base"};
            r["core/workload"] = {"core/base", "core/cluster"};
            r["core/sim"] = {"core/base", "core/cluster"};
            r["core/cost"] = {"core/base", "core/cluster", "core/workload", "core/sim"};
            r["core/plan"] = r["core/cost"] + QStringList {"core/cost"};
            r["core/search"] = r["core/plan"] + QStringList {"core/plan"};
            r["core/scenario"] = r["core/search"] + QStringList {"core/search"};
            r["core/formats"] = r["core/scenario"] + QStringList {"core/scenario"};
            const QStringList core = r["core/formats"] + QStringList {"core/formats"};
            r["ui/theme"] = core;
            r["ui/document"] = core + QStringList {"ui/theme"};
            r["ui/canvas"] = r["ui/inspector"] = r["ui/charts"] = r["ui/search"] = r["ui/document"] + QStringList {"ui/document"};
            r["ui/workbench"] = r["ui/canvas"] + QStringList {"ui/canvas", "ui/inspector", "ui/charts", "ui/search"};
            r["app"] = r["ui/workbench"] + QStringList {"ui/workbench"};
            r["app/cli"] = core;
            return r;
        }();
        return rooms;
    }

    static QString roomOf(const QString &path)
    {
        return path.startsWith("app/") && !path.startsWith("app/cli/") ? QString("app") : path.section('/', 0, 1);
    }

    /// What is wrong with one file, as sentences.
    static QStringList offences(const QString &path, const QString &text)
    {
        QStringList result;
        const QString room = roomOf(path);
        if (!allowed().contains(room))
            result += path + ": no such room in the house";
        static const QRegularExpression include(QStringLiteral("^\\s*#\\s*include\\s*[\"<]([^\">]+)[\">]"),
                                                QRegularExpression::MultilineOption);
        for (auto it = include.globalMatch(text); it.hasNext();) {
            const QString target = it.next().captured(1);
            if (target.startsWith("core/") || target.startsWith("ui/") || target.startsWith("app/")) {
                const QString other = roomOf(target);
                if (other != room && !allowed().value(room).contains(other))
                    result += path + " includes " + target + ", which is not below " + room;
            }
            const bool tbb = target.startsWith("oneapi/tbb") || target.startsWith("tbb/");
            if (tbb && !(path.startsWith("core/") && path.endsWith(".cpp")))
                result += path + " includes oneTBB; only core sources may";
            static const QRegularExpression qt(QStringLiteral("^(Qt?[A-Z]|qcustomplot)"));
            if (path.startsWith("core/") && qt.match(target).hasMatch())
                result += path + " includes " + target + "; core knows no Qt";
        }
        static const QRegularExpression loud(
            QStringLiteral("\\bstd::(cout|cerr|clog|exit|abort|terminate)\\b|\\b(printf|fprintf|puts|exit|abort)\\s*\\("));
        if (path.startsWith("core/") && loud.match(text).hasMatch())
            result += path + " prints, exits or aborts: " + loud.match(text).captured();
        return result;
    }

private slots:
    void sourcesKeepTheFloors()
    {
        const QDir top(QStringLiteral(POLYRAIL_SOURCE_DIR));
        QStringList found;
        int files = 0;
        for (const char *folder : {"core", "ui", "app"}) {
            QDirIterator it(top.filePath(folder), {"*.hpp", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                QFile file(it.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                found += offences(top.relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll()));
                ++files;
            }
        }
        QVERIFY2(files > 40, "the source tree was not found");
        QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
    }

    void offencesAreSeen_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("count");
        QTest::newRow("up") << "core/sim/a.cpp" << "#include \"core/plan/plan.hpp\"\n" << 1;
        QTest::newRow("down") << "core/plan/a.cpp" << "#include \"core/sim/schedule.hpp\"\n" << 0;
        QTest::newRow("formats from below") << "core/search/a.cpp" << "#include \"core/formats/builtin.hpp\"\n" << 1;
        QTest::newRow("core to ui") << "core/base/a.hpp" << "#include \"ui/theme/theme.hpp\"\n" << 1;
        QTest::newRow("sideways") << "ui/canvas/a.cpp" << "#include \"ui/charts/gantt_view.hpp\"\n" << 1;
        QTest::newRow("tbb in ui") << "ui/search/a.cpp" << "#include <oneapi/tbb/task_group.h>\n" << 1;
        QTest::newRow("tbb in a core header") << "core/search/a.hpp" << "#include <tbb/tbb.h>\n" << 1;
        QTest::newRow("tbb in a core source") << "core/search/a.cpp" << "#include <oneapi/tbb/task_group.h>\n" << 0;
        QTest::newRow("qt in core") << "core/base/a.cpp" << "#include <QString>\n" << 1;
        QTest::newRow("printing core") << "core/base/a.cpp" << "void f() { std::cout << 1; }\n" << 1;
        QTest::newRow("unknown room") << "core/attic/a.cpp" << "\n" << 1;
    }
    void offencesAreSeen()
    {
        QFETCH(QString, path);
        QFETCH(QString, text);
        QFETCH(int, count);
        QCOMPARE(offences(path, text).size(), count);
    }
};

QTEST_GUILESS_MAIN(TestFloors)
#include "tst_floors.moc"
