// SPDX-License-Identifier: Apache-2.0
#include "storage/write/span_lanes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/mutex.h"
#include "storage/codec/span_chunk.h"
#include "storage/codec/span_summary.h"
#include "storage/sqlite/bind_row.h"
#include "storage/write/writer_parts.h"

namespace runglass {
namespace {

constexpr int kOverflowLanes = 8;
constexpr std::size_t kMaxArgsBytes = std::size_t{4} << 20;
constexpr std::string_view kName = " (after damage ";
constexpr char kFirst = '1', kLast = '3';

// The lane of a span: that of its depth, or the first overflow lane of that depth in which it overlaps no span. The last one takes the
// rest. For spans that start before `until`, the lanes before it have no room.
std::size_t laneOf(LiveTrack& track, std::int32_t depth, TimeNs start, TimeNs& until) RG_REQUIRES(track.mutex) {
  const auto base = static_cast<std::size_t>(std::clamp(depth, 0, kSpanDepths - 1));
  std::size_t lane = base;
  until = std::numeric_limits<TimeNs>::max();
  for (int overflow = 0; overflow < kOverflowLanes; ++overflow) {
    lane = base + static_cast<std::size_t>(overflow) * kSpanDepths;
    if (track.lanes.size() <= lane || !track.lanes[lane] || track.lanes[lane]->end <= start) break;
    if (overflow + 1 < kOverflowLanes) until = std::min(until, track.lanes[lane]->end);
  }
  if (track.lanes.size() <= lane) track.lanes.resize(lane + 1);
  if (!track.lanes[lane]) track.lanes[lane] = std::make_unique<LiveLane>();
  return lane;
}

// "" when the limit is reached.
std::string nameAfterDamage(const std::string& name) {
  const std::size_t at = name.rfind(kName);
  if (at == std::string::npos || at + kName.size() + 2 != name.size()) return name + std::string(kName) + kFirst + ')';
  std::string next = name;
  if (next[at + kName.size()] >= kLast) return {};
  ++next[at + kName.size()];
  return next;
}

PackedSpans packSpans(const SpanChunk& chunk) { return {encodeSpanChunk(chunk), encodeSpanSummary(summarise(chunk))}; }

}  // namespace

Status SpanLanes::load() {
  RG_ASSIGN(m_next_chunk, nextId(m_db, "SELECT max(chunk_id) FROM rg_span_chunk", "rg_span_chunk"));
  RG_ASSIGN(m_chunk, m_db.prepare("INSERT OR REPLACE INTO rg_span_chunk(chunk_id, track_id, lane, t0, t1, n, first_span_id, sealed, crc, "
                                  "data, summary) VALUES(?,?,?,?,?,?,?,?,?,?,?)",
                                  true));
  // After a crash, the file has open span chunks; they are complete as they are.
  return m_db.exec("UPDATE rg_span_chunk SET sealed = 1 WHERE sealed = 0");
}

std::int64_t SpanLanes::append(TrackId& id, const SpanColumns& spans) {
  const std::size_t n = spans.size();
  const auto fits = [n](const auto& column) { return column.empty() || column.size() == n; };
  bool sane = m_catalog.knowsTrack(id) && spans.dur.size() == n && spans.name.size() == n && spans.category.size() == n;
  sane = sane && fits(spans.depth) && fits(spans.step) && fits(spans.microbatch) && fits(spans.group) && fits(spans.seq) &&
         fits(spans.bytes) && fits(spans.correlation) && fits(spans.external_id) && fits(spans.args);
  sane = sane && std::all_of(spans.name.begin(), spans.name.end(), [&](std::uint32_t name) { return name < spans.names.size(); });
  if (!sane) {
    m_failure.note({Code::kInvalidArgument, "cannot record spans: track " + std::to_string(id.value) +
                                                ": undeclared, or columns differ in length, or a name is missing"});
    return 0;
  }
  for (auto next = m_continued.find(id); next != m_continued.end(); next = m_continued.find(id)) id = next->second;
  std::vector<std::int64_t> names(spans.names.size());
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = internedText(m_catalog, *m_tail, spans.names[i]);
  LiveTrack* track = m_tail->find(id);
  if (track == nullptr) track = &m_tail->add(id);
  if (!track->listed) {
    track->listed = true;
    track->touched = m_now;
    m_unsaved.push_back(id);
  }
  std::int64_t overlaps = 0;
  {
    const MutexLock lock(track->mutex);
    overlaps = appendTo(*track, spans, names);
  }
  m_tail->noteChange();
  return overlaps;
}

std::int64_t SpanLanes::appendTo(LiveTrack& track, const SpanColumns& spans, const std::vector<std::int64_t>& names) {
  std::int64_t overlaps = 0;
  const auto depthOf = [&](std::size_t i) { return spans.depth.empty() ? 0 : spans.depth[i]; };
  for (std::size_t from = 0, to = 0; from < spans.size(); from = to) {
    // As many as fit in sequence on one lane and into its chunk.
    TimeNs until = 0;
    const std::size_t lane_index = laneOf(track, depthOf(from), spans.start[from], until);
    LiveLane& lane = *track.lanes[lane_index];
    const std::size_t most = std::min(spans.size(), from + (kSpanChunkSpans - lane.open.size()));
    TimeNs t0 = spans.start[from], end = lane.end;
    do {
      t0 = std::min(t0, spans.start[to]);
      end = std::max(end, spanEnd(spans.start[to], spans.dur[to]));
      ++to;
    } while (to < most && depthOf(to) == depthOf(from) && spans.start[to] >= end && spans.start[to] < until);
    if (lane_index >= kSpanDepths) overlaps += static_cast<std::int64_t>(to - from);
    appendRun(lane, spans, names, from, to);
    lane.t0 = lane.open.size() == to - from ? t0 : std::min(lane.t0, t0);
    lane.t1 = lane.open.size() == to - from ? end : std::max(lane.t1, end);
    lane.end = end;
    if (lane.open.size() == kSpanChunkSpans || lane.args_bytes >= kMaxArgsBytes) seal(lane, lane_index);
  }
  return overlaps;
}

void SpanLanes::appendRun(LiveLane& lane, const SpanColumns& spans, const std::vector<std::int64_t>& names, std::size_t from,
                          std::size_t to) {
  const std::vector<std::int64_t>* const optional[SpanChunk::kOptional] = {&spans.step,  &spans.microbatch,  &spans.group,      &spans.seq,
                                                                           &spans.bytes, &spans.correlation, &spans.external_id};
  SpanChunk& open = lane.open;
  const std::size_t before = open.size(), after = before + (to - from);
  if (before == 0) {
    lane.chunk_id = m_next_chunk++;
    lane.first_span_id = lane.chunk_id * static_cast<std::int64_t>(kSpanChunkSpans);
  }
  lane.dirty = true;
  const auto range = [&](const auto& column) {
    return std::pair(column.begin() + static_cast<std::ptrdiff_t>(from), column.begin() + static_cast<std::ptrdiff_t>(to));
  };
  // Nested spans come one at a time: insert() of one element costs several times a push_back().
  const auto add = [&](std::vector<std::int64_t>& column, const auto& values) {
    if (to - from == 1)
      column.push_back(values[from]);
    else
      column.insert(column.end(), range(values).first, range(values).second);
  };
  add(open.start, spans.start);
  add(open.dur, spans.dur);
  for (std::size_t i = from; i < to; ++i) {
    open.name.push_back(names[spans.name[i]]);
    open.category.push_back(static_cast<std::int64_t>(spans.category[i]));
  }
  if (spans.depth.empty()) {
    open.depth.resize(after, 0);
  } else {
    add(open.depth, spans.depth);
  }
  for (std::size_t k = 0; k < SpanChunk::kOptional; ++k) {
    auto& column = open.optional[k];
    const bool said = !optional[k]->empty();
    if (!said && column.empty()) continue;
    column.resize(before, kAbsent);
    if (said) {
      add(column, *optional[k]);
    } else {
      column.resize(after, kAbsent);
    }
    if (before == 0 && std::ranges::all_of(column, [](std::int64_t v) { return v == kAbsent; })) column.clear();
  }
  const bool with_args = !spans.args.empty() && std::any_of(range(spans.args).first, range(spans.args).second,
                                                            [](const std::string& text) { return !text.empty(); });
  if (!with_args && open.args.empty()) return;
  open.args.resize(before);
  for (std::size_t i = from; i < to && with_args; ++i) {
    open.args.push_back(spans.args[i]);
    lane.args_bytes += spans.args[i].size();
  }
  open.args.resize(after);
}

void SpanLanes::seal(LiveLane& lane, std::size_t index) {
  auto packed = std::make_shared<PackedSpans>(packSpans(lane.open));
  m_pending_bytes += static_cast<std::int64_t>(packed->data.size() + packed->summary.size());
  lane.pending.push_back({.generation = m_tail->committed() + 1,
                          .lane = static_cast<std::int32_t>(index),
                          .chunk_id = lane.chunk_id,
                          .first_span_id = lane.first_span_id,
                          .n = lane.open.size(),
                          .open = {},
                          .packed = std::move(packed),
                          .t0 = lane.t0,
                          .t1 = lane.t1});
  lane.open.clear();
  lane.args_bytes = 0;
  lane.dirty = false;
}

void SpanLanes::sealOpen(const std::vector<TrackId>& ids) {
  for (const TrackId id : ids) {
    LiveTrack& track = *m_tail->find(id);
    const MutexLock lock(track.mutex);
    for (std::size_t i = 0; i < track.lanes.size(); ++i)
      if (track.lanes[i] && track.lanes[i]->open.size() > 0) seal(*track.lanes[i], i);
    track.listed = true;
    m_unsaved.push_back(id);
  }
}

Status SpanLanes::save() {
  for (const TrackId id : m_unsaved) RG_TRY(save(id));
  return {};
}

Status SpanLanes::save(TrackId id) {
  LiveTrack& track = *m_tail->find(id);
  track.writerReads();
  const std::uint64_t next = m_tail->committed() + 1;
  for (std::size_t i = 0; i < track.lanes.size(); ++i) {
    if (!track.lanes[i]) continue;
    LiveLane& lane = *track.lanes[i];
    for (const PendingSpans& chunk : lane.pending) {
      if (chunk.generation == next) RG_TRY(saveChunk(id, chunk, *chunk.packed));
    }
    if (!lane.dirty || lane.open.size() == 0) continue;
    const PendingSpans open{.lane = static_cast<std::int32_t>(i),
                            .chunk_id = lane.chunk_id,
                            .first_span_id = lane.first_span_id,
                            .n = lane.open.size(),
                            .open = {},
                            .packed = {},
                            .t0 = lane.t0,
                            .t1 = lane.t1};
    RG_TRY(saveChunk(id, open, packSpans(lane.open)));
  }
  return {};
}

Status SpanLanes::saveChunk(TrackId id, const PendingSpans& chunk, const PackedSpans& packed) {
  bindAll(m_chunk, chunk.chunk_id, id.value, chunk.lane, chunk.t0, chunk.t1, chunk.n, chunk.first_span_id, chunk.generation == 0 ? 0 : 1,
          chunkChecksum(id.value, chunk.t0, chunk.t1, chunk.n, packed.data));
  m_chunk.bindBlob(10, packed.data);
  m_chunk.bindBlob(11, packed.summary);
  // The index contains the summary too.
  m_written_bytes += static_cast<std::int64_t>(packed.data.size() + 2 * packed.summary.size());
  return m_rows.put(m_db, m_chunk, "rg_span_chunk");
}

void SpanLanes::committed() {
  for (const TrackId id : m_unsaved) {
    LiveTrack& track = *m_tail->find(id);
    const MutexLock lock(track.mutex);
    track.listed = false;
    for (const auto& lane : track.lanes) {
      if (lane) lane->dirty = false;
    }
  }
  m_unsaved.clear();
  m_pending_bytes = 0;
}

void SpanLanes::dropRefused() {
  for (const auto& [id, why] : std::exchange(m_refused, {})) {
    m_tail->remove(id);
    continueTrack(id, why);
  }
}

void SpanLanes::continueTrack(TrackId id, const Status& why) {
  std::optional<TrackKey> key = m_catalog.trackKey(id);
  if (!key) return;
  key->name = nameAfterDamage(key->name);
  if (key->name.empty()) return;
  const TrackId next = m_catalog.track(*key);
  m_continued[id] = next;
  m_log.issue(
      issueNow("store.series_continued", m_path,
               "track " + std::to_string(id.value) + ": " + why.message() + "; new spans go to track " + std::to_string(next.value)));
}

}  // namespace runglass
