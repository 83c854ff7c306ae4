// SPDX-License-Identifier: Apache-2.0
// Reads a certificate or key for gRPC on a client of the hub.
//
// Threading:  any thread.
// Errors:     INVALID_ARGUMENT a file that is missing, unreadable or empty, with its name, never its content.
// Cost:       one small read.
#pragma once

#include <string>

#include "model/result.h"

namespace runglass {

// Empty path: empty text.
Result<std::string> readPem(const std::string& path);

}  // namespace runglass
