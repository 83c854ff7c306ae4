// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/csv/csv_splitter.h"

namespace runglass {

void CsvSplitter::put(char c) {
  m_any = true;
  if (m_text.size() - m_field_begin >= kMaxField || m_text.size() >= kMaxRecord) {
    if (!m_field_is_long) ++m_long_fields;
    m_field_is_long = true;
    return;
  }
  m_text += c;
}

void CsvSplitter::endField() {
  if (m_ends.size() < kMaxFields) {
    m_ends.push_back(m_text.size());
  } else {
    ++m_left_out_fields;
    m_text.resize(m_field_begin);
  }
  m_field_begin = m_text.size();
  m_field_is_long = false;
  m_state = State::kFieldStart;
}

void CsvSplitter::endRecord(const OnRecord& on_record) {
  if (m_any) {
    endField();
    m_fields.clear();
    std::size_t begin = 0;
    for (const std::size_t end : m_ends) {
      m_fields.emplace_back(std::string_view(m_text).substr(begin, end - begin));
      begin = end;
    }
    on_record(m_fields, m_at);
  }
  m_text.clear();
  m_ends.clear();
  m_field_begin = 0;
  m_any = m_field_is_long = false;
  m_state = State::kFieldStart;
}

void CsvSplitter::push(std::string_view bytes, const OnRecord& on_record) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  for (const char c : bytes) {
    ++m_at;
    const bool second_of_crlf = m_after_cr && c == '\n';
    m_after_cr = false;
    if (second_of_crlf) continue;
    if (m_state == State::kQuoted) {
      if (c == '"')
        m_state = State::kQuoteInQuoted;
      else
        put(c);
      continue;
    }
    if (m_state == State::kQuoteInQuoted && c == '"') {
      put(c);
      m_state = State::kQuoted;
    } else if (c == '\n' || c == '\r') {
      m_after_cr = c == '\r';
      endRecord(on_record);
    } else if (c == m_separator) {
      m_any = true;
      endField();
    } else if (m_state == State::kFieldStart && c == '"') {
      m_any = true;
      m_state = State::kQuoted;
    } else {
      put(c);
      m_state = State::kPlain;
      if (m_at == kMark.size() && m_text == kMark) {
        m_text.clear();
        m_any = false;
        m_state = State::kFieldStart;
      }
    }
  }
}

void CsvSplitter::finish(const OnRecord& on_record) { endRecord(on_record); }

}  // namespace runglass
