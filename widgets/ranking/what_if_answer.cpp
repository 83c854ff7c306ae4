// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/what_if_answer.h"

#include <QCoreApplication>
#include <algorithm>
#include <charconv>

#include "widgets/core/language.h"
#include "widgets/core/run_words.h"

namespace runglass {
namespace {

constexpr double kHoursPerDay = 24;

struct WhatIfText {
  Q_DECLARE_TR_FUNCTIONS(WhatIf)
};

std::string lowerDashed(std::string text) {
  for (char& c : text) c = c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

bool isPlan(const std::string& name) {
  static constexpr std::array<std::string_view, 6> kNames = {"train-iters", "max-steps",   "num-train-steps",
                                                             "total-steps", "train-steps", "planned-steps"};
  return std::ranges::find(kNames, std::string_view(name)) != kNames.end();
}

std::optional<std::int64_t> countIn(std::string_view text) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && value > 0 ? std::optional(value) : std::nullopt;
}

// "--train-iters 500", "--train-iters=500", also as a JSON list.
std::optional<std::int64_t> planInArguments(const std::string& argv) {
  std::string words = argv;
  for (char& c : words)
    if (c == '=' || c == '"' || c == ',' || c == '[' || c == ']' || c == '\'' || c == '\n' || c == '\t') c = ' ';
  std::string before;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t begin = words.find_first_not_of(' ', at);
    if (begin == std::string::npos) break;
    at = std::min(words.find(' ', begin), words.size());
    const std::string word = words.substr(begin, at - begin);
    if (before.starts_with("--") && isPlan(lowerDashed(before.substr(2))))
      if (const auto count = countIn(word)) return count;
    before = word;
  }
  return std::nullopt;
}

QString stepText(double ns) { return formatDuration(static_cast<DurNs>(ns)); }

WhatIfRow finishRow(const WhatIfShown& shown, double fixed_share, TimeNs now, TimeStyle style) {
  const WhatIfData& data = shown.data;
  WhatIfRow row{.name = WhatIfText::tr("Finish"), .recorded = {}, .fixed = {}, .saved = {}};
  const auto last = data.attempt.last_step ? data.attempt.last_step : data.coverage.last_step;
  if (!shown.planned_steps || !last) {
    row.recorded = WhatIfText::tr("unknown: the planned number of steps is not recorded");
    return row;
  }
  if (shown.run.state == RunState::kFinished || shown.run.state == RunState::kFailed || *shown.planned_steps <= *last) {
    row.recorded = WhatIfText::tr("the run ended");
    return row;
  }
  const double left = static_cast<double>(*shown.planned_steps - *last) * data.what_if.t_real_ns;
  if (left > 1e18) {
    row.recorded = WhatIfText::tr("unknown: %1 steps are planned").arg(formatCount(*shown.planned_steps));
    return row;
  }
  const bool dated = shown.run.time_domain.value_or(TimeDomain::kUtc) == TimeDomain::kUtc && shown.run.state == RunState::kRunning;
  const auto when = [&](double ns) {
    const auto length = static_cast<DurNs>(ns);
    return dated ? formatTime(now + length, style) : WhatIfText::tr("%1 of steps left").arg(formatAge(length));
  };
  row.recorded = when(left), row.fixed = when(left * fixed_share);
  row.saved = formatAge(static_cast<DurNs>(left * (1 - fixed_share)));
  return row;
}

}  // namespace

std::optional<std::int64_t> plannedSteps(const std::vector<Fact>& facts) {
  for (const Fact& fact : facts)
    if (isPlan(lowerDashed(fact.key)))
      if (const auto count = countIn(fact.value)) return count;
  for (const Fact& fact : facts)
    if (fact.key == "argv")
      if (const auto count = planInArguments(fact.value)) return count;
  return std::nullopt;
}

Result<WhatIfShown> readWhatIfShown(Reader& reader, RunId run, AttemptId attempt, std::stop_token stop) {
  WhatIfShown shown;
  RG_ASSIGN(shown.run, chooseRun(reader, run));
  if (attempt) {
    RG_ASSIGN(const Attempt wanted, reader.attempt(attempt));
    if (wanted.run != shown.run.id) return Status(Code::kNotFound, "attempt " + std::to_string(attempt.value) + ": not in the run");
    RG_ASSIGN(shown.data, readWhatIf(reader, wanted, stop));
  } else {
    RG_ASSIGN(shown.data, readNewestWhatIf(reader, shown.run.id, stop));
  }
  RG_ASSIGN(const auto facts, reader.facts(shown.data.attempt.id));
  shown.planned_steps = plannedSteps(facts);
  return shown;
}

FixOutcome outcomeOf(const WhatIfShown& shown, const WhatIfTicks& ticks) {
  FixSet fixed(*shown.data.graph, false);
  for (const std::uint32_t stage : ticks.stages) fixed.setStage(stage, true);
  for (const std::uint32_t replica : ticks.replicas) fixed.setReplica(replica, true);
  for (const std::uint32_t worker : ticks.workers) fixed.setWorker(worker, true);
  for (const StepOp op : ticks.ops) fixed.setOp(op, true);
  return outcomeOf(*shown.data.replay, shown.data.what_if, fixed);
}

std::array<WhatIfRow, kWhatIfFacts> whatIfRows(const WhatIfShown& shown, const FixOutcome& outcome, std::optional<double> price, TimeNs now,
                                               TimeStyle style) {
  const WhatIfData& data = shown.data;
  const WhatIf& all = data.what_if;
  const double steps = static_cast<double>(all.steps.size());
  const auto hours = [&](double ns) { return ns / (3600.0 * kNsPerSecond) * data.gpus; };
  const double per_day = outcome.saved_ratio * data.gpus * kHoursPerDay;
  std::array<WhatIfRow, kWhatIfFacts> rows;
  rows[0] = {WhatIfText::tr("Step time"), stepText(all.t_ns), stepText(outcome.t_ns), formatSignedPercent(-outcome.saved_ratio)};
  rows[1] = {WhatIfText::tr("Slowdown S"), formatRatio(all.s), formatRatio(outcome.s), {}};
  rows[2] = {
      WhatIfText::tr("Wasted time"), formatPercent(std::max(all.waste_ratio, 0.0)), formatPercent(std::max(outcome.waste_ratio, 0.0)), {}};
  rows[3] = {WhatIfText::tr("GPU-hours of %1 steps").arg(formatCount(static_cast<std::int64_t>(all.steps.size()))),
             formatGpuHours(hours(all.t_ns * steps)), formatGpuHours(hours(outcome.t_ns * steps)),
             formatGpuHours(hours((all.t_ns - outcome.t_ns) * steps))};
  rows[4] = {WhatIfText::tr("GPU-hours a day, %1 GPUs").arg(formatCount(data.gpus)), formatGpuHours(data.gpus * kHoursPerDay),
             formatGpuHours(data.gpus * kHoursPerDay - per_day), formatGpuHours(per_day)};
  rows[5].name = WhatIfText::tr("Money a day");
  if (price) {
    const auto money = [&](double gpu_hours) { return formatMoney(gpu_hours * *price); };
    rows[5] = {rows[5].name, money(data.gpus * kHoursPerDay), money(data.gpus * kHoursPerDay - per_day), money(per_day)};
  } else {
    rows[5].recorded = WhatIfText::tr("unknown: enter the price of a GPU-hour");
  }
  rows[6] = finishRow(shown, 1 - outcome.saved_ratio, now, style);
  return rows;
}

QString whatIfSentence(const WhatIfShown& shown, const FixOutcome& outcome, const WhatIfTicks& ticks) {
  const WhatIf& all = shown.data.what_if;
  if (all.status == WhatIfStatus::kRefused) return WhatIfText::tr("Not available: %1.").arg(phraseText(all.reason));
  if (ticks.empty())
    return WhatIfText::tr("A step takes %1; if everything were as fast as it usually is, %2. %3 of the time is wasted.")
        .arg(stepText(all.t_ns), stepText(all.t_ideal_ns), formatPercent(all.waste_ratio));
  return WhatIfText::tr("With the ticked items fixed, a step takes %1 instead of %2 (%3).")
      .arg(stepText(outcome.t_ns), stepText(all.t_ns), formatSignedPercent(-outcome.saved_ratio));
}

QString whatIfGrounds(const WhatIfShown& shown) {
  const WhatIfData& data = shown.data;
  const WhatIfCoverage& coverage = data.coverage;
  QStringList sentences;
  sentences << WhatIfText::tr("%1 steps replayed, within %2 of the recording; %3 workers (dp, pp).")
                   .arg(formatCount(static_cast<std::int64_t>(coverage.steps)), formatPercent(data.what_if.sim_error_ratio))
                   .arg(formatCount(static_cast<std::int64_t>(coverage.workers)));
  if (const std::size_t left = coverage.gaps.left_out_steps(); left > 0)
    sentences << WhatIfText::tr("%1 incomplete steps left out.").arg(formatCount(static_cast<std::int64_t>(left)));
  if (coverage.gaps.replicas_left_out > 0)
    sentences << WhatIfText::tr("%1 replicas left out: a stage of them is missing.").arg(coverage.gaps.replicas_left_out);
  if (coverage.spans_left_out > 0) sentences << WhatIfText::tr("Older spans were not read.");
  if (!data.transfers_known)
    sentences << WhatIfText::tr("Sends and receives were not recorded: transfers between stages count as launch delay.");
  sentences << WhatIfText::tr("Ranks of one tensor- or context-parallel group cannot be separated.");
  return sentences.join(u' ');
}

}  // namespace runglass
