// SPDX-License-Identifier: Apache-2.0
// Reads of a trainer's ring file, for all readers.
//
// Reads are executed in program order, also on machines that reorder loads: data covered by a commit word is visible to the next read.
//
// Threading:  any thread.
// Ownership:  borrows the descriptor and the memory.
// Units:      bytes.
// Errors:     false: the file is shorter, or cannot be read.
// Cost:       one pread, more if a signal interrupts it, and a fence.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "collectors/client/ring_layout.h"

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
  __sync_synchronize();  // the thread sanitizer does not support std::atomic_thread_fence
  return true;
}

// Versions that change before and after each change of identity and progress: if they are equal before and after a read, the data read is
// consistent.
struct VersionsOfHeader {
  std::uint64_t identity = 0, progress = 0;
};
static_assert(offsetof(rgr_header, progress_version) == offsetof(rgr_header, identity_version) + sizeof(std::uint64_t));

inline bool readVersions(int fd, VersionsOfHeader& versions) {
  return readWhole(fd, &versions, sizeof(versions), offsetof(rgr_header, identity_version));
}

}  // namespace runglass
