// SPDX-License-Identifier: Apache-2.0
// StoreWriter: the Writer over one SQLite file. Internal to storage; use openStore().
//
// Threading:  all calls on one thread, but runBegun(); liveTail() is shared with Readers.
// Ownership:  owns connection, lock and journal.
// Units:      TimeNs, bytes.
// Errors:     writer.h.
// Cost:       writer.h.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/store_lock.h"
#include "storage/write/bad_file.h"
#include "storage/write/catalog.h"
#include "storage/write/commit_rows.h"
#include "storage/write/journal.h"
#include "storage/write/wal_file.h"
#include "storage/write/writer_parts.h"
#include "storage/writer.h"

namespace runglass {

class StoreWriter final : public Writer, private WriterState {
 public:
  static Result<std::unique_ptr<Writer>> open(const std::string& path, WriterOptions options = {});
  explicit StoreWriter(std::string path, WriterOptions options) : m_path(std::move(path)), m_options(std::move(options)) {}
  ~StoreWriter() override;
  Status start();
  void removeIfNew();  // after a start() that failed

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
  void issue(const Issue& issue) override;  // store_issues.cpp
  void label(const Label& label) override;
  void clock(const ClockReading& reading) override { recorded().clock(reading); }
  void capture(const Capture& capture) override;  // store_captures.cpp
  Status flush() override;
  NodeId nodeOf(AttemptId attempt, std::int32_t rank) override { return recorded().nodeOf(attempt, rank); }
  std::int64_t ranksOn(AttemptId attempt, NodeId node) override { return recorded().ranksOn(attempt, node); }
  bool hasEnded(AttemptId attempt) override { return recorded().hasEnded(attempt); }
  AttemptId newestPlaced(RunId run) override { return recorded().newestPlaced(run); }
  // store_mirror.cpp
  void complete(SeriesId series, std::int64_t step0, std::int64_t step1, const ScalarColumns& points) override;
  void summaries(SeriesId series, const Summaries& summaries) override;  // store_summaries.cpp
  void total(const Issue& issue) override;
  void judge(const Judgements& judgements) override;
  void mark(const MirrorMark& mark) override;
  const std::optional<MirrorMark>& mirror() const override { return m_mirror; }

  Result<Arrival> journal(const StreamKey& stream, std::uint64_t seq, std::string_view payload) override;
  Result<std::vector<Arrival>> journal(std::span<const JournalEntry> entries) override;
  std::uint64_t resumeFrom(const StreamKey& stream) override;
  const AgentIdentity* identityOf(const std::string& agent) const override;  // store_agents.cpp
  void setIdentity(const AgentIdentity& identity) override;                  // store_agents.cpp
  std::uint64_t journalEpoch() const override { return m_journal_epoch; }
  Status flushIfDue() override;
  Status beginFlush() override;
  Result<bool> beginFlushIfDue() override;
  Status beginRetention(const Retention& policy, TimeNs now) override;
  void runBegun() override;
  Result<bool> endBegun() override;
  std::int64_t journalBytes() const override { return m_journal.bytes(); }
  Status takeFailure() override { return std::exchange(m_failure, Status()); }
  void setAside(const StreamKey& stream, std::uint64_t seq, std::string_view payload, const Status& why) override;  // store_isolate.cpp
  Status syncJournal() override { return m_journal.sync(); }
  std::shared_ptr<const LiveTail> liveTail() const override { return m_tail; }
  void finding(const Finding& finding) override { atRest(), m_findings.push_back(finding); }
  Status alerts(std::span<const Alert> alerts) override;  // store_alert.cpp
  Status incident(const Incident& incident) override;     // store_incident.cpp
  Status setIncident(std::string_view uuid) override;     // store_incident.cpp
  Status edit(const Edit& edit) override;                 // store_edit.cpp
  std::optional<ImportMark> importMark(std::string_view path_key) override;
  void setImportMark(std::string_view path_key, const ImportMark& mark) override { atRest(), m_marks[std::string(path_key)] = mark; }
  Result<Run> findRun(std::string_view name) override;
  void pin(TimeRange range, std::string_view reason) override { atRest(), m_pins.emplace_back(range, reason); }
  Result<bool> applyRetention(const Retention& policy, TimeNs now) override;
  void setMaxPages(std::int64_t pages) override;
  Status close() override;
  WalFile& wal() { return m_wal; }

 private:
  // Nothing is recorded while runBegun() may run.
  void atRest() const { RG_CHECK(!m_begun); }
  Catalog& recorded() {
    atRest();
    return m_catalog;
  }

  // store_open.cpp
  Status checkFolder() const;
  Status openFile(bool is_absent);
  Status createSchema();
  Status migrate(std::int64_t version);
  Status loadState();
  Status loadAgents();                                          // store_agents.cpp
  void forgetOldAgents();                                       // store_agents.cpp
  Status loadIssues();                                          // store_issues.cpp
  const Issue* waiting(const Issue& issue) const;               // store_issues.cpp
  Status saveAgents(const std::vector<AgentIdentity>& agents);  // store_agents.cpp
  Status replayJournal();
  void reportLoss(const JournalLoss& loss);
  Status prepareStatements();
  Status loadExtent(SeriesId id, LiveSeries& series);
  Status loadSeries(SeriesId id, LiveSeries& series);

  // store_append.cpp, store_evict.cpp, store_cap.cpp
  void evictIdle();
  Result<std::uint64_t> nextOf(const StreamKey& stream);  // 0 for an unknown one
  bool refuses(SeriesId id);
  void reportRefused();
  Status sealAbandoned(const Retention& policy, TimeNs now);
  Status findAbandoned(const Retention& policy, TimeNs now, std::vector<SeriesId>& series);
  RetentionScope retentionScope();
  void reportRetention(const RetentionOutcome& outcome, const Retention& policy, TimeNs now);
  void countOpenChunks(std::int64_t more);
  void list(SeriesId id, LiveSeries& series);  // with what the next flush stores
  void noteLate(SeriesId id);
  void sealIdleLate();
  void limit(SeriesBuffer& buffer, std::size_t points) const;
  LiveSeries* live(SeriesId& id);  // `id` becomes that of the series which goes on for it, if one does
  Status load(SeriesId id);
  void appendPoints(SeriesId id, const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n);
  void appendLive(SeriesId id, const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n);
  void seal(LiveSeries& series, SeriesBuffer& buffer, bool late) RG_REQUIRES(series.mutex);
  // Returns how many went to overflow lanes.
  std::int64_t appendSpans(LiveTrack& track, const SpanColumns& spans, const std::vector<std::int64_t>& names) RG_REQUIRES(track.mutex);
  void appendRun(LiveLane& lane, const SpanColumns& spans, const std::vector<std::int64_t>& names, std::size_t from, std::size_t to);
  static PackedSpans packSpans(const SpanChunk& chunk);
  void sealSpans(LiveLane& lane, std::size_t index);
  void fail(Status status);
  std::int64_t text(std::string_view text);

  // store_isolate.cpp
  SeriesId continueSeries(SeriesId id, const Status& why);
  TrackId continueTrack(TrackId id, const Status& why);
  Status saveSeriesCarefully();
  void moveOn(SeriesId id, const Status& why);
  void addIssue(const Issue& issue);
  Status setAsideRefused();
  void dropRefused();

  // store_mirror.cpp
  Status saveJudged();
  Status saveJudged(const Judgements& judgements);
  Status loadMirror();
  Status saveMirror();
  Status saveJudgements(const Judgements& judgements);
  Status saveTelling(const Finding& telling);
  Status saveMirrored(const Finding& finding);
  Status countPoints(SeriesId id, LiveSeries& series, std::int64_t x0, std::int64_t x1, std::vector<std::int64_t>& have);

  // store_summaries.cpp
  Result<std::int64_t> cutSummaries(SeriesId id, std::int64_t from, Pyramid& kept);
  Status addSummaryRows(SeriesId id, const Pyramid& blocks);
  Status widenExtent(SeriesId id, const std::vector<Bin>& blocks, std::int64_t more);
  Status saveSummaries();
  Status saveSummaries(SeriesId id, const Summaries& told);

  // store_edit.cpp
  Status saveEdit(const Note& note);
  Status saveEdit(const RankOrderChoice& choice);
  Status saveEdit(const ClockAlignment& alignment);  // store_align.cpp
  Status saveEdit(const Snooze& snooze);             // store_alert.cpp
  Status saveEdit(const IncidentEdit& edit);         // store_incident.cpp
  Status saveEdit(const AgentForget& forget);        // store_agents.cpp
  // NOT_FOUND begins with `what`, which wanted it.
  Result<AttemptId> attemptOf(const std::string& run_uuid, std::int32_t number, const std::string& what);
  Status saveIncident(Incident incident);     // store_incident.cpp
  Status savePins(const Incident& incident);  // store_incident.cpp

  // store_flush.cpp
  void begin(Begun begun);
  Status work(Begun& begun);
  Status commitAll();
  Status saveAll();
  Status commitCatalog();
  void catalogCommitted(std::initializer_list<StorePart> also = {});
  void markStored();
  std::optional<std::int64_t> roomOnDisk(std::int64_t journal_bytes) const;  // store_append.cpp
  bool anythingPending() const;

  // store_save.cpp: rows of pyramids of few chunks become fewer of more
  static constexpr std::int64_t kMinorPyramid = 8, kMajorPyramid = 64;
  Status saveSealed(std::span<const SeriesId> ids);
  std::optional<ChunkRow> openChunk(LiveSeries& series, bool late);
  Status saveSeries(SeriesId id, LiveSeries& series);
  Status saveChunk(SeriesId id, const ChunkRow& row, bool sealed);
  Status savePyramid(SeriesId id, const PendingChunk& chunk);
  Status mergePyramids(SeriesId id, std::int64_t below);
  Status saveTrack(TrackId id, LiveTrack& track);
  Status saveSpanChunk(TrackId id, const PendingSpans& chunk, const PackedSpans& packed);
  Status put(sqlite::Statement& row, std::string_view table) { return m_rows.put(m_db, row, table); }
  Status saveRows();
  Status saveIssues(std::span<const Issue> issues);
  Status saveLogs();
  Status saveState();
  Status saveCaptures();                                          // store_captures.cpp
  Status saveFindings();                                          // store_findings.cpp
  Status keepTelling(const Finding& known, const Finding& next);  // store_findings.cpp

  std::string m_path;
  WriterOptions m_options;
  StoreLock m_lock;
  sqlite::Connection m_db;
  WriterStatements m_sql;
  CommitRows m_rows;
  BadFile m_bad;
  Journal m_journal;
  std::uint64_t m_journal_epoch = 1;
  WalFile m_wal;
  Catalog m_catalog;
  std::shared_ptr<LiveTail> m_tail = std::make_shared<LiveTail>();
  sqlite::Connection m_marks_db;  // for look-ups of marks that are not in memory, while m_db is runBegun()'s
  sqlite::Statement m_mark_sql;
};

}  // namespace runglass
