// SPDX-License-Identifier: Apache-2.0
// StoreWriter: recording. Nothing here touches the file, except that the first point of an old series loads its open chunk.
// Invariants:
// 1. A point goes to the main chunk unless it lies before the last sealed main point; then it goes to the late chunk. Equal x therefore
//    keep their order of arrival when main chunks are read before late ones. A main chunk of many points is sealed when one comes before
//    them.
// 2. A sealed chunk is pending with the generation of the next commit until that commit is done.
#include <sys/statvfs.h>

#include <algorithm>
#include <utility>

#include "model/mutex.h"
#include "storage/write/store_writer.h"

namespace runglass {
namespace {

constexpr std::size_t kOutOfOrderShare = 8;  // of its limit: a chunk of so many points takes no more of them out of order
constexpr int kOverflowLanes = 8;
constexpr std::size_t kMaxArgsBytes = std::size_t{4} << 20;
constexpr std::int64_t kRowBytes = 64;

// Same-rate series must not all seal at once, and at any moment their chunks are half full on average: spread over all of a chunk's length.
std::size_t firstLimit(SeriesId id, std::size_t limit) {
  const std::size_t least = limit / 16;
  return least + (id.value * 0x9e3779b97f4a7c15ULL >> 51) % (limit - least);
}

// The lane of a span: its depth's own, or the first of that depth's overflow lanes where it overlaps nothing. The last one takes the rest.
// Until `until` the lanes before it have no room.
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

}  // namespace

// Open chunks are in memory and are written again with every commit: where they are very many they are smaller.
void StoreWriter::countOpenChunks(std::int64_t more) {
  constexpr std::size_t kOpenPoints = 32U << 20, kLeast = 512;
  m_open_chunks += static_cast<std::size_t>(more);
  m_chunk_limit = std::clamp(kOpenPoints / std::max<std::size_t>(1, m_open_chunks) / kBlockPoints * kBlockPoints, kLeast, kChunkPoints);
}

void StoreWriter::limit(SeriesBuffer& buffer, std::size_t points) const {
  constexpr std::size_t kFew = 1536;  // of a chunk's 4,096: then raw blocks would be most of what open chunks need
  buffer.setLimit(points, m_chunk_limit <= kFew ? SeriesBuffer::kShortBlock : kBlockPoints);
}

void StoreWriter::fail(Status status) {
  if (m_failure.ok()) m_failure = std::move(status);
}

std::int64_t StoreWriter::text(std::string_view text) {
  const std::int64_t id = m_catalog.text(text);
  m_tail->addText(id, text);
  return id;
}

Status StoreWriter::load(SeriesId id) {
  // Loaded aside, so that Readers see it only when it is whole.
  auto loaded = std::make_shared<LiveSeries>();
  if (id.value < m_first_new_series || m_catalog.wasEvicted(id)) RG_TRY(loadSeries(id, *loaded));
  countOpenChunks(1);
  {
    const MutexLock lock(loaded->mutex);
    if (loaded->late) noteLate(id);
    // In which order the points of sealed chunks arrived is no longer known.
    if (m_catalog.wasEvicted(id))
      loaded->sealed_main.disordered = loaded->sealed_main.count, loaded->sealed_late.disordered = loaded->sealed_late.count;
    limit(loaded->main, loaded->extent.count == 0 ? firstLimit(id, m_chunk_limit) : m_chunk_limit);
  }
  m_tail->add(id, std::move(loaded));
  return {};
}

LiveSeries* StoreWriter::live(SeriesId& id) {
  while (true) {
    if (!m_continued_series.empty()) {
      for (auto next = m_continued_series.find(id); next != m_continued_series.end(); next = m_continued_series.find(id)) id = next->second;
    }
    if (LiveSeries* const series = m_tail->find(id); series != nullptr) return series;
    if (!m_catalog.knowsSeries(id)) {
      fail({Code::kInvalidArgument, "cannot record samples: series " + std::to_string(id.value) + ": never declared to this store"});
      return nullptr;
    }
    if (Status status = load(id); !status.ok() && !continueSeries(id, status)) {
      fail(std::move(status));
      return nullptr;
    }
  }
}

void StoreWriter::samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) {
  if (time.size() != value.size()) {
    return fail({Code::kInvalidArgument, "cannot record samples: series " + std::to_string(series.value) + ": columns differ in length"});
  }
  appendPoints(series, time.data(), nullptr, value.data(), time.size());
}

void StoreWriter::scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time,
                          std::span<const double> value) {
  if (step.size() != value.size() || (!time.empty() && time.size() != step.size())) {
    return fail({Code::kInvalidArgument, "cannot record scalars: series " + std::to_string(series.value) + ": columns differ in length"});
  }
  appendPoints(series, step.data(), time.empty() ? nullptr : time.data(), value.data(), step.size());
}

void StoreWriter::list(SeriesId id, LiveSeries& series) {
  if (std::exchange(series.listed, true)) return;
  series.touched = m_tick;
  m_dirty_series.push_back(id);
}

void StoreWriter::noteLate(SeriesId id) {
  m_late_series.push_back(id);
  countOpenChunks(1);
}

// What waited through an outage comes late, and then no more. A few series at a time: recording waits meanwhile.
void StoreWriter::sealIdleLate() {
  constexpr std::size_t kAtOnce = 64;
  const TimeNs now = monotonicNow();
  if (m_next_late >= m_late_series.size()) {
    if (now - m_late_pass < m_options.late_idle) return;
    m_next_late = 0;
    m_late_pass = now;
  }
  for (std::size_t i = 0; i < kAtOnce && m_next_late < m_late_series.size(); ++i) {
    const SeriesId id = m_late_series[m_next_late];
    LiveSeries& series = *m_tail->find(id);
    const MutexLock lock(series.mutex);
    const bool idle = std::exchange(series.late_idle, true);
    // Few points need little, and would make many small chunks where some come again and again.
    if (idle && series.late->points() >= m_chunk_limit / kOutOfOrderShare) {
      list(id, series);
      seal(series, *series.late, true);
    }
    if (!idle || series.late->points() > 0) {
      ++m_next_late;
      continue;
    }
    series.late.reset();
    m_late_series[m_next_late] = m_late_series.back();
    m_late_series.pop_back();
    countOpenChunks(-1);
  }
}

void StoreWriter::appendPoints(SeriesId id, const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n) {
  atRest();
  if (n == 0 || m_replaying_stored) return;
  if (refuses(id)) {
    m_cap.refused += static_cast<std::int64_t>(n);
    return;
  }
  appendLive(id, x, time, value, n);
}

void StoreWriter::appendLive(SeriesId id, const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n) {
  LiveSeries* const series = live(id);
  if (series == nullptr) return;
  list(id, *series);
  const MutexLock lock(series->mutex);
  SeriesExtent& extent = series->extent;
  const bool scalar = m_catalog.isScalar(id);
  bool ordered = true;
  for (std::size_t i = 1; i < n; ++i) ordered &= x[i] >= x[i - 1];
  const std::int64_t low = ordered ? x[0] : *std::min_element(x, x + n);
  const std::int64_t high = ordered ? x[n - 1] : *std::max_element(x, x + n);
  const bool newest = extent.count == 0 || high >= extent.last_x;
  extent.first_x = extent.count == 0 ? low : std::min(extent.first_x, low);
  extent.last_x = extent.count == 0 ? high : std::max(extent.last_x, high);
  extent.count += static_cast<std::int64_t>(n);
  series->extent_changed = true;
  if (!scalar) {
    extent.first_time = extent.first_x;
    extent.last_time = extent.last_x;
  } else if (time != nullptr) {
    const auto [first, last] = std::minmax_element(time, time + n);
    extent.first_time = std::min(extent.first_time.value_or(*first), *first);
    extent.last_time = std::max(extent.last_time.value_or(*last), *last);
  }
  // The newest is the last to arrive among those with the greatest x.
  if (newest) {
    std::size_t at = n - 1;
    while (x[at] != high) --at;
    std::optional<TimeNs> when = scalar ? std::nullopt : std::optional(x[at]);
    if (scalar && time != nullptr) when = time[at];
    series->latest = LatestSample{id, x[at], when, value[at]};
  }
  for (std::size_t i = 0; i < n;) {
    const auto is_late = [&](std::size_t at) { return series->any_sealed && x[at] < series->sealed_x1; };
    const bool late = is_late(i);
    std::size_t end = n;
    if (series->any_sealed && low < series->sealed_x1) {
      end = i + 1;
      while (end < n && is_late(end) == late) ++end;
    }
    if (late && !series->late) {
      series->late = std::make_unique<SeriesBuffer>();
      noteLate(id);
    }
    if (late) series->late_idle = false;
    SeriesBuffer& buffer = late ? *series->late : series->main;
    // Series have come since this chunk began.
    if (buffer.limit() > m_chunk_limit) limit(buffer, firstLimit(id, m_chunk_limit));
    if (buffer.points() > 0 && buffer.hasTime() != (time != nullptr)) seal(*series, buffer, late);
    // What waited at an agent comes after what is new. Out of order a chunk is kept raw, and these may be many: it becomes a late chunk's.
    if (!late && buffer.points() >= m_chunk_limit / kOutOfOrderShare && x[i] < buffer.maxX()) {
      seal(*series, buffer, false);
      continue;
    }
    const std::size_t took = buffer.append(x + i, time == nullptr ? nullptr : time + i, value + i, end - i);
    i += took;
    if (buffer.full()) seal(*series, buffer, late);
  }
  m_tail->noteGrown(id);
  m_tail->noteChange();
}

void StoreWriter::seal(LiveSeries& series, SeriesBuffer& buffer, bool late) {
  // A sealed chunk gets a new row at the table's end, where rows pack densely; the open one's row is deleted.
  const std::int64_t replaced = buffer.chunk_id;
  buffer.chunk_id = series.newest_sealed = m_next_chunk++;
  auto pyramid = std::make_shared<Pyramid>();
  const bool ordered = buffer.ordered();
  auto row = std::make_shared<ChunkRow>(buffer.row(true, pyramid.get()));
  row->late = late;
  SealedPoints& sealed = late ? series.sealed_late : series.sealed_main;
  sealed.count += row->n;
  if (!ordered) sealed.disordered = sealed.count;
  m_pending_bytes += static_cast<std::int64_t>(row->blob.size());
  if (!late) {
    series.sealed_x1 = series.any_sealed ? std::max(series.sealed_x1, row->x1) : row->x1;
    series.any_sealed = true;
  }
  const std::size_t stored = ordered ? std::exchange(buffer.stored, 0U) : (buffer.stored = 0U);
  series.pending.push_back({m_tail->committed() + 1, series.sealed_chunks++, replaced, stored, std::move(row), std::move(pyramid)});
  limit(buffer, m_chunk_limit);
}

void StoreWriter::spans(TrackId id, const SpanColumns& spans) {
  atRest();
  const std::size_t n = spans.size();
  if (n == 0 || m_replaying_stored) return;
  if (m_cap.refusesSamples()) {
    m_cap.refused += static_cast<std::int64_t>(n);
    return;
  }
  const auto fits = [n](const auto& column) { return column.empty() || column.size() == n; };
  bool sane = m_catalog.knowsTrack(id) && spans.dur.size() == n && spans.name.size() == n && spans.category.size() == n;
  sane = sane && fits(spans.depth) && fits(spans.step) && fits(spans.microbatch) && fits(spans.group) && fits(spans.seq) &&
         fits(spans.bytes) && fits(spans.correlation) && fits(spans.external_id) && fits(spans.args);
  sane = sane && std::all_of(spans.name.begin(), spans.name.end(), [&](std::uint32_t name) { return name < spans.names.size(); });
  if (!sane) {
    return fail({Code::kInvalidArgument, "cannot record spans: track " + std::to_string(id.value) +
                                             ": undeclared, or columns differ in length, or a name is missing"});
  }
  for (auto next = m_continued_tracks.find(id); next != m_continued_tracks.end(); next = m_continued_tracks.find(id)) id = next->second;
  std::vector<std::int64_t> names(spans.names.size());
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = text(spans.names[i]);
  LiveTrack* track = m_tail->find(id);
  if (track == nullptr) track = &m_tail->add(id);
  if (!track->listed) {
    track->listed = true;
    track->touched = m_tick;
    m_dirty_tracks.push_back(id);
  }
  std::int64_t overlaps = 0;
  {
    const MutexLock lock(track->mutex);
    overlaps = appendSpans(*track, spans, names);
  }
  m_tail->noteChange();
  if (overlaps > 0) issue({.code = "spans.overlap", .source = "track " + std::to_string(id.value), .count = overlaps});
}

std::int64_t StoreWriter::appendSpans(LiveTrack& track, const SpanColumns& spans, const std::vector<std::int64_t>& names) {
  std::int64_t overlaps = 0;
  const auto depthOf = [&](std::size_t i) { return spans.depth.empty() ? 0 : spans.depth[i]; };
  for (std::size_t from = 0, to = 0; from < spans.size(); from = to) {
    // As many as follow each other on one lane and fit its chunk.
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
    if (lane.open.size() == kSpanChunkSpans || lane.args_bytes >= kMaxArgsBytes) sealSpans(lane, lane_index);
  }
  return overlaps;
}

void StoreWriter::appendRun(LiveLane& lane, const SpanColumns& spans, const std::vector<std::int64_t>& names, std::size_t from,
                            std::size_t to) {
  const std::vector<std::int64_t>* const optional[SpanChunk::kOptional] = {&spans.step,  &spans.microbatch,  &spans.group,      &spans.seq,
                                                                           &spans.bytes, &spans.correlation, &spans.external_id};
  SpanChunk& open = lane.open;
  const std::size_t before = open.size(), after = before + (to - from);
  if (before == 0) {
    lane.chunk_id = m_next_span_chunk++;
    lane.first_span_id = lane.chunk_id * static_cast<std::int64_t>(kSpanChunkSpans);
  }
  lane.dirty = true;
  const auto range = [&](const auto& column) {
    return std::pair(column.begin() + static_cast<std::ptrdiff_t>(from), column.begin() + static_cast<std::ptrdiff_t>(to));
  };
  // Spans that nest come one by one: an insert of one costs several times a push_back.
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

void StoreWriter::sealSpans(LiveLane& lane, std::size_t index) {
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

void StoreWriter::event(const Event& event) {
  atRest();
  if (m_replaying_stored) return;
  m_tail->append([&](PendingRows& rows) {
    rows.events.push_back(event);
    rows.events.back().id = m_next_event++;
  });
  m_pending_bytes += kRowBytes + static_cast<std::int64_t>(event.message.size());
}

void StoreWriter::log(const LogLine& line) {
  atRest();
  if (m_replaying_stored) return;
  if (m_cap.refusesSamples() && line.severity < Severity::kWarning) {
    ++m_cap.refused;
    return;
  }
  text(line.stream);  // interned now, so that the flush has it in the catalogue already
  m_tail->append([&](PendingRows& rows) {
    if (rows.logs.empty()) rows.first_log = m_next_log;
    rows.logs.push_back(line);
    ++m_next_log;
  });
  m_pending_bytes += kRowBytes + static_cast<std::int64_t>(line.text.size());
}

void StoreWriter::label(const Label& label) {
  atRest();
  if (m_replaying_stored) return;
  m_tail->append([&](PendingRows& rows) { rows.labels.push_back(label); });
}

Result<Arrival> StoreWriter::journal(const StreamKey& stream, std::uint64_t seq, std::string_view payload) {
  const JournalEntry entry{&stream, seq, payload};
  RG_ASSIGN(const auto arrivals, journal(std::span(&entry, 1)));
  return arrivals[0];
}

Result<std::vector<Arrival>> StoreWriter::journal(std::span<const JournalEntry> entries) {
  // What the marks will be, decided before anything is written; they move only once it is.
  std::vector<Arrival> arrivals;
  std::vector<JournalEntry> fresh;
  std::vector<std::uint64_t> skipped;
  std::map<StreamKey, std::uint64_t> next;
  for (const JournalEntry& entry : entries) {
    const auto known = next.find(*entry.stream);
    std::uint64_t wanted = 0;
    if (known != next.end()) {
      wanted = known->second;
    } else {
      RG_ASSIGN(wanted, nextOf(*entry.stream));
    }
    arrivals.push_back(entry.seq < wanted ? Arrival::kDuplicate : entry.seq == wanted ? Arrival::kNew : Arrival::kAfterGap);
    if (entry.seq < wanted) continue;
    next[*entry.stream] = entry.seq + 1;
    fresh.push_back(entry);
    skipped.push_back(entry.seq - wanted);
  }
  if (!fresh.empty()) {
    std::int64_t bytes = 0;
    for (const JournalEntry& entry : fresh) bytes += static_cast<std::int64_t>(entry.payload.size());
    if (const auto room = roomOnDisk(m_journal.bytes()); room && *room < bytes)
      return Status(Code::kResourceExhausted, "cannot take more data: " + m_path + ": its disk is full");
    RG_TRY(m_journal.append(fresh, skipped));
  }
  for (const auto& [stream, seq] : next) {
    m_streams[stream] = {seq, true, m_tick};
    m_streams_changed = true;
  }
  return arrivals;
}

// What the disk has left beyond a reserve and what storing so much journal may need: once for the -wal, once for the store.
std::optional<std::int64_t> StoreWriter::roomOnDisk(std::int64_t journal_bytes) const {
  constexpr std::int64_t kMostReserve = std::int64_t{64} << 20, kReserveShare = 16;
  std::optional<DiskSpace> space;
  if (m_options.disk_space) {
    space = m_options.disk_space(m_path);
  } else if (struct statvfs info{}; statvfs(m_path.c_str(), &info) == 0) {
    const auto block = static_cast<std::int64_t>(info.f_frsize);
    space = {static_cast<std::int64_t>(info.f_bavail) * block, static_cast<std::int64_t>(info.f_blocks) * block};
  }
  if (!space) return std::nullopt;
  return space->free_bytes - 2 * journal_bytes - std::min(kMostReserve, space->total_bytes / kReserveShare);
}

std::uint64_t StoreWriter::resumeFrom(const StreamKey& stream) {
  // Where the mark cannot be read, journal() refuses what comes.
  const auto next = nextOf(stream);
  return next.ok() ? *next : 0;
}

Result<Run> StoreWriter::findRun(std::string_view name) {
  atRest();
  if (auto run = m_catalog.findRun(name)) return *std::move(run);
  return Status(Code::kNotFound, "no such run: " + std::string(name) + ": the store has none of that name");
}

std::optional<Writer::ImportMark> StoreWriter::importMark(std::string_view path_key) {
  atRest();
  const auto pending = m_marks.find(std::string(path_key));
  if (pending != m_marks.end()) return pending->second;
  auto statement = m_db.prepare("SELECT identity, offset, run_id, state FROM rg_import WHERE path_key = ?");
  if (!statement.ok()) return std::nullopt;
  statement->bind(1, path_key);
  const auto row = statement->step();
  if (!row.ok() || !*row) return std::nullopt;
  return ImportMark{std::string(statement->text(0)),
                    statement->int64(1),
                    {static_cast<std::uint64_t>(statement->int64(2))},
                    std::string(statement->text(3))};
}

}  // namespace runglass
