// SPDX-License-Identifier: Apache-2.0
// FaultDisk: what a process writes below one folder, operation by operation, so that the folder can be made again as a crash at any of them
// would have left it; and operations that fail. The file calls of libc are replaced in the whole program (fault_calls.cpp), SQLite's and
// libstdc++'s included.
//
// Threading:  any thread; the replaced calls hold lock() from their look at the disk to their report to it.
// Units:      bytes; an operation is one call that changes a file or a folder.
// Errors:     a failure of the disk beneath ends the program.
// Cost:       a copy of all that is written.
//
// The model of a crash:
//   kill        everything up to the operation happened, of the operation itself any part.
//   power loss  a file has what was in it at its last fsync. Of what was written since, in units of 512 bytes, anything may be there or
//               not, in any order; a length may have grown over bytes that were never written and are zeros. A folder has the names of its
//               last fsync, and of the changes since the first few. After an fsync that failed nothing written before it will get there.
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
  // Where a crash happens, and what is left then.
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
  // Operation number `at` of those from now on, and `count` in all, fail with `error`; of a write that fails a part is written. fsyncs:
  // only those are counted and fail.
  enum class Failing : std::uint8_t { kChanges, kSyncs };
  void failAt(std::size_t at, std::size_t count, int error, Failing what = Failing::kChanges);

  // Makes `to`, an empty folder, as a crash during operation `at` leaves this one.
  void crash(std::size_t at, Crash crash, std::uint64_t seed, const std::string& to) const;

  // --- called by the replaced calls -----------------------------------------------------------------------------------------------
  static FaultDisk* current();
  std::unique_lock<std::recursive_mutex> lock() const { return std::unique_lock(m_mutex); }
  using FileId = int;  // -1: of no interest
  FileId fileAt(const std::string& path);
  void opened(int fd, const std::string& path, bool created, bool emptied);
  void closed(int fd);
  FileId fileOf(int fd) const;
  bool isFolder(int fd) const { return m_folder_fds.contains(fd); }
  // Whether this operation is to fail: its errno, and of a write how much of it still happens.
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
  mutable std::recursive_mutex m_mutex;  // of all below
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
