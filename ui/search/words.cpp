// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/search/words.hpp"

#include "core/base/quantity.hpp"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>
#include <set>

namespace polyrail {

namespace {

struct Words
{
    Q_DECLARE_TR_FUNCTIONS(Words)
};

QString locale(double value, int decimals)
{
    QString text = QLocale().toString(std::abs(value), 'f', decimals);
    return value < 0 ? QChar(0x2212) + text : text;
}

/// "10 Gb/s" -> {"10", "Gb/s"}
Figure split(const QString &quantity)
{
    const auto blank = quantity.indexOf(QLatin1Char(' '));
    return blank < 0 ? Figure{quantity, {}} : Figure{quantity.left(blank), quantity.mid(blank + 1)};
}

QString fromTo(const QString &before, const QString &after)
{
    const Figure a = split(before);
    const Figure b = split(after);
    const QString first = a.unit == b.unit ? a.number : before;
    return Words::tr("from %1 to %2").arg(first, after);
}

bool sameFigures(const Link &a, const Link &b)
{
    return a.ends == b.ends && a.kind == b.kind && a.bandwidth == b.bandwidth && a.latency == b.latency
        && a.duplex == b.duplex && a.state == b.state;
}

bool sameStructure(const Cluster &a, const Cluster &b)
{
    if (a.devices().size() != b.devices().size() || a.hubs().size() != b.hubs().size()
        || a.links().size() != b.links().size())
        return false;
    for (std::size_t i = 0; i < a.links().size(); ++i)
        if (a.links()[i].id != b.links()[i].id)
            return false;
    return true;
}

QString name(const std::string &id) { return QString::fromStdString(id); }

QString describeLink(const Link &before, const Link &after)
{
    const QString id = name(after.id);
    if (before.state != after.state)
        return after.state == LinkState::Up ? Words::tr("%1 up").arg(id) : Words::tr("%1 down").arg(id);
    if (before.bandwidth != after.bandwidth) {
        Link shown = before;
        shown.enteredInBits = after.enteredInBits;
        return QStringLiteral("%1 %2").arg(id, fromTo(bandwidthText(shown), bandwidthText(after)));
    }
    if (before.latency != after.latency)
        return Words::tr("latency of %1 %2")
            .arg(id, fromTo(name(formatDuration(before.latency)), name(formatDuration(after.latency))));
    if (before.duplex != after.duplex)
        return after.duplex == Duplex::Full ? Words::tr("%1 full duplex").arg(id) : Words::tr("%1 half duplex").arg(id);
    return Words::tr("%1 changed").arg(id);
}

/// "v100-3 added", "2 links removed"; empty when the id sets agree.
template<class Range>
QString describeSet(const Range &before, const Range &after, QString (*added)(int), QString (*removed)(int))
{
    std::set<std::string> old;
    std::set<std::string> now;
    for (const auto &item : before)
        old.insert(item.id);
    for (const auto &item : after)
        now.insert(item.id);
    QStringList come;
    QStringList gone;
    for (const auto &id : now)
        if (!old.contains(id))
            come << name(id);
    for (const auto &id : old)
        if (!now.contains(id))
            gone << name(id);
    QStringList parts;
    if (!come.isEmpty())
        parts << (come.size() == 1 ? Words::tr("%1 added").arg(come.first()) : added(static_cast<int>(come.size())));
    if (!gone.isEmpty())
        parts << (gone.size() == 1 ? Words::tr("%1 removed").arg(gone.first())
                                   : removed(static_cast<int>(gone.size())));
    return parts.join(QStringLiteral(", "));
}

QString describeCluster(const Cluster &before, const Cluster &after)
{
    const QString devices = describeSet(
        before.devices(), after.devices(), [](int n) { return Words::tr("%n device(s) added", nullptr, n); },
        [](int n) { return Words::tr("%n device(s) removed", nullptr, n); });
    if (!devices.isEmpty())
        return devices;
    const QString links = describeSet(
        before.links(), after.links(), [](int n) { return Words::tr("%n link(s) added", nullptr, n); },
        [](int n) { return Words::tr("%n link(s) removed", nullptr, n); });
    if (!links.isEmpty())
        return links;
    if (const LinkId only = onlyChangedLink(before, after); only.valid())
        return describeLink(before.link(only), after.link(only));
    int changed = 0;
    if (sameStructure(before, after))
        for (std::size_t i = 0; i < after.links().size(); ++i)
            changed += sameFigures(before.links()[i], after.links()[i]) ? 0 : 1;
    if (changed > 0)
        return Words::tr("%n link(s) changed", nullptr, changed);
    for (std::size_t i = 0; i < after.devices().size(); ++i) {
        const Device &a = before.devices()[i];
        const Device &b = after.devices()[i];
        if (a.typeName != b.typeName)
            return QStringLiteral("%1 %2").arg(name(b.id), fromTo(name(a.typeName), name(b.typeName)));
    }
    return Words::tr("cluster changed");
}

QString describeJob(const TrainingJob &before, const TrainingJob &after)
{
    if (before.model.name != after.model.name)
        return Words::tr("model %1").arg(fromTo(name(before.model.name), name(after.model.name)));
    if (before.globalBatch != after.globalBatch)
        return Words::tr("batch %1").arg(
            fromTo(QLocale().toString(before.globalBatch), QLocale().toString(after.globalBatch)));
    if (before.maxMicroBatch != after.maxMicroBatch)
        return after.maxMicroBatch == 0 ? Words::tr("micro-batch left to the search")
                                        : Words::tr("micro-batch at most %1").arg(after.maxMicroBatch);
    if (before.sequence != after.sequence)
        return Words::tr("sequence %1").arg(
            fromTo(QLocale().toString(before.sequence), QLocale().toString(after.sequence)));
    if (before.precision != after.precision)
        return Words::tr("precision %1")
            .arg(fromTo(QLatin1String(toString(before.precision)), QLatin1String(toString(after.precision))));
    if (before.sharding != after.sharding)
        return Words::tr("sharding %1")
            .arg(fromTo(QLatin1String(toString(before.sharding)), QLatin1String(toString(after.sharding))));
    return Words::tr("training job changed");
}

} // namespace

Figure stepFigure(Nanoseconds step)
{
    const double seconds = toSeconds(step).value;
    if (step.value != 0 && std::abs(seconds) < 1e-4)
        return {locale(seconds * 1e6, 1), QStringLiteral("µs")};
    if (step.value != 0 && std::abs(seconds) < 0.1)
        return {locale(seconds * 1e3, 1), QStringLiteral("ms")};
    return {locale(seconds, 3), QStringLiteral("s")};
}

QString percent(double share, bool signedly)
{
    const double value = share * 100;
    const bool nothing = std::abs(value) < 0.05;
    QString text = locale(nothing ? 0.0 : value, 1);
    if (signedly && !nothing && value > 0)
        text.prepend(QLatin1Char('+'));
    return text + QChar(0x00A0) + QLatin1Char('%');
}

QString bandwidthText(const Link &link)
{
    return name(link.enteredInBits ? formatBandwidthBits(link.bandwidth) : formatBandwidth(link.bandwidth));
}

LinkId onlyChangedLink(const Cluster &before, const Cluster &after)
{
    if (!sameStructure(before, after))
        return {};
    LinkId only;
    for (std::size_t i = 0; i < after.links().size(); ++i) {
        if (sameFigures(before.links()[i], after.links()[i]))
            continue;
        if (only.valid())
            return {};
        only = LinkId(i);
    }
    return only;
}

QString describeChange(const Cluster &before, const TrainingJob &jobBefore, const Cluster &after,
                       const TrainingJob &jobAfter)
{
    QStringList parts;
    if (before.digest() != after.digest())
        parts << describeCluster(before, after);
    if (jobBefore.digest() != jobAfter.digest())
        parts << describeJob(jobBefore, jobAfter);
    return parts.join(QStringLiteral(", "));
}

QString describeEffect(Nanoseconds before, Nanoseconds after)
{
    const Figure a = stepFigure(before);
    const Figure b = stepFigure(after);
    const QString first = a.unit == b.unit ? a.number : a.text();
    const double change = before.value > 0 ? static_cast<double>(after.value - before.value)
            / static_cast<double>(before.value)
                                           : 0;
    return Words::tr("%1 to %2 (%3)").arg(first, b.text(), percent(change, true));
}

QString statusWord(SearchStatus status)
{
    switch (status) {
    case SearchStatus::Idle: return Words::tr("Ready");
    case SearchStatus::Running: return Words::tr("Live");
    case SearchStatus::Paused: return Words::tr("Paused");
    case SearchStatus::Optimal: return Words::tr("Proven optimal");
    case SearchStatus::Infeasible: return Words::tr("Does not fit");
    case SearchStatus::Stopped:
    case SearchStatus::TimeLimit:
    case SearchStatus::NodeLimit:
    case SearchStatus::MemoryLimit: return Words::tr("Stopped");
    case SearchStatus::Failed: return Words::tr("Failed");
    }
    return {};
}

QString statusSentence(const SearchSnapshot &snapshot)
{
    const QString message = QString::fromStdString(snapshot.message);
    const QString gap = percent(snapshot.gap);
    const bool found = snapshot.best.has_value();
    switch (snapshot.status) {
    case SearchStatus::Idle:
        return message.isEmpty() ? Words::tr("No plan yet. Pick a model and press Start.") : message;
    case SearchStatus::Running:
        return found ? Words::tr("Best so far. The search goes on.") : Words::tr("Looking for a first plan.");
    case SearchStatus::Paused:
        return message.isEmpty() ? Words::tr("Paused after %1.").arg(elapsedText(snapshot.elapsedSeconds)) : message;
    case SearchStatus::Optimal: return Words::tr("No plan in this search space is faster.");
    case SearchStatus::Infeasible: return message.isEmpty() ? Words::tr("No plan fits this cluster.") : message;
    case SearchStatus::Stopped:
        if (!message.isEmpty())
            return message;
        return found ? Words::tr("Stopped, gap %1.").arg(gap) : Words::tr("Stopped before a plan was found.");
    case SearchStatus::TimeLimit:
        return found ? Words::tr("Time limit reached, gap %1.").arg(gap)
                     : Words::tr("Time limit reached before a plan was found.");
    case SearchStatus::NodeLimit:
        return found ? Words::tr("Node limit reached, gap %1.").arg(gap)
                     : Words::tr("Node limit reached before a plan was found.");
    case SearchStatus::MemoryLimit:
        return found ? Words::tr("The search ran out of memory, gap %1.").arg(gap)
                     : Words::tr("The search ran out of memory before a plan was found.");
    case SearchStatus::Failed:
        return Words::tr("The search failed: %1. Your cluster is unchanged; press Start to try again.").arg(message);
    }
    return {};
}

QString elapsedText(double seconds)
{
    if (seconds < 59.95)
        return locale(seconds, 1) + QChar(0x00A0) + QLatin1Char('s');
    const int whole = static_cast<int>(seconds);
    if (whole < 3600)
        return QStringLiteral("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
    return QStringLiteral("%1:%2:%3")
        .arg(whole / 3600)
        .arg(whole / 60 % 60, 2, 10, QLatin1Char('0'))
        .arg(whole % 60, 2, 10, QLatin1Char('0'));
}

QString sentenceCase(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text;
}

} // namespace polyrail
