// SPDX-License-Identifier: Apache-2.0
// StepFrame: one training step of all ranks, in columns: its duration on each rank and its parts.
//
// Units:      ns; NaN: not recorded by that rank. Columns are by index into the feed's ranks; a column without data is empty.
// Cost:       52 bytes per rank.
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
  kOther,     // parts of other names; passes, optimizer and these exclude known waiting
  kTransfer,  // communication without its waiting; only if the waiting is known
  kWait,      // waiting for peers in all of these
  kData,      // including its waiting, which is its cost
  kHost,
  kGc,
  kCheckpoint,
  kRunDelay,  // the training thread was runnable without a CPU; within the columns before it, as is
  kCpu,       // CPU time of all threads of the rank's process
};
inline constexpr std::size_t kStepColumnCount = 12,
                             kStepPartColumns = 10;  // the parts that sum to a step are the columns before kRunDelay
const char* stepColumnName(StepColumn column);       // "forward", "communication", ...
// By a part's name in trainers ("forward-compute", "dataload", ...); communication is kTransfer. Absent: the rest of a step, whose contents
// are unknown.
std::optional<StepColumn> stepColumnOf(std::string_view part);

// The part that a series measures, from its labels; "" if they name none or are not a JSON object.
std::string partOf(const std::string& labels);

struct StepFrame {
  std::int64_t step = 0;
  StepPhase phase = StepPhase::kSteady;
  std::optional<TimeRange> when;  // from the first rank's start to the last one's end; absent without a clock
  std::vector<float> dur;
  std::array<std::vector<float>, kStepColumnCount> columns;
  std::size_t ranks_heard = 0;  // ranks with a duration
  // In no baseline: the run stalled in it (stalled_steps.h, by the newest steady steps up to this one), or Runglass slowed it down
  // (own_work.h).
  bool stalled = false, disturbed = false;
  bool has_parts = false;

  bool isSteady() const { return phase == StepPhase::kSteady && !stalled && !disturbed; }
  float at(StepColumn column, std::size_t rank) const {
    const auto& values = columns[static_cast<std::size_t>(column)];
    return values.empty() ? std::numeric_limits<float>::quiet_NaN() : values[rank];
  }
  // The maximum over ranks; absent without a duration.
  std::optional<double> longest() const;
};

// NaN if none of the columns is recorded.
float sumOf(const StepFrame& frame, std::size_t rank, std::initializer_list<StepColumn> columns);

}  // namespace runglass
