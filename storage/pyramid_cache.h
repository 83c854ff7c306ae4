// SPDX-License-Identifier: Apache-2.0
// Decoded pyramid rows, the least recently used dropped first. Internal to storage.
//
// Threading:  one thread, the Reader's.
// Ownership:  shared with the calls that use a row.
// Units:      bytes; the budget is 64 MiB.
// Errors:     none. A row is known by id and checksum: an id that came back with other content is another row.
// Cost:       O(1) each.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "storage/codec/pyramid.h"

namespace runglass {

// A run of pyramid entries; ordered: none begins before the one before it ends.
struct PyramidSegment {
  std::shared_ptr<const Pyramid> pyramid;
  bool ordered = true;
};

class PyramidCache {
 public:
  const PyramidSegment* find(std::int64_t pyramid_id, std::uint32_t crc) {
    const auto it = m_rows.find(pyramid_id);
    if (it == m_rows.end() || it->second->crc != crc) return nullptr;
    m_order.splice(m_order.begin(), m_order, it->second);
    return &it->second->segment;
  }
  void put(std::int64_t pyramid_id, std::uint32_t crc, PyramidSegment segment) {
    if (const auto it = m_rows.find(pyramid_id); it != m_rows.end()) drop(it->second);
    m_bytes += segment.pyramid->bytes();
    m_order.push_front({pyramid_id, crc, std::move(segment)});
    m_rows[pyramid_id] = m_order.begin();
    while (m_bytes > kBudget && m_order.size() > 1) drop(std::prev(m_order.end()));
  }

 private:
  static constexpr std::size_t kBudget = std::size_t{64} << 20;
  struct Row {
    std::int64_t id;
    std::uint32_t crc;
    PyramidSegment segment;
  };
  void drop(std::list<Row>::iterator row) {
    m_bytes -= row->segment.pyramid->bytes();
    m_rows.erase(row->id);
    m_order.erase(row);
  }
  std::list<Row> m_order;
  std::unordered_map<std::int64_t, std::list<Row>::iterator> m_rows;
  std::size_t m_bytes = 0;
};

}  // namespace runglass
