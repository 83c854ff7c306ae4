// SPDX-License-Identifier: GPL-3.0-or-later
// What happened in a run as marks in order of time, and its attempts: what the time bar shows and N goes through, in every view.
//
// Threading:  readRunMarks() runs on a query worker; values.
// Ownership:  values.
// Units:      TimeNs, half-open ranges.
// Errors:     the Reader's. What has no time is on no bar.
// Cost:       a few catalogue reads; events from warning on, at most kMarkEvents of the newest.
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
  TimeNs time = 0, end = 0;  // end: of what lasts; else the same
  MarkKind kind = MarkKind::kEvent;
  Severity severity = Severity::kInfo;
  QString text;  // made safe with screenText()
};

struct RunSection {
  std::int32_t number = 0;
  TimeRange range;  // an attempt without an end reaches to the highest time
};

struct RunMarks {
  RunId run;
  std::vector<RunSection> attempts;
  std::vector<RunMark> marks;  // by time
};

Result<RunMarks> readRunMarks(Reader& reader, RunId run, const std::stop_token& stop);

bool isNews(const RunMark& mark);

// The event, finding, incident, note or restart that comes next after a time (by 1), or before it (by -1). Checkpoints are no news.
const RunMark* neighbourMark(const RunMarks& data, TimeNs time, int by);

}  // namespace runglass
