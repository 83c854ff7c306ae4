// SPDX-License-Identifier: Apache-2.0
// A certificate or key as a client of the hub gives it to gRPC.
//
// Threading:  any thread.
// Ownership:  values.
// Units:      none.
// Errors:     INVALID_ARGUMENT a file that is missing, unreadable or empty; names it, never its content.
// Cost:       one small read.
#pragma once

#include <string>

#include "model/result.h"

namespace runglass {

// No path: no text.
Result<std::string> readPem(const std::string& path);

}  // namespace runglass
