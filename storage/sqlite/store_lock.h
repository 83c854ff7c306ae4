// SPDX-License-Identifier: Apache-2.0
// The lock that makes a process the only writer of a store: flock on `<store>-lock`, and on the database file itself, which may have been
// renamed since. Internal to storage.
//
// Threading:  one thread.
// Ownership:  owns the descriptors; the kernel releases the locks when the process dies.
// Errors:     ALREADY_EXISTS: another process holds it (its pid is in the message); PERMISSION_DENIED: the folder cannot be written;
//             FAILED_PRECONDITION: the file has a second name.
// Cost:       a few system calls.
#pragma once

#include <string>

#include "model/result.h"
#include "storage/sqlite/database_file.h"

namespace runglass {

class StoreLock {
 public:
  StoreLock() = default;
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;
  ~StoreLock();
  // For a resolved path (resolvedStore()); creates the database file if there is none. `contact`: the address where the owner accepts
  // edits; empty: none.
  Status take(const std::string& store, const std::string& contact = "");
  // Releases the lock and deletes the file.
  void release();

 private:
  Status takeName(const std::string& store, const std::string& contact);
  Status takeFile(const std::string& store);

  sqlite::DatabaseFile m_file;
  std::string m_path;
  int m_fd = -1;
};

}  // namespace runglass
