// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/quantity_field.hpp"

#include "ui/theme/theme.hpp"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace polyrail {

QString reasonOf(const Error &error)
{
    QString text = QuantityField::tr("Found %1, expected %2.")
                       .arg(QString::fromStdString(error.found), QString::fromStdString(error.expected));
    if (!error.remedy.empty())
        text += QLatin1Char(' ') + QString::fromStdString(error.remedy);
    return text;
}

QuantityField::QuantityField(Parse parse, QWidget *parent)
    : QWidget(parent), m_parse(std::move(parse)), m_edit(new QLineEdit(this)), m_reason(new QLabel(this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(m_edit);
    column->addWidget(m_reason);
    m_reason->setProperty("role", QStringLiteral("error"));
    m_reason->setWordWrap(true);
    m_reason->hide();
    setFocusProxy(m_edit);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::editingFinished, this, &QuantityField::commit);
    connect(m_edit, &QLineEdit::textEdited, this, [this](const QString &text) {
        if (m_refused && (text == m_figure || m_parse(text.toStdString()))) // the complaint goes as soon as it is met
            setReason({});
    });
}

QWidget *QuantityField::takeReason()
{
    layout()->removeWidget(m_reason);
    return m_reason;
}

QString QuantityField::text() const { return m_edit->text(); }

QString QuantityField::reason() const { return m_refused ? m_reason->text() : QString(); }

void QuantityField::setFigure(const QString &text, const QString &placeholder)
{
    if (text == m_figure && !text.isEmpty() && m_edit->hasFocus() && m_edit->text() != text)
        return; // something else changed while the user types here
    m_edit->setPlaceholderText(placeholder);
    m_figure = text;
    m_edit->setText(text);
    setReason({});
}

void QuantityField::reset(const QString &text, const QString &placeholder)
{
    m_figure.clear();
    setFigure(text, placeholder);
}

void QuantityField::commit()
{
    const QString text = m_edit->text().trimmed();
    if (text == m_figure || (text.isEmpty() && m_figure.isEmpty())) {
        setReason({});
        return;
    }
    if (const Result<void> ok = m_parse(text.toStdString()); !ok) {
        setReason(reasonOf(ok.error()));
        return;
    }
    setReason({});
    m_figure = text;
    emit committed(text);
}

void QuantityField::setReason(const QString &reason)
{
    const bool refused = !reason.isEmpty();
    m_reason->setText(reason);
    m_reason->setVisible(refused);
    if (refused == m_refused)
        return;
    m_refused = refused;
    m_edit->setProperty("invalid", refused);
    m_edit->setAccessibleDescription(reason);
    restyle(*m_edit);
}

bool QuantityField::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape && m_edit->text() != m_figure) {
        m_edit->setText(m_figure);
        setReason({});
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace polyrail
