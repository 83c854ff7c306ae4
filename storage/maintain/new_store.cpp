// SPDX-License-Identifier: Apache-2.0
#include "storage/maintain/new_store.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "storage/sqlite/database_file.h"
#include "storage/store_files.h"

namespace runglass {

Status isFree(const std::string& to, const std::string& what) {
  std::error_code error;
  if (std::filesystem::exists(to, error)) return {Code::kAlreadyExists, what + ": " + to + ": the file is there already"};
  if (std::filesystem::exists(partOf(to), error))
    return {Code::kAlreadyExists, what + ": " + partOf(to) + ": left by a command that was interrupted; delete it first"};
  return {};
}

// The file is synced before it gets its name, so that a power cut leaves no incomplete store under the final name.
Status putInPlace(const std::string& to, const std::string& what) {
  const std::string part = partOf(to);
  const auto failed = [&] { return Status(Code::kUnavailable, what + ": " + to + ": " + std::strerror(errno)); };
  {
    RG_ASSIGN(const auto file, sqlite::DatabaseFile::open(part, false));
    if (::fsync(file.fd()) != 0) return failed();
  }
  // link(), not rename(): it does not replace a file that another process created meanwhile.
  if (::link(part.c_str(), to.c_str()) != 0) {
    if (errno == EEXIST) return {Code::kAlreadyExists, what + ": " + to + ": the file is there already"};
    if (::rename(part.c_str(), to.c_str()) != 0) return failed();
  }
  removeStore(part);
  return {};
}

void removeStore(const std::string& path) {
  std::error_code ignored;
  for (const std::string& file : {path, path + "-wal", path + "-shm", lockPath(path), journalPath(path), nextJournalPath(path)})
    std::filesystem::remove(file, ignored);
}

}  // namespace runglass
