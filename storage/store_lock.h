// SPDX-License-Identifier: Apache-2.0
// The lock that makes a process the only writer of a store: flock on `<store>-lock`, which holds the owner's pid. Internal to storage.
//
// Threading:  one thread.
// Ownership:  owns the descriptor; the kernel frees the lock when the process dies.
// Units:      none.
// Errors:     ALREADY_EXISTS another process holds it (its pid in the message); PERMISSION_DENIED the folder cannot be written.
// Cost:       a few system calls.
#pragma once

#include <string>

#include "model/result.h"

namespace runglass {

class StoreLock {
 public:
  StoreLock() = default;
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;
  ~StoreLock();
  Status take(const std::string& store_path);
  // Frees the lock and deletes the file.
  void release();

 private:
  std::string m_path;
  int m_fd = -1;
};

}  // namespace runglass
