// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/fault_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "collectors/sim/step_model.h"

namespace runglass {
namespace {

constexpr std::array<std::string_view, 9> kCosted = {"slow_rank",        "slow_node", "stage_imbalance", "data_bound",        "host_bound",
                                                     "thermal_throttle", "slow_link", "gc_jitter",       "sequence_imbalance"};
constexpr double kShare = 0.2, kNoise = 0.005;

double lengthOf(const sim::Scenario& scenario, std::int64_t first, std::int64_t last) {
  const sim::StepModel model(scenario);
  double sum = 0;
  for (std::int64_t step = first; step <= last; ++step) sum += static_cast<double>(model.step(step).dur);
  return sum;
}

std::optional<double> costIn(const Finding& finding) {
  const auto evidence = nlohmann::json::parse(finding.evidence, nullptr, false);
  if (!evidence.is_object() || !evidence.contains("cost_ratio")) return std::nullopt;
  return evidence["cost_ratio"].get<double>();
}

}  // namespace

double trueCostOf(const sim::Scenario& scenario, std::size_t fault) {
  const sim::Fault& own = scenario.faults[fault];
  sim::Scenario without = scenario;
  without.faults.erase(without.faults.begin() + static_cast<std::ptrdiff_t>(fault));
  const std::int64_t first = std::max<std::int64_t>(own.first_step, scenario.warmup_steps + 1),
                     last = std::min(own.last_step, scenario.steps);
  return 1 - lengthOf(without, first, last) / lengthOf(scenario, first, last);
}

bool CostCheck::isRight() const { return printed && std::fabs(*printed - truth) <= std::max(kShare * truth, kNoise); }

std::vector<CostCheck> checkCosts(const sim::Scenario& scenario, std::span<const Finding> findings, std::span<const Truth> truths) {
  std::vector<CostCheck> out;
  std::vector<Finding> costed(findings.begin(), findings.end());
  std::erase_if(costed, [](const Finding& one) { return !costIn(one); });
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const sim::Fault& fault = scenario.faults[i];
    if (std::ranges::find(kCosted, fault.kind) == kCosted.end()) continue;
    const auto truth = std::ranges::find_if(truths, [&](const Truth& one) {
      return one.label.kind == fault.kind && one.label.first_step == fault.first_step &&
             (fault.target.kind != sim::Target::Kind::kRank || one.label.rank == fault.target.index);
    });
    if (truth == truths.end()) continue;
    CostCheck check{.scenario = scenario.name, .label = fault.kind, .subject = {}, .truth = trueCostOf(scenario, i), .printed = {}};
    Truth sought = *truth;
    if (fault.kind == "thermal_throttle") sought.label.kind = "slow_rank";  // what a hot GPU is to its job
    if (const Finding* const found = findingOf(costed, sought)) {
      check.subject = found->kind + " " + found->subject;
      check.printed = costIn(*found);
    }
    out.push_back(std::move(check));
  }
  return out;
}

}  // namespace runglass
