// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. The file and its -wal file are copied inside an open write transaction: no frame is added or overwritten. Pages that another process
//    checkpoints into the file meanwhile are in the copied -wal file too.
// 2. The store's descriptor is that of its DatabaseFile; no second one is opened.
#include "storage/maintain/copy_store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "storage/maintain/new_store.h"
#include "storage/sqlite/file_sync.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr int kWaitMs = 500, kBusyMs = 5'000;  // kBusyMs: the timeout that Connection sets

// 0, or the errno.
int copyBytes(int from, const std::string& to) {
  const OpenFile file(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.fd() < 0) return errno;
  std::vector<char> block(kBlock);
  for (off_t at = 0;;) {
    const ssize_t read = ::pread(from, block.data(), block.size(), at);
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) return read < 0 ? errno : 0;
    for (ssize_t done = 0; done < read;) {
      const ssize_t written = ::write(file.fd(), block.data() + done, static_cast<std::size_t>(read - done));
      if (written < 0 && errno != EINTR) return errno;
      done += written < 0 ? 0 : written;
    }
    at += read;
  }
}

int copyFiles(sqlite::Connection& db, const std::string& part) {
  if (const int failed = copyBytes(db.file().fd(), part); failed != 0) return failed;
  const OpenFile wal(::open(walPath(db.path()).c_str(), O_RDONLY | O_CLOEXEC));
  if (wal.fd() < 0) return errno == ENOENT ? 0 : errno;
  return copyBytes(wal.fd(), walPath(part));
}

int putInPlaceOf(const std::string& part, const std::string& to) {
  const OpenFile file(::open(part.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0) return errno;
  if (const int failed = syncFile(file.fd()); failed != 0) return failed;
  if (::rename(part.c_str(), to.c_str()) != 0) return errno;
  return syncFolder(*folderOf(to));
}

Status copyTo(sqlite::Connection& db, const std::string& part, const std::string& to) {
  const auto failed = [&](int why) {
    const Code code = why == ENOSPC || why == EDQUOT ? Code::kResourceExhausted : Code::kUnavailable;
    return why == 0 ? Status() : Status(code, "cannot copy store: " + to + ": " + std::strerror(why));
  };
  // A reader may prevent the checkpoint from moving all frames; the rest is copied with the -wal file.
  sqlite3_busy_timeout(db.raw(), kWaitMs);
  sqlite3_wal_checkpoint_v2(db.raw(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  sqlite3_busy_timeout(db.raw(), kBusyMs);
  {
    RG_ASSIGN(const auto transaction, sqlite::Transaction::begin(db, sqlite::Transaction::Kind::kImmediate));
    RG_TRY(failed(copyFiles(db, part)));
  }
  {
    RG_ASSIGN(auto copy, sqlite::Connection::open(part, sqlite::OpenMode::kReadWrite));
    RG_TRY(copy.exec("PRAGMA journal_mode=DELETE"));
    RG_TRY(copy.close());
  }
  return failed(putInPlaceOf(part, to));
}

}  // namespace

Status copyStore(sqlite::Connection& db, const std::string& to) {
  const std::string part = partOf(to);
  removeStore(part);
  Status copied = copyTo(db, part, to);
  if (!copied.ok()) removeStore(part);
  return copied;
}

}  // namespace runglass
