// SPDX-License-Identifier: Apache-2.0
// Small files for their owner only: tokens, certificates, keys.
//
// Errors:     INVALID_ARGUMENT with the file's name, never its content; UNAVAILABLE: it cannot be written.
// Cost:       at most 1 MiB.
#pragma once

#include <string>
#include <string_view>

#include "model/result.h"

namespace runglass {

// `what` begins an error message. `secret`: rejected if other users can read it.
Result<std::string> readGuarded(const std::string& path, const char* what, bool secret);
// The token in a client's own file: its first line that is not a comment.
Result<std::string> readToken(const std::string& path);
// Replaces a file atomically. `secret`: mode 0600, else 0644.
Status replaceGuarded(const std::string& path, std::string_view text, bool secret);

}  // namespace runglass
