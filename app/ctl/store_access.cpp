// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/store_access.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "collectors/hub/payload_replay.h"
#include "storage/store_files.h"

namespace runglass::ctl {
namespace {

// Whether batches wait in the journal and no living writer will store them.
bool needsRecovery(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(journalPath(path), error);
  if (error || bytes == 0) return false;
  const int lock = ::open(lockPath(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return true;
  const bool free = ::flock(lock, LOCK_SH | LOCK_NB) == 0;
  ::close(lock);  // gives the lock back
  return free;
}

}  // namespace

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
