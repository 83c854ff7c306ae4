// SPDX-License-Identifier: Apache-2.0
// MomentReader: series and spans.
#include <algorithm>

#include "storage/read/bin_points.h"
#include "storage/travel/moment_reader.h"

namespace runglass {

Result<std::vector<Series>> MomentReader::series(const SeriesFilter& filter) {
  RG_ASSIGN(const auto lives, this->lives());
  RG_ASSIGN(auto all, inner().series(filter));
  std::vector<Series> found;
  std::vector<SeriesId> cut;
  for (Series& one : all) {
    if (one.key.attempt) {
      const Life life = lifeOf(lives->of_attempt, one.key.attempt.value);
      if (life.clocked && !(one.first_time ? !later(one.first_time) : one.sample_count == 0 ? life.begun : life.over)) continue;
      if (life.clocked && later(one.last_time)) cut.push_back(one.id);
    } else {
      if (later(one.first_time)) continue;
      if (later(one.last_time)) cut.push_back(one.id);
    }
    found.push_back(std::move(one));
  }
  if (cut.empty()) return found;
  RG_ASSIGN(const auto newest, inner().latestAt(cut, m_moment));
  auto at = newest.begin();
  std::size_t next = 0;
  for (Series& one : found) {
    if (next == cut.size() || one.id != cut[next]) continue;
    ++next;
    if (at != newest.end() && at->series == one.id) {
      one.last_x = at->x;
      one.last_time = at->time;
      ++at;
    } else {
      // Its points are deleted (retention) or damaged: only the first one is known to be at or before the moment.
      one.last_x = one.first_x;
      one.last_time = one.first_time;
    }
  }
  return found;
}

bool MomentReader::isWhole(const Lives& lives, SeriesId series) const {
  const auto known = lives.scalars.find(series.value);
  if (known == lives.scalars.end()) return false;
  const Life life = lifeOf(lives.of_attempt, known->second.key.attempt.value);
  return !life.clocked || (known->second.last_time ? !later(known->second.last_time) : life.over);
}

Result<SampleColumns> MomentReader::samples(SeriesId series, TimeRange range, std::stop_token stop) {
  RG_ASSIGN(const auto lives, this->lives());
  if (!lives->scalars.contains(series.value)) return inner().samples(series, clipped(range), std::move(stop));
  RG_ASSIGN(ScalarColumns points, scalars(series, range.t0, range.t1, std::move(stop)));
  return SampleColumns{std::move(points.step), std::move(points.value)};
}

Result<ScalarColumns> MomentReader::scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop) {
  RG_ASSIGN(const auto lives, this->lives());
  RG_ASSIGN(ScalarColumns points, inner().scalars(series, step0, step1, std::move(stop)));
  if (isWhole(*lives, series)) return points;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.time.size(); ++i) {
    if (points.time[i] == kAbsent || points.time[i] > m_moment) continue;
    points.step[kept] = points.step[i];
    points.time[kept] = points.time[i];
    points.value[kept] = points.value[i];
    ++kept;
  }
  points.step.resize(kept), points.time.resize(kept), points.value.resize(kept);
  return points;
}

Result<std::vector<Bin>> MomentReader::bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                            std::stop_token stop) {
  RG_ASSIGN(const auto lives, this->lives());
  if (lives->scalars.contains(series.value) && axis == Axis::kX) {
    // The order of steps is not that of times: only the points show which of them are at or before the moment.
    if (isWhole(*lives, series) || bins == 0 || bins > kMaxBins || x1 <= x0)
      return inner().bins(series, axis, x0, x1, bins, std::move(stop));
    RG_ASSIGN(const ScalarColumns points, scalars(series, x0, x1, std::move(stop)));
    std::vector<Bin> out = emptyBins(x0, x1, bins);
    addPoints(out, points.step, points.value);
    return out;
  }
  RG_ASSIGN(std::vector<Bin> out, inner().bins(series, axis, x0, x1, bins, stop));
  const auto empty = [](Bin& bin) {
    const Bin edges = bin;
    bin = {};
    bin.x0 = edges.x0, bin.x1 = edges.x1;
  };
  if (x1 <= m_after) return out;
  for (Bin& bin : out) {
    if (bin.x1 <= m_after) continue;
    const std::int64_t begin = bin.x0, end = bin.x1;
    empty(bin);
    if (begin >= m_after) continue;
    RG_ASSIGN(const auto cut, inner().bins(series, axis, begin, m_after, 1, stop));
    bin = cut.front();
    bin.x0 = begin, bin.x1 = end;
  }
  return out;
}

Result<std::vector<LatestSample>> MomentReader::latest(std::span<const SeriesId> series) {
  std::vector<SeriesId> whole, cut;
  RG_ASSIGN(const auto lives, this->lives());
  for (const SeriesId id : series) (isWhole(*lives, id) ? whole : cut).push_back(id);
  if (whole.empty()) return inner().latestAt(cut, m_moment);
  RG_ASSIGN(auto as_now, inner().latest(whole));
  if (cut.empty()) return as_now;
  RG_ASSIGN(const auto as_then, inner().latestAt(cut, m_moment));
  std::unordered_map<std::uint64_t, LatestSample> by_series;
  for (const auto* part : {static_cast<const std::vector<LatestSample>*>(&as_now), &as_then})
    for (const LatestSample& one : *part) by_series.emplace(one.series.value, one);
  std::vector<LatestSample> found;
  for (const SeriesId id : series)
    if (const auto one = by_series.find(id.value); one != by_series.end()) found.push_back(one->second);
  return found;
}

Result<std::vector<LatestSample>> MomentReader::latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) {
  return inner().latestAt(series, std::min(moment, m_moment), std::move(stop));
}

Result<std::optional<TimeRange>> MomentReader::spanExtent(RunId run) {
  RG_ASSIGN(const auto lives, this->lives());
  RG_ASSIGN(auto extent, inner().spanExtent(run));
  if (!extent || !lifeOf(lives->of_run, run.value).clocked) return extent;
  if (extent->t0 > m_moment) return std::optional<TimeRange>();
  extent->t1 = std::min(extent->t1, m_after);
  return extent;
}

// The range to query for: spans that are open at the moment may end at any later time.
TimeRange MomentReader::reached(TimeRange range) const { return clipped({std::min(range.t0, m_moment), range.t1}); }

void MomentReader::clipSpans(SpanColumns& spans) const {
  for (std::size_t i = 0; i < spans.size(); ++i) {
    TimeNs end = 0;
    if (spans.dur[i] != kAbsent && (__builtin_add_overflow(spans.start[i], spans.dur[i], &end) || end > m_moment)) spans.dur[i] = kAbsent;
  }
}

Result<SpanColumns> MomentReader::spans(TrackId track, TimeRange range, std::stop_token stop) {
  RG_ASSIGN(SpanColumns found, inner().spans(track, reached(range), std::move(stop)));
  clipSpans(found);
  return found;
}

Result<StoredSpans> MomentReader::spansWith(std::int64_t span, TimeRange range) {
  RG_ASSIGN(StoredSpans found, inner().spansWith(span, reached(range)));
  clipSpans(found.spans);
  return found;
}

Result<SpanPicture> MomentReader::spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) {
  RG_ASSIGN(SpanPicture picture, inner().spanPicture(tracks, reached(range), pixel, std::move(stop)));
  for (SpanPicture::Lane& lane : picture.lanes) {
    for (SpanBar& bar : lane.bars)
      if (bar.t1 > m_moment) bar.t1 = bar.count == 1 ? kHighest : m_after;
    if (range.t0 > m_moment) std::erase_if(lane.bars, [](const SpanBar& bar) { return bar.t1 != kHighest; });
  }
  std::erase_if(picture.lanes, [](const SpanPicture::Lane& lane) { return lane.bars.empty(); });
  return picture;
}

}  // namespace runglass
