// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/store_access.h"

#include <cstdio>
#include <set>

#include "collectors/wire/payload_replay.h"
#include "model/mutex.h"
#include "storage/open_store.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

// A process opens a store with several Readers: one note is enough.
bool isFirst(const std::string& path) {
  static Mutex mutex;
  static std::set<std::string> noted;
  const MutexLock lock(mutex);
  return noted.insert(path).second;
}

}  // namespace

WriterOptions writerOptions() { return {.replay = makeJournalReplay()}; }

Result<std::unique_ptr<Reader>> openForReading(const std::string& path) {
  RG_ASSIGN(auto reader, openStore(path).reader());
  if (!needsRecovery(path) || !isFirst(path)) return reader;
  const auto batches = unstoredBatches(path);
  if (!batches.ok() || *batches > 0)
    std::fprintf(stderr, "note: %s acknowledged batches are still in the journal of %s; store them with: runglassctl recover --store %s\n",
                 batches.ok() ? std::to_string(*batches).c_str() : "some", path.c_str(), path.c_str());
  return reader;
}

}  // namespace runglass
