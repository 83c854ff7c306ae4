// SPDX-License-Identifier: Apache-2.0
// The relations of the contract that are views: their CREATE TEMP VIEW statements.
//
// Threading:  immutable.
// Ownership:  static storage.
// Units:      int64 ns UTC; absent is NULL.
// Errors:     none. They name the function issue_severity(code), which the session registers.
// Cost:       none.
#pragma once

#include <span>
#include <string_view>

namespace runglass::sql {

std::span<const std::string_view> viewDefinitions();

}  // namespace runglass::sql
