// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.hpp"

#include <QString>
#include <QWidget>

#include <functional>

class QLabel;
class QLineEdit;

namespace polyrail {

/// A field for a figure with its unit. What cannot be read is refused with the reason below the field, and stays there
/// to be corrected; Esc brings the last good text back.
class QuantityField : public QWidget
{
    Q_OBJECT
public:
    /// `parse` says why a text is refused, or nothing. It is called while the user types, too.
    using Parse = std::function<Result<void>(const std::string &text)>;

    QuantityField(Parse parse, QWidget *parent = nullptr);

    QLineEdit &edit() { return *m_edit; }
    QString text() const;
    /// The label of the reason, to stand elsewhere than right below the field, where there is more room.
    QWidget *takeReason();
    /// The figure as it stands in the document; keeps what is being typed if it is the same figure as before. An
    /// empty one shows `placeholder`.
    void setFigure(const QString &text, const QString &placeholder = {});
    /// The figure of something else: drops what is being typed.
    void reset(const QString &text, const QString &placeholder = {});
    bool isRefused() const { return m_refused; }
    QString reason() const;

signals:
    void committed(const QString &text); ///< accepted, and unlike the figure before

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void commit();
    void setReason(const QString &reason);

    Parse m_parse;
    QLineEdit *m_edit;
    QLabel *m_reason;
    QString m_figure;
    bool m_refused = false;
};

/// The sentence for people: "Found 10 Gx/s. Use a bandwidth such as 25 GB/s or 200 Gb/s."
QString reasonOf(const Error &error);

} // namespace polyrail
