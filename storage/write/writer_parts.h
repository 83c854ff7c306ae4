// SPDX-License-Identifier: Apache-2.0
// What a StoreWriter keeps at hand: its prepared statements, marks of streams, the commit that has begun, what waits for it. Internal to
// storage.
//
// Threading:  the writer's; a Begun is runBegun()'s while that runs.
// Ownership:  values.
// Units:      TimeNs.
// Errors:     none.
// Cost:       none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "storage/maintain/retention.h"
#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"
#include "storage/writer.h"

namespace runglass {

// The limit on a store's size: what is refused, and how much was. The rules are in store_cap.cpp.
struct SizeCap {
  enum class Refusing : std::uint8_t { kNothing, kSamples, kScalarsToo };

  void judge(bool nothing_to_delete);
  bool refusesSamples() const { return refusing != Refusing::kNothing; }

  Refusing refusing = Refusing::kNothing;
  std::int64_t refused = 0;          // points, spans, lines and captures since the last flush
  std::int64_t bytes = 0, used = 0;  // of the newest retention's policy; after the newest commit
};

struct WriterStatements {
  sqlite::Statement chunk, pyramid, span_chunk, extent, known_extent, small_pyramids, drop_pyramid, drop_chunk;
  sqlite::Statement late_pyramids, pyramid_counts, expired, copied;  // of summaries
};

struct StreamState {
  std::uint64_t next_seq = 0;
  bool changed = false;
  TimeNs touched = 0;  // as LiveSeries::touched
};

// What begin...() left to runBegun() and endBegun().
struct Begun {
  enum class Save { kNothing, kCatalog, kAll };
  Save save = Save::kNothing;
  bool flush = false;                                      // false: the catalogue alone, or retention alone
  bool journal = true;                                     // false: it is being replayed, and stays as it is
  bool journaled = false;                                  // the journal holds something
  std::vector<std::pair<StreamKey, std::uint64_t>> marks;  // as they were then, of streams that moved
  std::vector<AgentIdentity> agents;                       // that changed
  std::optional<Retention> retention;
  TimeNs now = 0;  // of retention
  // What came of it.
  bool saved = false;
  bool durable = false;  // a power cut cannot undo it
  Status status;
  RetentionOutcome outcome;
};

// What is recorded and not committed yet, and what the files of StoreWriter remember between commits.
struct WriterState {
  std::vector<SeriesId> m_dirty_series;
  std::size_t m_open_chunks = 0, m_chunk_limit = kChunkPoints;  // main and late ones
  std::vector<SeriesId> m_late_series;                          // that have a late chunk
  std::size_t m_next_late = 0;                                  // to look at in this pass over them
  TimeNs m_late_pass = 0;                                       // when it began
  std::vector<TrackId> m_dirty_tracks;
  std::map<StreamKey, StreamState> m_streams;  // those in use; the file has all that are committed
  bool m_streams_changed = false, m_mirror_changed = false;
  std::map<std::string, AgentIdentity> m_agents;
  std::set<std::string> m_changed_agents;
  std::unordered_set<std::string> m_known_issues;                 // code and source, of the file and of what waits
  std::unordered_map<std::string, std::size_t> m_pending_issues;  // of what waits, its place in the tail
  std::vector<Finding> m_findings;
  std::map<std::string, Writer::ImportMark> m_marks;
  std::vector<std::pair<TimeRange, std::string>> m_pins;
  std::optional<MirrorMark> m_mirror;
  std::map<SeriesId, std::pair<SeriesExtent, std::optional<LatestSample>>> m_widened;  // by summaries of the commit that is going on
  std::map<SeriesId, Summaries> m_summaries;  // since the last flush; stored in this order, which is that of the rows
  std::uint64_t m_first_new_series = 0;       // ids from here on have nothing in the file
  std::int64_t m_next_chunk = 1, m_next_span_chunk = 1, m_next_event = 1, m_next_log = 1, m_next_capture = 1, m_next_pyramid = 1;
  std::optional<Begun> m_begun;
  Status m_failure;                 // the first since the last flush
  bool m_replaying_stored = false;  // a batch that is in the file: its declarations count, its data do not
  // What the file cannot take of a series or track goes on in another one.
  std::unordered_map<SeriesId, SeriesId> m_continued_series;
  std::unordered_map<TrackId, TrackId> m_continued_tracks;
  std::vector<std::pair<TrackId, Status>> m_refused_tracks;   // by the commit that is going on, and why
  bool m_catalog_refused = false;                             // so that a full commit is due
  bool m_refused_locally = false;                             // by a row or a page, not by the disk or another process
  std::set<std::uint32_t> m_kept_refused;                     // checksums of what the .bad file has of a commit that has not succeeded yet
  std::deque<Judgements> m_judgements;                        // not committed yet
  std::int64_t m_pending_bytes = 0;                           // of sealed chunks and rows that are not in the file
  std::int64_t m_flushed_bytes = 0, m_flushed_log_bytes = 0;  // by the flush that is going on; of log lines
  SizeCap m_cap;
  TimeNs m_tick = 0, m_next_eviction = 0;  // m_tick: the newest flush began then; monotonic
  TimeNs m_last_flush = 0, m_last_catalog_commit = 0;
  DurNs m_flush_cost = 0, m_log_cost = 0, m_catalog_cost = 0;  // of log lines apart
  DurNs m_write_debt = 0;                                      // time to wait so that rewriting open chunks stays below kRewriteRate
  bool m_retention_unfinished = false, m_closed = false;
  bool m_new = false;         // this object made the file
  bool m_close_told = false;  // a failed close() was reported to its caller: the destructor says it no second time
};

}  // namespace runglass
