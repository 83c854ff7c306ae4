// SPDX-License-Identifier: Apache-2.0
// Damaged tables of a store, made anew in the same file from the rows that can be read. Internal to storage.
//
// Threading:  any thread; no other process or Writer may have the store open for writing.
// Errors:     DATA_LOSS where a table that cannot be made anew is damaged: the header, the schema, rg_meta, the high-water marks of
//             rg_stream and, in files above kRebuildBytes, tables of samples, spans, events and log lines.
// Cost:       reads each table that it may rebuild once, and writes the damaged ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "storage/maintain/repair_store.h"
#include "storage/sqlite/connection.h"

namespace runglass {

inline constexpr std::int64_t kRebuildBytes = std::int64_t{256} << 20;

// What was rebuilt and what is lost of it, empty where no damage was found. The damaged table stays in the file as damaged_TABLE_N, which
// nothing reads but verify. All of it is one transaction.
Result<std::vector<LostObject>> rebuildDamagedTables(const std::string& path, const std::string& contact);

// In rg_meta: where the ids of new rows of a table begin that has lost some.
inline std::string firstIdKey(std::string_view table) { return "first_id." + std::string(table); }
// After rows were lost: chunks, spans and copies elsewhere still name them.
Status reserveIds(sqlite::Connection& db, const std::string& table);
// For VALUES: the id of a new row of a table of which SQLite gives the ids. NULL, which is the largest and one, unless ids are reserved.
std::string newId(const std::string& table, const std::string& column);

}  // namespace runglass
