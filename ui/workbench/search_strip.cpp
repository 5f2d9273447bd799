// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workbench/search_strip.hpp"

#include "ui/charts/convergence_view.hpp"
#include "ui/search/words.hpp"
#include "ui/theme/theme.hpp"
#include "ui/workbench/key_figure.hpp"
#include "ui/workbench/status_chip.hpp"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QTextLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace polyrail {

namespace {

QLabel *mutedLabel(const QString &text)
{
    auto *label = new QLabel(text);
    label->setProperty("role", QStringLiteral("muted"));
    return label;
}

QLabel *countLabel()
{
    auto *label = new QLabel;
    label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return label;
}

} // namespace

// ---- SentenceView -----------------------------------------------------------------------------------------------

SentenceView::SentenceView(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void SentenceView::setText(const QString &headline, const QString &detail)
{
    if (headline == m_headline && detail == m_detail)
        return;
    m_headline = headline;
    m_detail = detail;
    setAccessibleName(text());
    setToolTip(text());
    update();
}

QString SentenceView::text() const
{
    return m_detail.isEmpty() ? m_headline : m_headline + QLatin1Char(' ') + m_detail;
}

QSize SentenceView::sizeHint() const { return {scaled(320), scaled(54)}; }
QSize SentenceView::minimumSizeHint() const { return {scaled(160), scaled(44)}; }

void SentenceView::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    const QFont plain = uiFont(TextRole::Body);
    QFont bold = plain;
    bold.setBold(true);
    const int lineHeight = QFontMetrics(bold).height();
    const int mostLines = std::max(1, height() / lineHeight);
    struct Line
    {
        QString text;
        bool bold;
    };
    std::vector<Line> lines;
    const auto wrap = [&](const QString &text, const QFont &font, bool isBold) {
        if (text.isEmpty())
            return;
        QTextLayout layout(text, font);
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(width());
            lines.push_back({text.mid(line.textStart(), line.textLength()), isBold});
        }
        layout.endLayout();
    };
    wrap(m_headline, bold, true);
    wrap(m_detail, plain, false);
    const bool cut = static_cast<int>(lines.size()) > mostLines;
    if (cut)
        lines.resize(static_cast<std::size_t>(mostLines));
    int y = (height() - lineHeight * static_cast<int>(lines.size())) / 2 + QFontMetrics(bold).ascent();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        painter.setFont(lines[i].bold ? bold : plain);
        painter.setPen(lines[i].bold ? theme.text : theme.muted);
        QString text = lines[i].text;
        if (cut && i + 1 == lines.size())
            text = painter.fontMetrics().elidedText(text.trimmed() + QStringLiteral(" …"), Qt::ElideRight, width());
        painter.drawText(0, y, text);
        y += lineHeight;
    }
}

// ---- SearchStrip ------------------------------------------------------------------------------------------------

SearchStrip::SearchStrip(SearchController &search, QWidget *parent)
    : QWidget(parent)
    , m_search(search)
    , m_chip(new StatusChip)
    , m_effort(mutedLabel({}))
    , m_best(new KeyFigure(tr("Best so far"), QStringLiteral("88.888")))
    , m_bound(new KeyFigure(tr("Bound"), QStringLiteral("88.888")))
    , m_gap(new KeyFigure(tr("Gap"), QStringLiteral("88.8")))
    , m_explored(countLabel())
    , m_open(countLabel())
    , m_speed(countLabel())
    , m_sparkline(new ConvergenceView(ConvergenceView::Form::Strip))
    , m_sentence(new SentenceView)
{
    setObjectName(QStringLiteral("searchStrip"));
    setAccessibleName(tr("Search"));
    auto *state = new QVBoxLayout;
    state->setSpacing(scaled(4));
    state->addStretch();
    state->addWidget(m_chip);
    state->addWidget(m_effort);
    state->addStretch();

    auto *counts = new QGridLayout;
    counts->setHorizontalSpacing(scaled(12));
    counts->setVerticalSpacing(0);
    const std::array<std::pair<QString, QLabel *>, 3> rows{
        {{tr("Explored"), m_explored}, {tr("Open"), m_open}, {tr("Nodes/s"), m_speed}}};
    for (int row = 0; row < 3; ++row) {
        auto *label = mutedLabel(rows[static_cast<std::size_t>(row)].first);
        counts->addWidget(label, row, 0);
        counts->addWidget(rows[static_cast<std::size_t>(row)].second, row, 1);
    }

    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(scaled(12), scaled(6), scaled(12), scaled(6));
    layout->setSpacing(scaled(20));
    layout->addLayout(state);
    layout->addWidget(m_best);
    layout->addWidget(m_bound);
    layout->addWidget(m_gap);
    layout->addLayout(counts);
    layout->addWidget(m_sparkline, 2);
    layout->addWidget(m_sentence, 3);

    m_sparkline->setToolTip(tr("Best step time and bound over the search. Click for the full chart."));
    m_sparkline->setAccessibleName(tr("Convergence"));
    m_sparkline->setFocusPolicy(Qt::TabFocus);
    m_sparkline->installEventFilter(this);
    for (QWidget *part : m_sparkline->findChildren<QWidget *>())
        part->installEventFilter(this);
    connect(&m_search, &SearchController::snapshotChanged, this, &SearchStrip::refresh);
    connect(&m_search, &SearchController::shownChanged, this, &SearchStrip::refresh);
    connect(&m_search, &SearchController::changeNoted, this, &SearchStrip::refresh);
    applyFonts();
    refresh();
}

QString SearchStrip::bestText() const { return m_best->text(); }

void SearchStrip::refresh()
{
    const SearchSnapshot &snapshot = *m_search.snapshot();
    const bool stale = m_search.looksStale();
    m_chip->setStatus(snapshot.status, stale);
    m_chip->setToolTip(stale ? tr("For the network before your last change.") : statusSentence(snapshot));

    const int threads = m_search.threads();
    m_effort->setText(snapshot.sequence > 0 ? tr("%1, %n thread(s)", nullptr, threads)
                                                  .arg(elapsedText(snapshot.elapsedSeconds))
                                            : tr("%n thread(s)", nullptr, threads));
    const bool hasBest = snapshot.best.has_value() && snapshot.status != SearchStatus::Infeasible;
    const Figure best = hasBest ? stepFigure(snapshot.best->step) : Figure{};
    m_best->setFigure(best.number, best.unit.isEmpty() ? QString() : tr("%1 per step").arg(best.unit), stale);
    const bool hasBound = snapshot.bound.value > 0 && !stale && snapshot.status != SearchStatus::Infeasible;
    const Figure bound = hasBound ? stepFigure(snapshot.bound) : Figure{};
    m_bound->setFigure(bound.number, bound.unit);
    QString gap;
    if (hasBound && hasBest) {
        gap = percent(snapshot.gap);
        gap.chop(2); // the unit stands apart
    }
    m_gap->setFigure(gap, gap.isEmpty() ? QString() : QStringLiteral("%"));

    const QLocale locale;
    const bool counted = snapshot.sequence > 0;
    const QString none = QStringLiteral("–");
    m_explored->setText(counted ? locale.toString(static_cast<qlonglong>(snapshot.nodes)) : none);
    m_open->setText(counted ? locale.toString(static_cast<qlonglong>(snapshot.open)) : none);
    m_speed->setText(counted ? locale.toString(static_cast<qlonglong>(snapshot.nodesPerSecond)) : none);

    // A search that has just begun has no curve: the old one stays, faded, until there is a new one.
    if (!snapshot.history.empty() || snapshot.status == SearchStatus::Idle)
        m_sparkline->setSnapshot(m_search.snapshot());
    m_sparkline->setStale(stale || m_sparkline->snapshot() != m_search.snapshot());

    const ChangeNote &change = m_search.change();
    const bool problem = snapshot.status == SearchStatus::Infeasible || snapshot.status == SearchStatus::Failed;
    if (stale && change.isEmpty())
        m_sentence->setText(tr("For the network before your last change."), tr("Working it out again."));
    else if (change.isEmpty() || (problem && !stale))
        m_sentence->setText(statusSentence(snapshot), {});
    else
        m_sentence->setText(change.headline, change.detail);
}

void SearchStrip::applyFonts()
{
    const QFont small = uiFont(TextRole::Small);
    for (QLabel *label : findChildren<QLabel *>())
        label->setFont(small);
    // Wide enough for the largest count, so that live figures do not push their neighbours.
    const int width = QFontMetrics(small).horizontalAdvance(QLocale().toString(888888888));
    for (QLabel *label : {m_explored, m_open, m_speed})
        label->setMinimumWidth(width);
    m_effort->setMinimumWidth(std::max(StatusChip::widest(),
                                       QFontMetrics(small).horizontalAdvance(
                                           tr("%1, %n thread(s)", nullptr, 88).arg(elapsedText(58.8)))));
    setFixedHeight(scaled(70));
}

void SearchStrip::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.window);
    painter.fillRect(0, 0, width(), 1, theme.border);
    painter.fillRect(0, height() - 1, width(), 1, theme.border);
}

bool SearchStrip::eventFilter(QObject *watched, QEvent *event)
{
    const bool clicked = event->type() == QEvent::MouseButtonRelease
        && static_cast<QMouseEvent *>(event)->button() == Qt::LeftButton;
    const bool pressed = event->type() == QEvent::KeyPress
        && (static_cast<QKeyEvent *>(event)->key() == Qt::Key_Return
            || static_cast<QKeyEvent *>(event)->key() == Qt::Key_Space);
    if (clicked || pressed) {
        emit convergenceRequested();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void SearchStrip::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange || event->type() == QEvent::ApplicationFontChange)
        applyFonts();
}

} // namespace polyrail
