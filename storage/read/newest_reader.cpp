// SPDX-License-Identifier: Apache-2.0
#include "storage/read/newest_reader.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace runglass {
namespace {

constexpr int kSnapshotAttempts = 100;
constexpr std::size_t kStopEvery = 256;
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min(), kHighest = std::numeric_limits<std::int64_t>::max();

// The newest of the offered points.
class Newest {
 public:
  void offer(const std::optional<FoundPoint>& point, bool late, std::int64_t chunk) {
    if (!point || (m_point && std::tuple(point->x, late, chunk) < std::tuple(m_point->x, m_late, m_chunk))) return;
    m_point = point;
    m_late = late;
    m_chunk = chunk;
  }
  const std::optional<FoundPoint>& point() const { return m_point; }

 private:
  std::optional<FoundPoint> m_point;
  bool m_late = false;
  std::int64_t m_chunk = 0;
};

}  // namespace

// Series that got a late chunk since the last check are out of order from now on.
Status NewestReader::noteLateChunks(std::int64_t version) {
  if (m_late_version == version) return {};
  RG_ASSIGN(auto late, m_file.db().prepare("SELECT series_id FROM rg_chunk WHERE chunk_id > ?1 AND late = 1"));
  late.bind(1, m_late_from);
  while (m_late_version >= 0) {
    RG_ASSIGN(const bool row, late.step());
    if (!row) break;
    if (MomentSlot* const slot = m_moments.find(SeriesId{static_cast<std::uint64_t>(late.int64(0))})) slot->ordered = false;
  }
  RG_ASSIGN(const auto newest, m_file.db().queryInt64("SELECT max(chunk_id) FROM rg_chunk"));
  m_late_from = newest.value_or(0);
  m_late_version = version;
  return {};
}

Status NewestReader::judgeOrder(SeriesId id, MomentSlot& slot) {
  RG_ASSIGN(sqlite::Statement * rows, m_file.kept(m_order_sql, "SELECT x0, x1 FROM rg_chunk WHERE series_id = ?1 ORDER BY x0, x1"));
  rows->bind(1, id.value);
  slot.ordered = slot.judged = true;
  for (std::int64_t end = kLowest; slot.ordered;) {
    RG_ASSIGN(const bool row, rows->step());
    if (!row) break;
    slot.ordered = rows->int64(0) >= end;
    end = std::max(end, rows->int64(1));
  }
  rows->reset();
  return {};
}

// Fills the slot with the file's chunks that matter at x.
Status NewestReader::fillSlot(SeriesId id, std::int64_t x, std::int64_t version, bool without_open, MomentSlot& slot) {
  if (slot.version == version && slot.without_open == without_open && slot.holds(x)) return {};
  if (!slot.judged) RG_TRY(judgeOrder(id, slot));
  RG_ASSIGN(sqlite::Statement * rows,
            m_file.kept(m_moment_sql,
                        "SELECT chunk_id, x0, x1, n, sealed, late, crc, data FROM rg_chunk WHERE series_id = ?1 AND "
                        "x0 <= ?2 ORDER BY x0 DESC, x1 DESC, chunk_id DESC"));
  rows->bind(1, id.value);
  rows->bind(2, x);
  slot.version = -1;  // until it is complete again
  std::vector<MomentChunk> found;
  std::optional<std::int64_t> from;
  std::int64_t end = kLowest;
  // In order, the chunk that begins last has the newest point, also where two chunks share one x.
  while (!(from && slot.ordered)) {
    RG_ASSIGN(const bool row, rows->step());
    if (!row) break;
    const std::int64_t x0 = rows->int64(1), x1 = rows->int64(2);
    if (from && x1 < *from) continue;
    if (without_open && rows->int64(4) == 0) continue;
    if (!from) from = x0, end = x1;
    const std::int64_t chunk_id = rows->int64(0);
    const auto crc = static_cast<std::uint32_t>(rows->int64(6));
    const auto same = std::ranges::find_if(slot.chunks, [&](const MomentChunk& c) { return c.id == chunk_id && c.crc == crc; });
    if (same != slot.chunks.end()) {
      found.push_back(std::move(*same));
      same->id = 0;
      continue;
    }
    MomentChunk& chunk = found.emplace_back();
    // The memory of the dropped chunk is reused: far jumps replace each series' chunk.
    if (slot.ordered && !slot.chunks.empty()) chunk.points = std::move(slot.chunks.front().points), slot.chunks.front().id = 0;
    chunk.id = chunk_id;
    chunk.crc = crc;
    chunk.late = rows->int64(5) != 0;
    const auto n = static_cast<std::size_t>(rows->int64(3));
    chunk.good = chunkChecksum(id.value, x0, x1, n, rows->blob(7)) == crc && chunk.points.open(rows->blob(7), n, x0);
    if (!chunk.good) noteDamage(id, chunk_id, x0, x1);
  }
  rows->reset();
  slot.chunks = std::move(found);
  slot.version = version;
  slot.without_open = without_open;
  slot.from = from.value_or(kLowest);
  if (slot.ordered && x < end) {
    slot.to = end;
    return {};
  }
  RG_ASSIGN(sqlite::Statement * next, m_file.kept(m_next_sql, "SELECT min(x0) FROM rg_chunk WHERE series_id = ?1 AND x0 > ?2"));
  next->bind(1, id.value);
  next->bind(2, x);
  RG_ASSIGN(const bool row, next->step());
  slot.to = row ? next->optionalInt64(0).value_or(kHighest) : kHighest;
  next->reset();
  return {};
}

void NewestReader::noteDamage(SeriesId series, std::int64_t chunk, std::int64_t x0, std::int64_t x1) {
  m_file.damage().note("series " + std::to_string(series.value) + " chunk " + std::to_string(chunk) + " [" + std::to_string(x0) + ", " +
                       std::to_string(x1) + "]");
}

Result<bool> NewestReader::newestPoint(SeriesId id, std::int64_t x, std::int64_t version, std::uint64_t generation,
                                       std::optional<FoundPoint>& out) {
  LiveTail::Moment tail;
  if (m_file.live()) {
    auto known = m_file.live()->newestAt(id, generation, {.last = x});
    if (!known) return false;
    tail = std::move(*known);
  }
  MomentSlot& slot = m_moments.of(id);
  RG_TRY(fillSlot(id, x, version, tail.owned, slot));
  Newest newest;
  for (MomentChunk& chunk : slot.chunks) {
    std::optional<FoundPoint> point;
    if (!chunk.good) continue;
    if (!chunk.points.newest({.last = x}, point)) {
      noteDamage(id, chunk.id, slot.from, slot.to);
      chunk.good = false;
      continue;
    }
    newest.offer(point, chunk.late, chunk.id);
  }
  m_moments.settle(slot);
  for (const PendingChunk& pending : tail.sealed) {
    EncodedChunk points;
    std::optional<FoundPoint> point;
    RG_CHECK(points.open(pending.row->blob, pending.row->n, pending.row->x0) && points.newest({.last = x}, point));
    newest.offer(point, pending.row->late, pending.row->id);
  }
  newest.offer(tail.main, false, kHighest);
  newest.offer(tail.late, true, kHighest);
  out = newest.point();
  return true;
}

Status NewestReader::fillSteps(SeriesId id, std::int64_t version, bool without_open, StepSlot& slot) {
  if (slot.version == version && slot.without_open == without_open) return {};
  RG_ASSIGN(sqlite::Statement * rows,
            m_file.kept(m_steps_sql, "SELECT chunk_id, x0, x1, sealed, late, crc FROM rg_chunk WHERE series_id = ?1 ORDER BY x1 DESC"));
  rows->bind(1, id.value);
  std::vector<StepChunk> found;
  while (true) {
    RG_ASSIGN(const bool row, rows->step());
    if (!row) break;
    if (without_open && rows->int64(3) == 0) continue;
    StepChunk chunk{.id = rows->int64(0),
                    .x0 = rows->int64(1),
                    .x1 = rows->int64(2),
                    .crc = static_cast<std::uint32_t>(rows->int64(5)),
                    .late = rows->int64(4) != 0,
                    .earliest = std::nullopt};
    const auto same = std::ranges::find_if(slot.chunks, [&](const StepChunk& c) { return c.id == chunk.id && c.crc == chunk.crc; });
    found.push_back(same != slot.chunks.end() ? *same : chunk);
  }
  rows->reset();
  slot = {.version = version, .without_open = without_open, .chunks = std::move(found)};
  return {};
}

Result<std::shared_ptr<EncodedChunk>> NewestReader::stepChunk(SeriesId id, StepChunk& chunk) {
  if (const KeptChunk* known = m_step_chunks.find(chunk.id, chunk.crc)) return known->chunk;
  RG_ASSIGN(sqlite::Statement * rows, m_file.kept(m_step_chunk_sql, "SELECT n, data FROM rg_chunk WHERE chunk_id = ?1"));
  rows->bind(1, chunk.id);
  RG_ASSIGN(const bool row, rows->step());
  auto points = std::make_shared<EncodedChunk>();
  const auto n = row ? static_cast<std::size_t>(rows->int64(0)) : 0;
  std::optional<FoundPoint> none;
  // Marks all blocks, so that the cached chunk does not grow later.
  chunk.good = row && chunkChecksum(id.value, chunk.x0, chunk.x1, n, rows->blob(1)) == chunk.crc &&
               points->open(rows->blob(1), n, chunk.x0) && points->newest({.of = PointBound::Of::kTime, .last = kLowest}, none);
  rows->reset();
  if (!chunk.good) {
    noteDamage(id, chunk.id, chunk.x0, chunk.x1);
    return std::shared_ptr<EncodedChunk>();
  }
  m_step_chunks.put(chunk.id, chunk.crc, {points});
  return points;
}

// In a series over steps: of the points with a time at or before `time`, the one that latest() would return.
Result<bool> NewestReader::newestStep(SeriesId id, TimeNs time, std::int64_t version, std::uint64_t generation,
                                      std::optional<FoundPoint>& out) {
  const PointBound bound{.of = PointBound::Of::kTime, .last = time};
  LiveTail::Moment tail;
  if (m_file.live()) {
    auto known = m_file.live()->newestAt(id, generation, bound);
    if (!known) return false;
    tail = std::move(*known);
  }
  Newest newest;
  std::optional<FoundPoint> point;
  newest.offer(tail.main, false, kHighest);
  newest.offer(tail.late, true, kHighest);
  for (const PendingChunk& pending : tail.sealed) {
    EncodedChunk points;
    RG_CHECK(points.open(pending.row->blob, pending.row->n, pending.row->x0) && points.newest(bound, point));
    newest.offer(point, pending.row->late, pending.row->id);
  }
  StepSlot& slot = m_step_slots[id.value];
  RG_TRY(fillSteps(id, version, tail.owned, slot));
  for (StepChunk& chunk : slot.chunks) {
    if (newest.point() && chunk.x1 < newest.point()->x) break;
    if (!chunk.good || (chunk.earliest && *chunk.earliest > time)) continue;
    RG_ASSIGN(const auto points, stepChunk(id, chunk));
    if (!points) continue;
    chunk.good = points->newest(bound, point);
    if (!chunk.good) noteDamage(id, chunk.id, chunk.x0, chunk.x1);
    chunk.earliest = points->earliest();
    if (chunk.good) newest.offer(point, chunk.late, chunk.id);
  }
  out = newest.point();
  return true;
}

Result<std::vector<LatestSample>> NewestReader::latest(std::span<const SeriesId> series) {
  std::vector<LatestSample> found;
  RG_TRY(m_file.refreshClocks());
  for (const SeriesId id : series) {
    std::optional<LatestSample> latest = m_file.live() ? m_file.live()->latest(id) : std::nullopt;
    if (!latest) {
      RG_ASSIGN(latest, m_points.newestStored(id));
    }
    if (!latest) continue;
    RG_ASSIGN(const auto forgotten, m_points.forgottenTo(id));
    if (forgotten && latest->x <= *forgotten) {
      RG_ASSIGN(const auto block, m_bins.newestSummarised(id, latest->x));
      if (block && block->x == latest->x) latest->mean = block->mean;
    }
    if (!m_file.clocks().none()) {
      const auto identity = m_points.identityOf(id);
      if (identity.ok() && identity->correctsX()) latest->x = identity->clock->corrected(latest->x);
      if (identity.ok() && identity->clock != nullptr && latest->time) latest->time = identity->clock->corrected(*latest->time);
    }
    found.push_back(*latest);
  }
  return found;
}

Result<std::vector<LatestSample>> NewestReader::latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) {
  RG_TRY(m_series.refresh());
  RG_TRY(m_file.refreshClocks());
  const std::uint64_t live = m_file.live() ? m_file.live()->generation() : 0;
  RG_ASSIGN(const std::int64_t stored, m_file.dataVersion());
  if (m_answers.moment != moment || m_answers.version != stored || m_answers.live != live) {
    m_answers.moment = moment;
    m_answers.version = stored;
    m_answers.live = live;
    ++m_answers.jump;
  }
  std::vector<WantedSeries> wanted;
  std::vector<const MomentAnswers::Answer*> answers;
  answers.reserve(series.size());
  for (const SeriesId id : series) {
    const auto answered = m_answers.of.find(id.value);
    if (answered != m_answers.of.end() && answered->second.jump == m_answers.jump) {
      answers.push_back(&answered->second);
      continue;
    }
    const Series* const known = m_series.find(id);
    SeriesIdentity identity;
    if (known != nullptr) {
      identity.kind = known->key.kind;
      if (!m_file.clocks().none())
        identity.clock = known->key.node ? m_file.clocks().of(known->key.node) : m_file.clocks().of(known->key.attempt, known->key.rank);
    } else {
      RG_ASSIGN(identity, m_points.identityOf(id));
    }
    MomentAnswers::Answer* const slot = answered != m_answers.of.end() ? &answered->second : &m_answers.of[id.value];
    answers.push_back(slot);
    wanted.push_back({id, identity.kind == SeriesKind::kScalar, identity.clock, slot});
  }
  if (!wanted.empty()) RG_TRY(newestOf(wanted, moment, stop));
  std::vector<LatestSample> found;
  found.reserve(series.size());
  for (const MomentAnswers::Answer* const answer : answers)
    if (answer->newest) found.push_back(*answer->newest);
  return found;
}

Status NewestReader::newestOf(const std::vector<WantedSeries>& wanted, TimeNs moment, const std::stop_token& stop) {
  std::unordered_map<const ClockMap*, std::int64_t> bounds;  // the last raw time that is at or before the moment in corrected time
  const auto boundOf = [&](const ClockMap* clock) {
    if (clock == nullptr || moment == kHighest) return moment;
    const auto [known, fresh] = bounds.try_emplace(clock, 0);
    if (!fresh) return known->second;
    const std::int64_t behind = clock->rawFrom(moment + 1);
    return known->second = behind == kLowest || behind == kHighest ? behind : behind - 1;
  };
  m_moments.begin();
  std::size_t next = 0;
  for (int attempt = 0; attempt < kSnapshotAttempts; ++attempt) {
    RG_ASSIGN(const ReaderFile::Snapshot file, m_file.snapshot(attempt > 0));
    RG_ASSIGN(const std::uint64_t generation, m_file.live() ? m_file.generation() : Result<std::uint64_t>(0));
    RG_ASSIGN(const std::int64_t version, m_file.dataVersion());
    RG_TRY(noteLateChunks(version));
    for (; next < wanted.size(); ++next) {
      if (next % kStopEvery == 0 && stop.stop_requested()) return {Code::kCancelled, "cancelled"};
      const auto& [id, scalar, clock, answer] = wanted[next];
      const std::int64_t bound = boundOf(clock);
      std::optional<FoundPoint> point;
      RG_ASSIGN(const bool complete,
                scalar ? newestStep(id, bound, version, generation, point) : newestPoint(id, bound, version, generation, point));
      if (!complete) break;
      if (!scalar) {
        RG_ASSIGN(const auto block, m_bins.newestSummarised(id, bound));
        if (block && (!point || block->x > point->x)) point = block;
      }
      answer->jump = m_answers.jump;
      answer->newest.reset();
      if (!point) continue;
      const TimeNs raw = scalar ? point->time : point->x;
      const TimeNs time = clock != nullptr ? clock->corrected(raw) : raw;
      answer->newest = LatestSample{id, scalar ? point->x : time, time, point->value, point->mean};
    }
    if (next == wanted.size()) return {};
  }
  return {Code::kUnavailable, "cannot read store: " + m_file.path() + ": commits came faster than this read"};
}

}  // namespace runglass
