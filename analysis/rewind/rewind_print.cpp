// SPDX-License-Identifier: Apache-2.0
#include "analysis/rewind/rewind_print.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "model/number_text.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRangesShown = 8;

std::string hoursText(const std::optional<double>& hours) { return hours ? gpuHoursText(*hours) + " GPU-hours" : "GPU-hours not known"; }

template <class T>
Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::string samplesText(const SkippedSamples& samples, const RewindPlan& plan) {
  if (samples.source.empty()) return "samples to leave out: not known, the run logs neither data ranges nor consumed samples";
  std::string text = "samples to leave out (" + samples.source + ", [first, last)):";
  for (std::size_t i = 0; i < std::min(samples.ranges.size(), kRangesShown); ++i)
    text += (i == 0 ? " " : ", ") + std::to_string(samples.ranges[i].first) + "-" + std::to_string(samples.ranges[i].last);
  if (samples.ranges.size() > kRangesShown) text += ", ... (" + std::to_string(samples.ranges.size()) + " ranges, all in --json)";
  if (samples.last_step < plan.skip_last) text += "; known up to step " + std::to_string(samples.last_step);
  return text;
}

}  // namespace

const char* rewindRuleName(RewindRule rule) { return rule == RewindRule::kPalm ? "palm" : "falcon"; }

std::string rewindJson(const RewindAnswer& answer) {
  const RewindPlan& plan = answer.plan;
  Json json = {{"rule", rewindRuleName(plan.rule)},
               {"status", plan.checkpoint ? "ok" : "insufficient"},
               {"spike", {{"first_step", answer.facts.spike_first}, {"last_step", answer.facts.spike_last}}}};
  if (!plan.checkpoint) {
    json["reason"] = plan.reason;
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
  }
  json["checkpoint"] = {{"step", plan.checkpoint->step}, {"path", plan.checkpoint->path}};
  json["skip"] = {{"first_step", plan.skip_first},
                  {"last_step", plan.skip_last},
                  {"batches", plan.skipped()},
                  {"covers_spike", plan.covers_spike},
                  {"megatron_argument", megatronSkipArgument(plan)}};
  json["skip"]["samples"] = {{"source", answer.samples.source}, {"ranges", Json::array()}};
  for (const SampleRange& range : answer.samples.ranges) json["skip"]["samples"]["ranges"].push_back({range.first, range.last});
  if (!answer.samples.source.empty()) json["skip"]["samples"]["last_step"] = answer.samples.last_step;
  json["cost"] = {{"replay_steps", plan.replay_steps},
                  {"lost_steps", orNull(plan.lost_steps)},
                  {"lost_tokens", orNull(plan.lost_tokens)},
                  {"lost_gpu_hours", orNull(plan.lost_gpu_hours)},
                  {"restart_gpu_hours", orNull(plan.restart_gpu_hours)}};
  json["from"] = {{"step_seconds", orNull(answer.facts.step_seconds)},       {"world_size", orNull(answer.facts.world)},
                  {"tokens_per_step", orNull(answer.facts.tokens_per_step)}, {"tokens_source", answer.facts.tokens_source},
                  {"restart_seconds", orNull(answer.facts.restart_seconds)}, {"restarts_measured", answer.facts.restarts}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> rewindLines(const RewindAnswer& answer) {
  const RewindPlan& plan = answer.plan;
  const RewindFacts& facts = answer.facts;
  std::vector<std::string> lines = {"spike: steps " + std::to_string(facts.spike_first) + " to " + std::to_string(facts.spike_last)};
  if (!plan.checkpoint) {
    lines.push_back("no plan: " + plan.reason);
    return lines;
  }
  lines.push_back("restart from: step " + std::to_string(plan.checkpoint->step) +
                  (plan.checkpoint->path.empty() ? "" : ", " + plan.checkpoint->path) + ", " + std::to_string(plan.replay_steps) +
                  " steps before the spike");
  lines.push_back("leave out: the batches of steps " + std::to_string(plan.skip_first) + " to " + std::to_string(plan.skip_last) + " (" +
                  std::to_string(plan.skipped()) + ")" + (plan.covers_spike ? "" : "; the spike's end is not among them"));
  lines.push_back("steps to run again: " + (plan.lost_steps ? std::to_string(*plan.lost_steps) : std::string("not known")) +
                  (plan.lost_tokens ? ", " + numberText(*plan.lost_tokens) + " tokens" : "") + ", " + hoursText(plan.lost_gpu_hours));
  lines.push_back("restart itself: " + hoursText(plan.restart_gpu_hours) +
                  (facts.restart_seconds
                       ? " (" + numberText(*facts.restart_seconds) + " s, median of " + std::to_string(facts.restarts) + ")"
                       : std::string(", this run has not restarted before")));
  lines.push_back(samplesText(answer.samples, plan));
  if (const std::string argument = megatronSkipArgument(plan); !argument.empty())
    lines.push_back("for Megatron-LM, whose loop counts from 0: " + argument);
  return lines;
}

}  // namespace runglass
