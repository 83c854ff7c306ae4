// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A descriptor of an inode is closed only when no DatabaseFile of it is left, under the registry's mutex: no connection can open the
//    file in between.
// 2. An inode number is not reused while its descriptor is open.
#include "storage/sqlite/database_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "model/mutex.h"

namespace runglass::sqlite {

struct DatabaseFile::Inode {
  int fd = -1;
  int uses = 0;
  bool written = false;     // a DatabaseFile of this process holds the writer's lock
  std::vector<int> others;  // descriptors with the same lifetime: that of the -shm file, and those of lost races
};

struct DatabaseFile::Registry {
  Mutex mutex;
  std::map<std::pair<dev_t, ino_t>, Inode> inodes RG_GUARDED_BY(mutex);
};

DatabaseFile::Registry& DatabaseFile::registry() {
  static auto* const kRegistry = new Registry();  // never destroyed: connections may outlive static objects
  return *kRegistry;
}

Result<DatabaseFile> DatabaseFile::open(const std::string& path, bool create) {
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  struct stat file {};
  if (::stat(path.c_str(), &file) == 0) {
    const auto known = all.inodes.find({file.st_dev, file.st_ino});
    if (known != all.inodes.end()) {
      ++known->second.uses;
      return DatabaseFile(&known->second);
    }
  }
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (create ? O_CREAT : 0), 0600);
  if (fd < 0 || ::fstat(fd, &file) != 0) {
    const int why = errno;
    if (fd >= 0) ::close(fd);
    const Code code = why == ENOENT ? Code::kNotFound : why == ENOSPC || why == EDQUOT ? Code::kResourceExhausted : Code::kPermissionDenied;
    return Status(code, "cannot open store: " + path + ": " + std::strerror(why));
  }
  Inode& inode = all.inodes[{file.st_dev, file.st_ino}];
  if (inode.fd < 0) {
    inode.fd = fd;
  } else {
    inode.others.push_back(fd);  // the path was replaced meanwhile by a file that is already open
  }
  ++inode.uses;
  return DatabaseFile(&inode);
}

DatabaseFile::~DatabaseFile() {
  if (m_inode == nullptr) return;
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  if (m_writes) {
    ::flock(m_inode->fd, LOCK_UN);
    m_inode->written = false;
  }
  if (--m_inode->uses > 0) return;
  ::close(m_inode->fd);
  for (const int other : m_inode->others) ::close(other);
  std::erase_if(all.inodes, [this](const auto& entry) { return &entry.second == m_inode; });
}

bool DatabaseFile::inUse(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return false;
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  return all.inodes.contains({file.st_dev, file.st_ino});
}

int DatabaseFile::fd() const { return m_inode->fd; }

std::string DatabaseFile::otherName() const {
  struct statx file {};
  if (::statx(m_inode->fd, "", AT_EMPTY_PATH, STATX_NLINK, &file) != 0) return {};
  if (file.stx_nlink > 1) return "hard link";
  return (file.stx_attributes & file.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0 ? "bind mount" : "";
}

bool DatabaseFile::lockForWriting() {
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  if (m_inode->written || !lockAlone(m_inode->fd)) return false;
  m_inode->written = m_writes = true;
  return true;
}

int DatabaseFile::sharedMemory(const std::string& path) {
  const std::string shm = path + "-shm";
  struct stat there {
  }, ours{};
  if (::stat(shm.c_str(), &there) != 0) return -1;
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  for (const int other : m_inode->others)
    if (::fstat(other, &ours) == 0 && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino) return other;
  const int fd = ::open(shm.c_str(), O_RDWR | O_CLOEXEC);
  if (fd >= 0) m_inode->others.push_back(fd);
  return fd;
}

bool lockAlone(int fd) {
  constexpr int kTries = 2'000;
  for (int i = 0; i < kTries; ++i) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    // A writer's lock makes this fail too; the lock of a process that only checks does not.
    if (::flock(fd, LOCK_SH | LOCK_NB) != 0) return false;
    ::flock(fd, LOCK_UN);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace runglass::sqlite
