// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <functional>
#include <utility>
#include <vector>

class QVBoxLayout;

namespace polyrail {

enum class MessageKind { Note, Warning, Error };

/// Messages above the canvas that never stop the work: newest on top, at most three, each with a close button and
/// possibly actions. Text can be selected and copied.
class MessageArea : public QWidget
{
    Q_OBJECT
public:
    using Action = std::pair<QString, std::function<void()>>;

    explicit MessageArea(QWidget *parent = nullptr);

    /// An action also closes its message. `key`: a message with the same non-empty key is replaced.
    void post(MessageKind kind, const QString &text, const std::vector<Action> &actions = {}, const QString &key = {});
    void dismiss(const QString &key);
    void clear();
    /// Texts on show, newest first.
    QStringList texts() const;
    /// Kind of the newest message. There must be one.
    MessageKind newestKind() const;

private:
    class Message;
    std::vector<Message *> messages() const;
    void remove(Message *message);

    QVBoxLayout *m_layout;
};

} // namespace polyrail
