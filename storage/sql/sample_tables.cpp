// SPDX-License-Identifier: Apache-2.0
// Invariant: m_row indexes the columns of one answer of the Reader; done() is m_row reaching its end.
#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <string>

#include "storage/sql/tables.h"

namespace runglass::sql {
namespace {

constexpr std::int64_t kMaxBins = 1'000'000;

enum SampleColumn : int { kSampleTime, kSampleValue, kSampleSeries, kSampleT0, kSampleT1 };

class SampleCursor : public Cursor {
 public:
  explicit SampleCursor(Catalogue& catalogue) : m_catalogue(catalogue) {}

  Status filter(const Constraints& constraints) override {
    m_row = 0;
    m_time.clear();
    m_value.clear();
    if (constraints.impossible()) return {};
    const std::int64_t id = constraints.exact(kSampleSeries).value_or(0);
    RG_ASSIGN(const Series* series, m_catalogue.seriesById(id));
    if (!series) return {Code::kNotFound, "sample: series " + std::to_string(id) + ": there is no such series"};
    TimeRange range;
    range.t0 = std::max(constraints.exact(kSampleT0).value_or(range.t0), constraints.atLeast(kSampleTime));
    range.t1 = constraints.exact(kSampleT1).value_or(range.t1);
    const std::int64_t last = constraints.atMost(kSampleTime);
    if (last < range.t1) range.t1 = last + 1;
    if (series->key.kind == SeriesKind::kScalar) return readScalars(*series, range);
    RG_ASSIGN(auto samples, m_catalogue.reader().samples(series->id, range, m_catalogue.stop()));
    m_time = std::move(samples.time);
    m_value = std::move(samples.value);
    return {};
  }
  bool done() const override { return m_row >= m_value.size(); }
  Status next() override {
    ++m_row;
    return {};
  }
  void column(sqlite3_context* out, int column) const override {
    if (column == kSampleValue)
      sqlite3_result_double(out, m_value[m_row]);  // SQLite turns NaN into NULL
    else if (column == kSampleTime && !m_time.empty() && m_time[m_row] != kAbsent)
      sqlite3_result_int64(out, m_time[m_row]);
  }

 private:
  // The x of a scalar series are steps; this relation shows their times, where recorded.
  Status readScalars(const Series& series, TimeRange range) {
    RG_ASSIGN(auto points, m_catalogue.reader().scalars(series.id, std::numeric_limits<std::int64_t>::min(),
                                                        std::numeric_limits<std::int64_t>::max(), m_catalogue.stop()));
    const bool everything = range == TimeRange{};  // points without a time are in no range
    for (std::size_t i = 0; i < points.size(); ++i) {
      const TimeNs time = points.time.empty() ? kAbsent : points.time[i];
      if (!everything && (time == kAbsent || time < range.t0 || time >= range.t1)) continue;
      m_time.push_back(time);
      m_value.push_back(points.value[i]);
    }
    return {};
  }

  Catalogue& m_catalogue;
  std::vector<TimeNs> m_time;
  std::vector<double> m_value;
  std::size_t m_row = 0;
};

enum BinColumn : int { kBinT0, kBinT1, kFirst, kLast, kMin, kMax, kSum, kCount, kNanCount, kBinSeries, kArgT0, kArgT1, kArgBins };

class BinCursor : public Cursor {
 public:
  explicit BinCursor(Catalogue& catalogue) : m_catalogue(catalogue) {}

  Status filter(const Constraints& constraints) override {
    m_row = 0;
    m_bins.clear();
    if (constraints.impossible()) return {};
    const auto id = constraints.exact(kBinSeries), t0 = constraints.exact(kArgT0), t1 = constraints.exact(kArgT1),
               bins = constraints.exact(kArgBins);
    if (!id || !t0 || !t1 || !bins) return {Code::kInvalidArgument, "bin needs its arguments: bin(series_id, t0_ns, t1_ns, bins)"};
    if (*bins < 1 || *bins > kMaxBins)
      return {Code::kInvalidArgument, "bin: bins = " + std::to_string(*bins) + ": must be 1 to " + std::to_string(kMaxBins)};
    if (*t1 <= *t0) return {Code::kInvalidArgument, "bin: t1_ns must be greater than t0_ns"};
    RG_ASSIGN(const Series* series, m_catalogue.seriesById(*id));
    if (!series) return {Code::kNotFound, "bin: series " + std::to_string(*id) + ": there is no such series"};
    RG_ASSIGN(m_bins, m_catalogue.reader().bins(series->id, Axis::kTime, *t0, *t1, static_cast<std::size_t>(*bins), m_catalogue.stop()));
    return {};
  }
  bool done() const override { return m_row >= m_bins.size(); }
  Status next() override {
    ++m_row;
    return {};
  }
  void column(sqlite3_context* out, int column) const override {
    const Bin& bin = m_bins[m_row];
    switch (column) {
      case kBinT0:
        return sqlite3_result_int64(out, bin.x0);
      case kBinT1:
        return sqlite3_result_int64(out, bin.x1);
      case kCount:
        return sqlite3_result_int64(out, bin.count);
      case kNanCount:
        return sqlite3_result_int64(out, bin.nan_count);
      default:
        break;
    }
    if (bin.count == 0) return;  // NULL: an empty bin has no values
    switch (column) {
      case kFirst:
        return sqlite3_result_double(out, bin.first);
      case kLast:
        return sqlite3_result_double(out, bin.last);
      case kMin:
        return sqlite3_result_double(out, bin.min);
      case kMax:
        return sqlite3_result_double(out, bin.max);
      case kSum:
        return sqlite3_result_double(out, bin.sum);
      default:
        break;
    }
  }

 private:
  Catalogue& m_catalogue;
  std::vector<Bin> m_bins;
  std::size_t m_row = 0;
};

constexpr TableSpec::Pushed kSamplePushed[] = {
    {kSampleTime, Push::kInteger}, {kSampleSeries, Push::kRequiredArgument}, {kSampleT0, Push::kArgument}, {kSampleT1, Push::kArgument}};
constexpr TableSpec::Pushed kBinPushed[] = {
    {kBinSeries, Push::kRequiredArgument}, {kArgT0, Push::kArgument}, {kArgT1, Push::kArgument}, {kArgBins, Push::kArgument}};

}  // namespace

const TableSpec kSampleTable = {
    "sample", "CREATE TABLE x(time_ns INTEGER, value REAL, series_id INTEGER HIDDEN, t0_ns INTEGER HIDDEN, t1_ns INTEGER HIDDEN)",
    "SELECT * FROM sample(series_id [, t0_ns, t1_ns])", kSamplePushed, makeCursor<SampleCursor>};
const TableSpec kBinTable = {
    "bin",
    "CREATE TABLE x(t0_ns INTEGER, t1_ns INTEGER, first REAL, last REAL, min REAL, max REAL, sum REAL, count INTEGER, nan_count INTEGER, "
    "series_id INTEGER HIDDEN, from_ns INTEGER HIDDEN, to_ns INTEGER HIDDEN, bins INTEGER HIDDEN)",
    "SELECT * FROM bin(series_id, t0_ns, t1_ns, bins)", kBinPushed, makeCursor<BinCursor>};

}  // namespace runglass::sql
