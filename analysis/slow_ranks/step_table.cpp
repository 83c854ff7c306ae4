// SPDX-License-Identifier: Apache-2.0
// Invariant: while reading, columns are dense from step m_first on, kStepsLookedAt long; finish() keeps the steps that any rank has.
#include "analysis/slow_ranks/step_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/step_parts/span_parts.h"

namespace runglass {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr auto kWidth = static_cast<std::size_t>(kStepsLookedAt);

std::string partOf(const std::string& labels) {
  const auto json = nlohmann::json::parse(labels, nullptr, false);
  if (!json.is_object() || !json.contains("part") || !json["part"].is_string()) return {};
  return json["part"].get<std::string>();
}

bool mayBeWaiting(const std::string& part) { return part.starts_with("comm") || part == "other" || part.empty(); }

struct Gathered {
  std::optional<std::int32_t> role;
  std::vector<double> dur, work;
  std::map<std::size_t, std::vector<double>> parts;
};

class TableReader {
 public:
  TableReader(Reader& reader, AttemptId attempt, std::stop_token stop) : m_reader(reader), m_attempt(attempt), m_stop(std::move(stop)) {}

  Result<StepTableAnswer> read(const std::vector<Rank>& ranks) {
    for (const Rank& rank : ranks) m_ranks[rank.rank].role = rank.pp;
    RG_ASSIGN(const auto times, seriesOf("step_time_ns"));
    RG_ASSIGN(const auto parts, seriesOf("step_part_ns"));
    RG_ASSIGN(const auto waits, seriesOf("step_part_wait_ns"));
    m_answer.has_parts = !parts.empty();
    for (const auto* list : {&times, &parts})
      for (const Series& series : *list) m_last = std::max(m_last, series.last_x);
    if (times.empty() && parts.empty()) return m_answer;
    // Odd step numbers must not run over the ends of the number.
    m_last = std::clamp(m_last, std::numeric_limits<std::int64_t>::min() + kStepsLookedAt, std::numeric_limits<std::int64_t>::max() - 1);
    m_first = m_last - kStepsLookedAt + 1;
    m_when.assign(kWidth, std::nullopt);
    for (const Series& series : times) RG_TRY(readTimes(series));
    std::map<std::pair<std::int32_t, std::string>, const Series*> wait_of;
    for (const Series& series : waits) wait_of[{*series.key.rank, series.key.source + '\n' + series.key.labels}] = &series;
    for (const Series& series : parts) {
      const auto wait = wait_of.find({*series.key.rank, series.key.source + '\n' + series.key.labels});
      RG_TRY(readPart(series, wait == wait_of.end() ? nullptr : wait->second));
    }
    if (parts.empty()) RG_TRY(readSpans(ranks));
    finish();
    return std::move(m_answer);
  }

 private:
  Result<std::vector<Series>> seriesOf(const char* metric) {
    SeriesFilter filter;
    filter.attempt = m_attempt;
    filter.metric = metric;
    RG_ASSIGN(auto all, m_reader.series(filter));
    std::erase_if(all, [&](const Series& s) {
      return s.sample_count == 0 || !s.key.rank || s.key.attempt != m_attempt || s.key.metric != metric ||
             s.key.kind != SeriesKind::kScalar;
    });
    return all;
  }

  // Dense from m_first on; of a step that came twice the later value counts.
  Result<std::vector<double>> column(const Series& series, ScalarColumns* raw = nullptr) {
    if (m_stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    std::vector<double> dense(kWidth, kNothing);
    if (series.last_x < m_first) return dense;
    RG_ASSIGN(auto points, m_reader.scalars(series.id, m_first, m_last + 1, m_stop));
    for (std::size_t i = 0; i < points.size(); ++i)
      if (std::isfinite(points.value[i]) && points.value[i] >= 0)
        dense[static_cast<std::size_t>(points.step[i] - m_first)] = points.value[i];
    if (raw != nullptr) *raw = std::move(points);
    return dense;
  }

  Status readTimes(const Series& series) {
    ScalarColumns raw;
    RG_ASSIGN(auto dense, column(series, &raw));
    std::vector<StepWindow>& windows = m_windows[*series.key.rank];
    for (std::size_t i = 0; i < raw.size() && !raw.time.empty(); ++i) {
      const double dur = raw.value[i];
      if (raw.time[i] == kAbsent || !std::isfinite(dur) || dur < 0 || dur > 1e17) continue;
      const TimeRange range{raw.time[i], raw.time[i] + static_cast<DurNs>(dur)};
      auto& when = m_when[static_cast<std::size_t>(raw.step[i] - m_first)];
      when = when ? TimeRange{std::min(when->t0, range.t0), std::max(when->t1, range.t1)} : range;
      windows.push_back({raw.step[i], range});
    }
    m_ranks[*series.key.rank].dur = std::move(dense);
    return {};
  }

  Status readPart(const Series& series, const Series* wait_series) {
    RG_ASSIGN(auto dense, column(series));
    std::vector<double> waits(kWidth, kNothing);
    if (wait_series != nullptr) {
      RG_ASSIGN(waits, column(*wait_series));
    }
    const std::string name = partOf(series.key.labels);
    Gathered& rank = m_ranks[*series.key.rank];
    if (rank.work.empty()) rank.work.assign(kWidth, kNothing);
    bool any = false;
    for (std::size_t i = 0; i < kWidth; ++i) {
      if (std::isnan(waits[i]) && mayBeWaiting(name)) dense[i] = kNothing;
      if (std::isnan(dense[i])) continue;
      if (!std::isnan(waits[i])) dense[i] = std::max(0.0, dense[i] - waits[i]);
      rank.work[i] = (std::isnan(rank.work[i]) ? 0 : rank.work[i]) + dense[i];
      any = true;
    }
    if (any) rank.parts[partIndex(name)] = std::move(dense);
    return {};
  }

  Status readSpans(const std::vector<Rank>& ranks) {
    RG_ASSIGN(const SpanPartsAnswer answer, readSpanParts(m_reader, m_attempt, ranks, m_windows, m_stop));
    if (answer.ranks.empty()) return {};
    m_answer.span_waits_known = answer.waits_known;
    for (const auto& [number, steps] : answer.ranks) {
      Gathered& rank = m_ranks[number];
      rank.work.assign(kWidth, kNothing);
      for (int p = 0; p < kStepPartCount; ++p) {
        const auto part = static_cast<StepPart>(p);
        if (part == StepPart::kIdle || part == StepPart::kCommWait) continue;
        if (part == StepPart::kComm && answer.waits_known < kWaitsKnown) continue;
        std::vector<double> dense(kWidth, kNothing);
        bool any = false;
        for (const StepWithParts& step : steps) {
          const auto at = static_cast<std::size_t>(step.step - m_first);
          dense[at] = static_cast<double>(step.parts[part]);
          rank.work[at] = (std::isnan(rank.work[at]) ? 0 : rank.work[at]) + dense[at];
          any |= dense[at] > 0;
        }
        if (any) rank.parts[partIndex(stepPartName(part))] = std::move(dense);
      }
    }
    return {};
  }

  std::size_t partIndex(const std::string& name) {
    auto& names = m_answer.table.parts;
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return names.push_back(name), names.size() - 1;
    return static_cast<std::size_t>(found - names.begin());
  }

  // A part that a rank did not have in a step in which it worked took no time in it.
  static std::optional<double> partMedian(const std::vector<double>& part, const std::vector<double>& work) {
    std::vector<double> values;
    for (std::size_t i = 0; i < kWidth; ++i)
      if (!std::isnan(work[i])) values.push_back(std::isnan(part[i]) ? 0 : part[i]);
    if (values.empty()) return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
  }

  void finish() {
    std::vector<bool> known(kWidth);
    std::size_t timed = 0, working = 0;
    const auto hasAny = [](const std::vector<double>& column) {
      return std::ranges::any_of(column, [](double v) { return !std::isnan(v); });
    };
    for (const auto& [number, rank] : m_ranks) {
      for (const auto* column : {&rank.dur, &rank.work})
        for (std::size_t i = 0; i < column->size(); ++i)
          if (!std::isnan((*column)[i])) known[i] = true;
      timed += hasAny(rank.dur) || hasAny(rank.work) ? 1 : 0;
      working += hasAny(rank.work) ? 1 : 0;
    }
    StepTable& table = m_answer.table;
    table.basis = working > 0 && working * 2 >= timed ? SlownessBasis::kWork : SlownessBasis::kStepTime;
    for (std::size_t i = 0; i < kWidth; ++i) {
      if (!known[i]) continue;
      table.steps.push_back(m_first + static_cast<std::int64_t>(i));
      m_answer.when.push_back(m_when[i]);
    }
    for (auto& [number, rank] : m_ranks) {
      RankSteps out{.rank = number, .role = rank.role.value_or(kNoRole), .value_ns = {}, .part_ns = {}};
      const auto& from = table.basis == SlownessBasis::kWork ? rank.work : rank.dur;
      for (std::size_t i = 0; i < kWidth; ++i)
        if (known[i]) out.value_ns.push_back(from.empty() ? kNothing : from[i]);
      out.part_ns.resize(table.parts.size());
      for (const auto& [part, values] : rank.parts) out.part_ns[part] = partMedian(values, rank.work);
      table.ranks.push_back(std::move(out));
    }
  }

  Reader& m_reader;
  const AttemptId m_attempt;
  const std::stop_token m_stop;
  std::int64_t m_first = 0, m_last = std::numeric_limits<std::int64_t>::min();
  std::map<std::int32_t, Gathered> m_ranks;
  std::map<std::int32_t, std::vector<StepWindow>> m_windows;
  std::vector<std::optional<TimeRange>> m_when;
  StepTableAnswer m_answer;
};

}  // namespace

Result<StepTableAnswer> readStepTable(Reader& reader, AttemptId attempt, const std::vector<Rank>& ranks, std::stop_token stop) {
  return TableReader(reader, attempt, std::move(stop)).read(ranks);
}

}  // namespace runglass
