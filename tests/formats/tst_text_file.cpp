// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_files.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace polyrail;

namespace {

std::string contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string("<missing>");
}

} // namespace

class TestTextFile : public QObject
{
    Q_OBJECT

private slots:
    void writesAndReads();
    void replacesWholeFiles();
    void aFullDiskLeavesTheOldFile();
    void errorsNameTheFile();
    void linksAndModesAreKept();
    void devicesAreWrittenThrough();
};

void TestTextFile::writesAndReads()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.json").toStdString();
    const std::string text = std::string("a\0b\n", 4) + std::string(300000, 'x');
    QVERIFY(writeTextFile(path, text));
    const auto read = readTextFile(path);
    QVERIFY(read.has_value());
    QVERIFY(*read == text);
    QVERIFY(writeTextFile(path, ""));
    QCOMPARE(*readTextFile(path), std::string());
    QCOMPARE(readTextFile(path, 0)->size(), std::size_t(0));
}

void TestTextFile::replacesWholeFiles()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("a.json");
    QVERIFY(writeTextFile(path.toStdString(), "a long first text"));
    QVERIFY(writeTextFile(path.toStdString(), "short"));
    QCOMPARE(contents(path), std::string("short"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("a.json")); // nothing left behind
}

void TestTextFile::aFullDiskLeavesTheOldFile()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("a.json");
    QVERIFY(writeTextFile(path.toStdString(), "old"));
    // A limit on the size of files stands for a full disk.
    rlimit before {};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 1000;
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = writeTextFile(path.toStdString(), std::string(100000, 'x'));
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    QVERIFY(!written);
    QCOMPARE(written.error().kind, ErrorKind::Io);
    QCOMPARE(contents(path), std::string("old"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("a.json"));
}

void TestTextFile::errorsNameTheFile()
{
    QTemporaryDir folder;
    const std::string missing = folder.filePath("no/such.json").toStdString();
    const auto read = readTextFile(missing);
    QVERIFY(!read);
    QCOMPARE(read.error().where, missing);
    QCOMPARE(read.error().kind, ErrorKind::Io);
    QVERIFY(!read.error().remedy.empty());
    QVERIFY(!writeTextFile(missing, "x"));
    QVERIFY(!readTextFile(folder.path().toStdString()));
    QVERIFY(!writeTextFile(folder.path().toStdString(), "x"));
    const std::string path = folder.filePath("big.json").toStdString();
    QVERIFY(writeTextFile(path, std::string(100, 'x')));
    QVERIFY(!readTextFile(path, 99));
    QVERIFY(readTextFile(path, 100));
}

void TestTextFile::linksAndModesAreKept()
{
    QTemporaryDir folder;
    const QString target = folder.filePath("target.json");
    const QString link = folder.filePath("link.json");
    QVERIFY(writeTextFile(target.toStdString(), "old"));
    QCOMPARE(::chmod(target.toLocal8Bit().constData(), 0640), 0);
    QCOMPARE(::symlink("target.json", link.toLocal8Bit().constData()), 0);
    QVERIFY(writeTextFile(link.toStdString(), "new"));
    QCOMPARE(contents(target), std::string("new"));
    QVERIFY(QFileInfo(link).isSymLink());
    struct stat status {};
    QCOMPARE(::stat(target.toLocal8Bit().constData(), &status), 0);
    QCOMPARE(int(status.st_mode & 0777), 0640);
}

void TestTextFile::devicesAreWrittenThrough()
{
    QVERIFY(writeTextFile("/dev/null", "text"));
    struct stat status {};
    QCOMPARE(::stat("/dev/null", &status), 0);
    QVERIFY(S_ISCHR(status.st_mode));
    QVERIFY(!writeTextFile("/dev/full", "text"));
}

QTEST_GUILESS_MAIN(TestTextFile)
#include "tst_text_file.moc"
