// SPDX-License-Identifier: Apache-2.0
// What every reader of a trainer's ring file does with its bytes.
//
// Reads are served in the order in which they are asked for: what a writer's commit word promised is there in the next read, on machines
// that let loads overtake each other too.
//
// Threading:  any thread.
// Ownership:  borrows the descriptor and the memory.
// Units:      bytes.
// Errors:     false: the file ends before, or cannot be read.
// Cost:       one pread, more where a signal comes in between, and a fence.
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
  __sync_synchronize();  // std::atomic_thread_fence is unknown to the thread sanitizer
  return true;
}

// What changes before and after the identity or the progress does: the same before and after they were read, they are whole.
struct VersionsOfHeader {
  std::uint64_t identity = 0, progress = 0;
};
static_assert(offsetof(rgr_header, progress_version) == offsetof(rgr_header, identity_version) + sizeof(std::uint64_t));

inline bool readVersions(int fd, VersionsOfHeader& versions) {
  return readWhole(fd, &versions, sizeof(versions), offsetof(rgr_header, identity_version));
}

}  // namespace runglass
