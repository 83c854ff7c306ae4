// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. m_depth counts the open objects and arrays of the stream. 2. While m_in_items, the array of depth 2 is the list's items:
// objects that begin there are items and are left out of m_outer.
#include "collectors/kubernetes/object_stream.h"

namespace runglass {
namespace {
constexpr std::size_t kMaxName = 64;
constexpr int kItemDepth = 3;
}  // namespace

void ObjectStream::Part::add(char byte) {
  if (too_large) return;
  if (json.size() >= kMaxObject) {
    too_large = true;
    json = {};
    return;
  }
  json.push_back(byte);
}

void ObjectStream::emit(Part& part, std::string_view list_kind, const OnObject& on_object) {
  m_too_large += part.too_large ? 1 : 0;
  m_too_deep += part.too_deep ? 1 : 0;
  if (!part.too_large && !part.too_deep) on_object(part.json, list_kind);
  part.clear();
}

void ObjectStream::push(std::string_view piece, const OnObject& on_object) {
  for (const char byte : piece) {
    ++m_offset;
    const bool of_item = m_in_items && m_depth >= kItemDepth;
    if (m_in_string) {
      (of_item ? m_item : m_outer).add(byte);
      if (m_escaped) {
        m_escaped = false;
      } else if (byte == '\\') {
        m_escaped = true;
      } else if (byte == '"') {
        m_in_string = false;
        if (m_depth == 1 && m_value_next && m_key == "kind") m_list_kind = m_string;
      } else if (m_depth == 1 && m_string.size() < kMaxName) {
        m_string.push_back(byte);
      }
      continue;
    }
    structural(byte, on_object);
  }
}

void ObjectStream::structural(char byte, const OnObject& on_object) {
  const bool blank = byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
  if (m_depth == 0 && byte != '{') {
    m_garbage += !blank && !m_in_garbage ? 1 : 0;
    m_in_garbage = byte != '\n' && (m_in_garbage || !blank);
    return;
  }
  m_in_garbage = false;
  const bool opens = byte == '{' || byte == '[', closes = byte == '}' || byte == ']';
  if (closes) --m_depth;
  const bool item_ends = closes && m_in_items && m_depth == kItemDepth - 1;
  Part& part = m_in_items && (m_depth >= kItemDepth || item_ends || (opens && m_depth == kItemDepth - 1)) ? m_item : m_outer;
  // Commas between items would leave a list without items unreadable.
  if (!blank && !(m_in_items && m_depth == kItemDepth - 1 && byte == ',')) part.add(byte);
  if (opens) {
    ++m_depth;
    part.too_deep = part.too_deep || m_depth > kMaxDepth;
    m_in_items = m_in_items || (byte == '[' && m_depth == 2 && m_value_next && m_key == "items");
  }
  if (byte == '"') m_in_string = true, m_string.clear();
  if (m_depth == 1 && byte == ':') m_key = m_string, m_value_next = true;
  if (m_depth == 1 && byte == ',') m_value_next = false;
  if (item_ends) emit(m_item, m_list_kind, on_object);
  if (closes && m_in_items && m_depth == 1) m_in_items = false;
  if (closes && m_depth == 0) {
    emit(m_outer, "", on_object);
    m_list_kind.clear(), m_key.clear();
    m_value_next = false;
    m_complete_end = m_offset;
  }
}

}  // namespace runglass
