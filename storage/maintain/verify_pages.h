// SPDX-License-Identifier: Apache-2.0
// Checks the page checksums of a store, and finds the tables and indexes that damaged pages belong to. Internal to storage.
//
// Threading:  the connection's thread, within a read transaction.
// Errors:     CANCELLED by the stop token. Damage is reported to `damaged`, one line per object.
// Cost:       reads the whole file once; where a page is damaged, each table and index again.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "model/result.h"
#include "storage/sqlite/connection.h"

namespace runglass {

Status verifyPages(sqlite::Connection& db, const std::stop_token& stop, const std::function<void(std::string)>& damaged);

}  // namespace runglass
