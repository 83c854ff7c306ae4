// SPDX-License-Identifier: Apache-2.0
// Whether other machines may see the same files.
//
// Threading:  any.
// Errors:     a path that cannot be queried counts as local.
// Cost:       one statfs; for FUSE the mount table as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace runglass {

// Name of the network, cluster or FUSE filesystem of an existing path: "nfs". Empty: a local one. FUSE counts as shared, because most other
// filesystems are available through it as well, except FUSE filesystems of containers and local disks.
std::string sharedFilesystem(const std::string& path);

// The two criteria: the type of statfs(2), and for FUSE the name in the mount table.
std::string_view sharedFilesystemOfType(std::uint32_t type);
bool isLocalFuse(std::string_view mounted_as);

}  // namespace runglass
