// SPDX-License-Identifier: Apache-2.0
// Checks every checksum and invariant of a store. Internal to storage: the implementation of Reader::verify.
//
// Threading:  the connection's thread.
// Ownership:  borrows the connection.
// Errors:     CANCELLED by the stop token. Damage is the result, not an error: one line per damaged object, naming it.
// Cost:       reads and decodes the whole file once, in one read transaction; memory is one series' pyramid at a time.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "model/result.h"
#include "storage/sqlite/connection.h"

namespace runglass {

Result<std::vector<std::string>> verifyStore(sqlite::Connection& db, std::stop_token stop);

}  // namespace runglass
