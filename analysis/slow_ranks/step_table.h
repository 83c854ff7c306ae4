// SPDX-License-Identifier: Apache-2.0
// Reads the newest steps of an attempt as input of the slow-rank kernel.
//
// Threading:  on the thread of the Reader.
// Units:      ns; steps.
// Errors:     the Reader's; CANCELLED when `stop` fires. An attempt without step times gives an empty table.
// Cost:       bounded: the newest kStepsLookedAt steps of each step series, about 10 per rank. 4,096 ranks x 200 steps: 0.5 s, 100 MiB.
//             Without step parts also the spans of the steps that readSpanParts() reads. A StepTableFeed reads only new data.
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
  std::vector<std::optional<TimeRange>> when;  // by step: from the first rank's start to the last one's end; absent without a clock
  bool has_parts = false;                      // step parts are recorded, even if too few ranks have them
  // Set where no step parts are recorded and they are computed from the ranks' spans: the share of communication with known waiting. Below
  // kWaitsKnown, no communication counts as work.
  std::optional<double> span_waits_known;
};

inline constexpr double kWaitsKnown = 0.9;

// Work of a rank in a step = the sum of its step_part_ns minus the step_part_wait_ns of the same part; where no rank records parts, from
// its spans (analysis/steps/step_parts.h). A part that is communication, or the rest of the step ("other"), and whose waiting was not
// measured, is left out: its work is unknown. Work is compared if at least half of the ranks with steps have it, else step_time_ns. `ranks`
// are the attempt's (Reader::ranks); ranks without data stay in the table, without values.
Result<StepTableAnswer> readStepTable(Reader& reader, AttemptId attempt, const std::vector<Rank>& ranks, std::stop_token stop);

// The same table, updated while a run continues: keeps the data that it read, and reads the steps since, and for late ranks their missing
// steps. It does not use StepFeed, whose frames (one step of all ranks, for analyses that walk through a run) merge parts into eleven
// columns (here each part keeps its name), need step times (here parts alone are enough), keep the waiting in data parts, and leave out
// incomplete steps (here the newest step of a rank counts as soon as it is recorded).
class StepTableFeed {
 public:
  struct Options {
    std::optional<std::int64_t> newest = {};  // later steps are left out
    std::int64_t steps = kStepsLookedAt;      // number of newest steps
    bool spans = true;                        // read where no step parts are recorded
  };
  explicit StepTableFeed(AttemptId attempt, Options options);
  explicit StepTableFeed(AttemptId attempt) : StepTableFeed(attempt, Options()) {}
  ~StepTableFeed();
  StepTableFeed(StepTableFeed&&) noexcept;
  StepTableFeed& operator=(StepTableFeed&&) noexcept;

  // After an error the next call continues where this one stopped. One thread at a time.
  Result<StepTableAnswer> read(Reader& reader, const std::vector<Rank>& ranks, std::stop_token stop);
  // Equal after two reads: the second one found no new data.
  std::uint64_t revision() const;

 private:
  class Memory;
  std::unique_ptr<Memory> m_memory;
};

}  // namespace runglass
