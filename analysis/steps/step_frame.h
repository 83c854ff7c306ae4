// SPDX-License-Identifier: Apache-2.0
// StepFrame: one training step of all ranks, in columns: how long it took on each and what of.
//
// Threading:  plain values.
// Units:      ns; NaN: that rank did not say it. Columns are by index into the feed's ranks; a column that nobody has is empty.
// Cost:       52 bytes a rank.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/step_metrics.h"
#include "model/time.h"

namespace runglass {

enum class StepColumn : std::uint8_t {
  kForward = 0,
  kBackward,
  kOptimizer,
  kOther,     // parts of other names; passes, optimizer and these less their waiting, where it was told
  kTransfer,  // communication less its waiting; only where the waiting was told
  kWait,      // of all these, for peers
  kData,      // with its waiting: that is what it costs
  kHost,
  kGc,
  kCheckpoint,
  kRunDelay,  // the training thread was ready and had no CPU; inside the columns before it, as is
  kCpu,       // what all threads of the rank's process had of CPUs
};
inline constexpr std::size_t kStepColumnCount = 12,
                             kStepPartColumns = 10;  // the parts that come to a step are the columns before kRunDelay
const char* stepColumnName(StepColumn column);       // "forward", "communication", ...
// Of a part's name as trainers say it ("forward-compute", "dataload", ...); communication is kTransfer. Absent: the rest of a step, in
// which nobody knows what was done.
std::optional<StepColumn> stepColumnOf(std::string_view part);

// The part that a series is about, from its labels; "" where they name none or are no JSON object.
std::string partOf(const std::string& labels);

struct StepFrame {
  std::int64_t step = 0;
  StepPhase phase = StepPhase::kSteady;
  std::optional<TimeRange> when;  // from the first rank's begin to the last one's end; absent without a clock
  std::vector<float> dur;
  std::array<std::vector<float>, kStepColumnCount> columns;
  std::size_t ranks_heard = 0;  // with a duration
  // In no baseline: the run stood still in it (stalled_steps.h, of the newest steady steps up to this one), or Runglass slowed it down
  // (own_work.h).
  bool stalled = false, disturbed = false;
  bool has_parts = false;

  bool isSteady() const { return phase == StepPhase::kSteady && !stalled && !disturbed; }
  float at(StepColumn column, std::size_t rank) const {
    const auto& values = columns[static_cast<std::size_t>(column)];
    return values.empty() ? std::numeric_limits<float>::quiet_NaN() : values[rank];
  }
  // The longest of any rank; absent where nobody said one.
  std::optional<double> longest() const;
};

// NaN where none of the columns is told.
float sumOf(const StepFrame& frame, std::size_t rank, std::initializer_list<StepColumn> columns);

}  // namespace runglass
