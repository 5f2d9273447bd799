// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.hpp"
#include "core/plan/plan.hpp"
#include "core/sim/schedule.hpp"

#include <QCoreApplication>
#include <QString>

namespace polyrail {

struct GanttModel;
struct LinkRow;
struct MemoryRow;

/// Translation context of the words in charts. No widget: the texts are tested without a window.
struct ChartText
{
    Q_DECLARE_TR_FUNCTIONS(Charts)
};

/// "1.974 s", "12.3 ms", "850 µs", "40 ns": four digits at most.
QString timeText(double nanoseconds);
/// The same to the resolution `step`, in the unit that suits `magnitude` (both ns): labels of one ruler read alike, and
/// the cursor's figure does not jitter.
QString timeText(double nanoseconds, double step, double magnitude);
QString bytesText(double bytes);
/// "62 %"; one decimal below 10 %.
QString shareText(double share);
/// "NVLink", "PCIe", "NIC rail", "host bus", "link"
QString kindText(LinkKind kind);
/// In the unit that the link was entered in.
QString capacityText(const Link &link);
QString rateText(double bytesPerSecond, bool bits);
/// "20.6 of 24 GB"
QString memoryText(double bytes, double capacity);
/// "tensor 4", "tensor 2 · data 2", "tensor 4 / 2 · data 2"; empty for one device
QString splitText(const Stage &stage);
/// "layers 1–15"
QString layersText(const Stage &stage);
QString roleText(TaskRole role);
/// "F3", "B12", "O"; empty for what has no letter
QString barLetter(const SimTask &task);

/// Lines of a tooltip: plain text, the first line is the name.
QString describeTask(const GanttModel &model, TaskId task);
QString describeLink(const GanttModel &model, const LinkRow &row, double time);
QString describeMemory(const MemoryRow &row, double time);

} // namespace polyrail
