// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/importers.hpp"

#include <QFile>
#include <QtTest>
#include <string>

using namespace polyrail;

// Every family is shown by a model with hidden size 8, two heads of width 4, an MLP of width 16, ten words and one layer,
// so that its parameters can be counted on paper. The pieces: attention 4 x 8 x 8 = 256, one matrix of the MLP 128, a norm
// 8, the embedding 80. As a Llama: 80 + (256 + 3 x 128 + 2 x 8) + 8 + 80 = 824. Published models are in tst_model_presets.

namespace {

std::string fixture(const char *name)
{
    QFile file(QString(POLYRAIL_TEST_DATA "/hf-config/") + name);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return file.readAll().toStdString();
}

/// The usual keys for `type`; `more` starts with a comma or is empty.
QString llamaKeys(const QString &type, const QString &more = {})
{
    return QString(R"({"model_type": "%1", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
                       "intermediate_size": 16, "vocab_size": 10, "max_position_embeddings": 12%2})")
        .arg(type, more);
}

bool warns(const ModelShape &shape, const char *word)
{
    for (const std::string &warning : shape.warnings)
        if (warning.find(word) != std::string::npos)
            return true;
    return false;
}

} // namespace

class tst_hugging_face : public QObject
{
    Q_OBJECT
private slots:
    void families_data();
    void families();
    void readsTheUsualKeys();
    void activeParameters();
    void headDimOfItsOwn();
    void nestedTextConfig();
    void nestedLanguageConfig();
    void nestedDefaults();
    void latentAttentionAndIndexer();
    void literalsAreRecovered();
    void byteOrderMark();
    void hybridIsRefused();
    void architecturesWithoutHead();
    void tieBesideTheNestedConfig();
    void dropout();
    void leadingDenseLayers();
    void metaParams();
    void unknownFamilyThatLooksLikeLlama();
    void refuses_data();
    void refuses();
    void placeOfASyntaxError();
    void brokenTextsDoNotCrash();
};

void tst_hugging_face::families_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("total");
    const auto row = [](const char *name, const QString &text, qint64 total) { QTest::newRow(name) << text << total; };
    row("llama", llamaKeys("llama"), 824);
    row("llama with biases", llamaKeys("llama", R"(, "attention_bias": true, "mlp_bias": true)"),
        824 + (24 + 8) + (32 + 8));
    row("llama tied", llamaKeys("llama", R"(, "tie_word_embeddings": true)"), 824 - 80);
    row("llama grouped", llamaKeys("llama", R"(, "num_key_value_heads": 1)"), 824 - 2 * 4 * 8);
    row("mistral", llamaKeys("mistral"), 824);
    row("qwen2: implied biases", llamaKeys("qwen2"), 824 + 24);
    row("qwen2_vl", llamaKeys("qwen2_vl"), 824 + 24);
    row("qwen3: norms of q and k", llamaKeys("qwen3"), 824 + 4 + 4);
    row("qwen: doubled width", llamaKeys("qwen", R"(, "no_bias": true, "kv_channels": 4)").replace("16,", "32,"),
        824 + 24);
    row("baichuan", llamaKeys("baichuan"), 824);
    row("internlm2 with bias", llamaKeys("internlm2", R"(, "bias": true)"), 824 + 24 + 8);
    row("phi3", llamaKeys("phi3"), 824);
    row("gemma: tied", llamaKeys("gemma", R"(, "head_dim": 4)"), 824 - 80);
    row("gemma2: four norms", llamaKeys("gemma2", R"(, "head_dim": 4)"), 824 - 80 + 16);
    // Two matrices in the MLP, LayerNorm with bias; biases 24 + 8 in attention and 16 + 8 in the MLP.
    row("gpt_neox", llamaKeys("gpt_neox"), 80 + (256 + 32 + 256 + 24 + 2 * 16) + 16 + 80);
    row("gpt_neox without biases of attention", llamaKeys("gpt_neox", R"(, "attention_bias": false)"),
        80 + (256 + 256 + 24 + 2 * 16) + 16 + 80);
    row("phi: one norm, bias of the output", llamaKeys("phi"), 80 + (256 + 32 + 256 + 24 + 16) + 16 + 80 + 10);
    row("phi3small", llamaKeys("phi3small").replace("intermediate_size", "ff_intermediate_size"),
        80 + (256 + 32 + 384 + 40 + 32) + 16);
    row("starcoder2: tied", llamaKeys("starcoder2"), 80 + (256 + 32 + 256 + 24 + 32) + 16);
    row("cohere: one norm", llamaKeys("cohere"), 80 + (256 + 384 + 8) + 8);
    row("stablelm", llamaKeys("stablelm"), 80 + (256 + 384 + 32) + 16 + 80);
    row("olmo: norms without weights", llamaKeys("olmo"), 80 + 256 + 384 + 8 + 80);
    // Twelve positions, four times the width.
    row("gpt2", R"({"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 8, "n_positions": 12, "vocab_size": 10})",
        80 + 96 + (256 + 32 + 2 * 8 * 32 + 40 + 32) + 16);
    row("gpt2 with n_inner",
        R"({"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 8, "n_positions": 12, "vocab_size": 10,
            "n_inner": 16})", 80 + 96 + (256 + 32 + 256 + 24 + 32) + 16);
    row("gpt_bigcode: one key/value head",
        R"({"model_type": "gpt_bigcode", "n_layer": 1, "n_head": 2, "n_embd": 8, "n_positions": 12, "vocab_size": 10,
            "n_inner": 16, "multi_query": true})",
        80 + 96 + (64 + 64 + 64 + (8 + 8) + 8 + 256 + 24 + 32) + 16);
    row("gptj: biases in the MLP and the output",
        R"({"model_type": "gptj", "n_layer": 1, "n_head": 2, "n_embd": 8, "n_inner": 16, "vocab_size": 10})",
        80 + (256 + 256 + 24 + 16) + 16 + 80 + 10);
    // Two more rows of positions than said.
    row("opt", llamaKeys("opt").replace("intermediate_size", "ffn_dim"),
        80 + 14 * 8 + (256 + 32 + 256 + 24 + 32) + 16);
    // Words 4 wide, projected to 8 and back; no last norm.
    row("opt post-norm with narrow words",
        llamaKeys("opt", R"(, "word_embed_proj_dim": 4, "do_layer_norm_before": false)")
            .replace("intermediate_size", "ffn_dim"),
        40 + 2 * 4 * 8 + 14 * 8 + (256 + 32 + 256 + 24 + 32));
    row("bloom: norm after the embedding",
        R"({"model_type": "bloom", "n_layer": 1, "n_head": 2, "hidden_size": 8, "vocab_size": 10})",
        80 + 16 + (256 + 32 + 512 + 40 + 32) + 16);
    row("falcon: multi-query",
        R"({"model_type": "falcon", "num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 8, "vocab_size": 10,
            "multi_query": true, "bias": false})", 80 + (64 + 64 + 64 + 512 + 16) + 16);
    row("falcon: the new decoder wins over multi_query",
        R"({"model_type": "falcon", "n_layer": 1, "num_hidden_layers": 1, "n_head": 2, "num_attention_heads": 2,
            "hidden_size": 8, "vocab_size": 10, "multi_query": true, "new_decoder_architecture": true,
            "num_kv_heads": 2, "bias": false})", 80 + (256 + 512 + 32) + 16);
    row("falcon: neither, with biases",
        R"({"model_type": "falcon", "num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 8, "vocab_size": 10,
            "multi_query": false, "parallel_attn": false, "alibi": true, "bias": true})",
        80 + (256 + 32 + 512 + 40 + 32) + 16);
    row("mpt", R"({"model_type": "mpt", "n_layers": 1, "n_heads": 2, "d_model": 8, "expansion_ratio": 2, "vocab_size": 10,
                   "attn_config": {"alibi": true}})", 80 + (256 + 256 + 16) + 8);
    row("chatglm: two groups of one, padded vocabulary",
        R"({"model_type": "chatglm", "architectures": ["ChatGLMModel"], "num_layers": 1, "num_attention_heads": 2,
            "hidden_size": 8, "kv_channels": 4, "ffn_hidden_size": 16, "padded_vocab_size": 10, "add_qkv_bias": true,
            "multi_query_attention": true, "multi_query_group_num": 1})",
        80 + (64 + 64 + 64 + 16 + 384 + 16) + 8 + 80);
    // Experts: router 8 x 4.
    row("mixtral", llamaKeys("mixtral", R"(, "num_local_experts": 4, "num_experts_per_tok": 2)"),
        824 + 32 + 3 * 384);
    row("phimoe", llamaKeys("phimoe", R"(, "num_local_experts": 4, "num_experts_per_tok": 2, "attention_bias": true,
                                         "lm_head_bias": true)"),
        80 + (256 + 32 + 32 + 4 * 384 + 32) + 16 + 80 + 10);
    row("llama4: a shared expert", llamaKeys("llama4_text", R"(, "num_local_experts": 4, "num_experts_per_tok": 1,
                                             "head_dim": 4)"), 824 + 32 + 4 * 384);
    row("qwen3_moe: the width of an expert is its own",
        llamaKeys("qwen3_moe", R"(, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 5)"),
        824 + 8 - 384 + 32 + 4 * 120);
    row("qwen2_moe: gated shared expert",
        llamaKeys("qwen2_moe", R"(, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 5,
                                  "shared_expert_intermediate_size": 10)"), 824 + 24 - 384 + 32 + 6 * 120 + 8);
    row("dbrx: nested sizes",
        R"({"model_type": "dbrx", "n_layers": 1, "n_heads": 2, "d_model": 8, "vocab_size": 10,
            "attn_config": {"kv_n_heads": 1},
            "ffn_config": {"ffn_hidden_size": 16, "moe_num_experts": 4, "moe_top_k": 2}})",
        80 + (192 + 32 + 4 * 384 + 16) + 8 + 80);
}

void tst_hugging_face::families()
{
    QFETCH(QString, text);
    QFETCH(qint64, total);
    const auto shape = importHuggingFaceConfig(text.toStdString(), "tiny");
    QVERIFY2(shape, shape ? "" : shape.error().message().c_str());
    QCOMPARE(qint64(countParameters(*shape).total), total);
    QCOMPARE(shape->name, std::string("tiny"));
}

void tst_hugging_face::readsTheUsualKeys()
{
    const auto s = importHuggingFaceConfig(
        R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
            "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "head_dim": null,
            "max_position_embeddings": 131072, "tie_word_embeddings": false, "rope_scaling": {"factor": 8.0}})", "x");
    QVERIFY(s);
    QCOMPARE(s->layers, 32);
    QCOMPARE(s->hidden, 4096);
    QCOMPARE(s->heads, 32);
    QCOMPARE(s->kvHeads, 8);
    QCOMPARE(s->headDim, 128);
    QCOMPARE(s->ffn, 14336);
    QCOMPARE(s->vocab, 128256);
    QCOMPARE(s->maxPositions, 0); // rotary: no table
    QCOMPARE(s->defaultSequence, 4096);
    QVERIFY(s->gatedMlp);
    QVERIFY(!s->tiedEmbeddings);
    QCOMPARE(s->experts, 0);
    QVERIFY(s->warnings.empty());
}

void tst_hugging_face::activeParameters()
{
    // Two of four experts idle: 2 x 384 less than the total.
    const auto s = importHuggingFaceConfig(
        llamaKeys("mixtral", R"(, "num_local_experts": 4, "num_experts_per_tok": 2)").toStdString(), "x");
    QVERIFY(s);
    const ParameterCount p = countParameters(*s);
    QCOMPARE(p.total - p.active, std::int64_t(768));
    QCOMPARE(s->topK, 2);
    QCOMPARE(s->expertFfn, 16);
}

void tst_hugging_face::headDimOfItsOwn()
{
    // Two heads of 16 on hidden size 8: attention 4 x 8 x 32.
    const auto s = importHuggingFaceConfig(llamaKeys("qwen3", R"(, "head_dim": 16)").toStdString(), "x");
    QVERIFY(s);
    QCOMPARE(s->headDim, 16);
    QCOMPARE(countParameters(*s).denseLayer, std::int64_t(4 * 8 * 32 + 32 + 384 + 16));
}

void tst_hugging_face::nestedTextConfig()
{
    // The vocabulary is left out and 262208 by the family's default; tied. q 64, k and v 2 x 32, output 64.
    const auto s = importHuggingFaceConfig(fixture("nested-defaults-omitted.json"), "x");
    QVERIFY2(s, s ? "" : s.error().message().c_str());
    QCOMPARE(s->hidden, 8);
    QCOMPARE(s->layers, 1);
    QCOMPARE(s->vocab, 262208);
    QCOMPARE(countParameters(*s).total, std::int64_t(262208 * 8 + (64 + 64 + 64 + 8 + 384 + 4 * 8) + 8));
    QVERIFY(warns(*s, "vocab_size is absent"));
    QVERIFY(warns(*s, "Only the language part (text_config)"));
    QVERIFY(warns(*s, "ties its output layer"));
    QVERIFY(warns(*s, "window of 64"));
}

void tst_hugging_face::nestedLanguageConfig()
{
    // No latent attention although the family has it: dense layer 256 + 384 + 16, expert layer 256 + 32 + 6 x 120 + 16.
    const auto s = importHuggingFaceConfig(fixture("language-part-without-latent.json"), "x");
    QVERIFY2(s, s ? "" : s.error().message().c_str());
    QVERIFY(!s->latent);
    QCOMPARE(s->headDim, 4);
    QCOMPARE(s->sharedExperts, 2);
    QCOMPARE(s->firstDenseLayers, 1);
    QCOMPARE(countParameters(*s).total, std::int64_t(80 + 656 + 1024 + 8 + 80));
    QVERIFY(warns(*s, "language_config"));
}

void tst_hugging_face::nestedDefaults()
{
    // LLaVA names little of its text model: the rest are the defaults of LlamaConfig, each said.
    const auto s = importHuggingFaceConfig(
        R"({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064}})", "x");
    QVERIFY2(s, s ? "" : s.error().message().c_str());
    QCOMPARE(s->layers, 32);
    QCOMPARE(s->ffn, 11008);
    QCOMPARE(s->vocab, 32064);
    QVERIFY(warns(*s, "hidden_size is absent; 4096"));
    QVERIFY(warns(*s, "num_hidden_layers is absent; 32"));
}

void tst_hugging_face::latentAttentionAndIndexer()
{
    // Query 8 x 6 + 6 x 2 x 6 and its norm 6; key/value 8 x 7 + 5 x 2 x 7 and its norm 5; output 2 x 3 x 8: 305.
    // Indexer 6 x 2 x 4 + 8 x 4 + 2 x 4 + 8 x 2 = 104; norms 16. Dense 384; experts 32 + 4 + 5 x 120.
    const auto s = importHuggingFaceConfig(fixture("latent-experts-indexer.json"), "x");
    QVERIFY2(s, s ? "" : s.error().message().c_str());
    QVERIFY(s->latent);
    QCOMPARE(s->latent->queryRank, 6);
    QCOMPARE(s->latent->valueDim, 3);
    QCOMPARE(s->extraParametersPerLayer, std::int64_t(104));
    const ParameterCount p = countParameters(*s);
    QCOMPARE(p.denseLayer, std::int64_t(305 + 104 + 16 + 384));
    QCOMPARE(p.expertLayer, std::int64_t(305 + 104 + 16 + 636));
    QCOMPARE(p.total, std::int64_t(80 + 809 + 1061 + 8 + 80));
    for (const char *word : {"indexer", "multi-token", "quantization_config", "num_key_value_heads has no meaning"})
        QVERIFY2(warns(*s, word), word);
}

void tst_hugging_face::literalsAreRecovered()
{
    const auto s = importHuggingFaceConfig(fixture("literals.json"), "x");
    QVERIFY2(s, s ? "" : s.error().message().c_str());
    QCOMPARE(countParameters(*s).total, std::int64_t(824));
    QVERIFY(warns(*s, "line 5, column 20: the literal NaN"));
    QVERIFY(warns(*s, "line 5, column 36: the literal -Infinity"));
    QVERIFY(warns(*s, "line 5, column 47: the literal Infinity"));
    QCOMPARE(s->warnings.size(), std::size_t(3));
}

void tst_hugging_face::byteOrderMark()
{
    const auto s = importHuggingFaceConfig("\xef\xbb\xbf" + llamaKeys("llama").toStdString(), "x");
    QVERIFY2(s, s ? "" : s.error().message().c_str());
    QCOMPARE(countParameters(*s).total, std::int64_t(824));
}

void tst_hugging_face::hybridIsRefused()
{
    const auto s = importHuggingFaceConfig(fixture("hybrid-with-infinity.json"), "x");
    QVERIFY(!s);
    QCOMPARE(s.error().where, std::string("/hybrid_override_pattern"));
    const std::string text = s.error().message();
    QVERIFY2(text.find("5 mixed layers (2 Mamba, 1 attention, 2 MLP)") != std::string::npos, text.c_str());
    QVERIFY2(text.find("line 11, column 9: the literal Infinity") != std::string::npos, text.c_str());
}

void tst_hugging_face::architecturesWithoutHead()
{
    const auto total = [](const char *architecture) {
        const auto s = importHuggingFaceConfig(
            llamaKeys("phi", QString(R"(, "architectures": ["%1"])").arg(architecture)).toStdString(), "x");
        return s ? countParameters(*s).total : -1;
    };
    const std::int64_t withHead = 80 + (256 + 32 + 256 + 24 + 16) + 16 + 90;
    QCOMPARE(total("PhiForCausalLM"), withHead);
    QCOMPARE(total("PhiModel"), withHead - 90);
    QCOMPARE(total("PhiForSequenceClassification"), withHead - 90);
    QCOMPARE(total("QWenLMHeadModel"), withHead);
}

void tst_hugging_face::tieBesideTheNestedConfig()
{
    const auto s = importHuggingFaceConfig(
        R"({"tie_word_embeddings": true, "text_config": {"model_type": "llama", "hidden_size": 8,
            "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 10}})", "x");
    QVERIFY(s);
    QVERIFY(s->tiedEmbeddings);
}

void tst_hugging_face::dropout()
{
    const auto drops = [](const QString &text) {
        const auto s = importHuggingFaceConfig(text.toStdString(), "x");
        return s && s->dropout;
    };
    QVERIFY(drops(llamaKeys("phi", R"(, "resid_pdrop": 0.1)")));
    QVERIFY(!drops(llamaKeys("phi", R"(, "resid_pdrop": 0.0)")));
    QVERIFY(!drops(llamaKeys("llama")));
    QVERIFY(drops(llamaKeys("opt").replace("intermediate_size", "ffn_dim"))); // 0.1 by default
}

void tst_hugging_face::leadingDenseLayers()
{
    const auto import = [](const QString &list) {
        return importHuggingFaceConfig(
            llamaKeys("qwen3_moe", R"(, "num_experts": 4, "moe_intermediate_size": 5, "num_experts_per_tok": 2,
                                      "mlp_only_layers": )" + list).replace("layers\": 1,", "layers\": 3,").toStdString(),
            "x");
    };
    QVERIFY(import("[1, 0]"));
    QCOMPARE(import("[1, 0]")->firstDenseLayers, 2);
    QCOMPARE(import("[]")->firstDenseLayers, 0);
    QVERIFY(!import("[1]"));
    QCOMPARE(import("[1]").error().where, std::string("/mlp_only_layers"));
}

void tst_hugging_face::metaParams()
{
    // Two thirds of 4 x 8 is 21, the next multiple of 16 is 32.
    auto s = importHuggingFaceConfig(
        R"({"dim": 8, "n_layers": 1, "n_heads": 2, "multiple_of": 16, "norm_eps": 1e-05, "vocab_size": 10})", "x");
    QVERIFY2(s, s ? "" : s.error().message().c_str());
    QCOMPARE(s->ffn, 32);
    QCOMPARE(countParameters(*s).total, std::int64_t(80 + (256 + 768 + 16) + 8 + 80));
    // Llama-2-70b: int(1.3 x 21845) = 28398, the next multiple of 4096 is 28672; the vocabulary is the tokenizer's.
    s = importHuggingFaceConfig(R"({"dim": 8192, "multiple_of": 4096, "ffn_dim_multiplier": 1.3, "n_heads": 64,
                                    "n_kv_heads": 8, "n_layers": 80, "norm_eps": 1e-05, "vocab_size": -1})", "x");
    QVERIFY(s);
    QCOMPARE(s->ffn, 28672);
    QCOMPARE(countParameters(*s).total, std::int64_t(68976648192));
    QVERIFY(warns(*s, "32000"));
}

void tst_hugging_face::unknownFamilyThatLooksLikeLlama()
{
    const auto s = importHuggingFaceConfig(llamaKeys("brand_new").toStdString(), "x");
    QVERIFY(s);
    QVERIFY(warns(*s, "brand_new"));
    QCOMPARE(countParameters(*s).total, std::int64_t(824));
}

void tst_hugging_face::refuses_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("where");
    QTest::newRow("list") << "[1]" << "";
    QTest::newRow("empty object") << "{}" << "/model_type";
    QTest::newRow("no layers") << llamaKeys("llama").replace("num_hidden_layers", "x") << "/num_hidden_layers";
    QTest::newRow("no vocabulary") << llamaKeys("qwen3").replace("vocab_size", "x") << "/vocab_size";
    QTest::newRow("no width") << llamaKeys("llama").replace("intermediate_size", "x") << "/intermediate_size";
    QTest::newRow("text for a number") << llamaKeys("llama").replace("8,", "\"8\",") << "/hidden_size";
    QTest::newRow("fraction") << llamaKeys("llama").replace("8,", "8.5,") << "/hidden_size";
    QTest::newRow("negative") << llamaKeys("llama").replace("10,", "-10,") << "/vocab_size";
    QTest::newRow("too large") << llamaKeys("llama").replace("8,", "1e30,") << "/hidden_size";
    QTest::newRow("bool as a number") << llamaKeys("llama").replace("8,", "true,") << "/hidden_size";
    QTest::newRow("number as a bool") << llamaKeys("llama", R"(, "attention_bias": 1)") << "/attention_bias";
    QTest::newRow("heads do not divide") << llamaKeys("llama").replace("heads\": 2", "heads\": 3") << "/head_dim";
    QTest::newRow("groups do not divide") << llamaKeys("llama", R"(, "num_key_value_heads": 3)")
                                          << "/num_key_value_heads";
    QTest::newRow("no heads") << llamaKeys("llama").replace("heads\": 2", "heads\": 0") << "/num_attention_heads";
    QTest::newRow("layer by layer") << llamaKeys("llama").replace("heads\": 2", "heads\": [2, 4]")
                                    << "/num_attention_heads";
    QTest::newRow("blocks") << llamaKeys("deci", R"(, "block_configs": [{}, {}])") << "/block_configs";
    QTest::newRow("state space") << R"({"model_type": "mamba", "state_size": 16, "num_hidden_layers": 4})"
                                 << "/state_size";
    QTest::newRow("linear attention") << llamaKeys("qwen3_next", R"(, "layer_types": ["full_attention",
                                                                                      "linear_attention"])")
                                      << "/layer_types/1";
    QTest::newRow("sliding layers are fine") << llamaKeys("qwen3", R"(, "layer_types": ["sliding_attention"])") << "-";
    QTest::newRow("encoder") << llamaKeys("bert") << "/model_type";
    QTest::newRow("encoder-decoder") << llamaKeys("t5x", R"(, "is_encoder_decoder": true)") << "/is_encoder_decoder";
    QTest::newRow("unknown experts") << llamaKeys("brand_new", R"(, "num_experts": 8)") << "/model_type";
    QTest::newRow("experts every other layer")
        << llamaKeys("llama4_text", R"(, "num_local_experts": 4, "interleave_moe_layer_step": 2)")
        << "/interleave_moe_layer_step";
    QTest::newRow("more choices than experts")
        << llamaKeys("mixtral", R"(, "num_local_experts": 4, "num_experts_per_tok": 5)") << "/num_experts_per_tok";
    QTest::newRow("nested") << R"({"text_config": {"model_type": "llama", "hidden_size": "wide"}})"
                            << "/text_config/hidden_size";
    QTest::newRow("nested number") << R"({"model_type": "dbrx", "n_layers": 1, "n_heads": 2, "d_model": 8,
                                          "vocab_size": 10, "ffn_config": {"ffn_hidden_size": "16"}})"
                                   << "/ffn_config/ffn_hidden_size";
    QTest::newRow("cross-attention") << R"({"text_config": {"model_type": "mllama_text_model",
                                            "num_hidden_layers": 4, "cross_attention_layers": [3]}})"
                                     << "/text_config/cross_attention_layers";
}

void tst_hugging_face::refuses()
{
    QFETCH(QString, text);
    QFETCH(QString, where);
    const auto s = importHuggingFaceConfig(text.toStdString(), "x");
    if (where == "-") {
        QVERIFY2(s, s ? "" : s.error().message().c_str());
        return;
    }
    QVERIFY(!s);
    QCOMPARE(QString::fromStdString(s.error().where), where);
    QVERIFY(!s.error().found.empty());
    QVERIFY(!s.error().expected.empty());
}

void tst_hugging_face::placeOfASyntaxError()
{
    // A replaced literal must not move the place: the comma of line 3 is missing, found at the key after it.
    const auto s = importHuggingFaceConfig("{\n \"a\": NaN, \"b\": -Infinity,\n \"c\": 1 \"d\": 2\n}", "x");
    QVERIFY(!s);
    QVERIFY2(s.error().where.rfind("line 3, column ", 0) == 0, s.error().where.c_str());
    QVERIFY(!importHuggingFaceConfig("{\"a\": Infinity1}", "x")); // not the literal
    QVERIFY(!importHuggingFaceConfig("{\"a\": nan}", "x"));
}

void tst_hugging_face::brokenTextsDoNotCrash()
{
    // Every beginning of a real file, and a file nested beyond reason.
    const std::string text = fixture("latent-experts-indexer.json");
    QVERIFY(text.size() > 500);
    for (std::size_t length = 0; length + 2 < text.size(); ++length)
        QVERIFY(!importHuggingFaceConfig(text.substr(0, length), "x"));
    QVERIFY(!importHuggingFaceConfig(std::string(200000, '['), "x"));
    QVERIFY(!importHuggingFaceConfig(std::string("{\"model_type\": \"\xff\xfe\"}"), "x"));
    QVERIFY(!importHuggingFaceConfig("{\"model_type\": 7, \"num_hidden_layers\": 1}", "x"));
}

QTEST_GUILESS_MAIN(tst_hugging_face)
#include "tst_hugging_face.moc"
