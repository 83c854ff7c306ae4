// SPDX-License-Identifier: Apache-2.0
// OpenChunks: recording. Nothing here accesses the file, except that the first point of an old series loads its open chunk.
#include "storage/write/open_chunks.h"

#include <algorithm>
#include <utility>

#include "model/mutex.h"

namespace runglass {
namespace {

constexpr std::size_t kOutOfOrderShare = 8;  // of its limit: a chunk with more points than this share accepts no more points out of order

// Series of the same rate must not all seal at the same time, and on average their chunks should be half full: the first limits are spread
// over the length of a chunk.
std::size_t firstLimit(SeriesId id, std::size_t limit) {
  const std::size_t least = limit / 16;
  return least + (id.value * 0x9e3779b97f4a7c15ULL >> 51) % (limit - least);
}

}  // namespace

// Open chunks are in memory and are rewritten by every commit: where there are very many, they are smaller.
void OpenChunks::countOpenChunks(std::int64_t more) {
  constexpr std::size_t kOpenPoints = 32U << 20, kMin = 512;
  m_open_chunks += static_cast<std::size_t>(more);
  m_chunk_limit = std::clamp(kOpenPoints / std::max<std::size_t>(1, m_open_chunks) / kBlockPoints * kBlockPoints, kMin, kChunkPoints);
}

void OpenChunks::limit(SeriesBuffer& buffer, std::size_t points) const {
  constexpr std::size_t kFew = 1536;  // of a chunk's 4,096: below that, raw blocks would take most of the memory of open chunks
  buffer.setLimit(points, m_chunk_limit <= kFew ? SeriesBuffer::kShortBlock : kBlockPoints);
}

Status OpenChunks::load(SeriesId id) {
  // Loaded separately, so that Readers see it only when it is complete.
  auto loaded = std::make_shared<LiveSeries>();
  if (id.value < m_first_new_series || m_catalog.wasEvicted(id)) RG_TRY(loadSeries(id, *loaded));
  countOpenChunks(1);
  {
    const MutexLock lock(loaded->mutex);
    if (loaded->late) noteLate(id);
    // The order of arrival of points in sealed chunks is not known here.
    if (m_catalog.wasEvicted(id))
      loaded->sealed_main.disordered = loaded->sealed_main.count, loaded->sealed_late.disordered = loaded->sealed_late.count;
    limit(loaded->main, loaded->extent.count == 0 ? firstLimit(id, m_chunk_limit) : m_chunk_limit);
  }
  m_tail->add(id, std::move(loaded));
  return {};
}

LiveSeries* OpenChunks::live(SeriesId& id) {
  while (true) {
    if (!m_continued.empty()) {
      for (auto next = m_continued.find(id); next != m_continued.end(); next = m_continued.find(id)) id = next->second;
    }
    if (LiveSeries* const series = m_tail->find(id); series != nullptr) return series;
    if (!m_catalog.knowsSeries(id)) {
      m_failure.note(
          {Code::kInvalidArgument, "cannot record samples: series " + std::to_string(id.value) + ": never declared to this store"});
      return nullptr;
    }
    if (Status status = load(id); !status.ok() && !continueSeries(id, status)) {
      m_failure.note(std::move(status));
      return nullptr;
    }
  }
}

void OpenChunks::list(SeriesId id, LiveSeries& series) {
  if (std::exchange(series.listed, true)) return;
  series.touched = m_now;
  m_unsaved.push_back(id);
}

void OpenChunks::noteLate(SeriesId id) {
  m_late_series.push_back(id);
  countOpenChunks(1);
}

// Data delayed by an outage arrives late, and then stops. A few series at a time, because recording waits meanwhile.
void OpenChunks::sealIdleLate() {
  constexpr std::size_t kAtOnce = 64;
  const TimeNs now = monotonicNow();
  if (m_next_late >= m_late_series.size()) {
    if (now - m_late_pass < m_late_idle) return;
    m_next_late = 0;
    m_late_pass = now;
  }
  for (std::size_t i = 0; i < kAtOnce && m_next_late < m_late_series.size(); ++i) {
    const SeriesId id = m_late_series[m_next_late];
    LiveSeries& series = *m_tail->find(id);
    const MutexLock lock(series.mutex);
    const bool idle = std::exchange(series.late_idle, true);
    // Few points need little memory, and sealing them would create many small chunks where late points keep arriving.
    if (idle && series.late->points() >= m_chunk_limit / kOutOfOrderShare) {
      list(id, series);
      seal(series, *series.late, true);
    }
    if (!idle || series.late->points() > 0) {
      ++m_next_late;
      continue;
    }
    series.late.reset();
    m_late_series[m_next_late] = m_late_series.back();
    m_late_series.pop_back();
    countOpenChunks(-1);
  }
}

void OpenChunks::append(SeriesId id, const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n) {
  LiveSeries* const series = live(id);
  if (series == nullptr) return;
  list(id, *series);
  const MutexLock lock(series->mutex);
  SeriesExtent& extent = series->extent;
  const bool scalar = m_catalog.isScalar(id);
  bool ordered = true;
  for (std::size_t i = 1; i < n; ++i) ordered &= x[i] >= x[i - 1];
  const std::int64_t low = ordered ? x[0] : *std::min_element(x, x + n);
  const std::int64_t high = ordered ? x[n - 1] : *std::max_element(x, x + n);
  const bool newest = extent.count == 0 || high >= extent.last_x;
  extent.first_x = extent.count == 0 ? low : std::min(extent.first_x, low);
  extent.last_x = extent.count == 0 ? high : std::max(extent.last_x, high);
  extent.count += static_cast<std::int64_t>(n);
  series->extent_changed = true;
  if (!scalar) {
    extent.first_time = extent.first_x;
    extent.last_time = extent.last_x;
  } else if (time != nullptr) {
    const auto [first, last] = std::minmax_element(time, time + n);
    extent.first_time = std::min(extent.first_time.value_or(*first), *first);
    extent.last_time = std::max(extent.last_time.value_or(*last), *last);
  }
  // The newest is the last to arrive among those with the maximum x.
  if (newest) {
    std::size_t at = n - 1;
    while (x[at] != high) --at;
    std::optional<TimeNs> when = scalar ? std::nullopt : std::optional(x[at]);
    if (scalar && time != nullptr) when = time[at];
    series->latest = LatestSample{id, x[at], when, value[at]};
  }
  for (std::size_t i = 0; i < n;) {
    const auto is_late = [&](std::size_t at) { return series->any_sealed && x[at] < series->sealed_x1; };
    const bool late = is_late(i);
    std::size_t end = n;
    if (series->any_sealed && low < series->sealed_x1) {
      end = i + 1;
      while (end < n && is_late(end) == late) ++end;
    }
    if (late && !series->late) {
      series->late = std::make_unique<SeriesBuffer>();
      noteLate(id);
    }
    if (late) series->late_idle = false;
    SeriesBuffer& buffer = late ? *series->late : series->main;
    // Other series were added since this chunk began.
    if (buffer.limit() > m_chunk_limit) limit(buffer, firstLimit(id, m_chunk_limit));
    if (buffer.points() > 0 && buffer.hasTime() != (time != nullptr)) seal(*series, buffer, late);
    // Data spooled at an agent arrives after newer data. Out of order, a chunk is kept raw, and these may be many: such a point goes to a
    // late chunk.
    if (!late && buffer.points() >= m_chunk_limit / kOutOfOrderShare && x[i] < buffer.maxX()) {
      seal(*series, buffer, false);
      continue;
    }
    const std::size_t took = buffer.append(x + i, time == nullptr ? nullptr : time + i, value + i, end - i);
    i += took;
    if (buffer.full()) seal(*series, buffer, late);
  }
  m_tail->noteGrown(id);
  m_tail->noteChange();
}

void OpenChunks::seal(LiveSeries& series, SeriesBuffer& buffer, bool late) {
  // A sealed chunk gets a new row at the table's end, where rows pack densely; the open chunk's row is deleted.
  const std::int64_t replaced = buffer.chunk_id;
  buffer.chunk_id = series.newest_sealed = m_next_chunk++;
  auto pyramid = std::make_shared<Pyramid>();
  const bool ordered = buffer.ordered();
  auto row = std::make_shared<ChunkRow>(buffer.row(true, pyramid.get()));
  row->late = late;
  SealedPoints& sealed = late ? series.sealed_late : series.sealed_main;
  sealed.count += row->n;
  if (!ordered) sealed.disordered = sealed.count;
  m_pending_bytes += static_cast<std::int64_t>(row->blob.size());
  if (!late) {
    series.sealed_x1 = series.any_sealed ? std::max(series.sealed_x1, row->x1) : row->x1;
    series.any_sealed = true;
  }
  const std::size_t stored = ordered ? std::exchange(buffer.stored, 0U) : (buffer.stored = 0U);
  series.pending.push_back({m_tail->committed() + 1, series.sealed_chunks++, replaced, stored, std::move(row), std::move(pyramid)});
  limit(buffer, m_chunk_limit);
}

}  // namespace runglass
