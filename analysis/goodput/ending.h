// SPDX-License-Identifier: Apache-2.0
// Classifies the end of an attempt, from its source's cause and from findings near the end.
//
// Threading:  pure; any thread.
// Errors:     without a cause the kind is kNotSaid, never a guess.
// Cost:       a few string searches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runglass {

enum class EndKind : std::uint8_t {
  kRunning,    // it has not ended
  kFinished,   // it completed its task
  kStopped,    // a user or a scheduler ended it: planned
  kHardware,   // a device, a link or a node failed
  kHang,       // no progress, or a watchdog ended it
  kMemory,     // out of memory
  kException,  // the program failed
  kKilled,     // a process disappeared without a message
  kOther,      // a recorded cause that fits none of the above
  kNotSaid,
};
const char* endKindName(EndKind kind);   // "hardware_fault", stable
const char* endKindWords(EndKind kind);  // "hardware fault"

struct Ending {
  EndKind kind = EndKind::kNotSaid;
  std::optional<bool> planned;  // absent: not recorded
  std::string cause;            // the source's text, else the finding's
};

// `fault`, `hang`: summaries of findings that end near the attempt's end; empty: none.
Ending endingOf(std::string_view cause, std::optional<bool> planned, std::string_view fault, std::string_view hang);

}  // namespace runglass
