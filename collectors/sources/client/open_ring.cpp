// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/client/open_ring.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace runglass {
namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

Status cannotOpen(const std::string& path) {
  return {errno == ENOENT ? Code::kNotFound : Code::kPermissionDenied, "open " + path + ": " + std::strerror(errno)};
}

// Why the file may have been put there by another user than the trainer's; empty: it cannot.
std::string doubt(const struct stat& folder, const struct stat& file) {
  const auto user = [](uid_t uid) { return "user " + std::to_string(uid); };
  if (::geteuid() != 0 && file.st_uid != ::geteuid()) return "it belongs to " + user(file.st_uid) + ", not to this agent's";
  if (folder.st_uid != file.st_uid) return "it belongs to " + user(file.st_uid) + ", its folder to " + user(folder.st_uid);
  if ((file.st_mode & kOthersWrite) != 0) return "group or others may write it: chmod go-w";
  if ((folder.st_mode & kOthersWrite) != 0) return "group or others may write its folder: chmod go-w the folder";
  if (file.st_nlink != 1) return "it has a second name (a hard link)";
  return {};
}

}  // namespace

OpenRing::~OpenRing() {
  if (m_fd >= 0) ::close(m_fd);
  if (m_folder >= 0) ::close(m_folder);
}

Result<OpenRing> OpenRing::open(const std::string& path, int flags) {
  OpenRing ring(path);
  const std::filesystem::path split(path);
  const std::string folder_path = split.has_parent_path() ? split.parent_path().string() : ".";
  ring.m_folder = ::open(folder_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (ring.m_folder < 0) return cannotOpen(path);
  ring.m_fd = ::openat(ring.m_folder, split.filename().c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (ring.m_fd < 0) return cannotOpen(path);
  struct stat folder {
  }, file{};
  if (::fstat(ring.m_folder, &folder) != 0 || ::fstat(ring.m_fd, &file) != 0 || !S_ISREG(file.st_mode))
    return Status(Code::kInvalidArgument, "ring " + path + ": not a plain file");
  if (const std::string why = doubt(folder, file); !why.empty()) return Status(Code::kPermissionDenied, "ring " + path + ": " + why);
  ring.m_size = static_cast<std::uint64_t>(file.st_size);
  return ring;
}

void OpenRing::remove() const { ::unlinkat(m_folder, std::filesystem::path(m_path).filename().c_str(), 0); }

void OpenRing::removeWithExtension(const char* extension) const {
  ::unlinkat(m_folder, std::filesystem::path(m_path).filename().replace_extension(extension).c_str(), 0);
}

}  // namespace runglass
