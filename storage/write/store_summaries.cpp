// SPDX-License-Identifier: Apache-2.0
// StoreWriter: summaries of series whose samples stay with the store that this one copies.
// Invariants:
// 1. A block counts as so many samples that were forgotten (rg_expired), so that every sample of a series is accounted for.
// 2. How far they go (rg_copied) moves in the transaction that stores them.
#include <algorithm>
#include <bit>
#include <limits>

#include "model/mutex.h"
#include "storage/sqlite/bind_row.h"
#include "storage/write/store_writer.h"

namespace runglass {
namespace {

constexpr std::int64_t kBlockBytes = 40;  // about
constexpr std::int64_t kRowsToMerge = 8;

std::int64_t samplesOf(const Pyramid& blocks, std::size_t i) { return blocks.count[i] + blocks.nan_count[i]; }

}  // namespace

void StoreWriter::summaries(SeriesId id, const Summaries& told) {
  atRest();
  if (m_replaying_stored) return;
  const std::string name = "series " + std::to_string(id.value);
  if (!m_catalog.knowsSeries(id))
    return fail({Code::kInvalidArgument, "cannot record summaries: " + name + ": never declared to this store"});
  // A source that says such a thing: a journal that holds it must still be replayed.
  if (m_catalog.isScalar(id))
    return issue({.code = "mirror.refused",
                  .source = "mirror",
                  .first = wallNow(),
                  .last = wallNow(),
                  .detail = "summaries of " + name + ", which is one of steps"});
  const bool shaped = std::ranges::is_sorted(told.blocks, {}, &Bin::x0) && std::ranges::all_of(told.blocks, [&](const Bin& block) {
                        return block.x0 >= told.from.value_or(block.x0) && block.x1 >= block.x0 && block.count >= 0 &&
                               block.nan_count >= 0 && block.count + block.nan_count <= static_cast<std::int64_t>(kPyramidRadix);
                      });
  if (!shaped) return fail({Code::kInvalidArgument, "cannot record summaries: " + name + ": blocks that are none"});
  const auto [waiting, fresh] = m_summaries.try_emplace(id, told);
  m_pending_bytes += static_cast<std::int64_t>(told.blocks.size()) * kBlockBytes;
  if (fresh) return;
  Summaries& have = waiting->second;
  if (told.from) {
    std::erase_if(have.blocks, [&](const Bin& block) { return block.x0 >= *told.from; });
    have.from = std::min(have.from.value_or(*told.from), *told.from);
  }
  have.blocks.insert(have.blocks.end(), told.blocks.begin(), told.blocks.end());
  have.next = told.next;
}

// Takes out the rows that have blocks from `from` on; those of their blocks that stay are in `kept`. Returns how many samples went.
Result<std::int64_t> StoreWriter::cutSummaries(SeriesId id, std::int64_t from, Pyramid& kept) {
  sqlite::Statement& rows = m_sql.late_pyramids;
  rows.reset();  // it may have failed halfway
  bindAll(rows, id.value, from);
  std::vector<std::int64_t> ids;
  std::int64_t gone = 0;
  Pyramid blocks;
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) break;
    blocks.clear();
    const PyramidRow stored{rows.int64(1), rows.int64(2), rows.int64(3), rows.int64(4), rows.blob(5)};
    if (!decodePyramidRow(id.value, stored, blocks)) continue;  // stays as it is, for verify to name
    ids.push_back(rows.int64(0));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (blocks.x0[i] < from)
        appendBlock(blockOf(blocks, i), kept);
      else
        gone += samplesOf(blocks, i);
    }
  }
  rows.reset();
  for (const std::int64_t old : ids) {
    m_sql.drop_pyramid.bind(1, old);
    RG_TRY(put(m_sql.drop_pyramid, "rg_pyramid"));
  }
  return gone;
}

Status StoreWriter::addSummaryRows(SeriesId id, const Pyramid& blocks) {
  for (std::size_t at = 0; at < blocks.size(); at += kMaxPyramidEntries) {
    Pyramid part;
    const std::size_t end = std::min(blocks.size(), at + kMaxPyramidEntries);
    for (std::size_t i = at; i < end; ++i) appendBlock(blockOf(blocks, i), part);
    const std::int64_t x0 = part.x0.front(), x1 = *std::ranges::max_element(part.x1);
    const std::size_t chunks = (part.size() + kPyramidRadix - 1) / kPyramidRadix;
    const std::string data = encodePyramid(part);
    bindAll(m_sql.pyramid, m_next_pyramid++, id.value, x0, x1, chunks, chunkChecksum(id.value, x0, x1, chunks, data));
    m_sql.pyramid.bindBlob(7, data);
    m_flushed_bytes += static_cast<std::int64_t>(data.size());
    RG_TRY(put(m_sql.pyramid, "rg_pyramid"));
  }
  sqlite::Statement& rows = m_sql.pyramid_counts;
  for (const std::int64_t below : {kMinorPyramid, kMajorPyramid}) {
    rows.reset();
    bindAll(rows, id.value, kMinorPyramid, kMajorPyramid);
    RG_TRY(rows.step().status());
    const std::int64_t small = rows.int64(below == kMinorPyramid ? 0 : 1);
    rows.reset();
    if (small >= kRowsToMerge) RG_TRY(mergePyramids(id, below));
  }
  return {};
}

// What `blocks`, which make the series `more` samples longer, do to what is known of it.
Status StoreWriter::widenExtent(SeriesId id, const std::vector<Bin>& blocks, std::int64_t more) {
  // Points of its own may have come, too: of an exported run. Until the commit is through only its rows say so.
  LiveSeries* const series = m_tail->find(id);
  LiveSeries loaded;
  if (series == nullptr) RG_TRY(loadExtent(id, loaded));
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
      // Where a block's last sample is a number, it says that one.
      latest = block.nan_count == 0 ? std::optional(LatestSample{id, block.x1, block.x1, block.last}) : std::nullopt;
    }
  }
  extent.count += more;
  extent.first_time = extent.first_x;
  extent.last_time = extent.last_x;
  if (series != nullptr) m_widened[id] = {extent, latest};
  bindAll(m_sql.extent, id.value, extent.count, extent.first_x, extent.last_x, extent.first_time, extent.last_time,
          latest ? std::optional(std::bit_cast<std::int64_t>(latest->value)) : std::nullopt, latest ? latest->time : std::nullopt);
  return put(m_sql.extent, "rg_series");
}

Status StoreWriter::saveSummaries() {
  m_widened.clear();
  for (const auto& [id, told] : m_summaries) {
    const SeriesId series = id;
    const Summaries& all = told;
    RG_ASSIGN(const bool stored, m_rows.together(m_db, "rg_pyramid", series.value, [&] { return saveSummaries(series, all); }));
    if (!stored) m_widened.erase(series);
  }
  return {};
}

Status StoreWriter::saveSummaries(SeriesId id, const Summaries& told) {
  Pyramid blocks;
  std::int64_t more = 0;
  if (told.from) {
    RG_ASSIGN(more, cutSummaries(id, *told.from, blocks));
  }
  more = -more;
  std::int64_t x1 = std::numeric_limits<std::int64_t>::min();
  for (const Bin& block : told.blocks) {
    appendBlock(block, blocks);
    more += block.count + block.nan_count;
    x1 = std::max(x1, block.x1);
  }
  RG_TRY(addSummaryRows(id, blocks));
  RG_TRY(widenExtent(id, told.blocks, more));
  bindAll(m_sql.expired, id.value, more, x1);
  RG_TRY(put(m_sql.expired, "rg_expired"));
  if (!told.from) return {};
  const SummaryPosition& next = told.next;
  bindAll(m_sql.copied, id.value, next.chunk, next.main.points, next.main.x1, next.late.points, next.late.x1);
  return put(m_sql.copied, "rg_copied");
}

}  // namespace runglass
