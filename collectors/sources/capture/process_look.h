// SPDX-License-Identifier: Apache-2.0
// What /proc says of one process and its threads. Only files that do not wait for the process itself.
//
// Threading:  pure.
// Ownership:  values.
// Units:      bits of signals as /proc has them (signal n is bit n - 1).
// Errors:     lookAt(): NOT_FOUND the process is gone; what cannot be read is left out.
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
  std::vector<std::int32_t> pids;  // its numbers, ours first, its own namespace's last
  std::uint64_t caught = 0;        // signals
  bool catches(int signal) const { return (caught >> (signal - 1) & 1U) != 0; }
  // Cannot run code of its own now: stopped, traced, a zombie.
  bool stopped() const { return state == 'T' || state == 't' || state == 'Z' || state == 'X'; }
};

Result<ProcessLook> lookAt(const std::string& root, std::int32_t pid);
// status, wchan, the kernel's stack where it may be read, and for each thread its name, state and wchan.
std::string processText(const std::string& root, std::int32_t pid);
// Whether one of its descriptors is this file; absent: not for us to see.
std::optional<bool> holdsOpen(const std::string& root, std::int32_t pid, std::uint64_t device, std::uint64_t inode);
// Of its environment when it was started, the variables with these names.
std::map<std::string, std::string> environmentOf(const std::string& root, std::int32_t pid, const std::vector<std::string>& names);

}  // namespace runglass
