// SPDX-License-Identifier: Apache-2.0
// LogSession's records: the step of a line and the names of its values.
// Invariants:
// 1. A value is recorded only with a step from the line, its file's last step or its epoch; no step is guessed.
// 2. A unit printed with the number takes precedence over the rule's.
#include <algorithm>
#include <cmath>

#include "collectors/importers/train_log/log_session.h"
#include "collectors/importers/train_log/log_text.h"
#include "model/step_metrics.h"

namespace runglass::train_log {
namespace {
// Captures of a progress bar's rate.
constexpr std::string_view kSecondsPerStep = "s_per_step", kStepsPerSecond = "steps_per_s";
constexpr DurNs kArrivalResolution = 200 * kNsPerMs;  // tails are polled

// Of steps per second as printed; no number: as it is, which is no value.
Pair secondsPerStep(const std::string& text) {
  const auto rate = parseQuantity(text);
  return {std::string(kSecondsPerStep), rate && rate->value > 0 ? std::to_string(1 / rate->value) : text};
}

bool isEvaluation(std::string_view source) {
  return source.starts_with("eval") || source.starts_with("valid") || source.starts_with("test");
}

bool saysNothing(std::string_view text) {
  return text.empty() || text == "N/A" || text == "n/a" || text == "None" || text == "null" || text == "-";
}

std::string labelsOf(const std::string& canonical, bool samples) {
  std::string out;
  if (!canonical.empty()) out += "\"canonical\":\"" + canonical + "\"";
  if (samples) out += std::string(out.empty() ? "" : ",") + "\"x\":\"samples\"";
  return out.empty() ? out : "{" + out + "}";
}
}  // namespace

// Also accepts the first number of "5/100", as steps are printed.
std::optional<double> LogSession::number(std::string_view key) const {
  for (const Pair& pair : m_pairs)
    if (pair.key == key)
      if (const auto quantity = parseQuantity(std::string_view(pair.text).substr(0, pair.text.find('/')))) return quantity->value;
  return std::nullopt;
}

std::optional<LogSession::Step> LogSession::stepOf(const Match& match) {
  const Rule& rule = *match.rule;
  const auto whole = [](std::optional<double> value) -> std::optional<std::int64_t> {
    if (!value || !(std::abs(*value) < 9e15)) return std::nullopt;
    return std::llround(*value);
  };
  for (const StepFrom from : rule.step_from) {
    std::optional<std::int64_t> step;
    if (from == StepFrom::kCapture) step = parseInteger(match.group(Role::kStep));
    if (from == StepFrom::kKeys) {
      for (const std::string& key : rule.step_keys)
        if (!step) step = whole(number(key));
      for (const std::string& key : rule.sample_keys)
        if (!step)
          if (const auto samples = whole(number(key))) return Step{*samples, true};
    }
    if (from == StepFrom::kEpoch) {
      const auto epochs = m_variables.find("num_epochs"), total = m_variables.find("total_steps");
      const auto epoch = number("epoch");
      if (epoch && epochs != m_variables.end() && total != m_variables.end() && epochs->second > 0)
        step = whole(*epoch / epochs->second * total->second);
    }
    if (from == StepFrom::kEpochBar) {
      const auto epoch = whole(number("epoch")), total = parseInteger(match.group(Role::kTotal)),
                 at = parseInteger(match.group(Role::kStep));
      constexpr std::int64_t kMax = std::int64_t{1} << 31;  // keeps the product in range
      if (epoch && total && at && *epoch >= 0 && *epoch < kMax && *total >= 0 && *total < kMax) step = *epoch * *total + *at;
    }
    if (from == StepFrom::kPrevious)
      if (const auto it = m_file_step.find(rule.file); it != m_file_step.end()) step = it->second;
    if (from == StepFrom::kCount) step = m_state[&rule].count + 1;
    if (step) return Step{*step, false, from == StepFrom::kCount};
  }
  return std::nullopt;
}

// For records whose steps do not indicate restarts. True if an attempt was opened.
bool LogSession::beginIfNeeded(std::int64_t step, Recorder& out) {
  if (m_run.waiting()) sayRepeats(out);
  if (m_run.waiting())
    m_run.record(step, std::nullopt, false, out);
  else if (m_run.exists())
    return m_run.goesOn(), false;
  openAttempt(out);
  return true;
}

void LogSession::onRecord(const Match& match, const Line& line, Recorder& out) {
  const Rule& rule = *match.rule;
  m_pairs.clear();
  if (const auto key = match.group(Role::kKey); key.data())
    m_pairs.push_back({std::string(trimmed(key)), std::string(match.group(Role::kText))});
  for (std::size_t i = 0; i < rule.captures.size(); ++i)
    if (rule.captures[i].role == Role::kValue && !rule.captures[i].name.empty() && match.groups[i].data())
      m_pairs.push_back({rule.captures[i].name, std::string(trimmed(match.groups[i]))});
  const std::string_view text = match.group(Role::kPairs).data() ? match.group(Role::kPairs) : line.text;
  readPairs(rule.pairs, text, m_pairs);
  for (Pair& pair : m_pairs)
    if (pair.key == kStepsPerSecond) pair = secondsPerStep(pair.text);

  const auto step = stepOf(match);
  // A bar is drawn before its first step, with a loss that is not computed yet.
  if (step && step->value == 0 && match.group(Role::kTotal).data() && m_rules->files()[rule.file].generic)
    std::erase_if(m_pairs, [](const Pair& pair) {
      const auto quantity = parseQuantity(pair.text);
      return quantity && !std::isfinite(quantity->value);
    });
  if (!step) {
    if (!m_pairs.empty()) addIssue("train_log.no_step", cleanText(line.text, 120));
    return;
  }
  std::optional<std::int64_t> total = parseInteger(match.group(Role::kTotal));
  if (total) m_variables["total_steps"] = static_cast<double>(*total);
  const bool owner = ownerOf(rule, line.prefix.rank);
  const auto last = m_state[&rule].last_step;
  // Steps of an unknown trainer may be those of an epoch; less of them after a failure are another attempt's.
  const bool generic = m_rules->files()[rule.file].generic, less = last && step->value < *last;
  if (generic && owner && less) sayTracebacks(out);
  if ((rule.advances || (generic && less && m_run.failed())) && owner) {
    if (m_run.waiting() || less) sayRepeats(out);  // of the previous attempt
    if (m_run.record(step->value, total, less, out)) {
      openAttempt(out);
      ownerOf(rule, line.prefix.rank);
    }
  } else if (beginIfNeeded(step->value, out)) {
    ownerOf(rule, line.prefix.rank);
  }
  if (generic && owner) m_run.reached(step->value);
  if (line.time) stamp(*line.time);
  RuleState& state = m_state[&rule];
  if (state.last_step == step->value) std::erase_if(m_pairs, [](const Pair& pair) { return pair.key == kSecondsPerStep; });
  if (owner) {
    const bool again = rule.split && state.last_step == step->value;
    if (!again)
      state.repeats = 0;
    else if (state.last_text != text)
      ++state.repeats;
    if (rule.split) state.last_text = text;
    state.last_step = step->value;
    ++state.count;
  }
  if (!step->samples && !step->counted) m_file_step[rule.file] = m_step.emplace(step->value);
  ++m_records;
  m_record_files.insert(rule.file);
  const std::vector<Pair> pairs = std::move(m_pairs);
  for (const Pair& pair : pairs) onValue(rule, pair, step->value, step->samples, line, out);
  if (isEvaluation(rule.source)) return m_pace.pause();
  const bool trains = rule.advances || m_rules->files()[rule.file].generic;
  if (trains && m_pace_rule == nullptr) m_pace_rule = &rule;
  if (m_pace_rule == &rule && owner && !step->samples && !step->counted) onPace(step->value, line, out);
}

// A rate that a progress bar prints; it is smoothed. Of the trainer's bar: others show the files that it loads or an evaluation.
void LogSession::onBar(const Match& match, const Line& line, Recorder& out) {
  const Rule& rule = *match.rule;
  const auto step = parseInteger(match.group(Role::kStep)), total = parseInteger(match.group(Role::kTotal));
  for (std::size_t i = 0; step && i < rule.captures.size(); ++i) {
    const std::string& name = rule.captures[i].name;
    if (!match.groups[i].data() || (name != kSecondsPerStep && name != kStepsPerSecond)) continue;
    if (!m_bar_total) m_bar_total = total;
    if (total != m_bar_total || m_paced || !m_record_files.contains(rule.file) || m_run.waiting() || step <= m_bar_step) return;
    m_bar_step = step;  // bars are drawn again and again
    const std::string text(match.groups[i]);
    onValue(rule, name == kStepsPerSecond ? secondsPerStep(text) : Pair{name, text}, *step, false, line, out);
  }
}

void LogSession::onPace(std::int64_t step, const Line& line, Recorder& out) {
  if (m_prints_step_times || !line.time) return;
  const DurNs resolution = line.arrived ? kArrivalResolution : *line.time % kNsPerSecond == 0 ? kNsPerSecond : kNsPerMs;
  const auto mean = m_pace.at(step, *line.time, resolution);
  if (!mean) return;
  m_paced = m_paced || !line.arrived;
  SeriesKey key{.metric = "step time", .source = sourceOf(""), .labels = labelsOf(std::string(kStepTimeMetric), false), .unit = "ns"};
  if (!ownsValues()) key.rank = rankOf(line);
  m_points.add(key, true, line.prefix.rank, {step, line.time, *mean, line.record}, out);
}

// Lines with one named value (MLPerf): {"key": "train_loss", "value": 1.2, "time_ms": ..., "metadata": {"step": 3}}.
void LogSession::onNamed(const Match& match, const Line& line, Recorder& out) {
  const Rule& rule = *match.rule;
  m_pairs.clear();
  readPairs(rule.pairs, match.group(Role::kPairs).data() ? match.group(Role::kPairs) : line.text, m_pairs);
  std::string name;
  std::vector<Pair> values;
  for (const Pair& pair : m_pairs)
    if (pair.key == rule.name_key) name = pair.text;
  std::string metric;
  for (const Pair& pair : m_pairs) {
    if (pair.key == rule.value_key)
      values.push_back({name, pair.text});
    else if (pair.key.size() > rule.value_key.size() && pair.key.starts_with(rule.value_key) && pair.key[rule.value_key.size()] == '.')
      values.push_back({pair.key.substr(rule.value_key.size() + 1), pair.text});
    else if (std::find(rule.keep.begin(), rule.keep.end(), pair.key) != rule.keep.end())
      values.push_back({pair.key.substr(pair.key.rfind('.') + 1), pair.text});
    else if (pair.key == "metadata.metric")
      metric = pair.text;
  }
  const auto step = stepOf(match);
  for (Pair& pair : values) {
    if (!step) {  // a setting, not a measurement
      if (!pair.key.empty() && !saysNothing(pair.text) && pair.key == name)
        m_run.fact({.key = cleanText(name, kMaxName), .value = cleanText(pair.text, kMaxFact)});
      continue;
    }
    if (!parseQuantity(pair.text)) continue;
    beginIfNeeded(step->value, out);
    ++m_records;
    if (!metric.empty() && pair.key == name) pair.key += "/" + metric;
    onValue(rule, pair, step->value, step->samples, line, out);
  }
}

void LogSession::onValue(const Rule& rule, const Pair& pair, std::int64_t step, bool samples, const Line& line, Recorder& out) {
  if (std::find(rule.step_keys.begin(), rule.step_keys.end(), pair.key) != rule.step_keys.end()) return;
  if (rule.name_key.empty() && !rule.keep.empty() && std::find(rule.keep.begin(), rule.keep.end(), pair.key) == rule.keep.end()) return;
  const auto& metrics = m_rules->files()[rule.file].metrics;
  // "valid/loss" is the meaning of the key "loss" in the source "valid"; otherwise the key has the same meaning in all sources.
  auto known = rule.source.empty() ? metrics.end() : metrics.find(rule.source + "/" + pair.key);
  if (known == metrics.end()) known = metrics.find(pair.key);
  const MetricRule* metric = known == metrics.end() ? nullptr : &known->second;
  if (metric && metric->drop) return;
  const auto quantity = parseQuantity(pair.text);
  if (!quantity) {
    // A trainer that reports no value (no peak for this precision) takes precedence over an estimate from the rate.
    if (pair.key == "mfu" && saysNothing(pair.text)) m_run.fact({.key = "mfu", .value = "N/A"});
    if (metric && !saysNothing(pair.text)) addIssue("train_log.unreadable_value", cleanText(pair.key + ": " + pair.text, 120));
    return;
  }
  SeriesKey key;
  key.metric = cleanText(rule.prefix + (metric ? metric->name : pair.key), kMaxName);
  key.source = sourceOf(metric && !metric->source.empty() ? metric->source : rule.source);
  key.labels = labelsOf(metric ? metric->canonical : "", samples);
  key.unit = quantity->unit;
  double value = quantity->value;
  if (quantity->unit.empty()) {  // a unit printed with the number takes precedence
    value *= metric && metric->scale != 1 ? metric->scale : rule.scale;
    key.unit = metric && !metric->unit.empty() ? metric->unit : rule.unit;
  }
  m_prints_step_times |= metric && metric->canonical == kStepTimeMetric && pair.key != kSecondsPerStep;
  const RuleState& state = m_state[&rule];
  if (state.repeats > 0) key.source += "#" + std::to_string(state.repeats + 1);
  const bool owner = state.owner == line.prefix.rank || !state.owned;
  if (!ownsValues()) key.rank = rankOf(line);
  m_points.add(key, owner, line.prefix.rank, {step, line.time, value, line.record}, out);

  if (!metric || !owner) return;
  const bool non_finite = !std::isfinite(value) && (metric->canonical == "loss" || metric->canonical == "grad_norm");
  if (!non_finite && (metric->event.empty() || !(value > metric->above))) return;
  Event event;
  event.kind = non_finite ? "non_finite" : metric->event;
  event.severity = non_finite ? Severity::kWarning : Severity::kInfo;
  event.step = step;
  event.message = cleanText(pair.key + ": " + pair.text, kMaxMessage);
  if (mayTell(rule)) say(std::move(event), line, out);
}

}  // namespace runglass::train_log
