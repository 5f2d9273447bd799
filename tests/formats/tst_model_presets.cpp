// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/builtin.hpp"
#include "core/formats/model_presets.hpp"
#include "core/workload/transformer.hpp"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

using namespace polyrail;

class tst_model_presets : public QObject
{
    Q_OBJECT
private slots:
    void totalsAreThePublishedOnes_data();
    void totalsAreThePublishedOnes();
    void everyPresetIsSound();
    void findsByName();
    void refusesBrokenFiles_data();
    void refusesBrokenFiles();
};

void tst_model_presets::totalsAreThePublishedOnes_data()
{
    const auto presets = readModelPresets(builtinText("resources/models.json"));
    QVERIFY2(presets, presets ? "" : presets.error().message().c_str());
    QVERIFY(presets->size() >= 25);
    QTest::addColumn<qint64>("total");
    QTest::addColumn<qint64>("published");
    for (const ModelPreset &preset : *presets)
        QTest::newRow(preset.shape.name.c_str())
            << qint64(countParameters(preset.shape).total) << qint64(preset.publishedParameters);
}

void tst_model_presets::totalsAreThePublishedOnes()
{
    QFETCH(qint64, total);
    QFETCH(qint64, published);
    // Papers round ("13 billion" for 12.85), checkpoints do not.
    if (published % 100000000 == 0)
        QVERIFY2(std::abs(double(total) / double(published) - 1) < 0.015, qPrintable(QString::number(total)));
    else
        QCOMPARE(total, published);
}

void tst_model_presets::everyPresetIsSound()
{
    std::set<std::string> names;
    for (const ModelShape &shape : modelPresets()) {
        QVERIFY2(checkShape(shape), shape.name.c_str());
        QVERIFY2(names.insert(shape.name).second, shape.name.c_str());
        QVERIFY2(!shape.source.empty(), shape.name.c_str());
        QVERIFY2(shape.defaultSequence >= 1024 && shape.defaultSequence <= 8192, shape.name.c_str());
        // The operators of a layer hold the weights that were counted.
        TrainingJob job;
        job.model = shape;
        const auto weights = [](const std::vector<Operator> &ops) {
            double sum = 0;
            for (const Operator &op : ops)
                sum += op.parameterBytes / 2;
            return sum;
        };
        const ParameterCount p = countParameters(shape);
        if (!shape.isExpertLayer(0))
            QCOMPARE(weights(layerForward(job, LayerKind::Dense, {})), double(p.denseLayer));
        if (shape.experts > 0)
            QCOMPARE(weights(layerForward(job, LayerKind::Expert, {})), double(p.expertLayer));
    }
}

void tst_model_presets::findsByName()
{
    const ModelShape *llama = findPreset("LLaMA-2-13B");
    QVERIFY(llama);
    QCOMPARE(llama->name, std::string("llama-2-13b"));
    QCOMPARE(llama->layers, 40);
    QCOMPARE(llama->hidden, 5120);
    QCOMPARE(llama->defaultSequence, 4096);
    QVERIFY(!findPreset("llama-2"));
    QVERIFY(!findPreset(""));
    // What the application is expected to offer.
    for (const char *name :
         {"gpt2-xl", "gpt3-175b", "opt-350m", "opt-1.3b", "opt-30b", "llama-2-7b", "llama-2-13b", "llama-2-70b",
          "llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "mistral-7b", "mixtral-8x7b", "qwen2-7b", "qwen3-32b",
          "qwen3-30b-a3b", "deepseek-v3", "gemma-7b", "phi-3-mini", "gpt-neox-20b", "falcon-40b"})
        QVERIFY2(findPreset(name), name);
    QVERIFY(findPreset("gpt3-175b")->dropout);
    QVERIFY(!findPreset("llama-3.1-8b")->dropout);
    QVERIFY(findPreset("deepseek-v3")->latent);
}

void tst_model_presets::refusesBrokenFiles_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("where");
    const QString one = R"({"name": "a", "parameters": 1000, "source": "s", "sequence": 8, "config": %1})";
    const QString good = R"({"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2,
                            "intermediate_size": 16, "vocab_size": 10})";
    const QString file = R"({"format": "polyrail-models", "version": 1, "models": [%1]})";
    QTest::newRow("no JSON") << "{" << "line 1";
    QTest::newRow("list") << "[]" << "/format";
    QTest::newRow("format") << R"({"format": "x", "version": 1, "models": []})" << "/format";
    QTest::newRow("version") << R"({"format": "polyrail-models", "version": 2, "models": []})" << "/format";
    QTest::newRow("no models") << file.arg("") << "/models";
    QTest::newRow("number") << file.arg("7") << "/models/0";
    QTest::newRow("no name") << file.arg(R"({"parameters": 1, "source": "s", "config": {}})") << "/models/0";
    QTest::newRow("total") << file.arg(R"({"name": "a", "parameters": -1, "source": "s", "config": {}})")
                           << "/models/0/parameters";
    QTest::newRow("config") << file.arg(one.arg(QString(good).replace("8,", "\"8\",")))
                            << "/models/0/config/hidden_size";
    QTest::newRow("twice") << file.arg(one.arg(good) + ", " + one.arg(good)) << "/models/1/name";
    QTest::newRow("good") << file.arg(one.arg(good)) << "";
}

void tst_model_presets::refusesBrokenFiles()
{
    QFETCH(QString, text);
    QFETCH(QString, where);
    const auto presets = readModelPresets(text.toStdString());
    if (where.isEmpty()) {
        QVERIFY2(presets, presets ? "" : presets.error().message().c_str());
        return;
    }
    QVERIFY(!presets);
    QVERIFY2(QString::fromStdString(presets.error().where).startsWith(where), presets.error().message().c_str());
}

QTEST_GUILESS_MAIN(tst_model_presets)
#include "tst_model_presets.moc"
