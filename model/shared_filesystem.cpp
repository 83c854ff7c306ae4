// SPDX-License-Identifier: Apache-2.0
#include "model/shared_filesystem.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace runglass {

bool onSharedFilesystem(const std::string& path) {
  // linux/magic.h, and of those outside the kernel: Lustre, GPFS, BeeGFS, WekaFS.
  constexpr std::array<std::uint32_t, 13> kShared = {0x6969,     0x517b,     0xff534d42, 0xfe534d42, 0x5346414f, 0x73757245, 0x00c36400,
                                                     0x01021997, 0x65735546, 0x0bd00bd0, 0x47504653, 0x19830326, 0x18031977};
  struct statfs info {};
  return ::statfs(path.c_str(), &info) == 0 && std::ranges::find(kShared, static_cast<std::uint32_t>(info.f_type)) != kShared.end();
}

}  // namespace runglass
