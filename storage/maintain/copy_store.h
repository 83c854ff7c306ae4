// SPDX-License-Identifier: Apache-2.0
// A copy of a store's bytes, damaged pages and free ones included: SQLite's own ways (VACUUM INTO, the backup interface) read each page and
// stop at one that does not match its checksum. Internal to storage.
//
// Threading:  the thread of the connection, outside a transaction. Others may read the store meanwhile, none writes it.
// Errors:     RESOURCE_EXHAUSTED the disk is full; else UNAVAILABLE and those of SQLite.
// Cost:       reads and writes the file once, and syncs the copy.
#pragma once

#include <string>

#include "model/result.h"
#include "storage/sqlite/connection.h"

namespace runglass {

// Under its name it is whole and on the disk, one file that its owner alone can read: a full disk or a kill leaves at most a .part.
Status copyStore(sqlite::Connection& db, const std::string& to);

}  // namespace runglass
