// SPDX-License-Identifier: Apache-2.0
// The SQLite VFS of stores, a shim over the default one: it writes a checksum at the end of each page and checks it on each read. Pages
// read from the -wal are checked by the checksums that SQLite writes there. Internal to storage.
//
// Threading:  any thread; a connection's files belong to its thread.
// Errors:     a mismatch gives SQLite kPageDamaged, which fails the statement but not the transaction around it.
// Cost:       0.2 us per page; two more small reads for a page in the -wal.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <string>

namespace runglass::sqlite {

// Not SQLITE_IOERR_DATA: an I/O error makes SQLite roll back the transaction, so that one bad page would block everything that is stored
// with it.
inline constexpr int kPageDamaged = SQLITE_CORRUPT | (0x52 << 8);

// The name of the VFS. Registered by the first call, on top of the VFS that is the default at that time.
const char* storeVfs();
// Description of this thread's last read that failed with kPageDamaged: "page 17 of FILE does not match its checksum".
const std::string& lastPageDamage();

// Whether the pages of the main database have checksums; known once its first page was read. Stores of older programs have none.
bool hasPageChecksums(sqlite3* db);
// Reads the first `pages` pages of the file and each committed frame of its -wal, within a read transaction of `db`, until `stop`. Pages
// without checksums pass. `damaged` receives the page number and whether it is the copy in the -wal. True: there are pages of zeros, which
// are free or damaged; reading each row shows which.
bool checkPages(sqlite3* db, std::int64_t pages, std::int64_t page_size, const std::function<void(std::int64_t page, bool in_wal)>& damaged,
                const std::function<bool()>& stop);

}  // namespace runglass::sqlite
