// SPDX-License-Identifier: Apache-2.0
// StoreWriter: the rows of a commit, by kind; commitAll() calls them within its transaction.
#include <algorithm>
#include <bit>

#include "storage/maintain/rebuild_tables.h"
#include "storage/sqlite/bind_row.h"
#include "storage/write/store_writer.h"

namespace runglass {
// In order of their ids, so that the table only grows at its end.
Status StoreWriter::saveSealed(std::span<const SeriesId> ids) {
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
      m_sql.drop_chunk.bind(1, chunk->replaces);
      RG_TRY(put(m_sql.drop_chunk, "rg_chunk"));
    }
    RG_TRY(saveChunk(id, *chunk->row, true));
    RG_TRY(savePyramid(id, *chunk));
  }
  return {};
}

// Absent: it is in the file as it is.
std::optional<ChunkRow> StoreWriter::openChunk(LiveSeries& series, bool late) {
  const MutexLock lock(series.mutex);
  SeriesBuffer* const buffer = late ? series.late.get() : &series.main;
  if (buffer == nullptr || !buffer->dirty || buffer->points() == 0) return std::nullopt;
  if (buffer->chunk_id == 0) buffer->chunk_id = m_next_chunk++;
  ChunkRow row = buffer->row(false, nullptr);
  row.late = late;
  return row;
}

Status StoreWriter::saveSeries(SeriesId id, LiveSeries& series) {
  for (const bool late : {false, true})
    if (const std::optional<ChunkRow> row = openChunk(series, late)) RG_TRY(saveChunk(id, *row, false));
  series.writerReads();
  if (!series.extent_changed) return {};
  const SeriesExtent extent = series.extent;
  bindAll(m_sql.extent, id.value, extent.count, extent.first_x, extent.last_x, extent.first_time, extent.last_time,
          series.latest ? std::optional(std::bit_cast<std::int64_t>(series.latest->value)) : std::nullopt,
          series.latest ? series.latest->time : std::nullopt);
  return put(m_sql.extent, "rg_series");
}

Status StoreWriter::saveChunk(SeriesId id, const ChunkRow& row, bool sealed) {
  bindAll(m_sql.chunk, row.id, id.value, row.x0, row.x1, row.n, sealed ? 1 : 0, row.late ? 1 : 0,
          chunkChecksum(id.value, row.x0, row.x1, row.n, row.blob));
  m_sql.chunk.bindBlob(9, row.blob);
  m_flushed_bytes += static_cast<std::int64_t>(row.blob.size());
  return put(m_sql.chunk, "rg_chunk");
}

Status StoreWriter::savePyramid(SeriesId id, const PendingChunk& chunk) {
  const Pyramid& pyramid = *chunk.pyramid;
  const std::string data = encodePyramid(pyramid);
  bindAll(m_sql.pyramid, m_next_pyramid++, id.value, chunk.row->x0, chunk.row->x1, 1,
          chunkChecksum(id.value, chunk.row->x0, chunk.row->x1, 1, data));
  m_sql.pyramid.bindBlob(7, data);
  RG_TRY(put(m_sql.pyramid, "rg_pyramid"));
  const std::int64_t chunks = chunk.ordinal + 1;
  if (chunks % kMinorPyramid == 0) RG_TRY(mergePyramids(id, kMinorPyramid));
  if (chunks % kMajorPyramid == 0) RG_TRY(mergePyramids(id, kMajorPyramid));
  return {};
}

Status StoreWriter::mergePyramids(SeriesId id, std::int64_t below) {
  Pyramid merged;
  std::int64_t chunks = 0, x0 = std::numeric_limits<std::int64_t>::max(), x1 = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> ids;
  m_sql.small_pyramids.reset();  // it may have failed halfway
  m_sql.small_pyramids.bind(1, id.value);
  m_sql.small_pyramids.bind(2, below);
  while (true) {
    RG_ASSIGN(const bool row, m_sql.small_pyramids.step());
    if (!row) break;
    const sqlite::Statement& s = m_sql.small_pyramids;
    const std::int64_t row_chunks = s.int64(3);
    if (chunks + row_chunks > kMajorPyramid) break;
    // One that is damaged stays as it is, for verify to name.
    if (!decodePyramidRow(id.value, {s.int64(1), s.int64(2), row_chunks, s.int64(4), s.blob(5)}, merged)) continue;
    chunks += row_chunks;
    x0 = std::min(x0, s.int64(1));
    x1 = std::max(x1, s.int64(2));
    ids.push_back(s.int64(0));
  }
  m_sql.small_pyramids.reset();
  if (ids.size() < 2) return {};
  for (const std::int64_t old : ids) {
    m_sql.drop_pyramid.bind(1, old);
    RG_TRY(put(m_sql.drop_pyramid, "rg_pyramid"));
  }
  const std::string data = encodePyramid(merged);
  bindAll(m_sql.pyramid, m_next_pyramid++, id.value, x0, x1, chunks,
          chunkChecksum(id.value, x0, x1, static_cast<std::uint64_t>(chunks), data));
  m_sql.pyramid.bindBlob(7, data);
  m_flushed_bytes += static_cast<std::int64_t>(data.size());
  return put(m_sql.pyramid, "rg_pyramid");
}

Status StoreWriter::saveTrack(TrackId id, LiveTrack& track) {
  track.writerReads();
  const std::uint64_t next = m_tail->committed() + 1;
  for (std::size_t i = 0; i < track.lanes.size(); ++i) {
    if (!track.lanes[i]) continue;
    LiveLane& lane = *track.lanes[i];
    for (const PendingSpans& chunk : lane.pending) {
      if (chunk.generation == next) RG_TRY(saveSpanChunk(id, chunk, *chunk.packed));
    }
    if (!lane.dirty || lane.open.size() == 0) continue;
    const PendingSpans open{.lane = static_cast<std::int32_t>(i),
                            .chunk_id = lane.chunk_id,
                            .first_span_id = lane.first_span_id,
                            .n = lane.open.size(),
                            .open = {},
                            .packed = {},
                            .t0 = lane.t0,
                            .t1 = lane.t1};
    RG_TRY(saveSpanChunk(id, open, packSpans(lane.open)));
  }
  return {};
}

PackedSpans StoreWriter::packSpans(const SpanChunk& chunk) { return {encodeSpanChunk(chunk), encodeSpanSummary(summarise(chunk))}; }

Status StoreWriter::saveSpanChunk(TrackId id, const PendingSpans& chunk, const PackedSpans& packed) {
  bindAll(m_sql.span_chunk, chunk.chunk_id, id.value, chunk.lane, chunk.t0, chunk.t1, chunk.n, chunk.first_span_id,
          chunk.generation == 0 ? 0 : 1, chunkChecksum(id.value, chunk.t0, chunk.t1, chunk.n, packed.data));
  m_sql.span_chunk.bindBlob(10, packed.data);
  m_sql.span_chunk.bindBlob(11, packed.summary);
  // The index holds the summary a second time.
  m_flushed_bytes += static_cast<std::int64_t>(packed.data.size() + 2 * packed.summary.size());
  return put(m_sql.span_chunk, "rg_span_chunk");
}

Status StoreWriter::saveRows() {
  const PendingRows& rows = m_tail->pendingRows();
  if (!rows.events.empty()) {
    RG_ASSIGN(auto statement,
              m_db.prepare("INSERT OR REPLACE INTO rg_event(event_id, time_ns, attempt_id, node_id, device_id, rank, step, kind, "
                           "severity, code, message) VALUES(?,?,?,?,?,?,?,?,?,?,?)"));
    for (const Event& e : rows.events) {
      bindAll(statement, e.id, e.time, idOrNull(e.attempt), idOrNull(e.node), idOrNull(e.device), e.rank, e.step, std::string_view(e.kind),
              static_cast<int>(e.severity), std::string_view(e.code), std::string_view(e.message));
      RG_TRY(put(statement, "rg_event"));
    }
  }
  RG_TRY(saveLogs());
  if (!rows.labels.empty()) {
    RG_ASSIGN(auto statement,
              m_db.prepare("INSERT INTO rg_label(label_id, attempt_id, kind, node_id, device_id, rank, start_ns, end_ns, first_step, "
                           "last_step, strength) VALUES(" +
                           newId("rg_label", "label_id") + ",?,?,?,?,?,?,?,?,?,?)"));
    for (const Label& l : rows.labels) {
      bindAll(statement, l.attempt.value, std::string_view(l.kind), idOrNull(l.node), idOrNull(l.device), l.rank, l.start, l.end,
              l.first_step, l.last_step, l.strength);
      RG_TRY(put(statement, "rg_label"));
    }
  }
  return saveIssues(rows.issues);
}

Status StoreWriter::saveIssues(std::span<const Issue> issues) {
  if (issues.empty()) return {};
  RG_ASSIGN(
      auto statement,
      m_db.prepare(
          "INSERT INTO rg_issue(code, source, count, first_ns, last_ns, detail) VALUES(?,?,?,?,?,?) ON CONFLICT(code, source) DO "
          "UPDATE SET count = iif(count > 9223372036854775807 - excluded.count, 9223372036854775807, count + excluded.count), first_ns = "
          "min(ifnull(first_ns, excluded.first_ns), ifnull(excluded.first_ns, "
          "first_ns)), last_ns = max(ifnull(last_ns, excluded.last_ns), ifnull(excluded.last_ns, last_ns)), detail = excluded.detail"));
  for (const Issue& i : issues) {
    bindAll(statement, std::string_view(i.code), std::string_view(i.source), i.count, i.first, i.last, std::string_view(i.detail));
    RG_TRY(put(statement, "rg_issue"));
  }
  return {};
}

Status StoreWriter::saveLogs() {
  const PendingRows& rows = m_tail->pendingRows();
  if (rows.logs.empty()) return {};
  const TimeNs begin = monotonicNow();
  RG_ASSIGN(auto line, m_db.prepare("INSERT INTO rg_log(log_id, time_ns, attempt_id, node_id, rank, stream, severity, text) "
                                    "VALUES(?,?,?,?,?,?,?,?)"));
  RG_ASSIGN(auto words, m_db.prepare("INSERT INTO rg_log_words(rowid, text) VALUES(?,?)"));
  std::int64_t id = rows.first_log;
  for (const LogLine& l : rows.logs) {
    // The words of a line must not be there without it.
    RG_TRY(m_rows
               .together(m_db, "rg_log", std::nullopt,
                         [&]() -> Status {
                           bindAll(line, id, l.time, idOrNull(l.attempt), idOrNull(l.node), l.rank, text(l.stream),
                                   static_cast<int>(l.severity), std::string_view(l.text));
                           RG_TRY(put(line, "rg_log"));
                           bindAll(words, id, std::string_view(l.text));
                           return put(words, "rg_log_words");
                         })
               .status());
    ++id;
    m_flushed_log_bytes += static_cast<std::int64_t>(l.text.size());
  }
  m_flushed_bytes += m_flushed_log_bytes;
  m_log_cost = monotonicNow() - begin;
  return {};
}

Status StoreWriter::saveState() {
  if (!m_begun->marks.empty()) {
    RG_ASSIGN(auto statement,
              m_db.prepare("INSERT OR REPLACE INTO rg_stream(agent, session, stream, next_seq, changed_ns) VALUES(?,?,?,?,?)"));
    for (const auto& [stream, next] : m_begun->marks) {
      bindAll(statement, std::string_view(stream.agent), std::string_view(stream.session), stream.stream, next, wallNow());
      RG_TRY(statement.run());
    }
  }
  RG_TRY(saveAgents(m_begun->agents));
  if (m_mirror_changed) RG_TRY(saveMirror());
  if (!m_marks.empty()) {
    RG_ASSIGN(auto statement,
              m_db.prepare("INSERT OR REPLACE INTO rg_import(path_key, identity, offset, run_id, state) VALUES(?,?,?,?,?)"));
    for (const auto& [path, mark] : m_marks) {
      bindAll(statement, std::string_view(path), std::string_view(mark.identity), mark.offset, idOrNull(mark.run),
              std::string_view(mark.state));
      RG_TRY(statement.run());
    }
  }
  if (m_pins.empty()) return {};
  RG_ASSIGN(auto statement, m_db.prepare("INSERT INTO rg_pin(t0_ns, t1_ns, reason) VALUES(?,?,?)"));
  for (const auto& [range, reason] : m_pins) {
    bindAll(statement, range.t0, range.t1, std::string_view(reason));
    RG_TRY(statement.run());
  }
  return {};
}

}  // namespace runglass
