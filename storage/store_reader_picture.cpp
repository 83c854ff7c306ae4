// SPDX-License-Identifier: Apache-2.0
// StoreReader: what tracks look like on a screen.
// Invariants:
// 1. A chunk is shown by its summary when each of its stretches in the range is one span or at most kBlur pixels wide; otherwise its spans
//    are decoded, as long as all such chunks of the picture hold at most kMostExact spans.
// 2. Sealed chunks never change: what was decoded of them is kept by chunk id. Open ones are decoded each time.
#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "storage/bar_folder.h"
#include "storage/codec/span_summary.h"
#include "storage/store_reader.h"

namespace runglass {
namespace {

constexpr int kSnapshotAttempts = 100;
constexpr DurNs kBlur = 2;
constexpr std::size_t kUsualBars = 2'048;
constexpr std::int64_t kMostExact = 2'000'000;
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

std::uint64_t width(const SpanPiece& piece) { return static_cast<std::uint64_t>(piece.t1) - static_cast<std::uint64_t>(piece.t0); }

SpanStretches stretchesOf(const SpanSummary& summary) {
  std::vector<SpanPiece> pieces(summary.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    SpanPiece& piece = pieces[i];
    piece = {.t0 = summary.t0[i],
             .t1 = summary.t1[i],
             .longest = summary.longest[i],
             .name = summary.longest_name[i],
             .count = static_cast<std::uint32_t>(summary.count[i])};
    std::int64_t most = -1;
    for (std::size_t c = 0; c < summary.busy.size(); ++c) {
      if (summary.busy[c].empty()) continue;
      const std::int64_t busy = summary.busy[c][i];
      const auto category = static_cast<SpanCategory>(c);
      if (busy > most) most = busy, piece.category = category;
      piece.busy[static_cast<std::size_t>(spanClass(category))] += static_cast<float>(busy);
    }
  }
  return {std::make_shared<const std::vector<SpanPiece>>(std::move(pieces))};
}

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

// A chunk that the range touches, until its bars are made.
struct StoreReader::PictureChunk {
  std::int32_t lane = 0;
  TimeNs t0 = 0, t1 = 0;
  std::int64_t chunk_id = 0, n = 0, first_span_id = 0;
  bool sealed = false, blurred = false;
  SpanStretches summary;
  PendingSpans pending;  // of the tail
};

struct StoreReader::PictureTrack {
  TrackId track;
  TimeRange range;  // raw
  const ClockMap* clock = nullptr;
  std::vector<PictureChunk> chunks;
};

Result<SpanStretches> StoreReader::summaryOf(TrackId track, const PictureChunk& chunk, std::string_view blob) {
  if (const SpanStretches* known = chunk.sealed ? m_summaries.find(chunk.chunk_id, 0) : nullptr) return *known;
  SpanStretches stretches;
  SpanSummary summary;
  if (chunk.pending.open) {
    stretches = stretchesOf(summarise(*chunk.pending.open));
  } else if (decodeSpanSummary(blob, static_cast<std::size_t>(chunk.n), summary)) {
    stretches = stretchesOf(summary);
  } else {
    SpanChunk spans;
    RG_ASSIGN(const bool good, spanChunk(track, chunk.chunk_id, spans));
    if (!good) return SpanStretches();
    stretches = stretchesOf(summarise(spans));
  }
  if (chunk.sealed) m_summaries.put(chunk.chunk_id, 0, stretches);
  return stretches;
}

Result<SpanShapes> StoreReader::shapesOf(TrackId track, const PictureChunk& chunk) {
  if (const SpanShapes* known = chunk.sealed ? m_shapes.find(chunk.chunk_id, 0) : nullptr) return *known;
  if (chunk.pending.open) return runglass::shapesOf(*chunk.pending.open);
  SpanChunk spans;
  if (chunk.pending.packed) {
    RG_CHECK(decodeSpanChunk(chunk.pending.packed->data, chunk.pending.n, spans, SpanParts::kShape));
  } else {
    RG_ASSIGN(const bool good, spanChunk(track, chunk.chunk_id, spans));
    if (!good) return SpanShapes();
  }
  SpanShapes shapes = runglass::shapesOf(spans);
  m_shapes.put(chunk.chunk_id, 0, shapes);
  return shapes;
}

Result<bool> StoreReader::spanChunk(TrackId track, std::int64_t chunk_id, SpanChunk& out) {
  RG_ASSIGN(sqlite::Statement * statement, kept(m_span_chunk_sql, "SELECT t0, t1, n, crc, data FROM rg_span_chunk WHERE chunk_id = ?1"));
  statement->bind(1, chunk_id);
  RG_ASSIGN(const bool row, statement->step());
  bool good = false;
  if (row) {
    const auto n = static_cast<std::uint64_t>(statement->int64(2));
    const std::string_view blob = statement->blob(4);
    good =
        n > 0 && n <= kSpanChunkSpans &&
        chunkChecksum(track.value, statement->int64(0), statement->int64(1), n, blob) == static_cast<std::uint32_t>(statement->int64(3)) &&
        decodeSpanChunk(blob, n, out, SpanParts::kShape);
  }
  statement->reset();
  if (!good) m_damage->note("track " + std::to_string(track.value) + " chunk " + std::to_string(chunk_id));
  return good;
}

// The chunks of a track that the range touches, with their summaries, by lane and t0.
Status StoreReader::pictureChunks(PictureTrack& track, const std::optional<LiveTail::SpanSnapshot>& tail) {
  RG_ASSIGN(sqlite::Statement * statement,
            kept(m_picture_sql,
                 "SELECT chunk_id, lane, t0, t1, n, first_span_id, sealed, summary FROM rg_span_chunk INDEXED BY rg_span_chunk_track "
                 "WHERE track_id = ?1 AND (t0 < ?3 OR ?3 = 9223372036854775807) AND t1 > ?2 ORDER BY lane, t0"));
  statement->bind(1, track.track.value);
  statement->bind(2, track.range.t0);
  statement->bind(3, track.range.t1);
  while (true) {
    RG_ASSIGN(const bool row, statement->step());
    if (!row) break;
    PictureChunk chunk{.lane = static_cast<std::int32_t>(statement->int64(1)),
                       .t0 = statement->int64(2),
                       .t1 = statement->int64(3),
                       .chunk_id = statement->int64(0),
                       .n = statement->int64(4),
                       .first_span_id = statement->int64(5),
                       .sealed = statement->int64(6) != 0};
    if (!chunk.sealed && tail && tail->owned) continue;
    RG_ASSIGN(chunk.summary, summaryOf(track.track, chunk, statement->blob(7)));
    if (chunk.summary.pieces) track.chunks.push_back(std::move(chunk));
  }
  statement->reset();
  if (!tail) return {};
  const std::size_t stored = track.chunks.size();
  for (const PendingSpans& pending : tail->chunks) {
    if (pending.t1 <= track.range.t0 || (pending.t0 >= track.range.t1 && track.range.t1 != kHighest)) continue;
    PictureChunk chunk{.lane = pending.lane,
                       .t0 = pending.t0,
                       .t1 = pending.t1,
                       .chunk_id = pending.chunk_id,
                       .n = static_cast<std::int64_t>(pending.n),
                       .first_span_id = pending.first_span_id,
                       .sealed = pending.generation != 0,
                       .pending = pending};
    RG_ASSIGN(chunk.summary, summaryOf(track.track, chunk, pending.packed ? std::string_view(pending.packed->summary) : ""));
    track.chunks.push_back(std::move(chunk));
  }
  if (track.chunks.size() > stored)
    std::ranges::stable_sort(track.chunks, {}, [](const PictureChunk& chunk) { return std::pair(chunk.lane, chunk.t0); });
  return {};
}

Status StoreReader::pictureBars(const PictureTrack& track, bool exact, DurNs pixel, SpanPicture& out,
                                std::unordered_map<std::int64_t, std::uint32_t>& names) {
  const auto nameOf = [&](std::int64_t id) -> Result<std::uint32_t> {
    const auto [known, fresh] = names.try_emplace(id, static_cast<std::uint32_t>(out.names.size()));
    if (fresh) {
      RG_ASSIGN(std::string name, text(id));
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
      most += exact && track.chunks[to].blurred ? static_cast<std::size_t>(track.chunks[to].n) : track.chunks[to].summary.pieces->size();
    bars.bars.reserve(std::min(most, kUsualBars));
    BarFolder folder(pixel, bars.bars);
    for (to = from; to < track.chunks.size() && track.chunks[to].lane == lane; ++to) {
      const PictureChunk& chunk = track.chunks[to];
      if (!exact || !chunk.blurred) {
        for (const SpanPiece& piece : *chunk.summary.pieces) {
          if (begun(piece.t0)) break;
          if (piece.t1 > track.range.t0) RG_TRY(folder.add(piece, 0, nameOf));
        }
        continue;
      }
      RG_ASSIGN(const SpanShapes spans, shapesOf(track.track, chunk));
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

Result<SpanPicture> StoreReader::spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) {
  SpanPicture out;
  if (range.t0 >= range.t1 || tracks.empty()) return out;
  pixel = std::max<DurNs>(pixel, 1);
  std::vector<PictureTrack> parts(tracks.size());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    RG_ASSIGN(parts[i].clock, clockOf(tracks[i]));
    parts[i].track = tracks[i];
    parts[i].range = parts[i].clock ? TimeRange{parts[i].clock->rawFrom(range.t0), parts[i].clock->rawFrom(range.t1)} : range;
  }
  std::optional<sqlite::Transaction> transaction;
  std::vector<std::optional<LiveTail::SpanSnapshot>> tails(tracks.size());
  for (int attempt = 0;; ++attempt) {
    if (attempt == kSnapshotAttempts)
      return Status(Code::kUnavailable, "cannot read store: " + m_path + ": commits came faster than this read");
    transaction.reset();
    RG_ASSIGN(auto begun, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kRead));
    transaction.emplace(std::move(begun));
    RG_ASSIGN(const std::uint64_t generation, fileGeneration());
    bool whole = true;
    for (std::size_t i = 0; m_live && whole && i < tracks.size(); ++i) {
      tails[i] = m_live->spans(tracks[i], generation);
      whole = tails[i].has_value();
    }
    if (whole) break;
  }
  std::int64_t wanted = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    RG_TRY(pictureChunks(parts[i], tails[i]));
    for (PictureChunk& chunk : parts[i].chunks) {
      chunk.blurred = std::ranges::any_of(*chunk.summary.pieces, [&](const SpanPiece& piece) {
        // A lone wide span is decoded as well: only then it has an id to be asked about.
        return width(piece) > static_cast<std::uint64_t>(kBlur) * static_cast<std::uint64_t>(pixel) && piece.t1 > parts[i].range.t0 &&
               (piece.t0 < parts[i].range.t1 || parts[i].range.t1 == kHighest);
      });
      wanted += chunk.blurred ? chunk.n : 0;
    }
  }
  out.exact = wanted <= kMostExact;
  std::unordered_map<std::int64_t, std::uint32_t> names;
  for (const PictureTrack& part : parts) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    RG_TRY(pictureBars(part, out.exact, pixel, out, names));
  }
  return out;
}

}  // namespace runglass
