// SPDX-License-Identifier: Apache-2.0
// A store's schema: made in a new file, and brought to the newest version in an older one. Internal to storage.
//
// Threading:  the writer's thread, which holds the store's lock.
// Errors:     those of SQLite; RESOURCE_EXHAUSTED the disk has no room for the copy. The store is then of the last version that was
//             completed, and the copy is whole or not there.
// Cost:       migrateSchema(): one copy of the file, and the scripts.
#pragma once

#include <string>

#include "storage/schema/schema.h"
#include "storage/sqlite/connection.h"

namespace runglass {

// In a file without tables; page size and auto_vacuum are set with it.
Status createSchema(sqlite::Connection& db, const SchemaHistory& history);
// Runs the scripts after `version`, which checkSchema() accepts, each in one transaction, after <path>.schemaVERSION was made of the file.
Status migrateSchema(sqlite::Connection& db, const std::string& path, std::int64_t version, const SchemaHistory& history);

}  // namespace runglass
