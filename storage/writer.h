// SPDX-License-Identifier: Apache-2.0
// Writer: the one read-write connection of a store, as a Recorder plus journal, retention and findings.
//
// Threading:  all calls on one thread (the store writer), but runBegun(). liveTail() may be handed to Readers on any thread.
// Ownership:  owns the connection, the lock and the journal; the destructor closes cleanly (see close()).
// Units:      TimeNs, bytes.
// Errors:     open: ALREADY_EXISTS another process holds the lock (names its pid); FAILED_PRECONDITION newer schema, not a store, or a
//             folder on a network filesystem, where neither SQLite's locks nor its shared memory hold;
//             PERMISSION_DENIED; RESOURCE_EXHAUSTED disk full. A full disk never loses what is stored: flush() fails with
//             RESOURCE_EXHAUSTED, nothing is half-written, and a later flush() may succeed.
// Cost:       appends are memory copies; encoding may run on worker threads; flush() is one SQLite transaction.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "model/edits.h"
#include "model/findings.h"
#include "model/incident.h"
#include "model/mirror_recorder.h"
#include "model/rank_places.h"
#include "storage/reader.h"

namespace runglass {

// Names a sender's stream of batches: exactly-once is per (agent, session, stream).
struct StreamKey {
  std::string agent, session;
  std::uint32_t stream = 0;
  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
};

// Whose an agent's uuid is: a sender's streams are its alone.
struct AgentIdentity {
  std::string agent, node_uuid;
  std::string pass;  // name of what it showed to the hub; empty: the hub asked for nothing
  TimeNs seen = 0;   // when it last connected
};

enum class Arrival : std::uint8_t { kNew, kDuplicate, kAfterGap };

class Writer;
// Decodes a journaled payload and records it again. Given by whoever knows the payload's format (collectors/hub).
using JournalReplay = std::function<Status(const StreamKey&, std::uint64_t seq, std::string_view payload, Writer&)>;

// How long which data is kept; the table of all tiers is in SCHEMA.md. What a run has in total, its attempts, facts, findings from warning
// up, incidents and global scalars live as long as the run.
struct Retention {
  static constexpr DurNs kDay = 24LL * 3600 * kNsPerSecond;
  DurNs pyramids = 90 * kDay;
  DurNs samples = 2 * kDay;  // raw samples of metric series
  DurNs kernel_spans = kDay;
  DurNs spans = 90 * kDay;  // all others
  DurNs captures = 90 * kDay;
  DurNs logs = 30 * kDay;
  DurNs scalars = 30 * kDay;                // of ranks: every step; then thinned
  DurNs thinned = 365 * kDay;               // of ranks: thinned; then nothing
  DurNs events = 365 * kDay;                // below warning
  DurNs findings = 90 * kDay;               // below warning, and what findings said before
  DurNs ended = 90 * kDay;                  // of ended attempts: progress, groups, tracks and series without data
  DurNs clocks = 30 * kDay;                 // every stored reading; then two a node and day
  DurNs streams = 90 * kDay;                // high-water marks that no longer move
  std::int64_t max_log_lines = 20'000'000;  // 0 = no cap; what goes then is told as an issue
  std::int64_t max_bytes = 0;               // 0 = no cap
  DurNs budget = 0;                         // work about so long, and leave the rest to the next call; 0 = to the end
};

struct DiskSpace {
  std::int64_t free_bytes = 0, total_bytes = 0;
};

struct WriterOptions {
  JournalReplay replay;                                  // required when the journal is not empty; without it open() fails and says so
  std::int64_t replay_portion = std::int64_t{64} << 20;  // of the journal: a commit after each
  bool power_safe = false;                               // grouped fdatasync of the journal, <= 200 ms
  std::string contact;                                   // HOST:PORT where the holder of the lock takes edits; written into the lock file
  std::int64_t max_pages = 0;                            // > 0: the file may not grow beyond so many pages of 4 KiB
  DurNs late_idle = 60 * kNsPerSecond;                   // what came late leaves memory once nothing came for so long, or twice that
  DurNs idle = 300 * kNsPerSecond;  // series, tracks, ended attempts and streams leave memory once nothing came for so long
  // What the store's disk has left; absent: not known, nothing is held back. Empty: statvfs(). Tests give their own. On any thread.
  std::function<std::optional<DiskSpace>(const std::string& path)> disk_space;
  // The network filesystem that a folder lies on; empty: it is this machine's own. Empty: sharedFilesystem(). Tests give their own.
  std::function<std::string(const std::string& folder)> filesystem;
};

// Retention leaves alone what an incident is about and so much before and after it.
inline constexpr DurNs kIncidentMargin = 60 * kNsPerSecond;

class Writer : public MirrorRecorder, public RankPlaces {
 public:
  // Creates the file if it is missing, migrates older schemas (after a copy of the file), replays the journal.
  static Result<std::unique_ptr<Writer>> open(const std::string& path, WriterOptions options = {});

  // --- exactly-once ingest -------------------------------------------------------------------------------------------
  // Appends one batch to the journal. kNew/kAfterGap: durable against kill -9 once this returns and the caller may acknowledge,
  // then must record() its content, in the order of journaling, before the next flush begins. kDuplicate: acknowledge, record nothing.
  // RESOURCE_EXHAUSTED while the disk has no room for it and for storing what waits: a journal that took the last bytes could never be
  // stored. Nothing was taken then; flush() may make room.
  virtual Result<Arrival> journal(const StreamKey& stream, std::uint64_t seq, std::string_view payload) = 0;
  // Journals many batches with one write(2). Same rules, in order.
  struct JournalEntry {
    const StreamKey* stream;
    std::uint64_t seq;
    std::string_view payload;
  };
  virtual Result<std::vector<Arrival>> journal(std::span<const JournalEntry> entries) = 0;
  // Next sequence number wanted from a stream (high-water mark + 1; 0 for an unknown stream).
  virtual std::uint64_t resumeFrom(const StreamKey& stream) = 0;
  // Null: an agent that this store does not know. setIdentity() is stored with the next flush. Both also while a commit runs.
  virtual const AgentIdentity* identityOf(const std::string& agent) const = 0;
  virtual void setIdentity(const AgentIdentity& identity) = 0;
  // Grows whenever a flush begins with a journal that is not empty. Whatever later payloads need in order to be decoded alone (the wire's
  // dictionary) must be journaled again after it grew.
  virtual std::uint64_t journalEpoch() const = 0;
  // Acknowledged and not committed.
  virtual std::int64_t journalBytes() const = 0;
  // The first failure of a Recorder's call since the last flush; flush() does not return it any more. Call it after each batch: what failed
  // has no effect on the others.
  virtual Status takeFailure() = 0;
  // A batch that was journaled and could not be recorded: its payload goes to <store>-ingest.bad, and an issue names it. The high-water
  // mark moves over it.
  virtual void setAside(const StreamKey& stream, std::uint64_t seq, std::string_view payload, const Status& why) = 0;
  // With power_safe: what was journaled survives a power cut only once this returned. Otherwise it does nothing.
  virtual Status syncJournal() = 0;

  // Makes all recorded data visible to other processes and truncates the journal (one transaction). Recorder::flush().
  // Decides by itself whether a commit is due (10 s, 64 MiB of journal, or sooner while that is cheap); call it often (~20 Hz).
  virtual Status flushIfDue() = 0;

  // --- storing on another thread -------------------------------------------------------------------------------------
  // flush(), flushIfDue() and applyRetention() in three parts, so that batches are journaled and acknowledged meanwhile: begin, runBegun()
  // on any thread, endBegun(). In between only journal(), resumeFrom(), identities, journalEpoch(), syncJournal() and liveTail() may be
  // used: what is journaled then is recorded after the end. Where it fails everything stays as it was, and the next flush stores it.
  virtual Status beginFlush() = 0;
  virtual Result<bool> beginFlushIfDue() = 0;  // false: nothing is due, and nothing has begun
  virtual Status beginRetention(const Retention& policy, TimeNs now) = 0;
  virtual void runBegun() = 0;
  // What applyRetention() returns; of a flush true.
  virtual Result<bool> endBegun() = 0;

  // --- the rest ------------------------------------------------------------------------------------------------------
  // Values recorded but not yet committed, for Readers of this process.
  virtual std::shared_ptr<const LiveTail> liveTail() const = 0;
  // Upsert by (run, kind, subject, first_step). What it said before is kept where that was told (Finding::told): Reader::tellings().
  virtual void finding(const Finding& finding) = 0;
  // Upsert by (rule, cause, since); committed when it returns OK. The newest kMaxAlerts are kept.
  static constexpr std::int64_t kMaxAlerts = 20'000;
  virtual Status alerts(std::span<const Alert> alerts) = 0;
  // Upsert by uuid, as it is with its times (now where absent), and what it pins; committed when it returns OK. Of people: edit().
  virtual Status incident(const Incident& incident) = 0;
  // Committed when it returns OK, and then visible to every Reader. INVALID_ARGUMENT see checkEdit(), or shifts
  // that contradict each other; NOT_FOUND no such run, attempt or
  // note (names it); ABORTED an incident that was changed since it was read; those of flush().
  virtual Status edit(const Edit& edit) = 0;
  // The store is about this incident: programs open it there.
  virtual Status setIncident(std::string_view uuid) = 0;
  // What mark() said last, of this life or an earlier one; absent: the store is no copy of another one.
  virtual const std::optional<MirrorMark>& mirror() const = 0;
  // Re-import state per file: content identity and committed offset.
  struct ImportMark {
    std::string identity;
    std::int64_t offset = 0;
    RunId run;
    std::string state;
  };
  virtual std::optional<ImportMark> importMark(std::string_view path_key) = 0;
  virtual void setImportMark(std::string_view path_key, const ImportMark& mark) = 0;
  virtual Result<Run> findRun(std::string_view name) = 0;          // NOT_FOUND when there is none
  virtual void pin(TimeRange range, std::string_view reason) = 0;  // exempt from retention
  // False: the budget was spent before all was done.
  virtual Result<bool> applyRetention(const Retention& policy, TimeNs now) = 0;
  // Raises or lowers WriterOptions::max_pages; never below what is in use.
  virtual void setMaxPages(std::int64_t pages) = 0;
  // Flush, fold the journal, truncate the WAL, journal_mode=DELETE: afterwards the single file is the whole store.
  virtual Status close() = 0;
};

// Who waits for an export: ends it (CANCELLED, and nothing is left of it) and is told, on the calling thread, how large the new store is so
// far.
struct ExportWatch {
  std::stop_token stop;
  std::function<void(std::int64_t bytes)> written;
};
// Copies a run (or its slice in `range`) with all that belongs to it into a new store at `to`. ALREADY_EXISTS if `to` exists.
Status exportRun(const std::string& from, RunId run, TimeRange range, const std::string& to, const ExportWatch& watch = {});
// The same with what an incident needs and no more; the store knows that it is about it. NOT_FOUND: there is no such incident.
Status exportIncident(const std::string& from, std::string_view uuid, DurNs margin, const std::string& to, const ExportWatch& watch = {});

}  // namespace runglass
