// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "storage/store_files.h"

namespace runglass {

StoreLock::~StoreLock() { release(); }

Status StoreLock::take(const std::string& store, const std::string& contact) {
  RG_TRY(takeName(store, contact));
  Status taken = takeFile(store);
  if (!taken.ok()) release();
  return taken;
}

Status StoreLock::takeName(const std::string& store, const std::string& contact) {
  m_path = lockPath(store);
  while (true) {
    m_fd = ::open(m_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (m_fd < 0) {
      const Code code = errno == ENOSPC ? Code::kResourceExhausted : errno == ENOENT ? Code::kNotFound : Code::kPermissionDenied;
      return {code, "cannot write store: " + store + ": " + std::strerror(errno)};
    }
    if (!sqlite::lockAlone(m_fd)) {
      const StoreHolder holder = readHolder(m_fd);
      ::close(m_fd);
      m_fd = -1;
      return {Code::kAlreadyExists, "cannot write store: " + store + ": another process writes it, pid " + holder.pid};
    }
    // The previous owner may have deleted the file between open() and flock().
    struct stat ours {
    }, there{};
    if (::fstat(m_fd, &ours) == 0 && ::stat(m_path.c_str(), &there) == 0 && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
      break;
    ::close(m_fd);
  }
  const std::string text = holderText(::getpid(), contact);
  // The lock is valid without the text (a full disk).
  if (::ftruncate(m_fd, 0) != 0 || ::pwrite(m_fd, text.data(), text.size(), 0) < 0) return {};
  return {};
}

// Lock, journal and SQLite's -wal are named after the store: under a second name there would be others, and two writers.
Status StoreLock::takeFile(const std::string& store) {
  RG_ASSIGN(m_file, sqlite::DatabaseFile::open(store, true));
  if (const std::string other = m_file.otherName(); !other.empty()) {
    return {Code::kFailedPrecondition,
            "cannot write store: " + store + ": the file has a second name (" + other + "), and a store must have one; " +
                (other == "hard link" ? "remove the other name (find -samefile) or write a copy" : "mount its folder instead of the file")};
  }
  if (!m_file.lockForWriting())
    return {Code::kAlreadyExists, "cannot write store: " + store + ": another process writes it, by a name that it had before"};
  return {};
}

void StoreLock::release() {
  m_file = {};
  if (m_fd < 0) return;
  ::unlink(m_path.c_str());
  ::close(m_fd);
  m_fd = -1;
}

}  // namespace runglass
