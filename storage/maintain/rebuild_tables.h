// SPDX-License-Identifier: Apache-2.0
// Rebuilds damaged tables of a store in the same file from the rows that can be read. Internal to storage.
//
// Threading:  any thread; no other process or Writer may have the store open for writing.
// Errors:     DATA_LOSS where a damaged table cannot be rebuilt: the header, the schema, rg_meta, the high-water marks of rg_stream and, in
//             files above kRebuildBytes, tables of samples, spans, events and log lines.
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

// Returns what was rebuilt and what is lost; empty where no damage was found. The damaged table stays in the file as damaged_TABLE_N, which
// only verify reads. All of it is one transaction.
Result<std::vector<LostObject>> rebuildDamagedTables(const std::string& path, const std::string& contact);

// Key in rg_meta: the first id for new rows of a table that has lost rows.
inline std::string firstIdKey(std::string_view table) { return "first_id." + std::string(table); }
// Reserves the ids of lost rows: chunks, spans and copies elsewhere may still refer to them.
Status reserveIds(sqlite::Connection& db, const std::string& table);
// For VALUES: the id of a new row of a table whose ids SQLite assigns. NULL (the largest id plus one) unless ids are reserved.
std::string newId(const std::string& table, const std::string& column);

}  // namespace runglass
