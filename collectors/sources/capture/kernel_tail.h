// SPDX-License-Identifier: Apache-2.0
// The newest lines of the kernel's log, in dmesg's format.
//
// Threading:  pure.
// Units:      bytes; the kernel's seconds since boot.
// Errors:     PERMISSION_DENIED, NOT_FOUND from open().
// Cost:       reads the kernel's whole ring, at most 16 MiB; of a plain file only its end.
#pragma once

#include <string>

#include "model/result.h"

namespace runglass {

struct KernelTail {
  std::string text;
  std::int64_t truncated_bytes = 0;  // of the lines before the text
};
Result<KernelTail> kernelTail(const std::string& path, std::size_t most);

}  // namespace runglass
