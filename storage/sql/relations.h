// SPDX-License-Identifier: Apache-2.0
// The relations of the contract that are views: their CREATE TEMP VIEW statements. They use functions that the session registers:
// issue_severity(code), corrected(time, node_id, attempt_id, rank), capture_text(body, packed, bytes).
//
// Threading:  immutable.
// Units:      int64 ns UTC; absent is NULL.
// Cost:       without `correcting`, times are plain columns, so that the indexes on them can be used.
#pragma once

#include <string>
#include <vector>

namespace runglass::sql {

std::vector<std::string> viewDefinitions(bool correcting);

}  // namespace runglass::sql
