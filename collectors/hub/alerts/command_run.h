// SPDX-License-Identifier: Apache-2.0
// Runs a program of the operator with a text on its standard input, and waits for its end up to a time limit.
//
// Threading:  any thread; blocks until the end, the time limit or the stop.
// Ownership:  after a time-out the program and its descendants are killed: they are a process group of their own.
// Units:      ns, bytes.
// Errors:     INVALID_ARGUMENT it cannot be started; UNAVAILABLE it failed with a status or a signal (with the end of its output), or
//             exceeded the time limit; CANCELLED stopped.
// Cost:       kKeptOutput in memory, for any size of output.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

inline constexpr std::size_t kKeptOutput = 1'024;

// No shell. `environment` ("NAME=value") is added to the hub's.
Status runCommand(const std::vector<std::string>& argv, const std::vector<std::string>& environment, const std::string& input,
                  DurNs timeout, const std::stop_token& stop);

}  // namespace runglass
