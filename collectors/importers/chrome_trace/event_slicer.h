// SPDX-License-Identifier: Apache-2.0
// EventSlicer: cuts a Chrome trace (object or array form) into its events without reading them, as bytes arrive in any pieces.
//
// Threading:  one thread.
// Ownership:  keeps what is not complete yet; views given out are valid during the call, with kPadding readable bytes behind them.
// Units:      bytes.
// Errors:     a value that never ends, a raw line break inside a string (what PyTorch wrote for names with quotes), anything longer
//             than kMaxValue or nested deeper than any writer nests is counted in broken() and skipped up to where the next event begins
//             (with the key that the first event began with); cut() says that the end of the file is missing. An array form that ends
//             behind an event is whole without its `]`.
// Cost:       one pass; memory is one piece plus the largest value. Broken text is scanned again, a bounded number of times.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace runglass {

class EventSlicer {
 public:
  static constexpr std::size_t kMaxValue = 16U << 20, kPadding = 64;

  // `event` returns false for text that is no event: the slicer then looks for the next one inside it, as after a broken string.
  std::function<bool(std::string_view text)> event;
  std::function<void(std::string_view key, std::string_view value)> member;  // of the top object, raw JSON

  void feed(std::string_view bytes);
  void finish();

  std::int64_t broken() const { return m_broken; }
  bool cut() const { return m_cut; }
  bool wellBegun() const { return m_state != State::kStart && m_state != State::kNoTrace; }
  // Of the input: everything before it was given out.
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
  std::size_t m_at = 0;    // the next byte to look at
  std::size_t m_scan = 0;  // how far the value at m_at was scanned already; with m_depth and m_in_string its state there
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
