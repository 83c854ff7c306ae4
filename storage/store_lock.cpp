// SPDX-License-Identifier: Apache-2.0
#include "storage/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "storage/store_files.h"

namespace runglass {

StoreLock::~StoreLock() { release(); }

Status StoreLock::take(const std::string& store_path, const std::string& contact) {
  m_path = lockPath(store_path);
  while (true) {
    m_fd = ::open(m_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (m_fd < 0) {
      const Code code = errno == ENOSPC ? Code::kResourceExhausted : errno == ENOENT ? Code::kNotFound : Code::kPermissionDenied;
      return {code, "cannot write store: " + store_path + ": " + std::strerror(errno)};
    }
    if (::flock(m_fd, LOCK_EX | LOCK_NB) != 0) {
      const StoreHolder holder = readHolder(m_fd);
      ::close(m_fd);
      m_fd = -1;
      return {Code::kAlreadyExists, "cannot write store: " + store_path + ": another process writes it, pid " + holder.pid};
    }
    // The last owner may have deleted the file between our open and our lock.
    struct stat ours {
    }, there{};
    if (::fstat(m_fd, &ours) == 0 && ::stat(m_path.c_str(), &there) == 0 && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
      break;
    ::close(m_fd);
  }
  const std::string text = holderText(::getpid(), contact);
  // The lock holds without it (a full disk).
  if (::ftruncate(m_fd, 0) != 0 || ::pwrite(m_fd, text.data(), text.size(), 0) < 0) return {};
  return {};
}

void StoreLock::release() {
  if (m_fd < 0) return;
  ::unlink(m_path.c_str());
  ::close(m_fd);
  m_fd = -1;
}

}  // namespace runglass
