// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/message_area.hpp"

#include "ui/theme/theme.hpp"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace polyrail {

class MessageArea::Message : public QWidget
{
public:
    Message(MessageArea &area, MessageKind kind, const QString &text, const std::vector<Action> &actions,
            const QString &key)
        : m_kind(kind), m_key(key), m_label(new QLabel(text)), m_icon(new QLabel)
    {
        setAccessibleName(text);
        m_label->setTextFormat(Qt::PlainText);
        m_label->setWordWrap(true);
        m_label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        auto *layout = new QHBoxLayout(this);
        layout->setContentsMargins(scaled(12), scaled(6), scaled(8), scaled(6));
        layout->setSpacing(scaled(8));
        layout->addWidget(m_icon, 0, Qt::AlignTop);
        layout->addWidget(m_label, 1);
        for (const Action &action : actions) {
            auto *button = new QPushButton(action.first);
            QObject::connect(button, &QPushButton::clicked, this, [this, &area, run = action.second] {
                area.remove(this);
                run();
            });
            layout->addWidget(button, 0, Qt::AlignTop);
        }
        auto *close = new QToolButton;
        close->setIcon(themedIcon(QStringLiteral("x")));
        close->setToolTip(MessageArea::tr("Close message (Esc)"));
        close->setAccessibleName(MessageArea::tr("Close message"));
        QObject::connect(close, &QToolButton::clicked, this, [this, &area] { area.remove(this); });
        layout->addWidget(close, 0, Qt::AlignTop);
        m_close = close;
        applyTheme();
    }

    MessageKind kind() const { return m_kind; }
    const QString &key() const { return m_key; }
    QString text() const { return m_label->text(); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Theme &theme = Theme::current();
        QPainter painter(this);
        painter.fillRect(rect(), m_kind == MessageKind::Note ? theme.chip : theme.warning);
        if (m_kind == MessageKind::Error)
            painter.fillRect(0, 0, scaled(4), height(), theme.limit);
        painter.fillRect(0, height() - 1, width(), 1, theme.border);
    }
    void changeEvent(QEvent *event) override
    {
        QWidget::changeEvent(event);
        if (event->type() == QEvent::ApplicationPaletteChange)
            applyTheme();
    }
    void keyPressEvent(QKeyEvent *event) override
    {
        if (event->key() == Qt::Key_Escape)
            m_close->click();
        else
            QWidget::keyPressEvent(event);
    }

private:
    void applyTheme()
    {
        const Theme &theme = Theme::current();
        QColor Theme::*ink = m_kind == MessageKind::Note ? &Theme::text : &Theme::warningText;
        QPalette palette = m_label->palette();
        palette.setColor(QPalette::WindowText, theme.*ink);
        palette.setColor(QPalette::Text, theme.*ink);
        m_label->setPalette(palette);
        const QString icon = m_kind == MessageKind::Note ? QStringLiteral("info") : QStringLiteral("triangle-alert");
        m_icon->setPixmap(themedIcon(icon, ink).pixmap(scaled(16), scaled(16)));
    }

    MessageKind m_kind;
    QString m_key;
    QLabel *m_label;
    QLabel *m_icon;
    QToolButton *m_close = nullptr;
};

MessageArea::MessageArea(QWidget *parent) : QWidget(parent), m_layout(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("messages"));
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    hide();
}

void MessageArea::post(MessageKind kind, const QString &text, const std::vector<Action> &actions, const QString &key)
{
    if (!key.isEmpty())
        dismiss(key);
    for (Message *message : messages())
        if (message->text() == text)
            remove(message);
    auto *message = new Message(*this, kind, text, actions, key);
    m_layout->insertWidget(0, message);
    message->show();
    show();
    constexpr std::size_t most = 3;
    const auto all = messages();
    for (std::size_t i = most; i < all.size(); ++i)
        remove(all[i]);
    QAccessibleEvent event(message, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void MessageArea::dismiss(const QString &key)
{
    for (Message *message : messages())
        if (message->key() == key)
            remove(message);
}

void MessageArea::clear()
{
    for (Message *message : messages())
        remove(message);
}

QStringList MessageArea::texts() const
{
    QStringList texts;
    for (const Message *message : messages())
        texts << message->text();
    return texts;
}

MessageKind MessageArea::newestKind() const { return messages().front()->kind(); }

std::vector<MessageArea::Message *> MessageArea::messages() const
{
    std::vector<Message *> all;
    for (int i = 0; i < m_layout->count(); ++i)
        if (auto *message = static_cast<Message *>(m_layout->itemAt(i)->widget()))
            all.push_back(message);
    return all;
}

void MessageArea::remove(Message *message)
{
    m_layout->removeWidget(message);
    message->hide();
    message->deleteLater();
    setVisible(m_layout->count() > 0);
}

} // namespace polyrail
