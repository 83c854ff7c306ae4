// SPDX-License-Identifier: Apache-2.0
// SQL aggregates that SQLite does not have: percentile(x, p), median(x), stddev(x). docs/formats/sql.md is their reference.
#pragma once

#include <cstddef>
#include <string>

#include "model/result.h"

struct sqlite3;

namespace runglass::sql {

inline constexpr std::size_t kMaxValues = std::size_t{1} << 26;  // per percentile: 512 MiB; more end the query with an error

Status addStatistics(sqlite3* db, const std::string& path);

}  // namespace runglass::sql
