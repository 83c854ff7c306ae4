// SPDX-License-Identifier: Apache-2.0
// Returns the free pages of a store to the file system: pages from the end of the file move into them. Internal to storage.
//
// Threading:  the thread of the connection, outside a transaction.
// Errors:     those of SQLite except DATA_LOSS. A batch is one transaction.
// Cost:       reads and writes the pages that move.
#pragma once

#include <functional>
#include <string>

#include "model/result.h"
#include "storage/sqlite/connection.h"

namespace runglass {

struct GivenBack {
  bool unfinished = false;  // stopped between two batches
  std::string damage;       // the page at the end of the file that cannot be moved: free pages before it stay in the file; empty: none
};
// `stop` is called after each batch.
Result<GivenBack> giveBackPages(sqlite::Connection& db, const std::function<bool()>& stop);

}  // namespace runglass
