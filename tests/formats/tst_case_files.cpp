// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/case_files.hpp"
#include "core/formats/csv_table.hpp"
#include "core/formats/json_files.hpp"

#include <QtTest>

using namespace polyrail;

class TestCaseFiles : public QObject
{
    Q_OBJECT
private slots:
    void tables();
    void brokenTables();
    void everyRowKeepsItsLine();
    void kindsByHeader();
    void unknownKinds();
    void sameOnAnyNumberOfThreads();
};

void TestCaseFiles::tables()
{
    const auto table = CsvTable::parse("\xEF\xBB\xBFid,text,n\r\na,\"one, \"\"two\"\"\nthree\",1\r\n\r\nb,,\n");
    QVERIFY(table.has_value());
    QCOMPARE(table->rowCount(), std::size_t(2));
    QCOMPARE(table->field(0, "text"), std::string("one, \"two\"\nthree"));
    QCOMPARE(table->field(0, "n"), std::string("1"));
    QCOMPARE(table->field(1, "text"), std::string());
    QCOMPARE(table->field(1, "no such column"), std::string());
    QVERIFY(table->complete(1));
    QCOMPARE(table->line(1), std::size_t(5));
    std::string out;
    appendCsvField(out, "a \"b\", c");
    QCOMPARE(out, std::string("\"a \"\"b\"\", c\""));
}

void TestCaseFiles::brokenTables()
{
    for (const char *text : {"", "\n\n", "id,id\n1,2\n", "id,x\n1,\"open\n"})
        QVERIFY2(!CsvTable::parse(text).has_value(), text);
    const auto shorter = CsvTable::parse("id,x,y\n1,2\n");
    QVERIFY(shorter.has_value());
    QVERIFY(!shorter->complete(0));
    QCOMPARE(shorter->field(0, "y"), std::string());
}

void TestCaseFiles::everyRowKeepsItsLine()
{
    const auto answer = predictCases("id,gpu,dtype,source,batch,m,n,k\n"
                                     "good,A100-80GB-SXM,bf16,x,1,4096,4096,4096\n"
                                     "stranger,Abacus 3000,bf16,x,1,4096,4096,4096\n"
                                     "words,A100-80GB-SXM,bf16,x,1,many,4096,4096\n"
                                     "short,A100-80GB-SXM,bf16\n"
                                     "format,A100-80GB-SXM,int3,x,1,4096,4096,4096\n"
                                     "empty,A100-80GB-SXM,bf16,x,1,0,4096,4096\n",
                                     2);
    QVERIFY(answer.has_value());
    const auto table = CsvTable::parse(*answer);
    QVERIFY(table.has_value());
    QCOMPARE(table->rowCount(), std::size_t(6));
    const double good = std::atof(table->field(0, "time_us").c_str());
    QVERIFY(good > 440 && good < 700); // 137.4 GFLOP at 312 TFLOP/s is 440 us
    QVERIFY(std::atof(table->field(0, "time_low_us").c_str()) < good);
    QVERIFY(std::atof(table->field(0, "time_high_us").c_str()) > good);
    const char *ids[] = {"good", "stranger", "words", "short", "format", "empty"};
    for (std::size_t i = 0; i < 6; ++i) {
        QCOMPARE(table->field(i, "id"), std::string(ids[i]));
        QVERIFY(i == 0 || table->field(i, "time_us").empty());
        QVERIFY(i == 0 || !table->field(i, "note").empty());
    }
    QVERIFY(table->field(1, "note").find("Abacus 3000") != std::string::npos);
    QVERIFY(table->field(2, "note").find("many") != std::string::npos);
}

void TestCaseFiles::kindsByHeader()
{
    const auto first = [](const Result<std::string> &r) { return r ? r->substr(0, r->find('\n')) : std::string(); };
    QCOMPARE(first(predictCases("id,global_batch\n", 1)),
             std::string("id,step_time_s,peak_mem_gib,step_low_s,step_high_s,note"));
    QCOMPARE(first(predictCases("id,collective,bytes\n", 1)), std::string("id,time_us,time_low_us,time_high_us,note"));
    QCOMPARE(first(predictCases("id,layer_kind\n", 1)), std::string("id,fwd_s,bwd_s,update_s,note"));
}

void TestCaseFiles::unknownKinds()
{
    QVERIFY(!predictCases("id,colour\n1,red\n", 1).has_value());
    QVERIFY(!predictCases("name,global_batch\n", 1).has_value());
    QVERIFY(!predictCases("", 1).has_value());
}

void TestCaseFiles::sameOnAnyNumberOfThreads()
{
    for (const char *name : {"training.csv", "collectives.csv", "products.csv"}) {
        const auto text = readTextFile(std::string(POLYRAIL_TEST_DATA) + "/measured/" + name);
        QVERIFY(text.has_value());
        const auto one = predictCases(*text, 1);
        const auto many = predictCases(*text, 4);
        QVERIFY(one.has_value());
        QVERIFY(*one == *many);
        QVERIFY(one->find(",,") == std::string::npos); // every row has its figures
    }
}

QTEST_GUILESS_MAIN(TestCaseFiles)
#include "tst_case_files.moc"
