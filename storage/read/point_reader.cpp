// SPDX-License-Identifier: Apache-2.0
#include "storage/read/point_reader.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace runglass {
namespace {

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
constexpr int kSnapshotAttempts = 100;

ChunkView viewOf(RawPoints points, bool late) {
  ChunkView view;
  view.id = kHighest;  // sorts after all others of its group
  view.late = late;
  view.x0 = points.x.front();
  view.x1 = points.x.back();
  view.n = points.size();
  view.points = std::move(points);
  return view;
}

std::string nameOf(SeriesId series, const ChunkView& chunk) {
  return "series " + std::to_string(series.value) + " chunk " + std::to_string(chunk.id) + " [" + std::to_string(chunk.x0) + ", " +
         std::to_string(chunk.x1) + "]";
}

// Converts a half-open range to an inclusive one; false when empty. The highest int64 as an end means no end.
bool inclusive(std::int64_t begin, std::int64_t end, std::int64_t& last) {
  last = end == kHighest ? end : end - 1;
  return begin < end;
}

}  // namespace

Result<SeriesIdentity> PointReader::identityOf(SeriesId id) {
  RG_TRY(m_file.refreshClocks());
  RG_ASSIGN(sqlite::Statement * statement,
            m_file.kept(m_known_sql, "SELECT kind, sample_count, node_id, attempt_id, rank FROM rg_series WHERE series_id = ?1"));
  statement->bind(1, id.value);
  RG_ASSIGN(const bool row, statement->step());
  SeriesIdentity identity;
  if (row) {
    if (statement->int64(0) == static_cast<int>(SeriesKind::kScalar)) identity.kind = SeriesKind::kScalar;
    identity.count = statement->int64(1);
    if (!m_file.clocks().none()) {
      const std::optional<std::int64_t> rank = statement->optionalInt64(4);
      identity.clock = !statement->isNull(2) ? m_file.clocks().of(NodeId{static_cast<std::uint64_t>(statement->int64(2))})
                                             : m_file.clocks().of(AttemptId{static_cast<std::uint64_t>(statement->int64(3))},
                                                                  rank ? std::optional(static_cast<std::int32_t>(*rank)) : std::nullopt);
    }
  }
  statement->reset();
  const std::optional<SeriesExtent> extent = m_file.live() ? m_file.live()->extent(id) : std::nullopt;
  if (!row && !extent)
    return Status(Code::kNotFound, "no such series: " + std::to_string(id.value) + ": the store " + m_file.path() + " has none of that id");
  if (extent) identity.count = extent->count;
  return identity;
}

Status PointReader::openSnapshot(SeriesId id, ReaderFile::Snapshot& file, SeriesSnapshot& tail) {
  for (int i = 0; i < kSnapshotAttempts; ++i) {
    file.reset();
    RG_ASSIGN(file, m_file.snapshot(i > 0));
    if (!m_file.live()) return {};
    RG_ASSIGN(const std::uint64_t generation, m_file.generation());
    auto snapshot = m_file.live()->series(id, generation);
    if (!snapshot) continue;
    tail = std::move(*snapshot);
    return {};
  }
  return {Code::kUnavailable, "cannot read store: " + m_file.path() + ": commits came faster than this read"};
}

Status PointReader::chunks(SeriesId id, XBounds bounds, bool open_only, SeriesSnapshot& tail, std::vector<ChunkView>& out) {
  const auto take = [&](sqlite::Statement& statement) -> Status {
    while (true) {
      RG_ASSIGN(const bool row, statement.step());
      if (!row) break;
      if (statement.int64(4) == 0 && tail.owned) continue;
      ChunkView view;
      view.id = statement.int64(0);
      view.x0 = statement.int64(1);
      view.x1 = statement.int64(2);
      view.n = static_cast<std::size_t>(statement.int64(3));
      view.late = statement.int64(5) != 0;
      view.crc = static_cast<std::uint32_t>(statement.int64(6));
      view.blob = statement.blob(7);
      out.push_back(std::move(view));
    }
    statement.reset();
    return {};
  };
  if (open_only) {
    if (!tail.owned) {
      RG_ASSIGN(sqlite::Statement * statement, m_file.kept(m_open_sql,
                                                           "SELECT chunk_id, x0, x1, n, sealed, late, crc, data FROM rg_chunk WHERE "
                                                           "series_id = ?1 AND sealed = 0"));
      statement->bind(1, id.value);
      RG_TRY(take(*statement));
    }
  } else {
    RG_ASSIGN(sqlite::Statement * statement, m_file.kept(m_chunks_sql,
                                                         "SELECT chunk_id, x0, x1, n, sealed, late, crc, data FROM rg_chunk WHERE "
                                                         "series_id = ?1 AND x0 <= ?3 AND x1 >= ?2"));
    statement->bind(1, id.value);
    statement->bind(2, bounds.x0);
    statement->bind(3, bounds.x1);
    RG_TRY(take(*statement));
  }
  for (const PendingChunk& pending : tail.sealed) {
    if (open_only) break;  // a pending chunk has its pyramid
    ChunkView view;
    view.id = pending.row->id;
    view.late = pending.row->late;
    view.x0 = pending.row->x0;
    view.x1 = pending.row->x1;
    view.n = pending.row->n;
    view.blob = pending.row->blob;
    view.checked = true;
    out.push_back(std::move(view));
  }
  if (tail.open) out.push_back(viewOf(*tail.open, false));
  if (tail.open_late) out.push_back(viewOf(*tail.open_late, true));
  std::erase_if(out, [&](const ChunkView& chunk) { return chunk.x0 > bounds.x1 || chunk.x1 < bounds.x0; });
  std::sort(out.begin(), out.end(), [](const ChunkView& a, const ChunkView& b) { return std::tie(a.late, a.id) < std::tie(b.late, b.id); });
  return {};
}

Status PointReader::decode(SeriesId id, const std::vector<ChunkView>& chunks, XBounds bounds, const std::stop_token& stop, RawPoints& out,
                           std::string& damage) {
  bool any_time = false;
  std::size_t total = 0;
  for (const ChunkView& chunk : chunks) {
    any_time = any_time || (chunk.points ? !chunk.points->time.empty() : sampleChunkHasTime(chunk.blob));
    total += std::min(chunk.n, kChunkPoints);
  }
  out.x.reserve(total), out.value.reserve(total), out.time.reserve(any_time ? total : 0);
  RawPoints scratch;
  for (const ChunkView& chunk : chunks) {
    if (stop.stop_requested()) return {Code::kCancelled, "cancelled"};
    const std::size_t before = out.size();
    const bool sane = chunk.n > 0 && chunk.n <= kChunkPoints;
    const bool has_time = chunk.points ? !chunk.points->time.empty() : sampleChunkHasTime(chunk.blob);
    if (chunk.points) {
      out.x.insert(out.x.end(), chunk.points->x.begin(), chunk.points->x.end());
      out.value.insert(out.value.end(), chunk.points->value.begin(), chunk.points->value.end());
      if (has_time) out.time.insert(out.time.end(), chunk.points->time.begin(), chunk.points->time.end());
    } else {
      bool good = sane && (chunk.checked || chunkChecksum(id.value, chunk.x0, chunk.x1, chunk.n, chunk.blob) == chunk.crc);
      if (good) {
        out.x.resize(before + chunk.n), out.value.resize(before + chunk.n);
        if (any_time) out.time.resize(before + chunk.n, kAbsent);
        good = decodeSampleChunk(chunk.blob, chunk.n, chunk.x0, out.x.data() + before, any_time ? out.time.data() + before : nullptr,
                                 out.value.data() + before);
      }
      if (!good) {
        out.x.resize(before), out.value.resize(before), out.time.resize(any_time ? before : 0);
        m_file.damage().note(nameOf(id, chunk));
        if (damage.empty()) damage = nameOf(id, chunk);
        continue;
      }
    }
    if (any_time) out.time.resize(out.size(), kAbsent);
    // Only a chunk at an end of the range has points outside it.
    if (chunk.x0 >= bounds.x0 && chunk.x1 <= bounds.x1) continue;
    const auto first = std::lower_bound(out.x.begin() + static_cast<std::ptrdiff_t>(before), out.x.end(), bounds.x0) - out.x.begin();
    const auto last = std::upper_bound(out.x.begin() + static_cast<std::ptrdiff_t>(before), out.x.end(), bounds.x1) - out.x.begin();
    const auto keep = [&](auto& column) {
      if (column.empty()) return;
      column.erase(column.begin() + last, column.end());
      column.erase(column.begin() + static_cast<std::ptrdiff_t>(before), column.begin() + first);
    };
    keep(out.x), keep(out.value), keep(out.time);
  }
  sortPoints(out);
  return {};
}

Result<RawPoints> PointReader::points(SeriesId id, XBounds bounds, const std::stop_token& stop) {
  ReaderFile::Snapshot file;
  SeriesSnapshot tail;
  RG_TRY(openSnapshot(id, file, tail));
  std::vector<ChunkView> found;
  RG_TRY(chunks(id, bounds, false, tail, found));
  RawPoints out;
  std::string damage;
  RG_TRY(decode(id, found, bounds, stop, out, damage));
  RG_TRY(addThinned(id, bounds, stop, out, damage));
  if (!damage.empty() && out.size() == 0) return Status(Code::kDataLoss, "damaged chunk: " + m_file.path() + ": " + damage);
  return out;
}

Result<SampleColumns> PointReader::samples(SeriesId series, TimeRange range, std::stop_token stop) {
  RG_ASSIGN(const SeriesIdentity identity, identityOf(series));
  if (identity.correctsX()) range = {identity.clock->rawFrom(range.t0), identity.clock->rawFrom(range.t1)};
  XBounds bounds{range.t0, 0};
  if (!inclusive(range.t0, range.t1, bounds.x1)) return SampleColumns();
  RG_ASSIGN(RawPoints points, this->points(series, bounds, stop));
  if (identity.correctsX()) {
    for (TimeNs& time : points.x) time = identity.clock->corrected(time);
  }
  return SampleColumns{std::move(points.x), std::move(points.value)};
}

Result<ScalarColumns> PointReader::scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop) {
  RG_ASSIGN(const SeriesIdentity identity, identityOf(series));
  XBounds bounds{step0, 0};
  if (!inclusive(step0, step1, bounds.x1)) return ScalarColumns();
  RG_ASSIGN(RawPoints points, this->points(series, bounds, stop));
  for (TimeNs& time : points.time) {
    if (identity.clock != nullptr && time != kAbsent) time = identity.clock->corrected(time);
  }
  return ScalarColumns{std::move(points.x), std::move(points.time), std::move(points.value)};
}

Result<std::optional<LatestSample>> PointReader::newestStored(SeriesId id) {
  RG_ASSIGN(
      sqlite::Statement * statement,
      m_file.kept(m_newest_sql, "SELECT last_x, latest_ns, latest_bits, kind FROM rg_series WHERE series_id = ?1 AND sample_count > 0"));
  statement->bind(1, id.value);
  RG_ASSIGN(const bool row, statement->step());
  std::optional<LatestSample> latest;
  if (row) latest = LatestSample{id, statement->int64(0), statement->optionalInt64(1), std::bit_cast<double>(statement->int64(2))};
  const bool known = !row || !statement->isNull(2);
  const bool scalar = row && statement->int64(3) == static_cast<int>(SeriesKind::kScalar);
  statement->reset();
  if (known) return latest;
  // Nothing was recorded since schema 1, which did not store the newest sample.
  const auto points = this->points(id, {latest->x, latest->x}, {});
  if (!points.ok() || points->size() == 0) return std::optional<LatestSample>();
  latest->value = points->value.back();
  latest->time = scalar ? std::nullopt : std::optional(latest->x);
  if (scalar && !points->time.empty() && points->time.back() != kAbsent) latest->time = points->time.back();
  return latest;
}

// One lookup per series and commit: a store of a year has expired samples of all its series, and a view requests some of them.
Result<std::optional<std::int64_t>> PointReader::forgottenTo(SeriesId id) {
  RG_ASSIGN(const std::int64_t now, m_file.dataVersion());
  if (now != m_forgotten_version) m_forgotten.clear();
  m_forgotten_version = now;
  if (const auto known = m_forgotten.find(id); known != m_forgotten.end()) return known->second;
  RG_ASSIGN(sqlite::Statement * one, m_file.kept(m_expired_sql, "SELECT last_x FROM rg_expired WHERE series_id = ?1 AND sample_count > 0"));
  one->bind(1, id.value);
  RG_ASSIGN(const bool found, one->step());
  const std::optional<std::int64_t> to = found ? std::optional(one->int64(0)) : std::nullopt;
  one->reset();
  m_forgotten.emplace(id, to);
  return to;
}

Status PointReader::addThinned(SeriesId id, XBounds bounds, const std::stop_token& stop, RawPoints& out, std::string& damage) {
  RG_ASSIGN(const auto to, forgottenTo(id));
  if (!to || bounds.x0 > *to) return {};
  RG_ASSIGN(sqlite::Statement * rows,
            m_file.kept(m_thinned_sql,
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
