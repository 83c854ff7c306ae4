// SPDX-License-Identifier: Apache-2.0
// Analysis `loss_health`: whether the model is still learning. Findings `loss_spike`, `loss_divergence`, `non_finite` and `clip_pressure`.
//
// Threading:  as Analysis.
// Ownership:  as Analysis; keeps a LossWatch.
// Units:      steps; TimeNs where the loss has a clock.
// Errors:     the Reader's. A run without a logged training loss has no findings.
// Cost:       per call the new points (a microsecond each) and the findings so far; the time of each finding is looked up once.
//
// Identity: (attempt and series, first step). A spike keeps its first step while it grows; short spikes are published after they recover.
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeLossHealth();

}  // namespace runglass
