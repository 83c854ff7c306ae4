// SPDX-License-Identifier: Apache-2.0
// Planned versus actual: the configured length of a run, its pace, and its finish time at that pace.
//
// The pace is steps per second of wall time, so that saves, evaluations and restarts count at their rate so far. Its interval is the 80 %
// prediction interval of the mean pace over the remaining time, from ten equal intervals of the wall time so far (Student's t with nine
// degrees: mean ± 1.383 s √(1/10 + 1/m), m the number of remaining intervals).
//
// Threading:  kernel: pure. readRunPlan(): on the thread of the Reader.
// Units:      steps, tokens; TimeNs, seconds.
// Errors:     the Reader's. A plan that cannot be determined is absent and `reason` has the cause, for people.
// Cost:       O(steps).
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "analysis/estimate/run_facts.h"
#include "storage/reader.h"

namespace runglass {

// A kept step, by time: a step that was lost and repeated appears once, at its last end.
struct DoneStep {
  std::int64_t step = 0;
  TimeNs end = 0;
};

struct RunPlan {
  std::string reason;  // reason for a missing plan or forecast
  std::optional<double> planned_steps, planned_tokens, tokens_per_step;
  std::string plan_source;                 // the options it was read from
  std::optional<std::int64_t> done_steps;  // the step that counts as done
  std::optional<double> done_share;
  // At the pace so far.
  std::optional<double> steps_per_s;
  std::optional<TimeNs> finish, finish_low, finish_high;
  bool finished = false;
  // The same work computed at the run's own measured MFU; absent where the parameters or the device's peak are unknown.
  std::optional<Estimated> days_at_peak_share;
};

// `now`: the end of the pace's window; the time of the newest step for a run that ended or is stored.
void forecast(RunPlan& plan, std::span<const DoneStep> steps, TimeNs now);

// `steps`: by time, of the whole run; analysis/goodput produces them.
Result<RunPlan> readRunPlan(Reader& reader, const RunSummary& summary, std::span<const DoneStep> steps, std::optional<TimeNs> now);

}  // namespace runglass
