// SPDX-License-Identifier: Apache-2.0
// A cache of decoded rows of a store, with least-recently-used eviction. Internal to storage.
//
// Threading:  one thread, the Reader's.
// Ownership:  values are shared with the calls that use them.
// Units:      bytes, as returned by the values' bytes().
// Errors:     a row is identified by id and checksum: an id reused with other content is another row.
// Cost:       O(1) each.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/spans.h"
#include "storage/codec/pyramid.h"

namespace runglass {

// Consecutive pyramid entries; ordered: no entry begins before the end of the one before it.
struct PyramidSegment {
  std::shared_ptr<const Pyramid> pyramid;
  bool ordered = true;
  std::size_t bytes() const { return pyramid->bytes(); }
};

// The spans of a chunk with the fields that a picture needs, by t0.
struct SpanShapes {
  struct Shape {
    TimeNs t0, t1;
    std::uint32_t name;
    SpanCategory category;
  };
  std::shared_ptr<const std::vector<Shape>> shapes;             // null: the chunk is damaged
  std::shared_ptr<const std::vector<std::uint32_t>> positions;  // position of each in the chunk; null: the chunk was in that order
  std::size_t bytes() const { return 64 + shapes->size() * sizeof(Shape) + (positions ? 4 * positions->size() : 0); }
};

template <class Value>
class DecodedCache {
 public:
  explicit DecodedCache(std::size_t budget) : m_budget(budget) {}
  const Value* find(std::int64_t id, std::uint32_t crc) {
    const auto it = m_rows.find(id);
    if (it == m_rows.end() || it->second->crc != crc) return nullptr;
    m_order.splice(m_order.begin(), m_order, it->second);
    return &it->second->value;
  }
  const Value* put(std::int64_t id, std::uint32_t crc, Value value) {
    if (const auto it = m_rows.find(id); it != m_rows.end()) drop(it->second);
    m_bytes += value.bytes();
    m_order.push_front({id, crc, std::move(value)});
    m_rows[id] = m_order.begin();
    while (m_bytes > m_budget && m_order.size() > 1) drop(std::prev(m_order.end()));
    return &m_order.front().value;
  }

 private:
  struct Row {
    std::int64_t id;
    std::uint32_t crc;
    Value value;
  };
  void drop(typename std::list<Row>::iterator row) {
    m_bytes -= row->value.bytes();
    m_rows.erase(row->id);
    m_order.erase(row);
  }
  std::list<Row> m_order;
  std::unordered_map<std::int64_t, typename std::list<Row>::iterator> m_rows;
  std::size_t m_bytes = 0, m_budget;
};

}  // namespace runglass
