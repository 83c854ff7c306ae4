// SPDX-License-Identifier: Apache-2.0
// The files that lie beside a store while it is written. SQLite owns <store>-wal, <store>-shm and <store>-journal: it DELETES a
// foreign <store>-journal when it opens the store (tried with 3.40), so our journal of acknowledged batches has a name of its own.
//
// Threading:  any thread.
// Ownership:  none.
// Units:      paths.
// Errors:     none: what cannot be read needs no recovery that we could do.
// Cost:       one string, or a few system calls.
#pragma once

#include <optional>
#include <string>

namespace runglass {

// Batches acknowledged but not yet committed. Empty or absent after a clean close.
inline std::string journalPath(const std::string& store) { return store + "-ingest"; }
// The journal's second file: what was acknowledged while the first one's content was being stored.
inline std::string nextJournalPath(const std::string& store) { return store + "-ingest-next"; }
// Held with flock by the one writer. Its text is the writer's pid, zero bytes up to kContactAt, and where the writer takes edits: programs
// that know only of the pid read fifteen characters at most, up to the first zero byte.
inline std::string lockPath(const std::string& store) { return store + "-lock"; }
inline constexpr std::size_t kContactAt = 16;
struct StoreHolder {
  std::string pid = "unknown";
  std::string contact;  // HOST:PORT; empty: it takes no edits
};
// The process that writes the store; absent: none does, or the lock may not be looked at.
std::optional<StoreHolder> holderOf(const std::string& store);
StoreHolder readHolder(int lock_fd);
std::string holderText(int pid, const std::string& contact);
// Whether batches wait in the journal and no living writer will store them: open a Writer (and close it) before reading.
bool needsRecovery(const std::string& store);
// Whether its schema is older than this program's: a Writer that opens it makes it new, a Reader refuses it.
bool needsUpgrade(const std::string& store);

}  // namespace runglass
