// SPDX-License-Identifier: Apache-2.0
// FileMaintenance: what a store that is a file needs of its writer: retention, limits, an orderly end. And copies of such a store.
//
// Threading:  the store writer's thread; exportRun() and exportIncident() any.
// Errors:     those of SQLite and of the disk.
// Cost:       applyRetention() is bounded by Retention::budget; an export reads the run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "model/mirror_recorder.h"
#include "model/result.h"
#include "model/time.h"

namespace runglass {

class LiveTail;

// How long which data is kept; the table of all tiers is in docs/formats/schema.md. What a run has in total, its attempts, facts, findings
// from warning up, incidents and global scalars live as long as the run.
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

// Retention leaves alone what an incident is about and so much before and after it.
inline constexpr DurNs kIncidentMargin = 60 * kNsPerSecond;

class FileMaintenance {
 public:
  virtual ~FileMaintenance() = default;

  // Values recorded but not yet committed, for Readers of this process.
  virtual std::shared_ptr<const LiveTail> liveTail() const = 0;
  // What mark() said last, of this life or an earlier one; absent: the store is no copy of another one.
  virtual const std::optional<MirrorMark>& mirror() const = 0;
  // False: the budget was spent before all was done.
  virtual Result<bool> applyRetention(const Retention& policy, TimeNs now) = 0;
  // The same in parts, see Ingest::beginFlush().
  virtual Status beginRetention(const Retention& policy, TimeNs now) = 0;
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
