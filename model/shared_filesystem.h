// SPDX-License-Identifier: Apache-2.0
// Whether other machines may see the same files.
//
// Threading:  any.
// Ownership:  none.
// Units:      none.
// Errors:     what cannot be asked counts as this machine's own.
// Cost:       one statfs.
#pragma once

#include <string>

namespace runglass {

// True for network and cluster filesystems, and for FUSE, which most of the others come through.
bool onSharedFilesystem(const std::string& path);

}  // namespace runglass
