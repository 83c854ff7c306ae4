// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_series_index matches m_series whenever that is set.
#include "storage/sql/catalogue.h"

#include "model/superseded.h"

namespace runglass::sql {

void Catalogue::begin(std::stop_token stop) {
  m_stop = std::move(stop);
  m_series.reset();
  m_superseded.reset();
  m_series_index.clear();
  m_attempts.reset();
  m_tracks.reset();
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
  }
  return &*m_tracks;
}

}  // namespace runglass::sql
