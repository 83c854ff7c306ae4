// SPDX-License-Identifier: Apache-2.0
// OpenChunks: loading and storing.
#include <algorithm>
#include <limits>

#include "storage/codec/sample_chunk.h"
#include "storage/sqlite/bind_row.h"
#include "storage/write/open_chunks.h"
#include "storage/write/writer_parts.h"

namespace runglass {
namespace {

constexpr std::int64_t kSealAtOnce = 256;
constexpr std::string_view kLabel = "{\"_after_damage\":\"";
constexpr char kFirst = '1', kLast = '3';

// "" when the limit is reached.
std::string labelsAfterDamage(const std::string& labels) {
  if (!labels.starts_with(kLabel)) {
    const std::string rest = labels.size() > 2 ? ',' + labels.substr(1) : "}";
    return std::string(kLabel) + kFirst + '"' + rest;
  }
  std::string next = labels;
  if (next.size() <= kLabel.size() || next[kLabel.size()] >= kLast) return {};
  ++next[kLabel.size()];
  return next;
}

}  // namespace

Status OpenChunks::load() {
  m_first_new_series = m_catalog.nextSeriesId();
  RG_ASSIGN(m_next_chunk, nextId(m_db,
                                 "SELECT max(id) FROM (SELECT max(chunk_id) AS id FROM rg_chunk UNION ALL SELECT max(chunk_id) FROM "
                                 "rg_thinned UNION ALL SELECT max(chunk_id) FROM rg_age)",
                                 "rg_chunk"));
  RG_ASSIGN(m_chunk, m_db.prepare("INSERT OR REPLACE INTO rg_chunk(chunk_id, series_id, x0, x1, n, sealed, late, crc, data) "
                                  "VALUES(?,?,?,?,?,?,?,?,?)",
                                  true));
  RG_ASSIGN(m_drop_chunk, m_db.prepare("DELETE FROM rg_chunk WHERE chunk_id = ?", true));
  return {};
}

void OpenChunks::close() { m_chunk = {}, m_drop_chunk = {}; }

Status OpenChunks::loadSeries(SeriesId id, LiveSeries& series) {
  RG_TRY(m_series_rows.loadExtent(id, series));
  RG_ASSIGN(auto sealed,
            m_db.prepare("SELECT max(iif(late = 0, x1, NULL)), sum(iif(late = 0, n, 0)), sum(iif(late = 0, 0, n)), max(chunk_id) FROM "
                         "rg_chunk WHERE series_id = ? AND sealed = 1"));
  sealed.bind(1, id.value);
  RG_TRY(sealed.step().status());
  const MutexLock lock(series.mutex);
  series.any_sealed = !sealed.isNull(0);
  series.sealed_x1 = sealed.int64(0);
  // For scalars, retention deletes only main chunks; their points still count.
  RG_ASSIGN(
      auto gone,
      m_db.prepare("SELECT sum(e.sample_count) FROM rg_expired e JOIN rg_series s USING(series_id) WHERE e.series_id = ? AND s.kind = 2"));
  gone.bind(1, id.value);
  RG_TRY(gone.step().status());
  series.sealed_main.count = sealed.int64(1) + gone.int64(0);
  series.sealed_late.count = sealed.int64(2);
  series.newest_sealed = sealed.int64(3);
  RG_ASSIGN(auto chunks, m_db.prepare("SELECT sum(chunks) FROM rg_pyramid WHERE series_id = ?"));
  chunks.bind(1, id.value);
  RG_TRY(chunks.step().status());
  series.sealed_chunks = chunks.int64(0);
  RG_ASSIGN(auto open, m_db.prepare("SELECT chunk_id, x0, n, late, crc, data, x1 FROM rg_chunk WHERE series_id = ? AND sealed = 0"));
  open.bind(1, id.value);
  while (true) {
    RG_ASSIGN(const bool row, open.step());
    if (!row) return {};
    const auto n = static_cast<std::size_t>(open.int64(2));
    const std::string_view blob = open.blob(5);
    RawPoints points;
    const bool sane = n > 0 && n <= kChunkPoints &&
                      chunkChecksum(id.value, open.int64(1), open.int64(6), n, blob) == static_cast<std::uint32_t>(open.int64(4));
    const bool has_time = sampleChunkHasTime(blob);
    if (sane) points.x.resize(n), points.value.resize(n), points.time.resize(has_time ? n : 0);
    SeriesBuffer* buffer = &series.main;
    if (open.int64(3) != 0) {
      series.late = std::make_unique<SeriesBuffer>();
      buffer = series.late.get();
    }
    if (!sane || buffer->points() > 0 ||
        !decodeSampleChunk(blob, n, open.int64(1), points.x.data(), points.time.data(), points.value.data())) {
      // Stays in the file as it is, for verify to report; new points go to another chunk.
      const std::string chunk = std::to_string(open.int64(0));
      static_cast<void>(m_db.exec("UPDATE rg_chunk SET sealed = 1 WHERE chunk_id = " + chunk));
      m_log.issue(
          {.code = "store.damaged_chunk",
           .source = m_path,
           .first = wallNow(),
           .last = wallNow(),
           .detail = "sample chunk " + chunk + " of series " + std::to_string(id.value) + "; its new samples go to the next chunk"});
      series.newest_sealed = std::max(series.newest_sealed, open.int64(0));
      continue;
    }
    buffer->append(points.x.data(), has_time ? points.time.data() : nullptr, points.value.data(), n);
    buffer->chunk_id = open.int64(0);
    buffer->dirty = false;
    buffer->stored = static_cast<std::uint32_t>(n);
  }
}

void OpenChunks::evicted(const std::vector<SeriesId>& gone) {
  for (const SeriesId id : gone) m_catalog.noteEvicted(id);
  if (gone.empty()) return;
  const auto late = std::erase_if(m_late_series, [this](SeriesId id) { return m_tail->find(id) == nullptr; });
  m_next_late = std::min(m_next_late, m_late_series.size());
  countOpenChunks(-static_cast<std::int64_t>(gone.size() + late));
}

Status OpenChunks::findAbandoned(std::optional<TimeNs> before, std::vector<SeriesId>& series) {
  std::int64_t below = m_next_chunk;
  if (before) {
    RG_ASSIGN(auto age, m_db.prepare("SELECT max(chunk_id) FROM rg_age WHERE time_ns <= ?"));
    age.bind(1, *before);
    RG_TRY(age.step().status());
    below = age.int64(0);
  }
  RG_ASSIGN(auto open, m_db.prepare("SELECT DISTINCT series_id FROM rg_chunk WHERE sealed = 0 AND chunk_id < ?"));
  open.bind(1, below);
  while (series.size() < static_cast<std::size_t>(kSealAtOnce)) {
    RG_ASSIGN(const bool row, open.step());
    if (!row) break;
    const SeriesId id{static_cast<std::uint64_t>(open.int64(0))};
    if (m_tail->find(id) == nullptr) series.push_back(id);
  }
  return {};
}

Status OpenChunks::sealAbandoned(std::optional<TimeNs> before, TimeNs now) {
  std::vector<SeriesId> series;
  const Status found = findAbandoned(before, series);
  if (found.code() == Code::kDataLoss)
    m_log.issue({.code = "store.retention_skipped",
                 .source = "open chunks",
                 .first = now,
                 .last = now,
                 .detail = "open chunks of series that are no longer in memory: " + found.message() + "; they stay as they are"});
  else
    RG_TRY(found);
  for (const SeriesId id : series) {
    // Damaged, or of a damaged series: its open chunk stays as it is.
    if (m_continued.contains(id) || !m_catalog.knowsSeries(id) || !load(id).ok()) continue;
    LiveSeries* const found = m_tail->find(id);
    list(id, *found);
    const MutexLock lock(found->mutex);
    if (found->main.points() > 0) seal(*found, found->main, false);
    if (found->late && found->late->points() > 0) seal(*found, *found->late, true);
  }
  return {};
}

Status OpenChunks::save() {
  RG_TRY(saveSealed(m_unsaved));
  for (const SeriesId id : m_unsaved) RG_TRY(saveSeries(id, *m_tail->find(id)));
  return {};
}

Status OpenChunks::save(SeriesId id) {
  RG_TRY(saveSealed({&id, 1}));
  return saveSeries(id, *m_tail->find(id));
}

// In the order of ids, so that the table only grows at its end.
Status OpenChunks::saveSealed(std::span<const SeriesId> ids) {
  const std::uint64_t next = m_tail->committed() + 1;
  std::vector<std::pair<SeriesId, const PendingChunk*>> sealed;
  for (const SeriesId id : ids) {
    const LiveSeries& series = *m_tail->find(id);
    series.writerReads();
    for (const PendingChunk& chunk : series.pending) {
      if (chunk.generation == next) sealed.emplace_back(id, &chunk);
    }
  }
  std::sort(sealed.begin(), sealed.end(), [](const auto& a, const auto& b) { return a.second->row->id < b.second->row->id; });
  for (const auto& [id, chunk] : sealed) {
    if (chunk->replaces != 0) {
      m_drop_chunk.bind(1, chunk->replaces);
      RG_TRY(m_rows.put(m_db, m_drop_chunk, "rg_chunk"));
    }
    RG_TRY(saveChunk(id, *chunk->row, true));
    RG_TRY(savePyramid(id, *chunk));
  }
  return {};
}

// Absent: the file already has its current state.
std::optional<ChunkRow> OpenChunks::openChunk(LiveSeries& series, bool late) {
  const MutexLock lock(series.mutex);
  SeriesBuffer* const buffer = late ? series.late.get() : &series.main;
  if (buffer == nullptr || !buffer->dirty || buffer->points() == 0) return std::nullopt;
  if (buffer->chunk_id == 0) buffer->chunk_id = m_next_chunk++;
  ChunkRow row = buffer->row(false, nullptr);
  row.late = late;
  return row;
}

Status OpenChunks::saveSeries(SeriesId id, LiveSeries& series) {
  for (const bool late : {false, true})
    if (const std::optional<ChunkRow> row = openChunk(series, late)) RG_TRY(saveChunk(id, *row, false));
  series.writerReads();
  if (!series.extent_changed) return {};
  return m_series_rows.saveExtent(id, series.extent, series.latest);
}

Status OpenChunks::saveChunk(SeriesId id, const ChunkRow& row, bool sealed) {
  bindAll(m_chunk, row.id, id.value, row.x0, row.x1, row.n, sealed ? 1 : 0, row.late ? 1 : 0,
          chunkChecksum(id.value, row.x0, row.x1, row.n, row.blob));
  m_chunk.bindBlob(9, row.blob);
  m_written_bytes += static_cast<std::int64_t>(row.blob.size());
  return m_rows.put(m_db, m_chunk, "rg_chunk");
}

Status OpenChunks::savePyramid(SeriesId id, const PendingChunk& chunk) {
  const Pyramid& pyramid = *chunk.pyramid;
  const std::string data = encodePyramid(pyramid);
  RG_TRY(m_series_rows.addPyramid(id, chunk.row->x0, chunk.row->x1, 1, data));
  const std::int64_t chunks = chunk.ordinal + 1;
  if (chunks % SeriesRows::kMinorPyramid == 0) RG_TRY(m_series_rows.mergePyramids(id, SeriesRows::kMinorPyramid));
  if (chunks % SeriesRows::kMajorPyramid == 0) RG_TRY(m_series_rows.mergePyramids(id, SeriesRows::kMajorPyramid));
  return {};
}

void OpenChunks::committed() {
  const auto settle = [](SeriesBuffer& buffer) {
    buffer.dirty = false;
    buffer.stored = static_cast<std::uint32_t>(buffer.points());
  };
  for (const SeriesId id : m_unsaved) {
    LiveSeries& series = *m_tail->find(id);
    const MutexLock lock(series.mutex);
    settle(series.main);
    if (series.late) settle(*series.late);
    series.listed = series.extent_changed = false;
  }
  m_unsaved.clear();
  m_pending_bytes = 0;
}

// None when the limit is reached.
SeriesId OpenChunks::continueSeries(SeriesId id, const Status& why) {
  std::optional<SeriesKey> key = m_catalog.seriesKey(id);
  if (!key) return {};
  key->labels = labelsAfterDamage(key->labels);
  if (key->labels.empty()) return {};
  const SeriesId next = m_catalog.series(*key);
  m_continued[id] = next;
  m_log.issue(issueNow("store.series_continued", m_path,
                       "series " + std::to_string(id.value) + " (" + key->metric + "): " + why.message() + "; new samples go to series " +
                           std::to_string(next.value)));
  return next;
}

// Moves the data of a series that is not in the file to the series that continues it; it is stored by the same commit. Without such a
// series it stays, and is set aside.
void OpenChunks::moveOn(SeriesId id, const Status& why) {
  const SeriesId next = continueSeries(id, why);
  if (!next) return;
  std::vector<RawPoints> moved;
  {
    LiveSeries& series = *m_tail->find(id);
    const MutexLock lock(series.mutex);
    for (const PendingChunk& chunk : series.pending) {
      if (chunk.generation != m_tail->committed() + 1) continue;
      const ChunkRow& row = *chunk.row;
      RawPoints points;
      points.x.resize(row.n), points.value.resize(row.n), points.time.resize(sampleChunkHasTime(row.blob) ? row.n : 0);
      RG_CHECK(decodeSampleChunk(row.blob, row.n, row.x0, points.x.data(), points.time.data(), points.value.data()));
      const auto drop = [&](auto& column) { column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(chunk.stored)); };
      drop(points.x), drop(points.value);
      if (!points.time.empty()) drop(points.time);
      moved.push_back(std::move(points));
    }
    moved.push_back(series.main.arrivedAfter(series.main.stored));
    if (series.late) moved.push_back(series.late->arrivedAfter(series.late->stored));
  }
  std::erase(m_unsaved, id);
  if (std::erase(m_late_series, id) > 0) countOpenChunks(-1);
  countOpenChunks(-1);
  m_tail->remove(id);
  for (const RawPoints& points : moved)
    if (points.size() > 0)
      append(next, points.x.data(), points.time.empty() ? nullptr : points.time.data(), points.value.data(), points.size());
}

}  // namespace runglass
