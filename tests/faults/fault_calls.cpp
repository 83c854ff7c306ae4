// SPDX-License-Identifier: Apache-2.0
// The file calls of libc, replaced for everything linked into this program: a program's own symbols take precedence over those of shared
// libraries. Each makes the system call directly and reports it to the FaultDisk.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <ctime>
#include <mutex>
#include <string>

#include "tests/faults/fault_clock.h"
#include "tests/faults/fault_disk.h"

namespace {

using runglass::test::FaultDisk;

// Held for a whole call; null where no disk is watched.
std::unique_lock<std::recursive_mutex> held() {
  const FaultDisk* disk = FaultDisk::current();
  return disk != nullptr ? disk->lock() : std::unique_lock<std::recursive_mutex>();
}

// The disk, only if the call concerns its folder.
FaultDisk* diskOf(int fd) {
  FaultDisk* disk = FaultDisk::current();
  return disk != nullptr && disk->fileOf(fd) >= 0 ? disk : nullptr;
}
FaultDisk* diskOf(const char* path) {
  FaultDisk* disk = FaultDisk::current();
  return disk != nullptr && disk->watches(path) ? disk : nullptr;
}

bool fails(FaultDisk* disk, bool sync = false) {
  if (disk == nullptr) return false;
  const auto error = disk->failure(sync);
  if (error) errno = *error;
  return error.has_value();
}

int openFile(int folder, const char* path, int flags, unsigned mode) {
  const auto lock = held();
  FaultDisk* disk = FaultDisk::current();
  if (disk == nullptr) return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
  const bool watched = disk->watches(path);
  const bool was_there = watched && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
  if (watched && !was_there && (flags & O_CREAT) != 0 && fails(disk)) return -1;
  const int fd = static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
  const int error = errno;
  if (fd >= 0) disk->opened(fd, path, watched && !was_there, (flags & O_TRUNC) != 0);
  errno = error;
  return fd;
}

template <class Write>
ssize_t writeAt(int fd, const iovec* parts, int count, off_t at, bool positioned, Write write) {
  const auto lock = held();
  FaultDisk* disk = diskOf(fd);
  if (disk == nullptr) return write(parts, count);
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  if (!positioned) at = static_cast<off_t>(syscall(SYS_lseek, fd, 0, SEEK_CUR));
  const auto error = disk->failure(false);
  // Half of the failures follow a short write, as on a disk that fills up.
  if (error) bytes.resize(disk->share(bytes.size()));
  ssize_t done = 0;
  if (!bytes.empty()) {
    done = static_cast<ssize_t>(positioned ? syscall(SYS_pwrite64, fd, bytes.data(), bytes.size(), at)
                                           : syscall(SYS_write, fd, bytes.data(), bytes.size()));
    if (done > 0) disk->wrote(disk->fileOf(fd), at, bytes.substr(0, static_cast<std::size_t>(done)));
  }
  if (error && (done <= 0 || *error != ENOSPC)) {
    errno = *error;
    return -1;
  }
  return done;
}

int truncateFile(int fd, off_t size) {
  const auto lock = held();
  FaultDisk* disk = diskOf(fd);
  if (fails(disk)) return -1;
  const int result = static_cast<int>(syscall(SYS_ftruncate, fd, size));
  if (disk != nullptr && result == 0) disk->truncated(disk->fileOf(fd), size);
  return result;
}

// The FaultDisk defines what is durable: the real disk need not be synced.
int syncFile(int fd) {
  const auto lock = held();
  FaultDisk* disk = FaultDisk::current();
  if (disk == nullptr) return 0;
  if (disk->isFolder(fd)) {
    if (fails(disk, true)) return -1;
    disk->syncedFolder();
    return 0;
  }
  if (disk->fileOf(fd) < 0) return 0;
  if (fails(disk, true)) {
    const int error = errno;
    disk->syncFailed(disk->fileOf(fd));
    errno = error;
    return -1;
  }
  disk->synced(disk->fileOf(fd));
  return 0;
}

int unlinkFile(int folder, const char* path, int flags) {
  const auto lock = held();
  FaultDisk* disk = diskOf(path);
  if (fails(disk)) return -1;
  const int result = static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
  if (disk != nullptr && result == 0 && flags == 0) disk->unlinked(path);
  return result;
}

int renameFile(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  const auto lock = held();
  FaultDisk* disk = diskOf(from);
  if (fails(disk)) return -1;
  const int result = static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
  if (disk != nullptr && result == 0) disk->renamed(from, to);
  return result;
}

unsigned modeOf(int flags, va_list& arguments) { return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0; }

}  // namespace

// NOLINTBEGIN(readability-identifier-naming, cert-dcl50-cpp): names and shapes are libc's.
extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = modeOf(flags, arguments);
  va_end(arguments);
  return openFile(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = modeOf(flags, arguments);
  va_end(arguments);
  return openFile(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const unsigned mode = modeOf(flags, arguments);
  va_end(arguments);
  return openFile(folder, path, flags, mode);
}
int close(int fd) {
  const auto lock = held();
  if (FaultDisk* disk = FaultDisk::current(); disk != nullptr) disk->closed(fd);
  return static_cast<int>(syscall(SYS_close, fd));
}
ssize_t write(int fd, const void* bytes, size_t size) {
  const iovec part = {const_cast<void*>(bytes), size};
  return writeAt(fd, &part, 1, 0, false, [&](const iovec*, int) { return static_cast<ssize_t>(syscall(SYS_write, fd, bytes, size)); });
}
ssize_t writev(int fd, const iovec* parts, int count) {
  return writeAt(fd, parts, count, 0, false,
                 [&](const iovec*, int) { return static_cast<ssize_t>(syscall(SYS_writev, fd, parts, count)); });
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  const iovec part = {const_cast<void*>(bytes), size};
  return writeAt(fd, &part, 1, at, true,
                 [&](const iovec*, int) { return static_cast<ssize_t>(syscall(SYS_pwrite64, fd, bytes, size, at)); });
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) { return pwrite(fd, bytes, size, at); }
ssize_t pwritev(int fd, const iovec* parts, int count, off_t at) {
  return writeAt(fd, parts, count, at, true,
                 [&](const iovec*, int) { return static_cast<ssize_t>(syscall(SYS_pwritev, fd, parts, count, at, 0)); });
}
ssize_t pwritev64(int fd, const iovec* parts, int count, off64_t at) { return pwritev(fd, parts, count, at); }
int ftruncate(int fd, off_t size) noexcept { return truncateFile(fd, size); }
int ftruncate64(int fd, off64_t size) noexcept { return truncateFile(fd, size); }
int fsync(int fd) { return syncFile(fd); }
int fdatasync(int fd) { return syncFile(fd); }
int unlink(const char* path) noexcept { return unlinkFile(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char* path, int flags) noexcept { return unlinkFile(folder, path, flags); }
int remove(const char* path) noexcept {
  const int result = unlinkFile(AT_FDCWD, path, 0);
  return result == 0 || errno != EISDIR ? result : unlinkFile(AT_FDCWD, path, AT_REMOVEDIR);
}
int rename(const char* from, const char* to) noexcept { return renameFile(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return renameFile(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return renameFile(from_folder, from, to_folder, to, flags);
}
int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto now = clock == CLOCK_MONOTONIC ? runglass::test::FaultClock::now() : std::nullopt;
  if (!now) return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  time->tv_sec = *now / runglass::kNsPerSecond;
  time->tv_nsec = *now % runglass::kNsPerSecond;
  return 0;
}
int link(const char* from, const char* to) noexcept {
  const auto lock = held();
  FaultDisk* disk = diskOf(from);
  if (fails(disk)) return -1;
  const int result = static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
  if (disk != nullptr && result == 0) disk->linked(from, to);
  return result;
}

}  // extern "C"
// NOLINTEND
