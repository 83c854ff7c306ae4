// SPDX-License-Identifier: Apache-2.0
#include "storage/store_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "storage/journal.h"
#include "storage/schema/schema.h"
#include "storage/sqlite/connection.h"

namespace runglass {

bool needsRecovery(const std::string& store) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(journalPath(store), error);
  if (error || bytes <= Journal::kHeadBytes) return false;
  const int lock = ::open(lockPath(store).c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return true;
  const bool free = ::flock(lock, LOCK_SH | LOCK_NB) == 0;
  ::close(lock);  // gives the lock back
  return free;
}

bool needsUpgrade(const std::string& store) {
  auto db = sqlite::Connection::open(store, sqlite::OpenMode::kReadOnly);
  if (!db.ok()) return false;
  const auto application = db->queryInt64("PRAGMA application_id");
  const auto version = db->queryInt64("PRAGMA user_version");
  return application.ok() && application->value_or(0) == sqlite::kApplicationId && version.ok() &&
         version->value_or(0) < static_cast<std::int64_t>(schemaScripts().size());
}

}  // namespace runglass
