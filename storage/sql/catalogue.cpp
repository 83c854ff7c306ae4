// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_series_index matches m_series whenever that is set, m_track_index m_tracks.
// 2. m_piece_bytes is the sum of m_pieces' bytes. A span never changes, so a piece stays valid while a query runs; ids after its end may
//    have been added since.
#include "storage/sql/catalogue.h"

#include "model/superseded.h"

#include <algorithm>

namespace runglass::sql {
namespace {

constexpr std::size_t kPieceBudget = std::size_t{64} << 20;

std::size_t bytesOf(const SpanColumns& spans) {
  std::size_t bytes = sizeof(StoredSpans) + spans.size() * (3 * sizeof(std::int64_t) + sizeof(SpanCategory) + 2 * sizeof(std::int32_t));
  for (const auto* column :
       {&spans.step, &spans.microbatch, &spans.group, &spans.seq, &spans.bytes, &spans.correlation, &spans.external_id})
    bytes += column->size() * sizeof(std::int64_t);
  for (const std::string& text : spans.args) bytes += sizeof(std::string) + text.size();
  for (const std::string& text : spans.names) bytes += sizeof(std::string) + text.size();
  return bytes;
}

}  // namespace

void Catalogue::begin(std::stop_token stop) {
  m_stop = std::move(stop);
  m_series.reset();
  m_superseded.reset();
  m_series_index.clear();
  m_attempts.reset();
  m_tracks.reset();
  m_track_index.clear();
  m_pieces.clear();
  m_piece_bytes = 0;
}

Result<const std::vector<Series>*> Catalogue::series() {
  if (!m_series) {
    RG_ASSIGN(auto all, m_reader.series({}));
    m_series = std::move(all);
    for (std::size_t i = 0; i < m_series->size(); ++i) m_series_index[(*m_series)[i].id.value] = i;
  }
  return &*m_series;
}

Result<const Series*> Catalogue::seriesById(std::int64_t id) {
  RG_ASSIGN(const auto* all, series());
  const auto found = m_series_index.find(static_cast<std::uint64_t>(id));
  return found == m_series_index.end() ? nullptr : &(*all)[found->second];
}

Result<std::optional<std::int64_t>> Catalogue::supersededFrom(SeriesId id) {
  if (!m_superseded) {
    RG_ASSIGN(const auto* all, series());
    m_superseded = runglass::supersededFrom(*all);
  }
  const auto found = m_superseded->find(id);
  return found == m_superseded->end() ? std::optional<std::int64_t>() : std::optional(found->second);
}

Status Catalogue::loadAttempts() {
  std::map<AttemptId, AttemptRow> rows;
  RG_ASSIGN(const auto runs, m_reader.runs());
  for (const Run& run : runs) {
    RG_ASSIGN(const auto attempts, m_reader.attempts(run.id));
    for (const Attempt& attempt : attempts) {
      rows[attempt.id] = {run.id, attempt.number};
    }
  }
  m_attempts = std::move(rows);
  return {};
}

Result<const AttemptRow*> Catalogue::attempt(AttemptId attempt) {
  if (!m_attempts) RG_TRY(loadAttempts());
  const auto found = m_attempts->find(attempt);
  return found == m_attempts->end() ? nullptr : &found->second;
}

Result<const std::vector<Track>*> Catalogue::tracks() {
  if (!m_tracks) {
    if (!m_attempts) RG_TRY(loadAttempts());
    std::vector<Track> all;
    for (const auto& [id, row] : *m_attempts) {
      RG_ASSIGN(auto of_attempt, m_reader.tracks(id));
      for (Track& track : of_attempt) all.push_back(std::move(track));
    }
    m_tracks = std::move(all);
    for (std::size_t i = 0; i < m_tracks->size(); ++i) m_track_index[(*m_tracks)[i].id] = i;
  }
  return &*m_tracks;
}

Result<const Track*> Catalogue::track(TrackId id) {
  RG_ASSIGN(const auto* all, tracks());
  const auto found = m_track_index.find(id);
  return found == m_track_index.end() ? nullptr : &(*all)[found->second];
}

Result<std::shared_ptr<const StoredSpans>> Catalogue::piece(std::int64_t span, TimeRange range) {
  if (auto after = m_pieces.upper_bound(span); after != m_pieces.begin()) {
    KeptPiece& kept = std::prev(after)->second;
    if (span < kept.piece->end && kept.range == range) {
      kept.used = ++m_piece_clock;
      return kept.piece;
    }
  }
  RG_ASSIGN(auto read, m_reader.spansWith(span, range));
  if (read.first == read.end) return std::shared_ptr<const StoredSpans>();
  auto fresh = std::make_shared<const StoredSpans>(std::move(read));
  keepPiece(fresh, range);
  return fresh;
}

void Catalogue::keepPiece(std::shared_ptr<const StoredSpans> piece, TimeRange range) {
  const auto drop = [this](auto at) {
    m_piece_bytes -= at->second.bytes;
    m_pieces.erase(at);
  };
  if (const auto same = m_pieces.find(piece->first); same != m_pieces.end()) drop(same);
  const std::size_t bytes = bytesOf(piece->spans);
  while (!m_pieces.empty() && m_piece_bytes + bytes > kPieceBudget) {
    drop(std::ranges::min_element(m_pieces, {}, [](const auto& kept) { return kept.second.used; }));
  }
  m_piece_bytes += bytes;
  const std::int64_t first = piece->first;
  m_pieces[first] = {std::move(piece), range, bytes, ++m_piece_clock};
}

Result<std::optional<std::int64_t>> Catalogue::thinnedTo(SeriesId series) {
  if (m_store == nullptr) return std::optional<std::int64_t>();
  RG_ASSIGN(auto row, m_store->prepare("SELECT last_x FROM main.rg_expired WHERE series_id = ?1"));
  row.bind(1, series.value);
  RG_ASSIGN(const bool found, row.step());
  return found ? row.optionalInt64(0) : std::nullopt;
}

}  // namespace runglass::sql
