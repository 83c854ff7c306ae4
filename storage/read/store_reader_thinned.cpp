// SPDX-License-Identifier: Apache-2.0
// StoreReader: points of scalars that retention left of chunks that it deleted.
#include "storage/read/store_reader.h"

namespace runglass {

Status StoreReader::addThinned(SeriesId id, Bounds bounds, const std::stop_token& stop, RawPoints& out, std::string& damage) {
  RG_ASSIGN(const auto to, forgottenTo(id));
  if (!to || bounds.x0 > *to) return {};
  RG_ASSIGN(sqlite::Statement * rows,
            kept(m_thinned_sql,
                 "SELECT chunk_id, x0, x1, n, crc, data FROM rg_thinned WHERE series_id = ?1 AND x0 <= ?3 AND x1 >= ?2 "
                 "ORDER BY chunk_id"));
  rows->bind(1, id.value);
  rows->bind(2, bounds.x0);
  rows->bind(3, bounds.x1);
  std::vector<ChunkView> chunks;
  while (true) {
    RG_ASSIGN(const bool row, rows->step());
    if (!row) break;
    ChunkView view;
    view.id = rows->int64(0);
    view.x0 = rows->int64(1);
    view.x1 = rows->int64(2);
    view.n = static_cast<std::size_t>(rows->int64(3));
    view.crc = static_cast<std::uint32_t>(rows->int64(4));
    view.blob = rows->blob(5);
    chunks.push_back(std::move(view));
  }
  rows->reset();
  if (chunks.empty()) return {};
  RawPoints older;
  RG_TRY(decode(id, chunks, bounds, stop, older, damage));
  // A column of times is as long as the others, or empty.
  const auto fill = [](RawPoints& points) { points.time.resize(points.size(), kAbsent); };
  if (!older.time.empty() || !out.time.empty()) fill(older), fill(out);
  const auto append = [](auto& to_column, const auto& from) { to_column.insert(to_column.end(), from.begin(), from.end()); };
  append(older.x, out.x), append(older.time, out.time), append(older.value, out.value);
  out = std::move(older);
  sortPoints(out);
  return {};
}

}  // namespace runglass
