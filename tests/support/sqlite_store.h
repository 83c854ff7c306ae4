// SPDX-License-Identifier: Apache-2.0
// openDatabase: a store opened to be changed by SQL, through the VFS that the programs use: other openers leave pages without their
// checksums. A file that is not there is made as older programs made stores, without room for checksums.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <string>

#include "storage/sqlite/page_checksum_vfs.h"

namespace runglass::test {

inline int openDatabase(const std::string& path, sqlite3** db) {
  return sqlite3_open_v2(path.c_str(), db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                         std::filesystem::exists(path) ? sqlite::storeVfs() : nullptr);
}

}  // namespace runglass::test
