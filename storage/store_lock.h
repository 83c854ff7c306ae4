// SPDX-License-Identifier: Apache-2.0
// The lock that makes a process the only writer of a store: flock on `<store>-lock`. Internal to storage.
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
  // `contact`: where the owner takes edits; empty: nowhere.
  Status take(const std::string& store_path, const std::string& contact = "");
  // Frees the lock and deletes the file.
  void release();

 private:
  std::string m_path;
  int m_fd = -1;
};

}  // namespace runglass
