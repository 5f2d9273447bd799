// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/model_bar.hpp"

#include "ui/theme/theme.hpp"
#include "ui/workbench/model_library.hpp"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>

#include <algorithm>

namespace polyrail {

namespace {

constexpr int importRole = Qt::UserRole + 1;

QString tip(const ModelShape &shape)
{
    const double billions = static_cast<double>(countParameters(shape).total) / 1e9;
    return ModelBar::tr("%1 billion parameters, %2 layers, hidden %3")
        .arg(QLocale().toString(billions, 'f', 1), QLocale().toString(shape.layers),
             QLocale().toString(shape.hidden));
}

} // namespace

DoublingSpinBox::DoublingSpinBox(QWidget *parent) : QSpinBox(parent)
{
    setKeyboardTracking(false); // a half-typed number is not a question
    setGroupSeparatorShown(true);
    setAlignment(Qt::AlignRight);
}

void DoublingSpinBox::stepBy(int steps)
{
    long long next = value();
    for (; steps > 0; --steps)
        next = std::min<long long>(next * 2, maximum());
    for (; steps < 0; ++steps)
        next = std::max<long long>(next / 2, minimum());
    setValue(static_cast<int>(next));
}

ModelBar::ModelBar(Document &document, const ModelLibrary &library, QWidget *parent)
    : QWidget(parent)
    , m_document(document)
    , m_library(library)
    , m_model(new QComboBox)
    , m_batch(new DoublingSpinBox)
    , m_microBatch(new QComboBox)
    , m_precision(new QComboBox)
    , m_sequence(new DoublingSpinBox)
{
    setObjectName(QStringLiteral("modelBar"));
    m_model->setObjectName(QStringLiteral("model"));
    m_batch->setObjectName(QStringLiteral("batch"));
    m_microBatch->setObjectName(QStringLiteral("microBatch"));
    m_precision->setObjectName(QStringLiteral("precision"));
    m_sequence->setObjectName(QStringLiteral("sequence"));

    m_model->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_model->setMinimumContentsLength(12);
    m_model->setMaxVisibleItems(30);
    m_batch->setRange(1, 1 << 20);
    m_batch->setToolTip(tr("Samples per optimiser step, over all devices"));
    m_sequence->setRange(1, 1 << 24);
    m_sequence->setToolTip(tr("Tokens per sample"));
    m_microBatch->setToolTip(tr("Most samples that one replica takes at a time"));
    m_microBatch->addItem(tr("auto"), 0);
    for (int n = 1; n <= 64; n *= 2)
        m_microBatch->addItem(QLocale().toString(n), n);
    for (const Precision p : {Precision::Bf16, Precision::Fp16, Precision::Fp8, Precision::Tf32, Precision::Fp32})
        m_precision->addItem(QString::fromLatin1(toString(p)), static_cast<int>(p));

    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(scaled(5));
    const auto add = [&](const QString &text, QWidget *field) {
        auto *label = new QLabel(text);
        label->setProperty("role", QStringLiteral("muted"));
        label->setBuddy(field);
        QString name = text;
        field->setAccessibleName(name.remove(QLatin1Char('&')));
        layout->addSpacing(scaled(4));
        layout->addWidget(label);
        layout->addWidget(field);
    };
    add(tr("Mode&l"), m_model);
    add(tr("&Batch"), m_batch);
    add(tr("Mic&ro-batch"), m_microBatch);
    m_precision->setAccessibleName(tr("Precision")); // "bf16" says itself what it is: no label
    m_precision->setToolTip(tr("Number format of the products"));
    layout->addWidget(m_precision);
    add(tr("Se&quence"), m_sequence);

    connect(m_model, &QComboBox::activated, this, [this](int index) {
        if (m_model->itemData(index, importRole).toBool()) {
            refresh();
            emit importRequested();
        } else {
            chooseModel(m_model->itemData(index).toString());
        }
    });
    connect(m_batch, &QSpinBox::valueChanged, this, [this](int value) {
        TrainingJob job = m_document.job();
        job.globalBatch = value;
        changeJob(job, tr("Batch %1").arg(value));
    });
    connect(m_microBatch, &QComboBox::activated, this, [this](int index) {
        TrainingJob job = m_document.job();
        job.maxMicroBatch = m_microBatch->itemData(index).toInt();
        changeJob(job, tr("Micro-batch %1").arg(m_microBatch->itemText(index)));
    });
    connect(m_precision, &QComboBox::activated, this, [this](int index) {
        TrainingJob job = m_document.job();
        job.precision = static_cast<Precision>(m_precision->itemData(index).toInt());
        changeJob(job, tr("Precision %1").arg(m_precision->itemText(index)));
    });
    connect(m_sequence, &QSpinBox::valueChanged, this, [this](int value) {
        TrainingJob job = m_document.job();
        job.sequence = value;
        changeJob(job, tr("Sequence %1").arg(value));
    });
    connect(&m_document, &Document::jobChanged, this, &ModelBar::refresh);
    applyWidths();
    reloadModels();
}

void ModelBar::applyWidths()
{
    m_microBatch->setFixedWidth(scaled(82));
    m_precision->setFixedWidth(scaled(80));
    m_batch->setFixedWidth(scaled(80));
    m_sequence->setFixedWidth(scaled(92));
}

void ModelBar::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) // the presentation scale
        applyWidths();
}

void ModelBar::reloadModels()
{
    m_model->clear();
    const auto add = [this](const ModelShape &shape) {
        const QString name = QString::fromStdString(shape.name);
        m_model->addItem(name, name);
        m_model->setItemData(m_model->count() - 1, tip(shape), Qt::ToolTipRole);
    };
    for (const ModelShape &shape : m_library.imported())
        add(shape);
    if (!m_library.imported().empty())
        m_model->insertSeparator(m_model->count());
    for (const ModelShape &shape : m_library.presets())
        add(shape);
    m_model->insertSeparator(m_model->count());
    m_model->addItem(themedIcon(QStringLiteral("import")), tr("Import config.json…"));
    m_model->setItemData(m_model->count() - 1, true, importRole);
    refresh();
}

void ModelBar::chooseModel(const QString &name)
{
    const ModelShape *shape = m_library.find(name);
    if (!shape)
        return;
    TrainingJob job = m_document.job();
    job.model = *shape;
    if (shape->defaultSequence > 0)
        job.sequence = shape->defaultSequence;
    changeJob(job, tr("Model %1").arg(name));
}

void ModelBar::focusModel() { m_model->setFocus(Qt::ShortcutFocusReason); }

void ModelBar::refresh()
{
    m_refreshing = true;
    const TrainingJob &job = m_document.job();
    const QString name = QString::fromStdString(job.model.name);
    m_model->setCurrentIndex(m_model->findData(name)); // -1 when the document's model is in no list
    m_model->setPlaceholderText(name.isEmpty() ? tr("Pick a model") : name);
    m_model->setToolTip(job.model.layers > 0 ? tip(job.model) : tr("The model to train"));
    m_batch->setValue(job.globalBatch);
    int micro = m_microBatch->findData(job.maxMicroBatch);
    if (micro < 0) {
        m_microBatch->addItem(QLocale().toString(job.maxMicroBatch), job.maxMicroBatch);
        micro = m_microBatch->count() - 1;
    }
    m_microBatch->setCurrentIndex(micro);
    m_precision->setCurrentIndex(m_precision->findData(static_cast<int>(job.precision)));
    m_sequence->setValue(job.sequence);
    m_refreshing = false;
}

void ModelBar::changeJob(const TrainingJob &job, const QString &text)
{
    if (!m_refreshing && !(job.digest() == m_document.job().digest()))
        m_document.setJob(job, text);
}

} // namespace polyrail
