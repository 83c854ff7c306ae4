// SPDX-License-Identifier: Apache-2.0
// openDatabase: opens a store to change it by SQL, through the VFS that the programs use: other ways of opening leave pages without their
// checksums. A new file is created as older programs did, without space for checksums.
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
