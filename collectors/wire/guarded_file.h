// SPDX-License-Identifier: Apache-2.0
// Small files that are their owner's: tokens, certificates, keys.
//
// Errors:     INVALID_ARGUMENT names the file, never its content; UNAVAILABLE: it cannot be written.
// Cost:       at most 1 MiB.
#pragma once

#include <string>
#include <string_view>

#include "model/result.h"

namespace runglass {

// `what` begins the message of an error. `secret`: refused when others can read it.
Result<std::string> readGuarded(const std::string& path, const char* what, bool secret);
// The token of a client's own file: its first line that is no comment.
Result<std::string> readToken(const std::string& path);
// Writes a file as a whole: it is the old one or the new one. `secret`: mode 0600, else 0644.
Status replaceGuarded(const std::string& path, std::string_view text, bool secret);

}  // namespace runglass
