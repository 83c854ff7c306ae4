// SPDX-License-Identifier: Apache-2.0
// The rows of a table that can be read, out of a damaged database into another one. Internal to storage.
//
// Threading:  the connections' thread.
// Errors:     CANCELLED by the stop token, those of the database that is written. What cannot be read is reported, not an error.
// Cost:       reads and writes each row once; some lookups for each damaged page.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "model/result.h"
#include "storage/maintain/repair_store.h"
#include "storage/sqlite/connection.h"

namespace runglass {

// Of `table`, which both databases have, the columns that both have; appends what is lost. The number of rows copied.
Result<std::int64_t> salvageRows(sqlite::Connection& from, sqlite::Connection& to, const std::string& table, std::vector<LostObject>& lost,
                                 const std::stop_token& stop);

}  // namespace runglass
