// SPDX-License-Identifier: Apache-2.0
// What every reader of a trainer's ring file does with its bytes.
//
// Threading:  any thread.
// Ownership:  borrows the descriptor and the memory.
// Units:      bytes.
// Errors:     false: the file ends before, or cannot be read.
// Cost:       one pread, more where a signal comes in between.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace runglass {

inline bool readWhole(int fd, void* to, std::size_t bytes, std::uint64_t offset) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = pread(fd, at, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

}  // namespace runglass
