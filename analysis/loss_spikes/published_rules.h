// SPDX-License-Identifier: Apache-2.0
// Published rules: what the spike detectors of training frameworks and papers would say of the same curve, each with its own window and
// warm-up, for comparison with ours.
//
// Threading:  pure.
// Units:      steps as the series counts them; windows count points. `score` is a share 0..1.
// Errors:     none; a curve shorter than a rule's warm-up has judged == 0 and no score.
// Cost:       O(points).
//
// Values that are not finite enter no window, as one of them would blind a rule for a whole window. What a deviation of 0 would call
// infinitely many sigma has to be above the mean all the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace runglass {

enum class PublishedRule : std::uint8_t {
  kOlmoScore,      // x >= mean + 7 sigma of the 1,000 before. OLMo 2 (arXiv 2501.00656, section 3), "spike score"; Marin's tracker
  kSkipStep,       // x - mean > 6 sigma of the 128 before, of which 64 must be there. OLMo-core and levanter, SkipStepOptimizer
  kZClip,          // z > 2.5 against averages that decay with 0.97, begun from 25. ZClip (arXiv 2504.02507, algorithm 1)
  kMegatronRerun,  // x >= 10 x the largest of the first 100. Megatron-LM, RerunStateMachine.is_unexpectedly_large
  kLlmFoundry,     // >= 2 x mean of the last 100 more than 4 times in a row; from 200 on half of them above 10. llm-foundry, KillLossSpike
  kLightning,      // x - mean of 10 >= 2 x mean, or not finite. PyTorch Lightning, SpikeDetection (rtol)
};

struct PublishedRuleInfo {
  PublishedRule rule;
  std::string_view id;     // as JSON has it
  std::string_view title;  // for a screen
  std::string_view says;   // the rule in words
  std::size_t warm_up;     // points before the first one that is judged
};
const std::array<PublishedRuleInfo, 6>& publishedRules();

struct RuleHits {
  std::vector<std::int64_t> steps;      // of each hit, in order
  std::int64_t judged = 0, points = 0;  // points that the rule could judge, of all
  std::optional<double> score() const {
    return judged > 0 ? std::optional(static_cast<double>(steps.size()) / static_cast<double>(judged)) : std::nullopt;
  }
};

// Steps in order; as many values as steps.
RuleHits applyRule(PublishedRule rule, std::span<const std::int64_t> steps, std::span<const double> values);

}  // namespace runglass
