// SPDX-License-Identifier: Apache-2.0
#include "model/alert_cause.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace runglass {

std::string causeOfFinding(const Finding& finding, const std::string& node, const std::string& run) {
  static constexpr std::array<std::string_view, 3> kSlowMachine = {"slow_node", "slow_rank", "thermal_throttle"};
  static constexpr std::array<std::string_view, 2> kBroken = {"hardware_fault", "slow_link"};
  const std::string& subject = finding.subject;
  if (!node.empty() && std::ranges::find(kSlowMachine, finding.kind) != kSlowMachine.end()) return "finding/slow/node:" + node + '/' + run;
  const bool machine = subject.starts_with("device:") || subject.starts_with("node:") || subject == "hub";
  if (machine && std::ranges::find(kBroken, finding.kind) != kBroken.end()) return "finding/" + finding.kind + '/' + subject;
  static constexpr std::string_view kAttempt = "attempt:";
  std::string place = subject;
  if (place.starts_with(kAttempt)) place.replace(0, std::min(place.find_first_not_of("0123456789", kAttempt.size()), place.size()), "run");
  return "finding/" + finding.kind + '/' + place + '/' + run;
}

}  // namespace runglass
