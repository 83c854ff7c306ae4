// SPDX-License-Identifier: Apache-2.0
// Deletes complete runs from a store and returns its free pages to the file system.
//
// Threading:  one thread.
// Ownership:  a deletion holds the store's lock until it returns.
// Units:      bytes, TimeNs.
// Errors:     those of Store::writer() (ALREADY_EXISTS: another process writes the store) and of SQLite. A deletion is one transaction: if
//             it fails, nothing is deleted.
// Cost:       a scan of the rows to delete. The -wal file needs room for the pages that change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/result.h"
#include "model/topology.h"
#include "storage/writer.h"

namespace runglass {

struct DeletionWanted {
  RunId run;                     // this run, or
  std::optional<TimeNs> before;  // runs that ended before it, and rows that nodes recorded before it outside of attempts
};

struct Deletion {
  std::vector<std::string> runs;                             // names
  std::vector<std::pair<std::string, std::int64_t>> rows;    // by table; tables without rows are left out
  std::int64_t data_bytes = 0;                               // of chunks, texts and captures in these rows
  std::int64_t file_bytes_before = 0, file_bytes_after = 0;  // equal in a preview
  std::string not_given_back;                                // why free pages stay in the file, and what to do about it; empty: none do
};

// What would be deleted. Read-only; also while a writer has the store open.
Result<Deletion> previewDeletion(const std::string& store, const DeletionWanted& wanted);
Result<Deletion> deleteRuns(const std::string& store, const DeletionWanted& wanted, WriterOptions options);

struct Compaction {
  std::int64_t file_bytes_before = 0, file_bytes_after = 0;
  std::string not_given_back;  // as in Deletion
};
Result<Compaction> compactStore(const std::string& store, WriterOptions options);

}  // namespace runglass
