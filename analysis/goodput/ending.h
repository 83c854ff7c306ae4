// SPDX-License-Identifier: Apache-2.0
// Why an attempt ended, sorted: from what its source said and what was found beside the end.
//
// Threading:  pure; any thread.
// Ownership:  values.
// Units:      none.
// Errors:     none: nothing said is kNotSaid, never a guess.
// Cost:       a few string searches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runglass {

enum class EndKind : std::uint8_t {
  kRunning,    // it has not ended
  kFinished,   // it did what it was asked to
  kStopped,    // somebody or a scheduler ended it: planned
  kHardware,   // a device, a link or a node failed
  kHang,       // nothing moved, or a watchdog ended it
  kMemory,     // out of memory
  kException,  // the program failed
  kKilled,     // a process was gone without a word
  kOther,      // something that is said, but fits nothing above
  kNotSaid,
};
const char* endKindName(EndKind kind);   // "hardware_fault", stable
const char* endKindWords(EndKind kind);  // "hardware fault"

struct Ending {
  EndKind kind = EndKind::kNotSaid;
  std::optional<bool> planned;  // absent: nothing tells
  std::string cause;            // the source's words, else the finding's
};

// `fault`, `hang`: summaries of findings whose end lies at the attempt's end; empty: there is none.
Ending endingOf(std::string_view cause, std::optional<bool> planned, std::string_view fault, std::string_view hang);

}  // namespace runglass
