// SPDX-License-Identifier: Apache-2.0
// FaultDisk: records all writes of a process below one folder, operation by operation, so that the folder can be recreated as a crash at
// any of them would have left it; and makes operations fail. The file calls of libc are replaced in the whole program (fault_calls.cpp),
// including those of SQLite and libstdc++.
//
// Threading:  any thread; the replaced calls hold lock() from checking the disk until reporting to it.
// Units:      bytes; an operation is one call that changes a file or a folder.
// Errors:     a failure of the real disk ends the program.
// Cost:       a copy of all written data.
//
// The model of a crash:
//   kill        everything up to the operation happened, and any part of the operation itself.
//   power loss  a file has its content as of its last fsync. Any part of data written since, in units of 512 bytes, may be there or
//               not, in any order; the length may include bytes that were never written and are zeros. A folder has the names of its
//               last fsync, and the first few of the changes since. After a failed fsync, nothing written before it becomes durable.
// Files named -shm and -lock are left out: they have no meaning after a crash.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace runglass::test {

class FaultDisk {
 public:
  // The kind of a crash, which determines the data that remains.
  enum class Crash : std::uint8_t { kKill, kPowerLossOfAll, kPowerLossInOrder, kPowerLossAnyOrder };
  static const char* name(Crash crash);

  // Below `folder`, which exists; one at a time.
  explicit FaultDisk(std::string folder);
  ~FaultDisk();
  FaultDisk(const FaultDisk&) = delete;
  FaultDisk& operator=(const FaultDisk&) = delete;

  std::size_t operations() const {
    const auto held = lock();
    return m_operations.size();
  }
  // From the `at`-th operation from now on, `count` operations fail with `error`; a failing write writes a part. kSyncs: only fsyncs are
  // counted and fail.
  enum class Failing : std::uint8_t { kChanges, kSyncs };
  void failAt(std::size_t at, std::size_t count, int error, Failing what = Failing::kChanges);

  // Fills `to`, an empty folder, with the state of this one after a crash during operation `at`.
  void crash(std::size_t at, Crash crash, std::uint64_t seed, const std::string& to) const;

  // --- called by the replaced functions ---------------------------------------------------------------------------------------------
  static FaultDisk* current();
  std::unique_lock<std::recursive_mutex> lock() const { return std::unique_lock(m_mutex); }
  using FileId = int;  // -1: not watched
  FileId fileAt(const std::string& path);
  void opened(int fd, const std::string& path, bool created, bool emptied);
  void closed(int fd);
  FileId fileOf(int fd) const;
  bool isFolder(int fd) const { return m_folder_fds.contains(fd); }
  // Whether this operation must fail: its errno. share(): how much of a failing write still happens.
  std::optional<int> failure(bool sync);
  std::size_t share(std::size_t bytes) { return bytes == 0 ? 0 : m_random() % bytes; }
  void wrote(FileId file, std::int64_t at, std::string bytes);
  void truncated(FileId file, std::int64_t size);
  void synced(FileId file);
  void syncFailed(FileId file);
  void syncedFolder();
  void renamed(const std::string& from, const std::string& to);
  void linked(const std::string& from, const std::string& to);
  void unlinked(const std::string& path);
  bool watches(const std::string& path) const;

 private:
  struct Operation {
    enum class Kind : std::uint8_t { kCreate, kWrite, kTruncate, kSync, kSyncFailed, kRename, kLink, kUnlink, kSyncFolder } kind;
    FileId file = -1;
    std::int64_t at = 0;  // or the size
    std::string bytes;
    std::string path, to;
  };
  struct Image;

  const std::string m_folder;
  mutable std::recursive_mutex m_mutex;  // guards everything below
  std::vector<Operation> m_operations;
  std::map<std::string, FileId> m_names;
  std::map<int, FileId> m_fds;
  std::map<int, bool> m_folder_fds;
  FileId m_next_file = 0;
  std::mt19937_64 m_random{7};
  std::size_t m_fail_at = 0, m_fail_count = 0, m_seen = 0;
  int m_error = 0;
  Failing m_failing = Failing::kChanges;
};

}  // namespace runglass::test
