// SPDX-License-Identifier: Apache-2.0
#include "storage/write/series_rows.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "storage/codec/pyramid.h"
#include "storage/sqlite/bind_row.h"
#include "storage/write/writer_parts.h"

namespace runglass {

Status SeriesRows::load() {
  RG_ASSIGN(m_next_pyramid, nextId(m_db, "SELECT max(pyramid_id) FROM rg_pyramid", "rg_pyramid"));
  RG_ASSIGN(m_pyramid, m_db.prepare("INSERT OR REPLACE INTO rg_pyramid(pyramid_id, series_id, x0, x1, chunks, crc, data) "
                                    "VALUES(?,?,?,?,?,?,?)",
                                    true));
  RG_ASSIGN(m_extent, m_db.prepare("UPDATE rg_series SET sample_count=?2, first_x=?3, last_x=?4, first_ns=?5, last_ns=?6, latest_bits=?7, "
                                   "latest_ns=?8 WHERE series_id=?1",
                                   true));
  RG_ASSIGN(m_small_pyramids, m_db.prepare("SELECT pyramid_id, x0, x1, chunks, crc, data FROM rg_pyramid WHERE series_id = ?1 AND "
                                           "chunks < ?2 ORDER BY x0",
                                           true));
  RG_ASSIGN(m_known_extent, m_db.prepare("SELECT sample_count, first_x, last_x, first_ns, last_ns, latest_bits, latest_ns FROM rg_series "
                                         "WHERE series_id = ?",
                                         true));
  RG_ASSIGN(m_drop_pyramid, m_db.prepare("DELETE FROM rg_pyramid WHERE pyramid_id = ?", true));
  return {};
}

void SeriesRows::close() { m_pyramid = {}, m_extent = {}, m_small_pyramids = {}, m_known_extent = {}, m_drop_pyramid = {}; }

Status SeriesRows::addPyramid(SeriesId id, std::int64_t x0, std::int64_t x1, std::int64_t chunks, const std::string& data) {
  bindAll(m_pyramid, m_next_pyramid++, id.value, x0, x1, chunks, chunkChecksum(id.value, x0, x1, static_cast<std::uint64_t>(chunks), data));
  m_pyramid.bindBlob(7, data);
  return m_rows.put(m_db, m_pyramid, "rg_pyramid");
}

Status SeriesRows::dropPyramid(std::int64_t pyramid_id) {
  m_drop_pyramid.bind(1, pyramid_id);
  return m_rows.put(m_db, m_drop_pyramid, "rg_pyramid");
}

Status SeriesRows::mergePyramids(SeriesId id, std::int64_t below) {
  Pyramid merged;
  std::int64_t chunks = 0, x0 = std::numeric_limits<std::int64_t>::max(), x1 = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> ids;
  m_small_pyramids.reset();  // the last use may have failed halfway
  m_small_pyramids.bind(1, id.value);
  m_small_pyramids.bind(2, below);
  while (true) {
    RG_ASSIGN(const bool row, m_small_pyramids.step());
    if (!row) break;
    const sqlite::Statement& s = m_small_pyramids;
    const std::int64_t row_chunks = s.int64(3);
    if (chunks + row_chunks > kMajorPyramid) break;
    // A damaged row stays as it is, for verify to report.
    if (!decodePyramidRow(id.value, {s.int64(1), s.int64(2), row_chunks, s.int64(4), s.blob(5)}, merged)) continue;
    chunks += row_chunks;
    x0 = std::min(x0, s.int64(1));
    x1 = std::max(x1, s.int64(2));
    ids.push_back(s.int64(0));
  }
  m_small_pyramids.reset();
  if (ids.size() < 2) return {};
  for (const std::int64_t old : ids) RG_TRY(dropPyramid(old));
  const std::string data = encodePyramid(merged);
  m_written_bytes += static_cast<std::int64_t>(data.size());
  return addPyramid(id, x0, x1, chunks, data);
}

Status SeriesRows::loadExtent(SeriesId id, LiveSeries& series) {
  sqlite::Statement& extent = m_known_extent;
  extent.reset();  // the last use may have failed halfway
  extent.bind(1, id.value);
  RG_ASSIGN(const bool known, extent.step());
  const MutexLock lock(series.mutex);
  if (known) series.extent = {extent.int64(0), extent.int64(1), extent.int64(2), extent.optionalInt64(3), extent.optionalInt64(4)};
  if (known && !extent.isNull(5))
    series.latest = LatestSample{id, extent.int64(2), extent.optionalInt64(6), std::bit_cast<double>(extent.int64(5))};
  extent.reset();
  return {};
}

Status SeriesRows::saveExtent(SeriesId id, const SeriesExtent& extent, const std::optional<LatestSample>& latest) {
  bindAll(m_extent, id.value, extent.count, extent.first_x, extent.last_x, extent.first_time, extent.last_time,
          latest ? std::optional(std::bit_cast<std::int64_t>(latest->value)) : std::nullopt, latest ? latest->time : std::nullopt);
  return m_rows.put(m_db, m_extent, "rg_series");
}

}  // namespace runglass
