// SPDX-License-Identifier: Apache-2.0
#include "storage/read/series_list.h"

#include <algorithm>
#include <numeric>

#include "storage/schema/rows.h"

namespace runglass {

Status SeriesList::refresh() {
  RG_ASSIGN(const std::int64_t version, m_file.dataVersion());
  if (m_version == version) return {};
  // The old lists are freed first: a hub has very many series, and its watch reads them after each commit.
  const std::size_t known = m_series.size();
  m_series = {};
  m_of_attempt.clear(), m_with_metric.clear(), m_attempts_of_run.clear();
  m_version.reset();
  m_series.reserve(known);
  RG_TRY(rows::each<Series>(m_file.db(), " ORDER BY s.series_id", [this](Series series) {
    std::vector<std::uint32_t>& of = m_of_attempt[series.key.attempt.value];
    if (of.empty()) m_attempts_of_run[series.run.value].push_back(series.key.attempt.value);
    const auto place = static_cast<std::uint32_t>(m_series.size());
    of.push_back(place);
    m_with_metric[series.key.metric].push_back(place);
    m_series.push_back(std::move(series));
  }));
  m_version = version;
  return {};
}

const Series* SeriesList::find(SeriesId id) const {
  const auto known = std::ranges::lower_bound(m_series, id, {}, &Series::id);
  return known != m_series.end() && known->id == id ? &*known : nullptr;
}

std::vector<std::uint32_t> SeriesList::placesOf(const SeriesFilter& filter) const {
  std::vector<std::uint32_t> places;
  const auto add = [&](std::uint64_t attempt) {
    const auto known = m_of_attempt.find(attempt);
    if (known != m_of_attempt.end()) places.insert(places.end(), known->second.begin(), known->second.end());
  };
  if (filter.attempt) {
    add(filter.attempt->value);
  } else if (filter.run) {
    const auto known = m_attempts_of_run.find(filter.run->value);
    if (known != m_attempts_of_run.end()) std::ranges::for_each(known->second, add);
    std::ranges::sort(places);
  } else if (filter.metric) {
    const auto known = m_with_metric.find(*filter.metric);
    if (known != m_with_metric.end()) places = known->second;
  } else {
    places.resize(m_series.size());
    std::iota(places.begin(), places.end(), 0U);
  }
  return places;
}

}  // namespace runglass
