// SPDX-License-Identifier: Apache-2.0
// StoreWriter: the Writer over one SQLite file. Internal to storage; use openStore().
//
// Threading:  all calls on one thread, except runBegun(); liveTail() is shared with Readers.
// Ownership:  owns connection, lock and journal.
// Units:      TimeNs, bytes.
// Errors:     as writer.h.
// Cost:       as writer.h.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/maintain/retention.h"
#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/store_lock.h"
#include "storage/write/agent_table.h"
#include "storage/write/bad_file.h"
#include "storage/write/catalog.h"
#include "storage/write/commit_clock.h"
#include "storage/write/commit_rows.h"
#include "storage/write/edit_rows.h"
#include "storage/write/first_failure.h"
#include "storage/write/journal.h"
#include "storage/write/open_chunks.h"
#include "storage/write/replica_state.h"
#include "storage/write/row_log.h"
#include "storage/write/series_rows.h"
#include "storage/write/span_lanes.h"
#include "storage/write/stream_marks.h"
#include "storage/write/summary_rows.h"
#include "storage/write/wal_file.h"
#include "storage/write/writer_parts.h"
#include "storage/writer.h"

namespace runglass {

// A commit, a retention or both: the work that begin...() leaves to runBegun() and endBegun(). While runBegun() runs, it owns this object.
struct Begun {
  enum class Save { kNothing, kCatalog, kAll };
  Save save = Save::kNothing;
  bool flush = false;                 // false: the catalogue alone, or retention alone
  bool journal = true;                // false: it is being replayed, and stays as it is
  bool journaled = false;             // the journal is not empty
  StreamMarks::Marks marks;           // as of the begin, of streams that moved
  std::vector<AgentIdentity> agents;  // changed ones
  std::optional<Retention> retention;
  TimeNs now = 0;  // of retention
  // The result:
  bool saved = false;
  bool durable = false;  // a power cut cannot undo it
  Status status;
  RetentionOutcome outcome;
};

class StoreWriter final : public Writer {
 public:
  static Result<std::unique_ptr<Writer>> open(const std::string& path, WriterOptions options = {});
  explicit StoreWriter(std::string path, WriterOptions options) : m_path(std::move(path)), m_options(std::move(options)) {}
  ~StoreWriter() override;
  Status start();
  void removeIfNew();  // after a failed start()

  NodeId node(const Node& node) override { return recorded().node(node); }
  DeviceId device(const Device& device) override { return recorded().device(device); }
  RunId run(const Run& run) override { return recorded().run(run); }
  AttemptId attempt(const Attempt& attempt) override { return recorded().attempt(attempt); }
  void rank(const Rank& rank) override { recorded().rank(rank); }
  void fact(const Fact& fact) override { recorded().fact(fact); }
  void checkpoint(const Checkpoint& checkpoint) override { recorded().checkpoint(checkpoint); }
  void group(const CommGroup& group) override { recorded().group(group); }
  SeriesId series(const SeriesKey& key) override { return recorded().series(key); }
  TrackId track(const TrackKey& key) override { return recorded().track(key); }
  void samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) override;
  void scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time, std::span<const double> value) override;
  void spans(TrackId track, const SpanColumns& spans) override;
  void event(const Event& event) override;
  void log(const LogLine& line) override;
  void progress(const Progress& progress) override { recorded().progress(progress); }
  void issue(const Issue& issue) override;
  void label(const Label& label) override;
  void clock(const ClockReading& reading) override { recorded().clock(reading); }
  void capture(const Capture& capture) override;
  Status flush() override;
  NodeId nodeOf(AttemptId attempt, std::int32_t rank) override { return recorded().nodeOf(attempt, rank); }
  std::int64_t ranksOn(AttemptId attempt, NodeId node) override { return recorded().ranksOn(attempt, node); }
  bool hasEnded(AttemptId attempt) override { return recorded().hasEnded(attempt); }
  AttemptId newestPlaced(RunId run) override { return recorded().newestPlaced(run); }
  void complete(SeriesId series, std::int64_t step0, std::int64_t step1, const ScalarColumns& points) override;
  void summaries(SeriesId series, const Summaries& summaries) override;
  void total(const Issue& issue) override;
  void judge(const Judgements& judgements) override;
  void mark(const MirrorMark& mark) override;
  const std::optional<MirrorMark>& mirror() const override { return m_replica.mark(); }

  Result<Arrival> journal(const StreamKey& stream, std::uint64_t seq, std::string_view payload) override;
  Result<std::vector<Arrival>> journal(std::span<const JournalEntry> entries) override;
  std::uint64_t resumeFrom(const StreamKey& stream) override;
  const AgentIdentity* identityOf(const std::string& agent) const override { return m_agents.identityOf(agent); }
  void setIdentity(const AgentIdentity& identity) override { m_agents.setIdentity(identity); }
  std::uint64_t journalEpoch() const override { return m_journal_epoch; }
  Status flushIfDue() override;
  Status beginFlush() override;
  Result<bool> beginFlushIfDue() override;
  Status beginRetention(const Retention& policy, TimeNs now) override;
  void runBegun() override;
  Result<bool> endBegun() override;
  std::int64_t journalBytes() const override { return m_journal.bytes(); }
  Status takeFailure() override { return m_failure.take(); }
  void setAside(const StreamKey& stream, std::uint64_t seq, std::string_view payload, const Status& why) override;  // store_isolate.cpp
  Status syncJournal() override { return m_journal.sync(); }
  std::shared_ptr<const LiveTail> liveTail() const override { return m_tail; }
  void finding(const Finding& finding) override { edits().finding(finding); }
  Status alerts(std::span<const Alert> alerts) override { return edits().alerts(alerts); }
  Status incident(const Incident& incident) override { return edits().incident(incident); }
  Status setIncident(std::string_view uuid) override { return edits().setIncident(uuid); }
  Status edit(const Edit& edit) override { return edits().edit(edit); }
  std::optional<ImportMark> importMark(std::string_view path_key) override { return edits().importMark(path_key); }
  void setImportMark(std::string_view path_key, const ImportMark& mark) override { edits().setImportMark(path_key, mark); }
  Result<Run> findRun(std::string_view name) override { return edits().findRun(name); }
  void pin(TimeRange range, std::string_view reason) override { edits().pin(range, reason); }
  Result<bool> applyRetention(const Retention& policy, TimeNs now) override;
  CapRefuses capRefuses() const override { return m_cap.refusing; }
  void setMaxPages(std::int64_t pages) override;
  Status close() override;
  WalFile& wal() { return m_wal; }

 private:
  // Nothing may be recorded while runBegun() may run.
  void atRest() const { RG_CHECK(!m_begun); }
  Catalog& recorded() {
    atRest();
    return m_catalog;
  }
  EditRows& edits() {
    atRest();
    return m_edits;
  }

  // store_open.cpp
  Status checkFolder() const;
  Status openFile(bool is_absent);
  Status loadState();
  Status replayJournal();
  void reportLoss(const JournalLoss& loss);

  // store_append.cpp, store_evict.cpp, store_cap.cpp
  void appendPoints(SeriesId id, const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n);
  void evictIdle();
  std::optional<SizeCap::Kind> refusedKind(SeriesId id);
  void reportRefused();
  RetentionScope retentionScope();
  void reportRetention(const RetentionOutcome& outcome, const Retention& policy, TimeNs now);
  std::optional<std::int64_t> roomOnDisk(std::int64_t journal_bytes) const;

  // store_isolate.cpp
  Status saveSeriesCarefully();
  Status setAsideRefused();
  void dropRefused();

  // store_flush.cpp
  void begin(Begun begun);
  Status work(Begun& begun);
  Status commitAll();
  Status saveAll();
  Status commitCatalog();
  void markStored();
  bool anythingPending() const;
  std::int64_t pendingBytes() const;

  std::string m_path;
  WriterOptions m_options;
  StoreLock m_lock;
  sqlite::Connection m_db;
  CommitRows m_rows;
  BadFile m_bad;
  Journal m_journal;
  std::uint64_t m_journal_epoch = 1;
  WalFile m_wal;
  Catalog m_catalog;
  std::shared_ptr<LiveTail> m_tail = std::make_shared<LiveTail>();
  FirstFailure m_failure;  // since the last flush
  // The parts; each holds the recorded and uncommitted data of its kind.
  StreamMarks m_streams{m_path, m_options.idle};
  AgentTable m_agents;
  RowLog m_log{m_db, m_rows, m_catalog, *m_tail};
  SeriesRows m_series_rows{m_db, m_rows};
  OpenChunks m_chunks{m_path, m_db, m_rows, m_catalog, *m_tail, m_series_rows, m_log, m_failure, m_options.late_idle};
  SpanLanes m_lanes{m_path, m_db, m_rows, m_catalog, *m_tail, m_log, m_failure};
  SummaryRows m_summaries{m_db, m_rows, *m_tail, m_series_rows};
  EditRows m_edits{m_path, m_db, m_rows, m_catalog, *m_tail, m_agents};
  ReplicaState m_replica{m_db, m_rows, m_catalog, *m_tail, m_log, m_edits, m_failure};
  CommitClock m_clock;
  SizeCap m_cap;
  std::optional<Begun> m_begun;
  TimeNs m_tick = 0, m_next_eviction = 0;  // m_tick: when the newest flush began; monotonic
  std::set<std::uint32_t> m_kept_refused;  // checksums of the rows of an unsuccessful commit that are already in the .bad file
  bool m_refused_locally = false;          // because of a row or a page, not of the disk or another process
  bool m_replaying_stored = false;         // a batch that is in the file already: only its declarations count, not its data
  bool m_retention_unfinished = false, m_closed = false;
  bool m_new = false;             // this object created the file
  bool m_close_reported = false;  // a failed close() was returned to the caller: the destructor does not report it again
};

}  // namespace runglass
