// SPDX-License-Identifier: Apache-2.0
// Runs a program of the operator's with a text on its standard input, and waits for its end within bounds.
//
// Threading:  any thread; blocks until the end, the time limit or the stop.
// Ownership:  the program and what it started are gone when it returns after a time-out: they are a process group of their own.
// Units:      ns, bytes.
// Errors:     INVALID_ARGUMENT it cannot be started; UNAVAILABLE it ended with another status than 0 or by a signal (with the end of what
//             it wrote), or did not end in time; CANCELLED stopped.
// Cost:       kKeptOutput in memory, whatever it writes.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

inline constexpr std::size_t kKeptOutput = 1'024;

// No shell. `environment` is added to ours ("NAME=value").
Status runCommand(const std::vector<std::string>& argv, const std::vector<std::string>& environment, const std::string& input,
                  DurNs timeout, const std::stop_token& stop);

}  // namespace runglass
