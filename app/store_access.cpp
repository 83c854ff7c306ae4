// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/store_access.h"

#include <cstdio>

#include "collectors/hub/payload_replay.h"
#include "model/mutex.h"
#include "storage/store_files.h"

namespace runglass {
WriterOptions writerOptions() { return {.replay = makeJournalReplay()}; }

Result<std::unique_ptr<Reader>> openForReading(const std::string& path) {
  // Several Readers of a process may open a store at once: the others wait until the first has made it good.
  static Mutex one_at_a_time;
  const MutexLock lock(one_at_a_time);
  const bool upgrade = needsUpgrade(path);
  if (upgrade || needsRecovery(path)) {
    auto writer = Writer::open(path, writerOptions());
    Status opened = writer.ok() ? (*writer)->close() : writer.status();
    // Somebody else was quicker: then the data is in good hands.
    if (!opened.ok() && opened.code() != Code::kAlreadyExists)
      std::fprintf(stderr, "note: %s %s: %s\n", upgrade ? "the schema was not made new of" : "acknowledged batches are not shown of",
                   path.c_str(), opened.message().c_str());
  }
  return Reader::open(path);
}

}  // namespace runglass
