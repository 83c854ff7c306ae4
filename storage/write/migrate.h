// SPDX-License-Identifier: Apache-2.0
// Creates a store's schema in a new file, and migrates that of an older one to the newest version. Internal to storage.
//
// Threading:  the writer's thread, which holds the store's lock.
// Errors:     those of SQLite; RESOURCE_EXHAUSTED: the disk has no room for the copy. The store then has the last version that was
//             completed, and the copy is complete or absent.
// Cost:       migrateSchema(): one copy of the file, and the scripts.
#pragma once

#include <string>

#include "storage/schema/schema.h"
#include "storage/sqlite/connection.h"

namespace runglass {

// For a file without tables; also sets page size and auto_vacuum.
Status createSchema(sqlite::Connection& db, const SchemaHistory& history);
// Copies the file to <path>.schemaVERSION, then runs the scripts after `version`, which checkSchema() accepts, each in one transaction.
Status migrateSchema(sqlite::Connection& db, const std::string& path, std::int64_t version, const SchemaHistory& history);

}  // namespace runglass
