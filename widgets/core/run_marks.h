// SPDX-License-Identifier: GPL-3.0-or-later
// The events of a run as marks in order of time, and its attempts: the content of the time bar and the targets of the key N, in every view.
//
// Threading:  readRunMarks() runs on a query worker.
// Units:      TimeNs, half-open ranges.
// Errors:     the Reader's. Items without a time have no mark.
// Cost:       a few catalogue reads; events of severity warning and above, at most the newest kMarkEvents.
#pragma once

#include <QString>
#include <optional>
#include <stop_token>
#include <vector>

#include "model/events.h"
#include "model/result.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMarkEvents = 5'000;

enum class MarkKind : std::uint8_t { kCheckpoint, kNote, kAttempt, kEvent, kFinding, kIncident };

struct RunMark {
  TimeNs time = 0, end = 0;  // end: of a finding, as spanOf(); else equal to time
  MarkKind kind = MarkKind::kEvent;
  Severity severity = Severity::kInfo;
  QString text;  // made safe with screenText()
};

struct RunSection {
  std::int32_t number = 0;
  TimeRange range;  // an attempt without an end extends to the highest time
};

struct RunMarks {
  RunId run;
  std::vector<RunSection> attempts;
  std::vector<RunMark> marks;  // by time
};

Result<RunMarks> readRunMarks(Reader& reader, RunId run, const std::stop_token& stop);

bool isNews(const RunMark& mark);

// The next event, finding, incident, note or restart after a time (by 1), or the previous one (by -1). Checkpoints are skipped.
const RunMark* neighbourMark(const RunMarks& data, TimeNs time, int by);

}  // namespace runglass
