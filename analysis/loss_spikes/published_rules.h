// SPDX-License-Identifier: Apache-2.0
// Published rules: the spike detectors of training frameworks and papers applied to the same curve, each with its own window and warm-up,
// for comparison with our own.
//
// Threading:  pure.
// Units:      steps, as the series counts them; windows count points. `score` is a share 0..1.
// Errors:     a curve shorter than a rule's warm-up has judged == 0 and no score.
// Cost:       O(points).
//
// Values that are not finite enter no window, as one of them would disable a rule for a whole window. With a deviation of 0, where any
// excess would be infinitely many sigma, a value must still exceed the mean.
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
  std::string_view id;     // in JSON
  std::string_view title;  // for people
  std::string_view says;   // the rule as a sentence
  std::size_t warm_up;     // points before the first judged one
};
const std::array<PublishedRuleInfo, 6>& publishedRules();

struct RuleHits {
  std::vector<std::int64_t> steps;      // of each hit, in order
  std::int64_t judged = 0, points = 0;  // points that the rule could judge, and all points
  std::optional<double> score() const {
    return judged > 0 ? std::optional(static_cast<double>(steps.size()) / static_cast<double>(judged)) : std::nullopt;
  }
};

// Steps in order, as many as values.
RuleHits applyRule(PublishedRule rule, std::span<const std::int64_t> steps, std::span<const double> values);

}  // namespace runglass
