// SPDX-License-Identifier: Apache-2.0
// The two scores of NVIDIA's Resiliency Extension, for comparison by its users.
//
// NVRx, straggler detection (github.com/NVIDIA/nvidia-resiliency-ext, straggler/reporting.py): a score is ref_median / my_median, 1 at
// best; relative: the reference is the fastest rank, here of the same role; individual: the reference is the rank's own best earlier level.
// Below 0.75 NVRx calls a rank a straggler.
//
// Threading:  pure.
// Units:      ratios, at most 1. Levels are medians of kLevelSteps consecutive steps.
// Errors:     unknown scores are absent.
// Cost:       O(steps x ranks).
#pragma once

#include <optional>
#include <vector>

#include "analysis/slow_ranks/slow_ranks.h"

namespace runglass {

inline constexpr std::size_t kLevelSteps = 20;
inline constexpr double kNvrxStraggler = 0.75;

struct NvrxScore {
  std::int32_t rank = 0;
  std::optional<double> relative, individual;
};

// In the order of the table's ranks.
std::vector<NvrxScore> nvrxScores(const StepTable& table);

}  // namespace runglass
