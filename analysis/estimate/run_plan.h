// SPDX-License-Identifier: Apache-2.0
// Planned versus actual: what a run was told to do, how fast it goes, and when it will be done at that pace.
//
// The pace is steps per second of wall time, so that saves, evaluations and restarts count as they did so far. Its interval is the 80 %
// prediction interval of the mean pace over what is left, from ten equal stretches of the wall time so far (Student's t with nine degrees:
// mean ± 1.383 s √(1/10 + 1/m), m the stretches left).
//
// Threading:  kernel: pure. readRunPlan(): on the thread of the Reader.
// Ownership:  values.
// Units:      steps, tokens; TimeNs, seconds.
// Errors:     the Reader's. A plan that cannot be told is absent and `reason` says why, in plain words.
// Cost:       O(steps).
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "analysis/estimate/run_facts.h"
#include "storage/reader.h"

namespace runglass {

// A step that the run kept, by time: steps that were lost and done again are there once, at their last end.
struct DoneStep {
  std::int64_t step = 0;
  TimeNs end = 0;
};

struct RunPlan {
  std::string reason;  // why there is no plan, or no forecast
  std::optional<double> planned_steps, planned_tokens, tokens_per_step;
  std::string plan_source;                 // the options it came from
  std::optional<std::int64_t> done_steps;  // the step that counts as done
  std::optional<double> done_share;
  // At the pace so far.
  std::optional<double> steps_per_s;
  std::optional<TimeNs> finish, finish_low, finish_high;
  bool finished = false;
  // The arithmetic of the same work at the run's own measured MFU; absent where parameters or the device's peak are not known.
  std::optional<Estimated> days_at_peak_share;
};

// `now`: the pace's end; the time of the newest step when the run is over or stored.
void forecast(RunPlan& plan, std::span<const DoneStep> steps, TimeNs now);

// `steps`: by time, of the whole run; see analysis/goodput for where they come from.
Result<RunPlan> readRunPlan(Reader& reader, const RunSummary& summary, std::span<const DoneStep> steps, std::optional<TimeNs> now);

}  // namespace runglass
