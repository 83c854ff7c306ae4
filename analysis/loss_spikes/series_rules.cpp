// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_spikes/series_rules.h"

#include <algorithm>

#include "model/series_extent.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxRuleEntries = 256;

// Among points with equal steps the newest counts.
ScalarColumns withoutRepeats(ScalarColumns points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i + 1 < points.size() && points.step[i + 1] == points.step[i]) continue;
    points.step[kept] = points.step[i];
    points.value[kept] = points.value[i];
    if (!points.time.empty()) points.time[kept] = points.time[i];
    ++kept;
  }
  points.step.resize(kept);
  points.value.resize(kept);
  if (!points.time.empty()) points.time.resize(kept);
  return points;
}

}  // namespace

Result<SharedRules> RulesCache::rules(Reader& reader, const Series& series, std::optional<std::int64_t> superseded_from, TimeNs now,
                                      const std::stop_token& stop) {
  {
    const MutexLock lock(m_mutex);
    const auto known = m_entries.find(series.id);
    if (known != m_entries.end() && known->second.superseded_from == superseded_from &&
        (known->second.sample_count == series.sample_count || now - known->second.judged < kRulesAgain))
      return known->second.rules;
  }
  const std::int64_t end = endOf(series);
  RG_ASSIGN(ScalarColumns read, reader.scalars(series.id, series.first_x, superseded_from ? std::min(end, *superseded_from) : end, stop));
  const ScalarColumns points = withoutRepeats(std::move(read));
  auto found = std::make_shared<SeriesRules>();
  for (std::size_t i = 0; i < publishedRules().size(); ++i) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "apply rules: superseded");
    found->hits[i] = applyRule(publishedRules()[i].rule, points.step, points.value);
    for (const std::int64_t step : found->hits[i].steps) {
      const auto at = static_cast<std::size_t>(std::ranges::lower_bound(points.step, step) - points.step.begin());
      found->values[i].push_back(points.value[at]);
      if (!points.time.empty()) found->times[i].push_back(points.time[at]);
    }
  }
  const MutexLock lock(m_mutex);
  if (m_entries.size() >= kMaxRuleEntries) m_entries.clear();
  m_entries[series.id] = {.sample_count = series.sample_count, .superseded_from = superseded_from, .judged = now, .rules = found};
  return SharedRules(found);
}

}  // namespace runglass
