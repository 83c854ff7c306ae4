// SPDX-License-Identifier: Apache-2.0
// Which data of a store is thinned or deleted, and in which order; the table is in docs/formats/schema.md. Internal to storage:
// Writer::applyRetention is this.
//
// Threading:  the writer's thread, outside a transaction.
// Ownership:  borrows the connection.
// Units:      TimeNs, bytes.
// Errors:     those of SQLite; what was deleted before a failure stays deleted (batches commit one by one). A damaged page is none: what
//             it hits stays, is in `unread`, and all else goes.
// Cost:       an index range per metric series, transactions of at most 2,000 rows (5,000 log lines), then the freed pages
//             go back to the disk; for about policy.budget, if it has one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/ids.h"
#include "model/result.h"
#include "storage/sqlite/connection.h"
#include "storage/writer.h"

namespace runglass {

struct RetentionOutcome {
  std::int64_t sample_chunks = 0, pyramids = 0, span_chunks = 0, captures = 0;  // rows deleted
  std::int64_t log_lines = 0, logs_beyond_cap = 0;                              // by age or for room; because there were too many
  std::int64_t thinned_points = 0;                                              // of scalars
  std::int64_t rows = 0;                                                        // of all other tables
  std::vector<SeriesId> deleted_series;                                         // whole
  std::int64_t used_bytes = 0;                                                  // what the file needs
  bool unfinished = false;                                                      // the budget was spent before all was done
  // By table: what stays because its pages, or those of an index, cannot be read.
  struct Unread {
    std::set<std::string> objects;  // some of them
    std::int64_t count = 0;
    std::string why;
  };
  std::map<std::string, Unread> unread;
  bool over_cap = false;  // all that may be deleted is gone, and the file is still larger than the policy's cap
};

struct RetentionScope {
  // What the writer holds in memory stays.
  std::function<bool(AttemptId)> attempt_in_use;
  std::function<bool(SeriesId)> series_in_use;
  std::int64_t next_chunk = 1;  // the id of the next chunk to be sealed
};

// Pinned ranges are exempt from everything.
Result<RetentionOutcome> retain(sqlite::Connection& db, const Retention& policy, TimeNs now, const RetentionScope& scope);

Result<std::int64_t> usedBytes(sqlite::Connection& db);

}  // namespace runglass
