// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_series lists the series to read, m_at is the current one (or the end); m_points and m_row belong to m_series[m_at].
// 2. settle() leaves the cursor on a row to return, or done.
#include <sqlite3.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "storage/sql/tables.h"

#include "model/step_metrics.h"

namespace runglass::sql {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

// A scan over scalar series, decoding one at a time; the tables differ in the series they select and in their columns.
class PointCursor : public Cursor {
 public:
  // The positions of the constrained columns in this table.
  struct Columns {
    int run, attempt, rank, step, series, source, tag;  // -1: not in the table
  };
  PointCursor(Catalogue& catalogue, Columns columns) : m_catalogue(catalogue), m_columns(columns) {}

  Status filter(const Constraints& constraints) override {
    m_series.clear();
    m_at = m_row = 0;
    m_points = {};
    m_step0 = constraints.atLeast(m_columns.step);
    const std::int64_t last = constraints.atMost(m_columns.step);
    m_step1 = last == kHighest ? kHighest : last + 1;
    if (constraints.impossible()) return {};
    RG_ASSIGN(const auto* all, m_catalogue.series());
    for (const Series& series : *all) {
      if (series.key.kind != SeriesKind::kScalar || !wants(series, *all)) continue;
      RG_ASSIGN(const AttemptRow* attempt, m_catalogue.attempt(series.key.attempt));
      if (!attempt || !admits(constraints, series, *attempt)) continue;
      RG_ASSIGN(const auto superseded, m_catalogue.supersededFrom(series.id));
      m_series.push_back({&series, attempt, superseded});
    }
    if (!m_series.empty()) RG_TRY(load());
    return settle();
  }
  bool done() const override { return m_at >= m_series.size(); }
  Status next() override {
    ++m_row;
    return settle();
  }

 protected:
  struct Source {
    const Series* series;
    const AttemptRow* attempt;
    std::optional<std::int64_t> superseded_from;
  };
  virtual bool wants(const Series& series, std::span<const Series> all) const = 0;
  virtual bool shows(std::size_t row) const = 0;
  // Called once per series, after m_points was read.
  virtual Status loaded() { return {}; }

  const SeriesKey& key() const { return m_series[m_at].series->key; }
  const Source& source() const { return m_series[m_at]; }
  const ScalarColumns& points() const { return m_points; }
  std::size_t row() const { return m_row; }
  std::int64_t step() const { return m_points.step[m_row]; }
  std::optional<TimeNs> time() const {
    if (m_points.time.empty() || m_points.time[m_row] == kAbsent) return std::nullopt;
    return m_points.time[m_row];
  }
  bool superseded(std::size_t row) const {
    const auto& from = m_series[m_at].superseded_from;
    return from && m_points.step[row] >= *from;
  }
  // 1: retention kept only some of its neighbours.
  int thinned() const { return m_thinned_to && m_points.step[m_row] <= *m_thinned_to ? 1 : 0; }
  // The values of the series with the same owner and another metric, matched to m_points by step; NaN where missing.
  Result<std::vector<double>> companion(std::string_view metric) {
    std::vector<double> matched(m_points.size(), std::nan(""));
    RG_ASSIGN(const auto* all, m_catalogue.series());
    SeriesKey wanted = key();
    for (const Series& other : *all) {
      if (other.key.metric != metric || other.key.attempt != wanted.attempt || other.key.rank != wanted.rank ||
          other.key.source != wanted.source || other.key.labels != wanted.labels || other.key.kind != SeriesKind::kScalar)
        continue;
      RG_ASSIGN(const auto points, m_catalogue.reader().scalars(other.id, m_step0, m_step1, m_catalogue.stop()));
      std::size_t j = 0;
      for (std::size_t i = 0; i < m_points.size(); ++i) {
        while (j < points.size() && points.step[j] < m_points.step[i]) ++j;
        if (j < points.size() && points.step[j] == m_points.step[i]) matched[i] = points.value[j++];
      }
      break;
    }
    return matched;
  }

 private:
  bool admits(const Constraints& constraints, const Series& series, const AttemptRow& attempt) const {
    const SeriesKey& key = series.key;
    return constraints.admits(m_columns.run, static_cast<std::int64_t>(attempt.run.value)) &&
           constraints.admits(m_columns.attempt, attempt.number) && constraints.admits(m_columns.rank, optionalOf(key.rank)) &&
           constraints.admits(m_columns.series, static_cast<std::int64_t>(series.id.value)) &&
           constraints.admits(m_columns.source, key.source) && constraints.admits(m_columns.tag, key.metric);
  }
  static std::optional<std::int64_t> optionalOf(const std::optional<std::int32_t>& rank) {
    return rank ? std::optional<std::int64_t>(*rank) : std::nullopt;
  }
  Status load() {
    RG_ASSIGN(m_points, m_catalogue.reader().scalars(m_series[m_at].series->id, m_step0, m_step1, m_catalogue.stop()));
    RG_ASSIGN(m_thinned_to, m_catalogue.thinnedTo(m_series[m_at].series->id));
    m_row = 0;
    return loaded();
  }
  Status settle() {
    while (!done()) {
      while (m_row < m_points.size() && !shows(m_row)) ++m_row;
      if (m_row < m_points.size()) return {};
      if (m_catalogue.stop().stop_requested()) return {Code::kCancelled, "query cancelled"};
      if (++m_at < m_series.size()) RG_TRY(load());
    }
    return {};
  }

  Catalogue& m_catalogue;
  Columns m_columns;
  std::vector<Source> m_series;
  std::size_t m_at = 0, m_row = 0;
  std::int64_t m_step0 = kLowest, m_step1 = kHighest;
  ScalarColumns m_points;
  std::optional<std::int64_t> m_thinned_to;
};

enum ScalarColumn : int { kRun, kAttempt, kRank, kSource, kTag, kStep, kTime, kValue, kSeriesId, kSuperseded };  // then thinned

template <bool kAll>
class ScalarCursor : public PointCursor {
 public:
  explicit ScalarCursor(Catalogue& catalogue) : PointCursor(catalogue, {kRun, kAttempt, kRank, kStep, kSeriesId, kSource, kTag}) {}
  void column(sqlite3_context* out, int column) const override {
    switch (column) {
      case kRun:
        return sqlite3_result_int64(out, static_cast<sqlite3_int64>(source().attempt->run.value));
      case kAttempt:
        return sqlite3_result_int64(out, source().attempt->number);
      case kRank:
        return key().rank ? sqlite3_result_int64(out, *key().rank) : sqlite3_result_null(out);
      case kSource:
        return resultText(out, key().source);
      case kTag:
        return resultText(out, key().metric);
      case kStep:
        return sqlite3_result_int64(out, step());
      case kTime:
        return resultInteger(out, time());
      case kValue:
        return sqlite3_result_double(out, points().value[row()]);
      case kSeriesId:
        return sqlite3_result_int64(out, static_cast<sqlite3_int64>(source().series->id.value));
      case kSuperseded:
        if (kAll) return sqlite3_result_int64(out, superseded(row()) ? 1 : 0);
        [[fallthrough]];
      default:
        return sqlite3_result_int64(out, thinned());
    }
  }

 private:
  bool wants(const Series&, std::span<const Series>) const override { return true; }
  bool shows(std::size_t row) const override { return kAll || !superseded(row); }
};

// A duration stored as a double: exact below 2^53 ns (104 days).
void resultDuration(sqlite3_context* out, double value) {
  if (std::isfinite(value) && std::fabs(value) < 9.2e18) sqlite3_result_int64(out, static_cast<sqlite3_int64>(value));
}

enum StepColumn : int { kStepRun, kStepAttempt, kStepRank, kStepStep, kStepStart, kStepDur, kStepPhase, kStepThinned };

class StepCursor : public PointCursor {
 public:
  explicit StepCursor(Catalogue& catalogue) : PointCursor(catalogue, {kStepRun, kStepAttempt, kStepRank, kStepStep, -1, -1, -1}) {}
  void column(sqlite3_context* out, int column) const override {
    switch (column) {
      case kStepRun:
        return sqlite3_result_int64(out, static_cast<sqlite3_int64>(source().attempt->run.value));
      case kStepAttempt:
        return sqlite3_result_int64(out, source().attempt->number);
      case kStepRank:
        return key().rank ? sqlite3_result_int64(out, *key().rank) : sqlite3_result_null(out);
      case kStepStep:
        return sqlite3_result_int64(out, step());
      case kStepStart:
        return resultInteger(out, start());
      case kStepDur:
        return resultDuration(out, points().value[row()]);
      case kStepThinned:
        return sqlite3_result_int64(out, thinned());
      default: {
        const double phase = m_phase[row()];
        if (phase >= 0 && phase < static_cast<double>(kStepPhaseNames.size()))
          resultText(out, kStepPhaseNames[static_cast<std::size_t>(phase)]);
      }
    }
  }

 private:
  bool wants(const Series& series, std::span<const Series> all) const override {
    return series.key.metric == kStepTimeMetric || (isLoggedStepTime(series.key) && loggedStepTimes(all, series.key.attempt) == &series);
  }
  bool shows(std::size_t) const override { return true; }
  // For logged points, whose times are those of their ends.
  std::optional<TimeNs> start() const {
    TimeNs begin = 0;
    if (!time() || key().metric == kStepTimeMetric) return time();
    const double dur = points().value[row()];
    const bool known = std::isfinite(dur) && std::fabs(dur) < 9.2e18 && !__builtin_sub_overflow(*time(), static_cast<TimeNs>(dur), &begin);
    return known ? std::optional(begin) : std::nullopt;
  }
  Status loaded() override {
    RG_ASSIGN(m_phase, companion(kStepPhaseMetric));
    return {};
  }
  std::vector<double> m_phase;
};

enum PartColumn : int { kPartRun, kPartAttempt, kPartRank, kPartStep, kPartPart, kPartDur, kPartWait, kPartThinned };

class StepPartCursor : public PointCursor {
 public:
  explicit StepPartCursor(Catalogue& catalogue) : PointCursor(catalogue, {kPartRun, kPartAttempt, kPartRank, kPartStep, -1, -1, -1}) {}
  void column(sqlite3_context* out, int column) const override {
    switch (column) {
      case kPartRun:
        return sqlite3_result_int64(out, static_cast<sqlite3_int64>(source().attempt->run.value));
      case kPartAttempt:
        return sqlite3_result_int64(out, source().attempt->number);
      case kPartRank:
        return key().rank ? sqlite3_result_int64(out, *key().rank) : sqlite3_result_null(out);
      case kPartStep:
        return sqlite3_result_int64(out, step());
      case kPartPart:
        return m_part.empty() ? sqlite3_result_null(out) : resultText(out, m_part);
      case kPartDur:
        return resultDuration(out, points().value[row()]);
      case kPartThinned:
        return sqlite3_result_int64(out, thinned());
      default:
        return resultDuration(out, m_wait[row()]);
    }
  }

 private:
  bool wants(const Series& series, std::span<const Series>) const override { return series.key.metric == kStepPartMetric; }
  bool shows(std::size_t) const override { return true; }
  Status loaded() override {
    m_part.clear();
    const auto labels = nlohmann::json::parse(key().labels, nullptr, false);
    if (labels.is_object() && labels.contains("part") && labels["part"].is_string()) m_part = labels["part"].get<std::string>();
    RG_ASSIGN(m_wait, companion(kStepPartWaitMetric));
    return {};
  }
  std::string m_part;
  std::vector<double> m_wait;
};

constexpr TableSpec::Pushed kScalarPushed[] = {{kRun, Push::kInteger},     {kAttempt, Push::kInteger}, {kRank, Push::kInteger},
                                               {kSource, Push::kText},     {kTag, Push::kText},        {kStep, Push::kInteger},
                                               {kSeriesId, Push::kInteger}};
constexpr TableSpec::Pushed kStepPushed[] = {
    {kStepRun, Push::kInteger}, {kStepAttempt, Push::kInteger}, {kStepRank, Push::kInteger}, {kStepStep, Push::kInteger}};
constexpr TableSpec::Pushed kPartPushed[] = {
    {kPartRun, Push::kInteger}, {kPartAttempt, Push::kInteger}, {kPartRank, Push::kInteger}, {kPartStep, Push::kInteger}};

}  // namespace

const TableSpec kScalarTable = {"scalar",
                                "CREATE TABLE x(run_id INTEGER, attempt INTEGER, rank INTEGER, source TEXT, tag TEXT, step INTEGER, "
                                "time_ns INTEGER, value REAL, series_id INTEGER, thinned INTEGER)",
                                "", kScalarPushed, makeCursor<ScalarCursor<false>>};
const TableSpec kScalarAllTable = {"scalar_all",
                                   "CREATE TABLE x(run_id INTEGER, attempt INTEGER, rank INTEGER, source TEXT, tag TEXT, step INTEGER, "
                                   "time_ns INTEGER, value REAL, series_id INTEGER, superseded INTEGER, thinned INTEGER)",
                                   "", kScalarPushed, makeCursor<ScalarCursor<true>>};
const TableSpec kStepTable = {"step",
                              "CREATE TABLE x(run_id INTEGER, attempt INTEGER, rank INTEGER, step INTEGER, start_ns INTEGER, dur_ns "
                              "INTEGER, phase TEXT, thinned INTEGER)",
                              "", kStepPushed, makeCursor<StepCursor>};
const TableSpec kStepPartTable = {"step_part",
                                  "CREATE TABLE x(run_id INTEGER, attempt INTEGER, rank INTEGER, step INTEGER, part TEXT, dur_ns INTEGER, "
                                  "wait_ns INTEGER, thinned INTEGER)",
                                  "", kPartPushed, makeCursor<StepPartCursor>};

}  // namespace runglass::sql
