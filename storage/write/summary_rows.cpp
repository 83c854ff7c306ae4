// SPDX-License-Identifier: Apache-2.0
#include "storage/write/summary_rows.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "model/mutex.h"
#include "storage/codec/pyramid.h"
#include "storage/sqlite/bind_row.h"

namespace runglass {
namespace {

constexpr std::int64_t kBlockBytes = 40;  // approximate
constexpr std::int64_t kRowsToMerge = 8;

}  // namespace

Status SummaryRows::load() {
  RG_ASSIGN(m_late_pyramids,
            m_db.prepare("SELECT pyramid_id, x0, x1, chunks, crc, data FROM rg_pyramid WHERE series_id = ?1 AND x1 >= ?2", true));
  RG_ASSIGN(m_pyramid_counts, m_db.prepare("SELECT sum(chunks < ?2), sum(chunks < ?3) FROM rg_pyramid WHERE series_id = ?1", true));
  RG_ASSIGN(m_expired, m_db.prepare("INSERT INTO rg_expired(series_id, sample_count, last_x) VALUES(?1, ?2, ?3) ON CONFLICT(series_id) "
                                    "DO UPDATE SET sample_count = sample_count + ?2, last_x = max(last_x, ?3)",
                                    true));
  RG_ASSIGN(m_copied, m_db.prepare("INSERT OR REPLACE INTO rg_copied(series_id, chunk, points, x1, late_points, late_x1) "
                                   "VALUES(?,?,?,?,?,?)",
                                   true));
  return {};
}

void SummaryRows::close() { m_late_pyramids = {}, m_pyramid_counts = {}, m_expired = {}, m_copied = {}; }

void SummaryRows::add(SeriesId id, const Summaries& reported) {
  const auto [waiting, fresh] = m_waiting.try_emplace(id, reported);
  m_pending_bytes += static_cast<std::int64_t>(reported.blocks.size()) * kBlockBytes;
  if (fresh) return;
  Summaries& have = waiting->second;
  if (reported.from) {
    std::erase_if(have.blocks, [&](const Bin& block) { return block.x0 >= *reported.from; });
    have.from = std::min(have.from.value_or(*reported.from), *reported.from);
  }
  have.blocks.insert(have.blocks.end(), reported.blocks.begin(), reported.blocks.end());
  have.next = reported.next;
}

// Removes the rows that have blocks from `from` on; their earlier blocks are returned in `kept`. Returns the number of samples removed.
Result<std::int64_t> SummaryRows::cut(SeriesId id, std::int64_t from, Pyramid& kept) {
  sqlite::Statement& rows = m_late_pyramids;
  rows.reset();  // the last use may have failed halfway
  bindAll(rows, id.value, from);
  std::vector<std::int64_t> ids;
  std::int64_t gone = 0;
  Pyramid blocks;
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) break;
    blocks.clear();
    const PyramidRow stored{rows.int64(1), rows.int64(2), rows.int64(3), rows.int64(4), rows.blob(5)};
    if (!decodePyramidRow(id.value, stored, blocks)) continue;  // stays as it is, for verify to report
    ids.push_back(rows.int64(0));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks.x0[i] < from)
        appendBlock(blockOf(blocks, i), kept);
      else
        gone += samplesOf(blocks, i);
    }
  }
  rows.reset();
  for (const std::int64_t old : ids) RG_TRY(m_series_rows.dropPyramid(old));
  return gone;
}

Status SummaryRows::addRows(SeriesId id, const Pyramid& blocks) {
  for (std::size_t at = 0; at < blocks.size(); at += kMaxPyramidEntries) {
    Pyramid part;
    const std::size_t end = std::min(blocks.size(), at + kMaxPyramidEntries);
    for (std::size_t i = at; i < end; ++i) appendBlock(blockOf(blocks, i), part);
    const std::int64_t x0 = part.x0.front(), x1 = *std::ranges::max_element(part.x1);
    const auto chunks = static_cast<std::int64_t>((part.size() + kPyramidRadix - 1) / kPyramidRadix);
    const std::string data = encodePyramid(part);
    m_written_bytes += static_cast<std::int64_t>(data.size());
    RG_TRY(m_series_rows.addPyramid(id, x0, x1, chunks, data));
  }
  sqlite::Statement& rows = m_pyramid_counts;
  for (const std::int64_t below : {SeriesRows::kMinorPyramid, SeriesRows::kMajorPyramid}) {
    rows.reset();
    bindAll(rows, id.value, SeriesRows::kMinorPyramid, SeriesRows::kMajorPyramid);
    RG_TRY(rows.step().status());
    const std::int64_t small = rows.int64(below == SeriesRows::kMinorPyramid ? 0 : 1);
    rows.reset();
    if (small >= kRowsToMerge) RG_TRY(m_series_rows.mergePyramids(id, below));
  }
  return {};
}

// Extends the series' extent and newest sample by `blocks`, which add `more` samples.
Status SummaryRows::widenExtent(SeriesId id, const std::vector<Bin>& blocks, std::int64_t more) {
  // The series may also have points of its own, from an exported run. Until the commit is done, only its rows show the new extent.
  LiveSeries* const series = m_tail->find(id);
  LiveSeries loaded;
  if (series == nullptr) RG_TRY(m_series_rows.loadExtent(id, loaded));
  SeriesExtent extent;
  std::optional<LatestSample> latest;
  {
    const LiveSeries& known = series == nullptr ? loaded : *series;
    const MutexLock lock(known.mutex);
    extent = known.extent;
    latest = known.latest;
  }
  for (const Bin& block : blocks) {
    const bool first = extent.count == 0 && &block == &blocks.front();
    extent.first_x = first ? block.x0 : std::min(extent.first_x, block.x0);
    if (first || block.x1 >= extent.last_x) {
      extent.last_x = block.x1;
      // Without NaN in the block, its last value is that of its last sample.
      latest = block.nan_count == 0 ? std::optional(LatestSample{id, block.x1, block.x1, block.last}) : std::nullopt;
    }
  }
  extent.count += more;
  extent.first_time = extent.first_x;
  extent.last_time = extent.last_x;
  if (series != nullptr) m_widened[id] = {extent, latest};
  return m_series_rows.saveExtent(id, extent, latest);
}

Status SummaryRows::save() {
  m_widened.clear();
  for (const auto& [id, reported] : m_waiting) {
    const SeriesId series = id;
    const Summaries& all = reported;
    RG_ASSIGN(const bool stored, m_rows.together(m_db, "rg_pyramid", series.value, [&] { return save(series, all); }));
    if (!stored) m_widened.erase(series);
  }
  return {};
}

Status SummaryRows::save(SeriesId id, const Summaries& reported) {
  Pyramid blocks;
  std::int64_t more = 0;
  if (reported.from) {
    RG_ASSIGN(more, cut(id, *reported.from, blocks));
  }
  more = -more;
  std::int64_t x1 = std::numeric_limits<std::int64_t>::min();
  for (const Bin& block : reported.blocks) {
    appendBlock(block, blocks);
    more += block.count + block.nan_count;
    x1 = std::max(x1, block.x1);
  }
  RG_TRY(addRows(id, blocks));
  RG_TRY(widenExtent(id, reported.blocks, more));
  bindAll(m_expired, id.value, more, x1);
  RG_TRY(m_rows.put(m_db, m_expired, "rg_expired"));
  if (!reported.from) return {};
  const SummaryPosition& next = reported.next;
  bindAll(m_copied, id.value, next.chunk, next.main.points, next.main.x1, next.late.points, next.late.x1);
  return m_rows.put(m_db, m_copied, "rg_copied");
}

void SummaryRows::committed() {
  for (const auto& [id, known] : std::exchange(m_widened, {})) {
    LiveSeries& series = *m_tail->find(id);
    const MutexLock lock(series.mutex);
    std::tie(series.extent, series.latest) = known;
  }
  m_waiting.clear();
  m_pending_bytes = 0;
}

}  // namespace runglass
