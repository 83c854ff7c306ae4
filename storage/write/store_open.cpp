// SPDX-License-Identifier: Apache-2.0
// StoreWriter: opening, creating, migrating, loading, closing.
// Invariants:
// 1. The lock is held before the file is accessed.
// 2. A journal with records is replayed completely before anything else is recorded, or open fails and leaves it unchanged. It is committed
//    in portions; after a crash only the uncommitted part is replayed, according to the high-water marks.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "model/shared_filesystem.h"
#include "storage/maintain/rebuild_tables.h"
#include "storage/schema/past_attempts.h"
#include "storage/schema/schema.h"
#include "storage/sqlite/file_sync.h"
#include "storage/store_files.h"
#include "storage/write/migrate.h"
#include "storage/write/store_writer.h"

namespace runglass {

constexpr const char* kRepair = "`runglassctl repair` makes a new store of the readable data";

Result<std::unique_ptr<Writer>> StoreWriter::open(const std::string& path, WriterOptions options) {
  const std::string store = resolvedStore(path);
  auto writer = std::make_unique<StoreWriter>(store, options);
  Status started = writer->start();
  std::vector<LostObject> rebuilt;
  if (started.code() == Code::kDataLoss) {
    writer.reset();  // closes the file
    auto tables = rebuildDamagedTables(store, options.contact);
    if (!tables.ok()) return Status(Code::kDataLoss, started.message() + "; " + tables.status().message() + "; " + kRepair);
    rebuilt = *std::move(tables);
    if (!rebuilt.empty()) {
      writer = std::make_unique<StoreWriter>(store, std::move(options));
      started = writer->start();
    }
  }
  if (!started.ok() && writer) writer->removeIfNew();
  if (started.code() == Code::kDataLoss) return Status(Code::kDataLoss, started.message() + "; " + kRepair);
  RG_TRY(started);
  const TimeNs now = wallNow();
  for (const LostObject& lost : rebuilt)
    writer->issue({.code = "store.table_rebuilt", .source = lost.object, .count = 1, .first = now, .last = now, .detail = lost.why});
  return std::unique_ptr<Writer>(std::move(writer));
}

StoreWriter::~StoreWriter() {
  if (m_closed || m_close_reported) return;
  if (const Status status = close(); !status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
}

Status StoreWriter::start() {
  m_closed = true;  // until start() has succeeded, the destructor must not fold anything
  RG_TRY(checkFolder());
  std::error_code unknown;  // in case of an error it is not new
  const bool is_absent = !std::filesystem::exists(m_path, unknown) && !unknown;
  RG_TRY(m_lock.take(m_path, m_options.contact));
  RG_TRY(openFile(is_absent));
  RG_TRY(loadState());
  m_bad.open(badPath(m_path), m_options.power_safe);
  RG_ASSIGN(const std::string uuid, m_db.queryText("SELECT value FROM rg_meta WHERE key = 'store_uuid'"));
  RG_TRY(m_journal.open(m_path, uuid, m_options.power_safe));
  m_clock.start(monotonicNow());
  if (const Status replayed = replayJournal(); !replayed.ok()) return replayed;
  m_closed = false;
  return {};
}

// If two machines write through one network filesystem, the data of both is lost (sqlite.org/howtocorrupt.html, 2.1; WAL needs shared
// memory).
Status StoreWriter::checkFolder() const {
  const std::filesystem::path path = m_path;
  const std::string folder = path.parent_path().string();
  const std::string shared = m_options.filesystem ? m_options.filesystem(folder) : sharedFilesystem(folder);
  if (shared.empty()) return {};
  return {Code::kFailedPrecondition, "cannot write store: " + m_path + ": " + folder + " is on a network filesystem (" + shared +
                                         "), where a store can be damaged; write it on a local disk, as " + "/var/tmp/" +
                                         path.filename().string() + ", and copy the file once it is closed"};
}

// After a full disk, no incomplete store stays under its name. The lock is still held; an existing journal belongs to another store.
void StoreWriter::removeIfNew() {
  if (!m_new) return;
  m_db = {};
  std::error_code ignored;
  for (const std::string& file : {m_path, m_path + "-wal", m_path + "-shm", m_path + "-journal"}) std::filesystem::remove(file, ignored);
}

Status StoreWriter::openFile(bool is_absent) {
  const SchemaHistory& schema = m_options.schema == nullptr ? shippedSchema() : *m_options.schema;
  RG_ASSIGN(m_db, sqlite::Connection::open(m_path, sqlite::OpenMode::kCreate));
  // Read through SQLite instead of from the file's size: a creation that was killed halfway is rolled back by the first query.
  RG_ASSIGN(const auto application, m_db.queryInt64("PRAGMA application_id"));
  RG_ASSIGN(const auto objects, m_db.queryInt64("SELECT count(*) FROM sqlite_schema"));
  if (application.value_or(0) != sqlite::kApplicationId) {
    if (objects.value_or(0) != 0) {
      return {Code::kFailedPrecondition, "cannot open store: " + m_path + ": this is an SQLite file, but not a Runglass store"};
    }
    m_new = is_absent;
    RG_TRY(createSchema(m_db, schema));
  }
  RG_ASSIGN(const auto version, m_db.queryInt64("PRAGMA user_version"));
  RG_TRY(checkSchema(m_path, version.value_or(0), schema));
  RG_TRY(m_db.exec("PRAGMA journal_mode=WAL"));
  RG_TRY(
      m_db.exec("PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=67108864; PRAGMA secure_delete=OFF; "
                "PRAGMA cache_size=-16384"));
  m_wal.watch(m_db);
  RG_TRY(addPastPid(m_db.raw(), m_path));
  // Kill-safe needs no sync per commit; power-safe must not empty the journal before the commit is on disk.
  RG_TRY(m_db.exec(m_options.power_safe ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL"));
  RG_TRY(migrateSchema(m_db, m_path, *version, schema));
  if (m_options.max_pages > 0) setMaxPages(m_options.max_pages);
  return {};
}

Status StoreWriter::loadState() {
  RG_TRY(m_catalog.load(m_db));
  RG_TRY(m_chunks.load());
  RG_TRY(m_lanes.load());
  RG_TRY(m_series_rows.load());
  RG_TRY(m_summaries.load());
  RG_ASSIGN(const auto generation, m_db.queryInt64("SELECT value FROM rg_meta WHERE key = 'generation'"));
  m_tail->setGeneration(static_cast<std::uint64_t>(generation.value_or(1)));
  RG_TRY(m_log.load());
  RG_TRY(m_agents.load(m_db));
  return m_replica.load();
}

Status StoreWriter::replayJournal() {
  if (m_journal.empty()) return {};
  if (!m_options.replay) {
    return {Code::kFailedPrecondition,
            "cannot open store: " + m_path +
                ": its journal holds data that was received but not stored; open it with runglassctl serve or the console"};
  }
  // A batch that is already in the file may define strings or ids that later ones refer to.
  const auto play = [this](const StreamKey& stream, std::uint64_t seq, std::string_view payload, bool stored) {
    m_replaying_stored = stored;
    Status replayed = m_options.replay(stream, seq, payload, *this);
    m_replaying_stored = false;
    const Status failed = takeFailure();
    return replayed.ok() ? failed : replayed;
  };
  std::int64_t portion = 0;
  const auto record = [&](const StreamKey& stream, std::uint64_t seq, std::string_view payload) -> Status {
    RG_ASSIGN(const std::uint64_t next, m_streams.next(stream));
    const bool stored = seq < next;
    const Status played = play(stream, seq, payload, stored);
    if (stored) return {};
    if (!played.ok()) setAside(stream, seq, payload, played);
    m_streams.set(stream, seq + 1);
    portion += static_cast<std::int64_t>(payload.size());
    if (portion < m_options.replay_portion) return {};
    portion = 0;
    RG_TRY(m_replica.saveJudged());
    begin({.flush = true, .journal = false});
    runBegun();
    return endBegun().status();
  };
  RG_ASSIGN(const JournalLoss loss, m_journal.replay(record, [this](const StreamKey& stream) { return resumeFrom(stream); }));
  reportLoss(loss);
  return flush();
}

void StoreWriter::reportLoss(const JournalLoss& loss) {
  const TimeNs now = wallNow();
  const auto report = [&](const char* code, std::int64_t count, std::string detail) {
    issue({.code = code, .source = m_path, .count = count, .first = now, .last = now, .detail = std::move(detail)});
  };
  std::string kept;
  for (const std::string& file : loss.kept) kept += (kept.empty() ? "; kept as " : ", ") + file;
  const JournalDamage& damage = loss.damage;
  if (damage.foreign)
    report("store.journal_foreign", 1, "the journal beside this store belongs to another store: nothing was replayed" + kept);
  if (damage.places > 0 && !damage.foreign)
    report("store.journal_damaged", damage.places,
           std::to_string(damage.bytes) + " bytes in " + std::to_string(damage.places) + " places were unreadable" + kept);
  if (damage.torn_bytes > 0)
    report("store.journal_torn", 1, "dropped " + std::to_string(damage.torn_bytes) + " bytes of an unfinished record at the journal's end");
  if (loss.left_out > 0)
    report("store.journal_left_out", static_cast<std::int64_t>(loss.left_out),
           std::to_string(loss.left_out) + " batches behind unsynced damage of the journal were not replayed" + kept);
  for (const auto& [stream, batches] : loss.streams)
    issue({.code = "store.batches_lost",
           .source = stream.agent,
           .count = static_cast<std::int64_t>(batches),
           .first = now,
           .last = now,
           .detail = "session " + stream.session + ", stream " + std::to_string(stream.stream) + ": " + std::to_string(batches) +
                     " acknowledged batches were missing in the journal"});
}

void StoreWriter::setMaxPages(std::int64_t pages) {
  atRest();
  // Fails only if the connection is unusable; every flush would report that too.
  if (const Status set = m_db.exec("PRAGMA max_page_count=" + std::to_string(pages)); !set.ok()) m_failure.note(set);
}

Status StoreWriter::close() {
  if (m_closed) return {};
  atRest();
  m_close_reported = true;
  RG_TRY(flush());
  m_closed = true;
  m_tail->clear();
  m_chunks.close();
  m_lanes.close();
  m_summaries.close();
  m_series_rows.close();
  m_streams.close();
  m_wal.close();
  RG_TRY(m_db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  // Fails while a Reader is open; then an empty -wal stays, and the store is complete nevertheless.
  Status folded = m_db.exec("PRAGMA journal_mode=DELETE");
  if (!folded.ok()) folded = {Code::kUnavailable, "store not folded into one file: " + m_path + ": it is still being read"};
  RG_TRY(m_db.close());
  RG_TRY(m_journal.remove());
  m_lock.release();
  return folded;
}

}  // namespace runglass
