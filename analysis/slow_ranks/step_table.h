// SPDX-License-Identifier: Apache-2.0
// The newest steps of an attempt as the slow-rank kernel wants them, read from a store.
//
// Threading:  on the thread of the Reader.
// Units:      ns; steps.
// Errors:     the Reader's; CANCELLED when `stop` fires. An attempt without step times gives an empty table.
// Cost:       bounded: the newest kStepsLookedAt steps of each step series, about 10 a rank. 4,096 ranks x 200 steps: 0.5 s, 100 MiB.
//             Without step parts also the spans of as many steps as readSpanParts() reads. A StepTableFeed reads only what is new.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/slow_ranks/slow_ranks.h"
#include "model/ids.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::int64_t kStepsLookedAt = 200;

struct StepTableAnswer {
  StepTable table;
  std::vector<std::optional<TimeRange>> when;  // by step: from the first rank's begin to the last one's end; absent without a clock
  bool has_parts = false;                      // step parts exist, whether or not enough ranks have them
  // Nobody told step parts: they are those of the ranks' spans. The share of communication whose waiting could be told apart; below
  // kWaitsKnown none of it counts as work.
  std::optional<double> span_waits_known;
};

inline constexpr double kWaitsKnown = 0.9;

// Work of a rank in a step = the sum of its step_part_ns less step_part_wait_ns of the same part; where no rank tells parts, what its spans
// show (analysis/steps/step_parts.h). Of a part that is communication, or the
// rest of the step ("other"), and whose waiting nobody measured, nothing can be called work: it is left out. Work is what is compared where
// at least half of the ranks with steps have it, else step_time_ns. `ranks` are the attempt's (Reader::ranks); those that say nothing stay
// in the table, without values.
Result<StepTableAnswer> readStepTable(Reader& reader, AttemptId attempt, const std::vector<Rank>& ranks, std::stop_token stop);

// The same table again and again while a run goes on: keeps what it read, and reads the steps since, of late ranks what they still lack.
// It is no user of StepFeed, whose frames are one step of all ranks for analyses that walk through a run: those merge parts into eleven
// columns (here each part keeps its name), need step times (here parts alone are enough), keep the waiting of data in it and leave out
// steps that are not complete (here the newest step of a rank counts as soon as it is told).
class StepTableFeed {
 public:
  struct Options {
    std::optional<std::int64_t> newest = {};  // later steps are left out
    std::int64_t steps = kStepsLookedAt;      // the newest so many
    bool spans = true;                        // read where no step parts are recorded
  };
  explicit StepTableFeed(AttemptId attempt, Options options);
  explicit StepTableFeed(AttemptId attempt) : StepTableFeed(attempt, Options()) {}
  ~StepTableFeed();
  StepTableFeed(StepTableFeed&&) noexcept;
  StepTableFeed& operator=(StepTableFeed&&) noexcept;

  // After an error the next call goes on where this one ended. One thread at a time.
  Result<StepTableAnswer> read(Reader& reader, const std::vector<Rank>& ranks, std::stop_token stop);
  // Equal after two reads: the second one found nothing new.
  std::uint64_t revision() const;

 private:
  class Memory;
  std::unique_ptr<Memory> m_memory;
};

}  // namespace runglass
