// SPDX-License-Identifier: Apache-2.0
// The companion files of a store while it is written. SQLite owns <store>-wal, <store>-shm and <store>-journal: it DELETES a foreign
// <store>-journal when it opens the store (tried with 3.40), so the journal of acknowledged batches has another name.
//
// Threading:  any thread.
// Units:      paths.
// Errors:     unstoredBatches(): those of opening the store. Others have none: an unreadable file means that no recovery is possible.
// Cost:       a few system calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/result.h"

namespace runglass {

struct SchemaHistory;

// The absolute path of the store's file without symbolic links. SQLite derives the names of -wal and -shm from it, and so do all functions
// here: the store has one journal and one lock, whichever link is used.
std::string resolvedStore(const std::string& store);
// Whether a connection of this process has the file open: opening and closing it in any other way releases SQLite's locks.
bool isOpenHere(const std::string& store);

std::string walPath(const std::string& store);
// Batches acknowledged but not yet committed. Empty or absent after a clean close.
std::string journalPath(const std::string& store);
// The journal's second file: batches acknowledged while the first one's content was being committed.
std::string nextJournalPath(const std::string& store);
// Batches that were acknowledged and cannot be recorded, see BadFile.
std::string badPath(const std::string& store);
// Held with flock by the single writer. Its text is the writer's pid, zero bytes up to kContactAt, and the address where the writer accepts
// edits: programs that know only of the pid read at most fifteen characters, up to the first zero byte.
std::string lockPath(const std::string& store);
inline constexpr std::size_t kContactAt = 16;
struct StoreHolder {
  std::string pid = "unknown";
  std::string contact;  // HOST:PORT; empty: it accepts no edits
};
// The process that writes the store; absent: none, or the lock cannot be checked.
std::optional<StoreHolder> holderOf(const std::string& store);
StoreHolder readHolder(int lock_fd);
std::string holderText(int pid, const std::string& contact);
// Whether there is a journal that no running writer will replay; a Writer that opens the store does.
bool needsRecovery(const std::string& store);
// The number of acknowledged batches that are not in the store yet. Reads the journal and changes nothing.
Result<std::int64_t> unstoredBatches(const std::string& store);
// Whether its schema is older than this program's: a Writer migrates it when it opens the store, a Reader refuses it.
bool needsUpgrade(const std::string& store);
bool needsUpgrade(const std::string& store, const SchemaHistory& history);

}  // namespace runglass
