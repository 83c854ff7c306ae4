// SPDX-License-Identifier: Apache-2.0
// CsvSplitter: splits a byte stream into the fields of RFC 4180 records: quotes, doubled quotes, \n, \r\n and \r, a byte order mark.
//
// Threading:  one thread.
// Ownership:  fields are valid during the callback only.
// Units:      bytes; offsets count from the first byte pushed.
// Errors:     fields beyond kMaxFields, bytes beyond kMaxField of a field and beyond kMaxRecord of a record are left out and counted; a
//             quote inside an unquoted field is an ordinary character.
// Cost:       O(bytes); memory at most kMaxRecord.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace runglass {

class CsvSplitter {
 public:
  static constexpr std::size_t kMaxField = std::size_t{64} << 10, kMaxRecord = std::size_t{4} << 20, kMaxFields = 4'096;
  using OnRecord = std::function<void(const std::vector<std::string_view>& fields, std::uint64_t end_offset)>;

  explicit CsvSplitter(char separator = ',') : m_separator(separator) {}
  // Empty lines are not records.
  void push(std::string_view bytes, const OnRecord& on_record);
  // Passes on the last record if no line end follows it.
  void finish(const OnRecord& on_record);
  bool pending() const { return m_any; }  // a record has begun and not ended
  std::int64_t longFields() const { return m_long_fields; }
  std::int64_t leftOutFields() const { return m_left_out_fields; }

 private:
  enum class State : std::uint8_t { kFieldStart, kPlain, kQuoted, kQuoteInQuoted };
  void put(char c);
  void endField();
  void endRecord(const OnRecord& on_record);

  char m_separator;
  State m_state = State::kFieldStart;
  std::string m_text;               // all fields of the record, concatenated
  std::vector<std::size_t> m_ends;  // end of each field in m_text
  std::vector<std::string_view> m_fields;
  std::size_t m_field_begin = 0;
  bool m_any = false, m_field_is_long = false, m_after_cr = false;
  std::uint64_t m_at = 0;
  std::int64_t m_long_fields = 0, m_left_out_fields = 0;
};

}  // namespace runglass
