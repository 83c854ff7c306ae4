// SPDX-License-Identifier: Apache-2.0
// FileMaintenance: the tasks of a store file's writer (retention, limits, orderly close), and exports from such a store.
//
// Threading:  the store writer's thread; exportRun() and exportIncident(): any.
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

// Retention per kind of data; docs/formats/schema.md has the table of all tiers. The totals of a run, its attempts, facts, findings of
// severity warning and above, incidents and global scalars are kept as long as the run.
struct Retention {
  static constexpr DurNs kDay = 24LL * 3600 * kNsPerSecond;
  DurNs pyramids = 90 * kDay;
  DurNs samples = 2 * kDay;  // raw samples of metric series
  DurNs kernel_spans = kDay;
  DurNs spans = 90 * kDay;  // all others
  DurNs captures = 90 * kDay;
  DurNs logs = 30 * kDay;
  DurNs scalars = 30 * kDay;                // of ranks: every step; then thinned
  DurNs thinned = 365 * kDay;               // of ranks: thinned; then deleted
  DurNs events = 365 * kDay;                // below warning
  DurNs findings = 90 * kDay;               // below warning, and earlier versions of findings
  DurNs ended = 90 * kDay;                  // of ended attempts: progress, groups, tracks and series without data
  DurNs clocks = 30 * kDay;                 // every stored reading; then two per node and day
  DurNs streams = 90 * kDay;                // high-water marks that no longer move
  std::int64_t max_log_lines = 20'000'000;  // 0 = no cap; lines deleted because of the cap are reported as an issue
  std::int64_t max_bytes = 0;               // 0 = no cap
  DurNs budget = 0;                         // maximum working time; the rest is left to the next call; 0 = no limit
};

// What is refused because the file is at max_bytes and nothing more may be deleted. kAll: the caller must take no data at all, since what a
// Writer never refuses would pass the cap by a tenth.
enum class CapRefuses : std::uint8_t { kNothing, kSamples, kScalarsToo, kAll };

struct DiskSpace {
  std::int64_t free_bytes = 0, total_bytes = 0;
};

// Retention also keeps the data of this margin before and after an incident.
inline constexpr DurNs kIncidentMargin = 60 * kNsPerSecond;

class FileMaintenance {
 public:
  virtual ~FileMaintenance() = default;

  // Values recorded but not yet committed, for Readers of this process.
  virtual std::shared_ptr<const LiveTail> liveTail() const = 0;
  // The last mark() of this writer or an earlier one; absent: the store is not a replica.
  virtual const std::optional<MirrorMark>& mirror() const = 0;
  // False: the budget was spent before everything was done.
  virtual Result<bool> applyRetention(const Retention& policy, TimeNs now) = 0;
  // The same in three parts, see Ingest::beginFlush().
  virtual Status beginRetention(const Retention& policy, TimeNs now) = 0;
  // Changes at the end of a commit and of retention.
  virtual CapRefuses capRefuses() const = 0;
  // Changes WriterOptions::max_pages; never below the pages in use.
  virtual void setMaxPages(std::int64_t pages) = 0;
  // Flush, fold the journal, truncate the WAL, journal_mode=DELETE: afterwards the single file is the whole store.
  virtual Status close() = 0;
};

// Cancels an export (CANCELLED; no files remain) and receives the current size of the new store, on the calling thread.
struct ExportWatch {
  std::stop_token stop;
  std::function<void(std::int64_t bytes)> written;
};
// Copies a run (or its slice in `range`) with all rows that belong to it into a new store at `to`. ALREADY_EXISTS if `to` exists.
Status exportRun(const std::string& from, RunId run, TimeRange range, const std::string& to, const ExportWatch& watch = {});
// The same for the data that an incident needs, and nothing else; the new store records which incident it is about. NOT_FOUND: no such
// incident.
Status exportIncident(const std::string& from, std::string_view uuid, DurNs margin, const std::string& to, const ExportWatch& watch = {});

}  // namespace runglass
