// SPDX-License-Identifier: Apache-2.0
#include "storage/read/picture_reader.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "storage/codec/span_summary.h"
#include "storage/read/bar_folder.h"

namespace runglass {
namespace {

constexpr int kSnapshotAttempts = 100;
constexpr DurNs kBlur = 2;
constexpr std::size_t kUsualBars = 2'048;
constexpr std::int64_t kMaxExact = 2'000'000;
constexpr std::size_t kMaxHeld = std::size_t{128} << 20;
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

std::uint64_t width(const SpanPiece& piece) { return static_cast<std::uint64_t>(piece.t1) - static_cast<std::uint64_t>(piece.t0); }

SpanShapes shapesOf(const SpanChunk& chunk) {
  std::vector<SpanShapes::Shape> shapes(chunk.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::int64_t category = chunk.category[i];
    shapes[i] = {chunk.start[i], spanEnd(chunk.start[i], chunk.dur[i]), static_cast<std::uint32_t>(chunk.name[i]),
                 category >= 0 && category < kSpanCategoryCount ? static_cast<SpanCategory>(category) : SpanCategory::kOther};
  }
  SpanShapes out;
  if (!std::ranges::is_sorted(chunk.start)) {
    std::vector<std::uint32_t> order(shapes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return chunk.start[i]; });
    std::vector<SpanShapes::Shape> sorted;
    sorted.reserve(shapes.size());
    for (const std::uint32_t i : order) sorted.push_back(shapes[i]);
    shapes = std::move(sorted);
    out.positions = std::make_shared<const std::vector<std::uint32_t>>(std::move(order));
  }
  out.shapes = std::make_shared<const std::vector<SpanShapes::Shape>>(std::move(shapes));
  return out;
}

SpanPiece pieceOf(const SpanShapes::Shape& shape) {
  SpanPiece piece{.t0 = shape.t0, .t1 = shape.t1, .name = shape.name, .count = 1, .category = shape.category};
  piece.busy[static_cast<std::size_t>(spanClass(shape.category))] = static_cast<float>(width(piece));
  return piece;
}

}  // namespace

// The outline of a chunk: its stretches, without its spans.
struct PictureReader::PictureChunk {
  std::int32_t lane = 0;
  bool sealed = false, blurred = false;  // blurred: in this picture, drawing the pieces would hide gaps
  std::int32_t pending = -1;             // index in the tail's chunks; -1: in the file
  TimeNs t0 = 0, t1 = 0;
  std::int64_t chunk_id = 0, n = 0, first_span_id = 0;
  std::uint64_t widest = 0;  // width of its widest piece
  std::size_t count = 0;
  std::shared_ptr<const SpanPiece[]> pieces;  // null: the chunk is damaged
  std::span<const SpanPiece> all() const { return {pieces.get(), count}; }
  std::pair<std::int32_t, TimeNs> place() const { return {lane, t0}; }
  void show(const SpanSummary& summary);
};

// Chunks of a track that overlap `range`, by place: those of the file at `version`, and those sealed in the tail at that time.
struct PictureReader::TrackOutline {
  std::int64_t version = -1;
  TimeRange range;
  std::vector<PictureChunk> stored, waiting;
  std::size_t bytes() const;
  const PictureChunk* find(const PictureChunk& chunk) const;
};

struct PictureReader::PictureTrack {
  TrackId track;
  TimeRange range;  // raw
  const ClockMap* clock = nullptr;
  std::vector<PictureChunk> chunks;
};

void PictureReader::PictureChunk::show(const SpanSummary& summary) {
  count = summary.size();
  const auto made = std::make_shared_for_overwrite<SpanPiece[]>(count);
  for (std::size_t i = 0; i < count; ++i) {
    SpanPiece& piece = made[i];
    piece = {.t0 = summary.t0[i],
             .t1 = summary.t1[i],
             .name = static_cast<std::uint32_t>(summary.longest_name[i]),
             .count = static_cast<std::uint32_t>(summary.count[i])};
    widest = std::max(widest, width(piece));
  }
  std::array<std::int64_t, kSpanChunkSpans> most;
  std::fill_n(most.begin(), count, -1);
  for (std::size_t c = 0; c < summary.busy.size(); ++c) {
    if (summary.busy[c].empty()) continue;
    const auto category = static_cast<SpanCategory>(c);
    const auto group = static_cast<std::size_t>(spanClass(category));
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t busy = summary.busy[c][i];
      if (busy > most[i]) most[i] = busy, made[i].category = category;
      made[i].busy[group] += static_cast<float>(busy);
    }
  }
  pieces = made;
}

std::size_t PictureReader::TrackOutline::bytes() const {
  std::size_t sum = sizeof *this;
  for (const auto* chunks : {&stored, &waiting})
    for (const PictureChunk& chunk : *chunks) sum += sizeof chunk + 32 + chunk.count * sizeof(SpanPiece);
  return sum;
}

const PictureReader::PictureChunk* PictureReader::TrackOutline::find(const PictureChunk& chunk) const {
  if (!chunk.sealed) return nullptr;
  for (const auto* chunks : {&stored, &waiting}) {
    const auto place = std::ranges::equal_range(*chunks, chunk.place(), {}, &PictureChunk::place);
    const auto it = std::ranges::find(place, chunk.chunk_id, &PictureChunk::chunk_id);
    if (it != place.end() && it->sealed) return &*it;
  }
  return nullptr;
}

// Fills in the pieces of a chunk of the file; none for a damaged one, which is noted.
Status PictureReader::showStored(TrackId track, PictureChunk& chunk, std::string_view summary) {
  if (decodeSpanSummary(summary, static_cast<std::size_t>(chunk.n), m_summary)) {
    chunk.show(m_summary);
    return {};
  }
  SpanChunk spans;
  RG_ASSIGN(const bool good, m_spans.chunk(track, chunk.chunk_id, spans));
  if (good) chunk.show(summarise(spans));
  return {};
}

Result<SpanShapes> PictureReader::shapesOf(TrackId track, const PictureChunk& chunk, const PendingSpans* pending) {
  if (const SpanShapes* known = chunk.sealed ? m_shapes.find(chunk.chunk_id, 0) : nullptr) return *known;
  if (pending != nullptr && pending->open) return runglass::shapesOf(*pending->open);
  SpanChunk spans;
  if (pending != nullptr && pending->packed) {
    RG_CHECK(decodeSpanChunk(pending->packed->data, pending->n, spans, SpanParts::kShape));
  } else {
    RG_ASSIGN(const bool good, m_spans.chunk(track, chunk.chunk_id, spans));
    if (!good) return SpanShapes();
  }
  SpanShapes shapes = runglass::shapesOf(spans);
  if (chunk.sealed) m_shapes.put(chunk.chunk_id, 0, shapes);
  return shapes;
}

namespace {

bool touches(TimeNs t0, TimeNs t1, TimeRange range) { return t1 > range.t0 && (t0 < range.t1 || range.t1 == kHighest); }

}  // namespace

// The chunks of the file that overlap the range. A cached outline is reused: completely while the file has not changed, piece by piece
// after a commit, when only the index's narrow columns are read.
Result<std::shared_ptr<const PictureReader::TrackOutline>> PictureReader::outlineOf(TrackId track, TimeRange range, std::int64_t version) {
  const OutlineRow* row = m_outlines.find(static_cast<std::int64_t>(track.value), 0);
  const std::shared_ptr<const TrackOutline> known = row != nullptr ? row->outline : nullptr;
  if (known && known->version == version && known->range.t0 <= range.t0 && known->range.t1 >= range.t1) return known;
  auto outline = std::make_shared<TrackOutline>();
  outline->version = version;
  outline->range = range;
  if (known) outline->waiting = known->waiting;
  constexpr std::string_view kColumns = "SELECT chunk_id, lane, t0, t1, n, first_span_id, sealed", kFrom = R"(
    FROM rg_span_chunk INDEXED BY rg_span_chunk_track
    WHERE track_id = ?1 AND (t0 < ?3 OR ?3 = 9223372036854775807) AND t1 > ?2 ORDER BY lane, t0)";
  static const std::string kFirst = std::string(kColumns) + ", summary" + std::string(kFrom),
                           kAgain = std::string(kColumns) + std::string(kFrom);
  RG_ASSIGN(sqlite::Statement * statement, known ? m_file.kept(m_outline_sql, kAgain) : m_file.kept(m_picture_sql, kFirst));
  statement->bind(1, track.value);
  statement->bind(2, range.t0);
  statement->bind(3, range.t1);
  while (true) {
    RG_ASSIGN(const bool found, statement->step());
    if (!found) break;
    PictureChunk chunk;
    chunk.lane = static_cast<std::int32_t>(statement->int64(1));
    chunk.t0 = statement->int64(2);
    chunk.t1 = statement->int64(3);
    chunk.chunk_id = statement->int64(0);
    chunk.n = statement->int64(4);
    chunk.first_span_id = statement->int64(5);
    chunk.sealed = statement->int64(6) != 0;
    if (const PictureChunk* same = known ? known->find(chunk) : nullptr; same != nullptr) {
      chunk.widest = same->widest;
      chunk.count = same->count;
      chunk.pieces = same->pieces;
    } else if (known) {
      RG_ASSIGN(sqlite::Statement * summary, m_file.kept(m_summary_sql,
                                                         "SELECT summary FROM rg_span_chunk INDEXED BY rg_span_chunk_track "
                                                         "WHERE track_id = ?1 AND lane = ?2 AND t0 = ?3 AND chunk_id = ?4"));
      summary->bind(1, track.value);
      summary->bind(2, std::int64_t{chunk.lane});
      summary->bind(3, chunk.t0);
      summary->bind(4, chunk.chunk_id);
      RG_ASSIGN(const bool there, summary->step());
      const Status shown = showStored(track, chunk, there ? summary->blob(0) : std::string_view());
      summary->reset();
      RG_TRY(shown);
    } else {
      RG_TRY(showStored(track, chunk, statement->blob(7)));
    }
    outline->stored.push_back(std::move(chunk));
  }
  statement->reset();
  m_outlines.put(static_cast<std::int64_t>(track.value), 0, {outline, outline->bytes()});
  return std::shared_ptr<const TrackOutline>(outline);
}

// The chunks of the file and the tail that overlap the range, by lane and t0.
Status PictureReader::pictureChunks(PictureTrack& track, std::int64_t version, const std::optional<LiveTail::SpanSnapshot>& tail) {
  RG_ASSIGN(const auto outline, outlineOf(track.track, track.range, version));
  track.chunks.reserve(outline->stored.size());
  for (const PictureChunk& chunk : outline->stored)
    if (touches(chunk.t0, chunk.t1, track.range) && chunk.pieces && (chunk.sealed || !tail || !tail->owned)) track.chunks.push_back(chunk);
  if (!tail) return {};
  const std::size_t stored = track.chunks.size();
  std::vector<PictureChunk> waiting;
  for (std::size_t i = 0; i < tail->chunks.size(); ++i) {
    const PendingSpans& pending = tail->chunks[i];
    if (!touches(pending.t0, pending.t1, track.range)) continue;
    PictureChunk chunk;
    chunk.lane = pending.lane;
    chunk.pending = static_cast<std::int32_t>(i);
    chunk.t0 = pending.t0;
    chunk.t1 = pending.t1;
    chunk.chunk_id = pending.chunk_id;
    chunk.n = static_cast<std::int64_t>(pending.n);
    chunk.first_span_id = pending.first_span_id;
    chunk.sealed = pending.generation != 0;
    if (const PictureChunk* same = outline->find(chunk); same != nullptr) {
      chunk.widest = same->widest;
      chunk.count = same->count;
      chunk.pieces = same->pieces;
    } else if (pending.open) {
      chunk.show(summarise(*pending.open));
    } else {
      RG_CHECK(decodeSpanSummary(pending.packed->summary, pending.n, m_summary));
      chunk.show(m_summary);
    }
    if (chunk.sealed) waiting.push_back(chunk);
    track.chunks.push_back(std::move(chunk));
  }
  if (track.chunks.size() > stored) std::ranges::stable_sort(track.chunks, {}, &PictureChunk::place);
  std::ranges::stable_sort(waiting, {}, &PictureChunk::place);
  if (!std::ranges::equal(waiting, outline->waiting, {}, &PictureChunk::chunk_id, &PictureChunk::chunk_id)) {
    auto grown = std::make_shared<TrackOutline>(*outline);
    grown->waiting = std::move(waiting);
    const std::size_t bytes = grown->bytes();
    m_outlines.put(static_cast<std::int64_t>(track.track.value), 0, {std::move(grown), bytes});
  }
  return {};
}

Status PictureReader::pictureBars(const PictureTrack& track, const std::optional<LiveTail::SpanSnapshot>& tail, bool exact, DurNs pixel,
                                  SpanPicture& out, std::unordered_map<std::int64_t, std::uint32_t>& names) {
  const auto nameOf = [&](std::int64_t id) -> Result<std::uint32_t> {
    const auto [known, fresh] = names.try_emplace(id, static_cast<std::uint32_t>(out.names.size()));
    if (fresh) {
      RG_ASSIGN(std::string name, m_spans.text(id));
      out.names.push_back(std::move(name));
    }
    return known->second;
  };
  const auto begun = [&](TimeNs t0) { return t0 >= track.range.t1 && track.range.t1 != kHighest; };
  for (std::size_t from = 0, to = 0; from < track.chunks.size(); from = to) {
    const std::int32_t lane = track.chunks[from].lane;
    SpanPicture::Lane bars{.track = track.track, .depth = lane % kSpanDepths, .overflow = lane / kSpanDepths, .bars = {}};
    std::size_t most = 0;
    for (to = from; to < track.chunks.size() && track.chunks[to].lane == lane; ++to)
      most += exact && track.chunks[to].blurred ? static_cast<std::size_t>(track.chunks[to].n) : track.chunks[to].count;
    bars.bars.reserve(std::min(most, kUsualBars));
    BarFolder folder(pixel, bars.bars);
    for (to = from; to < track.chunks.size() && track.chunks[to].lane == lane; ++to) {
      const PictureChunk& chunk = track.chunks[to];
      if (!exact || !chunk.blurred) {
        for (const SpanPiece& piece : chunk.all()) {
          if (begun(piece.t0)) break;
          if (piece.t1 > track.range.t0) RG_TRY(folder.add(piece, 0, nameOf));
        }
        continue;
      }
      RG_ASSIGN(const SpanShapes spans,
                shapesOf(track.track, chunk, chunk.pending < 0 ? nullptr : &tail->chunks[static_cast<std::size_t>(chunk.pending)]));
      for (std::size_t i = 0; spans.shapes && i < spans.shapes->size(); ++i) {
        const SpanShapes::Shape& shape = (*spans.shapes)[i];
        if (begun(shape.t0)) break;
        if (shape.t1 <= track.range.t0) continue;
        RG_TRY(folder.add(pieceOf(shape), chunk.first_span_id + (spans.positions ? (*spans.positions)[i] : static_cast<std::int64_t>(i)),
                          nameOf));
      }
    }
    folder.finish();
    if (bars.bars.empty()) continue;
    if (!std::ranges::is_sorted(bars.bars, {}, &SpanBar::t0)) std::ranges::stable_sort(bars.bars, {}, &SpanBar::t0);
    if (track.clock != nullptr) {
      for (SpanBar& bar : bars.bars) {
        bar.t0 = track.clock->corrected(bar.t0);
        if (bar.t1 != kHighest) bar.t1 = track.clock->corrected(bar.t1);
      }
    }
    out.lanes.push_back(std::move(bars));
  }
  return {};
}

Result<SpanPicture> PictureReader::spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) {
  SpanPicture out;
  if (range.t0 >= range.t1 || tracks.empty()) return out;
  pixel = std::max<DurNs>(pixel, 1);
  std::vector<PictureTrack> parts(tracks.size());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    RG_ASSIGN(parts[i].clock, m_spans.clockOf(tracks[i]));
    parts[i].track = tracks[i];
    parts[i].range = parts[i].clock ? TimeRange{parts[i].clock->rawFrom(range.t0), parts[i].clock->rawFrom(range.t1)} : range;
  }
  ReaderFile::Snapshot file;
  std::vector<std::optional<LiveTail::SpanSnapshot>> tails(tracks.size());
  for (int attempt = 0;; ++attempt) {
    if (attempt == kSnapshotAttempts)
      return Status(Code::kUnavailable, "cannot read store: " + m_file.path() + ": commits came faster than this read");
    file.reset();
    RG_ASSIGN(file, m_file.snapshot(attempt > 0));
    RG_ASSIGN(const std::uint64_t generation, m_file.generation());
    bool whole = true;
    for (std::size_t i = 0; m_file.live() && whole && i < tracks.size(); ++i) {
      tails[i] = m_file.live()->spans(tracks[i], generation);
      whole = tails[i].has_value();
    }
    if (whole) break;
  }
  RG_ASSIGN(const std::int64_t version, m_file.dataVersion());
  std::int64_t wanted = 0;
  const auto chunksOf = [&](std::size_t i) -> Status {
    if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    RG_TRY(pictureChunks(parts[i], version, tails[i]));
    const std::uint64_t blur = static_cast<std::uint64_t>(kBlur) * static_cast<std::uint64_t>(pixel);
    for (PictureChunk& chunk : parts[i].chunks) {
      // A single wide span is decoded as well: only then does it have an id, which details need.
      chunk.blurred = chunk.widest > blur && std::ranges::any_of(chunk.all(), [&](const SpanPiece& piece) {
                        return width(piece) > blur && touches(piece.t0, piece.t1, parts[i].range);
                      });
    }
    return {};
  };
  std::size_t held = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    RG_TRY(chunksOf(i));
    for (const PictureChunk& chunk : parts[i].chunks) {
      wanted += chunk.blurred ? chunk.n : 0;
      held += chunk.count * sizeof(SpanPiece);
    }
    if (held > kMaxHeld) parts[i].chunks = {};  // read again below, to limit memory
  }
  out.exact = wanted <= kMaxExact;
  std::unordered_map<std::int64_t, std::uint32_t> names;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].chunks.empty()) RG_TRY(chunksOf(i));
    RG_TRY(pictureBars(parts[i], tails[i], out.exact, pixel, out, names));
    parts[i].chunks = {};
  }
  return out;
}

}  // namespace runglass
