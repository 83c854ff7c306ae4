// SPDX-License-Identifier: GPL-3.0-or-later
// Answers around damaged pages: a command that only reads, and fails because a page of its store is damaged, runs again on a repaired copy.
// The damaged store is only read.
//
// Threading:  main thread; noteStore(), makeCopyFolder() and roomForCopy() any thread.
// Ownership:  one copy a process, in a private folder in TMPDIR. It is removed at the end, and at SIGINT, SIGTERM, SIGHUP and SIGPIPE.
// Errors:     where no copy can be made, the command's, with the reason and `runglassctl repair`.
// Cost:       none for an intact store; else the store is read and written once more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model/result.h"
#include "storage/maintain/repair_store.h"

namespace runglass {

// `run` has to start afresh each time it is called. Prints a warning on stderr where it answered from a copy.
Status runAroundDamage(const std::function<Status()>& run);

// A new private folder for a copy in TMPDIR (/tmp), and whether the copy has room there.
Result<std::string> makeCopyFolder();
Status roomForCopy(const std::string& store, const std::string& folder);

// Notes that the command has opened a store: a copy answers for it only where all that the command does is reading.
enum class StoreUse : std::uint8_t { kAnswer, kEdit };
void noteStore(const std::string& store, StoreUse use);

// With the objects of the store that are missing from the copy.
struct RepairedCopy {
  std::string store, path;
  Repair repair;
};
// The copy that is in use; null: none.
const RepairedCopy* repairedCopy();
// The file to read instead of `store`: its repaired copy, or `store` itself.
std::string readableStore(const std::string& store);

}  // namespace runglass
