// SPDX-License-Identifier: Apache-2.0
// State of one process and its threads from /proc. Reads only files that do not wait for the process itself.
//
// Threading:  pure.
// Units:      signal bits as in /proc (signal n is bit n - 1).
// Errors:     lookAt(): NOT_FOUND the process is gone; unreadable parts are left out.
// Cost:       some five small files a thread, at most 512 threads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/result.h"

namespace runglass {

struct ProcessLook {
  char state = '?';  // "R", "S", "D", "T", "Z", ...
  std::string state_words;
  std::uint32_t uid = 0;
  std::vector<std::int32_t> pids;  // its pids: in the agent's namespace first, in its own last
  std::uint64_t caught = 0;        // signals
  bool catches(int signal) const { return (caught >> (signal - 1) & 1U) != 0; }
  // Cannot run its own code now: stopped, traced, a zombie.
  bool stopped() const { return state == 'T' || state == 't' || state == 'Z' || state == 'X'; }
};

Result<ProcessLook> lookAt(const std::string& root, std::int32_t pid);
// status, wchan, the kernel's stack if readable, and for each thread its name, state and wchan.
std::string processText(const std::string& root, std::int32_t pid);
// Whether one of its descriptors is this file; absent: no permission to see that.
std::optional<bool> holdsOpen(const std::string& root, std::int32_t pid, std::uint64_t device, std::uint64_t inode);
// The named variables of its environment at start.
std::map<std::string, std::string> environmentOf(const std::string& root, std::int32_t pid, const std::vector<std::string>& names);

}  // namespace runglass
