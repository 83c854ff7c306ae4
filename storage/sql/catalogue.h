// SPDX-License-Identifier: Apache-2.0
// What the virtual tables share during one query: the Reader, the stop token, and series, attempts and tracks by id.
//
// Threading:  the Reader's thread.
// Ownership:  borrows the Reader; references returned live until the next begin().
// Units:      none.
// Errors:     those of the Reader; an id without a row is an empty answer.
// Cost:       each list is read once per query, on first use.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "model/result.h"
#include "storage/reader.h"

namespace runglass::sql {

struct AttemptRow {
  RunId run;
  std::int32_t number = 0;
};

class Catalogue {
 public:
  explicit Catalogue(Reader& reader) : m_reader(reader) {}

  // Forgets what the last query saw.
  void begin(std::stop_token stop);
  Reader& reader() { return m_reader; }
  const std::stop_token& stop() const { return m_stop; }

  Result<const std::vector<Series>*> series();
  Result<const Series*> seriesById(std::int64_t id);     // nullptr: there is none
  Result<const AttemptRow*> attempt(AttemptId attempt);  // nullptr: there is none
  Result<const std::vector<Track>*> tracks();
  // Absent: no later attempt began this series again.
  Result<std::optional<std::int64_t>> supersededFrom(SeriesId series);

 private:
  Status loadAttempts();

  Reader& m_reader;
  std::stop_token m_stop;
  std::optional<std::vector<Series>> m_series;
  std::unordered_map<std::uint64_t, std::size_t> m_series_index;
  std::optional<std::unordered_map<SeriesId, std::int64_t>> m_superseded;
  std::optional<std::map<AttemptId, AttemptRow>> m_attempts;
  std::optional<std::vector<Track>> m_tracks;
};

}  // namespace runglass::sql
