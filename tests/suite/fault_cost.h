// SPDX-License-Identifier: Apache-2.0
// What a fault costs in truth: the same scenario without it, step for step. The simulator's noise depends on seed, step and rank alone, so
// that nothing else differs.
//
// Threading:  pure.
// Units:      shares of the time of the fault's steps; 0.05: without the fault they take 5 % less.
// Cost:       that of stepping the model twice through the fault's steps.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/engine/score.h"
#include "collectors/sim/scenario.h"

namespace runglass {

double trueCostOf(const sim::Scenario& scenario, std::size_t fault);

// One label whose finding says what it costs.
struct CostCheck {
  std::string scenario, label, subject;
  double truth = 0;
  std::optional<double> printed;  // cost_ratio of the finding; absent: the label was missed
  // Within 20 % of the truth, or half a per cent of the step: below that the noise of the steps decides.
  bool isRight() const;
};
// Of the labels of slow ranks, nodes and stages, and of waiting for data or for the host.
std::vector<CostCheck> checkCosts(const sim::Scenario& scenario, std::span<const Finding> findings, std::span<const Truth> truths);

}  // namespace runglass
