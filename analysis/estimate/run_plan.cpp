// SPDX-License-Identifier: Apache-2.0
#include "analysis/estimate/run_plan.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/number_text.h"

namespace runglass {
namespace {

constexpr std::size_t kStretches = 10;
constexpr double kStudent = 1.383;  // two-sided 80 %, nine degrees of freedom
constexpr std::size_t kMinSteps = 20;
constexpr double kNs = 1e9;
constexpr double kFarthest = 200.0 * 365 * 86'400;  // seconds; beyond it a date is meaningless

std::optional<TimeNs> after(TimeNs now, double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > kFarthest) return std::nullopt;
  TimeNs at = 0;
  if (__builtin_add_overflow(now, static_cast<TimeNs>(seconds * kNs), &at)) return std::nullopt;
  return at;
}

// Steps per second of each interval of wall time. An interval without steps counts as 0: it is part of the spread.
std::vector<double> stretches(std::span<const DoneStep> steps, TimeNs now) {
  const double begin = static_cast<double>(steps.front().end), length = static_cast<double>(now) - begin;
  std::vector<std::int64_t> first(kStretches + 1, steps.front().step);
  std::size_t at = 0;
  for (std::size_t i = 1; i <= kStretches; ++i) {
    const double edge = begin + length * static_cast<double>(i) / kStretches;
    while (at + 1 < steps.size() && static_cast<double>(steps[at + 1].end) <= edge) ++at;
    first[i] = steps[at].step;
  }
  std::vector<double> paces;
  for (std::size_t i = 0; i < kStretches; ++i) paces.push_back(static_cast<double>(first[i + 1] - first[i]) / (length / kStretches / kNs));
  return paces;
}

void planOf(const RunFacts& facts, RunPlan& plan) {
  plan.tokens_per_step = facts.tokensPerStep();
  if (facts.train_steps) {
    plan.planned_steps = facts.train_steps;
    plan.plan_source = "train iterations " + formulaNumber(*facts.train_steps);
  } else if (facts.train_samples && facts.global_batch) {
    plan.planned_steps = std::ceil(*facts.train_samples / *facts.global_batch);
    plan.plan_source = "train samples " + formulaNumber(*facts.train_samples) + " ÷ global batch " + formulaNumber(*facts.global_batch);
  } else if (facts.train_tokens && plan.tokens_per_step) {
    plan.planned_steps = std::ceil(*facts.train_tokens / *plan.tokens_per_step);
    plan.plan_source = "train tokens " + formulaNumber(*facts.train_tokens) + " ÷ tokens a step " + formulaNumber(*plan.tokens_per_step);
  } else {
    plan.reason = facts.train_samples  ? "the number of samples is recorded, the global batch size is not"
                  : facts.train_tokens ? "the number of tokens is recorded, batch size and sequence length are not"
                                       : "the planned length is not recorded (--train-iters, --train-samples, max_steps …)";
    return;
  }
  if (facts.train_tokens)
    plan.planned_tokens = facts.train_tokens;
  else if (plan.tokens_per_step)
    plan.planned_tokens = *plan.planned_steps * *plan.tokens_per_step;
}

}  // namespace

void forecast(RunPlan& plan, std::span<const DoneStep> steps, TimeNs now) {
  if (!steps.empty()) plan.done_steps = steps.back().step;
  if (!plan.planned_steps) return;
  if (!plan.done_steps) return void(plan.reason = "no step is known");
  plan.done_share = std::min(1.0, static_cast<double>(*plan.done_steps) / *plan.planned_steps);
  // Some trainers count steps from 0.
  const double left = *plan.planned_steps - static_cast<double>(*plan.done_steps);
  if (left <= 1) {
    plan.finished = true;
    plan.finish = plan.finish_low = plan.finish_high = steps.back().end;
    return;
  }
  if (steps.size() < kMinSteps || now <= steps.front().end)
    return void(plan.reason = "fewer than " + std::to_string(kMinSteps) + " steps with a time: no pace yet");
  const double seconds = static_cast<double>(now - steps.front().end) / kNs;
  plan.steps_per_s = static_cast<double>(steps.back().step - steps.front().step) / seconds;
  if (!(*plan.steps_per_s > 0)) {
    plan.steps_per_s.reset();
    plan.reason = "the run is not farther than where it began";
    return;
  }
  plan.finish = after(now, left / *plan.steps_per_s);
  const std::vector<double> paces = stretches(steps, now);
  const auto count = static_cast<double>(kStretches);
  double spread = 0;
  for (const double pace : paces) spread += (pace - *plan.steps_per_s) * (pace - *plan.steps_per_s);
  spread = std::sqrt(spread / (count - 1));
  const double stretches_left = left / *plan.steps_per_s / (seconds / count);
  const double margin = kStudent * spread * std::sqrt(1 / count + 1 / std::max(stretches_left, 1e-9));
  plan.finish_low = after(now, left / (*plan.steps_per_s + margin));
  if (*plan.steps_per_s > margin) plan.finish_high = after(now, left / (*plan.steps_per_s - margin));
}

Result<RunPlan> readRunPlan(Reader& reader, const RunSummary& summary, std::span<const DoneStep> steps, std::optional<TimeNs> now) {
  RunPlan plan;
  if (summary.attempts.empty()) return plan.reason = "the run has no attempt", plan;
  RG_ASSIGN(const RunFacts facts, readRunFacts(reader, summary.attempts.back()));
  planOf(facts, plan);
  const bool running = summary.run.state == RunState::kRunning;
  if (steps.empty() && summary.run.time_domain == TimeDomain::kNone) {
    plan.done_steps = summary.last_step;
    if (plan.planned_steps && plan.done_steps) plan.done_share = std::min(1.0, static_cast<double>(*plan.done_steps) / *plan.planned_steps);
    if (plan.planned_steps) plan.reason = "the run's source has no clock";
    return plan;
  }
  forecast(plan, steps, running && now ? *now : steps.empty() ? 0 : steps.back().end);
  const Throughput& measured = summary.throughput;
  if (plan.planned_tokens && facts.parameters && facts.peak_flops_per_s && measured.mfu && facts.layout.world > 0)
    plan.days_at_peak_share =
        trainingDays({.tokens = *plan.planned_tokens, .parameters = *facts.parameters, .gpus = static_cast<double>(facts.layout.world)},
                     *facts.peak_flops_per_s, *measured.mfu);
  return plan;
}

}  // namespace runglass
