// SPDX-License-Identifier: Apache-2.0
// The files that lie beside a store while it is written. SQLite owns <store>-wal, <store>-shm and <store>-journal: it DELETES a
// foreign <store>-journal when it opens the store (tried with 3.40), so our journal of acknowledged batches has a name of its own.
//
// Threading:  any thread.
// Units:      paths.
// Errors:     unstoredBatches(): those of opening the store. Else none: what cannot be read needs no recovery that we could do.
// Cost:       a few system calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/result.h"

namespace runglass {

struct SchemaHistory;

// The absolute path of the store's file without symbolic links. SQLite names -wal and -shm after it, and so are all files here: the store
// has one journal and one lock whatever link it is opened by.
std::string resolvedStore(const std::string& store);
// A connection of this process has the file open: opening and closing it in any other way drops SQLite's locks.
bool isOpenHere(const std::string& store);

std::string walPath(const std::string& store);
// Batches acknowledged but not yet committed. Empty or absent after a clean close.
std::string journalPath(const std::string& store);
// The journal's second file: what was acknowledged while the first one's content was being stored.
std::string nextJournalPath(const std::string& store);
// What was acknowledged and cannot be stored, see BadFile.
std::string badPath(const std::string& store);
// Held with flock by the one writer. Its text is the writer's pid, zero bytes up to kContactAt, and where the writer takes edits: programs
// that know only of the pid read fifteen characters at most, up to the first zero byte.
std::string lockPath(const std::string& store);
inline constexpr std::size_t kContactAt = 16;
struct StoreHolder {
  std::string pid = "unknown";
  std::string contact;  // HOST:PORT; empty: it takes no edits
};
// The process that writes the store; absent: none does, or the lock may not be looked at.
std::optional<StoreHolder> holderOf(const std::string& store);
StoreHolder readHolder(int lock_fd);
std::string holderText(int pid, const std::string& contact);
// Whether a journal was left that no living writer will replay; a Writer that opens the store does.
bool needsRecovery(const std::string& store);
// How many acknowledged batches of it are not in the store. Reads the journal and changes nothing.
Result<std::int64_t> unstoredBatches(const std::string& store);
// Whether its schema is older than this program's: a Writer that opens it migrates it, a Reader refuses it.
bool needsUpgrade(const std::string& store);
bool needsUpgrade(const std::string& store, const SchemaHistory& history);

}  // namespace runglass
