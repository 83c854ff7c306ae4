// SPDX-License-Identifier: Apache-2.0
// DatabaseFile: the only descriptor that a process holds on a database file, from before its first connection opens the file until after
// its last connection has closed it. POSIX releases all fcntl locks of a process on a file as soon as the process closes any descriptor of
// it, and SQLite uses such locks: code that needs a descriptor of a database file must get it here and must not open the file. Internal to
// storage.
//
// Threading:  any thread; one object belongs to one thread at a time.
// Ownership:  objects of the same inode share the descriptor.
// Errors:     those of open(2), "cannot open store: path: why".
// Cost:       one stat(2), one open(2) for the first of an inode; a mutex.
#pragma once

#include <string>
#include <utility>

#include "model/result.h"

namespace runglass::sqlite {

class DatabaseFile {
 public:
  DatabaseFile() = default;
  DatabaseFile(DatabaseFile&& other) noexcept
      : m_inode(std::exchange(other.m_inode, nullptr)), m_writes(std::exchange(other.m_writes, false)) {}
  DatabaseFile& operator=(DatabaseFile&& other) noexcept {
    std::swap(m_inode, other.m_inode);
    std::swap(m_writes, other.m_writes);
    return *this;
  }
  ~DatabaseFile();

  // `create`: if the file does not exist, creates an empty one, accessible by its owner alone.
  static Result<DatabaseFile> open(const std::string& path, bool create);
  // Whether this process has the file open: then it must not open and close it in any other way.
  static bool inUse(const std::string& path);

  int fd() const;
  // A second name of the file, which has its own -wal file: "hard link" or "bind mount". Empty: none known.
  std::string otherName() const;
  // Takes the lock of the single writer, whatever the name by which the file was opened. False: another writer holds it.
  bool lockForWriting();
  // The -shm file, kept open as long as the database file; -1: it cannot be opened.
  int sharedMemory(const std::string& path);

 private:
  struct Inode;
  struct Registry;
  explicit DatabaseFile(Inode* inode) : m_inode(inode) {}
  static Registry& registry();
  Inode* m_inode = nullptr;
  bool m_writes = false;
};

// flock(LOCK_EX) that fails only if another process holds that lock, not if one checks it briefly with LOCK_SH.
bool lockAlone(int fd);

}  // namespace runglass::sqlite
