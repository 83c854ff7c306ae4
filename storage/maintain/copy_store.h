// SPDX-License-Identifier: Apache-2.0
// Copies a store's bytes, damaged and free pages included. SQLite's own methods (VACUUM INTO, the backup interface) read each page and stop
// at the first one that does not match its checksum. Internal to storage.
//
// Threading:  the thread of the connection, outside a transaction. Others may read the store meanwhile, but not write it.
// Errors:     RESOURCE_EXHAUSTED: the disk is full; else UNAVAILABLE and those of SQLite.
// Cost:       reads and writes the file once, and syncs the copy.
#pragma once

#include <string>

#include "model/result.h"
#include "storage/sqlite/connection.h"

namespace runglass {

// The copy gets its name when it is complete and on disk: one file, readable by its owner alone. A full disk or a kill leaves at most a
// .part file.
Status copyStore(sqlite::Connection& db, const std::string& to);

}  // namespace runglass
