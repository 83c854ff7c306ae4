// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_buffer holds kPadding zero bytes after the data while views are in use.
// 2. Every byte is scanned once, except after a broken value.
#include "collectors/importers/chrome_trace/event_slicer.h"

#include <algorithm>
#include <array>

namespace runglass {
namespace {

constexpr std::string_view kSpace = " \t\r\n,";
// Deeper nesting occurs in no writer's events; without a limit, text with many unclosed braces would be scanned again from each of them.
constexpr std::size_t kMaxDepth = 64;

constexpr std::array<bool, 256> tableOf(std::string_view bytes) {
  std::array<bool, 256> table{};
  for (const char c : bytes) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kEndsText = tableOf("\"\\\n"), kStructure = tableOf("\"{}[]");

bool isSpace(char c) { return kSpace.find(c) != std::string_view::npos; }

}  // namespace

void EventSlicer::feed(std::string_view bytes) {
  if (m_at > 0) {
    m_buffer.erase(0, m_at);
    m_dropped += m_at;
    m_scan -= std::min(m_scan, m_at);
    m_at = 0;
  }
  m_buffer.append(bytes);
  work();
}

void EventSlicer::work() {
  const std::size_t data = m_buffer.size();
  m_buffer.append(kPadding, '\0');
  m_buffer.resize(data);  // the padding stays readable: resizing to a smaller size keeps the capacity
  while (m_at < m_buffer.size() && step()) {
  }
}

bool EventSlicer::step() {
  if (m_seeking) return skipTo(m_event_begin);
  while (m_at < m_buffer.size() && isSpace(m_buffer[m_at])) ++m_at;
  if (m_at == m_buffer.size()) return false;
  switch (m_state) {
    case State::kStart:
      if (m_buffer[m_at] == '[')
        m_state = State::kEvents, m_array = true;
      else
        m_state = m_buffer[m_at] == '{' ? State::kMembers : State::kNoTrace;
      ++m_at;
      return true;
    case State::kMembers:
      return members();
    case State::kEvents:
      return events();
    case State::kEnd:
    case State::kNoTrace:
      break;
  }
  m_at = m_buffer.size();
  return false;
}

// "key": value of the top-level object.
bool EventSlicer::members() {
  if (m_buffer[m_at] == '}') {
    m_state = State::kEnd;
    ++m_at;
    return true;
  }
  if (m_buffer[m_at] != '"') {
    ++m_broken;
    ++m_at;
    return true;
  }
  const std::size_t end = m_buffer.find('"', m_at + 1);
  std::size_t value = end == std::string::npos ? m_buffer.size() : end + 1;
  while (value < m_buffer.size() && (isSpace(m_buffer[value]) || m_buffer[value] == ':')) ++value;
  if (value >= m_buffer.size()) {
    if (value - m_at <= kMaxValue) return false;
    resync(m_at + 1);
    return true;
  }
  const std::string key = m_buffer.substr(m_at + 1, end - m_at - 1);
  if (key == "traceEvents" && m_buffer[value] == '[') {
    m_state = State::kEvents;
    m_at = value + 1;
    m_scan = 0;
    return true;
  }
  std::size_t after = 0;
  switch (scanValue(value, after)) {
    case Scan::kPart:
      return false;
    case Scan::kBad:
      resync(value);
      return true;
    case Scan::kWhole:
      break;
  }
  if (member) member(key, std::string_view(m_buffer).substr(value, after - value));
  m_at = after;
  return true;
}

bool EventSlicer::events() {
  if (m_buffer[m_at] == ']') {
    m_state = m_array ? State::kEnd : State::kMembers;
    ++m_at;
    return true;
  }
  if (m_buffer[m_at] != '{') {
    resync(m_at);
    return true;
  }
  std::size_t after = 0;
  const Scan scan = scanValue(m_at, after);
  if (scan == Scan::kPart) return false;
  if (scan == Scan::kBad || !event(std::string_view(m_buffer).substr(m_at, after - m_at))) {
    resync(m_at + 1);
    return true;
  }
  if (!m_begin_known) learnBegin(after);
  m_at = after;
  return true;
}

// A writer begins all its events with the same key, which is searched for after broken text.
void EventSlicer::learnBegin(std::size_t end) {
  const std::size_t open = m_buffer.find('"', m_at), close = m_buffer.find('"', open + 1);
  if (open == std::string::npos || close == std::string::npos || close >= end) return;
  m_event_begin = "{" + m_buffer.substr(open, close - open + 1);
  m_begin_known = true;
}

// Finds the next event after broken text.
void EventSlicer::resync(std::size_t from) {
  ++m_broken;
  m_at = from;
  m_scan = 0;
  m_state = State::kEvents;
  m_seeking = true;
}

bool EventSlicer::skipTo(std::string_view wanted) {
  const std::string_view text = m_buffer;
  for (std::size_t brace = text.find('{', m_at); brace != std::string_view::npos; brace = text.find('{', brace + 1)) {
    std::size_t next = brace + 1;
    while (next < text.size() && isSpace(text[next])) ++next;
    const std::string_view rest = wanted.substr(1);
    if (text.size() - next < rest.size() && next - brace <= kMaxValue) {
      m_at = brace;  // more bytes are needed to decide
      return false;
    }
    if (text.substr(next, rest.size()) != rest) continue;
    m_at = brace;
    m_seeking = false;
    return true;
  }
  m_at = text.size();
  return false;
}

// `end`: position after the value that begins at `from`.
EventSlicer::Scan EventSlicer::scanValue(std::size_t from, std::size_t& end) {
  if (m_scan <= from) m_scan = from, m_depth = 0, m_in_string = false;
  const char* const data = m_buffer.data();
  const std::size_t size = m_buffer.size();
  std::size_t at = m_scan;
  for (; at < size; ++at) {
    if (m_in_string) {
      while (at < size && !kEndsText[static_cast<unsigned char>(data[at])]) ++at;
      if (at == size) break;
      if (data[at] == '\n') return Scan::kBad;
      if (data[at] == '"') {
        m_in_string = false;
        if (m_depth == 0) return m_scan = 0, end = at + 1, Scan::kWhole;
      } else if (++at == size) {  // a backslash and the escaped character
        --at;
        break;
      }
      continue;
    }
    while (at < size && m_depth > 0 && !kStructure[static_cast<unsigned char>(data[at])]) ++at;
    if (at == size) break;
    const char c = data[at];
    if (c == '"') {
      m_in_string = true;
    } else if (c == '{' || c == '[') {
      if (++m_depth > kMaxDepth) return Scan::kBad;
    } else if (c == '}' || c == ']') {
      // A bare value ends where its object ends.
      if (m_depth == 0) return m_scan = 0, end = at, Scan::kWhole;
      if (--m_depth == 0) return m_scan = 0, end = at + 1, Scan::kWhole;
    } else if (m_depth == 0 && isSpace(c)) {
      return m_scan = 0, end = at, Scan::kWhole;
    }
  }
  m_scan = at;
  return size - from > kMaxValue ? Scan::kBad : Scan::kPart;
}

void EventSlicer::finish() {
  while (m_at < m_buffer.size() && isSpace(m_buffer[m_at])) ++m_at;
  // The format permits omitting the `]` of the array form, because a writer does not know when it will be killed.
  const bool open_array = m_array && m_state == State::kEvents && !m_seeking && m_at == m_buffer.size();
  m_cut = m_state != State::kEnd && !open_array;
  if (m_at < m_buffer.size() && !m_seeking && m_state == State::kEvents) ++m_broken;
}

}  // namespace runglass
