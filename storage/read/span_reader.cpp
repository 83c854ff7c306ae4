// SPDX-License-Identifier: Apache-2.0
#include "storage/read/span_reader.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace runglass {
namespace {

constexpr int kSnapshotAttempts = 100;
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

bool overlaps(TimeNs start, DurNs dur, const TimeRange& range) {
  if (start >= range.t1 && range.t1 != kHighest) return false;
  if (dur == kAbsent) return true;
  TimeNs end = 0;
  if (__builtin_add_overflow(start, std::max<DurNs>(dur, 1), &end)) end = kHighest;
  return end > range.t0;
}

// Collects the spans of chunks that overlap a range.
class Collector {
 public:
  Collector(TimeRange range, SpanColumns& out) : m_range(range), m_out(out) {}

  // `name` returns the text of an interned id.
  template <class Name>
  Status add(const SpanChunk& chunk, std::int64_t first_span_id, Name name) {
    std::vector<std::int64_t>* const optional[SpanChunk::kOptional] = {&m_out.step,  &m_out.microbatch,  &m_out.group,      &m_out.seq,
                                                                       &m_out.bytes, &m_out.correlation, &m_out.external_id};
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      if (!overlaps(chunk.start[i], chunk.dur[i], m_range)) continue;
      const std::size_t before = m_out.size();
      m_out.id.push_back(first_span_id + static_cast<std::int64_t>(i));
      m_out.start.push_back(chunk.start[i]);
      m_out.dur.push_back(chunk.dur[i]);
      const auto known = m_names.find(chunk.name[i]);
      if (known == m_names.end()) {
        const auto index = static_cast<std::uint32_t>(m_out.names.size());
        RG_ASSIGN(std::string text, name(chunk.name[i]));
        m_out.names.push_back(std::move(text));
        m_names.emplace(chunk.name[i], index);
        m_out.name.push_back(index);
      } else {
        m_out.name.push_back(known->second);
      }
      const std::int64_t category = chunk.category[i];
      m_out.category.push_back(category >= 0 && category < kSpanCategoryCount ? static_cast<SpanCategory>(category) : SpanCategory::kOther);
      m_out.depth.push_back(static_cast<std::int32_t>(chunk.depth[i]));
      for (std::size_t k = 0; k < SpanChunk::kOptional; ++k) {
        const std::int64_t value = chunk.optional[k].empty() ? kAbsent : chunk.optional[k][i];
        if (value == kAbsent && optional[k]->empty()) continue;
        optional[k]->resize(before, kAbsent);
        optional[k]->push_back(value);
      }
      for (auto* column : optional) {
        if (!column->empty()) column->resize(before + 1, kAbsent);
      }
      if (!chunk.args.empty() && !chunk.args[i].empty()) {
        m_out.args.resize(before);
        m_out.args.emplace_back(chunk.args[i]);
      } else if (!m_out.args.empty()) {
        m_out.args.resize(before + 1);
      }
    }
    return {};
  }

 private:
  TimeRange m_range;
  SpanColumns& m_out;
  std::unordered_map<std::int64_t, std::uint32_t> m_names;
};

template <class T>
void reorder(std::vector<T>& column, const std::vector<std::size_t>& order) {
  if (column.empty()) return;
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(column[i]));
  column = std::move(sorted);
}

void sortByStart(SpanColumns& s) {
  if (std::is_sorted(s.start.begin(), s.start.end())) return;
  std::vector<std::size_t> order(s.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return s.start[a] < s.start[b]; });
  reorder(s.id, order), reorder(s.start, order), reorder(s.dur, order), reorder(s.name, order), reorder(s.category, order);
  reorder(s.depth, order), reorder(s.step, order), reorder(s.microbatch, order), reorder(s.group, order), reorder(s.seq, order);
  reorder(s.bytes, order), reorder(s.correlation, order), reorder(s.external_id, order), reorder(s.args, order);
}

}  // namespace

Result<std::string> SpanReader::text(std::int64_t id) {
  if (const auto known = m_texts.find(id); known != m_texts.end()) return known->second;
  RG_ASSIGN(sqlite::Statement * statement, m_file.kept(m_text_sql, "SELECT text FROM rg_string WHERE string_id = ?1"));
  statement->bind(1, id);
  RG_ASSIGN(const bool row, statement->step());
  std::string text(row ? statement->text(0) : std::string_view());
  statement->reset();
  if (!row && m_file.live()) text = m_file.live()->text(id);
  m_texts.emplace(id, text);
  return text;
}

Result<bool> SpanReader::chunk(TrackId track, std::int64_t chunk_id, SpanChunk& out, SpanParts parts) {
  RG_ASSIGN(sqlite::Statement * statement,
            m_file.kept(m_span_chunk_sql, "SELECT t0, t1, n, crc, data FROM rg_span_chunk WHERE chunk_id = ?1"));
  statement->bind(1, chunk_id);
  RG_ASSIGN(const bool row, statement->step());
  bool good = false;
  if (row) {
    const auto n = static_cast<std::uint64_t>(statement->int64(2));
    const std::string_view blob = statement->blob(4);
    good =
        n > 0 && n <= kSpanChunkSpans &&
        chunkChecksum(track.value, statement->int64(0), statement->int64(1), n, blob) == static_cast<std::uint32_t>(statement->int64(3)) &&
        decodeSpanChunk(blob, n, out, parts);
  }
  statement->reset();
  if (!good) m_file.damage().note("track " + std::to_string(track.value) + " chunk " + std::to_string(chunk_id));
  return good;
}

Result<const ClockMap*> SpanReader::clockOf(TrackId track) {
  RG_TRY(m_file.refreshClocks());
  if (m_file.clocks().none()) return static_cast<const ClockMap*>(nullptr);
  RG_ASSIGN(auto statement, m_file.db().prepare("SELECT attempt_id, rank FROM rg_track WHERE track_id = ?1"));
  statement.bind(1, track.value);
  RG_ASSIGN(const bool row, statement.step());
  if (!row || statement.isNull(1)) return static_cast<const ClockMap*>(nullptr);
  return m_file.clocks().of(AttemptId{static_cast<std::uint64_t>(statement.int64(0))}, static_cast<std::int32_t>(statement.int64(1)));
}

Result<std::optional<TimeRange>> SpanReader::spanExtent(RunId run) {
  RG_TRY(m_file.refreshClocks());
  RG_ASSIGN(const std::int64_t version, m_file.dataVersion());
  if (m_extents_version != version) m_span_extents.clear();
  m_extents_version = version;
  if (const auto known = m_span_extents.find(run.value); known != m_span_extents.end()) return known->second;
  RG_ASSIGN(auto rows, m_file.db().prepare(
                           "SELECT t.attempt_id, t.rank, min(c.t0), max(iif(c.t1 = 9223372036854775807, c.t0 + 1, c.t1)) FROM rg_attempt a "
                           "JOIN rg_track t USING(attempt_id) JOIN rg_span_chunk c USING(track_id) WHERE a.run_id = ?1 GROUP BY 1, 2"));
  rows.bind(1, run.value);
  std::optional<TimeRange> extent;
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) break;
    const ClockMap* const clock =
        rows.isNull(1) || m_file.clocks().none()
            ? nullptr
            : m_file.clocks().of(AttemptId{static_cast<std::uint64_t>(rows.int64(0))}, static_cast<std::int32_t>(rows.int64(1)));
    const auto corrected = [clock](TimeNs time) { return clock != nullptr ? clock->corrected(time) : time; };
    const TimeRange of_rank{corrected(rows.int64(2)), corrected(rows.int64(3))};
    if (!extent) extent = of_rank;
    extent->t0 = std::min(extent->t0, of_rank.t0);
    extent->t1 = std::max(extent->t1, of_rank.t1);
  }
  m_span_extents[run.value] = extent;
  return extent;
}

Result<SpanColumns> SpanReader::spans(TrackId track, TimeRange range, std::stop_token stop) {
  SpanColumns out;
  if (range.t0 >= range.t1) return out;
  RG_ASSIGN(const ClockMap* const clock, clockOf(track));
  if (clock != nullptr) range = {clock->rawFrom(range.t0), clock->rawFrom(range.t1)};
  ReaderFile::Snapshot file;
  std::optional<LiveTail::SpanSnapshot> tail;
  for (int i = 0; !tail; ++i) {
    if (i == kSnapshotAttempts)
      return Status(Code::kUnavailable, "cannot read store: " + m_file.path() + ": commits came faster than this read");
    file.reset();
    RG_ASSIGN(file, m_file.snapshot(i > 0));
    RG_ASSIGN(const std::uint64_t generation, m_file.generation());
    tail = m_file.live() ? m_file.live()->spans(track, generation) : LiveTail::SpanSnapshot();
  }
  Collector collector(range, out);
  const auto name = [this](std::int64_t id) { return text(id); };
  RG_ASSIGN(sqlite::Statement * statement,
            m_file.kept(m_spans_sql,
                        "SELECT chunk_id, t0, t1, n, first_span_id, sealed, crc, data FROM rg_span_chunk WHERE track_id = ?1 AND "
                        "(t0 < ?3 OR ?3 = 9223372036854775807) AND t1 > ?2 ORDER BY chunk_id"));
  statement->bind(1, track.value);
  statement->bind(2, range.t0);
  statement->bind(3, range.t1);
  std::string damage;
  SpanChunk chunk;
  while (true) {
    if (stop.stop_requested()) {
      statement->reset();  // an open statement would hold this connection at the store's current state
      return Status(Code::kCancelled, "cancelled");
    }
    RG_ASSIGN(const bool row, statement->step());
    if (!row) break;
    if (statement->int64(5) == 0 && tail->owned) continue;
    const auto n = static_cast<std::uint64_t>(statement->int64(3));
    const std::string_view blob = statement->blob(7);
    const bool good =
        n > 0 && n <= kSpanChunkSpans &&
        chunkChecksum(track.value, statement->int64(1), statement->int64(2), n, blob) == static_cast<std::uint32_t>(statement->int64(6)) &&
        decodeSpanChunk(blob, n, chunk);
    if (!good) {
      const std::string object = "track " + std::to_string(track.value) + " chunk " + std::to_string(statement->int64(0));
      m_file.damage().note(object);
      if (damage.empty()) damage = object;
      continue;
    }
    RG_TRY(collector.add(chunk, statement->int64(4), name));
  }
  statement->reset();
  for (const PendingSpans& pending : tail->chunks) {
    if (pending.packed) RG_CHECK(decodeSpanChunk(pending.packed->data, pending.n, chunk));
    RG_TRY(collector.add(pending.packed ? chunk : *pending.open, pending.first_span_id, name));
  }
  if (!damage.empty() && out.size() == 0) return Status(Code::kDataLoss, "damaged chunk: " + m_file.path() + ": " + damage);
  sortByStart(out);
  for (std::size_t i = 0; clock != nullptr && i < out.size(); ++i) out.start[i] = clock->corrected(out.start[i]);
  return out;
}

Result<StoredSpans> SpanReader::spansWith(std::int64_t span, TimeRange range) {
  const std::int64_t chunk_id = span / static_cast<std::int64_t>(kSpanChunkSpans);
  StoredSpans piece;
  SpanChunk chunk;
  for (int i = 0; chunk.size() == 0; ++i) {
    if (i == kSnapshotAttempts)
      return Status(Code::kUnavailable, "cannot read store: " + m_file.path() + ": commits came faster than this read");
    RG_ASSIGN(const ReaderFile::Snapshot file, m_file.snapshot(i > 0));
    RG_ASSIGN(const std::uint64_t generation, m_file.generation());
    RG_ASSIGN(sqlite::Statement * statement,
              m_file.kept(m_piece_sql, "SELECT track_id, first_span_id, n, sealed FROM rg_span_chunk WHERE chunk_id = ?1"));
    statement->bind(1, chunk_id);
    RG_ASSIGN(const bool row, statement->step());
    piece = {};
    if (row) {
      piece.track = TrackId{static_cast<std::uint64_t>(statement->int64(0))};
      piece.first = statement->int64(1), piece.end = piece.first + statement->int64(2);
    }
    const bool sealed = row && statement->int64(3) != 0;
    statement->reset();
    // A chunk that is sealed in the file is final; for all others, the tail may have newer data.
    const auto tail = m_file.live() && !sealed ? m_file.live()->spanChunk(chunk_id, generation) : LiveTail::ChunkSnapshot();
    if (!tail) continue;
    const PendingSpans* const pending = tail->chunk ? &*tail->chunk : nullptr;
    if (pending != nullptr) {
      const auto n = static_cast<std::int64_t>(pending->n);
      piece = {.track = tail->track, .first = pending->first_span_id, .end = pending->first_span_id + n, .spans = {}};
    }
    if (span < piece.first || span >= piece.end) return StoredSpans();
    if (pending == nullptr) {
      RG_ASSIGN(const bool good, this->chunk(piece.track, chunk_id, chunk, SpanParts::kAll));
      const std::string object = "track " + std::to_string(piece.track.value) + " chunk " + std::to_string(chunk_id);
      if (!good) return Status(Code::kDataLoss, "damaged chunk: " + m_file.path() + ": " + object);
    } else if (pending->packed) {
      RG_CHECK(decodeSpanChunk(pending->packed->data, pending->n, chunk));
    } else {
      chunk = *pending->open;
    }
  }
  RG_ASSIGN(const ClockMap* const clock, clockOf(piece.track));
  if (clock != nullptr) range = {clock->rawFrom(range.t0), clock->rawFrom(range.t1)};
  RG_TRY(Collector(range, piece.spans).add(chunk, piece.first, [this](std::int64_t id) { return text(id); }));
  for (std::size_t i = 0; clock != nullptr && i < piece.spans.size(); ++i) piece.spans.start[i] = clock->corrected(piece.spans.start[i]);
  return piece;
}

}  // namespace runglass
