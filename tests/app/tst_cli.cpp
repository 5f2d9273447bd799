// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

/// polyrail-cli as a user runs it: real processes, real files.
class TestCli : public QObject
{
    Q_OBJECT

    struct Outcome
    {
        int code = -1;
        QByteArray out;
        QByteArray err;
        QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
    };

    static Outcome cli(const QStringList &arguments, const QByteArray &input = {})
    {
        QProcess process;
        process.start(QStringLiteral(POLYRAIL_BIN_DIR "/polyrail-cli"), arguments);
        process.write(input);
        process.closeWriteChannel();
        Outcome o;
        if (process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit)
            o.code = process.exitCode();
        o.out = process.readAllStandardOutput();
        o.err = process.readAllStandardError();
        return o;
    }
    static QString sample(const char *name) { return QStringLiteral(POLYRAIL_SOURCE_DIR "/sample_clusters/") + name; }
    QString path(const char *name) const { return m_dir.filePath(QString::fromLatin1(name)); }
    QString write(const char *name, const QByteArray &text) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write a test file");
        return file.fileName();
    }
    static QByteArray read(const QString &name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir m_dir;

private slots:
    void planBeatsEqualSplitAndChecks()
    {
        const Outcome o = cli({"plan", sample("4090d-v100.json"), "llama-2-13b", "--time-limit", "10s", "--json", "-o",
                               path("plan.json"), "--schedule", path("schedule.json")});
        QVERIFY2(o.code == 0, o.err.constData());
        const QJsonObject json = o.json();
        for (const char *key : {"status", "objective_s", "bound_s", "gap", "nodes", "nodes_per_s", "simulations", "elapsed_s",
                                "plan", "baselines"})
            QVERIFY2(json.contains(QLatin1String(key)), key);
        const double objective = json["objective_s"].toDouble();
        QVERIFY(objective > 0);
        QVERIFY(json["bound_s"].toDouble() > 0);
        QVERIFY(json["bound_s"].toDouble() <= objective);
        QVERIFY(objective < json["baselines"].toObject()["equal split"].toDouble());
        QVERIFY(objective <= json["baselines"].toObject()["best uniform grid"].toDouble());
        QCOMPARE(json["plan"].toObject()["format"].toString(), QStringLiteral("polyrail-plan"));

        const Outcome check = cli({"check", path("schedule.json"), "--json"});
        QVERIFY2(check.code == 0, check.out.constData());
        QCOMPARE(check.json()["status"].toString(), QStringLiteral("valid"));
        QVERIFY(check.json()["tasks"].toInt() > 10);

        const Outcome again = cli({"simulate", sample("4090d-v100.json"), "llama-2-13b", path("plan.json"), "--json"});
        QVERIFY2(again.code == 0, again.err.constData());
        QCOMPARE(again.json()["objective_s"].toDouble(), objective);

        const Outcome trace = cli({"export", path("plan.json"), "--format", "chrome-trace", "-o", path("trace.json")});
        QVERIFY2(trace.code == 0, trace.err.constData());
        const QJsonObject events = QJsonDocument::fromJson(read(path("trace.json"))).object();
        QVERIFY(events["traceEvents"].toArray().size() > 100);
        const Outcome csv = cli({"export", path("schedule.json"), "--format", "csv"});
        QCOMPARE(csv.code, 0);
        QVERIFY(csv.out.startsWith("id,"));
    }

    void checkSeesAChangedSchedule()
    {
        QByteArray text = read(path("schedule.json"));
        QVERIFY(!text.isEmpty());
        QJsonObject schedule = QJsonDocument::fromJson(text).object();
        QJsonArray tasks = schedule["tasks"].toArray();
        // A compute task that starts one microsecond earlier than it can.
        for (qsizetype i = 1; i < tasks.size(); ++i) {
            QJsonObject task = tasks[i].toObject();
            if (task["kind"] != "compute" || task["preds"].toArray().isEmpty())
                continue;
            task["start_ns"] = task["start_ns"].toDouble() - 1000;
            tasks[i] = task;
            break;
        }
        schedule["tasks"] = tasks;
        const Outcome o = cli({"check", write("wrong.json", QJsonDocument(schedule).toJson()), "--json"});
        QCOMPARE(o.code, 1);
        QCOMPARE(o.json()["status"].toString(), QStringLiteral("invalid"));
    }

    void oneThreadRepeatsItself()
    {
        const QStringList arguments {"plan", sample("teaching-conflict.json"), "opt-350m", "--global-batch", "8", "--threads",
                                     "1", "--node-limit", "50", "--json"};
        QJsonObject a = cli(arguments).json();
        QJsonObject b = cli(arguments).json();
        QVERIFY(a.contains("plan"));
        for (QJsonObject *o : {&a, &b})
            for (const char *timing : {"elapsed_s", "nodes_per_s"})
                o->remove(QLatin1String(timing));
        QCOMPARE(a, b);
    }

    void modelShowsItsParameters()
    {
        const Outcome o = cli({"model", "llama-2-7b", "--json"});
        QCOMPARE(o.code, 0);
        QCOMPARE(o.json()["parameters"].toObject()["total"].toDouble(), 6738415616.0); // published: 6.74 B
        QVERIFY(o.json()["flops_per_token"].toDouble() > 4e10);
    }

    void importsTopology()
    {
        const QByteArray text = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\t0-15\t0\nGPU1\tNV4\t X \t0-15\t0\n";
        const Outcome o = cli({"import", "-", "--gpu", "RTX 3090", "-o", path("imported.json")}, text);
        QVERIFY2(o.code == 0, o.err.constData());
        const QJsonObject cluster = QJsonDocument::fromJson(read(path("imported.json"))).object();
        QCOMPARE(cluster["devices"].toArray().size(), 2);
        const Outcome plan = cli({"plan", path("imported.json"), "opt-350m", "--global-batch", "8", "--time-limit", "2s", "--json"});
        QVERIFY2(plan.code == 0, plan.err.constData());
    }

    void badInput_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("says");
        const QString good = sample("teaching-conflict.json");
        const QByteArray twoDevices = R"({"format":"polyrail-cluster","version":1,"devices":[{"id":"a","type":"T4"},{"id":"b","type":"T4"}],"links":[LINK]})";
        const auto withLink = [&](const char *link) { return QByteArray(twoDevices).replace("LINK", link); };
        const QStringList plan {"plan", "-", "opt-350m", "--time-limit", "1s"};
        const auto row = [](const char *name, const QStringList &a, const QByteArray &input, int code, const char *says) {
            QTest::newRow(name) << a << input << code << QByteArray(says);
        };
        row("no command", {}, {}, 2, "Usage");
        row("unknown command", {"fly"}, {}, 2, "fly");
        row("missing argument", {"plan", good}, {}, 2, "expected");
        row("unknown option", {"plan", good, "opt-350m", "--fast"}, {}, 2, "fast");
        row("no such file", {"plan", "nowhere.json", "opt-350m"}, {}, 2, "nowhere.json");
        row("unknown model", {"plan", good, "llama-99"}, {}, 2, "Presets");
        row("time without unit", {"plan", good, "opt-350m", "--time-limit", "10"}, {}, 2, "--time-limit");
        row("zero batch", {"plan", good, "opt-350m", "--global-batch", "0"}, {}, 2, "--global-batch");
        row("bad precision", {"plan", good, "opt-350m", "--precision", "fp4"}, {}, 2, "fp4");
        row("empty file", plan, {}, 2, "");
        row("not json", plan, "hello", 2, "");
        row("truncated", plan, twoDevices.left(60), 2, "");
        row("unknown device", plan, withLink(R"({"id":"l","ends":["a","c"],"kind":"pcie","latency":"1 us","bandwidth":"1 GB/s"})"), 2, "/links/0/ends/1");
        row("zero bandwidth", plan, withLink(R"({"id":"l","ends":["a","b"],"kind":"pcie","latency":"1 us","bandwidth":"0 GB/s"})"), 2, "/links/0/bandwidth");
        row("negative bandwidth", plan, withLink(R"({"id":"l","ends":["a","b"],"kind":"pcie","latency":"1 us","bandwidth":"-1 GB/s"})"), 2, "/links/0/bandwidth");
        row("bandwidth without unit", plan, withLink(R"({"id":"l","ends":["a","b"],"kind":"pcie","latency":"1 us","bandwidth":"200"})"), 2, "/links/0/bandwidth");
        row("NaN", plan, withLink(R"({"id":"l","ends":["a","b"],"kind":"pcie","latency":"1 us","bandwidth":"nan GB/s"})"), 2, "/links/0/bandwidth");
        row("duplicate id", plan, withLink(R"({"id":"a","ends":["a","b"],"kind":"pcie","latency":"1 us","bandwidth":"1 GB/s"})"), 2, "/links/0/id");
        row("unknown gpu", plan, QByteArray(twoDevices).replace("T4", "T400").replace("LINK", ""), 2, "/devices/0/type");
        row("nothing fits", {"plan", good, "llama-3.1-405b", "--time-limit", "5s"}, {}, 3, "memory");
        row("check of a plan that is none", {"check", good}, {}, 2, "");
        row("import without type", {"import", "-"}, "\tGPU0\tGPU1\nGPU0\t X \tSYS\nGPU1\tSYS\t X \n", 2, "GPU");
        row("export format", {"export", good, "--format", "pdf"}, {}, 2, "--format");
    }
    void badInput()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, input);
        QFETCH(int, code);
        QFETCH(QByteArray, says);
        const Outcome o = cli(arguments, input);
        QVERIFY2(o.code == code, ("code " + QByteArray::number(o.code) + ": " + o.err + o.out).constData());
        QVERIFY2(o.err.contains(says), o.err.constData());
    }

    void nothingIsOverwrittenOnError()
    {
        const QString file = write("keep.json", "precious");
        QCOMPARE(cli({"import", "-", "-o", file}, "garbage").code, 2);
        QCOMPARE(cli({"plan", "-", "opt-350m", "-o", file}, "garbage").code, 2);
        QCOMPARE(read(file), QByteArray("precious"));
        const Outcome o = cli({"plan", sample("teaching-conflict.json"), "opt-350m", "--global-batch", "8", "--time-limit", "1s",
                               "-o", path("no-such-folder/plan.json")});
        QCOMPARE(o.code, 2);
        QVERIFY(o.err.contains("no-such-folder"));
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
