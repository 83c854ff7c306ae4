// SPDX-License-Identifier: Apache-2.0
#include "storage/store_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "storage/journal.h"
#include "storage/schema/schema.h"
#include "storage/sqlite/connection.h"

namespace runglass {

StoreHolder readHolder(int lock_fd) {
  std::array<char, 512> text{};
  const ssize_t got = ::pread(lock_fd, text.data(), text.size(), 0);
  if (got <= 0) return {};
  const std::string_view all(text.data(), static_cast<std::size_t>(got));
  const std::string_view pid = all.substr(0, std::min(kContactAt - 1, all.find('\0')));
  const std::string_view contact = all.substr(std::min(kContactAt, all.size()));
  const auto printable = [](std::string_view part) { return std::ranges::all_of(part, [](char c) { return c > ' ' && c < 0x7f; }); };
  StoreHolder holder;
  if (printable(pid) && !pid.empty()) holder.pid = pid;
  if (printable(contact)) holder.contact = contact;
  return holder;
}

std::string holderText(int pid, const std::string& contact) {
  std::string text = std::to_string(pid);
  if (contact.empty()) return text;
  text.resize(kContactAt, '\0');
  return text + contact;
}

std::optional<StoreHolder> holderOf(const std::string& store) {
  const int lock = ::open(lockPath(store).c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return std::nullopt;
  std::optional<StoreHolder> holder;
  if (::flock(lock, LOCK_SH | LOCK_NB) != 0) holder = readHolder(lock);
  ::close(lock);  // gives the lock back
  return holder;
}

bool needsRecovery(const std::string& store) {
  const auto holds = [](const std::string& journal) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(journal, error);
    return !error && bytes > Journal::kHeadBytes;
  };
  if (!holds(journalPath(store)) && !holds(nextJournalPath(store))) return false;
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
