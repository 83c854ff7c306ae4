// SPDX-License-Identifier: Apache-2.0
// GpuWork: the own work of each rank of an attempt in its newest steps, without waiting, compared with the ranks of its pipeline stage.
//
// Threading:  a GpuWorkFeed is used by one thread at a time.
// Units:      ns; ratios.
// Errors:     the Reader's; CANCELLED when `stop` fires. Without steps or peers there is no comparison.
// Cost:       as StepTableFeed of kWorkSteps steps: 4,096 ranks with four parts 0.2 s and 15 MiB at first, then only new steps.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/slow_ranks/step_table.h"

namespace runglass {

// Number of newest steps: a median over them is stable, and a rank that became slow shows after half of them.
inline constexpr std::int64_t kWorkSteps = 20;

struct RankWork {
  double own_ns = 0;                // median over the steps
  std::optional<double> deviation;  // median over the steps of own / peers' median, minus 1
  bool small = false;               // the deviation is less than kSlowerByNs
};

struct GpuWork {
  SlownessBasis basis = SlownessBasis::kStepTime;
  std::size_t steps = 0;
  std::map<std::int32_t, RankWork> ranks;
  bool compared = false;  // any rank has a deviation
};

class GpuWorkFeed {
 public:
  // `ranks` are the attempt's, placed (see placedRanks()). Another attempt than in the previous call starts over.
  Result<GpuWork> read(Reader& reader, AttemptId attempt, const std::vector<Rank>& ranks, const std::stop_token& stop);

 private:
  AttemptId m_attempt;
  std::unique_ptr<StepTableFeed> m_table;
  std::optional<std::uint64_t> m_revision;  // the revision of m_table that m_work was computed from
  GpuWork m_work;
};

}  // namespace runglass
