// SPDX-License-Identifier: Apache-2.0
// ChangeReader: pyramid blocks of series over time, for replication.
// Invariants:
// 1. The answer for a series has all of its blocks that begin at or after some x, and no block before that x is new: a replica that
//    replaces its own blocks from x on has those of the source, however they came about.
// 2. A position counts complete blocks of the open chunks. Where these are not the first blocks of the chunk's final form (it was or will
//    be sorted), the chunk is sent again from its start.
#include <algorithm>
#include <numeric>

#include "storage/read/change_reader.h"

namespace runglass {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kRadix = kPyramidRadix;
constexpr int kAttempts = 100;

using Open = LiveTail::Blocks::Open;

std::size_t wholeBlocks(const Open& open) { return open.ordered ? static_cast<std::size_t>(open.points / kRadix) : 0; }
bool hasRest(const Open& open) { return open.ordered && open.points % kRadix != 0; }
bool isReported(const Open& open, const SummaryPosition::Open& have) {
  return open.points == 0 || (open.ordered && open.points / kRadix * kRadix == have.points);
}

// The blocks that `have` covers are the first of `blocks`.
bool beginWith(const Pyramid& blocks, const SummaryPosition::Open& have) {
  const auto reported = static_cast<std::size_t>(have.points / kRadix);
  if (reported == 0 || reported > blocks.size() || blocks.x1[reported - 1] != have.x1) return false;
  for (std::size_t i = 0; i < reported; ++i)
    if (blocks.count[i] + blocks.nan_count[i] != kRadix) return false;
  return true;
}

// The x from which on blocks are new; extends towards the past.
class Reach {
 public:
  void to(std::int64_t x) { m_x = m_x ? std::min(*m_x, x) : x; }
  // Blocks of a chunk, of which `have` was already sent; `known`: the number of them to send.
  void into(const Pyramid& blocks, const SummaryPosition::Open& have, std::size_t known) {
    if (known == 0) return;
    const std::size_t reported = beginWith(blocks, have) ? static_cast<std::size_t>(have.points / kRadix) : 0;
    if (reported < known) to(blocks.x0[reported]);
  }
  const std::optional<std::int64_t>& x() const { return m_x; }

 private:
  std::optional<std::int64_t> m_x;
};

void addFrom(std::int64_t x, const Pyramid& blocks, std::vector<Bin>& out) {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (blocks.x0[i] >= x) out.push_back(blockOf(blocks, i));
}

SummaryPosition::Open after(const Open& open, std::int64_t x1) {
  const std::size_t whole = wholeBlocks(open);
  return {static_cast<std::int64_t>(whole) * kRadix, whole > 0 ? open.blocks.x1[whole - 1] : x1};
}

}  // namespace

// Sealed chunks beyond `have`, and the open ones that the tail does not have.
Status ChangeReader::sealedSince(SeriesId series, std::int64_t chunk, std::vector<Sealed>& sealed, LiveTail::Blocks& blocks) {
  m_new_chunks_sql.bind(1, series.value);
  m_new_chunks_sql.bind(2, chunk);
  std::vector<Sealed> open;
  while (true) {
    RG_ASSIGN(const bool row, m_new_chunks_sql.step());
    if (!row) break;
    const sqlite::Statement& s = m_new_chunks_sql;
    Sealed one{
        s.int64(0), s.int64(1) != 0, s.int64(2), s.int64(3), static_cast<std::size_t>(s.int64(4)), static_cast<std::uint32_t>(s.int64(5)),
        nullptr};
    const bool is_sealed = s.int64(6) != 0;
    if (is_sealed && !blocks.owned) blocks.newest_sealed = std::max(blocks.newest_sealed, one.id);
    if (is_sealed || !blocks.owned) (is_sealed ? sealed : open).push_back(std::move(one));
  }
  m_new_chunks_sql.reset();
  for (const Sealed& one : open) {
    RawPoints points;
    RG_ASSIGN(const bool good, decode(series, one, points));
    if (!good) continue;  // unreadable blocks cannot be returned
    sortPoints(points);
    Open& of = one.late ? blocks.late : blocks.main;
    of.points = static_cast<std::int64_t>(points.size());
    of.blocks.clear();
    appendPyramid(points.x.data(), points.value.data(), points.size(), of.blocks);
  }
  return {};
}

Status ChangeReader::storedBlocks(SeriesId series, std::int64_t from, std::vector<Bin>& out) {
  m_pyramids_sql.bind(1, series.value);
  m_pyramids_sql.bind(2, from);
  Pyramid blocks;
  while (true) {
    RG_ASSIGN(const bool row, m_pyramids_sql.step());
    if (!row) break;
    const sqlite::Statement& s = m_pyramids_sql;
    blocks.clear();
    const PyramidRow stored{s.int64(0), s.int64(1), s.int64(2), s.int64(3), s.blob(4)};
    if (decodePyramidRow(series.value, stored, blocks)) addFrom(from, blocks, out);
  }
  m_pyramids_sql.reset();
  return {};
}

Result<NewSummaries> ChangeReader::summaries(SeriesId series, const SummaryPosition& have, bool rest) {
  NewSummaries found;
  if (m_live) {
    const auto tail = m_live->blocks(series, std::numeric_limits<std::uint64_t>::max(), LiveTail::BlockParts::kCounts);
    if (tail && tail->owned) {
      const LiveTail::Blocks& now = *tail;
      found.rest = hasRest(now.main) || hasRest(now.late);
      if (now.newest_sealed == have.chunk && isReported(now.main, have.main) && isReported(now.late, have.late) && !(rest && found.rest))
        return found;
    }
  }
  for (int i = 0; i < kAttempts; ++i) {
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kRead));
    LiveTail::Blocks now;
    if (m_live) {
      RG_ASSIGN(const std::uint64_t file, generation());
      auto tail = m_live->blocks(series, file, LiveTail::BlockParts::kAll);
      if (!tail) continue;
      now = std::move(*tail);
    }
    if (!now.owned) now.newest_sealed = have.chunk;
    std::vector<Sealed> sealed;
    RG_TRY(sealedSince(series, have.chunk, sealed, now));
    RG_ASSIGN(const auto expired, m_db.queryInt64("SELECT last_x FROM rg_expired WHERE series_id = " + std::to_string(series.value)));
    found.rest = hasRest(now.main) || hasRest(now.late);

    Reach reach;
    SummaryPosition::Open main = have.main, late = have.late;
    if ((have.chunk == 0 && (now.newest_sealed > 0 || expired)) || have.chunk > now.newest_sealed) reach.to(kLowest);
    if (expired && *expired > have.main.x1) reach.to(have.main.x1);
    const auto pass = [&](bool is_late, std::int64_t x0, std::int64_t x1, const Pyramid* blocks) {
      SummaryPosition::Open& reported = is_late ? late : main;
      if (blocks != nullptr)
        reach.into(*blocks, reported, blocks->size());
      else
        reach.to(x0);
      reported = {0, std::max(reported.x1, x1)};
    };
    for (const Sealed& chunk : sealed) pass(chunk.late, chunk.x0, chunk.x1, nullptr);
    for (const PendingChunk& chunk : now.sealed)
      if (chunk.row->id > have.chunk) pass(chunk.row->late, chunk.row->x0, chunk.row->x1, chunk.pyramid.get());
    const auto open = [&](const Open& of, const SummaryPosition::Open& reported) {
      const bool all = !of.ordered || (rest && hasRest(of));
      reach.into(of.blocks, reported, all ? of.blocks.size() : wholeBlocks(of));
    };
    open(now.main, main);
    open(now.late, late);
    if (!reach.x()) return found;

    Summaries& reported = found.reported.emplace(Summaries{.from = *reach.x(), .blocks = {}, .next = {}});
    RG_TRY(storedBlocks(series, *reported.from, reported.blocks));
    for (const PendingChunk& chunk : now.sealed) addFrom(*reported.from, *chunk.pyramid, reported.blocks);
    addFrom(*reported.from, now.main.blocks, reported.blocks);
    addFrom(*reported.from, now.late.blocks, reported.blocks);
    std::ranges::stable_sort(reported.blocks, {}, &Bin::x0);
    reported.next = {now.newest_sealed, after(now.main, main.x1), after(now.late, late.x1)};
    found.rest = false;
    return found;
  }
  return Status(Code::kUnavailable, "cannot read store: " + m_path + ": commits came faster than this read");
}

Result<std::unordered_map<SeriesId, SummaryPosition>> ChangeReader::copied() {
  std::unordered_map<SeriesId, SummaryPosition> all;
  RG_ASSIGN(auto rows, m_db.prepare("SELECT series_id, chunk, points, x1, late_points, late_x1 FROM rg_copied"));
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return all;
    all.emplace(SeriesId{static_cast<std::uint64_t>(rows.int64(0))},
                SummaryPosition{rows.int64(1), {rows.int64(2), rows.int64(3)}, {rows.int64(4), rows.int64(5)}});
  }
}

}  // namespace runglass
