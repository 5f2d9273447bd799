// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/search.hpp"
#include "ui/document/selection.hpp"

#include <QString>

#include <optional>

namespace polyrail {

/// The last state that was fully worked out before the user's change: what "from" refers to.
struct ChangeBase
{
    Cluster cluster;
    TrainingJob job;
    std::shared_ptr<const Plan> plan;
    Nanoseconds step;
};

/// A change told as cause, effect, reason: "Rail-1 from 10 to 4 Gb/s: 3.685 to 3.709 s (+0.6 %)." "Same plan."
struct ChangeNote
{
    QString headline;
    QString detail;
    bool isEmpty() const { return headline.isEmpty(); }
    bool operator==(const ChangeNote &) const = default;
};

/// `shown` must not be stale. `snapshot`: of the same network, or null while the search has not answered yet.
ChangeNote describeChangeNote(const ChangeBase &base, const ShownPlan &shown, const SearchSnapshot *snapshot);
/// The same before the effect is known: "Rail-1 from 10 to 4 Gb/s." and why there is no figure.
ChangeNote describePending(const ChangeBase &base, const Cluster &cluster, const TrainingJob &job,
                           const QString &reason);

/// Whether a schedule puts bytes on a link, in either direction.
bool carriesTraffic(const Schedule &schedule, LinkId link);
/// Whether a transfer of the critical path uses the link.
bool onCriticalPath(const Schedule &schedule, LinkId link);
/// The plan with its devices looked up by id in another cluster; nothing if one of them is gone.
std::optional<Plan> remapPlan(const Plan &plan, const Cluster &from, const Cluster &to);

} // namespace polyrail
