// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/units.hpp"
#include "core/cluster/cluster.hpp"
#include "core/search/search.hpp"
#include "core/workload/training_job.hpp"

#include <QString>

namespace polyrail {

// What the window says in words and figures (docs/visual-style.md, section 8). Numbers follow the default locale.

/// A time and its unit apart, for key figures: {"3.709", "s"}; below 0.1 s in ms, below 0.1 ms in us.
struct Figure
{
    QString number;
    QString unit;
    QString text() const { return number + QChar(0x00A0) + unit; }
};
Figure stepFigure(Nanoseconds step);

/// "2.1 %" (with a space that does not break), with a real minus sign when negative. `signedly`: "+0.6 %", and "0.0 %" when it rounds to nothing.
QString percent(double share, bool signedly = false);
/// In the unit the link was entered in: "10 Gb/s" or "25 GB/s".
QString bandwidthText(const Link &link);

/// The cause of a change, without a full stop: "rail-1 from 10 to 4 Gb/s"; several: "3 links changed". Empty when
/// nothing that affects a plan differs.
QString describeChange(const Cluster &before, const TrainingJob &jobBefore, const Cluster &after,
                       const TrainingJob &jobAfter);
/// "3.685 to 3.709 s (+0.6 %)".
QString describeEffect(Nanoseconds before, Nanoseconds after);
/// The single link whose figures differ between two clusters of the same structure, if there is exactly one.
LinkId onlyChangedLink(const Cluster &before, const Cluster &after);

/// One word or two for the chip. The status alone decides.
QString statusWord(SearchStatus status);
/// The sentence beside the chip for a snapshot of the network on screen.
QString statusSentence(const SearchSnapshot &snapshot);
/// "2:05" beyond a minute, else "14.6 s".
QString elapsedText(double seconds);
/// Upper-cases the first letter, as sentences begin.
QString sentenceCase(QString text);

} // namespace polyrail
