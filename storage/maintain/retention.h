// SPDX-License-Identifier: Apache-2.0
// Which data of a store is thinned or deleted, and in which order; the table is in docs/formats/schema.md. Internal to storage: the
// implementation of Writer::applyRetention.
//
// Threading:  the writer's thread, outside a transaction.
// Ownership:  borrows the connection.
// Units:      TimeNs, bytes.
// Errors:     those of SQLite; deletions before a failure are kept (batches commit one by one). A damaged page is not an error: the rows it
//             affects stay and are listed in `unread`; all others are deleted.
// Cost:       an index range per metric series, transactions of at most 2,000 rows (5,000 log lines), then returning the freed pages to the
//             disk; takes about policy.budget, if set.
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
  std::int64_t log_lines = 0, logs_beyond_cap = 0;                              // by age or for space; because of the cap on their number
  std::int64_t thinned_points = 0;                                              // of scalars
  std::int64_t rows = 0;                                                        // of all other tables
  std::vector<SeriesId> deleted_series;                                         // deleted completely
  std::int64_t used_bytes = 0;                                                  // in use in the file
  bool unfinished = false;                                                      // the budget was spent before everything was done
  // By table: rows that stay because their pages, or those of an index, cannot be read.
  struct Unread {
    std::set<std::string> objects;  // some of them
    std::int64_t count = 0;
    std::string why;
  };
  std::map<std::string, Unread> unread;
  bool over_cap = false;  // everything deletable is deleted, and the file is still larger than the policy's cap
};

struct RetentionScope {
  // Rows that the writer holds in memory stay.
  std::function<bool(AttemptId)> attempt_in_use;
  std::function<bool(SeriesId)> series_in_use;
  std::int64_t next_chunk = 1;  // the id of the next chunk to be sealed
};

// Pinned ranges are exempt from all rules.
Result<RetentionOutcome> retain(sqlite::Connection& db, const Retention& policy, TimeNs now, const RetentionScope& scope);

Result<std::int64_t> usedBytes(sqlite::Connection& db);

}  // namespace runglass
