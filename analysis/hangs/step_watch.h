// SPDX-License-Identifier: Apache-2.0
// StepWatch: feeds the steps of one attempt, as recorded by its lowest rank, into the stall clock, and keeps unexplained gaps.
//
// Threading:  one thread.
// Ownership:  borrows the Reader during calls.
// Units:      TimeNs, steps.
// Errors:     the Reader's.
// Cost:       the first call reads at most kStepsKept x 10 steps, later calls only new ones. Events are read only around a gap.
#pragma once

#include <optional>
#include <vector>

#include "analysis/hangs/stall_clock.h"
#include "storage/reader.h"

namespace runglass {

class StepWatch {
 public:
  StepWatch(RunId run, AttemptId attempt) : m_run(run), m_attempt(attempt) {}
  Status read(Reader& reader, std::stop_token stop);
  // Past gaps without a checkpoint, an evaluation or a restart.
  const std::vector<StallGap>& gaps() const { return m_gaps; }
  const StepClock& clock() const { return m_clock ? *m_clock : m_none; }
  bool fromLog() const { return m_series.id.value != 0 && !m_series.key.rank; }
  bool known() const { return m_series.id.value != 0; }
  // p99 of the time in communication: an upper bound for any operation.
  Result<std::optional<DurNs>> communicationP99(Reader& reader, std::stop_token stop) const;
  // Whether a checkpoint began or an evaluation reported just before `moved` or later, and has not ended long ago.
  Result<bool> saves(Reader& reader, TimeNs moved, TimeNs now) const;
  // The longest checkpoint or evaluation so far: as steps, or as the gap between steps.
  DurNs longestPhase() const { return m_longest_phase; }
  AttemptId attempt() const { return m_attempt; }

 private:
  Status choose(Reader& reader);
  Result<bool> explained(Reader& reader, const StallGap& gap);
  Result<bool> evaluated(Reader& reader, const StallGap& gap) const;

  RunId m_run;
  AttemptId m_attempt;
  Series m_series;
  std::vector<Series> m_phases;
  std::optional<std::int64_t> m_next;  // first step to read
  std::optional<StepClock> m_clock;
  StepClock m_none{false};
  std::vector<StallGap> m_gaps;
  DurNs m_longest_phase = 0;
};

}  // namespace runglass
