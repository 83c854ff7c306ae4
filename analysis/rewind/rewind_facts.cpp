// SPDX-License-Identifier: Apache-2.0
#include "analysis/rewind/rewind_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "analysis/run_summary/roles.h"
#include "analysis/run_summary/run_summary.h"

namespace runglass {
namespace {

constexpr std::int64_t kRecent = 200;  // steps before the spike, for step time and batch size

std::optional<double> numberIn(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const char* begin = text.data() + std::min(text.find_first_not_of(" =\t"), text.size());
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error == std::errc() && std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> factOf(std::span<const Fact> facts, std::span<const std::string_view> keys, std::string_view argument) {
  for (const std::string_view key : keys)
    for (const Fact& fact : facts)
      if (fact.key == key)
        if (const auto value = numberIn(fact.value)) return value;
  for (const Fact& fact : facts) {
    if (fact.key != "argv" || argument.empty()) continue;
    const std::size_t at = fact.value.find(argument);
    if (at == std::string::npos || at + argument.size() >= fact.value.size()) continue;
    const char after = fact.value[at + argument.size()];
    if (after == ' ' || after == '=')
      if (const auto value = numberIn(fact.value.substr(at + argument.size() + 1))) return value;
  }
  return std::nullopt;
}

// The index of a sample, from a series of numbers.
std::optional<std::int64_t> indexOf(double value) {
  constexpr double kMax = 9e15;  // beyond 2^53 numbers have gaps
  return std::isfinite(value) && value >= 0 && value <= kMax ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

constexpr std::array<std::string_view, 3> kBatchFacts = {"global_batch_size", "global batch size", "train_batch_size"};
constexpr std::array<std::string_view, 3> kLengthFacts = {"seq_length", "sequence length", "sequence_length"};
constexpr std::array<std::string_view, 1> kTokenFacts = {"tokens per iteration"};

class Gatherer {
 public:
  Gatherer(Reader& reader, const RewindQuestion& question, std::stop_token stop)
      : m_reader(reader), m_question(question), m_stop(std::move(stop)) {}

  Result<RewindAnswer> gather() {
    RG_TRY(findAttempt());
    m_answer.facts.spike_first = m_question.first_step;
    m_answer.facts.spike_last = std::max(m_question.first_step, m_question.last_step);
    if (m_attempt.layout.world > 0) m_answer.facts.world = m_attempt.layout.world;
    RG_TRY(addCheckpoints());
    RG_TRY(addStepTime());
    RG_TRY(addTokens());
    RG_TRY(addRestarts());
    m_answer.plan = planRewind(m_answer.facts, m_question.rule);
    if (m_answer.plan.checkpoint) RG_TRY(addSamples());
    return std::move(m_answer);
  }

 private:
  Result<std::vector<Series>> seriesOf(AttemptId attempt) {
    SeriesFilter filter;
    filter.run = m_question.run;
    filter.attempt = attempt;
    filter.kind = SeriesKind::kScalar;
    return m_reader.series(filter);
  }

  Status findAttempt() {
    RG_ASSIGN(m_attempts, m_reader.attempts(m_question.run));
    for (const Attempt& attempt : m_attempts) {
      if (m_question.attempt && attempt.id != m_question.attempt) continue;
      RG_ASSIGN(auto series, seriesOf(attempt.id));
      const Series* loss = pickSeries(series, Role::kLoss);
      const std::optional<std::int64_t> first = loss != nullptr ? std::optional(loss->first_x) : attempt.first_step;
      const std::optional<std::int64_t> last = loss != nullptr ? std::optional(loss->last_x) : attempt.last_step;
      if (!m_question.attempt && (!first || !last || m_question.first_step < *first || m_question.first_step > *last)) continue;
      m_attempt = attempt;
      m_series = std::move(series);
      m_answer.facts.newest_step = last;
    }
    if (m_attempt.id) return {};
    return {Code::kNotFound,
            "rewind: run " + std::to_string(m_question.run.value) + ": no attempt has step " + std::to_string(m_question.first_step)};
  }

  // Checkpoints that an earlier attempt saved after the step from which a later one resumed belong to another branch.
  Status addCheckpoints() {
    RG_ASSIGN(const auto saved, m_reader.checkpoints(m_question.run));
    std::map<AttemptId, std::int64_t> until;
    std::int64_t begins = INT64_MAX;
    for (auto attempt = m_attempts.rbegin(); attempt != m_attempts.rend(); ++attempt) {
      if (attempt->number > m_attempt.number) continue;
      until[attempt->id] = begins;
      // The step from which it resumed is more precise than its first logged step, which may be an interval later.
      if (attempt->resumed_from_step && *attempt->resumed_from_step < INT64_MAX)
        begins = std::min(begins, *attempt->resumed_from_step + 1);
      else if (attempt->first_step)
        begins = std::min(begins, *attempt->first_step);
    }
    for (const Checkpoint& one : saved) {
      const auto limit = until.find(one.attempt);
      if (one.durable && limit != until.end() && one.step < limit->second) m_answer.facts.checkpoints.push_back({one.step, one.path});
    }
    return {};
  }

  Result<ScalarColumns> recent(const Series& series) {
    const std::int64_t end = m_question.first_step;
    return m_reader.scalars(series.id, end < INT64_MIN + kRecent ? INT64_MIN : end - kRecent, end, m_stop);
  }

  // As logged, else from the times of the losses.
  Status addStepTime() {
    if (const Series* times = pickSeries(m_series, Role::kStepTime)) {
      RG_ASSIGN(auto points, recent(*times));
      if (const auto ns = median(std::move(points.value))) m_answer.facts.step_seconds = *ns / static_cast<double>(kNsPerSecond);
    }
    const Series* loss = pickSeries(m_series, Role::kLoss);
    if (m_answer.facts.step_seconds || loss == nullptr) return {};
    RG_ASSIGN(const auto points, recent(*loss));
    std::vector<double> seconds;
    for (std::size_t i = 1; i < points.time.size(); ++i)
      seconds.push_back(static_cast<double>(points.time[i] - points.time[i - 1]) / static_cast<double>(kNsPerSecond) /
                        static_cast<double>(std::max<std::int64_t>(1, points.step[i] - points.step[i - 1])));
    if (const auto middle = median(std::move(seconds)); middle && *middle > 0) m_answer.facts.step_seconds = middle;
    return {};
  }

  Status addTokens() {
    RG_ASSIGN(const auto facts, m_reader.facts(m_attempt.id));
    std::optional<double> batch;
    if (const Series* series = pickSeries(m_series, Role::kBatchSize)) {
      RG_ASSIGN(auto points, recent(*series));
      batch = median(std::move(points.value));
    }
    if (!batch) batch = factOf(facts, kBatchFacts, "--global-batch-size");
    const auto length = factOf(facts, kLengthFacts, "--seq-length");
    auto set = [this](double tokens, const char* source) {
      m_answer.facts.tokens_per_step = tokens;
      m_answer.facts.tokens_source = source;
    };
    if (batch && length) return set(*batch * *length, "global batch size x sequence length"), Status();
    if (const auto said = factOf(facts, kTokenFacts, "")) return set(*said, "tokens per iteration"), Status();
    const Series* rate = pickSeries(m_series, Role::kTokensPerSecond);
    if (rate == nullptr || !m_answer.facts.step_seconds) return {};
    RG_ASSIGN(auto points, recent(*rate));
    if (const auto per_second = median(std::move(points.value)); per_second && *per_second > 0)
      set(std::round(*per_second * *m_answer.facts.step_seconds), "tokens per second x step time, measured");
    return {};
  }

  Status addRestarts() {
    std::vector<double> seconds;
    std::optional<TimeNs> last;
    for (const Attempt& attempt : m_attempts) {
      RG_ASSIGN(const auto series, seriesOf(attempt.id));
      const Series* loss = pickSeries(series, Role::kLoss);
      if (loss == nullptr || !loss->first_time || !loss->last_time) continue;
      if (last && *loss->first_time > *last)
        seconds.push_back(static_cast<double>(*loss->first_time - *last) / static_cast<double>(kNsPerSecond));
      last = loss->last_time;
    }
    m_answer.facts.restarts = seconds.size();
    m_answer.facts.restart_seconds = median(std::move(seconds));
    return {};
  }

  Status addSamples() {
    const RewindPlan& plan = m_answer.plan;
    std::map<std::pair<std::optional<std::int32_t>, std::string>, std::array<const Series*, 2>> ranks;
    for (const Series& series : m_series) {
      const bool first = series.key.metric == "data_range_first";
      if (!first && series.key.metric != "data_range_last") continue;
      ranks[{series.key.rank, series.key.source + series.key.labels}][first ? 0 : 1] = &series;
    }
    std::vector<SampleRange> ranges;
    std::int64_t last_step = INT64_MIN;
    for (const auto& [key, pair] : ranks) {
      if (pair[0] == nullptr || pair[1] == nullptr) continue;
      RG_ASSIGN(const auto first, m_reader.scalars(pair[0]->id, plan.skip_first, plan.skip_last + 1, m_stop));
      RG_ASSIGN(const auto last, m_reader.scalars(pair[1]->id, plan.skip_first, plan.skip_last + 1, m_stop));
      for (std::size_t i = 0, j = 0; i < first.size() && j < last.size();) {
        if (first.step[i] != last.step[j]) {
          ++(first.step[i] < last.step[j] ? i : j);
          continue;
        }
        if (const auto from = indexOf(first.value[i]), to = indexOf(last.value[j]); from && to) ranges.push_back({*from, *to});
        last_step = std::max(last_step, first.step[i]);
        ++i, ++j;
      }
    }
    if (!ranges.empty()) {
      m_answer.samples = {mergeRanges(std::move(ranges)), "data_range", last_step};
      return {};
    }
    return addConsumed();
  }

  // Consumed samples after each step: the first skipped step begins where the previous one ended.
  Status addConsumed() {
    const auto consumed = std::ranges::find_if(m_series, [](const Series& series) { return series.key.metric == "consumed samples"; });
    if (consumed == m_series.end()) return {};
    RG_ASSIGN(const auto points, m_reader.scalars(consumed->id, m_answer.plan.skip_first - 1, m_answer.plan.skip_last + 1, m_stop));
    if (points.size() < 2 || points.step.front() != m_answer.plan.skip_first - 1) return {};
    const auto from = indexOf(points.value.front()), to = indexOf(points.value.back());
    if (from && to) m_answer.samples = {{{*from, *to}}, "consumed samples", points.step.back()};
    return {};
  }

  Reader& m_reader;
  const RewindQuestion& m_question;
  const std::stop_token m_stop;
  std::vector<Attempt> m_attempts;
  Attempt m_attempt;
  std::vector<Series> m_series;
  RewindAnswer m_answer;
};

}  // namespace

Result<RewindAnswer> readRewind(Reader& reader, const RewindQuestion& question, std::stop_token stop) {
  return Gatherer(reader, question, std::move(stop)).gather();
}

}  // namespace runglass
