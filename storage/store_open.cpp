// SPDX-License-Identifier: Apache-2.0
// StoreWriter: opening, creating, migrating, loading, closing.
// Invariants:
// 1. The lock is held before the file is touched.
// 2. A journal with records is replayed whole before anything else is recorded, or open fails and leaves it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>

#include "model/random_uuid.h"
#include "model/shared_filesystem.h"
#include "storage/schema/schema.h"
#include "storage/store_files.h"
#include "storage/store_writer.h"

namespace runglass {

Result<std::unique_ptr<Writer>> Writer::open(const std::string& path, WriterOptions options) {
  auto writer = std::make_unique<StoreWriter>(path, std::move(options));
  RG_TRY(writer->start());
  return std::unique_ptr<Writer>(std::move(writer));
}

StoreWriter::~StoreWriter() {
  if (m_closed || m_close_told) return;
  if (const Status status = close(); !status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
}

Status StoreWriter::start() {
  m_closed = true;  // until all of this has worked, destruction must not fold anything
  RG_TRY(checkFolder());
  RG_TRY(m_lock.take(m_path, m_options.contact));
  RG_TRY(openFile());
  RG_TRY(loadState());
  RG_TRY(prepareStatements());
  RG_ASSIGN(const std::string uuid, m_db.queryText("SELECT value FROM rg_meta WHERE key = 'store_uuid'"));
  RG_TRY(m_journal.open(m_path, uuid, m_options.power_safe));
  m_last_flush = monotonicNow();
  if (const Status replayed = replayJournal(); !replayed.ok()) return replayed;
  m_closed = false;
  return {};
}

// What two machines write through one network filesystem is lost for both (sqlite.org/howtocorrupt.html, 2.1; WAL needs shared memory).
Status StoreWriter::checkFolder() const {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::weakly_canonical(m_path, error);
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const std::string shared = m_options.filesystem ? m_options.filesystem(folder) : sharedFilesystem(folder);
  if (shared.empty()) return {};
  return {Code::kFailedPrecondition, "cannot write store: " + m_path + ": " + folder + " lies on a network filesystem (" + shared +
                                         "), where a store can be damaged; write it on a local disk, as " + "/var/tmp/" +
                                         path.filename().string() + ", and copy the file once it is closed"};
}

Status StoreWriter::openFile() {
  RG_ASSIGN(m_db, sqlite::Connection::open(m_path, sqlite::OpenMode::kCreate));
  // Asked of SQLite, not of the file's size: a creation that was killed half-way is rolled back by the first look.
  RG_ASSIGN(const auto application, m_db.queryInt64("PRAGMA application_id"));
  RG_ASSIGN(const auto objects, m_db.queryInt64("SELECT count(*) FROM sqlite_schema"));
  if (application.value_or(0) != sqlite::kApplicationId) {
    if (objects.value_or(0) != 0) {
      return {Code::kFailedPrecondition, "cannot open store: " + m_path + ": this is an SQLite file, but not a Runglass store"};
    }
    RG_TRY(createSchema());
  }
  RG_ASSIGN(const auto version, m_db.queryInt64("PRAGMA user_version"));
  const auto newest = static_cast<std::int64_t>(schemaScripts().size());
  if (version.value_or(0) > newest) {
    return {Code::kFailedPrecondition, "cannot open store: " + m_path + ": its schema " + std::to_string(*version) +
                                           " is newer than this program's " + std::to_string(newest) + "; use a newer runglass"};
  }
  RG_TRY(m_db.exec("PRAGMA journal_mode=WAL"));
  RG_TRY(
      m_db.exec("PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=67108864; PRAGMA secure_delete=OFF; "
                "PRAGMA cache_size=-16384"));
  // Kill-safe needs no sync per commit; power-safe must not empty the journal before the commit is on the disk.
  RG_TRY(m_db.exec(m_options.power_safe ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL"));
  if (version.value_or(0) < newest) RG_TRY(migrate(*version));
  if (m_options.max_pages > 0) setMaxPages(m_options.max_pages);
  return {};
}

Status StoreWriter::createSchema() {
  // page_size and auto_vacuum only take before the first table.
  RG_TRY(m_db.exec("PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL"));
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  RG_TRY(m_db.exec("PRAGMA application_id=" + std::to_string(sqlite::kApplicationId)));
  const auto scripts = schemaScripts();
  for (const char* script : scripts) RG_TRY(m_db.exec(script));
  RG_TRY(m_db.exec("PRAGMA user_version=" + std::to_string(scripts.size())));
  RG_TRY(m_db.exec("INSERT INTO rg_meta(key, value) VALUES('store_uuid', '" + randomUuid() + "'), ('generation', 1)"));
  return transaction.commit();
}

Status StoreWriter::migrate(std::int64_t version) {
  const std::string backup = m_path + ".schema" + std::to_string(version);
  if (!std::filesystem::exists(backup)) {
    RG_ASSIGN(auto copy, m_db.prepare("VACUUM INTO ?1"));
    copy.bind(1, std::string_view(backup));
    RG_TRY(copy.run());
  }
  const auto scripts = schemaScripts();
  for (auto next = static_cast<std::size_t>(version); next < scripts.size(); ++next) {
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
    RG_TRY(m_db.exec(scripts[next]));
    RG_TRY(m_db.exec("PRAGMA user_version=" + std::to_string(next + 1)));
    RG_TRY(transaction.commit());
  }
  return {};
}

Status StoreWriter::loadState() {
  RG_TRY(m_catalog.load(m_db));
  m_first_new_series = m_catalog.nextSeriesId();
  const auto next = [this](const char* sql, std::int64_t& value) -> Status {
    RG_ASSIGN(const auto last, m_db.queryInt64(sql));
    value = last.value_or(0) + 1;
    return {};
  };
  RG_TRY(next("SELECT max(chunk_id) FROM rg_chunk", m_next_chunk));
  RG_TRY(next("SELECT max(chunk_id) FROM rg_span_chunk", m_next_span_chunk));
  RG_TRY(next("SELECT max(event_id) FROM rg_event", m_next_event));
  RG_TRY(next("SELECT max(capture_id) FROM rg_capture", m_next_capture));
  RG_TRY(next("SELECT max(log_id) FROM rg_log", m_next_log));
  RG_TRY(next("SELECT max(pyramid_id) FROM rg_pyramid", m_next_pyramid));
  RG_ASSIGN(const auto generation, m_db.queryInt64("SELECT value FROM rg_meta WHERE key = 'generation'"));
  m_tail->setGeneration(static_cast<std::uint64_t>(generation.value_or(1)));
  RG_ASSIGN(auto streams, m_db.prepare("SELECT agent, session, stream, next_seq FROM rg_stream"));
  while (true) {
    RG_ASSIGN(const bool row, streams.step());
    if (!row) break;
    const StreamKey key{std::string(streams.text(0)), std::string(streams.text(1)), static_cast<std::uint32_t>(streams.int64(2))};
    m_streams[key].next_seq = static_cast<std::uint64_t>(streams.int64(3));
  }
  RG_TRY(loadMirror());
  // A crash leaves open span chunks; they are complete as they are.
  return m_db.exec("UPDATE rg_span_chunk SET sealed = 1 WHERE sealed = 0");
}

Status StoreWriter::prepareStatements() {
  const auto keep = [this](sqlite::Statement& statement, std::string_view sql) -> Status {
    RG_ASSIGN(statement, m_db.prepare(sql, true));
    return {};
  };
  RG_TRY(keep(m_sql.chunk,
              "INSERT OR REPLACE INTO rg_chunk(chunk_id, series_id, x0, x1, n, sealed, late, crc, data) VALUES(?,?,?,?,?,?,?,?,?)"));
  RG_TRY(keep(m_sql.pyramid, "INSERT OR REPLACE INTO rg_pyramid(pyramid_id, series_id, x0, x1, chunks, crc, data) VALUES(?,?,?,?,?,?,?)"));
  RG_TRY(keep(m_sql.span_chunk,
              "INSERT OR REPLACE INTO rg_span_chunk(chunk_id, track_id, lane, t0, t1, n, first_span_id, sealed, crc, data, summary) "
              "VALUES(?,?,?,?,?,?,?,?,?,?,?)"));
  RG_TRY(keep(m_sql.extent,
              "UPDATE rg_series SET sample_count=?2, first_x=?3, last_x=?4, first_ns=?5, last_ns=?6, latest_bits=?7, latest_ns=?8 WHERE "
              "series_id=?1"));
  RG_TRY(keep(m_sql.small_pyramids,
              "SELECT pyramid_id, x0, x1, chunks, crc, data FROM rg_pyramid WHERE series_id = ?1 AND chunks < ?2 ORDER BY x0"));
  RG_TRY(keep(m_sql.drop_chunk, "DELETE FROM rg_chunk WHERE chunk_id = ?"));
  RG_TRY(keep(m_sql.known_extent,
              "SELECT sample_count, first_x, last_x, first_ns, last_ns, latest_bits, latest_ns FROM rg_series WHERE series_id = ?"));
  RG_TRY(keep(m_sql.late_pyramids, "SELECT pyramid_id, x0, x1, chunks, crc, data FROM rg_pyramid WHERE series_id = ?1 AND x1 >= ?2"));
  RG_TRY(keep(m_sql.pyramid_counts, "SELECT sum(chunks < ?2), sum(chunks < ?3) FROM rg_pyramid WHERE series_id = ?1"));
  RG_TRY(keep(m_sql.expired,
              "INSERT INTO rg_expired(series_id, sample_count, last_x) VALUES(?1, ?2, ?3) ON CONFLICT(series_id) "
              "DO UPDATE SET sample_count = sample_count + ?2, last_x = max(last_x, ?3)"));
  RG_TRY(keep(m_sql.copied, "INSERT OR REPLACE INTO rg_copied(series_id, chunk, points, x1, late_points, late_x1) VALUES(?,?,?,?,?,?)"));
  return keep(m_sql.drop_pyramid, "DELETE FROM rg_pyramid WHERE pyramid_id = ?");
}

Status StoreWriter::replayJournal() {
  if (m_journal.empty()) return {};
  if (!m_options.replay) {
    return {Code::kFailedPrecondition,
            "cannot open store: " + m_path +
                ": its journal holds data that was received but not stored; open it with runglassctl serve or the console"};
  }
  RG_TRY(m_journal.replay([this](const StreamKey& stream, std::uint64_t seq, std::string_view payload) -> Status {
    StreamState& state = m_streams[stream];
    if (seq < state.next_seq) return {};
    RG_TRY(m_options.replay(stream, seq, payload, *this));
    state.next_seq = seq + 1;
    state.changed = m_streams_changed = true;
    return {};
  }));
  if (m_journal.truncatedBytes() > 0) {
    issue({.code = "store.journal_torn",
           .source = m_path,
           .count = 1,
           .first = {},
           .last = {},
           .detail = "dropped " + std::to_string(m_journal.truncatedBytes()) + " bytes of an unfinished record at the journal's end"});
  }
  return flush();
}

Status StoreWriter::loadExtent(SeriesId id, LiveSeries& series) {
  sqlite::Statement& extent = m_sql.known_extent;
  extent.reset();  // it may have failed halfway
  extent.bind(1, id.value);
  RG_ASSIGN(const bool known, extent.step());
  const MutexLock lock(series.mutex);
  if (known) series.extent = {extent.int64(0), extent.int64(1), extent.int64(2), extent.optionalInt64(3), extent.optionalInt64(4)};
  if (known && !extent.isNull(5))
    series.latest = LatestSample{id, extent.int64(2), extent.optionalInt64(6), std::bit_cast<double>(extent.int64(5))};
  extent.reset();
  return {};
}

Status StoreWriter::loadSeries(SeriesId id, LiveSeries& series) {
  RG_TRY(loadExtent(id, series));
  RG_ASSIGN(auto sealed,
            m_db.prepare("SELECT max(iif(late = 0, x1, NULL)), sum(iif(late = 0, n, 0)), sum(iif(late = 0, 0, n)), max(chunk_id) FROM "
                         "rg_chunk WHERE series_id = ? AND sealed = 1"));
  sealed.bind(1, id.value);
  RG_TRY(sealed.step().status());
  const MutexLock lock(series.mutex);
  series.any_sealed = !sealed.isNull(0);
  series.sealed_x1 = sealed.int64(0);
  series.sealed_main.count = sealed.int64(1);
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
      // Left in the file as it is, for verify to name; new points go to a chunk of their own.
      RG_TRY(m_db.exec("UPDATE rg_chunk SET sealed = 1 WHERE chunk_id = " + std::to_string(open.int64(0))));
      series.newest_sealed = std::max(series.newest_sealed, open.int64(0));
      continue;
    }
    buffer->append(points.x.data(), has_time ? points.time.data() : nullptr, points.value.data(), n);
    buffer->chunk_id = open.int64(0);
    buffer->dirty = false;
  }
}

void StoreWriter::setMaxPages(std::int64_t pages) {
  atRest();
  // Fails only where the connection is gone; every flush would say so then.
  if (const Status set = m_db.exec("PRAGMA max_page_count=" + std::to_string(pages)); !set.ok()) fail(set);
}

Status StoreWriter::close() {
  if (m_closed) return {};
  atRest();
  m_close_told = true;
  RG_TRY(flush());
  m_closed = true;
  m_tail->clear();
  m_sql = {};
  RG_TRY(m_db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  // Fails while a Reader is open; then an empty -wal stays, and the store is whole all the same.
  Status folded = m_db.exec("PRAGMA journal_mode=DELETE");
  if (!folded.ok()) folded = {Code::kUnavailable, "store not folded into one file: " + m_path + ": it is still being read"};
  RG_TRY(m_db.close());
  RG_TRY(m_journal.remove());
  m_lock.release();
  return folded;
}

}  // namespace runglass
