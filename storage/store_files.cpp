// SPDX-License-Identifier: Apache-2.0
#include "storage/store_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "storage/schema/schema.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/file_sync.h"
#include "storage/write/journal_file.h"

namespace runglass {

std::string resolvedStore(const std::string& store) {
  namespace fs = std::filesystem;
  constexpr int kMaxLinks = 40;
  std::error_code error;
  fs::path path = fs::absolute(store, error);
  if (error) return store;
  // The last path component is resolved separately: a link may point to a store that does not exist yet.
  for (int links = 0; links < kMaxLinks; ++links) {
    const fs::path folder = fs::canonical(path.parent_path(), error);
    if (!error) path = folder / path.filename();
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;
  }
  return path.string();
}

bool isOpenHere(const std::string& store) { return sqlite::DatabaseFile::inUse(store); }

std::string walPath(const std::string& store) { return resolvedStore(store) + "-wal"; }
std::string journalPath(const std::string& store) { return resolvedStore(store) + "-ingest"; }
std::string badPath(const std::string& store) { return resolvedStore(store) + "-ingest.bad"; }
std::string nextJournalPath(const std::string& store) { return resolvedStore(store) + "-ingest-next"; }
std::string lockPath(const std::string& store) { return resolvedStore(store) + "-lock"; }

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
  ::close(lock);  // releases the lock
  return holder;
}

bool needsRecovery(const std::string& store) {
  const auto holds = [](const std::string& journal) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(journal, error);
    return !error && bytes > JournalFormat::kHeadBytes;
  };
  if (!holds(journalPath(store)) && !holds(nextJournalPath(store))) return false;
  const int lock = ::open(lockPath(store).c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return true;
  const bool free = ::flock(lock, LOCK_SH | LOCK_NB) == 0;
  ::close(lock);  // releases the lock
  return free;
}

Result<std::int64_t> unstoredBatches(const std::string& store) {
  RG_ASSIGN(auto db, sqlite::Connection::open(store, sqlite::OpenMode::kReadOnly));
  RG_ASSIGN(const std::string uuid, db.queryText("SELECT value FROM rg_meta WHERE key = 'store_uuid'"));
  std::map<StreamKey, std::uint64_t> next;
  RG_ASSIGN(auto streams, db.prepare("SELECT agent, session, stream, next_seq FROM rg_stream"));
  while (true) {
    RG_ASSIGN(const bool row, streams.step());
    if (!row) break;
    next[{std::string(streams.text(0)), std::string(streams.text(1)), static_cast<std::uint32_t>(streams.int64(2))}] =
        static_cast<std::uint64_t>(streams.int64(3));
  }
  const JournalFormat format(uuid);
  std::int64_t batches = 0;
  const auto count = [&](const JournalRecord& record) -> Status {
    std::uint64_t& wanted = next[*record.stream];
    if (record.seq < wanted) return {};
    wanted = record.seq + 1;
    ++batches;
    return {};
  };
  for (const std::string& journal : {journalPath(store), nextJournalPath(store)}) {
    const OpenFile file(::open(journal.c_str(), O_RDONLY | O_CLOEXEC));
    std::error_code error;
    const auto size = std::filesystem::file_size(journal, error);
    JournalDamage damage;
    if (file.fd() >= 0 && !error && size > JournalFormat::kHeadBytes)
      RG_TRY(format.read(file.fd(), static_cast<std::int64_t>(size), count, damage));
  }
  return batches;
}

bool needsUpgrade(const std::string& store) { return needsUpgrade(store, shippedSchema()); }
bool needsUpgrade(const std::string& store, const SchemaHistory& history) {
  auto db = sqlite::Connection::open(store, sqlite::OpenMode::kReadOnly);
  if (!db.ok()) return false;
  const auto application = db->queryInt64("PRAGMA application_id");
  const auto version = db->queryInt64("PRAGMA user_version");
  return application.ok() && application->value_or(0) == sqlite::kApplicationId && version.ok() && version->value_or(0) >= history.first &&
         version->value_or(0) < history.newest();
}

}  // namespace runglass
