// SPDX-License-Identifier: Apache-2.0
// StepFeed: the steps of one attempt, one after the other, each once, as every analysis of steps wants them: live as they become complete,
// of a stored attempt from the first to the last. Where only a log prints step times, its frames have one duration and no ranks.
//
// Threading:  one thread.
// Ownership:  borrows the Reader during calls.
// Units:      as StepFrame.
// Errors:     the Reader's; CANCELLED when `stop` fires. An attempt without step times has no frames.
// Cost:       next(): one read a series of the steps asked for, about 10 us each; nothing while no step came. At most kFrames steps a call.
//             Memory: kFrames frames.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/steps/attempt_steps.h"
#include "analysis/steps/own_work.h"
#include "analysis/steps/step_frame.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

class StepFeed {
 public:
  static constexpr std::int64_t kFrames = 128;
  // A step is complete when all ranks that were heard lately have it, or when it is so many steps behind the newest one that half of them
  // have: who is later than that is missing in it. Where most fell silent the others are waited for no longer than 64 steps.
  static constexpr std::int64_t kLate = 5;

  explicit StepFeed(AttemptId attempt) : m_attempt(attempt) {}
  // The next complete steps, in order; empty: there are none now. `ended`: nothing will come any more, every step is complete.
  Result<std::vector<StepFrame>> next(Reader& reader, bool ended, std::stop_token stop);
  // Before the first next(): earlier steps are left out.
  void startAt(std::int64_t step) { m_next = step; }
  // The same: earlier ones than so many before the newest that two ranks have, as one alone may have its number wrong.
  void startBack(std::int64_t steps) { m_look_back = steps; }
  // Where steps were left out: the first that was not. Known after the first next().
  std::optional<std::int64_t> startedAt() const { return m_started; }
  AttemptId attempt() const { return m_attempt; }
  // By rank; grows only at the end of the vector, when ranks appear that nobody had announced.
  const std::vector<Rank>& ranks() const { return m_ranks; }

 private:
  struct Column {  // one series
    SeriesId id;
    std::optional<SeriesId> wait;  // of the same part
    std::size_t rank = 0;          // index
    StepColumn column = StepColumn::kOther;
    bool at_end = false;  // its times are those of the steps' ends
  };
  struct Span {  // of the attempt's steps, as far as the list of series knows
    std::int64_t first = 0, last = 0;
  };

  Status list(Reader& reader);
  void listParts(const AttemptSteps& steps);
  void addDurations(const Series& series, std::size_t rank, bool at_end);
  std::size_t indexOf(std::int32_t rank);
  Result<bool> anythingNew(Reader& reader, const std::stop_token& stop) const;
  std::int64_t firstToRead();
  // Past numbers that no step has; false: there is nothing further on, or, while the run goes on, nothing but one rank's odd number.
  Result<bool> skipGap(Reader& reader, bool ended, const std::stop_token& stop);
  // The highest step that so many ranks' series had reached when they were listed.
  std::int64_t reachedBy(std::size_t ranks) const;
  std::size_t expected() const;  // ranks a step
  Result<std::vector<StepFrame>> read(Reader& reader, const std::stop_token& stop) const;
  Status readDurations(Reader& reader, std::vector<StepFrame>& frames, const std::stop_token& stop) const;
  Status readPhases(Reader& reader, std::vector<StepFrame>& frames, const std::stop_token& stop) const;
  Status readPart(Reader& reader, const Column& source, std::vector<StepFrame>& frames, const std::stop_token& stop) const;
  std::size_t complete(const std::vector<StepFrame>& frames) const;
  void judge(StepFrame& frame);

  AttemptId m_attempt;
  std::vector<Rank> m_ranks;
  std::map<std::int32_t, std::size_t> m_index;
  std::vector<Column> m_durations, m_parts;
  std::vector<Series> m_phases;
  std::optional<Span> m_span;
  std::vector<std::int64_t> m_lasts;   // last steps of m_durations, highest first
  std::optional<std::int64_t> m_next;  // step to read from
  std::optional<std::int64_t> m_look_back, m_started;
  int m_calls_since_list = 0;
  std::vector<std::size_t> m_heard;  // ranks heard in the newest frames, oldest first
  OwnWork m_own_work;
  std::deque<DurNs> m_lengths;  // of the newest steady steps, oldest first
};

}  // namespace runglass
