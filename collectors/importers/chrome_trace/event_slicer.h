// SPDX-License-Identifier: Apache-2.0
// EventSlicer: splits a Chrome trace (object or array form) into its events without parsing them, from pieces of any size.
//
// Threading:  one thread.
// Ownership:  buffers incomplete values; views passed on are valid during the call, followed by kPadding readable bytes.
// Units:      bytes.
// Errors:     an unterminated value, a raw line break inside a string (PyTorch's output for names with quotes), a value longer than
//             kMaxValue or nested deeper than any writer's is counted in broken() and skipped up to the next event (found by the first key
//             of the first event); cut() means that the end of the file is missing. An array form that ends after an event is complete
//             without its `]`.
// Cost:       one pass; memory is one piece plus the largest value. Broken text is scanned again, a limited number of times.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace runglass {

class EventSlicer {
 public:
  static constexpr std::size_t kMaxValue = 16U << 20, kPadding = 64;

  // `event` returns false for text that is not an event: the slicer then searches inside it for the next one, as after a broken string.
  std::function<bool(std::string_view text)> event;
  std::function<void(std::string_view key, std::string_view value)> member;  // of the top-level object, raw JSON

  void feed(std::string_view bytes);
  void finish();

  std::int64_t broken() const { return m_broken; }
  bool cut() const { return m_cut; }
  bool wellBegun() const { return m_state != State::kStart && m_state != State::kNoTrace; }
  // Offset in the input: everything before it was passed on.
  std::uint64_t offset() const { return m_dropped + m_at; }

 private:
  enum class State : std::uint8_t { kStart, kMembers, kEvents, kEnd, kNoTrace };
  enum class Scan : std::uint8_t { kWhole, kPart, kBad };
  void work();
  bool step();
  bool members();
  bool events();
  bool skipTo(std::string_view wanted);
  Scan scanValue(std::size_t from, std::size_t& end);
  void resync(std::size_t from);
  void learnBegin(std::size_t end);

  std::string m_buffer;
  std::size_t m_at = 0;    // next byte to process
  std::size_t m_scan = 0;  // end of the scanned part of the value at m_at; m_depth and m_in_string are the state there
  std::size_t m_depth = 0;
  bool m_in_string = false;
  std::uint64_t m_dropped = 0;  // bytes of the input before m_buffer
  State m_state = State::kStart;
  bool m_array = false, m_seeking = false, m_cut = false;
  std::int64_t m_broken = 0;
  std::string m_event_begin = "{\"ph\"";
  bool m_begin_known = false;
};

}  // namespace runglass
