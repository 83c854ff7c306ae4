// SPDX-License-Identifier: Apache-2.0
// StepFeed: the steps of one attempt in order, each once, for all analyses of steps: live as they become complete, for a stored attempt
// from first to last. Where only a log has step times, its frames have one duration and no ranks.
//
// Threading:  one thread.
// Ownership:  borrows the Reader during calls.
// Units:      as StepFrame.
// Errors:     the Reader's; CANCELLED when `stop` fires. An attempt without step times has no frames.
// Cost:       next(): one read per series of the requested steps, about 10 us each; almost nothing without new steps. At most kFrames steps
//             per call. Memory: kFrames frames.
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
  // A step is complete when all recently reporting ranks have it, or when it is this many steps behind the newest one that half of them
  // have: later ranks are missing in it. If most ranks fell silent, a step is complete after at most 64 later ones.
  static constexpr std::int64_t kLate = 5;

  explicit StepFeed(AttemptId attempt) : m_attempt(attempt) {}
  // The next complete steps, in order; empty: none now. `ended`: the data is complete, and so is every step.
  Result<std::vector<StepFrame>> next(Reader& reader, bool ended, std::stop_token stop);
  // Call before the first next(): earlier steps are left out.
  void startAt(std::int64_t step) { m_next = step; }
  // The same, for steps earlier than `steps` before the newest one that two ranks have: one rank alone may have a wrong step number.
  void startBack(std::int64_t steps) { m_look_back = steps; }
  // If steps were left out, the first that was not. Known after the first next().
  std::optional<std::int64_t> startedAt() const { return m_started; }
  AttemptId attempt() const { return m_attempt; }
  // By rank; grows only at the end of the vector, when unannounced ranks appear.
  const std::vector<Rank>& ranks() const { return m_ranks; }

 private:
  struct Column {  // one series
    SeriesId id;
    std::optional<SeriesId> wait;  // of the same part
    std::size_t rank = 0;          // index
    StepColumn column = StepColumn::kOther;
    bool at_end = false;  // its times are the ends of steps
  };
  struct Span {  // of the attempt's steps, by the list of series
    std::int64_t first = 0, last = 0;
  };

  Status list(Reader& reader);
  void listParts(const AttemptSteps& steps);
  void addDurations(const Series& series, std::size_t rank, bool at_end);
  std::size_t indexOf(std::int32_t rank);
  Result<bool> anythingNew(Reader& reader, const std::stop_token& stop) const;
  std::int64_t firstToRead();
  // Skips numbers without a step; false: there are no later steps, or, while the run continues, only one rank's odd number.
  Result<bool> skipGap(Reader& reader, bool ended, const std::stop_token& stop);
  // The highest step that this many ranks' series had reached when they were listed.
  std::int64_t reachedBy(std::size_t ranks) const;
  std::size_t expected() const;  // ranks per step
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
  std::vector<std::int64_t> m_lasts;   // last steps of m_durations, descending
  std::optional<std::int64_t> m_next;  // next step to read
  std::optional<std::int64_t> m_look_back, m_started;
  int m_calls_since_list = 0;
  std::vector<std::size_t> m_heard;  // number of ranks reporting in the newest frames, oldest first
  OwnWork m_own_work;
  std::deque<DurNs> m_lengths;  // of the newest steady steps, oldest first
};

}  // namespace runglass
