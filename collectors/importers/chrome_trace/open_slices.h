// SPDX-License-Identifier: Apache-2.0
// OpenSlices: matches the begins (B) and ends (E) of a Chrome trace, with a stack per thread.
//
// Threading:  one thread.
// Ownership:  owns the begins' texts until they are taken.
// Units:      ns.
// Errors:     an end without a begin is kUnmatched. Begins beyond kMaxBytes of text are counted in overflowed(); their ends are then
//             kOverflowed and do not end an enclosing slice.
// Cost:       a hash look-up per event; an end searches at most kSearch begins for its name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collectors/importers/chrome_trace/trace_event.h"

namespace runglass {

struct OpenSlice {
  std::string pid, tid, name, category, args;
  std::optional<TimeNs> start;
  bool old = false;  // from the part of the file that an earlier import recorded
};

class OpenSlices {
 public:
  static constexpr std::size_t kMaxBytes = 64U << 20, kSearch = 64;
  enum class End : std::uint8_t { kMatched, kUnmatched, kOverflowed };

  void begin(const TraceEvent& event, bool old);
  // Finds the innermost begin of the event's thread with the event's name, or the innermost of all if the event has no name.
  End end(const TraceEvent& event, OpenSlice& out);
  // Passes on all begins without an end and empties this object.
  void takeAll(const std::function<void(const OpenSlice&)>& take);
  std::int64_t overflowed() const { return m_overflowed; }

 private:
  struct Stack {
    std::vector<OpenSlice> open;
    std::int64_t overflowed = 0;  // begins above `open` that were not kept
  };
  std::unordered_map<std::string, Stack> m_stacks;  // threads with open slices
  std::size_t m_bytes = 0;
  std::int64_t m_overflowed = 0;
};

// Merges two raw JSON objects, each possibly empty; for keys in both, `end` takes precedence.
std::string joinedArgs(std::string_view begin, std::string_view end);

}  // namespace runglass
