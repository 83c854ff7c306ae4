// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/finding_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/steps/attempt_steps.h"
#include "analysis/text/evidence_json.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

constexpr double kNsPerHour = 3'600.0 * static_cast<double>(kNsPerSecond);
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

bool isStandstill(const Finding& finding) { return finding.kind == "hang" || finding.kind == "stall"; }

// The rank whose steps show it: its own, else the first of those that its evidence lists.
std::optional<std::int32_t> rankOf(const Finding& finding, const Json& evidence) {
  if (finding.rank) return finding.rank;
  const auto listed = evidence.find("slow_ranks");
  if (listed == evidence.end() || !listed->is_array() || listed->empty() || !listed->front().is_number_integer()) return std::nullopt;
  return listed->front().get<std::int32_t>();
}

// The steps to show; absent: the finding or the series has none.
std::optional<std::pair<std::int64_t, std::int64_t>> shownSteps(const Finding& finding, const Series& series) {
  if (!finding.first_step || series.sample_count == 0 || series.last_x < series.first_x) return std::nullopt;
  const std::int64_t lowest = series.first_x, highest = series.last_x;
  const std::int64_t first = std::clamp(*finding.first_step, lowest, highest);
  const std::int64_t last = std::clamp(finding.last_step.value_or(highest), first, highest);
  const std::int64_t margin = std::max(kTrendMargin, last - first);
  // A standstill has no later steps: its curve ends where it began.
  return std::pair{first - lowest > margin ? first - margin : lowest, (highest - last > margin ? last + margin : highest) + 1};
}

class TrendReading {
 public:
  TrendReading(Reader& reader, const Finding& finding, const std::stop_token& stop)
      : m_reader(reader), m_finding(finding), m_stop(stop), m_evidence(evidenceOf(finding)) {}

  Result<FindingTrend> read() {
    if (const auto tag = m_evidence.find("tag"); tag != m_evidence.end() && tag->is_string()) return ofMetric(tag->get<std::string>());
    if (!m_finding.attempt) return FindingTrend();
    RG_ASSIGN(const AttemptSteps steps,
              AttemptSteps::list(m_reader, m_finding.attempt, {StepSeries::kTime, StepSeries::kPart, StepSeries::kPartWait}));
    const std::optional<std::int32_t> rank = rankOf(m_finding, m_evidence);
    if (rank && m_evidence.contains("own_ns") && !steps.of(StepSeries::kPart, *rank).empty()) return ofOwnWork(steps, *rank);
    const Series* times = nullptr;
    if (rank && !steps.of(StepSeries::kTime, *rank).empty()) times = &steps.of(StepSeries::kTime, *rank).front();
    if (times == nullptr) times = steps.clock();
    if (times == nullptr && !steps.of(StepSeries::kTime).empty()) times = &steps.of(StepSeries::kTime).front();
    if (times == nullptr) return FindingTrend();
    FindingTrend out{.kind = TrendKind::kStepTime, .metric = times->key.metric, .unit = times->key.unit, .rank = times->key.rank};
    return ofSeries(*times, std::move(out));
  }

 private:
  Result<FindingTrend> ofMetric(const std::string& metric) {
    RG_ASSIGN(std::vector<Series> all, m_reader.series({.run = m_finding.run, .metric = metric, .kind = SeriesKind::kScalar}));
    // A tag may have a series for each rank: the one of the whole job, else of the lowest rank.
    std::erase_if(all, [&](const Series& one) { return one.sample_count == 0 || one.key.attempt != m_finding.attempt; });
    const auto best = std::ranges::min_element(all, {}, [](const Series& one) { return one.key.rank.value_or(-1); });
    if (best == all.end()) return FindingTrend();
    return ofSeries(*best, {.kind = TrendKind::kMetric, .metric = metric, .unit = best->key.unit, .rank = best->key.rank});
  }

  Result<FindingTrend> ofSeries(const Series& series, FindingTrend out) {
    const auto range = shownSteps(m_finding, series);
    if (!range) return FindingTrend();
    RG_ASSIGN(out.values, means(series, *range));
    return marked(std::move(out), *range);
  }

  Result<FindingTrend> ofOwnWork(const AttemptSteps& steps, std::int32_t rank) {
    const auto parts = steps.of(StepSeries::kPart, rank);
    const auto longest = std::ranges::max_element(parts, {}, &Series::sample_count);
    const auto range = shownSteps(m_finding, *longest);
    if (!range) return FindingTrend();
    FindingTrend out{.kind = TrendKind::kOwnWork, .metric = std::string(kStepPartMetric), .unit = longest->key.unit, .rank = rank};
    RG_ASSIGN(const std::vector<Bin> whole, bins(*longest, *range));
    out.values.assign(whole.size(), kNoValue);
    for (std::size_t i = 0; i < whole.size(); ++i)
      if (whole[i].count > 0) out.values[i] = 0;
    for (const Series& part : parts) {
      RG_TRY(add(part, *range, whole, 1, out.values));
      if (const Series* wait = steps.waitOf(part)) RG_TRY(add(*wait, *range, whole, -1, out.values));
    }
    return marked(std::move(out), *range);
  }

  // A part that not every step has counts in proportion to the steps that have it.
  Status add(const Series& series, std::pair<std::int64_t, std::int64_t> range, const std::vector<Bin>& whole, double sign,
             std::vector<double>& values) {
    RG_ASSIGN(const std::vector<Bin> of, bins(series, range));
    for (std::size_t i = 0; i < std::min(of.size(), whole.size()); ++i)
      if (of[i].count > 0 && whole[i].count > 0) values[i] += sign * of[i].sum / static_cast<double>(whole[i].count);
    return {};
  }

  Result<std::vector<Bin>> bins(const Series& series, std::pair<std::int64_t, std::int64_t> range) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(kTrendBins, range.second - range.first));
    return m_reader.bins(series.id, Axis::kX, range.first, range.second, count, m_stop);
  }

  Result<std::vector<double>> means(const Series& series, std::pair<std::int64_t, std::int64_t> range) {
    RG_ASSIGN(const std::vector<Bin> of, bins(series, range));
    std::vector<double> out;
    for (const Bin& bin : of) out.push_back(bin.count > 0 ? bin.sum / static_cast<double>(bin.count) : kNoValue);
    return out;
  }

  FindingTrend marked(FindingTrend out, std::pair<std::int64_t, std::int64_t> range) const {
    const auto place = [&](std::int64_t step) {
      const double share = static_cast<double>(step - range.first) / static_cast<double>(range.second - range.first);
      return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(out.values.size()));
    };
    if (std::ranges::all_of(out.values, [](double value) { return std::isnan(value); })) return {};
    out.begin = std::min(place(*m_finding.first_step), out.values.size() - 1);
    out.end = m_finding.last_step ? std::max(out.begin + 1, place(*m_finding.last_step + 1)) : out.values.size();
    out.before = mean(out.values, 0, out.begin), out.during = mean(out.values, out.begin, out.end);
    return out;
  }

  static std::optional<double> mean(const std::vector<double>& values, std::size_t from, std::size_t to) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = from; i < std::min(to, values.size()); ++i)
      if (std::isfinite(values[i])) sum += values[i], ++count;
    return count > 0 ? std::optional(sum / count) : std::nullopt;
  }

  Reader& m_reader;
  const Finding& m_finding;
  const std::stop_token& m_stop;
  const Json m_evidence;
};

}  // namespace

FindingFacts factsOf(const Finding& finding, const Attempt* attempt, TimeNs now) {
  const Json evidence = evidenceOf(finding);
  FindingFacts facts{.end = finding.end, .cost = {}, .trend = {}, .hang = {}};
  if (!facts.end && attempt != nullptr) facts.end = attempt->end;
  facts.open = !facts.end && (attempt != nullptr || !finding.attempt);
  facts.cost = {
      .step_ratio = numberIn(evidence, "cost_ratio"), .gpu_hours_per_day = numberIn(evidence, "gpu_hours_per_day"), .gpu_hours = {}};
  const TimeNs until = facts.end.value_or(now);
  if (isStandstill(finding) && attempt != nullptr && attempt->layout.world > 0 && finding.start && until > *finding.start)
    facts.cost.gpu_hours = (static_cast<double>(until) - static_cast<double>(*finding.start)) / kNsPerHour * attempt->layout.world;
  if (finding.kind == "hang")
    if (auto hang = parseHangEvidence(finding.evidence); hang.ok()) facts.hang = std::move(*hang);
  return facts;
}

Result<FindingFacts> readFindingFacts(Reader& reader, const Finding& finding, TimeNs now, const std::stop_token& stop) {
  std::optional<Attempt> attempt;
  if (finding.attempt) {
    RG_ASSIGN(attempt, reader.attempt(finding.attempt));
  }
  FindingFacts facts = factsOf(finding, attempt ? &*attempt : nullptr, now);
  TrendReading reading(reader, finding, stop);
  RG_ASSIGN(facts.trend, reading.read());
  return facts;
}

}  // namespace runglass
