// SPDX-License-Identifier: Apache-2.0
// The analysis of a run's steps: slow_rank, slow_node, stage_imbalance, sequence_imbalance, host_bound, data_bound, gc_jitter and
// throughput_shift (docs/guide/findings.md).
//
// Threading:  as Analysis.
// Ownership:  as Analysis.
// Units:      as Finding.
// Errors:     as Analysis.
// Cost:       per step, for any length of the run: one read of each step series (10 us each) and 2 ms for 1,024 ranks. A live run is
//             analysed from its newest kLiveLookBack steps on.
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

inline constexpr std::int64_t kLiveLookBack = 500;

std::unique_ptr<Analysis> makeStepDiagnosis();

}  // namespace runglass
