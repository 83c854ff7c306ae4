// SPDX-License-Identifier: Apache-2.0
// Gives the free pages of a store back to the file system: pages from its end move into them. Internal to storage.
//
// Threading:  the thread of the connection, outside a transaction.
// Units:      TimeNs.
// Errors:     those of SQLite but DATA_LOSS. A batch is one transaction.
// Cost:       reads and writes the pages that move.
#pragma once

#include <functional>
#include <string>

#include "model/result.h"
#include "storage/sqlite/connection.h"

namespace runglass {

struct GivenBack {
  bool unfinished = false;  // stopped between two batches
  std::string damage;       // the page at the file's end that cannot be moved: what is free before it stays in the file; empty: none is
};
// `stop` is asked after each batch.
Result<GivenBack> giveBackPages(sqlite::Connection& db, const std::function<bool()>& stop);

}  // namespace runglass
