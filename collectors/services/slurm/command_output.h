// SPDX-License-Identifier: Apache-2.0
// Runs a program and returns its standard output.
//
// Threading:  the calling thread, which blocks.
// Ownership:  the child and its process group are killed at the timeout.
// Errors:     NOT_FOUND: no such program; UNAVAILABLE: it failed, with the first line of its standard error, or did not end in time;
//             RESOURCE_EXHAUSTED: more than kMaxOutput bytes.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

inline constexpr std::size_t kMaxOutput = 64U << 20;

// `arguments[0]`: a path, or a name to find in PATH. The program's time zone is UTC.
Result<std::string> commandOutput(std::vector<std::string> arguments, DurNs timeout);

}  // namespace runglass
