// SPDX-License-Identifier: Apache-2.0
// IdleTally: causes summed over devices (or ranks) and steps; the common result of spans and of step parts.
//
// Units:      ns.
// Cost:       add(): O(causes).
#pragma once

#include <array>
#include <optional>
#include <set>
#include <vector>

#include "analysis/gpu_idle/idle_cause.h"
#include "model/ids.h"
#include "model/time.h"

namespace runglass {

struct CauseSum {
  double ns = 0;
  std::size_t stretches = 0;  // intervals; 0: not recorded
  std::optional<std::int64_t> first_step, last_step;
  TimeRange longest{0, 0};
  double longest_ns = 0;  // of that interval, or of the cause in that step
  std::optional<std::int32_t> rank;
  TrackId track;
  std::set<std::size_t> units;                // in which it is noticeable in some step
  double noticed_ns = 0, noticed_window = 0;  // of those steps
};

// One device (or rank) in one step.
struct StepSample {
  std::size_t unit = 0;
  std::optional<std::int32_t> rank;
  std::optional<std::int64_t> step;
  double window = 0;
  std::array<double, kIdleCauseCount> ns{};
};

struct IdleTally {
  std::array<CauseSum, kIdleCauseCount> causes;
  double window = 0;  // ns of all devices and steps
  std::size_t samples = 0, units = 0;
  std::set<std::int64_t> steps;
  std::optional<TimeRange> when;

  CauseSum& operator[](IdleCause cause) { return causes[static_cast<std::size_t>(cause)]; }
  const CauseSum& operator[](IdleCause cause) const { return causes[static_cast<std::size_t>(cause)]; }
  double share(IdleCause cause) const { return window > 0 ? (*this)[cause].ns / window : 0; }

  void add(const StepSample& sample);
  void cover(TimeRange range);
  // Moves at most this share of the window from these causes, in order, to `to`; returns the moved share.
  double move(IdleCause to, double share_of_window, std::initializer_list<IdleCause> from);
};

}  // namespace runglass
