// SPDX-License-Identifier: Apache-2.0
// Copies the readable rows of a table from a damaged database into another one. Internal to storage.
//
// Threading:  the connections' thread.
// Errors:     CANCELLED by the stop token, those of the target database. Unreadable rows are reported in `lost`, not as an error.
// Cost:       reads and writes each row once; some lookups per damaged page.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "model/result.h"
#include "storage/maintain/repair_store.h"
#include "storage/sqlite/connection.h"

namespace runglass {

// Copies the columns of `table` that both databases have; appends the lost rows to `lost`. Returns the number of rows copied.
Result<std::int64_t> salvageRows(sqlite::Connection& from, sqlite::Connection& to, const std::string& table, std::vector<LostObject>& lost,
                                 const std::stop_token& stop);

}  // namespace runglass
