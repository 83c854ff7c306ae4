// SPDX-License-Identifier: Apache-2.0
#include "analysis/rewind/rewind_plan.h"

#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

constexpr double kSecondsPerHour = 3600;

// Saturated at the type's limits: a source may use any number as a step.
std::int64_t minus(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a > b ? INT64_MAX : INT64_MIN;
}
std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

void addCosts(const RewindFacts& facts, RewindPlan& plan) {
  plan.replay_steps = minus(facts.spike_first, plan.checkpoint->step);
  if (facts.newest_step) plan.lost_steps = std::max<std::int64_t>(0, minus(*facts.newest_step, plan.checkpoint->step));
  const double world = facts.world.value_or(0);
  if (plan.lost_steps && facts.tokens_per_step) plan.lost_tokens = static_cast<double>(*plan.lost_steps) * *facts.tokens_per_step;
  if (plan.lost_steps && facts.step_seconds && world > 0)
    plan.lost_gpu_hours = static_cast<double>(*plan.lost_steps) * *facts.step_seconds * world / kSecondsPerHour;
  if (facts.restart_seconds && world > 0) plan.restart_gpu_hours = *facts.restart_seconds * world / kSecondsPerHour;
}

}  // namespace

RewindPlan planRewind(const RewindFacts& facts, RewindRule rule) {
  RewindPlan plan;
  plan.rule = rule;
  const std::int64_t margin = rule == RewindRule::kPalm ? kPalmMargin : 1;
  const std::int64_t newest_allowed = minus(facts.spike_first, margin);
  for (const RewindFacts::Saved& saved : facts.checkpoints)
    if (saved.step <= newest_allowed && (!plan.checkpoint || saved.step > plan.checkpoint->step)) plan.checkpoint = saved;
  if (!plan.checkpoint) {
    plan.reason = facts.checkpoints.empty() ? "no durable checkpoint of this branch is recorded"
                                            : "no durable checkpoint is at step " + std::to_string(newest_allowed) + " or before";
    return plan;
  }
  std::int64_t count = 0;
  if (rule == RewindRule::kPalm) {
    plan.skip_first = std::max(plus(plan.checkpoint->step, 1), minus(facts.spike_first, kPalmMargin));
    count = std::clamp(plus(minus(facts.spike_last, plan.skip_first), 1 + kPalmMargin), kPalmSkipFewest, kPalmSkipMost);
  } else {
    if (!facts.tokens_per_step || !(*facts.tokens_per_step > 0)) {
      plan.checkpoint.reset();
      plan.reason = "the tokens of a step are not known (global batch size and sequence length), so 1 B tokens cannot be counted in steps";
      return plan;
    }
    plan.skip_first = plus(plan.checkpoint->step, 1);
    count = static_cast<std::int64_t>(std::clamp(std::ceil(kFalconSkipTokens / *facts.tokens_per_step), 1.0, 1e9));
  }
  plan.skip_last = std::min(plus(plan.skip_first, count - 1), INT64_MAX - 1);  // half-open ranges end after it
  plan.covers_spike = plan.skip_last >= facts.spike_last;
  addCosts(facts, plan);
  return plan;
}

std::vector<SampleRange> mergeRanges(std::vector<SampleRange> ranges) {
  std::erase_if(ranges, [](const SampleRange& range) { return range.last <= range.first; });
  std::ranges::sort(ranges, {}, &SampleRange::first);
  std::vector<SampleRange> merged;
  for (const SampleRange& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().last)
      merged.back().last = std::max(merged.back().last, range.last);
    else
      merged.push_back(range);
  }
  return merged;
}

std::string megatronSkipArgument(const RewindPlan& plan) {
  constexpr std::int64_t kMax = 10'000;  // more would not fit a command line
  if (!plan.checkpoint || plan.skipped() > kMax) return {};
  std::string text = "--iterations-to-skip";
  for (std::int64_t step = plan.skip_first; step <= plan.skip_last; ++step) text += " " + std::to_string(step - 1);
  return text;
}

}  // namespace runglass
