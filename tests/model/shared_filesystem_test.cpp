// SPDX-License-Identifier: Apache-2.0
#include "model/shared_filesystem.h"

#include <gtest/gtest.h>

namespace runglass {
namespace {

TEST(SharedFilesystem, NetworkAndClusterTypesHaveNamesAndLocalOnesHaveNone) {
  // Types from the kernel's linux/magic.h and the filesystems' own sources.
  const std::pair<std::uint32_t, const char*> shared[] = {{0x6969, "nfs"},        {0xfe534d42, "smb"},  {0x01021997, "9p"},
                                                          {0x0bd00bd0, "lustre"}, {0x47504653, "gpfs"}, {0x19830326, "beegfs"},
                                                          {0x00c36400, "ceph"},   {0x65735546, "fuse"}};
  for (const auto& [type, name] : shared) EXPECT_EQ(sharedFilesystemOfType(type), name);
  for (const std::uint32_t local : {0xef53U /* ext4 */, 0x58465342U /* xfs */, 0x9123683eU /* btrfs */, 0x01021994U /* tmpfs */,
                                    0x794c7630U /* overlayfs */, 0x2fc12fc1U /* zfs */})
    EXPECT_EQ(sharedFilesystemOfType(local), "");
}

TEST(SharedFilesystem, FuseOfContainersAndLocalDisksIsLocal) {
  EXPECT_TRUE(isLocalFuse("fuse.fuse-overlayfs"));
  EXPECT_TRUE(isLocalFuse("fuseblk"));
  for (const char* remote : {"fuse.sshfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.glusterfs", "fuse", ""}) EXPECT_FALSE(isLocalFuse(remote));
}

TEST(SharedFilesystem, WhatCannotBeAskedIsThisMachinesOwn) {
  EXPECT_EQ(sharedFilesystem("/nowhere/at/all"), "");
  EXPECT_EQ(sharedFilesystem("/proc"), "");
}

}  // namespace
}  // namespace runglass
