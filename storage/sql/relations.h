// SPDX-License-Identifier: Apache-2.0
// The relations of the contract that are views: their CREATE TEMP VIEW statements.
//
// Threading:  immutable.
// Units:      int64 ns UTC; absent is NULL.
// Errors:     none. They name functions that the session registers: issue_severity(code), corrected(time, node_id, attempt_id, rank),
//             capture_text(body, packed, bytes).
// Cost:       none. Without `correcting`, times are columns, so that the indices on them serve.
#pragma once

#include <string>
#include <vector>

namespace runglass::sql {

std::vector<std::string> viewDefinitions(bool correcting);

}  // namespace runglass::sql
