// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/search/change_note.hpp"

#include "core/plan/evaluate.hpp"
#include "ui/search/words.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace polyrail {

namespace {

struct Notes
{
    Q_DECLARE_TR_FUNCTIONS(ChangeNote)
};

QString idOf(const Cluster &cluster, LinkId link) { return QString::fromStdString(cluster.link(link).id); }

/// A link in use that the given one is exclusive with, or an invalid id.
LinkId exclusivePartner(const Cluster &cluster, const Schedule &schedule, LinkId link)
{
    for (const ConflictGroup &group : cluster.conflicts()) {
        if (group.kind != ConflictKind::Exclusive || std::ranges::find(group.links, link) == group.links.end())
            continue;
        for (const LinkId other : group.links)
            if (other != link && carriesTraffic(schedule, other))
                return other;
    }
    return {};
}

/// Why a link's change did nothing; empty when there is nothing to say.
QString whyNothing(const ShownPlan &shown, LinkId link)
{
    const QString id = idOf(shown.cluster, link);
    if (!carriesTraffic(*shown.schedule, link)) {
        const LinkId partner = exclusivePartner(shown.cluster, *shown.schedule, link);
        return partner.valid()
            ? Notes::tr("%1 is not used, and is exclusive with %2.").arg(id, idOf(shown.cluster, partner))
            : Notes::tr("%1 is not used by this plan.").arg(id);
    }
    if (!onCriticalPath(*shown.schedule, link))
        return Notes::tr("%1 is used, but not on the critical path.").arg(id);
    return {};
}

QString limitingLink(const ShownPlan &shown)
{
    const BusiestLink busiest = busiestLink(*shown.schedule, shown.cluster);
    if (!busiest.link.valid() || busiest.use < 0.3)
        return {};
    return Notes::tr("Busiest link: %1, %2 of the step.").arg(idOf(shown.cluster, busiest.link), percent(busiest.use));
}

QString samePlanSentence(const ShownPlan &shown, const SearchSnapshot *snapshot)
{
    const bool isBest = snapshot && snapshot->best && *snapshot->best->plan == *shown.plan;
    if (isBest && snapshot->status == SearchStatus::Optimal)
        return Notes::tr("Same plan, proven optimal.");
    if (isBest)
        return Notes::tr("Same plan, still the best found.");
    return snapshot ? Notes::tr("Same plan.") : Notes::tr("This plan on the new network; the search starts again.");
}

} // namespace

bool carriesTraffic(const Schedule &schedule, LinkId link)
{
    return std::ranges::any_of(schedule.links,
                               [link](const LinkUsage &use) { return use.link == link && use.bytes > 0; });
}

bool onCriticalPath(const Schedule &schedule, LinkId link)
{
    return std::ranges::any_of(schedule.criticalPath, [&](TaskId id) {
        const SimTask &task = schedule.graph->tasks[id.index()];
        return std::ranges::any_of(task.uses, [link](const LinkUse &use) { return use.link == link; });
    });
}

std::optional<Plan> remapPlan(const Plan &plan, const Cluster &from, const Cluster &to)
{
    Plan result = plan;
    for (Stage &stage : result.stages)
        for (Replica &replica : stage.replicas)
            for (DeviceId &device : replica.devices) {
                if (device.index() >= from.devices().size())
                    return std::nullopt;
                device = to.findDevice(from.device(device).id);
                if (!device.valid())
                    return std::nullopt;
            }
    return result;
}

ChangeNote describeChangeNote(const ChangeBase &base, const ShownPlan &shown, const SearchSnapshot *snapshot)
{
    const QString cause = describeChange(base.cluster, base.job, shown.cluster, shown.job);
    if (cause.isEmpty() || !shown.schedule)
        return {};
    ChangeNote note;
    note.headline = QStringLiteral("%1: %2.").arg(sentenceCase(cause),
                                                  describeEffect(base.step, shown.schedule->makespan));
    const auto remapped = remapPlan(*base.plan, base.cluster, shown.cluster);
    const bool samePlan = remapped && *remapped == *shown.plan;
    const LinkId link = onlyChangedLink(base.cluster, shown.cluster);
    const auto change = shown.schedule->makespan.value - base.step.value;
    const bool noEffect = std::abs(static_cast<double>(change)) < 0.0005 * static_cast<double>(base.step.value);

    QStringList reasons;
    if (samePlan)
        reasons << samePlanSentence(shown, snapshot);
    else
        reasons << Notes::tr("Another plan: %1.").arg(QString::fromStdString(shown.plan->summary()));
    if (link.valid() && noEffect) {
        reasons << whyNothing(shown, link);
    } else if (link.valid() && samePlan && change > 0
               && shown.cluster.link(link).bandwidth > base.cluster.link(link).bandwidth) {
        reasons << Notes::tr("A faster link can lengthen a fixed plan: transfers meet in another order.");
    } else {
        reasons << limitingLink(shown);
    }
    reasons.removeAll(QString());
    note.detail = reasons.join(QLatin1Char(' '));
    return note;
}

ChangeNote describePending(const ChangeBase &base, const Cluster &cluster, const TrainingJob &job,
                           const QString &reason)
{
    const QString cause = describeChange(base.cluster, base.job, cluster, job);
    if (cause.isEmpty())
        return {};
    return {sentenceCase(cause) + QLatin1Char('.'), reason};
}

} // namespace polyrail
