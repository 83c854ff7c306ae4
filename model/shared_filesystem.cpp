// SPDX-License-Identifier: Apache-2.0
#include "model/shared_filesystem.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <fstream>
#include <sstream>
#include <utility>

namespace runglass {
namespace {

constexpr std::uint32_t kFuse = 0x65735546;

// The filesystem of a device according to the mount table.
std::string mountedAs(dev_t device) {
  const std::string wanted = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  std::ifstream table("/proc/self/mountinfo");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string id, parent, number, name;
    words >> id >> parent >> number;
    const std::size_t dash = line.find(" - ");
    if (number != wanted || dash == std::string::npos) continue;
    std::istringstream(line.substr(dash + 3)) >> name;
    return name;
  }
  return {};
}

}  // namespace

std::string_view sharedFilesystemOfType(std::uint32_t type) {
  // From linux/magic.h, and of filesystems outside the kernel: Lustre, GPFS, BeeGFS, WekaFS.
  constexpr std::pair<std::uint32_t, std::string_view> kShared[] = {
      {0x6969, "nfs"},      {0x517b, "smb"},        {0xff534d42, "cifs"}, {0xfe534d42, "smb"}, {0x5346414f, "afs"},
      {0x73757245, "coda"}, {0x00c36400, "ceph"},   {0x01021997, "9p"},   {kFuse, "fuse"},     {0x0bd00bd0, "lustre"},
      {0x47504653, "gpfs"}, {0x19830326, "beegfs"}, {0x18031977, "weka"}};
  for (const auto& [known, name] : kShared)
    if (known == type) return name;
  return {};
}

bool isLocalFuse(std::string_view mounted_as) { return mounted_as == "fuse.fuse-overlayfs" || mounted_as == "fuseblk"; }

std::string sharedFilesystem(const std::string& path) {
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0) return {};
  const auto type = static_cast<std::uint32_t>(info.f_type);
  const std::string_view name = sharedFilesystemOfType(type);
  if (type != kFuse) return std::string(name);
  struct stat file {};
  const std::string mounted = ::stat(path.c_str(), &file) == 0 ? mountedAs(file.st_dev) : std::string();
  if (isLocalFuse(mounted)) return {};
  return mounted.empty() ? std::string(name) : mounted;
}

}  // namespace runglass
