// SPDX-License-Identifier: Apache-2.0
// Whether other machines may see the same files.
//
// Threading:  any.
// Errors:     what cannot be asked counts as this machine's own.
// Cost:       one statfs; of FUSE the mount table as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace runglass {

// Name of the network, cluster or FUSE filesystem that an existing path lies on: "nfs". Empty: this machine's own. FUSE counts, because
// most of the others come through it as well; what containers and local disks use of it does not.
std::string sharedFilesystem(const std::string& path);

// The two things that it goes by: the type of statfs(2), and for FUSE the name in the mount table.
std::string_view sharedFilesystemOfType(std::uint32_t type);
bool isLocalFuse(std::string_view mounted_as);

}  // namespace runglass
