// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/document/document.hpp"

#include <QSpinBox>
#include <QWidget>

class QComboBox;

namespace polyrail {

class ModelLibrary;

/// A spin box whose arrows double and halve, for batches and sequence lengths; any number can be typed.
class DoublingSpinBox : public QSpinBox
{
    Q_OBJECT
public:
    explicit DoublingSpinBox(QWidget *parent = nullptr);
    void stepBy(int steps) override;
};

/// What is trained, in the toolbar: model, batch, micro-batch, precision, sequence. Every change is an undo step of the
/// document.
class ModelBar : public QWidget
{
    Q_OBJECT
public:
    ModelBar(Document &document, const ModelLibrary &library, QWidget *parent = nullptr);

    /// After the library changed.
    void reloadModels();
    /// Puts a model into the document, with its usual sequence length.
    void chooseModel(const QString &name);
    void focusModel();

signals:
    void importRequested();

protected:
    void changeEvent(QEvent *event) override;

private:
    void applyWidths();
    void refresh();
    void changeJob(const TrainingJob &job, const QString &text);

    Document &m_document;
    const ModelLibrary &m_library;
    QComboBox *m_model;
    DoublingSpinBox *m_batch;
    QComboBox *m_microBatch;
    QComboBox *m_precision;
    DoublingSpinBox *m_sequence;
    bool m_refreshing = false;
};

} // namespace polyrail
