// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/client/stray_stacks.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string_view>

#include "collectors/sources/client/ring_file.h"

namespace runglass {
namespace {

constexpr std::string_view kFirstWords = "runglass stacks 1 ", kExtension = ".stack";

bool isStackFileOf(uid_t owner, int dir, const char* name) {
  const int fd = ::openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat info {};
  std::string head(kFirstWords.size(), '\0');
  const bool is_one = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == owner &&
                      readWhole(fd, head.data(), head.size(), 0) && head == kFirstWords;
  ::close(fd);
  return is_one;
}

}  // namespace

void dropStrayStacks(const std::string& dir) {
  const int fd = ::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  struct stat info {};
  DIR* const opened = ::fstat(fd, &info) == 0 ? ::fdopendir(fd) : nullptr;
  if (opened == nullptr) {
    ::close(fd);
    return;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opened, ::closedir);
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (!name.ends_with(kExtension)) continue;
    const std::string ring = std::string(name.substr(0, name.size() - kExtension.size())) + ".ring";
    if (::faccessat(fd, ring.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0 && isStackFileOf(info.st_uid, fd, entry->d_name))
      ::unlinkat(fd, entry->d_name, 0);
  }
}

}  // namespace runglass
