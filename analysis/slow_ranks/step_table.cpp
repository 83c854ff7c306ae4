// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. Columns are dense from step m_first on, m_width long, and move together; finish() keeps the steps of any rank.
//  2. A column holds all points of its series in the window up to its `seen`, except those that arrived more than kLate steps late.
#include "analysis/slow_ranks/step_table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/statistics/median.h"
#include "analysis/steps/attempt_steps.h"
#include "analysis/steps/own_work.h"
#include "analysis/steps/span_parts.h"
#include "analysis/steps/step_frame.h"

namespace runglass {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr int kListEvery = 10;     // calls
constexpr std::int64_t kLate = 4;  // steps that are read again, as points may have arrived since
constexpr std::size_t kProbes = 3;
constexpr double kLongestStep = 1e17;  // ns; three years
constexpr int kSpansRest = 10;         // pause, as a multiple of the time that reading them took

bool mayBeWaiting(const std::string& part) {
  const auto column = stepColumnOf(part);
  return !column || *column == StepColumn::kTransfer;
}

// The newest step. If one rank alone is ahead of all others by more than the window, the newest step of the others: its number is odd.
std::int64_t newestOf(const std::map<std::int32_t, std::int64_t>& last_of_rank) {
  std::int64_t first = std::numeric_limits<std::int64_t>::min(), second = first;
  for (const auto& [rank, last] : last_of_rank) {
    second = std::max(second, std::min(first, last));
    first = std::max(first, last);
  }
  const bool alone = static_cast<std::uint64_t>(first) - static_cast<std::uint64_t>(second) > static_cast<std::uint64_t>(kStepsLookedAt);
  return last_of_rank.size() > 1 && alone ? second : first;
}

struct Column {  // one series
  SeriesId id;
  std::int32_t rank = 0;
  std::string part;                            // name; for waits, the key of their part
  std::vector<double> dense;                   // by step
  std::vector<std::optional<TimeRange>> when;  // for step times
  std::int64_t seen = std::numeric_limits<std::int64_t>::min();
};

struct Gathered {
  std::optional<std::int32_t> role;
  std::vector<double> dur, work;
  std::map<std::size_t, std::vector<double>> parts, waits;
};

std::string pairKey(const Series& series) { return std::to_string(*series.key.rank) + '\n' + series.key.source + '\n' + series.key.labels; }

template <class T>
void shift(std::vector<T>& dense, std::int64_t by, const T& nothing) {
  if (dense.empty()) return;
  const auto drop = static_cast<std::ptrdiff_t>(std::clamp<std::int64_t>(by, 0, static_cast<std::int64_t>(dense.size())));
  std::move(dense.begin() + drop, dense.end(), dense.begin());
  std::fill(dense.end() - drop, dense.end(), nothing);
}

std::size_t partIndex(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return names.push_back(name), names.size() - 1;
  return static_cast<std::size_t>(found - names.begin());
}

// A part missing in a step in which the rank worked took no time.
std::optional<double> partMedian(const std::vector<double>& part, const std::vector<double>& work) {
  std::vector<double> values;
  for (std::size_t i = 0; i < work.size(); ++i)
    if (!std::isnan(work[i])) values.push_back(std::isnan(part[i]) ? 0 : part[i]);
  return median(std::move(values));
}

RankSteps rankSteps(std::int32_t number, const Gathered& rank, SlownessBasis basis, const std::vector<bool>& known, std::size_t parts) {
  RankSteps out{.rank = number, .role = rank.role.value_or(kNoRole), .value_ns = {}, .part_ns = {}, .wait_ns = {}};
  const auto& from = basis == SlownessBasis::kWork ? rank.work : rank.dur;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i]) out.value_ns.push_back(from.empty() ? kNothing : from[i]);
  out.part_ns.resize(parts);
  out.wait_ns.resize(parts);
  for (const auto& [part, values] : rank.parts) out.part_ns[part] = partMedian(values, rank.work);
  for (const auto& [part, values] : rank.waits) out.wait_ns[part] = partMedian(values, rank.work);
  return out;
}

void leaveStalledOut(const std::vector<DurNs>& longest, std::vector<bool>& known) {
  std::vector<DurNs> lengths;
  for (const DurNs one : longest)
    if (one > 0) lengths.push_back(one);
  const UsualLength usual = usualLength(std::move(lengths));
  for (std::size_t i = 0; i < known.size(); ++i)
    if (usual.isStalled(longest[i])) known[i] = false;
}

}  // namespace

class StepTableFeed::Memory {
 public:
  Memory(AttemptId attempt, const Options& options)
      : m_attempt(attempt), m_newest(options.newest), m_width(static_cast<std::size_t>(options.steps)), m_with_spans(options.spans) {}

  Result<StepTableAnswer> read(Reader& reader, const std::vector<Rank>& ranks, const std::stop_token& stop) {
    const bool listed = m_until_list-- <= 0;
    if (listed) {
      RG_TRY(list(reader));
      m_until_list = kListEvery - 1;
    }
    if (m_times.empty() && m_parts.empty()) return finish(ranks);
    std::int64_t last = m_listed_last;
    if (!listed) {
      RG_ASSIGN(last, probe(reader, stop));
      if (last <= m_last && m_complete) return m_answer;
    }
    // Reading spans is expensive: during the pause the previous table is returned.
    if (m_complete && m_parts.empty() && std::chrono::steady_clock::now() < m_spans_rest) return m_answer;
    m_complete = false;
    moveTo(last);
    for (auto* columns : {&m_times, &m_parts, &m_waits})
      for (auto& [key, column] : *columns) RG_TRY(readColumn(reader, column, stop));
    if (m_parts.empty() && m_with_spans) RG_TRY(readSpans(reader, ranks, stop));
    m_answer = finish(ranks);
    m_complete = true;
    ++m_revision;
    return m_answer;
  }
  std::uint64_t revision() const { return m_revision; }

 private:
  using Columns = std::map<std::string, Column>;  // by pairKey(): waits find their part

  Status list(Reader& reader) {
    std::map<std::int32_t, std::int64_t> last_of_rank;
    RG_ASSIGN(const auto steps, AttemptSteps::list(reader, m_attempt, {StepSeries::kTime, StepSeries::kPart, StepSeries::kPartWait}));
    const auto add = [&](StepSeries kind, Columns& columns, bool timed) {
      for (const Series& s : steps.of(kind)) {
        auto [at, added] = columns.try_emplace(pairKey(s));
        if (added) {
          at->second.id = s.id, at->second.rank = *s.key.rank, at->second.part = partOf(s.key.labels);
          at->second.dense.assign(m_width, kNothing);
          if (timed) at->second.when.assign(m_width, std::nullopt);
        }
        if (&columns == &m_waits) continue;
        auto& last = last_of_rank.try_emplace(*s.key.rank, s.last_x).first->second;
        last = std::max(last, s.last_x);
      }
    };
    add(StepSeries::kTime, m_times, true);
    add(StepSeries::kPart, m_parts, false);
    add(StepSeries::kPartWait, m_waits, false);
    RG_ASSIGN(m_own_work, readOwnWork(reader, m_attempt));
    m_listed_last = newestOf(last_of_rank);
    if (m_newest) m_listed_last = std::min(m_listed_last, *m_newest);
    // Odd step numbers must not overflow.
    m_listed_last = std::clamp(m_listed_last, std::numeric_limits<std::int64_t>::min() + 2 * kStepsLookedAt,
                               std::numeric_limits<std::int64_t>::max() - 2 * kStepsLookedAt);
    return {};
  }

  // A few ranks represent all: it is unlikely that all of them failed.
  Result<std::int64_t> probe(Reader& reader, const std::stop_token& stop) const {
    std::int64_t last = m_last;
    const Columns& columns = m_times.empty() ? m_parts : m_times;
    const std::size_t apart = std::max<std::size_t>(1, columns.size() / kProbes);
    std::size_t i = 0;
    for (const auto& [key, column] : columns) {
      if (i++ % apart != 0) continue;
      RG_ASSIGN(const auto points, reader.scalars(column.id, m_last + 1, m_last + 1 + kStepsLookedAt, stop));
      if (points.size() > 0) last = std::max(last, points.step.back());
    }
    last = std::min(last, std::numeric_limits<std::int64_t>::max() - 2 * kStepsLookedAt);
    return m_newest ? std::min(last, *m_newest) : last;
  }

  void moveTo(std::int64_t last) {
    const auto width = static_cast<std::int64_t>(m_width);
    const std::int64_t first = last - width + 1;
    if (m_last != std::numeric_limits<std::int64_t>::min() && first <= m_first) return;
    const std::int64_t by = m_last == std::numeric_limits<std::int64_t>::min() || last - width >= m_last ? width : last - m_last;
    for (auto* columns : {&m_times, &m_parts, &m_waits})
      for (auto& [key, column] : *columns) {
        shift(column.dense, by, kNothing);
        shift(column.when, by, std::optional<TimeRange>());
      }
    m_first = first, m_last = last;
  }

  // If a step was recorded twice, the later value counts.
  Status readColumn(Reader& reader, Column& column, const std::stop_token& stop) const {
    if (stop.stop_requested()) return {Code::kCancelled, "cancelled"};
    const std::int64_t from = column.seen < m_first + kLate ? m_first : column.seen - kLate;
    RG_ASSIGN(const auto points, reader.scalars(column.id, from, m_last + 1, stop));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double value = points.value[i];
      if (!std::isfinite(value) || value < 0) continue;
      const auto at = static_cast<std::size_t>(points.step[i] - m_first);
      column.dense[at] = value;
      if (const auto range = stepRange(points, i); range && !column.when.empty()) column.when[at] = range;
    }
    if (points.size() > 0) column.seen = points.step.back();
    return {};
  }

  Status readSpans(Reader& reader, const std::vector<Rank>& ranks, const std::stop_token& stop) {
    const auto now = std::chrono::steady_clock::now();
    std::map<std::int32_t, std::vector<StepWindow>> windows;
    for (const auto& [key, column] : m_times)
      for (std::size_t i = 0; i < m_width; ++i)
        if (column.when[i]) windows[column.rank].push_back({m_first + static_cast<std::int64_t>(i), *column.when[i]});
    RG_ASSIGN(m_spans, readSpanParts(reader, m_attempt, ranks, windows, stop));
    const auto end = std::chrono::steady_clock::now();
    m_spans_rest = end + (end - now) * kSpansRest;
    return {};
  }

  // The columns' values by rank.
  std::map<std::int32_t, Gathered> gather(const std::vector<Rank>& ranks, StepTableAnswer& answer) const;
  void gatherPart(const Column& part, const Column* wait, Gathered& rank, StepTableAnswer& answer) const;
  void gatherSpans(std::map<std::int32_t, Gathered>& ranks, StepTableAnswer& answer) const;
  std::optional<TimeRange> whenOf(std::size_t i) const;
  StepTableAnswer finish(const std::vector<Rank>& ranks) const;

  const AttemptId m_attempt;
  const std::optional<std::int64_t> m_newest;
  const std::size_t m_width;
  const bool m_with_spans;
  Columns m_times, m_parts, m_waits;
  std::int64_t m_first = 0, m_last = std::numeric_limits<std::int64_t>::min(), m_listed_last = std::numeric_limits<std::int64_t>::min();
  int m_until_list = 0;
  std::uint64_t m_revision = 0;
  bool m_complete = false;  // m_answer covers all data up to m_last
  OwnWork m_own_work;
  std::optional<SpanPartsAnswer> m_spans;
  std::chrono::steady_clock::time_point m_spans_rest;
  StepTableAnswer m_answer;
};

std::map<std::int32_t, Gathered> StepTableFeed::Memory::gather(const std::vector<Rank>& ranks, StepTableAnswer& answer) const {
  std::map<std::int32_t, Gathered> out;
  for (const Rank& rank : ranks) out[rank.rank].role = rank.pp;
  for (const auto& [key, column] : m_times) out[column.rank].dur = column.dense;
  for (const auto& [key, column] : m_parts) {
    const auto wait = m_waits.find(key);
    gatherPart(column, wait == m_waits.end() ? nullptr : &wait->second, out[column.rank], answer);
  }
  if (m_parts.empty() && m_spans && !m_spans->ranks.empty()) gatherSpans(out, answer);
  return out;
}

void StepTableFeed::Memory::gatherPart(const Column& part, const Column* wait, Gathered& rank, StepTableAnswer& answer) const {
  if (rank.work.empty()) rank.work.assign(m_width, kNothing);
  std::vector<double> dense = part.dense;
  bool any = false;
  for (std::size_t i = 0; i < m_width; ++i) {
    const double waited = wait != nullptr ? wait->dense[i] : kNothing;
    if (std::isnan(waited) && mayBeWaiting(part.part)) dense[i] = kNothing;
    if (std::isnan(dense[i])) continue;
    if (!std::isnan(waited)) dense[i] = std::max(0.0, dense[i] - waited);
    rank.work[i] = (std::isnan(rank.work[i]) ? 0 : rank.work[i]) + dense[i];
    any = true;
  }
  if (!any) return;
  const std::size_t index = partIndex(answer.table.parts, part.part);
  rank.parts[index] = std::move(dense);
  if (wait != nullptr) rank.waits[index] = wait->dense;
}

void StepTableFeed::Memory::gatherSpans(std::map<std::int32_t, Gathered>& ranks, StepTableAnswer& answer) const {
  answer.span_waits_known = m_spans->waits_known;
  for (const auto& [number, steps] : m_spans->ranks) {
    Gathered& rank = ranks[number];
    rank.work.assign(m_width, kNothing);
    for (int p = 0; p < kStepPartCount; ++p) {
      const auto part = static_cast<StepPart>(p);
      if (part == StepPart::kIdle || part == StepPart::kCommWait) continue;
      if (part == StepPart::kComm && m_spans->waits_known < kWaitsKnown) continue;
      std::vector<double> dense(m_width, kNothing), waits(m_width, kNothing);
      bool any = false;
      for (const StepWithParts& step : steps) {
        if (step.step < m_first || step.step > m_last) continue;
        const auto at = static_cast<std::size_t>(step.step - m_first);
        dense[at] = static_cast<double>(step.parts[part]);
        waits[at] = static_cast<double>(step.parts[StepPart::kCommWait]);
        rank.work[at] = (std::isnan(rank.work[at]) ? 0 : rank.work[at]) + dense[at];
        any |= dense[at] > 0;
      }
      if (!any) continue;
      const std::size_t index = partIndex(answer.table.parts, stepPartName(part));
      rank.parts[index] = std::move(dense);
      if (part == StepPart::kComm) rank.waits[index] = std::move(waits);
    }
  }
}

// From the first rank's start to the last one's end.
std::optional<TimeRange> StepTableFeed::Memory::whenOf(std::size_t i) const {
  std::optional<TimeRange> when;
  for (const auto& [key, column] : m_times)
    if (const auto& one = column.when[i]) when = when ? TimeRange{std::min(when->t0, one->t0), std::max(when->t1, one->t1)} : *one;
  return when;
}

StepTableAnswer StepTableFeed::Memory::finish(const std::vector<Rank>& ranks) const {
  StepTableAnswer answer;
  answer.has_parts = !m_parts.empty();
  if (m_times.empty() && m_parts.empty()) return answer;
  const auto gathered = gather(ranks, answer);
  std::vector<bool> known(m_width);
  std::vector<DurNs> longest(m_width, 0);
  std::size_t timed = 0, working = 0;
  const auto hasAny = [](const std::vector<double>& column) {
    return std::ranges::any_of(column, [](double v) { return !std::isnan(v); });
  };
  for (const auto& [number, rank] : gathered) {
    for (const auto* column : {&rank.dur, &rank.work})
      for (std::size_t i = 0; i < column->size(); ++i)
        if (!std::isnan((*column)[i])) known[i] = true;
    for (std::size_t i = 0; i < rank.dur.size(); ++i)
      if (!std::isnan(rank.dur[i])) longest[i] = std::max(longest[i], static_cast<DurNs>(std::min(rank.dur[i], kLongestStep)));
    timed += hasAny(rank.dur) || hasAny(rank.work) ? 1 : 0;
    working += hasAny(rank.work) ? 1 : 0;
  }
  for (std::size_t i = 0; i < m_width; ++i)
    if (m_own_work.covers(m_first + static_cast<std::int64_t>(i), whenOf(i))) known[i] = false, longest[i] = 0;
  leaveStalledOut(longest, known);
  StepTable& table = answer.table;
  table.basis = working > 0 && working * 2 >= timed ? SlownessBasis::kWork : SlownessBasis::kStepTime;
  for (std::size_t i = 0; i < m_width; ++i) {
    if (!known[i]) continue;
    table.steps.push_back(m_first + static_cast<std::int64_t>(i));
    answer.when.push_back(whenOf(i));
  }
  for (const auto& [number, rank] : gathered) table.ranks.push_back(rankSteps(number, rank, table.basis, known, table.parts.size()));
  return answer;
}

StepTableFeed::StepTableFeed(AttemptId attempt, Options options) : m_memory(std::make_unique<Memory>(attempt, options)) {}
StepTableFeed::~StepTableFeed() = default;
StepTableFeed::StepTableFeed(StepTableFeed&&) noexcept = default;
StepTableFeed& StepTableFeed::operator=(StepTableFeed&&) noexcept = default;

Result<StepTableAnswer> StepTableFeed::read(Reader& reader, const std::vector<Rank>& ranks, std::stop_token stop) {
  return m_memory->read(reader, ranks, stop);
}

std::uint64_t StepTableFeed::revision() const { return m_memory->revision(); }

Result<StepTableAnswer> readStepTable(Reader& reader, AttemptId attempt, const std::vector<Rank>& ranks, std::stop_token stop) {
  return StepTableFeed(attempt).read(reader, ranks, std::move(stop));
}

}  // namespace runglass
