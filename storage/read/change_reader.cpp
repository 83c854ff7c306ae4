// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A series' points have two orders of arrival, that of the main chunks and that of the late ones. Within each, sealed chunks are ordered
//    by id and the open one comes last; a position counts along them.
// 2. A chunk that was sealed out of order is sorted: a replica that has some of its points cannot determine which ones, unless it has none
//    or all.
#include "storage/read/change_reader.h"

#include <algorithm>

#include "storage/read/store_reader.h"
#include "storage/schema/rows.h"

namespace runglass {
namespace {

constexpr int kMaxSnapshotRetries = 100;

ScalarColumns columnsOf(RawPoints points, std::size_t from = 0) {
  const auto cut = [from](auto& column) {
    if (from > 0 && !column.empty()) column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(from));
  };
  cut(points.x), cut(points.time), cut(points.value);
  return {std::move(points.x), std::move(points.time), std::move(points.value)};
}

}  // namespace

Result<std::unique_ptr<ChangeReader>> ChangeReader::open(const std::string& path, ReaderOptions options) {
  // Reports why a file is not a store, or not one of this schema.
  RG_TRY(StoreReader::open(path).status());
  std::unique_ptr<ChangeReader> reader(new ChangeReader(path, std::move(options)));
  RG_ASSIGN(reader->m_db, sqlite::Connection::open(path, sqlite::OpenMode::kReadOnly));
  RG_TRY(reader->m_db.exec("PRAGMA query_only=ON; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-4096"));
  sqlite::Connection& db = reader->m_db;
  RG_ASSIGN(reader->m_generation_sql, db.prepare("SELECT value FROM rg_meta WHERE key = 'generation'", true));
  RG_ASSIGN(reader->m_version_sql, db.prepare("PRAGMA data_version", true));
  RG_ASSIGN(reader->m_chunks_sql,
            db.prepare("SELECT chunk_id, late, x0, x1, n, crc, sealed FROM rg_chunk WHERE series_id = ?1 ORDER BY chunk_id", true));
  RG_ASSIGN(reader->m_new_chunks_sql, db.prepare("SELECT chunk_id, late, x0, x1, n, crc, sealed FROM rg_chunk WHERE series_id = ?1 AND "
                                                 "(chunk_id > ?2 OR sealed = 0) ORDER BY chunk_id",
                                                 true));
  RG_ASSIGN(reader->m_pyramids_sql,
            db.prepare("SELECT x0, x1, chunks, crc, data FROM rg_pyramid WHERE series_id = ?1 AND x1 >= ?2 ORDER BY x0", true));
  RG_ASSIGN(reader->m_gone_sql,
            db.prepare("SELECT sum(e.sample_count) FROM rg_expired e JOIN rg_series s USING(series_id) WHERE e.series_id = "
                       "?1 AND s.kind = 2",
                       true));
  RG_ASSIGN(reader->m_data_sql, db.prepare("SELECT data FROM rg_chunk WHERE chunk_id = ?1", true));
  return reader;
}

Result<std::uint64_t> ChangeReader::generation() {
  RG_ASSIGN(const bool row, m_generation_sql.step());
  const auto value = row ? static_cast<std::uint64_t>(m_generation_sql.int64(0)) : 0;
  m_generation_sql.reset();
  return value;
}

Result<std::uint64_t> ChangeReader::version() {
  RG_ASSIGN(const bool row, m_version_sql.step());
  const auto value = row ? static_cast<std::uint64_t>(m_version_sql.int64(0)) : 0;
  m_version_sql.reset();
  return value;
}

Result<ChangeReader::Parts> ChangeReader::parts() {
  if (m_live) return m_live->parts();
  RG_ASSIGN(const std::uint64_t now, version());
  Parts all;
  all.fill(now);
  return all;
}

Result<std::uint64_t> ChangeReader::grown(std::uint64_t since, std::vector<SeriesId>& out) {
  if (m_live && since != 0) {
    // Read before the marks: points that arrive in between are found again by the next call.
    const std::uint64_t now = m_live->growth() + 1;
    if (m_live->grownSince(since - 1, out)) return now;
  }
  const std::uint64_t live = m_live ? m_live->growth() + 1 : 0;
  RG_ASSIGN(const std::uint64_t now, version());
  if (!m_live && now == since) return now;
  RG_ASSIGN(auto all, m_db.prepare("SELECT series_id FROM rg_series WHERE sample_count > 0"));
  while (true) {
    RG_ASSIGN(const bool row, all.step());
    if (!row) break;
    out.push_back({static_cast<std::uint64_t>(all.int64(0))});
  }
  if (m_live) m_live->grownSince(0, out);
  return m_live ? live : now;
}

PointPosition ChangeReader::endOf(const State& state) {
  const LiveTail::Arrivals& tail = state.tail;
  if (!tail.owned) return state.sealed;
  return {tail.sealed_main.count + tail.open_count, tail.sealed_late.count + tail.open_late_count};
}

Status ChangeReader::snapshot(SeriesId series, PointPosition have, State& out) {
  for (int i = 0; i < kMaxSnapshotRetries; ++i) {
    out = {};
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kRead));
    RG_ASSIGN(const std::uint64_t file, generation());
    if (m_live) {
      auto tail = m_live->arrivals(series, file, have.main, have.late);
      if (!tail) continue;
      out.tail = std::move(*tail);
    }
    m_chunks_sql.bind(1, series.value);
    while (true) {
      RG_ASSIGN(const bool row, m_chunks_sql.step());
      if (!row) break;
      const sqlite::Statement& s = m_chunks_sql;
      if (out.tail.owned && s.int64(6) == 0) continue;
      Sealed chunk{
          s.int64(0), s.int64(1) != 0, s.int64(2), s.int64(3), static_cast<std::size_t>(s.int64(4)), static_cast<std::uint32_t>(s.int64(5)),
          nullptr};
      (chunk.late ? out.late : out.main).push_back(std::move(chunk));
    }
    m_chunks_sql.reset();
    for (const PendingChunk& chunk : out.tail.sealed) {
      const ChunkRow& row = *chunk.row;
      (row.late ? out.late : out.main).push_back({row.id, row.late, row.x0, row.x1, row.n, 0, chunk.row});
    }
    const auto total = [](const std::vector<Sealed>& chunks) {
      std::int64_t points = 0;
      for (const Sealed& chunk : chunks) points += static_cast<std::int64_t>(chunk.n);
      return points;
    };
    m_gone_sql.reset();
    m_gone_sql.bind(1, series.value);
    RG_TRY(m_gone_sql.step().status());
    out.gone = m_gone_sql.int64(0);
    m_gone_sql.reset();
    out.sealed = {total(out.main) + out.gone, total(out.late)};
    out.odd = out.tail.owned && out.sealed != PointPosition{out.tail.sealed_main.count, out.tail.sealed_late.count};
    return {};
  }
  return {Code::kUnavailable, "cannot read store: " + m_path + ": commits came faster than this read"};
}

// False: the chunk is damaged.
Result<bool> ChangeReader::decode(SeriesId series, const Sealed& chunk, RawPoints& out) {
  const auto unpack = [&](std::string_view blob) {
    if (chunk.n == 0 || chunk.n > kChunkPoints) return false;
    out.x.resize(chunk.n), out.value.resize(chunk.n), out.time.resize(sampleChunkHasTime(blob) ? chunk.n : 0);
    return decodeSampleChunk(blob, chunk.n, chunk.x0, out.x.data(), out.time.empty() ? nullptr : out.time.data(), out.value.data());
  };
  if (chunk.pending) return unpack(chunk.pending->blob);
  m_data_sql.bind(1, chunk.id);
  RG_ASSIGN(const bool row, m_data_sql.step());
  const bool good =
      row && chunkChecksum(series.value, chunk.x0, chunk.x1, chunk.n, m_data_sql.blob(0)) == chunk.crc && unpack(m_data_sql.blob(0));
  m_data_sql.reset();
  return good;
}

Result<NewPoints> ChangeReader::points(SeriesId series, PointPosition have) {
  NewPoints found{.next = have};
  const auto addOpen = [&](LiveTail::Arrivals& tail) {
    found.next.main += static_cast<std::int64_t>(tail.open.size());
    found.next.late += static_cast<std::int64_t>(tail.open_late.size());
    if (tail.open.size() > 0) found.pieces.push_back(columnsOf(std::move(tail.open)));
    if (tail.open_late.size() > 0) found.pieces.push_back(columnsOf(std::move(tail.open_late)));
  };
  if (m_live) {
    auto tail = m_live->arrivals(series, std::numeric_limits<std::uint64_t>::max(), have.main, have.late);
    if (tail && tail->owned && have.main >= tail->sealed_main.count && have.late >= tail->sealed_late.count) {
      addOpen(*tail);
      return found;
    }
  }
  State state;
  RG_TRY(snapshot(series, have, state));
  found.unclear = state.odd;
  const auto next = [&](const std::vector<Sealed>& chunks, std::int64_t& reported, std::int64_t disordered,
                        std::int64_t begin) -> Result<bool> {
    reported = std::max(reported, begin);
    for (const Sealed& chunk : chunks) {
      const std::int64_t end = begin + static_cast<std::int64_t>(chunk.n);
      if (reported < end) {
        if (reported > begin && reported < disordered) found.unclear = true;
        RawPoints points;
        RG_ASSIGN(const bool good, decode(series, chunk, points));
        // Unreadable points cannot be returned.
        if (good && !found.unclear) found.pieces.push_back(columnsOf(std::move(points), static_cast<std::size_t>(reported - begin)));
        reported = end;
        return true;
      }
      begin = end;
    }
    return false;
  };
  RG_ASSIGN(bool reported, next(state.main, found.next.main, state.tail.sealed_main.disordered, state.gone));
  if (!reported) {
    RG_ASSIGN(reported, next(state.late, found.next.late, state.tail.sealed_late.disordered, 0));
  }
  if (found.unclear) return found;
  found.more = reported;
  if (!reported) addOpen(state.tail);
  return found;
}

Result<PointPosition> ChangeReader::end(SeriesId series) {
  State state;
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  RG_TRY(snapshot(series, {kAll, kAll}, state));
  return endOf(state);
}

Result<WholeSeries> ChangeReader::whole(SeriesId series) {
  State state;
  RG_TRY(snapshot(series, {}, state));
  WholeSeries whole;
  RawPoints all;
  const auto add = [&all](const RawPoints& more) {
    const std::size_t before = all.size();
    if (more.time.empty() && !all.time.empty()) all.time.resize(before + more.size(), kAbsent);
    if (!more.time.empty()) {
      all.time.resize(before, kAbsent);
      all.time.insert(all.time.end(), more.time.begin(), more.time.end());
    }
    all.x.insert(all.x.end(), more.x.begin(), more.x.end());
    all.value.insert(all.value.end(), more.value.begin(), more.value.end());
  };
  const auto addSealed = [&](const std::vector<Sealed>& chunks) -> Status {
    for (const Sealed& chunk : chunks) {
      RawPoints points;
      RG_ASSIGN(const bool good, decode(series, chunk, points));
      if (good) add(points);
    }
    return {};
  };
  RG_TRY(addSealed(state.main));
  add(state.tail.open);
  RG_TRY(addSealed(state.late));
  add(state.tail.open_late);
  sortPoints(all);
  whole.next = endOf(state);
  whole.points = columnsOf(std::move(all));
  return whole;
}

Result<std::vector<Series>> ChangeReader::series(SeriesId after) {
  std::vector<Series> found;
  RG_TRY(rows::each<Series>(m_db, " WHERE s.series_id > ?1 ORDER BY s.series_id", [&](Series one) { found.push_back(std::move(one)); },
                            {static_cast<std::int64_t>(after.value)}));
  return found;
}

Result<std::vector<Track>> ChangeReader::tracks(TrackId after, std::size_t limit) {
  std::vector<Track> found;
  RG_TRY(rows::each<Track>(m_db, " WHERE t.track_id > ?1 ORDER BY t.track_id LIMIT ?2", [&](Track one) { found.push_back(std::move(one)); },
                           {static_cast<std::int64_t>(after.value), static_cast<std::int64_t>(limit)}));
  return found;
}

Result<std::vector<Progress>> ChangeReader::progress(bool all_attempts) {
  std::vector<Progress> found;
  const std::string_view newest =
      " WHERE attempt_id IN (SELECT attempt_id FROM rg_attempt a WHERE number = (SELECT max(number) FROM rg_attempt b WHERE b.run_id = "
      "a.run_id)) ORDER BY attempt_id, rank";
  RG_TRY(rows::each<Progress>(m_db, all_attempts ? " ORDER BY attempt_id, rank" : newest,
                              [&](Progress one) { found.push_back(std::move(one)); }));
  return found;
}

Status ChangeReader::rows(const std::function<Status(const PendingRows&)>& take, bool logs) {
  for (int i = 0; i < kMaxSnapshotRetries; ++i) {
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kRead));
    if (!m_live) return take({});
    RG_ASSIGN(const std::uint64_t file, generation());
    if (const auto rows = m_live->rows(file, logs)) return take(*rows);
  }
  return {Code::kUnavailable, "cannot read store: " + m_path + ": commits came faster than this read"};
}

Result<std::vector<Event>> ChangeReader::events(std::int64_t after, std::size_t limit) {
  std::vector<Event> found;
  RG_TRY(rows(
      [&](const PendingRows& tail) -> Status {
        found.clear();
        RG_TRY(rows::each<Event>(m_db, " WHERE event_id > ?1 ORDER BY event_id LIMIT ?2",
                                 [&](Event one) { found.push_back(std::move(one)); }, {after, static_cast<std::int64_t>(limit)}));
        for (const Event& one : tail.events)
          if (one.id > after && found.size() < limit) found.push_back(one);
        return {};
      },
      false));
  return found;
}

Result<std::vector<std::pair<std::int64_t, LogLine>>> ChangeReader::logs(std::int64_t after, std::size_t limit) {
  std::vector<std::pair<std::int64_t, LogLine>> found;
  RG_ASSIGN(auto statement, m_db.prepare(std::string(rows::select<LogLine>()) + " WHERE log_id > ?1 ORDER BY log_id LIMIT ?2"));
  statement.bind(1, after);
  statement.bind(2, static_cast<std::int64_t>(limit));
  while (true) {
    RG_ASSIGN(const bool row, statement.step());
    if (!row) return found;
    found.emplace_back(statement.int64(7), rows::read<LogLine>(statement));
  }
}

Result<std::vector<std::pair<std::int64_t, Label>>> ChangeReader::labels(std::int64_t after, std::size_t limit) {
  std::vector<std::pair<std::int64_t, Label>> found;
  std::vector<std::int64_t> ids;
  RG_ASSIGN(auto statement, m_db.prepare("SELECT label_id FROM rg_label WHERE label_id > ?1 ORDER BY label_id LIMIT ?2"));
  statement.bind(1, after);
  statement.bind(2, static_cast<std::int64_t>(limit));
  while (true) {
    RG_ASSIGN(const bool row, statement.step());
    if (!row) break;
    ids.push_back(statement.int64(0));
  }
  std::size_t at = 0;
  RG_TRY(rows::each<Label>(m_db, " WHERE label_id > ?1 ORDER BY label_id LIMIT ?2",
                           [&](Label one) {
                             if (at < ids.size()) found.emplace_back(ids[at++], std::move(one));
                           },
                           {after, static_cast<std::int64_t>(ids.size())}));
  return found;
}

Result<std::vector<ClockReading>> ChangeReader::clocks(std::int64_t& after) {
  std::vector<ClockReading> found;
  RG_ASSIGN(const auto snapshot, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kRead));
  RG_ASSIGN(const auto oldest, m_db.queryInt64("SELECT min(change_id) FROM rg_clock_change"));
  RG_ASSIGN(const auto newest, m_db.queryInt64("SELECT max(change_id) FROM rg_clock_change"));
  if (after > 0 && newest.value_or(0) <= after) return found;
  const bool all = after == 0 || oldest.value_or(0) > after + 1;
  RG_TRY(rows::each<ClockReading>(
      m_db,
      all ? " WHERE ?1 = ?1 ORDER BY raw_ns"
          : " WHERE (node_id, raw_ns) IN (SELECT node_id, raw_ns FROM rg_clock_change WHERE change_id > ?1) ORDER BY raw_ns",
      [&](ClockReading one) { found.push_back(std::move(one)); }, {after}));
  after = newest.value_or(0);
  return found;
}

}  // namespace runglass
