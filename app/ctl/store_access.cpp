// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/store_access.h"

#include <cstdio>

#include "collectors/hub/payload_replay.h"
#include "storage/store_files.h"

namespace runglass::ctl {
WriterOptions writerOptions() { return {.replay = makeJournalReplay()}; }

Result<std::unique_ptr<Reader>> openForReading(const std::string& path) {
  if (needsRecovery(path)) {
    auto writer = Writer::open(path, writerOptions());
    Status recovered = writer.ok() ? (*writer)->close() : writer.status();
    // Somebody else was quicker: then the data is in good hands.
    if (!recovered.ok() && recovered.code() != Code::kAlreadyExists)
      std::fprintf(stderr, "note: acknowledged batches in %s are not shown: %s\n", journalPath(path).c_str(), recovered.message().c_str());
  }
  return Reader::open(path);
}

}  // namespace runglass::ctl
