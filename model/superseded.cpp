// SPDX-License-Identifier: Apache-2.0
#include "model/superseded.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace runglass {

std::unordered_map<SeriesId, std::int64_t> supersededFrom(std::span<const Series> all) {
  // Series of the same metric, source and labels, with the step at which each attempt began them.
  std::map<std::tuple<RunId, std::string_view, std::string_view, std::string_view>, std::map<AttemptId, std::int64_t>> begins;
  const auto likeness = [](const Series& s) {
    return std::tuple<RunId, std::string_view, std::string_view, std::string_view>(s.run, s.key.metric, s.key.source, s.key.labels);
  };
  const auto counts = [](const Series& s) { return s.key.kind == SeriesKind::kScalar && s.sample_count > 0; };
  for (const Series& series : all) {
    if (!counts(series)) continue;
    auto& first = begins[likeness(series)].try_emplace(series.key.attempt, series.first_x).first->second;
    first = std::min(first, series.first_x);
  }
  std::unordered_map<SeriesId, std::int64_t> found;
  for (const Series& series : all) {
    if (!counts(series)) continue;
    const auto& attempts = begins[likeness(series)];
    if (attempts.size() < 2) continue;
    for (auto later = attempts.upper_bound(series.key.attempt); later != attempts.end(); ++later) {
      if (later->second > series.last_x) continue;
      auto& from = found.try_emplace(series.id, later->second).first->second;
      from = std::min(from, later->second);
    }
  }
  return found;
}

}  // namespace runglass
