// SPDX-License-Identifier: Apache-2.0
// OpenRing: a file in a trainer's ring folder, opened through that folder, and only if no user other than the trainer's can have put it
// there.
//
// The agent can be root and the folder any user's. Neither folder nor file is a symbolic link, both have the same owner (the agent's user,
// unless that is root), neither is writable by group or others, and the file has one name: as created by the trainers' library.
//
// Threading:  one thread at a time.
// Ownership:  owns both descriptors.
// Units:      bytes.
// Errors:     open(): NOT_FOUND; PERMISSION_DENIED it cannot be opened, or owner or mode are not as above (with the cause);
//             INVALID_ARGUMENT not a regular file.
// Cost:       four system calls.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "model/result.h"

namespace runglass {

class OpenRing {
 public:
  // `flags`: O_RDONLY or O_RDWR.
  static Result<OpenRing> open(const std::string& path, int flags);
  OpenRing(OpenRing&& other) noexcept
      : m_path(std::move(other.m_path)),
        m_folder(std::exchange(other.m_folder, -1)),
        m_fd(std::exchange(other.m_fd, -1)),
        m_size(other.m_size) {}
  OpenRing& operator=(OpenRing&&) = delete;
  ~OpenRing();

  const std::string& path() const { return m_path; }
  int fd() const { return m_fd; }
  std::uint64_t size() const { return m_size; }  // at the time of opening
  // Deletes this name, or the name with another extension, in the opened folder, wherever its path leads now.
  void remove() const;
  void removeWithExtension(const char* extension) const;

 private:
  explicit OpenRing(std::string path) : m_path(std::move(path)) {}
  std::string m_path;
  int m_folder = -1, m_fd = -1;
  std::uint64_t m_size = 0;
};

}  // namespace runglass
