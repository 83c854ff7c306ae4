// SPDX-License-Identifier: Apache-2.0
// The process that a kernel message reports as dead: killed because memory ran out, or crashed.
//
// Threading:  pure.
// Errors:     absent for messages about other things.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/events.h"

namespace runglass {

struct ProcessDeath {
  std::string name;  // as the kernel has it: at most 15 bytes, of the thread that crashed
  std::optional<std::int32_t> pid;
  bool memory = false;  // killed because memory ran out
  bool cgroup = false;  // that of its control group
};
// Of an event of kind "oom" or "segfault".
std::optional<ProcessDeath> processDeath(const Event& event);

}  // namespace runglass
