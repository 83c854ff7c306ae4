// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A sealed chunk, span chunk or row carries the generation of the commit that stores it; it is kept until a later commit begins, so that
//    a Reader whose snapshot is one commit behind still finds it.
// 2. While a series is in the tail, its open chunks are complete here: a Reader ignores the file's unsealed rows of it.
// 3. m_kept_from is the oldest file generation that file + tail can complete. Idle series are evicted only after they were stored.
#include "storage/read/live_tail.h"

#include <algorithm>
#include <limits>

namespace runglass {

void addIssue(Issue& have, const Issue& more) {
  have.count = more.count > 0 && have.count > std::numeric_limits<std::int64_t>::max() - more.count
                   ? std::numeric_limits<std::int64_t>::max()
                   : have.count + more.count;
  if (more.first) have.first = std::min(have.first.value_or(*more.first), *more.first);
  if (more.last) have.last = std::max(have.last.value_or(*more.last), *more.last);
  have.detail = more.detail;
}

std::shared_ptr<LiveSeries> LiveTail::known(SeriesId id) const {
  const ReaderLock lock(m_map_mutex);
  return m_series.get(id.value);
}

std::optional<SeriesSnapshot> LiveTail::series(SeriesId id, std::uint64_t file_generation) const {
  const std::shared_ptr<LiveSeries> series = known(id);
  SeriesSnapshot snapshot;
  if (series) {
    const MutexLock lock(series->mutex);
    snapshot.owned = true;
    for (const PendingChunk& chunk : series->pending) {
      if (chunk.generation > file_generation) snapshot.sealed.push_back(chunk);
    }
    if (series->main.points() > 0) snapshot.open = series->main.decoded();
    if (series->late && series->late->points() > 0) snapshot.open_late = series->late->decoded();
  }
  // Checked last: this detects data that was dropped before the look-up above.
  if (file_generation < m_kept_from.load(std::memory_order_acquire)) return std::nullopt;
  return snapshot;
}

std::optional<LiveTail::Moment> LiveTail::newestAt(SeriesId id, std::uint64_t file_generation, PointBound bound) const {
  const std::shared_ptr<LiveSeries> series = known(id);
  Moment moment;
  if (series) {
    const MutexLock lock(series->mutex);
    moment.owned = true;
    for (const PendingChunk& chunk : series->pending) {
      const bool begun = bound.of == PointBound::Of::kTime || chunk.row->x0 <= bound.last;
      if (chunk.generation > file_generation && begun) moment.sealed.push_back(chunk);
    }
    moment.main = series->main.newest(bound);
    if (series->late) moment.late = series->late->newest(bound);
  }
  if (file_generation < m_kept_from.load(std::memory_order_acquire)) return std::nullopt;
  return moment;
}

namespace {

// An open lane's current content as a chunk.
PendingSpans openSpans(const LiveLane& lane, std::size_t index) {
  return {.lane = static_cast<std::int32_t>(index),
          .chunk_id = lane.chunk_id,
          .first_span_id = lane.first_span_id,
          .n = lane.open.size(),
          .open = std::make_shared<SpanChunk>(lane.open),
          .packed = {},
          .t0 = lane.t0,
          .t1 = lane.t1};
}

// Absent: no lane of the track has that chunk.
std::optional<PendingSpans> chunkOf(const LiveTrack& track, std::int64_t chunk_id, std::uint64_t file_generation) RG_REQUIRES(track.mutex) {
  for (std::size_t i = 0; i < track.lanes.size(); ++i) {
    const auto& lane = track.lanes[i];
    if (!lane) continue;
    if (lane->chunk_id == chunk_id && lane->open.size() > 0) return openSpans(*lane, i);
    for (const PendingSpans& chunk : lane->pending) {
      if (chunk.chunk_id == chunk_id && chunk.generation > file_generation) return chunk;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<LiveTail::SpanSnapshot> LiveTail::spans(TrackId id, std::uint64_t file_generation) const {
  std::shared_ptr<LiveTrack> track;
  {
    const ReaderLock lock(m_map_mutex);
    track = m_tracks.get(id.value);
  }
  SpanSnapshot snapshot;
  if (track) {
    const MutexLock lock(track->mutex);
    snapshot.owned = true;
    for (std::size_t i = 0; i < track->lanes.size(); ++i) {
      const auto& lane = track->lanes[i];
      if (!lane) continue;
      for (const PendingSpans& chunk : lane->pending) {
        if (chunk.generation > file_generation) snapshot.chunks.push_back(chunk);
      }
      if (lane->open.size() > 0) snapshot.chunks.push_back(openSpans(*lane, i));
    }
  }
  if (file_generation < m_kept_from.load(std::memory_order_acquire)) return std::nullopt;
  return snapshot;
}

std::optional<LiveTail::ChunkSnapshot> LiveTail::spanChunk(std::int64_t chunk_id, std::uint64_t file_generation) const {
  ChunkSnapshot snapshot;
  {
    const ReaderLock lock(m_map_mutex);
    m_tracks.each([&](std::uint64_t id, const LiveTrack& track) {
      if (snapshot.chunk) return;
      const MutexLock track_lock(track.mutex);
      snapshot = {TrackId{id}, chunkOf(track, chunk_id, file_generation)};
    });
  }
  if (file_generation < m_kept_from.load(std::memory_order_acquire)) return std::nullopt;
  return snapshot;
}

std::optional<LiveTail::Arrivals> LiveTail::arrivals(SeriesId id, std::uint64_t file_generation, std::int64_t main,
                                                     std::int64_t late) const {
  const std::shared_ptr<LiveSeries> series = known(id);
  Arrivals found;
  if (series) {
    const MutexLock lock(series->mutex);
    found.owned = true;
    for (const PendingChunk& chunk : series->pending) {
      if (chunk.generation > file_generation) found.sealed.push_back(chunk);
    }
    found.sealed_main = series->sealed_main;
    found.sealed_late = series->sealed_late;
    found.open_count = static_cast<std::int64_t>(series->main.points());
    if (series->late) found.open_late_count = static_cast<std::int64_t>(series->late->points());
    const auto beyond = [](std::int64_t reported, const SealedPoints& sealed) {
      return static_cast<std::size_t>(std::max<std::int64_t>(0, reported - sealed.count));
    };
    found.open = series->main.arrivedAfter(beyond(main, found.sealed_main));
    if (series->late) found.open_late = series->late->arrivedAfter(beyond(late, found.sealed_late));
  }
  if (file_generation < m_kept_from.load(std::memory_order_acquire)) return std::nullopt;
  return found;
}

std::optional<LiveTail::Blocks> LiveTail::blocks(SeriesId id, std::uint64_t file_generation, BlockParts parts) const {
  const std::shared_ptr<LiveSeries> series = known(id);
  Blocks found;
  if (series) {
    const MutexLock lock(series->mutex);
    found.owned = true;
    found.newest_sealed = series->newest_sealed;
    const auto look = [&](const SeriesBuffer& buffer, Blocks::Open& open) {
      open.points = static_cast<std::int64_t>(buffer.points());
      open.ordered = buffer.ordered();
      if (parts == BlockParts::kAll) open.blocks = buffer.blocks();
    };
    look(series->main, found.main);
    if (series->late) look(*series->late, found.late);
    for (const PendingChunk& chunk : series->pending) {
      if (parts == BlockParts::kAll && chunk.generation > file_generation) found.sealed.push_back(chunk);
    }
  }
  if (file_generation < m_kept_from.load(std::memory_order_acquire)) return std::nullopt;
  return found;
}

bool LiveTail::grownSince(std::uint64_t since, std::vector<SeriesId>& out) const {
  const ReaderLock lock(m_map_mutex);
  for (std::size_t i = 0; i < m_grown.size(); ++i) {
    if (!m_grown[i]) continue;
    for (std::size_t k = 0; k < kMarksEach; ++k)
      if ((*m_grown[i])[k].load(std::memory_order_relaxed) > since) out.push_back(SeriesId{i * kMarksEach + k});
  }
  return since >= m_growth_gone;
}

std::array<std::uint64_t, kStoreParts> LiveTail::parts() const {
  std::array<std::uint64_t, kStoreParts> now{};
  for (std::size_t i = 0; i < kStoreParts; ++i) now[i] = m_parts[i].load(std::memory_order_acquire);
  return now;
}

void LiveTail::noteParts(std::uint32_t changed) {
  for (std::size_t i = 0; i < kStoreParts; ++i)
    if ((changed >> i & 1U) != 0) m_parts[i].fetch_add(1, std::memory_order_release);
}

std::optional<SeriesExtent> LiveTail::extent(SeriesId id) const {
  const std::shared_ptr<LiveSeries> series = known(id);
  if (!series) return std::nullopt;
  const MutexLock lock(series->mutex);
  return series->extent;
}

std::optional<LatestSample> LiveTail::latest(SeriesId id) const {
  const std::shared_ptr<LiveSeries> series = known(id);
  if (!series) return std::nullopt;
  const MutexLock lock(series->mutex);
  return series->latest;
}

std::optional<PendingRows> LiveTail::rows(std::uint64_t file_generation, bool logs) const {
  PendingRows rows;
  const auto add = [&](const PendingRows& more) {
    rows.events.insert(rows.events.end(), more.events.begin(), more.events.end());
    rows.captures.insert(rows.captures.end(), more.captures.begin(), more.captures.end());
    rows.labels.insert(rows.labels.end(), more.labels.begin(), more.labels.end());
    rows.issues.insert(rows.issues.end(), more.issues.begin(), more.issues.end());
    if (!logs) return;
    if (rows.logs.empty()) rows.first_log = more.first_log;
    rows.logs.insert(rows.logs.end(), more.logs.begin(), more.logs.end());
  };
  {
    const MutexLock lock(m_rows_mutex);
    // Rows of the coming generation always; those of the last one when the snapshot is older than it.
    if (m_stored_rows.generation > file_generation) add(m_stored_rows);
    add(m_rows);
    // The commit of m_rows may already be in the file, a moment before commitDone() records it here.
    if (file_generation > m_committed.load(std::memory_order_acquire)) return PendingRows();
  }
  if (file_generation < m_kept_from.load(std::memory_order_acquire)) return std::nullopt;
  return rows;
}

std::string LiveTail::text(std::int64_t id) const {
  const MutexLock lock(m_text_mutex);
  return id >= 0 && static_cast<std::size_t>(id) < m_texts.size() ? m_texts[static_cast<std::size_t>(id)] : std::string();
}

LiveSeries& LiveTail::add(SeriesId id, std::shared_ptr<LiveSeries> series) {
  const WriterLock lock(m_map_mutex);
  const std::size_t page = id.value / kMarksEach;
  if (m_grown.size() <= page) m_grown.resize(page + 1);
  if (!m_grown[page]) m_grown[page] = std::make_unique<Marks>();
  return m_series.put(id.value, std::move(series));
}

LiveTrack& LiveTail::add(TrackId id) {
  const WriterLock lock(m_map_mutex);
  return m_tracks.put(id.value, std::make_shared<LiveTrack>());
}

void LiveTail::findIdle(TimeNs before, std::vector<SeriesId>& series, std::vector<TrackId>& tracks, std::vector<TrackId>& unsealed) const {
  writerReads();
  m_series.each([&](std::uint64_t id, const LiveSeries& one) {
    if (!one.listed && one.touched < before && !one.writerHasPending()) series.push_back({id});
  });
  m_tracks.each([&](std::uint64_t id, const LiveTrack& one) {
    if (one.listed || one.touched >= before) return;
    const MutexLock lock(one.mutex);
    bool pending = false, open = false;
    for (const auto& lane : one.lanes) {
      pending = pending || (lane && !lane->pending.empty());
      open = open || (lane && lane->open.size() > 0);
    }
    if (!pending) (open ? unsealed : tracks).push_back({id});
  });
}

std::vector<SeriesId> LiveTail::evictIdle(TimeNs before, std::vector<TrackId>& unsealed) {
  std::vector<SeriesId> series;
  std::vector<TrackId> tracks;
  findIdle(before, series, tracks, unsealed);
  if (series.empty() && tracks.empty()) return series;
  const WriterLock lock(m_map_mutex);
  for (const SeriesId id : series) {
    if (!m_series.erase(id.value)) continue;
    auto& marks = m_grown[id.value / kMarksEach];
    for (const auto& mark : *marks) m_growth_gone = std::max(m_growth_gone, mark.load(std::memory_order_relaxed));
    marks.reset();
  }
  for (const TrackId id : tracks) m_tracks.erase(id.value);
  return series;
}

std::size_t LiveTail::seriesHeld() const {
  const ReaderLock lock(m_map_mutex);
  return m_series.size();
}

std::size_t LiveTail::tracksHeld() const {
  const ReaderLock lock(m_map_mutex);
  return m_tracks.size();
}

void LiveTail::remove(SeriesId id) {
  const WriterLock lock(m_map_mutex);
  m_series.erase(id.value);
  noteChange();
}

void LiveTail::remove(TrackId id) {
  const WriterLock lock(m_map_mutex);
  m_tracks.erase(id.value);
  noteChange();
}

void LiveTail::addText(std::int64_t id, std::string_view text) {
  const MutexLock lock(m_text_mutex);
  const auto at = static_cast<std::size_t>(id);
  if (m_texts.size() <= at) m_texts.resize(std::max(at + 1, m_texts.size() * 2));
  m_texts[at] = text;
}

void LiveTail::dropPending(std::uint64_t stored) {
  writerReads();
  const auto is_stored = [stored](const auto& chunk) { return chunk.generation <= stored; };
  m_series.each([&](std::uint64_t, LiveSeries& series) {
    if (!series.writerHasPending()) return;
    const MutexLock lock(series.mutex);
    std::erase_if(series.pending, is_stored);
  });
  m_tracks.each([&](std::uint64_t, LiveTrack& track) {
    const MutexLock lock(track.mutex);
    for (const auto& lane : track.lanes) {
      if (lane) std::erase_if(lane->pending, is_stored);
    }
  });
}

void LiveTail::forgetStored() {
  const std::uint64_t stored = m_committed;
  m_kept_from.store(stored, std::memory_order_release);
  dropPending(stored);
  const MutexLock lock(m_rows_mutex);
  m_stored_rows = {};
}

void LiveTail::commitDone() {
  const MutexLock lock(m_rows_mutex);
  m_stored_rows = std::move(m_rows);
  m_stored_rows.generation = ++m_committed;
  m_rows = {};
  noteChange();
}

void LiveTail::clear() {
  const WriterLock lock(m_map_mutex);
  m_kept_from.store(m_committed, std::memory_order_release);
  m_series.clear();
  m_tracks.clear();
  m_grown.clear();
  const MutexLock rows_lock(m_rows_mutex);
  m_stored_rows = {};
  noteChange();
}

}  // namespace runglass
