// SPDX-License-Identifier: Apache-2.0
// SeriesList: the series of a store, as in its file. Panels request the catalogue many times a second, while the file changes once in
// seconds. Internal to storage.
// Invariant: all() is of one version of the file (ReaderFile::dataVersion()), by id; without the tail and not corrected.
//
// Threading:  one thread, the Reader's.
// Cost:       refresh() reads all series where another connection has committed since, else one pragma.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/samples.h"
#include "storage/read/reader_file.h"
#include "storage/reader.h"

namespace runglass {

class SeriesList {
 public:
  explicit SeriesList(ReaderFile& file) : m_file(file) {}
  Status refresh();
  const std::vector<Series>& all() const { return m_series; }
  const Series* find(SeriesId id) const;  // null: not found
  // Indexes into all(), by id. For a filter by attempt, run or metric only the matching ones, so that a query per attempt does not scan all
  // series each time. The caller applies the rest of the filter.
  std::vector<std::uint32_t> placesOf(const SeriesFilter& filter) const;

 private:
  ReaderFile& m_file;
  std::vector<Series> m_series;  // as of m_version
  // Indexes into m_series by attempt and by metric, and attempts by run.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> m_of_attempt;
  std::unordered_map<std::string, std::vector<std::uint32_t>> m_with_metric;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> m_attempts_of_run;
  std::optional<std::int64_t> m_version;
};

}  // namespace runglass
